#include "test/provider/stock/pair.h"

#include <algorithm>

namespace gpuctr::test {

Bytes RawBlock::operator()(const Bytes& key, const Bytes& block, bool encrypt) const {
  Bytes out(block.size());
  if (spec_ != nullptr) {
    RoundKeys keys;
    spec_->expand(key.data(), &keys);
    const CipherOps& ops = find_backend("scalar")->ops[spec_->index];
    (encrypt ? ops.encrypt : ops.decrypt)(keys, block.data(), out.data(), 1);
    return out;
  }
  const Evp<EVP_CIPHER_CTX> ctx(EVP_CIPHER_CTX_new());
  int n = 0;
  EXPECT_EQ(1, EVP_CipherInit_ex2(ctx.get(), stock_.get(), key.data(), nullptr, encrypt ? 1 : 0,
                                  nullptr));
  EVP_CIPHER_CTX_set_padding(ctx.get(), 0);
  EXPECT_EQ(
      1, EVP_CipherUpdate(ctx.get(), out.data(), &n, block.data(), static_cast<int>(block.size())));
  EXPECT_EQ(n, static_cast<int>(block.size()));
  return out;
}

Pair::Pair(Side stock_side, Side our_side, unsigned seed)
    : random(seed), stock(std::move(stock_side)), ours(std::move(our_side)) {
  block = static_cast<std::size_t>(EVP_CIPHER_get_block_size(ours.cipher.get()));
  if (block == 1) block = static_cast<std::size_t>(EVP_CIPHER_get_iv_length(ours.cipher.get()));
  for (Side* side : {&stock, &ours}) {
    const int key_bytes = EVP_CIPHER_get_key_length(side->cipher.get());
    for (std::size_t i = 0; i < kKeys; ++i) {
      side->keys.push_back(bytes(static_cast<std::size_t>(key_bytes)));
    }
    side->memory.resize(side->scale * kMemory);
  }
}

Bytes Pair::bytes(std::size_t n) {
  Bytes b(n);
  for (auto& byte : b) byte = static_cast<std::uint8_t>(random());
  return b;
}

std::size_t Pair::some_size() {
  if (chance(5)) return pick(1500);
  if (chance(20)) return pick(200);
  return pick(2 * block + 2);
}

void Pair::write_input(Side* side, std::size_t at, const Bytes& in) {
  // What lies around the input shows what a call should not have written.
  for (auto& byte : side->memory) byte = static_cast<std::uint8_t>(random());
  std::copy(in.begin(), in.end(),
            side->memory.begin() + static_cast<std::ptrdiff_t>(side->scale * at));
}

Answer Pair::call_one(Side* side, Update how, std::size_t n, Place place) {
  std::uint8_t* const out = side->memory.data() + side->scale * place.out;
  const std::uint8_t* const in = side->memory.data() + side->scale * place.in;
  const int size = static_cast<int>(side->scale * n);
  EVP_CIPHER_CTX* const ctx = side->ctx.get();
  int written = 0, status = 0;
  switch (how) {
    case Update::kEncrypt:
      status = EVP_EncryptUpdate(ctx, out, &written, in, size);
      break;
    case Update::kDecrypt:
      status = EVP_DecryptUpdate(ctx, out, &written, in, size);
      break;
    case Update::kCipher:
      status = EVP_CipherUpdate(ctx, out, &written, in, size);
      break;
    case Update::kOneShot:  // the number of bytes, or -1
      written = EVP_Cipher(ctx, out, in, static_cast<unsigned>(size));
      status = written < 0 ? 0 : 1;
      written = std::max(written, 0);
      break;
  }
  EXPECT_EQ(static_cast<std::size_t>(written) % side->scale, 0u);
  return {status, static_cast<std::size_t>(written) / side->scale};
}

Answer Pair::call(Update how, std::size_t n, Place place) {
  ERR_clear_error();
  const Answer theirs = call_one(&stock, how, n, place);
  const std::string expected = take_reasons();
  const Bytes before = ours.memory;
  const Answer answer = call_one(&ours, how, n, place);
  EXPECT_EQ(answer, theirs);
  EXPECT_EQ(take_reasons(), expected);
  for (std::size_t i = 0; i < before.size(); ++i) {
    if (i >= place.out && i < place.out + answer.bytes) continue;
    EXPECT_EQ(before[i], ours.memory[i]) << "written at " << i << ", output at " << place.out;
    if (before[i] != ours.memory[i]) break;
  }
  return theirs;
}

void Pair::refused(Update how, std::size_t n, Place place) {
  write_input(&ours, place.in, bytes(n));
  const Bytes before = ours.memory;
  ERR_clear_error();
  EXPECT_EQ(call_one(&ours, how, n, place), Answer{});
  const std::string errors = take_reasons();
  EXPECT_NE(errors, "none");
  EXPECT_EQ(errors.find(", "), std::string::npos) << errors;
  EXPECT_EQ(before, ours.memory);
}

void Pair::copy() {
  const bool copies_go_on = chance(50);
  for (Side* side : {&stock, &ours}) {
    Evp<EVP_CIPHER_CTX> other(EVP_CIPHER_CTX_new());
    EXPECT_EQ(1, EVP_CIPHER_CTX_copy(other.get(), side->ctx.get())) << last_error();
    if (copies_go_on) std::swap(other, side->ctx);
    Bytes in(3 * side->scale * block, 0x77), out(in.size() + 16);
    int n = 0;
    EVP_CipherUpdate(other.get(), out.data(), &n, in.data(), static_cast<int>(in.size()));
  }
  ERR_clear_error();
}

void Pair::final_of_nothing() {
  log("final");
  both([](Side& side) {
    int n = 7;
    const int status = EVP_CipherFinal_ex(side.ctx.get(), side.memory.data(), &n);
    EXPECT_EQ(n, 0);
    return status;
  });
}

}  // namespace gpuctr::test
