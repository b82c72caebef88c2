#include "provider/config.h"

#include <cstring>
#include <string>

#include "provider/errors.h"
#include "provider/params.h"

namespace gpuctr {
namespace {

// A row's parser: takes the value, or says what the key takes instead.
struct Key {
  const char* name;
  bool (*parse)(const char* value, EngineConfig* config);
  std::string (*takes)();
};

bool parse_cpu(const char* value, EngineConfig* config) {
  if (std::strcmp(value, "auto") == 0) return true;
  const Machine* machine = find_machine(value);
  if (machine == nullptr || !machine->available()) return false;
  config->cpu = machine;
  return true;
}

std::string cpu_values() {
  std::string text = "auto";
  const MachineList machines = cpu_machines();
  for (std::size_t i = 0; i < machines.count; ++i) {
    if (machines.first[i]->available()) text += std::string(", ") + machines.first[i]->name;
  }
  return text + " on this CPU";
}

const Key kKeys[] = {
    {"cpu", parse_cpu, cpu_values},
};
constexpr std::size_t kKeyCount = sizeof kKeys / sizeof kKeys[0];

}  // namespace

bool read_config(const ProviderContext& provider, EngineConfig* config) {
  char* values[kKeyCount] = {};
  OSSL_PARAM params[kKeyCount + 1];
  for (std::size_t i = 0; i < kKeyCount; ++i) {
    params[i] = {kKeys[i].name, OSSL_PARAM_UTF8_PTR, &values[i], 0, OSSL_PARAM_UNMODIFIED};
  }
  params[kKeyCount] = kParamEnd;
  if (provider.get_core_params == nullptr) return true;
  if (provider.get_core_params(provider.core, params) == 0) return true;
  for (std::size_t i = 0; i < kKeyCount; ++i) {
    if (values[i] == nullptr || kKeys[i].parse(values[i], config)) continue;
    raise(&provider, Reason::kBadConfig, "%s = %s: it takes %s", kKeys[i].name, values[i],
          kKeys[i].takes().c_str());
    return false;
  }
  return true;
}

}  // namespace gpuctr
