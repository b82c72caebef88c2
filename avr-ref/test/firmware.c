/* The image that the tests run in the simulator: all of the port, and memory to work in. */
#include <avr/pgmspace.h>
#include <stdint.h>

#include "gpuctr_avr.h"

/* Keys, contexts and data of the test that is running; the tests divide it. */
uint8_t test_arena[2800];

int main(void) {
  for (;;) {
  }
}
