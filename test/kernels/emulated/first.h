// The first cipher of a list.
#ifndef GPUCTR_TEST_KERNELS_EMULATED_FIRST_H
#define GPUCTR_TEST_KERNELS_EMULATED_FIRST_H

namespace gpuctr {
template <class... C>
struct CipherList;
namespace emulated {
template <class List>
struct FirstOf;
template <class C, class... Others>
struct FirstOf<CipherList<C, Others...>> {
  using Type = CipherList<C>;
};
}  // namespace emulated
}  // namespace gpuctr

#endif
