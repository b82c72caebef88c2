// The module's file and OpenSSL's attempts to load it.
#ifndef GPUCTR_PROVIDER_CHECK_MODULE_H
#define GPUCTR_PROVIDER_CHECK_MODULE_H

#include <openssl/crypto.h>

#include <memory>
#include <string>

#include "provider/check/file.h"

namespace gpuctr::check {

struct FreeLibrary {
  void operator()(OSSL_LIB_CTX* library) const { OSSL_LIB_CTX_free(library); }
};
using Library = std::unique_ptr<OSSL_LIB_CTX, FreeLibrary>;

// The folder in which OpenSSL looks for modules without an absolute path.
std::string modules_folder();

// The file that OpenSSL loads for a provider of this name. `module`: the value of its key `module`,
// or nullptr.
std::string module_path(const std::string& name, const char* module);

// "": the file is a provider for this machine. Else the reason why not, as the end of a sentence
// that begins with the path.
std::string module_fault(const std::string& path);

// Whether the file is a truncated module. Loading such a file ends the process.
bool is_cut_off(const std::string& path);

// Loads a provider with the lines of a section, whether or not the section activates the provider:
// OpenSSL 3.0 drops the errors of `activate = 1`. "": the provider loads. Else the reason why not.
std::string load_fault(const File& file, const std::string& name, const std::string& section);

// Empties OpenSSL's error queue and returns the oldest error with its data.
std::string oldest_error();

}  // namespace gpuctr::check

#endif
