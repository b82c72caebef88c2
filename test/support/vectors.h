// Reads vector files in OpenSSL's evp_test format: "Name = value" lines, a stanza for each vector.
#ifndef GPUCTR_TEST_SUPPORT_VECTORS_H
#define GPUCTR_TEST_SUPPORT_VECTORS_H

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace gpuctr::test {

using Bytes = std::vector<std::uint8_t>;

struct Stanza {
  std::string file;
  int line = 0;  // of its first field
  std::map<std::string, std::string> fields;

  bool has(const std::string& name) const { return fields.count(name) != 0; }
  const std::string& text(
      const std::string& name) const;          // throws std::out_of_range, with the place
  Bytes bytes(const std::string& name) const;  // hexadecimal; throws std::invalid_argument
  std::string place() const { return file + ":" + std::to_string(line); }
};

// All stanzas of a file, named from the root of the sources or of what the build makes. Throws
// std::runtime_error for a missing, malformed or empty file, so that no vector test can pass
// without vectors.
std::vector<Stanza> read_vectors(const std::string& name);

Bytes from_hex(const std::string& hex);
std::string to_hex(const Bytes& bytes);

}  // namespace gpuctr::test

#endif
