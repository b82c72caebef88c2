// Every machine of this build with every cipher, for tests that go over all of them.
#ifndef GPUCTR_TEST_KERNELS_CASES_H
#define GPUCTR_TEST_KERNELS_CASES_H

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "kernels/cpu/backend.h"

namespace gpuctr::test {

struct Case {
  const Machine* machine;
  const CipherSpec* cipher;
};

inline std::vector<Case> cases() {
  std::vector<Case> all;
  const MachineList machines = cpu_machines();
  for (std::size_t m = 0; m < machines.count; ++m) {
    for (std::size_t c = 0; c < kCipherCount; ++c) {
      all.push_back({machines.first[m], &cipher_spec(c)});
    }
  }
  return all;
}

inline std::string case_name(const testing::TestParamInfo<Case>& tested) {
  std::string name = std::string(tested.param.machine->name) + "_" + tested.param.cipher->name;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

}  // namespace gpuctr::test

#endif
