// AES on bit-sliced words, for a device that computes any function of three bits at once. B is a
// plane: one bit of each of 32 blocks. Plane 8 i + j has bit j of byte i.
#ifndef GPUCTR_KERNELS_CIPHER_AES_CUDA_BIT_SLICED_H
#define GPUCTR_KERNELS_CIPHER_AES_CUDA_BIT_SLICED_H

#include "kernels/cipher/aes/aes.h"

namespace gpuctr {

struct AesBitSliced {
  static constexpr unsigned kPlanes = 128;

  template <unsigned Map, class B>
  GPUCTR_HD static B lut(B a, B b, B c) {
    return B::template logic3<Map>(a, b, c);
  }
  template <class B>
  GPUCTR_HD static B sum(B a, B b, B c) {
    return lut<0x96>(a, b, c);
  }

  // x = S(x) + k in 75 LUT3, mapped by ABC (mfs2, dch, if -K 3) from the circuit aes_box() of
  // kernels/cipher/bit_sliced.h, whose names x0 to x7 and s0 to s7 these are.
  template <class B>
  GPUCTR_HD static void add_box(B* x, const B (&k)[8]) {
    const B x0 = x[7], x1 = x[6], x2 = x[5], x3 = x[4], x4 = x[3], x5 = x[2], x6 = x[1], x7 = x[0];
    const B k0 = k[7], k1 = k[6], k2 = k[5], k3 = k[4], k4 = k[3], k5 = k[2], k6 = k[1], k7 = k[0];
    const B t0 = lut<0x3c>(x3, x5, x3);
    const B t1 = lut<0xc3>(x0, x6, x0);
    const B t2 = lut<0x96>(x1, x2, x7);
    const B t3 = lut<0x3c>(x0, x5, x0);
    const B t4 = lut<0x3c>(t0, t1, t0);
    const B t5 = lut<0x0c>(x6, t2, x6);
    const B t6 = lut<0x69>(t1, x3, x4);
    const B t7 = lut<0x96>(t2, t3, x6);
    const B t8 = lut<0x28>(t2, x3, x7);
    const B t9 = lut<0x3c>(t2, x0, t2);
    const B t10 = lut<0x96>(t4, x1, x4);
    const B t11 = lut<0x69>(t6, x1, x2);
    const B t12 = lut<0x0c>(t4, t6, t4);
    const B t13 = lut<0x28>(t6, x7, t7);
    const B t14 = lut<0x69>(t10, x0, x3);
    const B t15 = lut<0x28>(x0, x3, t10);
    const B t16 = lut<0x69>(t10, t12, t13);
    const B t17 = lut<0xa6>(t3, t11, t8);
    const B t18 = lut<0x96>(t14, x1, x2);
    const B t19 = lut<0x82>(t14, t11, t0);
    const B t20 = lut<0x69>(t15, t17, t12);
    const B t21 = lut<0x28>(t14, x7, t9);
    const B t22 = lut<0x59>(t11, t3, t15);
    const B t23 = lut<0x59>(t18, t1, t5);
    const B t24 = lut<0x96>(t19, t15, t16);
    const B t25 = lut<0x8d>(x0, x6, t18);
    const B t26 = lut<0x69>(t23, t19, t15);
    const B t27 = lut<0x96>(t25, t21, t22);
    const B t28 = lut<0xa6>(t26, t24, t20);
    const B t29 = lut<0xa8>(t24, t26, t27);
    const B t30 = lut<0x15>(t24, t27, t20);
    const B t31 = lut<0x45>(t24, t26, t20);
    const B t32 = lut<0xa8>(t20, t26, t24);
    const B t33 = lut<0x8d>(t27, t26, t28);
    const B t34 = lut<0x95>(t26, t24, t30);
    const B t35 = lut<0x4e>(t32, t31, t27);
    const B t36 = lut<0x51>(t26, t33, t29);
    const B t37 = lut<0x3c>(t33, t35, t33);
    const B t38 = lut<0x82>(t35, t34, t18);
    const B t39 = lut<0x09>(t1, t34, t35);
    const B t40 = lut<0x06>(t35, t14, x7);
    const B t41 = lut<0x06>(t33, t2, x3);
    const B t42 = lut<0x28>(t2, x6, t34);
    const B t43 = lut<0xc3>(t36, t34, t36);
    const B t44 = lut<0x28>(x0, x3, t37);
    const B t45 = lut<0x06>(t4, t36, t33);
    const B t46 = lut<0x6a>(t34, t2, t38);
    const B t47 = lut<0x28>(t36, t33, t6);
    const B t48 = lut<0x06>(t36, t6, x7);
    const B t49 = lut<0xc3>(t43, t37, t43);
    const B t50 = lut<0x96>(t46, t47, t48);
    const B t51 = lut<0x59>(t11, t43, t39);
    const B t52 = lut<0xa6>(t33, x7, t47);
    const B t53 = lut<0xc0>(t43, t3, t43);
    const B t54 = lut<0xa6>(t49, t0, t44);
    const B t55 = lut<0x09>(t49, t14, t11);
    const B t56 = lut<0x96>(t53, t44, k2);
    const B t57 = lut<0x69>(t52, t38, t40);
    const B t58 = lut<0xa6>(t36, t7, t54);
    const B t59 = lut<0x3c>(t55, t46, t55);
    const B t60 = lut<0x96>(t54, t57, t42);
    const B t61 = lut<0x3c>(t58, t45, t58);
    const B t62 = lut<0x6a>(t37, t14, t59);
    const B t63 = lut<0x69>(t59, t51, t52);
    const B t64 = lut<0x96>(t58, t41, k5);
    const B s7 = lut<0x96>(t60, t39, k7);
    const B s0 = lut<0x96>(t61, t62, k0);
    const B t65 = lut<0xc3>(t61, t50, t61);
    const B t66 = lut<0xa6>(t35, t9, t63);
    const B s6 = lut<0x96>(t63, t60, k6);
    const B s1 = lut<0x96>(t65, t62, k1);
    const B s2 = lut<0x69>(t66, t62, t56);
    const B s3 = lut<0xc3>(t65, k3, t65);
    const B s4 = lut<0x96>(t65, t57, k4);
    const B s5 = lut<0x3c>(t66, t64, t66);
    x[7] = s0, x[6] = s1, x[5] = s2, x[4] = s3, x[3] = s4, x[2] = s5, x[1] = s6, x[0] = s7;
  }

  // SubBytes and ShiftRows; then the key, whose masks of byte i key(i, k) writes to k.
  template <class B, class K>
  GPUCTR_HD static void sub_shift_add(B (&x)[kPlanes], const K& key) {
    B y[kPlanes];
    GPUCTR_DEVICE_UNROLL
    for (unsigned i = 0; i < 16; ++i) {
      B k[8];
      key(i, k);
      GPUCTR_DEVICE_UNROLL
      for (unsigned j = 0; j < 8; ++j) y[8 * i + j] = x[8 * ((i + 4 * (i % 4)) % 16) + j];
      add_box(y + 8 * i, k);
    }
    GPUCTR_DEVICE_UNROLL
    for (unsigned i = 0; i < kPlanes; ++i) x[i] = y[i];
  }

  // With t = a + b, the sum of a byte and the byte below it, MixColumns makes 2 t + b + (c + d).
  template <class B>
  GPUCTR_HD static void mix_column(B* a) {
    B t[32], mixed[32];
    GPUCTR_DEVICE_UNROLL
    for (unsigned i = 0; i < 32; ++i) t[i] = lut<0x3c>(a[i], a[(i + 8) % 32], a[i]);
    GPUCTR_DEVICE_UNROLL
    for (unsigned i = 0; i < 32; ++i) {
      const unsigned r = i / 8 * 8, j = i % 8;
      B bit = sum(t[r + (j + 7) % 8], a[(i + 8) % 32], t[(i + 16) % 32]);
      if (j == 1 || j == 3 || j == 4)
        bit = lut<0x3c>(bit, t[r + 7], bit);  // x^8 = x^4 + x^3 + x + 1
      mixed[i] = bit;
    }
    GPUCTR_DEVICE_UNROLL
    for (unsigned i = 0; i < 32; ++i) a[i] = mixed[i];
  }

  // A round; its key comes before MixColumns.
  template <class B, class K>
  GPUCTR_HD static void round(B (&x)[kPlanes], const K& key) {
    sub_shift_add(x, key);
    GPUCTR_DEVICE_UNROLL
    for (unsigned c = 0; c < 4; ++c) mix_column(x + 32 * c);
  }
};

}  // namespace gpuctr

#endif
