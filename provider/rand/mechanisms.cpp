#include "provider/rand/mechanisms.h"

namespace gpuctr {

RandMechanisms::RandMechanisms(Engine* engine) {
  for (std::size_t i = 0; i < kCipherCount; ++i) {
    if (cipher_spec(i).generator_answer != nullptr) rows_[i].emplace(cipher_spec(i), engine);
  }
}

}  // namespace gpuctr
