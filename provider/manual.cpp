// Makes the manual page: copies gpuctr.7.in from standard input to standard output. Placeholder
// lines become the tables and lists of this build's ciphers and generators, or a program of
// examples/. The argument is the folder of these programs. This program runs in the build and is
// not installed.
#include <cstring>
#include <fstream>
#include <iostream>
#include <string>
#include <utility>
#include <vector>

#include "drbg/mechanism.h"
#include "provider/config/stock.h"
#include "provider/mode/base/mode.h"

namespace gpuctr {
namespace {

// A shell needs a minus sign, which troff prints only for "\-".
std::string minus(const std::string& name) {
  std::string text;
  for (const char c : name) text += c == '-' ? std::string("\\-") : std::string(1, c);
  return text;
}

std::string names(const CipherSpec& spec, const char* suffix) {
  std::string text = minus(std::string(spec.name) + suffix);
  if (spec.alias != nullptr) text += ", " + minus(std::string(spec.alias) + suffix);
  return text;
}

void write_cipher(const CipherSpec& spec, std::ostream& out) {
  out << names(spec, "-CTR") << '\t';
  if (spec.least_key_bytes != spec.most_key_bytes) out << 8 * spec.least_key_bytes << " to ";
  out << 8 * spec.most_key_bytes << '\t' << 8 * spec.block_bytes << '\t' << spec.rounds;
}

void write_ciphers(std::ostream& out) {
  for (std::size_t i = 0; i < kCipherCount; ++i) {
    const CipherSpec& spec = cipher_spec(i);
    if (spec.legacy) continue;
    write_cipher(spec, out);
    out << '\n';
  }
}

void write_legacy_ciphers(std::ostream& out) {
  for (std::size_t i = 0; i < kCipherCount; ++i) {
    const CipherSpec& spec = cipher_spec(i);
    if (!spec.legacy) continue;
    write_cipher(spec, out);
    const char* const only_on = constant_time_backend(spec);
    out << '\t'
        << (spec.constant_time   ? "yes"
            : only_on != nullptr ? minus(only_on)
                                 : "no")
        << '\n';
  }
}

void write_generators(std::ostream& out) {
  Engine engine(EngineConfig{});
  for (std::size_t i = 0; i < kCipherCount; ++i) {
    const CipherSpec& spec = cipher_spec(i);
    if (spec.generator_answer == nullptr) continue;
    const drbg::Mechanism mechanism(spec, &engine);
    out << names(spec, "-CTR-DRBG") << '\t' << spec.strength_bits << '\t' << mechanism.max_request
        << '\n';
  }
}

// "HIGHT, LEA and CHAM".
std::string listed(const std::vector<std::string>& names) {
  std::string text = names[0];
  for (std::size_t i = 1; i < names.size(); ++i) {
    text += (i + 1 == names.size() ? " and " : ", ") + names[i];
  }
  return text;
}

// A cipher's name up to the first hyphen: without key size and version.
std::string family_of(const CipherSpec& spec) {
  return std::string(spec.name).substr(0, std::string(spec.name).find('-'));
}

// The families of the ciphers for which `take` returns true. "no cipher" if there are none.
template <class Take>
std::string families(Take take) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < kCipherCount; ++i) {
    const CipherSpec& spec = cipher_spec(i);
    const std::string family = family_of(spec);
    if (take(spec) && (names.empty() || names.back() != family)) names.push_back(family);
  }
  return names.empty() ? "no cipher" : listed(names);
}

// The modes of a family that OpenSSL's default provider lacks: "GCM and CCM", "all modes" or "".
std::string own_modes_of(const std::string& family) {
  std::vector<std::string> own;
  bool all = true;
  for (const Mode* mode : kModes) {
    bool lacks = false;
    for (std::size_t i = 0; i < kCipherCount; ++i) {
      const CipherSpec& spec = cipher_spec(i);
      if (family_of(spec) != family || !mode->takes(spec)) continue;
      if (in_default_provider(spec, *mode)) {
        all = false;
      } else {
        lacks = true;
      }
    }
    if (lacks) own.emplace_back(mode->name);
  }
  if (own.empty()) return "";
  return all ? "all modes" : listed(own);
}

// "all modes of HIGHT and LEA, and GCM and CCM of CAMELLIA": what `algorithms = own` offers.
std::string own_modes() {
  std::vector<std::pair<std::string, std::vector<std::string>>> groups;
  for (std::size_t i = 0; i < kCipherCount; ++i) {
    const std::string family = family_of(cipher_spec(i));
    const std::string modes = cipher_spec(i).legacy ? "" : own_modes_of(family);
    if (modes.empty()) continue;
    auto group = groups.begin();
    while (group != groups.end() && group->first != modes) ++group;
    if (group == groups.end()) group = groups.insert(group, {modes, {}});
    if (group->second.empty() || group->second.back() != family) group->second.push_back(family);
  }
  std::string text;
  for (const auto& [modes, names] : groups) {
    text += (text.empty() ? "" : ", and ") + modes + " of " + listed(names);
  }
  return text.empty() ? "no mode of any cipher" : text;
}

// Replaces the placeholders for lists of families and modes in a line.
void fill_in_families(std::string* line) {
  const std::pair<const char*, std::string> lists[] = {
      {"@usual@", families([](const CipherSpec& spec) { return !spec.legacy; })},
      {"@shared@",
       families([](const CipherSpec& spec) { return !spec.legacy && spec.mode_name_count != 0; })},
      {"@without-oid@",
       families([](const CipherSpec& spec) { return !spec.legacy && spec.mode_name_count == 0; })},
      {"@own@", own_modes()}};
  for (const auto& [mark, text] : lists) {
    const std::size_t at = line->find(mark);
    if (at != std::string::npos) line->replace(at, std::strlen(mark), text);
  }
}

// Writes a file with escapes for troff. In troff a backslash, a hyphen, and a dot or quote at the
// start of a line have other meanings. False: the file does not exist.
bool write_file(const std::string& path, std::ostream& out) {
  std::ifstream file(path);
  if (!file) return false;
  for (std::string line; std::getline(file, line);) {
    if (!line.empty() && (line[0] == '.' || line[0] == '\'')) out << "\\&";
    for (const char c : line) {
      if (c == '\\') {
        out << "\\e";
      } else if (c == '-') {
        out << "\\-";
      } else {
        out << c;
      }
    }
    out << '\n';
  }
  return true;
}

bool write_manual(std::istream& in, const std::string& examples, std::ostream& out) {
  int tables = 0;
  for (std::string line; std::getline(in, line);) {
    if (line == "@ciphers@") {
      write_ciphers(out);
      ++tables;
    } else if (line == "@legacy@") {
      write_legacy_ciphers(out);
      ++tables;
    } else if (line == "@generators@") {
      write_generators(out);
      ++tables;
    } else if (line.rfind("@example ", 0) == 0 && line.back() == '@') {
      if (!write_file(examples + "/" + line.substr(9, line.size() - 10), out)) return false;
    } else {
      fill_in_families(&line);
      out << line << '\n';
    }
  }
  return tables == 3 && static_cast<bool>(out.flush());
}

}  // namespace
}  // namespace gpuctr

int main(int argc, char** argv) {
  if (argc == 2 && gpuctr::write_manual(std::cin, argv[1], std::cout)) return 0;
  std::cerr << "gpuctr_manual: standard input is not gpuctr.7.in, or a program that it shows is "
               "missing\n";
  return 1;
}
