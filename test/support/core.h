// The least of a libcrypto behind a provider's entry point, for programs that call its dispatch
// tables themselves: the section of openssl.cnf, where there is one, and the errors that the
// provider raised.
#ifndef GPUCTR_TEST_SUPPORT_CORE_H
#define GPUCTR_TEST_SUPPORT_CORE_H

#include <openssl/core_dispatch.h>

#include <cstdarg>
#include <cstdint>
#include <cstdio>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace gpuctr::test {

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
  struct Error {
    std::uint32_t reason = 0;
    std::string data;
  };

  Core() = default;
  explicit Core(Section section) : section_(std::move(section)) {}
  ~Core() {
    if (context_ != nullptr)
      call<OSSL_FUNC_provider_teardown_fn>(OSSL_FUNC_PROVIDER_TEARDOWN)(context_);
  }
  Core(const Core&) = delete;
  Core& operator=(const Core&) = delete;

  // Once, with functions of the core beside ours; they get this object for the core's handle.
  // False: the provider refused.
  bool load(OSSL_provider_init_fn* init, const std::vector<OSSL_DISPATCH>& more = {}) {
    core_ = {{OSSL_FUNC_CORE_NEW_ERROR, reinterpret_cast<void (*)()>(new_error)},
             {OSSL_FUNC_CORE_VSET_ERROR, reinterpret_cast<void (*)()>(vset_error)}};
    if (section_) {
      core_.push_back({OSSL_FUNC_CORE_GET_PARAMS, reinterpret_cast<void (*)()>(get_params)});
    }
    core_.insert(core_.end(), more.begin(), more.end());
    core_.push_back({0, nullptr});
    return init(reinterpret_cast<const OSSL_CORE_HANDLE*>(this), core_.data(), &functions_,
                &context_) == 1;
  }

  // A function of the provider.
  template <class F>
  F* call(int id) const {
    return function<F>(functions_, id);
  }
  void* context() const { return context_; }

  // The dispatch tables of an operation's algorithms by their first names.
  std::map<std::string, const OSSL_DISPATCH*> algorithms(int operation) const {
    std::map<std::string, const OSSL_DISPATCH*> tables;
    int no_store = 1;
    const OSSL_ALGORITHM* a = call<OSSL_FUNC_provider_query_operation_fn>(
        OSSL_FUNC_PROVIDER_QUERY_OPERATION)(context_, operation, &no_store);
    for (; a != nullptr && a->algorithm_names != nullptr; ++a) {
      const std::string names = a->algorithm_names;
      tables[names.substr(0, names.find(':'))] = a->implementation;
    }
    return tables;
  }
  // One of them, or nullptr.
  const OSSL_DISPATCH* find(int operation, const std::string& name) const {
    const auto tables = algorithms(operation);
    const auto found = tables.find(name);
    return found == tables.end() ? nullptr : found->second;
  }

  // Those raised since the last look.
  std::vector<Error> take_errors() { return std::exchange(errors_, {}); }

 private:
  static Core& self(const OSSL_CORE_HANDLE* handle) {
    return *reinterpret_cast<Core*>(const_cast<OSSL_CORE_HANDLE*>(handle));
  }
  static int get_params(const OSSL_CORE_HANDLE* handle, OSSL_PARAM* params) {
    const Section& section = *self(handle).section_;
    for (OSSL_PARAM* p = params; p->key != nullptr; ++p) {
      const auto found = section.find(p->key);
      if (found == section.end()) continue;
      *static_cast<const char**>(p->data) = found->second.c_str();
      p->return_size = found->second.size();
    }
    return 1;
  }
  static void new_error(const OSSL_CORE_HANDLE* handle) { self(handle).errors_.emplace_back(); }
  static void vset_error(const OSSL_CORE_HANDLE* handle, std::uint32_t reason, const char* format,
                         va_list data) {
    auto& errors = self(handle).errors_;
    // A second text for one error counts as an error too.
    if (errors.empty() || errors.back().reason != 0) errors.emplace_back();
    char text[512];
    std::vsnprintf(text, sizeof text, format, data);
    errors.back() = {reason, text};
  }

  std::optional<Section> section_;
  std::vector<OSSL_DISPATCH> core_;
  const OSSL_DISPATCH* functions_ = nullptr;
  void* context_ = nullptr;
  std::vector<Error> errors_;
};

}  // namespace gpuctr::test

#endif
