/* The least program that uses one cipher, -DCIPHER=..., for -DCTR or for -DDRBG, or nothing at all.
 * Its buffers are addresses, so that only the port's own memory is counted. */
#include "gpuctr_avr.h"

#define AT(type, address) ((type*)(address))

int main(void) {
#if defined CTR
  gpuctr_set_key(&CIPHER, AT(void, 0x200), AT(const uint8_t, 0x600));
  gpuctr_ctr_init(AT(gpuctr_ctr, 0x640), &CIPHER, AT(void, 0x200), AT(const uint8_t, 0x620));
  for (;;) {
    gpuctr_ctr_crypt(AT(gpuctr_ctr, 0x640), AT(uint8_t, 0x700), AT(const uint8_t, 0x800), 100);
  }
#elif defined DRBG
  gpuctr_drbg_instantiate(AT(gpuctr_drbg, 0x640), &CIPHER, AT(void, 0x200),
                          AT(const gpuctr_bytes, 0x600), AT(const gpuctr_bytes, 0x604), 0, 0);
  for (;;) {
    gpuctr_drbg_generate(AT(gpuctr_drbg, 0x640), AT(uint8_t, 0x700), 100, 0, 0);
  }
#endif
}
