#include "provider/mode/ctr/pipeline.h"

#include <cstring>

#include "provider/core/errors.h"
#include "provider/core/overlap.h"
#include "provider/mode/base/context_params.h"

namespace gpuctr {

bool Pipeline::init(const std::uint8_t* key, std::size_t key_bytes, std::size_t pipes,
                    const std::uint8_t* const* ivs, std::size_t iv_bytes,
                    const OSSL_PARAM* params) {
  if (pipes == 0 || pipes > kMaxPipes) {
    raise(*base_.services().core, Reason::kBadParameter, "%zu pipes, %s-CTR takes 1 to %zu", pipes,
          base_.spec().name, kMaxPipes);
    return false;
  }
  for (std::size_t i = 0; i < pipes; ++i) {
    const std::uint8_t* iv = ivs == nullptr ? nullptr : ivs[i];
    if (!base_.check_lengths(key, key_bytes, iv, iv_bytes)) return false;
  }
  std::unique_ptr<CtrContext> made[kMaxPipes];
  for (std::size_t i = 0; i < pipes; ++i) {
    made[i].reset(make_context<CtrContext>(base_.spec(), base_.services(), base_.spec()));
    if (made[i] == nullptr) {
      raise(*base_.services().core, Reason::kNoMemory, "pipe %zu of %s-CTR", i, base_.spec().name);
      return false;
    }
  }
  // The base context keeps the key, so that a later init may set only new IVs. It also counts the
  // key's bytes.
  if (!(key != nullptr ? base_.init({true, key, key_bytes, nullptr, 0}, params)
                       : set_cipher_ctx_params(&base_, params))) {
    return false;
  }
  for (std::size_t i = 0; i < kMaxPipes; ++i) pipes_[i] = std::move(made[i]);
  for (std::size_t i = 0; i < pipes; ++i) {
    CtrContext& pipe = *pipes_[i];
    pipe.take_key_and_settings(base_);
    pipe.has_iv_ = false;  // the base context's IV would be the same for all pipes
    pipe.iv_is_writable_ = false;
    pipe.max_bytes_ = 0;
    pipe.init({true, nullptr, 0, ivs == nullptr ? nullptr : ivs[i], iv_bytes});
  }
  count_ = pipes;
  return true;
}

bool Pipeline::check_count(std::size_t pipes) const {
  if (pipes == count_) return true;
  raise(*base_.services().core, Reason::kBadParameter, "%zu pipes, the init had %zu", pipes,
        count_);
  return false;
}

// Pipes are processed in any order, so no pipe may write memory that another pipe reads or writes.
bool Pipeline::check_apart(std::uint8_t* const* out, const std::uint8_t* const* in,
                           const std::size_t* n) const {
  for (std::size_t i = 0; i < count_; ++i) {
    for (std::size_t j = 0; j < count_; ++j) {
      if (i == j || n[i] == 0 || n[j] == 0) continue;
      if (overlap(out[i], n[i], in[j], n[j]) || overlap(out[i], n[i], out[j], n[j])) {
        raise(*base_.services().core, Reason::kOverlap, "output of pipe %zu and data of pipe %zu",
              i, j);
        return false;
      }
    }
  }
  return true;
}

bool Pipeline::on_device(std::uint8_t* const* out, const std::uint8_t* const* in) {
  for (std::size_t i = 0; i < count_; ++i) {
    if (pipes_[i]->stream_.is_device(out[i], in[i])) return true;
  }
  return false;
}

// Processes the whole blocks of all pipes as one job. A failed job writes nothing.
bool Pipeline::make_bodies(std::uint8_t* const* out, const std::uint8_t* const* in,
                           const std::size_t* n) {
  BulkSegment segments[2 * kMaxPipes];  // a body passes the counter field's wrap at most once
  std::size_t count = 0;
  const CipherSpec& cipher = base_.spec();
  for (std::size_t i = 0; i < count_; ++i) {
    const CtrContext& pipe = *pipes_[i];
    const KeystreamCursor::Split parts = pipe.cursor_.split(n[i]);
    const CounterField& field = pipe.cursor_.field();
    std::uint8_t at[kMaxBlockBytes];
    copy_block(at, pipe.cursor_.next(), cipher.block_bytes);
    std::size_t done = 0;
    while (done != parts.body) {
      const std::uint64_t blocks = field.run(at, (parts.body - done) / cipher.block_bytes);
      BulkSegment& s = segments[count++];
      s = {&pipe.keys_,
           {},
           in[i] + parts.head + done,
           out[i] + parts.head + done,
           static_cast<std::size_t>(blocks) * cipher.block_bytes};
      std::memcpy(s.counter, at, sizeof at);
      field.add(at, blocks);
      done += s.bytes;
    }
  }
  if (base_.services().engine->ctr_batch(cipher, segments, count) == BulkStatus::kOk) return true;
  raise(*base_.services().core, Reason::kGpuRequired, "no GPU could make %zu pipes of %s", count_,
        cipher.name);
  return false;
}

// Some of the memory is device memory, so this function processes one pipe after the other. If a
// pipe fails, the pipes before it are reverted.
bool Pipeline::make_each(std::uint8_t* const* out, const std::uint8_t* const* in,
                         const std::size_t* n) {
  KeystreamCursor::Position before[kMaxPipes];
  for (std::size_t i = 0; i < count_; ++i) {
    pipes_[i]->cursor_.position(&before[i]);
    if (n[i] == 0 ||
        pipes_[i]->crypt(out[i], in[i], n[i], pipes_[i]->stream_.is_device(out[i], in[i])))
      continue;
    while (i-- != 0) {
      if (n[i] != 0) pipes_[i]->undo_update(before[i], out[i], in[i], n[i]);
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
  std::size_t total = 0;
  for (std::size_t i = 0; i < pipes; ++i) {
    if (!pipes_[i]->check_update(out[i], room[i], in[i], n[i]) ||
        (n[i] != 0 && !pipes_[i]->check_counter(n[i])))
      return false;
    total += n[i];
  }
  if (!base_.check_limit(total)) return false;
  if (!check_apart(out, in, n)) return false;
  if (on_device(out, in)) {
    if (!make_each(out, in, n)) return false;
  } else {
    if (!make_bodies(out, in, n)) return false;
    for (std::size_t i = 0; i < pipes; ++i) {
      KeystreamCursor& cursor = pipes_[i]->cursor_;
      cursor.make_ends(cursor.split(n[i]), out[i], in[i]);
    }
  }
  for (std::size_t i = 0; i < pipes; ++i) {
    pipes_[i]->count_update(n[i]);
    written[i] = n[i];
  }
  base_.bytes_ += total;
  return true;
}

bool Pipeline::final(std::size_t pipes, std::size_t* written) const {
  for (std::size_t i = 0; i < pipes; ++i) written[i] = 0;
  return check_count(pipes);
}

bool Pipeline::copy(const Pipeline& other) {
  for (std::size_t i = 0; i < other.count_; ++i) {
    pipes_[i].reset(make_context<CtrContext>(base_.spec(), *other.pipes_[i]));
    if (pipes_[i] == nullptr) return false;
  }
  count_ = other.count_;
  return true;
}

}  // namespace gpuctr
