// An ATmega128 in libsimavr that calls one function of a firmware image at a time.
//
// The machine runs the image's start-up code as far as main() and stays there. call() then enters
// a function by symbol in the avr-gcc calling convention, counts its clock cycles and checks what
// the convention promises. One object a thread; objects share nothing.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

struct avr_t;

namespace gpuctr::avr {

using Bytes = std::vector<std::uint8_t>;

// What one call did. `fault` is empty when the function kept every promise of the ABI: stack
// balanced, r1 = 0, call-saved registers as they were, nothing written below the stack it used,
// return to the caller within the cycle limit.
struct CallResult {
  std::uint64_t cycles = 0;  // from the first instruction to the return, ret included
  std::uint16_t value = 0;   // r25:r24; an 8-bit result is the low byte
  std::uint16_t stack = 0;   // bytes of stack below the return address, the return address included
  std::string fault;
};

class Machine {
 public:
  // Loads `elf` (built for ATmega128) and runs to main. Throws std::runtime_error on a bad image.
  explicit Machine(const std::string& elf);
  ~Machine();
  Machine(const Machine&) = delete;
  Machine& operator=(const Machine&) = delete;

  // SRAM or flash byte address of a symbol. Throws std::out_of_range when there is none.
  std::uint16_t data(const std::string& symbol) const;
  std::uint32_t code(const std::string& symbol) const;

  void write(std::uint16_t address, const Bytes& bytes);
  Bytes read(std::uint16_t address, std::size_t size) const;
  Bytes read_flash(std::uint32_t address, std::size_t size) const;

  // Calls `function` with 16-bit arguments (pointers, sizes, zero-extended bytes), the first in
  // r25:r24, at most nine. Cycles are exact: no interrupt is on and no timer runs.
  CallResult call(const std::string& function, const std::vector<std::uint16_t>& arguments = {});

  // From now on counts[i] goes up, to 255, each time flash word i is jumped to: a branch taken, a
  // skip, a call, a return. As many bytes as flash has words, the caller's; nullptr stops it.
  void count_jumps(std::uint8_t* counts) { jumps_ = counts; }
  static constexpr std::size_t kFlashWords = 65536;

  std::uint16_t ram_end() const;     // last SRAM address
  std::uint16_t heap_start() const;  // first SRAM byte behind .data and .bss

 private:
  void step();
  void run_to_main();
  void set_arguments(const std::vector<std::uint16_t>& arguments);
  std::string check_registers(std::uint16_t stack_before) const;
  std::uint16_t stack_depth() const;

  avr_t* avr_ = nullptr;
  std::uint8_t* jumps_ = nullptr;
  std::map<std::string, std::uint32_t> symbols_;
  std::uint32_t main_ = 0;
};

}  // namespace gpuctr::avr
