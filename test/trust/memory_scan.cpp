#include "test/trust/memory_scan.h"

#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace gpuctr::trust {
namespace {

// No window is stored as it is in memory.
constexpr std::uint64_t kMask = 0x9d3c5b1fe8a27746u;
constexpr std::size_t kSlots = std::size_t{1} << 19;
constexpr std::size_t kFilterBits = std::size_t{1} << 23;

std::uint64_t load(const std::uint8_t* p) {
  std::uint64_t v;
  std::memcpy(&v, p, sizeof v);
  return v;
}

std::uint64_t hash(std::uint64_t masked) { return masked * 0x9e3779b97f4a7c15u; }

bool plain(const std::uint8_t* p) {
  unsigned different = 0;
  for (unsigned i = 0; i < 8; ++i) {
    bool first = true;
    for (unsigned j = 0; j < i; ++j) first = first && p[j] != p[i];
    different += first ? 1 : 0;
  }
  return different < 4;
}

constexpr std::size_t kZeros = 256;
bool all_zero(const std::uint8_t* p) {
  std::uint64_t any = 0;
  for (std::size_t i = 0; i < kZeros; i += 8) any |= load(p + i);
  return any == 0;
}

[[noreturn]] void fail(const char* what) {
  std::perror(what);
  std::exit(2);
}

}  // namespace

// In shared memory: masked windows in an open hash table, with a filter in front of it that says
// no to nearly every byte of memory.
struct Secrets::Table {
  std::size_t count;
  std::uint8_t kind[kSlots];  // 1 + Kind; 0: free
  std::uint64_t window[kSlots];
  std::uint64_t filter[kFilterBits / 64];
  struct {
    Kind kind;
    std::uint64_t masked[8];
  } longs[16];
  unsigned long_count;

  static std::size_t bit(std::uint64_t masked) { return hash(masked) >> 41; }

  void insert(std::uint64_t masked, Kind k) {
    if (count * 2 > kSlots) fail("too many windows");
    std::size_t i = hash(masked) % kSlots;
    while (kind[i] != 0 && window[i] != masked) i = (i + 1) % kSlots;
    if (kind[i] != 0) return;
    kind[i] = static_cast<std::uint8_t>(k + 1);
    window[i] = masked;
    filter[bit(masked) / 64] |= std::uint64_t{1} << bit(masked) % 64;
    ++count;
  }
  int find_long(const std::uint8_t* p) const {  // -1: none
    for (unsigned i = 0; i < long_count; ++i) {
      bool same = true;
      for (unsigned j = 0; j < 8 && same; ++j)
        same = (load(p + 8 * j) ^ kMask) == longs[i].masked[j];
      if (same) return longs[i].kind;
    }
    return -1;
  }
  int find(std::uint64_t masked) const {  // -1: none
    if ((filter[bit(masked) / 64] >> bit(masked) % 64 & 1) == 0) return -1;
    std::size_t i = hash(masked) % kSlots;
    while (kind[i] != 0 && window[i] != masked) i = (i + 1) % kSlots;
    return kind[i] - 1;
  }
};

Secrets::Secrets() {
  void* const memory = mmap(nullptr, sizeof(Table), PROT_READ | PROT_WRITE,
                            MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) fail("mmap");
  table_ = static_cast<Table*>(memory);
}

Secrets::~Secrets() { munmap(table_, sizeof(Table)); }

std::size_t Secrets::size() const { return table_->count; }

void Secrets::clear() { std::memset(table_, 0, sizeof(Table)); }

void Secrets::add(Kind kind, const void* data, std::size_t bytes, std::size_t stride) {
  const auto* const p = static_cast<const std::uint8_t*>(data);
  for (std::size_t i = 0; i + 8 <= bytes; i += stride) {
    if (!plain(p + i)) table_->insert(load(p + i) ^ kMask, kind);
  }
}

void Secrets::add_long(Kind kind, const void* data, std::size_t bytes) {
  const auto* const p = static_cast<const std::uint8_t*>(data);
  for (std::size_t i = 0; i + 64 <= bytes; i += 64) {
    if (table_->long_count == 16) fail("too many long windows");
    auto& to = table_->longs[table_->long_count++];
    to.kind = kind;
    for (unsigned j = 0; j < 8; ++j) to.masked[j] = load(p + i + 8 * j) ^ kMask;
  }
}

int Secrets::begin_child() {
  std::fflush(nullptr);
  const int child = fork();
  if (child < 0) fail("fork");
  return child;
}

void Secrets::end_child() { _exit(0); }

void Secrets::wait_child(int child) {
  int status = 0;
  if (waitpid(child, &status, 0) != child || status != 0) fail("the child that computes secrets");
}

void Secrets::scan(const std::uint8_t* p, const std::uint8_t* end, const char* name,
                   Found* found) const {
  const std::uint8_t* const begin = p;
  for (; p + 8 <= end; ++p) {
    const std::uint64_t window = load(p);
    // Most of a process's memory. No window is all zeros (plain()).
    if (window == 0 && p + kZeros <= end && all_zero(p)) {
      p += kZeros - 8;
      continue;
    }
    int kind = table_->find(window ^ kMask);
    if (kind < 0 && p + 64 <= end) kind = table_->find_long(p);
    if (kind < 0) continue;
    ++found->hits[kind];
    if (found->total() > 8) continue;
    char line[200];
    std::snprintf(line, sizeof line, "    %s at %s + 0x%zx\n", kind_name(static_cast<Kind>(kind)),
                  *name != '\0' ? name : "anonymous memory", static_cast<std::size_t>(p - begin));
    found->where += line;
  }
}

Secrets::Found Secrets::find() const {
  Found found;
  std::FILE* const maps = std::fopen("/proc/self/smaps", "re");
  if (maps == nullptr) fail("/proc/self/smaps");
  char line[600];
  std::uintptr_t first = 0;
  std::uintptr_t last = 0;
  char access[5] = "";
  char name[400] = "";
  unsigned long written = 0;  // KiB
  while (std::fgets(line, sizeof line, maps) != nullptr) {
    std::uintptr_t from = 0;
    std::uintptr_t to = 0;
    if (std::sscanf(line, "%" SCNxPTR "-%" SCNxPTR " %4s", &from, &to, access) == 3) {
      first = from;
      last = to;
      name[0] = '\0';
      std::sscanf(line, "%*s %*s %*s %*s %*s %399[^\n]", name);
      written = 0;
    } else if (unsigned long kib = 0; std::sscanf(line, "Anonymous: %lu", &kib) == 1 ||
                                      std::sscanf(line, "Swap: %lu", &kib) == 1) {
      written += kib;
    } else if (std::strncmp(line, "VmFlags:", 8) == 0 && written != 0) {  // a mapping's last line
      // Pages that nobody wrote are the file's, and hold no secret. Shared memory holds our own
      // table and nothing of the module; the kernel's pages are not ours.
      if (access[0] != 'r' || access[3] != 'p' || std::strncmp(name, "[v", 2) == 0) continue;
      scan(reinterpret_cast<const std::uint8_t*>(first),
           reinterpret_cast<const std::uint8_t*>(last), name, &found);
    }
  }
  std::fclose(maps);
  return found;
}

unsigned Secrets::Found::total() const {
  unsigned n = 0;
  for (const unsigned h : hits) n += h;
  return n;
}

namespace {

std::uint64_t mixed(std::uint64_t z) {  // splitmix64's output function
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
  z = (z ^ z >> 27) * 0x94d049bb133111ebu;
  return z ^ z >> 31;
}

}  // namespace

// The seed is mixed first: no stream of one seed holds a piece of another's, such as an IV of which
// nothing need be wiped.
void make_secret(std::uint64_t seed, void* out, std::size_t n) {
  auto* p = static_cast<std::uint8_t*>(out);
  const std::uint64_t start = mixed(seed + 1);
  for (std::size_t i = 0; i < n; ++i) {
    p[i] = static_cast<std::uint8_t>(mixed(start + (i + 1) * 0x9e3779b97f4a7c15u) >> 56);
  }
}

const char* kind_name(Secrets::Kind kind) {
  static const char* const names[] = {"key", "round keys", "keystream", "generator state",
                                      "plaintext"};
  return names[kind];
}

}  // namespace gpuctr::trust
