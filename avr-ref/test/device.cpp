#include "device.h"

#include <fstream>
#include <stdexcept>

namespace gpuctr::avr {
namespace {

constexpr std::size_t kArenaSize = 3000;  // firmware.c
const Bytes kCanary = {0xc3, 0x5a, 0x99, 0x7e};

std::uint16_t narrow(std::size_t value) { return static_cast<std::uint16_t>(value); }

}  // namespace

Device::Device()
    : machine_(GPUCTR_AVR_FIRMWARE), arena_(machine_.data("test_arena")), next_(arena_) {
  free_all();
}

std::size_t Device::room() const {
  const std::size_t used = next_ - arena_ + kCanary.size();
  return used >= kArenaSize ? 0 : kArenaSize - used;
}

std::uint16_t Device::alloc(std::size_t size) {
  if (size > room()) throw std::runtime_error("the test's arena is full");
  const std::uint16_t address = next_;
  machine_.write(address, Bytes(size, 0xdd));
  next_ = narrow(next_ + size);
  machine_.write(next_, kCanary);
  canaries_.push_back(next_);
  next_ = narrow(next_ + kCanary.size());
  return address;
}

std::uint16_t Device::put(const Bytes& bytes) {
  const std::uint16_t address = alloc(bytes.size());
  machine_.write(address, bytes);
  return address;
}

void Device::free_all() {
  next_ = arena_;
  canaries_.clear();
  alloc(0);
}

void Device::free_to(std::size_t mark) {
  canaries_.resize(mark);
  next_ = narrow(canaries_.back() + kCanary.size());
}

void Device::check_canaries(const std::string& function) const {
  for (const std::uint16_t address : canaries_) {
    if (machine_.read(address, kCanary.size()) != kCanary) {
      throw std::runtime_error(function + " wrote outside of its buffers");
    }
  }
}

std::uint16_t Device::call(const std::string& function,
                           const std::vector<std::uint16_t>& arguments) {
  const CallResult result = machine_.call(function, arguments);
  if (!result.fault.empty()) throw std::runtime_error(function + ": " + result.fault);
  check_canaries(function);
  cycles_ = result.cycles;
  stack_ = result.stack;
  return result.value;
}

Spec read_spec(Device& device, const Variant& variant) {
  const std::uint32_t address = device.machine().code("gpuctr_" + std::string(variant.symbol));
  const Bytes raw = device.machine().read_flash(address, 35);
  const auto word = [&](std::size_t i) { return narrow(raw[i] + 256u * raw[i + 1]); };
  // struct gpuctr_cipher: name, three bytes, round_keys, five functions, encrypt_df, constants
  return {std::string(reinterpret_cast<const char*>(raw.data())),
          raw[16],
          raw[17],
          raw[18],
          word(19),
          narrow(address),
          word(31),
          word(33)};
}

Bytes fixed_key() {
  std::ifstream in(GPUCTR_AVR_FIXED_KEY_FILE);
  std::string hex;
  in >> hex;
  Bytes key;
  for (std::size_t i = 0; i < hex.size(); i += 2) {
    key.push_back(static_cast<std::uint8_t>(std::stoul(hex.substr(i, 2), nullptr, 16)));
  }
  return key;
}

DeviceKey::DeviceKey(Device& device, const Variant& variant, const Bytes& key)
    : device_(device), spec_(read_spec(device, variant)) {
  if (variant.fixed) return;
  round_keys_ = device.alloc(spec_.round_keys);
  device.call("gpuctr_set_key", {spec_.address, round_keys_, device.put(key)});
}

Bytes DeviceKey::encrypt(const Bytes& block) {
  const std::uint16_t in = device_.put(block), out = device_.alloc(block.size());
  device_.call("gpuctr_encrypt_block", {spec_.address, round_keys_, out, in});
  return device_.get(out, block.size());
}

DeviceCtr::DeviceCtr(Device& device, const DeviceKey& key, const Bytes& iv)
    : device_(device), context_(device.alloc(kCtrSize)) {
  device.call("gpuctr_ctr_init", {context_, key.spec().address, key.round_keys(), device.put(iv)});
}

DeviceCtr::DeviceCtr(Device& device, const DeviceKey& key, const Bytes& iv, std::uint8_t width)
    : device_(device), context_(device.alloc(kCtrSize)) {
  status_ = device.call("gpuctr_ctr_init_width",
                        {context_, key.spec().address, key.round_keys(), device.put(iv), width}) &
            0xff;
}

std::optional<Bytes> DeviceCtr::crypt(const Bytes& data, bool in_place) {
  const std::size_t mark = device_.mark();
  const std::uint16_t in = device_.put(data);
  const std::uint16_t out = in_place ? in : device_.alloc(data.size());
  status_ = device_.call("gpuctr_ctr_crypt", {context_, out, in, narrow(data.size())}) & 0xff;
  const Bytes result = device_.get(out, data.size());
  device_.free_to(mark);
  if (status_ == kOk) return result;
  if (result != (in_place ? data : Bytes(data.size(), 0xdd))) {
    throw std::runtime_error("gpuctr_ctr_crypt failed and yet wrote");
  }
  return std::nullopt;
}

void DeviceCtr::done() { device_.call("gpuctr_ctr_done", {context_}); }

DeviceCmac::DeviceCmac(Device& device, const DeviceKey& key)
    : device_(device), context_(device.alloc(kCmacSize)) {
  device.call("gpuctr_cmac_init", {context_, key.spec().address, key.round_keys()});
}

void DeviceCmac::update(const Bytes& piece) {
  const std::size_t mark = device_.mark();
  device_.call("gpuctr_cmac_update", {context_, device_.put(piece), narrow(piece.size())});
  device_.free_to(mark);
}

std::optional<Bytes> DeviceCmac::final(std::size_t tag_size) {
  const std::size_t mark = device_.mark();
  const std::uint16_t tag = device_.alloc(tag_size);
  const Bytes before = device_.get(context_, kCmacSize);
  status_ = device_.call("gpuctr_cmac_final", {context_, tag, narrow(tag_size)}) & 0xff;
  const Bytes result = device_.get(tag, tag_size);
  device_.free_to(mark);
  if (status_ == kOk) return result;
  if (result != Bytes(tag_size, 0xdd) || device_.get(context_, kCmacSize) != before) {
    throw std::runtime_error("gpuctr_cmac_final failed and yet wrote");
  }
  return std::nullopt;
}

void DeviceCmac::done() { device_.call("gpuctr_cmac_done", {context_}); }

bool DeviceCcm::call(const char* function, const Message& message, std::size_t tag_size,
                     bool in_place) {
  const std::size_t mark = device_.mark();
  const auto header = [&](const Bytes& bytes) {
    const std::uint16_t data = device_.put(bytes);
    const std::size_t size = bytes.size();
    return device_.put({static_cast<std::uint8_t>(data), static_cast<std::uint8_t>(data >> 8),
                        static_cast<std::uint8_t>(size), static_cast<std::uint8_t>(size >> 8)});
  };
  const std::uint16_t nonce = header(message.nonce), aad = message.aad ? header(*message.aad) : 0;
  const std::uint16_t in = device_.put(message.text), tag = device_.put(message.tag);
  const std::uint16_t out = in_place ? in : device_.alloc(message.text.size());
  status_ = device_.call(function, {key_.spec().address, key_.round_keys(), nonce, aad, out, in,
                                    narrow(message.text.size()), tag, narrow(tag_size)}) &
            0xff;
  out_ = device_.get(out, message.text.size());
  tag_ = device_.get(tag, message.tag.size());
  const bool kept = in_place || device_.get(in, message.text.size()) == message.text;
  device_.free_to(mark);
  if (!kept) throw std::runtime_error(std::string(function) + " wrote to its input");
  const Bytes untouched = in_place ? message.text : Bytes(message.text.size(), 0xdd);
  if (status_ == kErrTag ? out_ != Bytes(out_.size(), 0)
                         : status_ != kOk && (out_ != untouched || tag_ != message.tag)) {
    throw std::runtime_error(std::string(function) + " failed and yet wrote");
  }
  return status_ == kOk;
}

std::optional<DeviceCcm::Message> DeviceCcm::seal(Message message, std::size_t tag_size,
                                                  bool in_place) {
  message.tag.assign(tag_size, 0xdd);
  if (!call("gpuctr_ccm_seal", message, tag_size, in_place)) return std::nullopt;
  message.text = out_;
  message.tag = tag_;
  return message;
}

std::optional<Bytes> DeviceCcm::open(const Message& message, bool in_place) {
  if (!call("gpuctr_ccm_open", message, message.tag.size(), in_place)) return std::nullopt;
  return out_;
}

DeviceDrbg::DeviceDrbg(Device& device, const Variant& variant)
    : device_(device),
      spec_(read_spec(device, variant)),
      context_(device.put(Bytes(kDrbgSize, 0))),
      round_keys_(device.alloc(spec_.round_keys)),
      buffer_(0),
      headers_(device.alloc(12)),
      buffer_size_(device.room()) {
  buffer_ = device.alloc(buffer_size_);
}

std::uint16_t DeviceDrbg::input(const Input& bytes) {
  if (!bytes) return 0;
  if (used_ + bytes->size() > buffer_size_) throw std::runtime_error("the test's buffer is full");
  const std::uint16_t data = narrow(buffer_ + used_), header = narrow(headers_ + headers_used_);
  device_.machine().write(data, *bytes);
  const std::size_t size = bytes->size();
  device_.machine().write(header,
                          {static_cast<std::uint8_t>(data), static_cast<std::uint8_t>(data >> 8),
                           static_cast<std::uint8_t>(size), static_cast<std::uint8_t>(size >> 8)});
  used_ += size;
  headers_used_ += 4;
  return header;
}

bool DeviceDrbg::finish(std::uint16_t status) {
  used_ = headers_used_ = 0;
  status_ = status & 0xff;
  return status_ == kOk;
}

bool DeviceDrbg::instantiate(const Input& entropy, const Input& nonce, const Input& personalization,
                             bool use_df) {
  const std::uint16_t e = input(entropy), n = input(nonce), p = input(personalization);
  return finish(device_.call("gpuctr_drbg_instantiate",
                             {context_, spec_.address, round_keys_, e, n, p, narrow(!use_df)}));
}

bool DeviceDrbg::reseed(const Input& entropy, const Input& additional) {
  const std::uint16_t e = input(entropy), a = input(additional);
  return finish(device_.call("gpuctr_drbg_reseed", {context_, e, a}));
}

std::optional<Bytes> DeviceDrbg::generate(std::size_t size, const Input& fresh_entropy,
                                          const Input& additional) {
  const std::uint16_t f = input(fresh_entropy), a = input(additional);
  const std::uint16_t out = narrow(buffer_ + used_);
  if (used_ + size > buffer_size_) throw std::runtime_error("the test's buffer is full");
  device_.machine().write(out, Bytes(size, 0xee));
  const bool ok = finish(device_.call("gpuctr_drbg_generate", {context_, out, narrow(size), f, a}));
  const Bytes result = device_.get(out, size);
  if (ok) return result;
  if (result != Bytes(size, 0xee)) throw std::runtime_error("generate failed and yet wrote");
  return std::nullopt;
}

bool DeviceDrbg::update(const Input& provided) {
  std::uint16_t at = 0;
  if (provided) {
    at = buffer_;
    device_.machine().write(at, *provided);
  }
  return finish(device_.call("gpuctr_drbg_update", {context_, at}));
}

void DeviceDrbg::uninstantiate() { device_.call("gpuctr_drbg_uninstantiate", {context_}); }

void DeviceDrbg::set_interval(std::uint32_t requests) {
  Bytes bytes;
  for (int i = 0; i < 4; ++i) bytes.push_back(static_cast<std::uint8_t>(requests >> 8 * i));
  device_.machine().write(narrow(context_ + 56), bytes);  // reseed_interval
}

}  // namespace gpuctr::avr
