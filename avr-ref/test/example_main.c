/* The rest of the example's firmware: it waits, and the test calls. */
#include <stdint.h>

#include "gpuctr_avr.h"

gpuctr_status random_start(const uint8_t noise[32], const uint8_t serial[8]);
gpuctr_status message_start(const uint8_t key[16], uint8_t iv[16]);
gpuctr_status message_piece(uint8_t* data, uint16_t size);
void message_end(void);

uint8_t test_arena[1024];

/* Keeps them in the image. */
void* const volatile test_calls[] = {random_start, message_start, message_piece, message_end,
                                     test_arena};

int main(void) {
  for (;;) {
    (void)test_calls[0];
  }
}
