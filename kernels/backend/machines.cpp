#include <cstring>

#include "kernels/backend/machine.h"

namespace gpuctr {

extern const Machine kScalarMachine;

namespace {
const Machine* const kMachines[] = {
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
