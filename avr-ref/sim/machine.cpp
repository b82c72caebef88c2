#include "machine.h"

#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <stdexcept>

extern "C" {
#include <simavr/sim_avr.h>
#include <simavr/sim_core.h>
#include <simavr/sim_elf.h>
}

namespace gpuctr::avr {
namespace {

// The GNU linker puts SRAM at this offset of the ELF's single address space.
constexpr std::uint32_t kDataOffset = 0x800000;
constexpr std::uint64_t kCycleLimit = 50'000'000;
constexpr std::uint8_t kStackFill = 0xa5;
constexpr int kFirstSaved = 2, kLastSaved = 17;

// libsimavr reports to stderr by default; every fault we care about is returned instead.
void silent(avr_t*, const int, const char*, va_list) {}

std::uint8_t saved_pattern(int reg) { return static_cast<std::uint8_t>(0x51 + 7 * reg); }

bool is_saved(int reg) {
  return (reg >= kFirstSaved && reg <= kLastSaved) || reg == R_YL || reg == R_YH;
}

}  // namespace

Machine::Machine(const std::string& elf) {
  avr_global_logger_set(silent);
  elf_firmware_t firmware;
  std::memset(&firmware, 0, sizeof firmware);
  if (elf_read_firmware(elf.c_str(), &firmware) != 0)
    throw std::runtime_error("cannot read firmware " + elf);
  for (std::uint32_t i = 0; i < firmware.symbolcount; ++i) {
    symbols_[firmware.symbol[i]->symbol] = firmware.symbol[i]->addr;
    std::free(firmware.symbol[i]);
  }
  std::free(firmware.symbol);
  firmware.symbol = nullptr;
  firmware.symbolcount = 0;
  avr_ = avr_make_mcu_by_name("atmega128");
  if (avr_ == nullptr) throw std::runtime_error("libsimavr has no atmega128");
  avr_init(avr_);
  avr_->log = LOG_NONE;
  avr_load_firmware(avr_, &firmware);  // copies
  std::free(firmware.flash);
  run_to_main();
}

Machine::~Machine() {
  if (avr_ == nullptr) return;
  avr_terminate(avr_);
  std::free(avr_);
}

std::uint32_t Machine::code(const std::string& symbol) const { return symbols_.at(symbol); }

std::uint16_t Machine::data(const std::string& symbol) const {
  const std::uint32_t address = symbols_.at(symbol);
  if (address < kDataOffset) throw std::out_of_range(symbol + " is not in SRAM");
  return static_cast<std::uint16_t>(address - kDataOffset);
}

std::uint16_t Machine::ram_end() const { return avr_->ramend; }
std::uint16_t Machine::heap_start() const { return data("_end"); }

void Machine::write(std::uint16_t address, const Bytes& bytes) {
  if (address + bytes.size() > avr_->ramend + 1u) throw std::out_of_range("write beyond SRAM");
  if (!bytes.empty()) std::memcpy(avr_->data + address, bytes.data(), bytes.size());
}

Bytes Machine::read(std::uint16_t address, std::size_t size) const {
  if (address + size > avr_->ramend + 1u) throw std::out_of_range("read beyond SRAM");
  return Bytes(avr_->data + address, avr_->data + address + size);
}

Bytes Machine::read_flash(std::uint32_t address, std::size_t size) const {
  if (address + size > avr_->flashend + 1u) throw std::out_of_range("read beyond flash");
  return Bytes(avr_->flash + address, avr_->flash + address + size);
}

// One instruction: with no budget left, avr_run_one returns instead of running ahead.
void Machine::step() {
  const avr_flashaddr_t next = avr_->pc + 2;
  avr_->run_cycle_count = 0;
  avr_->pc = avr_run_one(avr_);
  if (jumps_ == nullptr || avr_->pc == next) return;
  std::uint8_t& count = jumps_[avr_->pc / 2 % kFlashWords];
  if (count != 0xff) ++count;
}

void Machine::run_to_main() {
  main_ = code("main");
  avr_->state = cpu_Running;
  for (std::uint64_t n = 0; avr_->pc != main_; ++n) {
    if (n > 1'000'000 || avr_->state != cpu_Running)
      throw std::runtime_error("firmware does not reach main");
    step();
  }
}

void Machine::set_arguments(const std::vector<std::uint16_t>& arguments) {
  if (arguments.size() > 9) throw std::invalid_argument("more than nine arguments");
  int reg = 24;
  for (const std::uint16_t argument : arguments) {
    avr_->data[reg] = static_cast<std::uint8_t>(argument);
    avr_->data[reg + 1] = static_cast<std::uint8_t>(argument >> 8);
    reg -= 2;
  }
}

std::string Machine::check_registers(std::uint16_t stack_before) const {
  if (_avr_sp_get(avr_) != stack_before) return "stack pointer not restored";
  if (avr_->data[1] != 0) return "r1 is not zero";
  if (avr_->sreg[S_I] != 0) return "interrupt flag changed";
  return "";
}

std::uint16_t Machine::stack_depth() const {
  const std::uint16_t top = avr_->ramend;
  std::uint16_t low = heap_start();
  while (low <= top && avr_->data[low] == kStackFill) ++low;
  return static_cast<std::uint16_t>(top + 1 - low);
}

CallResult Machine::call(const std::string& function, const std::vector<std::uint16_t>& arguments) {
  const std::uint16_t low = heap_start();
  std::memset(avr_->data + low, kStackFill, avr_->ramend + 1u - low);
  for (int reg = 0; reg < 32; ++reg) avr_->data[reg] = saved_pattern(reg);
  avr_->data[1] = 0;
  // Arguments eight and nine travel in call-saved registers, so read back what is really there.
  set_arguments(arguments);
  std::uint8_t before[32];
  std::memcpy(before, avr_->data, sizeof before);
  _avr_sp_set(avr_, avr_->ramend);
  _avr_push_addr(avr_, main_);  // main is the sentinel: nothing else returns there
  const std::uint16_t stack_before = avr_->ramend;

  CallResult result;
  const avr_cycle_count_t start = avr_->cycle;
  avr_->pc = code(function);
  avr_->state = cpu_Running;
  do {
    step();
    if (avr_->state != cpu_Running) {
      result.fault = "simulated CPU stopped";
      return result;
    }
    if (avr_->cycle - start > kCycleLimit) {
      result.fault = "cycle limit";
      return result;
    }
  } while (avr_->pc != main_);

  result.cycles = avr_->cycle - start;
  result.value = static_cast<std::uint16_t>(avr_->data[24] | avr_->data[25] << 8);
  result.stack = stack_depth();
  result.fault = check_registers(stack_before);
  for (int reg = 0; reg < 32 && result.fault.empty(); ++reg)
    if (is_saved(reg) && avr_->data[reg] != before[reg])
      result.fault = "r" + std::to_string(reg) + " not restored";
  if (result.stack >= avr_->ramend + 1 - low && result.fault.empty())
    result.fault = "stack met the heap";
  return result;
}

}  // namespace gpuctr::avr
