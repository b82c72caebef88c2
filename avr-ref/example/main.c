/* A device that encrypts one message and sends it over its serial port: the
 * counter block and the ciphertext, each as a line of hexadecimal digits.
 * message.c has the calls of gpuctr_avr.h. */
#include <avr/interrupt.h>
#include <avr/io.h>
#include <avr/sleep.h>
#include <stdint.h>

#include "gpuctr_avr.h"

gpuctr_status random_start(const uint8_t noise[32], const uint8_t serial[8]);
gpuctr_status message_start(const uint8_t key[16], uint8_t iv[16]);
gpuctr_status message_piece(uint8_t* data, uint16_t size);
void message_end(void);

/* In a product, `noise` comes from the noise source, and each device has a key
 * and a serial number of its own. */
static const uint8_t noise[32] = {0x6e, 0x6f, 0x74, 0x20,
                                  0x72, 0x61, 0x6e, 0x64};
static const uint8_t serial[8] = {0, 0, 0, 0, 0, 0, 0, 1};
static const uint8_t key[16] = {0, 1, 2,  3,  4,  5,  6,  7,
                                8, 9, 10, 11, 12, 13, 14, 15};
static uint8_t message[] = "T=21.5,RH=48,U=3012";

static void send(uint8_t c) {
  while (!(UCSR0A & _BV(UDRE0))) {
  }
  UDR0 = c;
}

static void send_hex(const uint8_t* bytes, uint8_t size) {
  for (uint8_t i = 0; i < size; ++i) {
    send((uint8_t) "0123456789abcdef"[bytes[i] >> 4]);
    send((uint8_t) "0123456789abcdef"[bytes[i] & 15]);
  }
  send('\n');
}

int main(void) {
  uint8_t iv[16];
  UCSR0B = _BV(TXEN0);
  if (random_start(noise, serial) == GPUCTR_OK &&
      message_start(key, iv) == GPUCTR_OK &&
      message_piece(message, sizeof message - 1) == GPUCTR_OK) {
    send_hex(iv, sizeof iv);
    send_hex(message, sizeof message - 1);
  }
  message_end();
  cli(); /* Asleep without interrupts the device stops, and so does the
            simulator. */
  sleep_enable();
  sleep_cpu();
  return 0;
}
