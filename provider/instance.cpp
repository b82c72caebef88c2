#include "provider/instance.h"

#include <new>

#include "provider/core/errors.h"
#include "provider/core/trace.h"

namespace gpuctr {

std::unique_ptr<Instance> Instance::make(const Core& core) {
  std::unique_ptr<Instance> made(new (std::nothrow) Instance);
  if (made != nullptr) {
    made->core = core;
    Settings& settings = made->settings;
    if (!read_config(core, &settings)) return nullptr;
    settings.engine.note = [](void*, const char* text) { trace("%s", text); };
    made->engine.reset(new (std::nothrow) Engine(settings.engine));
    if (made->engine != nullptr) {
      made->mechanisms.reset(new (std::nothrow) RandMechanisms(made->engine.get()));
    }
  }
  if (made == nullptr || made->mechanisms == nullptr) {
    raise(core, Reason::kNoMemory, "the provider");
    return nullptr;
  }
  made->cipher_services = {&made->core, made->engine.get(), made->settings.max_bytes};
  return made;
}

}  // namespace gpuctr
