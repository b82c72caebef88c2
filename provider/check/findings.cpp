#include "provider/check/findings.h"

#include <algorithm>

namespace gpuctr::check {

std::size_t Findings::faults() const {
  return static_cast<std::size_t>(std::count_if(
      all_.begin(), all_.end(), [](const Finding& finding) { return finding.fault; }));
}

void Findings::add(bool fault, const std::string& where, const std::string& text) {
  for (const Finding& finding : all_) {
    if (finding.where == where && finding.text == text) return;
  }
  all_.push_back({fault, where, text});
}

std::size_t distance(const std::string& a, const std::string& b) {
  std::vector<std::vector<std::size_t>> cost(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
  for (std::size_t i = 0; i <= a.size(); ++i) {
    for (std::size_t j = 0; j <= b.size(); ++j) {
      if (i == 0 || j == 0) {
        cost[i][j] = i + j;
        continue;
      }
      const std::size_t change = a[i - 1] == b[j - 1] ? 0 : 1;
      cost[i][j] = std::min({cost[i - 1][j] + 1, cost[i][j - 1] + 1, cost[i - 1][j - 1] + change});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        cost[i][j] = std::min(cost[i][j], cost[i - 2][j - 2] + 1);
      }
    }
  }
  return cost[a.size()][b.size()];
}

std::string nearest(const std::string& text, const std::vector<std::string>& words) {
  // "_" for "-" is one change. Two changes in a word of three letters would match almost any word.
  std::string best;
  std::size_t least = text.size() < 5 ? 2 : 3;
  for (const std::string& word : words) {
    const std::size_t d = distance(text, word);
    if (d < least) {
      least = d;
      best = word;
    }
  }
  return best;
}

}  // namespace gpuctr::check
