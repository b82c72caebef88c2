#include "kernels/cpu/many/many.h"

#include "kernels/cpu/many/one_by_one.h"

namespace gpuctr {

void run_many(const CipherSpec& spec, const Backend& backend, const ManyBatch& batch,
              const ManyText* texts, std::size_t count) {
  const many::Machine machine{spec, backend.ops[spec.index], *backend.ghash};
  for (std::size_t i = 0; i < count; ++i) many::run_one(machine, batch, texts[i]);
}

}  // namespace gpuctr
