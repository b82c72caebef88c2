// Looks for secrets in all memory of this process: heap, stacks (dead frames too), anonymous and
// private mappings. Kept out of what it looks for: patterns are stored masked.
#ifndef GPUCTR_TEST_TRUST_MEMORY_SCAN_H
#define GPUCTR_TEST_TRUST_MEMORY_SCAN_H

#include <cstddef>
#include <cstdint>
#include <string>

namespace gpuctr::trust {

// A set of 8-byte windows of secrets. Its memory is shared with children, so that a child can
// compute secrets that this process must never have held, and leave the patterns behind.
class Secrets {
 public:
  enum Kind : unsigned { kKey, kRoundKeys, kKeystream, kState, kPlaintext, kKinds };

  Secrets();
  ~Secrets();
  Secrets(const Secrets&) = delete;
  Secrets& operator=(const Secrets&) = delete;

  // The window at each `stride` bytes. Windows of fewer than four different bytes are left out:
  // memory is full of those.
  void add(Kind kind, const void* data, std::size_t bytes, std::size_t stride = 8);
  // Windows of 64 bytes, for data with few different bytes, such as masks of bits. At most 16.
  void add_long(Kind kind, const void* data, std::size_t bytes);
  std::size_t size() const;
  void clear();

  // Calls `compute` in a child of this process, which ends there.
  template <class Compute>
  void add_in_child(const Compute& compute) {
    if (const int child = begin_child(); child == 0) {
      compute(*this);
      end_child();
    } else {
      wait_child(child);
    }
  }

  struct Found {
    unsigned hits[kKinds] = {};
    std::string where;  // the first few
    unsigned total() const;
    unsigned of(Kind kind) const { return hits[kind]; }
  };
  // Scans all readable private memory. No other thread should be changing mappings meanwhile.
  Found find() const;

 private:
  struct Table;
  static int begin_child();
  [[noreturn]] static void end_child();
  static void wait_child(int child);
  void scan(const std::uint8_t* p, const std::uint8_t* end, const char* name, Found* found) const;

  Table* table_;
};

// n bytes that look random and are the same for the same seed. The caller wipes them.
void make_secret(std::uint64_t seed, void* out, std::size_t n);

const char* kind_name(Secrets::Kind kind);

}  // namespace gpuctr::trust

#endif
