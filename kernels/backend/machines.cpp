#include <cstring>

#include "kernels/backend/machine.h"

namespace gpuctr {

#ifdef GPUCTR_X86
extern const Machine kAvx512GfniMachine;
extern const Machine kAvx512Machine;
extern const Machine kAvx2GfniMachine;
extern const Machine kAvx2Machine;
extern const Machine kSseMachine;
#endif
#ifdef GPUCTR_NEON
extern const Machine kNeonMachine;
#endif
extern const Machine kScalarMachine;

namespace {
const Machine* const kMachines[] = {
#ifdef GPUCTR_X86
    &kAvx512GfniMachine, &kAvx512Machine, &kAvx2GfniMachine, &kAvx2Machine, &kSseMachine,
#endif
#ifdef GPUCTR_NEON
    &kNeonMachine,
#endif
    &kScalarMachine,
};
}  // namespace

MachineList cpu_machines() { return {kMachines, sizeof kMachines / sizeof kMachines[0]}; }

const Machine* find_machine(const char* name) {
  for (const Machine* machine : kMachines) {
    if (std::strcmp(machine->name, name) == 0) return machine;
  }
  return nullptr;
}

const Machine& best_machine() {
  for (const Machine* machine : kMachines) {
    if (machine->available()) return *machine;
  }
  return kScalarMachine;
}

}  // namespace gpuctr
