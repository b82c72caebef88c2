// The provider's section of openssl.cnf as text: what is refused gives one error that names key and
// value and changes nothing it should not; what is taken lies within the limits and is what a
// second reader makes of it.
#include <openssl/core_names.h>
#include <openssl/params.h>

#include <algorithm>
#include <cstdarg>
#include <cstring>
#include <map>
#include <string>

#include "fuzz/input.h"
#include "provider/config/config.h"
#include "provider/config/stock.h"
#include "provider/core/core.h"
#include "provider/core/errors.h"

namespace gpuctr::fuzz {
namespace {

const char* const kNames[] = {"legacy",        "cpu",           "algorithms", "gpu",
                              "gpu-threshold", "gpus",          "read-ahead", "threads",
                              "gpu-pointers",  "pinned-memory", "max-bytes"};

std::map<std::string, std::string> g_section;
unsigned g_errors = 0;
std::string g_error;

int get_params(const OSSL_CORE_HANDLE*, OSSL_PARAM* params) {
  for (OSSL_PARAM* p = params; p->key != nullptr; ++p) {
    const auto found = g_section.find(p->key);
    if (found == g_section.end()) continue;
    *static_cast<const char**>(p->data) = found->second.c_str();
    p->return_size = found->second.size();
  }
  return 1;
}
void new_error(const OSSL_CORE_HANDLE*) { ++g_errors; }
void set_error(const OSSL_CORE_HANDLE*, std::uint32_t reason, const char* format, va_list args) {
  require(reason == static_cast<std::uint32_t>(Reason::kBadConfig), "the reason is bad config");
  char text[4096];
  std::vsnprintf(text, sizeof text, format, args);
  g_error = text;
}

// A second reader of sizes: through a wide integer and one suffix letter.
bool size_of(const std::string& text, std::uint64_t* bytes) {
  std::size_t digits = text.find_first_not_of("0123456789");
  if (digits == std::string::npos) digits = text.size();
  if (digits == 0) return false;
  std::string suffix = text.substr(digits);
  unsigned __int128 value = 0;
  for (std::size_t i = 0; i < digits; ++i) {
    value = value * 10 + static_cast<unsigned>(text[i] - '0');
    if (value >> 64 != 0) return false;
  }
  if (suffix.size() > 1) return false;
  if (suffix.size() == 1) {
    const std::size_t unit = std::string("KMGT").find(suffix);
    if (unit == std::string::npos) return false;
    value <<= 10 * (unit + 1);
  }
  *bytes = static_cast<std::uint64_t>(value);
  return value >> 64 == 0;
}

std::string lower(std::string text) {
  for (char& c : text) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c + 'a' - 'A');
  }
  return text;
}

std::string trimmed(std::string word) {
  word.erase(0, std::min(word.find_first_not_of(" \t"), word.size()));
  return word.erase(word.find_last_not_of(" \t") + 1);
}

void merge(const Offer& from, Offer* to) {
  for (std::size_t i = 0; i < kCipherCount; ++i) {
    for (std::size_t m = 0; m < kModeCount; ++m) to->cipher[i][m] |= from.cipher[i][m];
    to->generator[i] |= from.generator[i];
    to->stream[i] |= from.stream[i];
  }
}

// What each word offers on a backend, with legacy ciphers or without.
std::map<std::string, Offer> words_of_offers(bool legacy, const Backend& backend) {
  // Words for several ciphers, which may offer nothing of this build's.
  std::map<std::string, Offer> words = {{"all", {}}, {"own", {}}, {"faster", {}}};
  const auto add = [&](const std::string& word, const Offer& what) {
    merge(what, &words[lower(word)]);
  };
  for (std::size_t i = 0; i < kCipherCount; ++i) {
    const CipherSpec& spec = cipher_spec(i);
    if (spec.legacy && !legacy) continue;
    const std::string name = spec.name;
    Offer whole = {};
    for (std::size_t m = 0; m < kModeCount; ++m) {
      // GCM and CCM take a block of 16 bytes alone, CBC none that is longer.
      if (!kModes[m]->takes(spec)) continue;
      Offer one = {};
      one.cipher[i][m] = whole.cipher[i][m] = true;
      add(name + "-" + kModes[m]->name, one);
      const bool stock = in_default_provider(spec, *kModes[m]);
      if (!stock) add("own", one);
      if (!stock || is_faster(spec, *kModes[m], backend)) add("faster", one);
    }
    if (spec.generator_answer != nullptr) {
      Offer one = {};
      one.generator[i] = whole.generator[i] = true;
      for (const char* word : {"own", "faster"}) add(word, one);
      add(name + "-CTR-DRBG", one);
    }
    // The reader under test asks has_stream; here the rule is written again, from the manual.
    if (spec.generator_answer != nullptr && spec.block_bytes == 16) {
      Offer one = {};
      one.stream[i] = whole.stream[i] = true;
      for (const char* word : {"own", "faster"}) add(word, one);
      add(name + "-STREAM", one);
    }
    add(name, whole);
    if (spec.alias != nullptr) add(spec.alias, whole);
    add(name.substr(0, name.find('-')), whole);
    add("all", whole);
  }
  return words;
}

// A second reader of `algorithms`: by a table of every word.
bool offer_of(const std::string& text, const Settings& settings, Offer* offer) {
  static std::map<std::pair<bool, const Backend*>, std::map<std::string, Offer>> tables;
  const Backend* const cpu = settings.engine.cpu != nullptr ? settings.engine.cpu : &best_backend();
  std::map<std::string, Offer>& words = tables[{settings.legacy, cpu}];
  if (words.empty()) words = words_of_offers(settings.legacy, *cpu);
  const bool alone = text.find(',') == std::string::npos;
  Offer made = {};
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t comma = std::min(text.find(',', at), text.size());
    std::string word = lower(text.substr(at, comma - at));
    if (!alone || word != "all") {
      word = trimmed(word);
      if (word == "all") return false;
    }
    const auto found = words.find(word);
    if (found == words.end()) return false;
    merge(found->second, &made);
    at = comma + 1;
  }
  *offer = made;
  return true;
}

// What key = value means; false: it must be refused.
bool understand(const std::string& key, const std::string& value, Settings* s) {
  const auto one_of = [&](std::initializer_list<const char*> words) {
    int n = 0;
    for (const char* word : words) {
      if (value == word) return n;
      ++n;
    }
    return -1;
  };
  const auto size = [&](std::uint64_t least, std::uint64_t most, std::uint64_t* to) {
    std::uint64_t bytes = 0;
    if (!size_of(value, &bytes) || bytes < least || bytes > most) return false;
    *to = bytes;
    return true;
  };
  std::uint64_t bytes = 0;
  if (key == "legacy") {
    const int n = one_of({"no", "yes"});
    s->legacy = n == 1;
    return n >= 0 && offer_of("all", *s, &s->offer);
  }
  if (key == "algorithms") return offer_of(value, *s, &s->offer);
  if (key == "cpu") {
    if (value == "auto") return true;
    s->engine.cpu = find_backend(value.c_str());
    return s->engine.cpu != nullptr && s->engine.cpu->available();
  }
  if (key == "gpu") {
    const int n = one_of({"auto", "off", "require"});
    if (n >= 0) s->engine.gpu = static_cast<GpuUse>(n);
    return n >= 0;
  }
  if (key == "gpu-pointers") {
    const int n = one_of({"auto", "yes", "no"});
    if (n >= 0) s->engine.gpu_pointers = static_cast<GpuPointers>(n);
    return n >= 0;
  }
  if (key == "gpu-threshold") {
    if (value == "auto") return true;
    if (!size(1, std::uint64_t{1} << 62, &bytes)) return false;
    s->engine.gpu_threshold = bytes;
    return true;
  }
  if (key == "read-ahead") {
    if (value == "auto") return true;
    if (value == "off") return s->engine.read_ahead = 0, true;
    if (!size(65536, std::uint64_t{1} << 30, &bytes)) return false;
    s->engine.read_ahead = bytes;
    return true;
  }
  if (key == "pinned-memory") {
    if (!size(1 << 20, std::uint64_t{64} << 30, &bytes)) return false;
    s->engine.ring_bytes = bytes;
    return true;
  }
  if (key == "max-bytes") {
    return value == "off" || size(1, std::uint64_t{1} << 62, &s->max_bytes);
  }
  if (key == "threads") {
    if (value == "auto") return true;
    if (value.find_first_not_of("0123456789") != std::string::npos) return false;
    if (!size(1, 256, &bytes)) return false;
    s->engine.threads = static_cast<unsigned>(bytes);
    return true;
  }
  // gpus
  if (value == "all") return true;
  std::uint64_t mask = 0;
  for (std::size_t at = 0; at <= value.size();) {
    const std::size_t comma = std::min(value.find(',', at), value.size());
    const std::string number = trimmed(value.substr(at, comma - at));
    if (number.find_first_not_of("0123456789") != std::string::npos) return false;
    if (!size_of(number, &bytes) || bytes > 63 || (mask >> bytes & 1) != 0) return false;
    mask |= std::uint64_t{1} << bytes;
    at = comma + 1;
  }
  s->engine.gpus = mask;
  return true;
}

// Whether OpenSSL passes a section's lines in place of the key's value.
bool has_section(const std::string& key) {
  for (const char* line : {"activate", "identity", "module", "soft_load"}) {
    if (g_section.count(key + "." + line) != 0) return true;
  }
  for (const char* name : kNames) {
    if (g_section.count(key + "." + name) != 0) return true;
  }
  return false;
}

bool same(const Settings& a, const Settings& b) {
  return std::memcmp(&a.offer, &b.offer, sizeof a.offer) == 0 && a.engine.cpu == b.engine.cpu &&
         a.engine.gpu == b.engine.gpu && a.engine.gpu_threshold == b.engine.gpu_threshold &&
         a.engine.read_ahead == b.engine.read_ahead && a.engine.threads == b.engine.threads &&
         a.engine.gpus == b.engine.gpus && a.engine.gpu_pointers == b.engine.gpu_pointers &&
         a.engine.ring_bytes == b.engine.ring_bytes && a.max_bytes == b.max_bytes;
}

}  // namespace
}  // namespace gpuctr::fuzz

// Lines "key = value"; a key that is none of ours is a key of OpenSSL's and no concern.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace gpuctr;
  using namespace gpuctr::fuzz;
  g_section.clear();
  g_errors = 0;
  const std::string text(reinterpret_cast<const char*>(data), size);
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    const std::string line = text.substr(at, end - at);
    const std::size_t equals = line.find(" = ");
    if (equals != std::string::npos) {
      // Values are C strings for OpenSSL.
      g_section[line.substr(0, equals)] = line.substr(equals + 3).c_str();
    }
    at = end + 1;
  }
  Core core;
  core.get_params = get_params;
  core.new_error = new_error;
  core.vset_error = set_error;
  Settings settings, expected;
  bool legal = true;
  std::string start;
  for (const char* name : kNames) {
    const auto found = g_section.find(name);
    if (found == g_section.end()) {
      if (!has_section(name)) continue;
      start = std::string(name) + ": its value is the name of a section";
    } else {
      if (understand(name, found->second, &expected)) continue;
      start = std::string(name) + " = " + found->second + ": it takes ";
    }
    legal = false;
    break;
  }
  require(read_config(core, &settings) == legal, "what is legal is taken, and nothing else");
  require(g_errors == (legal ? 0 : 1), "one error for a bad value");
  if (legal) {
    require(same(settings, expected), "the settings are what the text says");
  } else {
    require(g_error.size() >= 4000 || g_error.compare(0, start.size(), start) == 0,
            "the error names key and value");
  }
  return 0;
}
