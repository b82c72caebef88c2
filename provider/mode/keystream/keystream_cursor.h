// The position of a message in its sequence of counter blocks. The cursor holds the counter and the
// unused keystream, and encrypts and decrypts from that position on. Each context of CTR, GCM and
// CCM has one cursor.
#ifndef GPUCTR_PROVIDER_MODE_KEYSTREAM_KEYSTREAM_CURSOR_H
#define GPUCTR_PROVIDER_MODE_KEYSTREAM_KEYSTREAM_CURSOR_H

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "kernels/base/counter.h"
#include "kernels/base/wipe.h"
#include "kernels/cpu/backend.h"
#include "provider/mode/keystream/counter_field.h"
#include "provider/mode/keystream/ready_keystream.h"

namespace gpuctr {

// Belongs to one context; one thread at a time. Keystream is secret: each byte is wiped when it is
// used.
//
// The functions that encrypt and decrypt take an object of the mode's class Text. A function of
// Text returns false, and writes nothing, if it needs a device and no device could do the work.
//   bool keystream(at, out, n)        Whole blocks of keystream from the counter block `at` on.
//   bool run(at, in, out, n)          Whole blocks of text in ordinary memory, with their MAC.
//   bool run_on_device(at, skip, in, out, n)  Text in any memory, from `skip` bytes into `at` on.
//   std::size_t most() const          The most bytes for one run(), whole blocks.
//   void before(in, n), after(out, n) The MAC of text whose keystream is used up in between.
//   static constexpr bool kWholeBlocks  run_on_device() takes whole blocks, or a part of one block.
//   static constexpr bool kWholeText  All of a message's text comes in one call: run() takes its
//   end.
class KeystreamCursor {
 public:
  // An update of at most this many bytes, if it is not the first of its sequence, uses keystream
  // that is made ahead.
  static constexpr std::size_t kSmall = ReadyKeystream::kMaxRest;
  // The most bytes of keystream for crypt_first().
  static constexpr std::size_t kMostFirst = 1024;

  // The state that an update changes.
  struct Position {
    std::uint64_t made;
    std::size_t ready;
    std::uint8_t next[kMaxBlockBytes];
  };

  // The parts of a text: bytes for which keystream is ready, whole blocks, and a part of a further
  // block.
  struct Split {
    std::size_t head;
    std::size_t body;
    std::size_t tail;
  };

  // The size of the constructor's `memory`, bytes: memory_bytes() without calls of
  // replace_counter(), replaceable_bytes() with such calls.
  static constexpr std::size_t memory_bytes(std::size_t block_bytes) { return 2 * block_bytes; }
  static constexpr std::size_t replaceable_bytes(std::size_t block_bytes) {
    return 3 * block_bytes;
  }

  // `ops` encrypts single blocks. `ops`, `keys` and `memory` outlive the cursor. The keys may
  // change before start() and next_block().
  KeystreamCursor(const CipherOps& ops, const RoundKeys& keys, CounterField field,
                  std::uint8_t* memory);
  KeystreamCursor(const KeystreamCursor&) = delete;
  KeystreamCursor& operator=(const KeystreamCursor&) = delete;

  // Copies the position of another cursor of the same cipher and key. Keystream that `other` has
  // made ahead is not copied.
  void copy(const KeystreamCursor& other);

  // Starts a new sequence. Its first counter block is zeros followed by these n bytes.
  void start(const std::uint8_t* counter_end, std::size_t n) {
    ready_.clear();
    made_ = 0;
    if (n == 16 && block() == 16) {
      std::memcpy(next_, counter_end, 16);
      return;
    }
    const std::size_t before = block() - n;
    for (std::size_t i = 0; i != before; i += 8) std::memset(next_ + i, 0, 8);
    copy_block(next_ + before, counter_end, n);
  }
  // Wipes all keystream. The sequence continues with the next counter block.
  void next_block();
  // Moves the position to `used` bytes, not 0, into the block in use. If no block is in use, moves
  // into the next block.
  void set_num(unsigned used);
  // The sequence continues with the rest of the block in use. The next counter block then ends in
  // these n bytes, and the sequence counts as new from there.
  void replace_counter(const std::uint8_t* counter_end, std::size_t n);
  // Wipes all keystream; start() is due.
  void forget() { ready_.clear(); }

  const CipherOps& ops() const { return ops_; }
  const RoundKeys& keys() const { return keys_; }
  const CounterField& field() const { return field_; }
  void set_field(const CounterField& field) { field_ = field; }
  std::size_t ready() const { return ready_.size(); }
  unsigned num() const {
    const std::size_t rest = rest_of_block();
    return rest == 0 ? 0 : static_cast<unsigned>(block() - rest);
  }
  std::uint64_t blocks_used() const { return made_ - whole_blocks(ready_.size()); }
  bool is_at_start() const { return made_ == 0 && ready_.size() == 0; }
  // The number of counter blocks that begin within the next n bytes, n not 0.
  std::uint64_t new_blocks(std::size_t n) const {
    const std::size_t rest = rest_of_block();
    return n <= rest ? 0 : whole_blocks(n - rest - 1) + 1;
  }
  // The last n bytes of the next counter block.
  void copy_counter_end(std::uint8_t* out, std::size_t n) const;

  // XORs n bytes, at most ready(), of the ready keystream onto `in`.
  void use(std::uint8_t* out, const std::uint8_t* in, std::size_t n) { ready_.use(out, in, n); }
  // The same, and then used(i, given, made) for each byte, its input and its output.
  template <class Used>
  void use_each(std::uint8_t* out, const std::uint8_t* in, std::size_t n, const Used& used) {
    ready_.use_each(out, in, n, used);
  }
  // The counter block that follows all keystream made so far. skip() steps over blocks that the
  // caller made.
  const std::uint8_t* next() const { return next_; }
  void skip(std::uint64_t blocks) { skip(blocks, field_); }
  // In less time, if the caller's `field`, which equals field(), is constant.
  void skip(std::uint64_t blocks, const CounterField& field) {
    field.add(next_, blocks);
    made_ += blocks;
  }
  // Of a block of keystream that the caller made from next(), n bytes are used, and zeros now; the
  // rest becomes ready. No keystream is ready.
  void keep_rest(const std::uint8_t* keystream, std::size_t n, const CounterField& field) {
    skip(1, field);
    ready_.fill_rest(keystream, n, field.block_bytes());
  }
  // XORs n bytes, at most a block, of the next block of keystream onto `in`. No keystream is ready.
  void use_next_block(std::uint8_t* out, const std::uint8_t* in, std::size_t n) {
    make_block(next_);
    skip(1);
    use(out, in, n);
  }
  // Writes the next block of keystream to `out`. No keystream is ready.
  void take_block(std::uint8_t* out) {
    ops_.ctr(keys_, next_, nullptr, out, block());
    skip(1);
  }

  // Encrypts or decrypts n bytes, not 0, in ordinary memory; in == out, or no overlap. False: the
  // position is unchanged. The part of `out` that was written holds zeros, or the input if in ==
  // out.
  template <class Text>
  bool crypt(Text& text, std::uint8_t* out, const std::uint8_t* in, std::size_t n) {
    if (n <= ready_.size()) {
      use_ready(text, out, in, n);
      return true;
    }
    Position before;
    position(&before);
    std::size_t done = 0;
    if (n <= kSmall ? crypt_small(text, out, in, n, &done) : crypt_long(text, out, in, n, &done)) {
      return true;
    }
    undo(before, out, in, done);
    return false;
  }

  // For the first text of a sequence, in ordinary memory, if only the calling thread works on it.
  // The sequence's first block of keystream goes to `first`; the text uses the following blocks.
  // All this keystream is at most kMostFirst bytes. in == out, or no overlap.
  template <class Text>
  void crypt_first(Text& text, std::uint8_t* first, std::uint8_t* out, const std::uint8_t* in,
                   std::size_t n);

  // Uses ready keystream for the bytes from *done on, as far as it goes. *done: bytes done so far.
  template <class Text>
  void use_ready_of(Text& text, std::uint8_t* out, const std::uint8_t* in, std::size_t n,
                    std::size_t* done) {
    const std::size_t take = std::min(n - *done, ready_.size());
    if (take != 0) use_ready(text, out + *done, in + *done, take);
    *done += take;
  }

  // Uses the ready keystream, then Text::run() for whole blocks, then a part of a further block.
  // *done: bytes done so far.
  template <class Text>
  bool crypt_long(Text& text, std::uint8_t* out, const std::uint8_t* in, std::size_t n,
                  std::size_t* done);

  // As crypt(), where `in` or `out` is device memory. A failure does not move the position, but
  // leaves the contents of `out` undefined.
  template <class Text>
  bool crypt_on_device(Text& text, std::uint8_t* out, const std::uint8_t* in, std::size_t n);

  Split split(std::size_t n) const;
  // Encrypts or decrypts head and tail, and steps over the body. The caller has already made the
  // body with the counter blocks from next() on.
  void make_ends(const Split& parts, std::uint8_t* out, const std::uint8_t* in);

  void position(Position* now) const {
    now->made = made_;
    now->ready = ready_.size();
    copy_block(now->next, next_, block());
  }
  void go_to(const Position& position);
  // Reverts the first n bytes that were written after `before`, in ordinary memory. If in == out,
  // the same keystream restores the input; else `out` becomes zeros.
  void undo(const Position& before, std::uint8_t* out, const std::uint8_t* in, std::size_t n);

 private:
  // The bytes of keystream that are made ahead at once, until a sequence has made this many: one
  // narrow batch of most backends.
  static constexpr std::size_t kFirstAhead = 256;

  std::size_t block() const { return field_.block_bytes(); }
  // A shift, because a block's size is a power of two. A division takes as long as the other steps
  // of a small update together.
  std::size_t whole_blocks(std::size_t bytes) const { return bytes >> __builtin_ctzll(block()); }
  // The number of blocks, whole or begun.
  std::size_t blocks_of(std::size_t bytes) const { return whole_blocks(bytes + block() - 1); }
  std::size_t rest_of_block() const { return ready_.size() & (block() - 1); }
  // Whether the counter was replaced after the block in use began. If so, in_use() is that block's
  // counter.
  bool is_replaced() const { return made_ == 0 && ready_.size() != 0; }
  std::size_t bytes_ahead() const {
    return made_ < whole_blocks(kFirstAhead) ? kFirstAhead : ReadyKeystream::kMaxMore;
  }
  std::uint8_t* in_use() const { return next_ + 2 * block(); }
  void copy_counter(std::uint8_t* counter) const;
  void copy_block_in_use(std::uint8_t* counter) const;
  // Makes one block of keystream on the CPU, which cannot fail. No keystream is ready.
  void make_block(const std::uint8_t* at) {
    ops_.ctr(keys_, at, nullptr, ready_.start_block(block()), block());
  }
  void make_rest(const std::uint8_t* at, std::size_t used);

  template <class Text>
  void use_ready(Text& text, std::uint8_t* out, const std::uint8_t* in, std::size_t n) {
    text.before(in, n);
    ready_.use(out, in, n);
    text.after(out, n);
  }
  template <class Text>
  bool make_ready(Text& text);
  template <class Text>
  bool crypt_small(Text& text, std::uint8_t* out, const std::uint8_t* in, std::size_t n,
                   std::size_t* done);
  template <class Make>
  bool make_runs(const Make& make, std::uint8_t* out, std::size_t bytes);
  template <class Text>
  bool crypt_at_once(Text& text, std::uint8_t* out, const std::uint8_t* in, std::size_t n);
  template <class Text>
  void use_made(Text& text, std::uint8_t* keystream, std::size_t bytes, std::uint8_t* out,
                const std::uint8_t* in, std::size_t n);

  const CipherOps& ops_;
  const RoundKeys& keys_;
  CounterField field_;
  std::uint64_t made_ = 0;  // counter blocks since the sequence began, ready blocks included
  std::uint8_t* const next_;
  // The rest of the block in use, then the whole blocks up to next_.
  ReadyKeystream ready_;
};

// Makes bytes_ahead() more bytes of keystream, for which there is room. Stops at the field's wrap
// and at the end of the sequence.
template <class Text>
bool KeystreamCursor::make_ready(Text& text) {
  const std::uint64_t left = field_.blocks_per_iv() - made_;
  const std::uint64_t blocks =
      field_.run(next_, std::min<std::uint64_t>(blocks_of(bytes_ahead()), left));
  const std::size_t bytes = static_cast<std::size_t>(blocks) * block();
  if (!text.keystream(next_, ready_.room(bytes), bytes)) return false;
  ready_.add(bytes);
  skip(blocks);
  return true;
}

// n bytes, at most kSmall, from keystream that is made ahead. No keystream is made ahead for the
// first text of a sequence, because the sequence may have no other text. Nor is it without memory
// for such keystream.
template <class Text>
bool KeystreamCursor::crypt_small(Text& text, std::uint8_t* out, const std::uint8_t* in,
                                  std::size_t n, std::size_t* done) {
  if (made_ == 0) {
    if ((n & (block() - 1)) == 0 || n < block()) return crypt_long(text, out, in, n, done);
  } else {
    use_ready_of(text, out, in, n, done);
    while (*done != n && ready_.room(bytes_ahead()) != nullptr) {
      if (!make_ready(text)) return false;
      use_ready_of(text, out, in, n, done);
    }
  }
  use_ready_of(text, out, in, n, done);
  if (*done == n) return true;
  if (!crypt_at_once(text, out + *done, in + *done, n - *done)) return false;
  *done = n;
  return true;
}

// Makes whole blocks of keystream, by a call of make(at, to, n) for each run up to a wrap of the
// field. False: a call failed, and what was made is wiped.
template <class Make>
bool KeystreamCursor::make_runs(const Make& make, std::uint8_t* out, std::size_t bytes) {
  for (std::size_t at = 0; at != bytes;) {
    const std::uint64_t blocks = field_.run(next_, whole_blocks(bytes - at));
    const std::size_t some = static_cast<std::size_t>(blocks) * block();
    if (!make(next_, out + at, some)) {
      wipe(out, at);
      return false;
    }
    skip(blocks);
    at += some;
  }
  return true;
}

// Makes all keystream for n bytes before any of it is used. No keystream is ready. A failure writes
// nothing and leaves the position undefined.
template <class Text>
bool KeystreamCursor::crypt_at_once(Text& text, std::uint8_t* out, const std::uint8_t* in,
                                    std::size_t n) {
  std::uint8_t keystream[kSmall + kMaxBlockBytes];
  const std::size_t bytes = blocks_of(n) * block();
  const auto make = [&text](const std::uint8_t* at, std::uint8_t* to, std::size_t some) {
    return text.keystream(at, to, some);
  };
  if (!make_runs(make, keystream, bytes)) return false;
  use_made(text, keystream, bytes, out, in, n);
  return true;
}

template <class Text>
void KeystreamCursor::crypt_first(Text& text, std::uint8_t* first, std::uint8_t* out,
                                  const std::uint8_t* in, std::size_t n) {
  std::uint8_t keystream[kMostFirst];
  const std::size_t bytes = (blocks_of(n) + 1) * block();
  make_runs(
      [this](const std::uint8_t* at, std::uint8_t* to, std::size_t some) {
        ops_.ctr(keys_, at, nullptr, to, some);
        return true;
      },
      keystream, bytes);
  copy_block(first, keystream, block());
  wipe(keystream, block());
  use_made(text, keystream + block(), bytes - block(), out, in, n);
}

// Uses the first n of so many bytes of keystream, and keeps the rest of the last block unless no
// text follows.
template <class Text>
void KeystreamCursor::use_made(Text& text, std::uint8_t* keystream, std::size_t bytes,
                               std::uint8_t* out, const std::uint8_t* in, std::size_t n) {
  text.before(in, n);
  ReadyKeystream::use_up(keystream, out, in, n);
  text.after(out, n);
  if (n == bytes) return;
  if (!Text::kWholeText) ready_.fill(keystream + n, bytes - n);
  wipe(keystream + n, bytes - n);
}

template <class Text>
bool KeystreamCursor::crypt_long(Text& text, std::uint8_t* out, const std::uint8_t* in,
                                 std::size_t n, std::size_t* done) {
  use_ready_of(text, out, in, n, done);
  const std::size_t tail = Text::kWholeText ? 0 : (n - *done) & (block() - 1);
  for (std::size_t left; (left = n - *done - tail) != 0;) {
    const std::size_t wanted = std::min(blocks_of(left), whole_blocks(text.most()));
    const std::uint64_t blocks = field_.run(next_, wanted);
    const std::size_t bytes = std::min(left, static_cast<std::size_t>(blocks) * block());
    if (!text.run(next_, in + *done, out + *done, bytes)) return false;
    *done += bytes;
    if (Text::kWholeText && *done == n) return true;  // no text follows
    skip(blocks);
  }
  if (tail == 0) return true;
  make_block(next_);
  skip(1);
  use_ready_of(text, out, in, n, done);
  return true;
}

// The device encrypts or decrypts every byte; this function only tracks the position.
template <class Text>
bool KeystreamCursor::crypt_on_device(Text& text, std::uint8_t* out, const std::uint8_t* in,
                                      std::size_t n) {
  std::uint8_t at[kMaxBlockBytes];
  std::size_t offset = num();
  const bool replaced = is_replaced();
  offset == 0 ? copy_counter(at) : copy_block_in_use(at);
  for (std::size_t done = 0; done != n;) {
    const std::uint64_t blocks = field_.run(at, blocks_of(offset + n - done));
    std::size_t some = std::min(n - done, static_cast<std::size_t>(blocks) * block() - offset);
    if (Text::kWholeBlocks && offset == 0 && some >= block()) {
      some = whole_blocks(some) * block();
    } else if (Text::kWholeBlocks || (replaced && done == 0)) {
      some = std::min(some, block() - offset);
    }
    if (!text.run_on_device(at, offset, in + done, out + done, some)) return false;
    field_.add(at, whole_blocks(offset + some));
    offset = (offset + some) & (block() - 1);
    if (replaced && done == 0 && offset == 0) copy_counter(at);
    done += some;
  }
  const std::uint64_t used = blocks_used() + new_blocks(n);
  ready_.clear();
  if (offset != 0) make_rest(at, offset);
  if (used == 0) return true;  // inside the block before a replaced counter
  copy_block(next_, at, block());
  if (offset != 0) field_.add(next_, 1);
  made_ = used;
  return true;
}

}  // namespace gpuctr

#endif
