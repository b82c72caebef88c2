// What can be wrong in an openssl.cnf with gpuctr in it.
#ifndef GPUCTR_PROVIDER_CHECK_RULES_H
#define GPUCTR_PROVIDER_CHECK_RULES_H

#include <string>

#include "provider/check/file.h"
#include "provider/check/findings.h"

namespace gpuctr::check {

// Where the file has what matters here. An empty name: nowhere.
struct Places {
  std::string init;       // the section that openssl_conf names
  std::string providers;  // the list of providers
  std::string name;       // of our provider in that list, as OpenSSL calls it
  std::string section;    // ours, reached or not
  std::string random;     // the section of the random generator
  bool listed = false;    // `providers` has our provider
};

// Follows OpenSSL's way through the file, and reports where it ends too early.
Places find_places(const File& file, Findings* findings);

// Our section: misspelt keys, values that name a section, activate, and the module's path.
void check_section(const File& file, const Places& places, Findings* findings);

// The rest of the file: the default provider's section, doubled and unreached sections, [random].
void check_rest(const File& file, const Places& places, Findings* findings);

}  // namespace gpuctr::check

#endif
