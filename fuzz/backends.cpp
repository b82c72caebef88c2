// Every backend this CPU has against scalar: CTR of any length, offset and counter, the step and
// the chain of CTR_DRBG, ECB, CBC and CCM's text both ways.
#include <algorithm>
#include <cstring>

#include "fuzz/input.h"
#include "kernels/bulk/base/xts.h"
#include "kernels/cpu/backend.h"
#include "kernels/cpu/xex.h"

namespace gpuctr::fuzz {
namespace {

constexpr std::size_t kMost = 20000;  // several times what any backend takes at once
constexpr std::size_t kGuard = 64;

// A buffer at a chosen misalignment whose surroundings must stay as they were.
class Guarded {
 public:
  Guarded(std::size_t offset, const Bytes& content)
      : offset_(kGuard + offset), size_(content.size()), memory_(offset_ + size_ + kGuard, 0x5a) {
    std::copy(content.begin(), content.end(), data());
  }
  std::uint8_t* data() { return memory_.data() + offset_; }
  void check(const Bytes& expected) {
    require(std::equal(expected.begin(), expected.end(), data()),
            "the backend's bytes are scalar's");
    for (std::size_t i = 0; i < offset_; ++i) require(memory_[i] == 0x5a, "nothing written before");
    for (std::size_t i = offset_ + size_; i < memory_.size(); ++i) {
      require(memory_[i] == 0x5a, "nothing written after");
    }
  }

 private:
  std::size_t offset_;
  std::size_t size_;
  Bytes memory_;
};

struct Case {
  const CipherSpec& cipher;
  RoundKeys keys;
  Bytes counter;
  Bytes data;
  std::size_t offset;
  bool in_place;
  bool keystream_only;
};

void ctr(const Case& c, const Bytes& expected, const CipherOps& ops) {
  Guarded out(c.offset, c.in_place && !c.keystream_only ? c.data : Bytes(c.data.size(), 0xee));
  const std::uint8_t* in = c.data.data();
  if (c.in_place) in = out.data();
  if (c.keystream_only) in = nullptr;
  ops.ctr(c.keys, c.counter.data(), in, out.data(), c.data.size());
  out.check(expected);
}

// The output, and the whole blocks that follow it. Without input it is CTR's keystream gone on
// with.
void step(const Case& c, const CipherOps& scalar, const CipherOps& ops) {
  const std::size_t block = c.cipher.block_bytes, n = c.data.size();
  const std::size_t whole = (n + block - 1) / block * block;
  const std::size_t seed = (c.cipher.key_bytes + block - 1) / block * block + block;
  Bytes expected(whole + seed);
  scalar.ctr(c.keys, c.counter.data(), nullptr, expected.data(), expected.size());
  Guarded out(c.offset, Bytes(n)), next(0, Bytes(seed));
  ops.step(c.keys, c.counter.data(), out.data(), n, next.data());
  next.check(Bytes(expected.begin() + static_cast<std::ptrdiff_t>(whole), expected.end()));
  expected.resize(n);
  out.check(expected);
}

// A few requests of CTR_DRBG from the counter on: their states, and, where the backend makes
// requests of a KiB itself, their output. The data decide the key.
void chain(const Case& c, const CipherOps& scalar, const CipherOps& ops) {
  constexpr std::size_t kBytes = 1024;
  const std::size_t count = c.data.size() % 5 + 1;
  const std::uint64_t blocks = kBytes / c.cipher.block_bytes;
  Bytes key(c.cipher.key_bytes);
  std::copy_n(c.data.begin(), std::min(key.size(), c.data.size()), key.begin());
  const auto run = [&](const CipherOps& backend, Bytes* end, ChainLink* links) {
    Bytes v = c.counter;
    *end = key;
    backend.chain(end->data(), v.data(), blocks, links, count);
    end->insert(end->end(), v.begin(), v.end());
  };
  ChainLink expected[5] = {}, got[5] = {};
  Bytes expected_end, end;
  run(scalar, &expected_end, expected);
  run(ops, &end, got);
  require(end == expected_end, "the same state at the end");
  require(std::memcmp(expected, got, sizeof got) == 0, "the same states on the way");
  if (ops.requests == nullptr) return;
  Bytes output(count * kBytes), v = c.counter;
  for (std::size_t i = 0; i < count; ++i) {
    RoundKeys keys;
    c.cipher.expand(expected[i].key, &keys);
    scalar.ctr(keys, expected[i].counter, nullptr, output.data() + i * kBytes, kBytes);
  }
  Guarded out(c.offset, Bytes(output.size()));
  require(ops.requests(key.data(), v.data(), out.data(), kBytes, count), "requests of a KiB");
  out.check(output);
  key.insert(key.end(), v.begin(), v.end());
  require(key == expected_end, "requests end where the chain does");
}

void ecb(const Case& c, const CipherOps& scalar, const CipherOps& ops) {
  const std::size_t blocks = c.data.size() / c.cipher.block_bytes;
  const Bytes plain(c.data.begin(),
                    c.data.begin() + static_cast<std::ptrdiff_t>(blocks * c.cipher.block_bytes));
  Bytes expected(plain.size());
  scalar.encrypt(c.keys, plain.data(), expected.data(), blocks);
  Guarded out(c.offset, plain);
  ops.encrypt(c.keys, c.in_place ? out.data() : plain.data(), out.data(), blocks);
  out.check(expected);
  ops.decrypt(c.keys, out.data(), out.data(), blocks);
  out.check(plain);
  scalar.decrypt(c.keys, expected.data(), expected.data(), blocks);
  require(expected == plain, "scalar decrypts what it encrypted");
}

// The operations that a backend may have beside ECB: from the counter on, as chain or MAC as well.
void chained(const Case& c, const CipherOps& scalar, const CipherOps& ops) {
  const std::size_t block = c.cipher.block_bytes, blocks = c.data.size() / block;
  const Bytes plain(c.data.begin(), c.data.begin() + static_cast<std::ptrdiff_t>(blocks * block));
  Bytes cbc = plain, last = c.counter, mac = c.counter, ctr(plain.size());
  for (std::size_t at = 0; at < plain.size(); at += block) {
    scalar.encrypt(c.keys, mac.data(), mac.data(), 1);
    for (std::size_t i = 0; i < block; ++i) last[i] ^= plain[at + i];
    for (std::size_t i = 0; i < block; ++i) mac[i] ^= plain[at + i];
    scalar.encrypt(c.keys, last.data(), last.data(), 1);
    std::copy(last.begin(), last.end(), cbc.begin() + static_cast<std::ptrdiff_t>(at));
  }
  scalar.ctr(c.keys, c.counter.data(), plain.data(), ctr.data(), plain.size());
  Bytes cfb = plain, ofb = plain, sealed = c.counter, keystream = c.counter;
  for (std::size_t at = 0; at < plain.size(); at += block) {
    scalar.encrypt(c.keys, sealed.data(), sealed.data(), 1);
    scalar.encrypt(c.keys, keystream.data(), keystream.data(), 1);
    for (std::size_t i = 0; i < block; ++i) {
      sealed[i] = cfb[at + i] ^= sealed[i];
      ofb[at + i] ^= keystream[i];
    }
  }
  const auto check = [&](const auto& operation, const Bytes& given, const Bytes& expected,
                         const Bytes& end) {
    Bytes running = c.counter;
    Guarded out(c.offset, given);
    operation(running.data(), c.in_place ? out.data() : given.data(), out.data());
    out.check(expected);
    require(running == end, "the same block to go on from");
  };
  const auto go = [&](auto ops_verb) {
    return [&c, ops_verb, blocks](std::uint8_t* chain, const std::uint8_t* in, std::uint8_t* out) {
      ops_verb(c.keys, chain, in, out, blocks);
    };
  };
  if (ops.cbc_encrypt != nullptr) check(go(ops.cbc_encrypt), plain, cbc, last);
  const auto decryption = [&](auto* decrypt) {
    return [&, decrypt](std::uint8_t* chain, const std::uint8_t* in, std::uint8_t* out) {
      decrypt(ops, block, c.keys, chain, in, out, blocks);
    };
  };
  check(decryption(decrypt_cbc), cbc, plain, last);
  if (ops.cfb_encrypt != nullptr) check(go(ops.cfb_encrypt), plain, cfb, sealed);
  check(decryption(decrypt_cfb), cfb, plain, sealed);
  if (ops.ofb != nullptr) check(go(ops.ofb), plain, ofb, keystream);
  if (ops.ccm == nullptr) return;
  for (const bool encrypts : {true, false}) {
    check(
        [&](std::uint8_t* chain, const std::uint8_t* in, std::uint8_t* out) {
          ops.ccm(c.keys, encrypts, c.counter.data(), chain, in, out, blocks);
        },
        encrypts ? plain : ctr, encrypts ? ctr : plain, mac);
  }
}

// A data unit of XTS whose first mask is the counter block, with ciphertext stealing where the
// length wants it.
void xts(const Case& c, const Backend& scalar, const Backend& backend) {
  const std::size_t n = c.data.size();
  if (c.cipher.block_bytes != kXtsBlock || n < kXtsBlock) return;
  const auto unit = [&](const Backend& on, bool encrypts, const std::uint8_t* in,
                        std::uint8_t* out) {
    bulk::xts_unit({on.ops[c.cipher.index], on.xts_masks, c.keys, encrypts, in, out, n},
                   c.counter.data());
  };
  Bytes expected(n);
  unit(scalar, true, c.data.data(), expected.data());
  Guarded out(c.offset, c.data);
  unit(backend, true, c.in_place ? out.data() : c.data.data(), out.data());
  out.check(expected);
  unit(backend, false, out.data(), out.data());
  out.check(c.data);
}

}  // namespace
}  // namespace gpuctr::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace gpuctr;
  fuzz::Input in(data, size);
  const CipherSpec& cipher = in.any_cipher();
  fuzz::Case c{cipher, {}, in.counter(cipher.block_bytes), {}, in.upto(63), in.flag(), in.flag()};
  const std::size_t n = in.length(16 * cipher.block_bytes, fuzz::kMost);
  cipher.expand(in.bytes(cipher.key_bytes).data(), &c.keys);
  c.data = in.filler(n);

  const Backend& reference = *find_backend("scalar");
  const CipherOps& scalar = reference.ops[cipher.index];
  fuzz::Bytes expected(n);
  scalar.ctr(c.keys, c.counter.data(), c.keystream_only ? nullptr : c.data.data(), expected.data(),
             n);
  const BackendList backends = cpu_backends();
  for (std::size_t m = 0; m < backends.count; ++m) {
    if (!backends.first[m]->available()) continue;
    fuzz::ctr(c, expected, backends.first[m]->ops[cipher.index]);
    fuzz::xts(c, reference, *backends.first[m]);
    if (scalar.step != nullptr) fuzz::step(c, scalar, backends.first[m]->ops[cipher.index]);
    if (scalar.step != nullptr) fuzz::chain(c, scalar, backends.first[m]->ops[cipher.index]);
    fuzz::ecb(c, scalar, backends.first[m]->ops[cipher.index]);
    fuzz::chained(c, scalar, backends.first[m]->ops[cipher.index]);
  }
  return 0;
}
