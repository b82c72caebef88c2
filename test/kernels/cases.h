// Every backend of this build with every cipher, and every form of GHASH, for tests that go over
// all of them.
#ifndef GPUCTR_TEST_KERNELS_CASES_H
#define GPUCTR_TEST_KERNELS_CASES_H

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/cpu/backend.h"
#include "test/support/gtest_name.h"

namespace gpuctr::test {

struct Case {
  const Backend* backend;
  const CipherSpec* cipher;
};

inline std::vector<Case> cases() {
  std::vector<Case> all;
  const BackendList backends = cpu_backends();
  for (std::size_t m = 0; m < backends.count; ++m) {
    for (std::size_t c = 0; c < kCipherCount; ++c) {
      all.push_back({backends.first[m], &cipher_spec(c)});
    }
  }
  return all;
}

inline std::vector<const char*> backend_names() {
  std::vector<const char*> names;
  const BackendList backends = cpu_backends();
  for (std::size_t i = 0; i < backends.count; ++i) names.push_back(backends.first[i]->name);
  return names;
}

inline std::string case_name(const testing::TestParamInfo<Case>& tested) {
  return gtest_name(std::string(tested.param.backend->name) + "_" + tested.param.cipher->name);
}

inline std::vector<const char*> ghash_form_names() {
  std::vector<const char*> names;
  const GhashList forms = ghash_implementations();
  for (std::size_t i = 0; i < forms.count; ++i) names.push_back(forms.first[i].name);
  return names;
}

inline const GhashImplementation& find_ghash_form(std::string_view name) {
  const GhashList forms = ghash_implementations();
  return *std::find_if(forms.first, forms.first + forms.count,
                       [&](const GhashImplementation& form) { return name == form.name; });
}

// The form of GHASH with as many powers as GCM's loop takes, where this CPU has it; else nullptr.
inline const GhashOps* hash_of_gcm(const CipherOps& ops) {
  const GhashList forms = ghash_implementations();
  for (std::size_t i = 0; i < forms.count && ops.gcm != nullptr; ++i) {
    const GhashImplementation& form = forms.first[i];
    if (form.ops->powers == ops.gcm->powers && form.available()) return form.ops;
  }
  return nullptr;
}

}  // namespace gpuctr::test

#endif
