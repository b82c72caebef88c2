#include "provider/mode/keystream/keystream_cursor.h"

namespace gpuctr {

KeystreamCursor::KeystreamCursor(const CipherOps& ops, const RoundKeys& keys, CounterField field,
                                 std::uint8_t* memory)
    : ops_(ops),
      keys_(keys),
      field_(field),
      next_(memory),
      ready_(memory + field.block_bytes(), field.block_bytes()) {
  std::memset(next_, 0, block());
}

void KeystreamCursor::copy(const KeystreamCursor& other) {
  field_ = other.field_;
  made_ = other.blocks_used();
  other.copy_counter(next_);
  if (other.is_replaced()) copy_block(in_use(), other.in_use(), block());
  ready_.copy(other.ready_, other.rest_of_block());
}

void KeystreamCursor::next_block() {
  if (ready_.size() == 0) return;
  const std::uint64_t used = blocks_used();
  copy_counter(next_);
  made_ = used;
  ready_.clear();
}

void KeystreamCursor::set_num(unsigned used) {
  std::uint8_t at[kMaxBlockBytes];
  if (num() != 0) {
    copy_block_in_use(at);
    next_block();
    make_rest(at, used);
    return;
  }
  next_block();
  make_rest(next_, used);
  skip(1);
}

void KeystreamCursor::replace_counter(const std::uint8_t* counter_end, std::size_t n) {
  if (num() != 0) copy_block_in_use(in_use());
  std::uint8_t counter[kMaxBlockBytes];
  copy_counter(counter);
  copy_block(next_, counter, block());
  std::memcpy(next_ + block() - n, counter_end, n);
  ready_.keep(rest_of_block());
  made_ = 0;
}

void KeystreamCursor::copy_counter(std::uint8_t* counter) const {
  copy_block(counter, next_, block());
  const std::size_t ahead = whole_blocks(ready_.size());
  if (ahead != 0) field_.step_back(counter, ahead);
}

void KeystreamCursor::copy_counter_end(std::uint8_t* out, std::size_t n) const {
  std::uint8_t counter[kMaxBlockBytes];
  copy_counter(counter);
  std::memcpy(out, counter + block() - n, n);
}

// Copies the counter of the block in use. num() is not 0.
void KeystreamCursor::copy_block_in_use(std::uint8_t* counter) const {
  if (is_replaced()) {
    if (counter != in_use()) copy_block(counter, in_use(), block());
    return;
  }
  copy_counter(counter);
  field_.step_back(counter, 1);
}

void KeystreamCursor::make_rest(const std::uint8_t* at, std::size_t used) {
  make_block(at);
  ready_.skip(used);
}

KeystreamCursor::Split KeystreamCursor::split(std::size_t n) const {
  const std::size_t head = std::min(n, ready_.size());
  const std::size_t tail = (n - head) & (block() - 1);
  return {head, n - head - tail, tail};
}

void KeystreamCursor::make_ends(const Split& parts, std::uint8_t* out, const std::uint8_t* in) {
  if (parts.head != 0) use(out, in, parts.head);
  skip(whole_blocks(parts.body));
  if (parts.tail == 0) return;
  const std::size_t at = parts.head + parts.body;
  use_next_block(out + at, in + at, parts.tail);
}

void KeystreamCursor::go_to(const Position& position) {
  ready_.clear();
  const std::size_t ahead = whole_blocks(position.ready);
  copy_block(next_, position.next, block());
  if (ahead != 0) field_.step_back(next_, ahead);
  made_ = position.made - ahead;
  const std::size_t rest = position.ready & (block() - 1);
  if (rest == 0) return;
  std::uint8_t at[kMaxBlockBytes];
  if (made_ == 0) {
    copy_block(at, in_use(), block());
  } else {
    copy_block(at, next_, block());
    field_.step_back(at, 1);
  }
  make_rest(at, block() - rest);
}

void KeystreamCursor::undo(const Position& before, std::uint8_t* out, const std::uint8_t* in,
                           std::size_t n) {
  go_to(before);
  if (out != in) {
    std::memset(out, 0, n);
    return;
  }
  while (n != 0) {
    if (ready_.size() == 0) {
      make_block(next_);
      skip(1);
    }
    const std::size_t take = std::min(n, ready_.size());
    use(out, out, take);
    out += take;
    n -= take;
  }
  go_to(before);
}

}  // namespace gpuctr
