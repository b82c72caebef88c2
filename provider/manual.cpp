// The manual page with its tables of the ciphers and generators of this build: copies gpuctr.7.in
// from standard input to standard output, and writes the rows in place of the lines that ask for
// them. A program of the build, which is not installed.
#include <iostream>
#include <string>

#include "drbg/kernel_cipher.h"
#include "drbg/mechanism.h"

namespace gpuctr {
namespace {

// In troff a hyphen is not a minus sign, which is what a shell takes.
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

void write_ciphers(std::ostream& out) {
  for (std::size_t i = 0; i < kCipherCount; ++i) {
    const CipherSpec& spec = cipher_spec(i);
    out << names(spec, "-CTR") << '\t';
    if (spec.least_key_bytes != spec.most_key_bytes) out << 8 * spec.least_key_bytes << " to ";
    out << 8 * spec.most_key_bytes << '\t' << 8 * spec.block_bytes << '\t' << spec.rounds << '\n';
  }
}

void write_generators(std::ostream& out) {
  Engine engine(EngineConfig{});
  for (std::size_t i = 0; i < kCipherCount; ++i) {
    const CipherSpec& spec = cipher_spec(i);
    if (spec.generator_answer == nullptr) continue;
    const drbg::KernelCipher cipher(spec, &engine);
    const drbg::Mechanism mechanism(cipher);
    out << names(spec, "-CTR-DRBG") << '\t' << spec.strength_bits << '\t' << mechanism.max_request
        << '\n';
  }
}

bool write_manual(std::istream& in, std::ostream& out) {
  int tables = 0;
  for (std::string line; std::getline(in, line);) {
    if (line == "@ciphers@") {
      write_ciphers(out);
      ++tables;
    } else if (line == "@generators@") {
      write_generators(out);
      ++tables;
    } else {
      out << line << '\n';
    }
  }
  return tables == 2 && static_cast<bool>(out.flush());
}

}  // namespace
}  // namespace gpuctr

int main() {
  if (gpuctr::write_manual(std::cin, std::cout)) return 0;
  std::cerr << "gpuctr_manual: standard input is not gpuctr.7.in\n";
  return 1;
}
