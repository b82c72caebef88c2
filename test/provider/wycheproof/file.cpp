#include "test/provider/wycheproof/file.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <stdexcept>

namespace gpuctr::test::wycheproof {
namespace {

const std::string kFolder = std::string(GPUCTR_SOURCES) + "/test/vectors/wycheproof";

// The field of a column, null for a column that no Case has.
Bytes* field(Case& c, const std::string& column) {
  const std::map<std::string, Bytes*> fields = {{"key", &c.key}, {"iv", &c.iv}, {"aad", &c.aad},
                                                {"msg", &c.msg}, {"ct", &c.ct}, {"tag", &c.tag}};
  const auto found = fields.find(column);
  return found == fields.end() ? nullptr : found->second;
}

std::vector<std::string> words(const std::string& line) {
  std::istringstream in(line);
  std::vector<std::string> all;
  for (std::string word; in >> word;) all.push_back(word);
  return all;
}

}  // namespace

File read(const std::string& name) {
  const std::string path = kFolder + "/" + name + ".txt";
  std::ifstream in(path);
  File file;
  std::vector<std::string> columns;
  std::string line;
  for (int number = 1; std::getline(in, line); ++number) {
    if (line.empty() || line[0] == '#') continue;
    const std::vector<std::string> parts = words(line);
    const auto malformed = [&] {
      return std::runtime_error(path + ":" + std::to_string(number) + ": malformed");
    };
    if (file.type.empty()) {
      if (parts.size() != 2) throw malformed();
      file.type = parts[0];
      file.algorithm = parts[1];
      continue;
    }
    if (columns.empty()) {
      columns = parts;
      continue;
    }
    if (parts.size() != columns.size() || parts.size() < 3) throw malformed();
    Case next = file.cases.empty() ? Case() : file.cases.back();
    next.id = parts[0];
    next.result = parts[1];
    for (std::size_t i = 2; i < parts.size(); ++i) {
      Bytes* const bytes = field(next, columns[i]);
      if (bytes == nullptr) throw malformed();
      if (parts[i] != "=") *bytes = parts[i] == "-" ? Bytes() : from_hex(parts[i]);
    }
    file.cases.push_back(next);
  }
  if (file.cases.empty()) throw std::runtime_error(path + ": no cases");
  return file;
}

std::vector<std::string> names() {
  std::vector<std::string> all;
  for (const auto& entry : std::filesystem::directory_iterator(kFolder)) {
    if (entry.path().extension() == ".txt") all.push_back(entry.path().stem().string());
  }
  std::sort(all.begin(), all.end());
  return all;
}

}  // namespace gpuctr::test::wycheproof
