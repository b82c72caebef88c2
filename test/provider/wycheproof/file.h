// Reads the compact text that test/vectors/wycheproof/convert.py makes of a file of Wycheproof.
#ifndef GPUCTR_TEST_PROVIDER_WYCHEPROOF_FILE_H
#define GPUCTR_TEST_PROVIDER_WYCHEPROOF_FILE_H

#include <string>
#include <vector>

#include "test/support/vectors.h"

namespace gpuctr::test::wycheproof {

// A field that the file's type lacks is empty.
struct Case {
  std::string id;      // Wycheproof's tcId
  std::string result;  // "valid", "invalid" or "acceptable"
  Bytes key, iv, aad, msg, ct, tag;
};

struct File {
  std::string type;  // Wycheproof's name, as "AeadTest"
  std::string algorithm;
  std::vector<Case> cases;
};

// The file test/vectors/wycheproof/<name>.txt. Throws std::runtime_error for a missing, malformed
// or empty file.
File read(const std::string& name);

// The names of all files of that folder, sorted.
std::vector<std::string> names();

}  // namespace gpuctr::test::wycheproof

#endif
