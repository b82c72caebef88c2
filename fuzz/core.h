// A libcrypto of a few functions, for targets that call the provider's own dispatch tables: what
// openssl.cnf would say, and the errors that the provider put on the queue.
#ifndef GPUCTR_FUZZ_CORE_H
#define GPUCTR_FUZZ_CORE_H

#include <openssl/core_dispatch.h>
#include <openssl/core_names.h>
#include <openssl/self_test.h>

#include <cstring>
#include <map>
#include <string>

#include "fuzz/input.h"
#include "provider/context.h"
#include "provider/errors.h"
#include "provider/params.h"

extern "C" OSSL_provider_init_fn OSSL_provider_init;

namespace gpuctr::fuzz {

// The function with this number in a dispatch table, or nullptr.
template <class F>
F* function(const OSSL_DISPATCH* table, int id) {
  for (; table->function_id != 0; ++table) {
    if (table->function_id == id) return reinterpret_cast<F*>(table->function);
  }
  return nullptr;
}

class Core {
 public:
  using Section = std::map<std::string, std::string>;

  // Loads the provider, which must take this section.
  explicit Core(const Section& section) : section_(section) {
    static const OSSL_DISPATCH kFunctions[] = {
        {OSSL_FUNC_CORE_GET_PARAMS, reinterpret_cast<void (*)()>(get_params)},
        {OSSL_FUNC_CORE_NEW_ERROR, reinterpret_cast<void (*)()>(new_error)},
        {OSSL_FUNC_CORE_VSET_ERROR, reinterpret_cast<void (*)()>(set_error)},
        {OSSL_FUNC_CORE_GET_LIBCTX, reinterpret_cast<void (*)()>(get_library)},
        {OSSL_FUNC_SELF_TEST_CB, reinterpret_cast<void (*)()>(get_callback)},
        {0, nullptr}};
    require(OSSL_provider_init(reinterpret_cast<const OSSL_CORE_HANDLE*>(this), kFunctions,
                               &functions_, &context_) == 1,
            "the provider loads");
  }
  ~Core() { call<OSSL_FUNC_provider_teardown_fn>(OSSL_FUNC_PROVIDER_TEARDOWN)(context_); }
  Core(const Core&) = delete;
  Core& operator=(const Core&) = delete;

  template <class F>
  F* call(int id) const {
    return function<F>(functions_, id);
  }
  void* context() const { return context_; }
  Engine& engine() const { return *static_cast<ProviderContext*>(context_)->engine; }

  // The dispatch table of an algorithm by its first name, or nullptr.
  const OSSL_DISPATCH* find(int operation, const std::string& name) const {
    int no_store = 1;
    const OSSL_ALGORITHM* a = call<OSSL_FUNC_provider_query_operation_fn>(
        OSSL_FUNC_PROVIDER_QUERY_OPERATION)(context_, operation, &no_store);
    for (; a != nullptr && a->algorithm_names != nullptr; ++a) {
      const std::string names = a->algorithm_names;
      if (names.substr(0, names.find(':')) == name) return a->implementation;
    }
    return nullptr;
  }

  // After a call: no error where it succeeded, and one, with data, where it was refused.
  void check_errors(bool succeeded) {
    require(errors_ == (succeeded ? 0u : 1u),
            succeeded ? "an error without a refusal" : "one error for one refusal");
    require(succeeded || !text_.empty(), "an error has data");
    errors_ = 0;
    text_.clear();
  }
  void forget_errors() { errors_ = 0; }

  // Of the self-test's offers to corrupt a test the nth is taken, from 1.
  void corrupt(unsigned nth) { corrupt_ = nth; }

 private:
  static Core* self(const void* handle) { return static_cast<Core*>(const_cast<void*>(handle)); }
  static int get_params(const OSSL_CORE_HANDLE* core, OSSL_PARAM* params) {
    for (OSSL_PARAM* p = params; p->key != nullptr; ++p) {
      const auto found = self(core)->section_.find(p->key);
      if (found == self(core)->section_.end()) continue;
      *static_cast<const char**>(p->data) = found->second.c_str();
      p->return_size = found->second.size();
    }
    return 1;
  }
  static void new_error(const OSSL_CORE_HANDLE* core) { ++self(core)->errors_; }
  static void set_error(const OSSL_CORE_HANDLE* core, std::uint32_t, const char* format,
                        va_list args) {
    char text[512];
    std::vsnprintf(text, sizeof text, format, args);
    self(core)->text_ = text;
  }
  static OPENSSL_CORE_CTX* get_library(const OSSL_CORE_HANDLE* core) {
    return reinterpret_cast<OPENSSL_CORE_CTX*>(self(core));
  }
  static void get_callback(OPENSSL_CORE_CTX* library, OSSL_CALLBACK** callback, void** argument) {
    *callback = event;
    *argument = library;
  }
  static int event(const OSSL_PARAM params[], void* argument) {
    Core* const core = self(argument);
    const OSSL_PARAM* const phase = find_param(params, OSSL_PROV_PARAM_SELF_TEST_PHASE);
    require(phase != nullptr, "an event has a phase");
    if (std::strcmp(static_cast<const char*>(phase->data), OSSL_SELF_TEST_PHASE_CORRUPT) != 0) {
      return 1;
    }
    return ++core->offers_ == core->corrupt_ ? 0 : 1;
  }

  Section section_;
  const OSSL_DISPATCH* functions_ = nullptr;
  void* context_ = nullptr;
  unsigned errors_ = 0;
  std::string text_;
  unsigned offers_ = 0;
  unsigned corrupt_ = 0;
};

}  // namespace gpuctr::fuzz

#endif
