#include "kernels/cpu/ghash.h"

#include "kernels/cpu/tables.h"

namespace gpuctr {
namespace {

// Best first. Here and not in the forms' own files, which are compiled for other CPUs.
constexpr GhashForm kForms[] = {
    {"portable", [] { return true; }, 0, &cpu::scalar_ghash},
};
constexpr std::size_t kCount = sizeof kForms / sizeof kForms[0];

}  // namespace

GhashFormList ghash_forms() { return {kForms, kCount}; }

const GhashForm& best_ghash(std::size_t vector_bytes) {
  for (const GhashForm& form : kForms) {
    if (form.vector_bytes <= vector_bytes && form.available()) return form;
  }
  return kForms[kCount - 1];
}

}  // namespace gpuctr
