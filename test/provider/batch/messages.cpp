#include "test/provider/batch/messages.h"

#include <openssl/core_names.h>

#include <algorithm>
#include <numeric>
#include <stdexcept>

#include "provider/core/gpuctr.h"

namespace gpuctr::test {
namespace {

void fill(Bytes* bytes, std::size_t n, std::mt19937* random) {
  bytes->resize(n);
  for (auto& b : *bytes) b = static_cast<std::uint8_t>((*random)());
}

void check(int status, const char* what) {
  if (status != 1) throw std::runtime_error(std::string(what) + ": " + last_error());
}

}  // namespace

Messages::Messages(const CipherSpec& cipher, const Shape& like, std::mt19937* random)
    : spec(cipher), shape(like) {
  const std::size_t n = shape.messages, block = spec.block_bytes;
  const auto below = [random](std::size_t most) { return (*random)() % (most + 1); };
  const auto length = [&] {
    std::size_t bytes = below(3) == 0 ? below(2 * block) : below(shape.longest);
    bytes = std::min(bytes, shape.longest);
    return static_cast<std::uint32_t>(shape.mode == "CBC" ? bytes / block * block : bytes);
  };
  fill(&own_key, spec.key_bytes, random);
  fill(&keys, spec.key_bytes * (shape.keys == KeySource::kTable ? shape.table : n), random);
  fill(&ivs, n * shape.iv_bytes, random);
  fill(&tags_, n * shape.tag_bytes, random);
  made_tags_.assign(tags_.size(), 0xa5);
  results.assign(n, 0xa5);
  const std::uint32_t same = length(),
                      same_aad = static_cast<std::uint32_t>(below(shape.longest_aad));
  std::uint64_t end = 0, aad_end = 0;
  std::vector<std::size_t> order(n);
  std::iota(order.begin(), order.end(), 0);
  if (shape.offsets) std::shuffle(order.begin(), order.end(), *random);
  place_.resize(n);
  for (std::size_t i = 0; i < n; ++i) {
    lengths.push_back(shape.one_length ? same : length());
    index.push_back(static_cast<std::uint32_t>(below(shape.table - 1)));
    aad_lengths.push_back(!shape.aead() ? 0
                          : shape.one_aad_length
                              ? same_aad
                              : static_cast<std::uint32_t>(below(shape.longest_aad)));
    aad_place_.push_back(aad_end);
    aad_end += aad_lengths.back();
    // A counter near its wrap.
    if (shape.mode == "CTR" && below(2) == 0) {
      const std::size_t bytes = std::min(shape.iv_bytes, below(1) == 0 ? 4 : shape.iv_bytes);
      std::fill_n(ivs.begin() + static_cast<std::ptrdiff_t>((i + 1) * shape.iv_bytes - bytes),
                  bytes, 0xff);
    }
  }
  for (const std::size_t i : order) {
    if (shape.offsets) end += below(20);
    place_[i] = end;
    end += lengths[i];
  }
  if (shape.offsets) offsets = place_;
  fill(&plain_, end, random);
  fill(&aad, aad_end, random);
  sealed_ = plain_;
}

const std::uint8_t* Messages::key_of(std::size_t i) const {
  if (shape.keys == KeySource::kOwn) return own_key.data();
  const std::size_t key = shape.keys == KeySource::kTable ? index[i] : i;
  return keys.data() + key * spec.key_bytes;
}

void Messages::encrypt_one_by_one(const EVP_CIPHER* cipher) {
  for (std::size_t i = 0; i < shape.messages; ++i) {
    const auto iv = ivs.begin() + static_cast<std::ptrdiff_t>(i * shape.iv_bytes);
    const auto header = aad.begin() + static_cast<std::ptrdiff_t>(aad_place_[i]);
    const Bytes made =
        one_message(cipher, shape.mode, true, key_of(i), spec.key_bytes,
                    Bytes(iv, iv + static_cast<std::ptrdiff_t>(shape.iv_bytes)),
                    Bytes(header, header + aad_lengths[i]), plain_of(i),
                    tags_.data() + i * shape.tag_bytes, shape.tag_bytes, shape.counter_bits);
    std::copy(made.begin(), made.end(), sealed_.begin() + static_cast<std::ptrdiff_t>(place_[i]));
  }
}

int Messages::set(EVP_CIPHER_CTX* ctx, const EVP_CIPHER* cipher, bool encrypt) {
  if (EVP_CipherInit_ex2(ctx, cipher, nullptr, nullptr, encrypt ? 1 : 0, nullptr) != 1) return 0;
  const bool aead = shape.aead();
  if (aead) {
    check(EVP_CIPHER_CTX_ctrl(ctx, EVP_CTRL_AEAD_SET_IVLEN, static_cast<int>(shape.iv_bytes),
                              nullptr),
          "IV length");
    if (shape.mode == "CCM" || (!encrypt && shape.tag_bytes != 16)) {
      std::uint8_t none[16] = {};
      check(EVP_CIPHER_CTX_ctrl(ctx, EVP_CTRL_AEAD_SET_TAG, static_cast<int>(shape.tag_bytes),
                                shape.mode == "CCM" ? nullptr : none),
            "tag length");
    }
  }
  PointerParams params;
  params.number(GPUCTR_PARAM_BATCH_MESSAGES, shape.messages);
  if (shape.keys == KeySource::kOwn) {
    check(EVP_CipherInit_ex2(ctx, nullptr, own_key.data(), nullptr, -1, nullptr), "key");
  } else {
    params.add(GPUCTR_PARAM_BATCH_KEYS, keys.data(), keys.size());
  }
  if (shape.keys == KeySource::kTable) {
    params.add(GPUCTR_PARAM_BATCH_KEY_INDEX, index.data(), 4 * index.size());
  }
  params.add(GPUCTR_PARAM_BATCH_IVS, ivs.data(), ivs.size());
  if (!shape.one_length || shape.offsets)
    params.add(GPUCTR_PARAM_BATCH_LENGTHS, lengths.data(), 4 * lengths.size());
  if (shape.offsets) params.add(GPUCTR_PARAM_BATCH_OFFSETS, offsets.data(), 8 * offsets.size());
  params.add(GPUCTR_PARAM_BATCH_RESULTS, results.data(), results.size());
  if (shape.counter_bits != 0) params.number("ctr-bits", shape.counter_bits);
  if (aead) {
    params.add(GPUCTR_PARAM_BATCH_AAD, aad.data(), aad.size());
    if (!shape.one_aad_length) {
      params.add(GPUCTR_PARAM_BATCH_AAD_LENGTHS, aad_lengths.data(), 4 * aad_lengths.size());
    } else if (shape.messages % 2 == 0) {  // else the length follows from the size
      params.add(GPUCTR_PARAM_BATCH_AAD_LENGTHS, aad_lengths.data(), 4);
    }
    Bytes& tags = encrypt ? made_tags_ : tags_;
    params.add(GPUCTR_PARAM_BATCH_TAGS, tags.data(), tags.size());
  }
  return params.set(ctx);
}

int Messages::update(EVP_CIPHER_CTX* ctx, bool encrypt) {
  const Bytes& from = encrypt ? plain_ : sealed_;
  out_.assign(from.size(), 0xa5);
  if (shape.in_place) out_ = from;
  std::uint8_t none;
  std::uint8_t* const out = out_.empty() ? &none : out_.data();
  return EVP_CipherUpdate(ctx, out, &written, shape.in_place || from.empty() ? out : from.data(),
                          static_cast<int>(from.size()));
}

bool Messages::gaps_are_clean() const {
  Bytes rest = out_, before = shape.in_place ? plain_ : Bytes(out_.size(), 0xa5);
  for (std::size_t i = 0; i < shape.messages; ++i) {
    const auto at = static_cast<std::ptrdiff_t>(place_[i]);
    std::fill_n(rest.begin() + at, lengths[i], 0);
    std::fill_n(before.begin() + at, lengths[i], 0);
  }
  return rest == before;
}

Bytes one_message(const EVP_CIPHER* cipher, const std::string& mode, bool encrypt,
                  const std::uint8_t* key, std::size_t key_bytes, const Bytes& iv, const Bytes& aad,
                  const Bytes& text, std::uint8_t* tag, std::size_t tag_bytes,
                  unsigned counter_bits) {
  const Evp<EVP_CIPHER_CTX> ctx(EVP_CIPHER_CTX_new());
  const bool ccm = mode == "CCM", aead = ccm || mode == "GCM";
  static_cast<void>(key_bytes);
  check(EVP_CipherInit_ex2(ctx.get(), cipher, nullptr, nullptr, encrypt ? 1 : 0, nullptr),
        "cipher");
  if (aead) {
    check(EVP_CIPHER_CTX_ctrl(ctx.get(), EVP_CTRL_AEAD_SET_IVLEN, static_cast<int>(iv.size()),
                              nullptr),
          "IV length");
    if (ccm || !encrypt) {
      check(EVP_CIPHER_CTX_ctrl(ctx.get(), EVP_CTRL_AEAD_SET_TAG, static_cast<int>(tag_bytes),
                                encrypt ? nullptr : tag),
            "tag");
    }
  }
  if (counter_bits != 0)
    check(PointerParams().number("ctr-bits", counter_bits).set(ctx.get()), "ctr-bits");
  check(EVP_CipherInit_ex2(ctx.get(), nullptr, key, iv.data(), -1, nullptr), "key");
  if (mode == "CBC") EVP_CIPHER_CTX_set_padding(ctx.get(), 0);
  int n = 0;
  if (ccm)
    check(EVP_CipherUpdate(ctx.get(), nullptr, &n, nullptr, static_cast<int>(text.size())),
          "length");
  if (!aad.empty())
    check(EVP_CipherUpdate(ctx.get(), nullptr, &n, aad.data(), static_cast<int>(aad.size())),
          "aad");
  Bytes out(text.size() + 64);
  check(EVP_CipherUpdate(ctx.get(), out.data(), &n, text.empty() ? out.data() : text.data(),
                         static_cast<int>(text.size())),
        "text");
  int more = 0;
  if (!ccm) check(EVP_CipherFinal_ex(ctx.get(), out.data() + n, &more), "final");
  out.resize(text.size());
  if (aead && encrypt)
    check(EVP_CIPHER_CTX_ctrl(ctx.get(), EVP_CTRL_AEAD_GET_TAG, static_cast<int>(tag_bytes), tag),
          "tag");
  return out;
}

}  // namespace gpuctr::test
