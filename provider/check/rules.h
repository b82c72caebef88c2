// The checks for faults in an openssl.cnf that configures gpuctr.
#ifndef GPUCTR_PROVIDER_CHECK_RULES_H
#define GPUCTR_PROVIDER_CHECK_RULES_H

#include <string>

#include "provider/check/file.h"
#include "provider/check/findings.h"

namespace gpuctr::check {

// The sections of the file that matter here. An empty name: the file has no such section.
struct Places {
  std::string init;       // the section that openssl_conf names
  std::string providers;  // the list of providers
  std::string name;       // OpenSSL's name of our provider
  std::string section;    // our provider's section, whether or not OpenSSL reads it
  std::string random;     // the section of the random generator
  bool listed = false;    // `providers` has our provider
};

// Follows the lines that lead OpenSSL to our section, and reports the line at which OpenSSL stops
// too early.
Places find_places(const File& file, Findings* findings);

// Our section: misspelt keys, values that name a section, activate, and the module's path.
void check_section(const File& file, const Places& places, Findings* findings);

// The rest of the file: the default provider's section, doubled and unreached sections, [random].
void check_rest(const File& file, const Places& places, Findings* findings);

}  // namespace gpuctr::check

#endif
