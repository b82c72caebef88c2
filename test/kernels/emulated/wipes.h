// What an emulated unit says of its wiping: the model has no vector registers.
#ifndef GPUCTR_TEST_KERNELS_EMULATED_WIPES_H
#define GPUCTR_TEST_KERNELS_EMULATED_WIPES_H

namespace gpuctr::emulated {

struct Wipes {
  unsigned registers, stack;  // calls
};
extern Wipes wipes;

}  // namespace gpuctr::emulated

#endif
