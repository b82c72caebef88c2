// Neither the AVR port's ciphers nor the kernels' can drift alone: names, sizes and rounds agree.
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "kernels/cipher/folders.h"
#include "kernels/cipher/registry.h"
#include "machine.h"

namespace gpuctr {
namespace {

struct Row {
  std::size_t block, key, rounds;
  bool operator==(const Row& other) const {
    return block == other.block && key == other.key && rounds == other.rounds;
  }
};
void PrintTo(const Row& row, std::ostream* out) {
  *out << "block " << row.block << ", key " << row.key << ", " << row.rounds << " rounds";
}

// The port's ciphers are those of these folders; a folder that the port does not have changes
// nothing.
template <class... C>
std::vector<CipherSpec> specs(CipherList<C...>) {
  return {*find_cipher(C::kName)...};
}

TEST(AvrTable, AgreesWithTheKernels) {
  std::map<std::string, Row> kernels, fast, small;
  for (const CipherSpec& spec : specs(Joined<folder::cham, folder::hight, folder::lea>::Type{})) {
    kernels[spec.name] = {spec.block_bytes, spec.key_bytes, spec.rounds};
  }
  const avr::Machine machine(GPUCTR_AVR_FIRMWARE);
  const auto row = [&](const std::string& symbol, std::map<std::string, Row>* table) {
    // struct gpuctr_cipher begins with the name, in 16 bytes, and these three.
    const avr::Bytes raw = machine.read_flash(machine.code(symbol), 19);
    (*table)[reinterpret_cast<const char*>(raw.data())] = {raw[16], raw[17], raw[18]};
  };
  for (const std::string cipher :
       {"hight", "lea128", "lea192", "lea256", "cham64_128", "cham128_128", "cham128_256"}) {
    row("gpuctr_" + cipher, &fast);
    row("gpuctr_" + cipher + "_small", &small);
  }
  EXPECT_EQ(fast, kernels);
  EXPECT_EQ(small, kernels);
  row("gpuctr_hight_fixed", &fast);
  row("gpuctr_lea128_fixed", &fast);
  EXPECT_EQ(fast, kernels);
}

}  // namespace
}  // namespace gpuctr
