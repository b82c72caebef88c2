// Names of tests with parameters.
#ifndef GPUCTR_TEST_SUPPORT_GTEST_NAME_H
#define GPUCTR_TEST_SUPPORT_GTEST_NAME_H

#include <algorithm>
#include <string>

namespace gpuctr::test {

// "CHAM_64_128": a name where GoogleTest takes letters, digits and '_' only.
inline std::string gtest_name(std::string name) {
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

}  // namespace gpuctr::test

#endif
