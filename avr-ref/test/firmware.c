/* The image that the tests run in the simulator: all of the port, and memory to work in. */
#include <avr/pgmspace.h>
#include <stdint.h>

#include "gpuctr_avr.h"

/* Keys, contexts and data of the test that is running; the tests divide it. */
uint8_t test_arena[3000];

int main(void) {
  for (;;) {
  }
}

/* Functions that break a promise of the ABI, so that the tests know that they would be seen. */
#define BREAKS(name, code) \
  __attribute__((naked)) void test_##name(void) { __asm__ volatile(code); }
BREAKS(keeps_all, "ret")
BREAKS(breaks_r1, "inc r1 \n ret")
BREAKS(breaks_r2, "inc r2 \n ret")
BREAKS(breaks_r17, "inc r17 \n ret")
BREAKS(breaks_y, "inc r28 \n ret")
/* Returns to where it was called from with two bytes too few on the stack. */
BREAKS(breaks_stack, "pop r30 \n pop r31 \n push r31 \n push r30 \n push r31 \n push r30 \n ret")
BREAKS(eats_the_stack,
       "in r30, 0x3d \n in r31, 0x3e \n ldi r26, lo8(700) \n ldi r27, hi8(700) \n"
       "1: st -Z, r1 \n sbiw r26, 1 \n brne 1b \n ret")
BREAKS(never_returns, "1: rjmp 1b")
