/* The rest of the example's firmware: it waits, and the test calls. */
#include <stdint.h>

#include "gpuctr_avr.h"

void packet_key(const uint8_t key[16]);
gpuctr_status packet_seal(uint8_t* packet, uint16_t size);
gpuctr_status packet_open(uint8_t* packet, uint16_t size);

uint8_t test_arena[1024];

/* Keeps them in the image. */
void* const volatile test_calls[] = {packet_key, packet_seal, packet_open, test_arena};

int main(void) {
  for (;;) {
    (void)test_calls[0];
  }
}
