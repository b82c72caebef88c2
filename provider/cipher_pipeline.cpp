#include "provider/cipher_pipeline.h"

#include <cstring>
#include <new>

#include "kernels/wipe.h"
#include "provider/errors.h"

namespace gpuctr {
namespace {

bool overlap(const std::uint8_t* a, std::size_t a_bytes, const std::uint8_t* b,
             std::size_t b_bytes) {
  const auto x = reinterpret_cast<std::uintptr_t>(a);
  const auto y = reinterpret_cast<std::uintptr_t>(b);
  return x < y + b_bytes && y < x + a_bytes;
}

}  // namespace

bool Pipeline::init(const std::uint8_t* key, std::size_t key_bytes, std::size_t pipes,
                    const std::uint8_t* const* ivs, std::size_t iv_bytes) {
  if (pipes == 0 || pipes > kMaxPipes) {
    raise(base_.provider(), Reason::kBadParameter, "%zu pipes, %s-CTR takes 1 to %zu", pipes,
          base_.spec().name, kMaxPipes);
    return false;
  }
  count_ = 0;  // a failed init leaves no pipes, least of all one at the start of an IV used before
  for (std::size_t i = 0; i < pipes; ++i) {
    // The first pipe's key schedule serves the others.
    const CipherContext& from = i == 0 ? base_ : *pipes_[0];
    pipes_[i].reset(new (std::nothrow) CipherContext(from));
    if (pipes_[i] == nullptr) {
      raise(base_.provider(), Reason::kNoMemory, "pipe %zu of %s-CTR", i, base_.spec().name);
      return false;
    }
    const std::uint8_t* iv = ivs == nullptr ? nullptr : ivs[i];
    if (!pipes_[i]->init(true, i == 0 ? key : nullptr, key_bytes, iv, iv_bytes)) return false;
  }
  for (std::size_t i = pipes; i < kMaxPipes; ++i) pipes_[i].reset();
  count_ = pipes;
  return true;
}

bool Pipeline::check_count(std::size_t pipes) const {
  if (pipes == count_) return true;
  raise(base_.provider(), Reason::kBadParameter, "%zu pipes, the init had %zu", pipes, count_);
  return false;
}

// Pipes are made in any order, so no pipe may write what another one reads or writes.
bool Pipeline::check_apart(std::uint8_t* const* out, const std::uint8_t* const* in,
                           const std::size_t* n) const {
  for (std::size_t i = 0; i < count_; ++i) {
    for (std::size_t j = 0; j < count_; ++j) {
      if (i == j || n[i] == 0 || n[j] == 0) continue;
      if (overlap(out[i], n[i], in[j], n[j]) || overlap(out[i], n[i], out[j], n[j])) {
        raise(base_.provider(), Reason::kOverlap, "output of pipe %zu and data of pipe %zu", i, j);
        return false;
      }
    }
  }
  return true;
}

bool Pipeline::on_card(std::uint8_t* const* out, const std::uint8_t* const* in) {
  for (std::size_t i = 0; i < count_; ++i) {
    if (pipes_[i]->stream_.is_device(out[i]) || pipes_[i]->stream_.is_device(in[i])) return true;
  }
  return false;
}

// All whole blocks of all pipes as one job; all or nothing.
bool Pipeline::make_bodies(std::uint8_t* const* out, const std::uint8_t* const* in,
                           const std::size_t* n) {
  BulkSegment segments[2 * kMaxPipes];  // a body passes its field's wrap at most once
  std::size_t count = 0;
  const CipherSpec& cipher = base_.spec();
  for (std::size_t i = 0; i < count_; ++i) {
    const CipherContext& pipe = *pipes_[i];
    const CtrSplit split = pipe.ctr_split(n[i]);
    std::uint8_t at[kMaxBlockBytes];
    std::memcpy(at, pipe.counter_, sizeof at);
    std::size_t done = 0;
    while (done != split.body) {
      const std::uint64_t blocks = pipe.field_.run(at, (split.body - done) / cipher.block_bytes);
      BulkSegment& s = segments[count++];
      s = {&pipe.keys_,
           {},
           in[i] + split.head + done,
           out[i] + split.head + done,
           static_cast<std::size_t>(blocks) * cipher.block_bytes};
      std::memcpy(s.counter, at, sizeof at);
      pipe.field_.add(at, blocks);
      done += s.bytes;
    }
  }
  if (base_.provider()->engine->ctr_batch(cipher, segments, count) == BulkStatus::kOk) return true;
  raise(base_.provider(), Reason::kGpuRequired, "no GPU could make %zu pipes of %s", count_,
        cipher.name);
  return false;
}

// Some of the memory is a card's: one pipe after the other. When one fails, those before it are
// taken back.
bool Pipeline::make_each(std::uint8_t* const* out, const std::uint8_t* const* in,
                         const std::size_t* n) {
  Wiped<CipherContext::CtrPosition[kMaxPipes]> before;
  for (std::size_t i = 0; i < count_; ++i) {
    pipes_[i]->position(&before.value[i]);
    if (n[i] == 0 || pipes_[i]->ctr_update(out[i], in[i], n[i])) continue;
    while (i-- != 0) {
      if (n[i] != 0) pipes_[i]->ctr_take_back(before.value[i], out[i], in[i], n[i]);
    }
    return false;
  }
  return true;
}

bool Pipeline::update(std::size_t pipes, std::uint8_t* const* out, std::size_t* written,
                      const std::size_t* room, const std::uint8_t* const* in,
                      const std::size_t* n) {
  for (std::size_t i = 0; i < pipes; ++i) written[i] = 0;
  if (!check_count(pipes)) return false;
  for (std::size_t i = 0; i < pipes; ++i) {
    if (!pipes_[i]->check_update(out[i], room[i], in[i], n[i])) return false;
  }
  if (!check_apart(out, in, n)) return false;
  if (on_card(out, in)) {
    if (!make_each(out, in, n)) return false;
  } else {
    if (!make_bodies(out, in, n)) return false;
    for (std::size_t i = 0; i < pipes; ++i) {
      pipes_[i]->ctr_ends(pipes_[i]->ctr_split(n[i]), out[i], in[i]);
    }
  }
  for (std::size_t i = 0; i < pipes; ++i) {
    pipes_[i]->count(n[i]);
    written[i] = n[i];
  }
  return true;
}

bool Pipeline::final(std::size_t pipes, std::size_t* written) const {
  for (std::size_t i = 0; i < pipes; ++i) written[i] = 0;
  return check_count(pipes);
}

bool Pipeline::copy(const Pipeline& other) {
  for (std::size_t i = 0; i < other.count_; ++i) {
    pipes_[i].reset(new (std::nothrow) CipherContext(*other.pipes_[i]));
    if (pipes_[i] == nullptr) return false;
  }
  count_ = other.count_;
  return true;
}

}  // namespace gpuctr
