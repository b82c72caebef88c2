// The engine under the models: scalar code alone, whatever this CPU has.
#ifndef GPUCTR_FUZZ_SCALAR_H
#define GPUCTR_FUZZ_SCALAR_H

#include "kernels/bulk/engine.h"
#include "kernels/cpu/backend.h"

namespace gpuctr::fuzz {

inline Engine* scalar_engine() {
  static Engine* const engine = [] {
    EngineConfig config;
    config.gpu = GpuUse::kOff;
    config.cpu = find_backend("scalar");
    return new Engine(config);
  }();
  return engine;
}

}  // namespace gpuctr::fuzz

#endif
