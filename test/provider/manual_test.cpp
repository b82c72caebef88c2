// gpuctr(7) beside the provider: its section ERRORS has every reason, with its number, a meaning
// and a cure, and no other.
#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <string>

#include "provider/core/errors.h"

namespace gpuctr {
namespace {

struct Entry {
  std::string number;
  std::string meaning;
  std::string cure;
};

std::string without_backslashes(const std::string& text) {
  std::string plain;
  for (const char c : text) plain += c == '\\' ? std::string() : std::string(1, c);
  return plain;
}

// The entries of the section: .TP, ".B TEXT \fR(NUMBER)", the meaning, .br, "Cure: ...".
std::map<std::string, Entry> entries() {
  std::map<std::string, Entry> all;
  std::ifstream manual(GPUCTR_MANUAL);
  std::string line;
  while (std::getline(manual, line) && line != ".SH ERRORS") {
  }
  Entry* entry = nullptr;
  bool named = false;
  std::string* part = nullptr;
  while (std::getline(manual, line) && line.rfind(".SH ", 0) != 0) {
    if (line == ".TP") {
      named = true;
    } else if (named) {
      const std::size_t end = line.find(" \\fR(");
      if (line.rfind(".B ", 0) != 0 || end == std::string::npos) {
        ADD_FAILURE() << "no name and number: " << line;
        return all;
      }
      const std::string text = without_backslashes(line.substr(3, end - 3));
      EXPECT_EQ(all.count(text), 0u) << text << " comes twice";
      entry = &all[text];
      entry->number = line.substr(end + 5, line.find(')', end) - end - 5);
      part = &entry->meaning;
      named = false;
    } else if (entry != nullptr && line.rfind("Cure: ", 0) == 0) {
      part = &entry->cure;
      *part = line.substr(6);
    } else if (entry != nullptr && line[0] != '.') {
      *part += line;
    }
  }
  return all;
}

TEST(Manual, HasEveryError) {
  std::map<std::string, Entry> written = entries();
  std::size_t reasons = 0;
  for (const OSSL_ITEM* item = reason_strings(); item->ptr != nullptr; ++item, ++reasons) {
    const std::string text = static_cast<const char*>(item->ptr);
    ASSERT_EQ(written.count(text), 1u) << text << " is not in the manual";
    const Entry& entry = written[text];
    EXPECT_EQ(entry.number, std::to_string(item->id)) << text;
    EXPECT_GT(entry.meaning.size(), 20u) << text;
    EXPECT_GT(entry.cure.size(), 10u) << text;
  }
  EXPECT_GT(reasons, 20u);
  EXPECT_EQ(written.size(), reasons) << "the manual has errors that the provider has not";
}

// reason_strings() itself is complete: as many as the enumeration names.
TEST(Manual, EveryReasonHasAText) {
  std::ifstream header(GPUCTR_SOURCES "/provider/core/errors.h");
  std::size_t named = 0;
  bool inside = false;
  for (std::string line; std::getline(header, line);) {
    if (line.rfind("enum class Reason", 0) == 0) inside = true;
    if (line == "};") inside = false;
    if (inside && line.rfind("  k", 0) == 0) ++named;
  }
  std::size_t texts = 0;
  for (const OSSL_ITEM* item = reason_strings(); item->ptr != nullptr; ++item) ++texts;
  EXPECT_GT(named, 20u);
  EXPECT_EQ(texts, named);
}

}  // namespace
}  // namespace gpuctr
