// gpuctr(7) beside the provider: its section ERRORS has every reason, ours and OpenSSL's, with its
// number, a meaning and a fix, and no other; its table of `algorithms = faster` is that of the
// source.
#include <gtest/gtest.h>
#include <openssl/crypto.h>
#include <openssl/err.h>
#include <openssl/evp.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "provider/config/stock.h"
#include "provider/core/errors.h"

namespace gpuctr {
namespace {

struct Entry {
  std::string number;
  std::string meaning;
  std::string fix;
};

std::string without_backslashes(const std::string& text) {
  std::string plain;
  for (const char c : text) plain += c == '\\' ? std::string() : std::string(1, c);
  return plain;
}

// The entries of the section: .TP, ".B TEXT \fR(NUMBER)", the meaning, "Fix: ...".
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
    } else if (entry != nullptr && line.rfind("Fix: ", 0) == 0) {
      part = &entry->fix;
      *part = line.substr(5);
    } else if (entry != nullptr && line[0] != '.') {
      *part += line;
    }
  }
  return all;
}

// Every error of OpenSSL's that the table has: its text, and "ERR_LIB_PROV 114".
std::map<std::string, std::string> stock_errors() {
  std::map<std::string, std::string> all;
  Reason reason{};
  for (std::size_t i = 0; reason_row(i, &reason) != nullptr; ++i) {
    for (const int mode : {EVP_CIPH_CTR_MODE, EVP_CIPH_GCM_MODE, EVP_CIPH_CCM_MODE}) {
      for (const Call call : {Call::kOther, Call::kUpdate, Call::kFinalOrOneShot}) {
        const std::uint32_t code = error_code(reason, mode, call);
        if (code == kSilent || ERR_GET_LIB(code) == 0) continue;
        const char* const text = ERR_reason_error_string(code);
        if (text == nullptr) {
          ADD_FAILURE() << "OpenSSL has no reason " << ERR_GET_REASON(code);
          continue;
        }
        all[text] = (ERR_GET_LIB(code) == ERR_LIB_PROV ? "ERR_LIB_PROV " : "ERR_LIB_RAND ") +
                    std::to_string(ERR_GET_REASON(code));
      }
    }
  }
  return all;
}

TEST(Manual, HasEveryError) {
  OPENSSL_init_crypto(OPENSSL_INIT_LOAD_CRYPTO_STRINGS, nullptr);
  std::map<std::string, Entry> written = entries();
  std::map<std::string, std::string> errors = stock_errors();
  EXPECT_GT(errors.size(), 20u);
  std::size_t own = 0;
  for (const OSSL_ITEM* item = reason_strings(); item->ptr != nullptr; ++item, ++own) {
    const char* const text = static_cast<const char*>(item->ptr);
    EXPECT_EQ(errors.count(text), 0u) << text << " is a text of OpenSSL's too";
    errors[text] = std::to_string(item->id);
  }
  EXPECT_GE(own, 10u);
  for (const auto& [text, number] : errors) {
    ASSERT_EQ(written.count(text), 1u) << text << " is not in the manual";
    const Entry& entry = written[text];
    EXPECT_EQ(entry.number, number) << text;
    EXPECT_GT(entry.meaning.size(), 20u) << text;
    EXPECT_GT(entry.fix.size(), 10u) << text;
  }
  EXPECT_EQ(written.size(), errors.size()) << "the manual has errors that the provider has not";
}

// The table is complete: each reason that the enumeration names has one row and a text.
TEST(Manual, EveryReasonHasARow) {
  std::ifstream header(GPUCTR_SOURCES "/provider/core/errors.h");
  std::size_t named = 0;
  bool inside = false;
  for (std::string line; std::getline(header, line);) {
    if (line.rfind("enum class Reason", 0) == 0) inside = true;
    if (line == "};") inside = false;
    if (inside && line.rfind("  k", 0) == 0) ++named;
  }
  std::set<Reason> rows;
  Reason reason{};
  std::size_t count = 0;
  for (const char* text; (text = reason_row(count, &reason)) != nullptr; ++count) {
    EXPECT_GT(std::string(text).size(), 8u);
    rows.insert(reason);
  }
  EXPECT_GT(named, 20u);
  EXPECT_EQ(count, named);
  EXPECT_EQ(rows.size(), named);
}

// "ARIA-128-CTR on avx2-gfni" of what the manual's table adds to `faster`.
std::set<std::string> faster_of_the_manual() {
  const std::vector<std::string> order = {"avx512-gfni", "avx2-gfni", "avx2-vaes", "avx512",
                                          "avx2-aesni"};
  std::set<std::string> all;
  std::ifstream manual(GPUCTR_MANUAL);
  std::string line;
  while (std::getline(manual, line) && line != ".B faster") {
  }
  while (std::getline(manual, line) && line != "_") {
  }
  while (std::getline(manual, line) && line != ".TE") {
    std::istringstream row(without_backslashes(line));
    std::string cipher, modes, least;
    std::getline(row, cipher, '\t');
    std::getline(row, modes, '\t');
    std::getline(row, least);
    std::istringstream words(modes);
    for (std::string mode; words >> mode;) {
      if (mode.back() == ',') mode.pop_back();
      for (std::size_t i = 0; i < kCipherCount; ++i) {
        if (!names_cipher(cipher.c_str(), cipher_spec(i))) continue;
        for (const std::string& backend : order) {
          all.insert(std::string(cipher_spec(i).name) + "-" + mode + " on " + backend);
          if (backend == least) break;
        }
      }
    }
  }
  return all;
}

TEST(Manual, FasterIsTheTableOfTheSource) {
  if (!GPUCTR_EVERY_CIPHER) GTEST_SKIP() << "a build with a part of the ciphers";
  if (find_backend("avx512-gfni") == nullptr) GTEST_SKIP() << "a build for another CPU";
  std::set<std::string> table;
  const BackendList backends = cpu_backends();
  for (std::size_t b = 0; b < backends.count; ++b) {
    for (std::size_t i = 0; i < kCipherCount; ++i) {
      for (const Mode* mode : kModes) {
        if (!is_faster(cipher_spec(i), *mode, *backends.first[b])) continue;
        table.insert(std::string(cipher_spec(i).name) + "-" + mode->name + " on " +
                     backends.first[b]->name);
      }
    }
  }
  EXPECT_FALSE(table.empty());
  EXPECT_EQ(faster_of_the_manual(), table);
}

// The parts of a list: "A, B and C".
std::vector<std::string> parts(std::string text, const std::string& last) {
  std::vector<std::string> all;
  const std::size_t end = text.rfind(last);
  if (end != std::string::npos) text.replace(end, last.size(), ", ");
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t comma = std::min(text.find(", ", at), text.size());
    all.push_back(text.substr(at, comma - at));
    at = comma + 2;
  }
  return all;
}

// "CAMELLIA GCM" for "These are GCM and CCM of CAMELLIA, and all modes of CHAM and LEA."
std::set<std::string> own_of_the_manual() {
  std::set<std::string> all;
  std::ifstream manual(GPUCTR_MANUAL);
  std::string line;
  while (std::getline(manual, line) && line != ".B own") {
  }
  while (std::getline(manual, line) && line.rfind("These are ", 0) != 0) {
  }
  if (line == "These are no mode of any cipher.") return all;
  line = line.substr(10, line.size() - 11) + ", and ";
  for (std::size_t at = 0; at < line.size();) {
    const std::size_t end = line.find(", and ", at), of = line.find(" of ", at);
    if (of >= end) {
      ADD_FAILURE() << line;
      return all;
    }
    for (const std::string& family : parts(line.substr(of + 4, end - of - 4), " and ")) {
      for (const std::string& mode : parts(line.substr(at, of - at), " and ")) {
        all.insert(family + " " + mode);
      }
    }
    at = end + 6;
  }
  return all;
}

TEST(Manual, OwnIsWhatTheDefaultProviderLacks) {
  std::set<std::string> own;
  std::set<std::string> shared;  // families of which the default provider has a mode
  for (const bool second : {false, true}) {
    for (std::size_t i = 0; i < kCipherCount; ++i) {
      const CipherSpec& spec = cipher_spec(i);
      const std::string name = spec.name, family = name.substr(0, name.find('-'));
      for (const Mode* mode : kModes) {
        if (!mode->takes(spec)) continue;
        const bool stock = in_default_provider(spec, *mode);
        if (stock) shared.insert(family);
        if (!second || stock || spec.legacy) continue;
        own.insert(family + " " + (shared.count(family) != 0 ? mode->name : "all modes"));
      }
    }
  }
  EXPECT_EQ(own_of_the_manual(), own);
}

}  // namespace
}  // namespace gpuctr
