// Runs the kernels' tests of what is emulated, unless a filter says otherwise.
#include <gtest/gtest.h>

#include "filter.h"

int main(int count, char** arguments) {
  testing::InitGoogleTest(&count, arguments);
  if (testing::GTEST_FLAG(filter) == "*") testing::GTEST_FLAG(filter) = kEmulated;
  return RUN_ALL_TESTS();
}
