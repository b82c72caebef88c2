// The effect of inits and parameters on the position in counter mode, and the mode's row kCtrMode.
#include <openssl/core_names.h>
#include <openssl/evp.h>

#include <cstring>

#include "provider/core/ossl_param.h"
#include "provider/mode/base/context_params.h"
#include "provider/mode/ctr/ctr.h"

namespace gpuctr {

// First reads a counter that the application wrote, because the step may set the position.
bool CtrContext::all_or_nothing(Step& step) {
  if (iv_is_writable_) read_written_iv();
  const CounterField field = cursor_.field();
  if (CipherContext::all_or_nothing(step)) return true;
  cursor_.set_field(field);
  move_ = {};
  return false;
}

void CtrContext::set_position(bool, bool new_iv) {
  move_.to_next_block = true;
  move_.to_num = false;
  move_.to_iv = move_.to_iv || new_iv;
}

void CtrContext::begin(bool, bool) {
  stream_.reset();
  if (move_.to_iv && !move_.to_num && !iv_is_writable_) {
    cursor_.start(iv_, iv_bytes());
    move_ = {};
  } else {
    move();
  }
}

void CtrContext::move() {
  if (iv_is_writable_ && !move_.to_iv) read_written_iv();
  if (move_.to_iv) {
    cursor_.start(iv_, iv_bytes());
  } else if (move_.to_next_block || (move_.to_num && move_.num == 0)) {
    cursor_.next_block();
  }
  if (move_.to_num && move_.num != 0) cursor_.set_num(move_.num);
  move_ = {};
  if (iv_is_writable_) show_iv();
}

void CtrContext::describe_batch(bulk::Batch* batch) const {
  batch->mode = bulk::BatchMode::kCtr;
  batch->counter_bits = counter_bits();
}

bool CtrContext::refuse_counter(std::size_t n, std::uint64_t blocks, std::uint64_t left) const {
  refuse(Reason::kCounterExhausted,
         "%zu bytes need %llu counter blocks, %llu are left of the %u-bit counter of this IV", n,
         static_cast<unsigned long long>(blocks), static_cast<unsigned long long>(left),
         counter_bits());
  return false;
}

bool CtrContext::set_num(std::uint64_t used) {
  if (used >= block_bytes()) {
    refuse(Reason::kBadParameter, "num = %llu: a block of %s has %zu bytes",
           static_cast<unsigned long long>(used), cipher_->name, block_bytes());
    return false;
  }
  if (used != 0 && !check_key_and_iv()) return false;
  if (iv_is_writable_ && !move_.to_iv) read_written_iv();
  // If the position enters a new block, the counter must have at least one block left.
  const bool starts = used != 0 && (move_.to_next_block || num() == 0);
  if (starts && !has_blocks(1, 1, move_.to_iv ? 0 : cursor_.blocks_used())) return false;
  move_.to_num = true;
  move_.num = static_cast<unsigned>(used);
  position_is_new_ = true;
  return true;
}

bool CtrContext::set_counter_bits(std::uint64_t bits) {
  const std::uint64_t most = 8 * block_bytes();
  if (bits < 16 || bits > most) {
    refuse(Reason::kBadParameter, "ctr-bits = %llu: %s-CTR takes 16 to %llu",
           static_cast<unsigned long long>(bits), cipher_->name,
           static_cast<unsigned long long>(most));
    return false;
  }
  if (!move_.to_iv && cursor_.blocks_used() != 0) {
    refuse(Reason::kBadParameter,
           "ctr-bits = %llu: the width is set before the first data of an IV",
           static_cast<unsigned long long>(bits));
    return false;
  }
  cursor_.set_field(CounterField(block_bytes(), static_cast<unsigned>(bits)));
  return true;
}

std::uint8_t* CtrContext::updated_iv(bool writable) {
  if (iv_is_writable_) read_written_iv();
  show_iv();
  iv_is_writable_ = iv_is_writable_ || writable;
  return updated_iv_;
}

void CtrContext::show_iv() {
  cursor_.copy_counter_end(updated_iv_, iv_bytes());
  std::memcpy(shown_iv_, updated_iv_, iv_bytes());
}

// Continues from a counter that the application wrote, after the rest of the block in use, as
// OpenSSL's ciphers do. The application must keep that counter unique, as it must a new IV.
void CtrContext::read_written_iv() {
  if (std::memcmp(shown_iv_, updated_iv_, iv_bytes()) == 0) return;
  cursor_.replace_counter(updated_iv_, iv_bytes());
  stream_.reset();
  show_iv();
}

namespace {

CtrContext& ctr(CipherContext& context) { return static_cast<CtrContext&>(context); }

// Parameters are applied in this order: the counter's width before the position in the block.
constexpr ContextParam kParams[] = {
    {kParamCounterBits, OSSL_PARAM_UNSIGNED_INTEGER,
     [](CipherContext& c, OSSL_PARAM* param) { return answer_uint(param, ctr(c).counter_bits()); },
     [](CipherContext& c, std::uint64_t bits) { return ctr(c).set_counter_bits(bits); },
     UINT64_MAX},
    {OSSL_CIPHER_PARAM_NUM, OSSL_PARAM_UNSIGNED_INTEGER, nullptr,
     [](CipherContext& c, std::uint64_t used) { return ctr(c).set_num(used); }, UINT32_MAX},
    {nullptr, 0, nullptr, nullptr, 0},
};

CipherContext* make(const CipherServices& services, const CipherSpec& cipher) {
  return make_context<CtrContext>(cipher, services, cipher);
}

}  // namespace

const Mode kCtrMode = {"CTR", EVP_CIPH_CTR_MODE, true, true, true, kParams, make};

}  // namespace gpuctr
