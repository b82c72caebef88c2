// usage: serial ELF
// Runs a whole firmware image for the ATmega128 in libsimavr and prints what it sends over its
// first serial port, until the device sleeps without interrupts.
#include <cstdarg>
#include <cstdint>
#include <cstdio>
#include <cstring>

extern "C" {
#include <simavr/avr_uart.h>
#include <simavr/sim_avr.h>
#include <simavr/sim_elf.h>
}

namespace {

constexpr std::uint64_t kCycleLimit = 1'000'000'000;  // a minute of the device at 16 MHz

void silent(avr_t*, const int, const char*, va_list) {}

void print(avr_irq_t*, std::uint32_t value, void*) { std::putchar(static_cast<int>(value)); }

}  // namespace

int main(int argc, char** argv) {
  avr_global_logger_set(silent);
  elf_firmware_t firmware;
  std::memset(&firmware, 0, sizeof firmware);
  if (argc != 2 || elf_read_firmware(argv[1], &firmware) != 0) {
    std::fprintf(stderr, "usage: serial ELF, of an image for the ATmega128\n");
    return 2;
  }
  avr_t* const avr = avr_make_mcu_by_name("atmega128");
  if (avr == nullptr) return std::fprintf(stderr, "libsimavr has no atmega128\n"), 1;
  avr_init(avr);
  avr->log = LOG_NONE;
  avr->frequency = 16'000'000;
  avr_load_firmware(avr, &firmware);
  std::uint32_t flags = 0;  // libsimavr's own copy of the output is off
  avr_ioctl(avr, AVR_IOCTL_UART_SET_FLAGS('0'), &flags);
  avr_irq_register_notify(avr_io_getirq(avr, AVR_IOCTL_UART_GETIRQ('0'), UART_IRQ_OUTPUT), print,
                          nullptr);
  int state = cpu_Running;
  while (state != cpu_Done && state != cpu_Crashed && avr->cycle < kCycleLimit)
    state = avr_run(avr);
  if (state != cpu_Done) {
    std::fprintf(stderr, "the image %s\n", state == cpu_Crashed ? "crashed" : "did not end");
    return 1;
  }
  return std::fflush(stdout) == 0 ? 0 : 1;
}
