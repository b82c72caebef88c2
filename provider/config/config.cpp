#include "provider/config/config.h"

#include <cstdio>
#include <cstring>

#include "provider/config/keys.h"
#include "provider/config/offer.h"
#include "provider/config/values.h"
#include "provider/core/errors.h"
#include "provider/core/ossl_param.h"
#include "provider/core/trace.h"

namespace gpuctr {
namespace {

bool is(const char* value, const char* word) { return std::strcmp(value, word) == 0; }

// parse() accepts or refuses a value; takes() describes the accepted values.
struct Key {
  const char* name;
  bool (*parse)(const char* value, Settings* settings);
  ShortText (*takes)();
};

bool parse_legacy(const char* value, Settings* settings) {
  if (is(value, "no")) return true;
  if (!is(value, "yes")) return false;
  settings->legacy = true;
  settings->offer = offer_all(true);
  return true;
}

ShortText takes_legacy() { return "yes, no"; }

bool parse_algorithms(const char* value, Settings* settings) {
  const Backend* const cpu = settings->engine.cpu;
  return parse_offer(value, settings->legacy, cpu != nullptr ? *cpu : best_backend(),
                     &settings->offer);
}

ShortText takes_algorithms() {
  return "all, or a list of own, faster and names such as LEA-128,HIGHT-CBC; names of older "
         "ciphers with legacy = yes";
}

bool parse_cpu(const char* value, Settings* settings) {
  if (is(value, "auto")) return true;
  const Backend* backend = find_backend(value);
  if (backend == nullptr || !backend->available()) return false;
  settings->engine.cpu = backend;
  return true;
}

ShortText takes_cpu() {
  ShortText text = "auto";
  const BackendList backends = cpu_backends();
  for (std::size_t i = 0; i < backends.count; ++i) {
    if (backends.first[i]->available()) (text += ", ") += backends.first[i]->name;
  }
  return text + " on this CPU";
}

bool parse_gpu(const char* value, Settings* settings) {
  GpuUse& gpu = settings->engine.gpu;
  if (is(value, "auto")) return gpu = GpuUse::kAuto, true;
  if (is(value, "off")) return gpu = GpuUse::kOff, true;
  if (is(value, "require")) return gpu = GpuUse::kRequire, true;
  return false;
}

ShortText takes_gpu() { return "auto, off, require"; }

bool parse_threshold(const char* value, Settings* settings) {
  if (is(value, "auto")) return true;
  std::uint64_t bytes;
  if (!parse_size(value, 1, kMostBytes, &bytes)) return false;
  settings->engine.gpu_threshold = static_cast<std::size_t>(bytes);
  return true;
}

ShortText takes_threshold() { return ShortText("auto, or ") + sizes(1, kMostBytes); }

bool parse_gpus(const char* value, Settings* settings) {
  return is(value, "all") || parse_list(value, 64, &settings->engine.gpus);
}

ShortText takes_gpus() { return "all, or device numbers such as 0,2"; }

bool parse_read_ahead(const char* value, Settings* settings) {
  std::size_t& ahead = settings->engine.read_ahead;
  if (is(value, "auto")) return true;
  if (is(value, "off")) return ahead = 0, true;
  std::uint64_t bytes;
  if (!parse_size(value, 64u << 10, 1u << 30, &bytes)) return false;
  ahead = static_cast<std::size_t>(bytes);
  return true;
}

ShortText takes_read_ahead() { return ShortText("auto, off, or ") + sizes(64u << 10, 1u << 30); }

bool parse_threads(const char* value, Settings* settings) {
  if (is(value, "auto")) return true;
  std::uint64_t threads;
  if (!parse_number(value, 1, 256, &threads)) return false;
  settings->engine.threads = static_cast<unsigned>(threads);
  return true;
}

ShortText takes_threads() { return "auto, or 1 to 256"; }

bool parse_pointers(const char* value, Settings* settings) {
  GpuPointers& pointers = settings->engine.gpu_pointers;
  if (is(value, "auto")) return pointers = GpuPointers::kAuto, true;
  if (is(value, "yes")) return pointers = GpuPointers::kYes, true;
  if (is(value, "no")) return pointers = GpuPointers::kNo, true;
  return false;
}

ShortText takes_pointers() { return "auto, yes, no"; }

bool parse_pinned(const char* value, Settings* settings) {
  std::uint64_t bytes;
  if (!parse_size(value, 1u << 20, std::uint64_t{64} << 30, &bytes)) return false;
  settings->engine.ring_bytes = static_cast<std::size_t>(bytes);
  return true;
}

ShortText takes_pinned() { return sizes(1u << 20, std::uint64_t{64} << 30); }

bool parse_max_bytes(const char* value, Settings* settings) {
  return is(value, "off") || parse_size(value, 1, kMostBytes, &settings->max_bytes);
}

ShortText takes_max_bytes() { return ShortText("off, or ") + sizes(1, kMostBytes); }

const Key kKeys[] = {
#define KEY(id, name) {name, parse_##id, takes_##id},
    GPUCTR_CONFIG_KEYS(KEY)
#undef KEY
};
constexpr std::size_t kKeyCount = sizeof kKeys / sizeof kKeys[0];

constexpr std::size_t kLineCount = kKeyCount + sizeof kProviderLines / sizeof kProviderLines[0];

// If a value is the name of a section, OpenSSL replaces the value by that section: it passes no
// "cpu", but a "cpu.LINE" for each line of the section. The core returns values only for requested
// names and lists no names. So this function finds only sections with lines of known keys. True:
// the value names a section, with an error.
bool names_section(const Core& core, const char* key) {
  char names[kLineCount][48];
  char* values[kLineCount] = {};
  OSSL_PARAM params[kLineCount + 1];
  for (std::size_t i = 0; i < kLineCount; ++i) {
    std::snprintf(names[i], sizeof names[i], "%s.%s", key,
                  i < kKeyCount ? kKeys[i].name : kProviderLines[i - kKeyCount]);
    params[i] = {names[i], OSSL_PARAM_UTF8_PTR, &values[i], 0, OSSL_PARAM_UNMODIFIED};
  }
  params[kLineCount] = kParamEnd;
  if (core.get_params(core.handle, params) == 0) return false;
  for (std::size_t i = 0; i < kLineCount; ++i) {
    if (values[i] == nullptr) continue;
    constexpr char kText[] =
        "%s: its value is the name of a section of openssl.cnf, and OpenSSL passes %s = %s in "
        "place "
        "of it: rename the section";
    raise(core, Reason::kBadConfig, kText, key, names[i], values[i]);
    trace("not loaded: %s is the name of a section: %s = %s", key, names[i], values[i]);
    return true;
  }
  return false;
}

}  // namespace

bool read_config(const Core& core, Settings* settings) {
  char* values[kKeyCount] = {};
  OSSL_PARAM params[kKeyCount + 1];
  for (std::size_t i = 0; i < kKeyCount; ++i) {
    params[i] = {kKeys[i].name, OSSL_PARAM_UTF8_PTR, &values[i], 0, OSSL_PARAM_UNMODIFIED};
  }
  params[kKeyCount] = kParamEnd;
  if (core.get_params == nullptr) return true;
  if (core.get_params(core.handle, params) == 0) return true;
  for (std::size_t i = 0; i < kKeyCount; ++i) {
    if (values[i] == nullptr) {
      if (names_section(core, kKeys[i].name)) return false;
      continue;
    }
    if (kKeys[i].parse(values[i], settings)) continue;
    const ShortText takes = kKeys[i].takes();
    raise(core, Reason::kBadConfig, "%s = %s: it takes %s", kKeys[i].name, values[i],
          takes.c_str());
    // OpenSSL 3.0 drops the errors of a provider that fails to load under `activate = 1`.
    trace("not loaded: %s = %s: it takes %s", kKeys[i].name, values[i], takes.c_str());
    return false;
  }
  return true;
}

}  // namespace gpuctr
