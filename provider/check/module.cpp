#include "provider/check/module.h"

#include <dlfcn.h>
#include <link.h>
#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/provider.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <set>

namespace gpuctr::check {
namespace {

using ElfStart = ElfW(Ehdr);

bool read_start(const std::string& path, ElfStart* start) {
  std::ifstream in(path, std::ios::binary);
  in.read(reinterpret_cast<char*>(start), sizeof *start);
  return in.gcount() == sizeof *start && std::memcmp(start->e_ident, ELFMAG, SELFMAG) == 0;
}

// Escapes a value so that OpenSSL reads it back unchanged.
std::string escaped(const std::string& value) {
  std::string text;
  for (const char c : value) {
    if (c == '\n' || c == '\r' || c == '\t' || c == '\b') {
      text += std::string("\\") + (c == '\n' ? 'n' : c == '\r' ? 'r' : c == '\t' ? 't' : 'b');
    } else {
      if (std::strchr("\\\"'`#$ ", c) != nullptr) text += '\\';
      text += c;
    }
  }
  return text;
}

// Writes a section, and every section whose name is a value in it: OpenSSL replaces such a value by
// that section.
void write_section(const File& file, const std::string& section, bool of_provider,
                   std::set<std::string>* written, std::string* text) {
  if (!written->insert(section).second) return;
  *text += "[" + section + "]\n";
  const Pairs pairs = file.pairs(section);
  for (const auto& [key, value] : pairs) {
    if (of_provider && (key == "activate" || key == "soft_load" || key == "identity")) continue;
    *text += key + " = " + escaped(value) + "\n";
  }
  for (const auto& [key, value] : pairs) {
    if (file.has(value)) write_section(file, value, false, written, text);
  }
  ERR_clear_error();
}

}  // namespace

std::string modules_folder() {
  const char* folder = std::getenv("OPENSSL_MODULES");
  if (folder == nullptr) folder = OPENSSL_info(OPENSSL_INFO_MODULES_DIR);
  return folder != nullptr ? folder : "";
}

std::string module_path(const std::string& name, const char* module) {
  if (module == nullptr) return modules_folder() + "/" + name + ".so";
  return module[0] == '/' ? module : modules_folder() + "/" + module;
}

std::string module_fault(const std::string& path) {
  struct stat status {};
  if (stat(path.c_str(), &status) != 0) {
    return errno == ENOENT ? "is not there"
                           : std::string("cannot be read: ") + std::strerror(errno);
  }
  if (S_ISDIR(status.st_mode)) return "is a folder: write the path of gpuctr.so in it";
  if (!std::ifstream(path)) return "cannot be read: its permissions forbid that";
  ElfStart module{}, self{};
  if (!read_start(path, &module) || module.e_type != ET_DYN) return "is not a module";
  if (read_start("/proc/self/exe", &self) &&
      (module.e_machine != self.e_machine || module.e_ident[EI_CLASS] != self.e_ident[EI_CLASS])) {
    return "is a module for another kind of CPU: install the one that was built for this machine";
  }
  if (is_cut_off(path)) return "is not complete: copy it again";
  void* const handle = dlopen(path.c_str(), RTLD_LAZY | RTLD_LOCAL);
  if (handle == nullptr) return std::string("cannot be loaded: ") + dlerror();
  const bool is_provider = dlsym(handle, "OSSL_provider_init") != nullptr;
  dlclose(handle);
  return is_provider ? "" : "is a library, but not a provider of OpenSSL's";
}

// The linker writes the section table at the end of the file.
bool is_cut_off(const std::string& path) {
  ElfStart start{};
  struct stat status {};
  if (!read_start(path, &start) || stat(path.c_str(), &status) != 0) return false;
  const std::uint64_t end = start.e_shoff + std::uint64_t{start.e_shnum} * start.e_shentsize;
  return static_cast<std::uint64_t>(status.st_size) < end;
}

namespace {

std::string load_once(const File& file, const std::string& name, const std::string& section,
                      bool activates) {
  std::string text =
      "openssl_conf = gpuctr_check_init\n[gpuctr_check_init]\nproviders = gpuctr_check_providers\n"
      "[gpuctr_check_providers]\n" +
      name + " = " + section + "\n";
  std::set<std::string> written;
  write_section(file, section, true, &written, &text);
  if (activates) text += "[" + section + "]\nactivate = 1\n";
  ERR_clear_error();
  const Library library(OSSL_LIB_CTX_new());
  const std::unique_ptr<CONF, FreeConf> conf(NCONF_new_ex(library.get(), nullptr));
  BIO* const bio = BIO_new_mem_buf(text.data(), static_cast<int>(text.size()));
  const bool read = NCONF_load_bio(conf.get(), bio, nullptr) == 1 &&
                    CONF_modules_load(conf.get(), nullptr, 0) == 1;
  BIO_free(bio);
  if (!read) return oldest_error();
  OSSL_PROVIDER* const provider = OSSL_PROVIDER_load(library.get(), name.c_str());
  if (provider == nullptr) return oldest_error();
  OSSL_PROVIDER_unload(provider);
  return "";
}

}  // namespace

// Without `activate` at first: with it some versions give no reason. OpenSSL 3.0.13, of
// Ubuntu 24.04, forgets a section without it, and looks for the module in its own folder.
std::string load_fault(const File& file, const std::string& name, const std::string& section) {
  const std::string fault = load_once(file, name, section, false);
  if (fault.empty()) return "";
  const std::string again = load_once(file, name, section, true);
  if (again.empty()) return "";
  const std::string path = module_path(name, file.value(section, "module"));
  const bool elsewhere =
      fault.find("filename(") != std::string::npos && fault.find(path) == std::string::npos;
  return elsewhere ? again : fault;
}

std::string oldest_error() {
  const char* data = nullptr;
  int flags = 0;
  const unsigned long code = ERR_get_error_all(nullptr, nullptr, nullptr, &data, &flags);
  const char* const reason = ERR_reason_error_string(code);
  std::string text = reason != nullptr ? reason : "";
  if ((flags & ERR_TXT_STRING) != 0 && data[0] != '\0') {
    text += (text.empty() ? "" : ": ") + std::string(data);
  }
  ERR_clear_error();
  return text.empty() ? "OpenSSL gives no reason" : text;
}

}  // namespace gpuctr::check
