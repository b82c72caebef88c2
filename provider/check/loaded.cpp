#include "provider/check/loaded.h"

#include <openssl/core_names.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/params.h>
#include <openssl/provider.h>
#include <openssl/rand.h>

#include <algorithm>
#include <cstdio>

namespace gpuctr::check {
namespace {

constexpr std::size_t kLineWidth = 78;

std::string text_of(const char* value) { return value != nullptr ? value : ""; }

// Whether a name ends in its mode, as "ARIA-128-CTR", and is no name of an OID, as "id-aes128-CCM".
bool names_mode(const std::string& name) {
  const std::size_t dash = name.rfind('-');
  if (dash == std::string::npos || name.compare(0, 3, "id-") == 0) return false;
  const std::string mode = name.substr(dash + 1);
  for (const char* known : {"CTR", "ECB", "CBC", "GCM", "CCM", "XTS"}) {
    if (mode == known) return true;
  }
  return false;
}

// Picks a name such as "ARIA-128-CTR" from a cipher's names. In some lists, OIDs and aliases
// precede this name; in HIGHT's an alias that is longer follows it.
std::string full_name(const EVP_CIPHER* cipher) {
  std::string first = text_of(EVP_CIPHER_get0_name(cipher));
  if (names_mode(first)) return first;
  std::string best;
  EVP_CIPHER_names_do_all(
      cipher,
      [](const char* name, void* found) {
        auto* const text = static_cast<std::string*>(found);
        const std::string candidate = name;
        // The longest name is the name with the key size.
        if (names_mode(candidate) && candidate.size() > text->size()) *text = candidate;
      },
      &best);
  return best.empty() ? first : best;
}

// Prints words, separated by spaces, in lines of limited width. The first line begins with `start`,
// the others with spaces.
void print_words(const std::string& start, const std::vector<std::string>& words) {
  std::string line = start;
  for (const std::string& word : words) {
    if (line.size() + 1 + word.size() > kLineWidth && line.size() > start.size()) {
      std::printf("%s\n", line.c_str());
      line = std::string(start.size(), ' ');
    }
    line += " " + word;
  }
  std::printf("%s\n", line.c_str());
}

// Where a cipher's name ends and its mode begins: "AES-128" and "WRAP-PAD-INV".
std::size_t dash_before_mode(const std::string& name) {
  for (const char* const mode : {"-GCM-SIV", "-WRAP"}) {
    const std::size_t at = name.find(mode);
    if (at != std::string::npos) return at;
  }
  return name.rfind('-');
}

}  // namespace

Loaded::Loaded(const File& file, const Places& places, Findings* findings)
    : name_(places.name), library_(OSSL_LIB_CTX_new()) {
  const char* const module = file.value(places.section, "module");
  if (is_cut_off(module_path(name_, module))) return;
  ERR_clear_error();
  const bool taken = OSSL_LIB_CTX_load_config(library_.get(), file.path().c_str()) == 1;
  const std::string error = taken ? "" : oldest_error();
  ours_ = places.listed && OSSL_PROVIDER_available(library_.get(), name_.c_str()) == 1;
  check_others(file, places, findings);
  if (!taken && findings->faults() == 0) {
    findings->fault(file.path(), "OpenSSL refuses this file: " + error);
  }
  if (!ours_ && findings->faults() == 0) findings->fault(file.path(), "gpuctr did not load");
  ERR_clear_error();
  check_default_properties(file, places, findings);
  check_random(file, places, findings);
  if (ours_) list_names();
}

std::string Loaded::version() const {
  OSSL_PROVIDER* const provider = OSSL_PROVIDER_load(library_.get(), name_.c_str());
  char* version = nullptr;
  OSSL_PARAM params[] = {
      OSSL_PARAM_construct_utf8_ptr(OSSL_PROV_PARAM_VERSION, &version, 0),
      OSSL_PARAM_construct_end(),
  };
  const bool known = provider != nullptr && OSSL_PROVIDER_get_params(provider, params) == 1;
  std::string text = known ? text_of(version) : "";
  OSSL_PROVIDER_unload(provider);
  return text;
}

void Loaded::check_others(const File& file, const Places& places, Findings* findings) const {
  for (const auto& [key, section] : file.pairs(places.providers)) {
    const std::string name = key.substr(key.rfind('.') + 1);
    if (name == name_ || name == "default" || file.value(section, "activate") == nullptr) continue;
    if (file.value(section, "identity") != nullptr) continue;
    if (section == places.section || OSSL_PROVIDER_available(library_.get(), name.c_str()) == 1) {
      continue;
    }
    const std::string fault = load_fault(file, name, section);
    if (!fault.empty()) {
      findings->fault(file.where(places.providers, key),
                      std::string(name).append(": this provider does not load: ").append(fault));
    }
  }
}

// With a query without "?", a fetch of an algorithm that the named provider lacks fails.
void Loaded::check_default_properties(const File& file, const Places& places,
                                      Findings* findings) const {
  const std::string section = text_of(file.value(places.init, "alg_section"));
  const char* const query = file.value(section, "default_properties");
  EVP_MD* const hash = EVP_MD_fetch(library_.get(), "SHA256", nullptr);
  if (hash == nullptr && query != nullptr &&
      OSSL_PROVIDER_available(library_.get(), "default") == 1) {
    findings->fault(file.where(section, "default_properties"),
                    std::string("default_properties = ") + query +
                        ": no hash, not even SHA256, meets this: write ?provider=gpuctr");
  }
  EVP_MD_free(hash);
  ERR_clear_error();
}

void Loaded::check_random(const File& file, const Places& places, Findings* findings) {
  const std::string& section = places.random;
  unsigned char bytes[16];
  if (!section.empty()) {
    const char* const wanted = file.value(section, "random");
    const char* const query = file.value(section, "properties");
    EVP_RAND* const found =
        wanted == nullptr ? nullptr : EVP_RAND_fetch(library_.get(), wanted, query);
    if (wanted != nullptr && found == nullptr && !ours_) {
      findings->note(file.where(section, "random"), std::string("random = ") + wanted +
                                                        ": without gpuctr programs get no random "
                                                        "bytes");
    } else if (wanted != nullptr && found == nullptr) {
      findings->fault(file.where(section, "random"),
                      std::string("random = ") + wanted + ": no provider that is loaded has it" +
                          (query != nullptr ? " with properties = " + std::string(query) : "") +
                          ": programs get no random bytes");
    } else if (RAND_bytes_ex(library_.get(), bytes, sizeof bytes, 0) != 1) {
      findings->fault(file.where(section, ""), "programs get no random bytes: " + oldest_error());
    }
    EVP_RAND_free(found);
  }
  if (RAND_bytes_ex(library_.get(), bytes, sizeof bytes, 0) == 1) {
    EVP_RAND* const rand = EVP_RAND_CTX_get0_rand(RAND_get0_public(library_.get()));
    random_ = text_of(EVP_RAND_get0_name(rand)) + " of " +
              text_of(OSSL_PROVIDER_get0_name(EVP_RAND_get0_provider(rand)));
  }
  ERR_clear_error();
}

void Loaded::list_names() {
  struct Found {
    const char* provider;
    std::vector<std::string> names;
  };
  Found ciphers = {name_.c_str(), {}}, generators = {name_.c_str(), {}};
  EVP_CIPHER_do_all_provided(
      library_.get(),
      [](EVP_CIPHER* cipher, void* all) {
        auto* const found = static_cast<Found*>(all);
        const std::string owner = OSSL_PROVIDER_get0_name(EVP_CIPHER_get0_provider(cipher));
        if (owner == found->provider) found->names.push_back(full_name(cipher));
      },
      &ciphers);
  EVP_RAND_do_all_provided(
      library_.get(),
      [](EVP_RAND* rand, void* all) {
        auto* const found = static_cast<Found*>(all);
        const std::string owner = OSSL_PROVIDER_get0_name(EVP_RAND_get0_provider(rand));
        if (owner == found->provider) found->names.push_back(EVP_RAND_get0_name(rand));
      },
      &generators);
  std::sort(ciphers.names.begin(), ciphers.names.end());
  for (const std::string& name : ciphers.names) {
    EVP_CIPHER* const cipher = EVP_CIPHER_fetch(library_.get(), name.c_str(), nullptr);
    const std::string owner =
        cipher == nullptr ? "" : OSSL_PROVIDER_get0_name(EVP_CIPHER_get0_provider(cipher));
    EVP_CIPHER_free(cipher);
    if (owner == name_) ++served_;
    const std::size_t dash = dash_before_mode(name);
    by_provider_[owner][name.substr(0, dash)].push_back(name.substr(dash + 1));
  }
  generators_ = generators.names;
  std::sort(generators_.begin(), generators_.end());
  ERR_clear_error();
}

void Loaded::print() const {
  const auto ours_first = by_provider_.find(name_);
  if (ours_first != by_provider_.end()) {
    std::printf("\nA program gets from %s:\n", name_.c_str());
    for (const auto& [cipher, modes] : ours_first->second) print_words("  " + cipher + ":", modes);
  }
  for (const auto& [owner, names] : by_provider_) {
    if (owner == name_) continue;
    std::printf("\nA program gets from %s, and from %s only with the properties %s:\n",
                owner.empty() ? "nobody" : owner.c_str(), name_.c_str(), "?provider=gpuctr");
    for (const auto& [cipher, modes] : names) print_words("  " + cipher + ":", modes);
  }
  if (!generators_.empty()) {
    std::printf("\nGenerators of %s:\n", name_.c_str());
    print_words(" ", generators_);
  }
  if (!random_.empty()) std::printf("\nRandom bytes of programs: %s\n", random_.c_str());
}

}  // namespace gpuctr::check
