/* The least program that uses one cipher, -DCIPHER=..., for -DCTR, -DCMAC, -DCCM or -DDRBG, or
 * nothing at all.
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
#elif defined CMAC
  gpuctr_set_key(&CIPHER, AT(void, 0x200), AT(const uint8_t, 0x600));
  gpuctr_cmac_init(AT(gpuctr_cmac, 0x640), &CIPHER, AT(void, 0x200));
  for (;;) {
    gpuctr_cmac_update(AT(gpuctr_cmac, 0x640), AT(const uint8_t, 0x800), 100);
    gpuctr_cmac_final(AT(gpuctr_cmac, 0x640), AT(uint8_t, 0x700), 8);
  }
#elif defined CCM
  gpuctr_set_key(&CIPHER, AT(void, 0x200), AT(const uint8_t, 0x600));
  for (;;) {
    gpuctr_ccm_seal(&CIPHER, AT(void, 0x200), AT(const gpuctr_bytes, 0x640),
                    AT(const gpuctr_bytes, 0x644), AT(uint8_t, 0x700), AT(const uint8_t, 0x800),
                    100, AT(uint8_t, 0x780), 8);
    gpuctr_ccm_open(&CIPHER, AT(void, 0x200), AT(const gpuctr_bytes, 0x640),
                    AT(const gpuctr_bytes, 0x644), AT(uint8_t, 0x800), AT(const uint8_t, 0x700),
                    100, AT(const uint8_t, 0x780), 8);
  }
#elif defined DRBG
  gpuctr_drbg_instantiate(AT(gpuctr_drbg, 0x640), &CIPHER, AT(void, 0x200),
                          AT(const gpuctr_bytes, 0x600), AT(const gpuctr_bytes, 0x604), 0, 0);
  for (;;) {
    gpuctr_drbg_generate(AT(gpuctr_drbg, 0x640), AT(uint8_t, 0x700), 100, 0, 0);
  }
#endif
}
