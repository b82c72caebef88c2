#include "test/support/vectors.h"

#include <cctype>
#include <fstream>
#include <stdexcept>

namespace gpuctr::test {
namespace {

std::string trim(const std::string& s) {
  const auto first = s.find_first_not_of(" \t\r");
  if (first == std::string::npos) return {};
  return s.substr(first, s.find_last_not_of(" \t\r") - first + 1);
}

unsigned nibble(char c) {
  if (c >= '0' && c <= '9') return static_cast<unsigned>(c - '0');
  const int lower = std::tolower(static_cast<unsigned char>(c));
  if (lower >= 'a' && lower <= 'f') return static_cast<unsigned>(lower - 'a' + 10);
  throw std::invalid_argument(std::string("not a hexadecimal digit: ") + c);
}

}  // namespace

const std::string& Stanza::text(const std::string& name) const {
  const auto found = fields.find(name);
  if (found == fields.end()) throw std::out_of_range(place() + ": no field " + name);
  return found->second;
}

Bytes Stanza::bytes(const std::string& name) const { return from_hex(text(name)); }

Bytes from_hex(const std::string& hex) {
  if (hex.size() % 2 != 0) throw std::invalid_argument("odd number of hexadecimal digits: " + hex);
  Bytes out;
  for (std::size_t i = 0; i < hex.size(); i += 2) {
    out.push_back(static_cast<std::uint8_t>(nibble(hex[i]) << 4 | nibble(hex[i + 1])));
  }
  return out;
}

std::string to_hex(const Bytes& bytes) {
  static const char digits[] = "0123456789abcdef";
  std::string out;
  for (const std::uint8_t b : bytes) {
    out += digits[b >> 4];
    out += digits[b & 15];
  }
  return out;
}

std::vector<Stanza> read_vectors(const std::string& name) {
  // Of the sources, or made by the build.
  std::string path = std::string(GPUCTR_SOURCES) + "/" + name;
  std::ifstream in(path);
  if (!in) in.open(path = std::string(GPUCTR_GENERATED) + "/" + name);
  if (!in) throw std::runtime_error("cannot open " + path);
  std::vector<Stanza> all;
  // The generators' known answers, which the build takes (kernels/cipher/known_answers.h), are not
  // messages.
  const auto add = [&all](const Stanza& read) {
    if (!read.fields.empty() && !read.has("Generator")) all.push_back(read);
  };
  Stanza stanza{name, 0, {}};
  std::string line;
  for (int number = 1; std::getline(in, line); ++number) {
    line = trim(line);
    if (line.empty()) {
      add(stanza);
      stanza = Stanza{name, 0, {}};
      continue;
    }
    if (line[0] == '#') continue;
    const auto equals = line.find('=');
    if (equals == std::string::npos) {
      throw std::runtime_error(path + ":" + std::to_string(number) + ": no '=' in the line");
    }
    if (stanza.fields.empty()) stanza.line = number;
    stanza.fields[trim(line.substr(0, equals))] = trim(line.substr(equals + 1));
  }
  add(stanza);
  if (all.empty()) throw std::runtime_error(path + ": no vectors");
  return all;
}

}  // namespace gpuctr::test
