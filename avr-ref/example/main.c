/* A device that seals one reading and sends the packet over its serial port,
 * as a line of hexadecimal digits. message.c has the calls of gpuctr_avr.h. */
#include <avr/eeprom.h>
#include <avr/interrupt.h>
#include <avr/io.h>
#include <avr/sleep.h>
#include <stdint.h>
#include <string.h>

#include "gpuctr_avr.h"

void packet_key(const uint8_t key[16]);
gpuctr_status packet_seal(uint8_t* packet, uint16_t size);

/* In a product, each device has a number and a key of its own. */
static const uint8_t key[16] = {0, 1, 2,  3,  4,  5,  6,  7,
                                8, 9, 10, 11, 12, 13, 14, 15};
static const uint32_t device = 1;
static const char reading[] = "T=21.5,RH=48,U=3012";

/* The packets' counter must not repeat, also after a reset: its high half
 * numbers the starts, its low half the packets since the start. */
static uint32_t EEMEM starts;

static void write_number(uint8_t* p, uint32_t n) {
  for (uint8_t i = 4; i-- != 0; n >>= 8) p[i] = (uint8_t)n;
}

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
  uint8_t packet[12 + sizeof reading - 1 + 8];
  const uint32_t start = eeprom_read_dword(&starts) + 1;
  eeprom_update_dword(&starts, start);
  UCSR0B = _BV(TXEN0);
  packet_key(key);
  write_number(packet, device);
  write_number(packet + 4, start);
  write_number(packet + 8, 1); /* the first packet */
  memcpy(packet + 12, reading, sizeof reading - 1);
  if (packet_seal(packet, sizeof reading - 1) == GPUCTR_OK)
    send_hex(packet, sizeof packet);
  cli(); /* Asleep without interrupts the device stops, and so does the
            simulator. */
  sleep_enable();
  sleep_cpu();
  return 0;
}
