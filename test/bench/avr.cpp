// The AVR port under libsimavr, cycle for cycle: counter mode, CMAC, CCM, CTR_DRBG, flash and RAM,
// beside what has been published. Prints tables and writes build/bench/avr.json. Run it from the
// root.
#include <elf.h>

#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>

#include "device.h"

namespace gpuctr::bench {
namespace {

using avr::Bytes;

// "002": "ARX-based Korean Block Ciphers with CTR Mode and CTR_DRBG", figures 28 to 30 (block
// encryption of the works before it, then its counter mode, from its percentages) and table 11.
// CHAM is scaled to the revised rounds. -1: none.
struct Published {
  const char* symbol;
  double block, ctr;
  // Cycles a round, counted from our instructions: what a block would cost without loads, stores
  // and loop, before counter mode's savings.
  double counted;
  // Table 11's gains over plain implementations, percent: derivation function, update, and output
  // of 32, 64, 128, 256, 512, 1024 bytes.
  double df, update, output[6];
};
constexpr Published kPublished[] = {
    {"hight", 311, -1, 67 / 3.0, 5.6, 40.6, {1.4, 1.9, 2.4, 3.0, 3.3, 3.5}},
    {"lea128", 167, 162, 99, 10.1, 51.1, {13.6, 16.7, 20.2, 23.4, 25.8, 27.3}},
    {"lea192", 228, 214, 113, 13.4, 69.4, {22.0, 25.1, 28.7, 31.9, 34.3, 35.8}},
    {"lea256", 259, 245, 113, 14.1, 72.4, {23.5, 26.5, 29.9, 32.8, 35.0, 36.4}},
    {"cham64_128", 189, 132, 29 / 3.0, 5.9, 45.6, {6.9, 8.7, 10.3, 11.9, 13.0, 13.6}},
    // Of eight (sixteen) keys two are held and one is held in part: 9.5 + (5 12 + 11 + 2 6)/8, ...
    {"cham128_128",
     207,
     189,
     9.5 + (5 * 12 + 11 + 2 * 6) / 8.0,
     11.0,
     56.4,
     {4.3, 5.3, 6.4, 7.3, 8.0, 8.4}},
    {"cham128_256",
     221,
     200,
     9.5 + (13 * 12 + 11 + 2 * 6) / 16.0,
     13.3,
     68.6,
     {5.4, 6.3, 7.2, 8.1, 8.7, 9.1}},
    {"hight_fixed", -1, -1, 20, -1, -1, {}},
    {"lea128_fixed", -1, -1, 83, -1, -1, {}},
};
constexpr std::size_t kSizes[6] = {32, 64, 128, 256, 512, 1024};

const Published* published(const std::string& symbol) {
  for (const Published& row : kPublished) {
    if (symbol == row.symbol) return &row;
  }
  return nullptr;
}

struct Memory {
  unsigned flash = 0, ram = 0;
};

// Loadable bytes of an image: flash holds what has a file size, RAM what lies above 0x800000.
Memory image_size(const std::string& name) {
  std::ifstream in(std::string(GPUCTR_AVR_IMAGES) + "/size_" + name + ".elf", std::ios::binary);
  const std::vector<char> raw{std::istreambuf_iterator<char>(in), {}};
  if (raw.size() < sizeof(Elf32_Ehdr)) throw std::runtime_error("no image size_" + name);
  Elf32_Ehdr header;
  std::memcpy(&header, raw.data(), sizeof header);
  Memory sum;
  for (unsigned i = 0; i < header.e_phnum; ++i) {
    Elf32_Phdr segment;
    std::memcpy(&segment, raw.data() + header.e_phoff + i * sizeof segment, sizeof segment);
    if (segment.p_type != PT_LOAD) continue;
    sum.flash += segment.p_filesz;
    if (segment.p_vaddr >= 0x800000) sum.ram += segment.p_memsz;
  }
  return sum;
}

Memory beyond_empty(const std::string& name) {
  const Memory empty = image_size("empty"), full = image_size(name);
  return {full.flash - empty.flash, full.ram - empty.ram};
}

Bytes key_for(const avr::Variant& variant, const avr::Spec& spec) {
  return variant.fixed ? avr::fixed_key() : Bytes(spec.key, 0x5a);
}

std::string cell(double value, int digits) {
  char text[32];
  if (value < 0) return "-";
  std::snprintf(text, sizeof text, "%.*f", digits, value);
  return text;
}

// Cycles a byte of one 1024-byte message, its first block's preparation included.
double ctr_cycles(avr::Device& device, const avr::Variant& variant, const char* function) {
  device.free_all();
  const avr::Spec spec = avr::read_spec(device, variant);
  const avr::DeviceKey key(device, variant, key_for(variant, spec));
  const avr::DeviceCtr ctr(device, key, Bytes(spec.block, 0));
  const std::uint16_t data = device.put(Bytes(1024));
  if (std::strcmp(function, "gpuctr_ctr_crypt") == 0) {
    device.call(function, {ctr.address(), data, data, 1024});
  } else {
    device.call(function, {ctr.address(), data, 1024});
  }
  return static_cast<double>(device.cycles()) / 1024;
}

double block_cycles(avr::Device& device, const avr::Variant& variant) {
  device.free_all();
  const avr::Spec spec = avr::read_spec(device, variant);
  avr::DeviceKey key(device, variant, key_for(variant, spec));
  key.encrypt(Bytes(spec.block, 0));
  return static_cast<double>(device.cycles());
}

double schedule_cycles(avr::Device& device, const avr::Variant& variant) {
  if (variant.fixed) return -1;
  device.free_all();
  const avr::Spec spec = avr::read_spec(device, variant);
  const avr::DeviceKey key(device, variant, key_for(variant, spec));
  return static_cast<double>(device.cycles());
}

void ctr_table(avr::Device& device, std::string* json) {
  std::printf(
      "Counter mode, cycles a byte with the data XOR: a message of 1024 bytes, its preparation\n"
      "included; one: a block at a time, as CTR_DRBG takes them. counted: the rounds' "
      "instructions\n"
      "alone, without counter mode's savings. flash: key schedule and counter mode; RAM: tables,\n"
      "round keys and context.\n\n"
      "%-18s %7s %7s | %6s %6s | %8s %8s | %9s %8s | %6s %5s\n",
      "", "CTR", "one", "pub.", "block", "a round", "counted", "block", "key", "flash", "RAM");
  for (const avr::Variant& variant : avr::kVariants) {
    const avr::Spec spec = avr::read_spec(device, variant);
    const double ctr = ctr_cycles(device, variant, "gpuctr_ctr_crypt");
    const double one = ctr_cycles(device, variant, "gpuctr_ctr_stream");
    const Published* other = published(variant.symbol);
    const double rounds = static_cast<double>(spec.rounds), block = static_cast<double>(spec.block);
    const Memory memory = beyond_empty(std::string(variant.symbol) + "_ctr");
    std::printf("%-18s %7.1f %7.1f | %6s %6s | %8.1f %8s | %9.0f %8s | %6u %5u\n", variant.symbol,
                ctr, one, cell(other ? other->ctr : -1, 0).c_str(),
                cell(other ? other->block : -1, 0).c_str(), ctr * block / rounds,
                cell(other ? other->counted : -1, 1).c_str(), block_cycles(device, variant),
                cell(schedule_cycles(device, variant), 0).c_str(), memory.flash,
                memory.ram + static_cast<unsigned>(spec.round_keys + avr::kCtrSize));
    if (!variant.small && !variant.fixed) {
      *json +=
          (json->empty() ? "{\"" : ", \"") + std::string(variant.name) + "-CTR\": " + cell(ctr, 2);
    }
  }
  *json += "}\n";
  std::printf("%-18s %7s %7s | %6d        AES-128, FACE-LIGHT, for comparison\n\n", "", "", "",
              138);
}

// Cycles of CMAC and CCM, each on a message of `size` bytes.
double cmac_cycles(avr::Device& device, const avr::DeviceKey& key, std::size_t size) {
  avr::DeviceCmac cmac(device, key);
  cmac.update(Bytes(size));
  const std::uint64_t update = device.cycles();
  cmac.final(8);
  return static_cast<double>(update + device.cycles());
}
double seal_cycles(avr::Device& device, const avr::DeviceKey& key, std::size_t size) {
  avr::DeviceCcm(device, key).seal({Bytes(13), Bytes(12), Bytes(size), {}}, 8, true);
  return static_cast<double>(device.cycles());
}

void mac_table(avr::Device& device) {
  std::printf(
      "CMAC and CCM, cycles: CMAC's subkey, once a key; cycles a byte of 1024, and a message of "
      "20\n"
      "bytes. CCM: with a nonce of 13 bytes, 12 bytes of associated data and a tag of 8. flash: "
      "key\n"
      "schedule and mode; RAM: tables, round keys and context.\n\n"
      "%-18s | %7s %7s %7s %6s %5s | %7s %7s %6s %5s\n",
      "", "subkey", "CMAC", "20 B", "flash", "RAM", "CCM", "20 B", "flash", "RAM");
  for (const avr::Variant& variant : avr::kVariants) {
    if (variant.fixed) continue;
    device.free_all();
    const avr::Spec spec = avr::read_spec(device, variant);
    const avr::DeviceKey key(device, variant, key_for(variant, spec));
    const unsigned round_keys = static_cast<unsigned>(spec.round_keys);
    Memory memory = beyond_empty(std::string(variant.symbol) + "_cmac");
    const avr::DeviceCmac cmac(device, key);
    const double subkey = static_cast<double>(device.cycles());
    std::printf("%-18s | %7.0f %7.1f %7.0f %6u %5u |", variant.symbol, subkey,
                cmac_cycles(device, key, 1024) / 1024, cmac_cycles(device, key, 20), memory.flash,
                memory.ram + round_keys + static_cast<unsigned>(avr::kCmacSize));
    if (spec.block != 16) {
      std::printf(" %7s %7s %6s %5s\n", "-", "-", "-", "-");
      continue;
    }
    memory = beyond_empty(std::string(variant.symbol) + "_ccm");
    std::printf(" %7.1f %7.0f %6u %5u\n", seal_cycles(device, key, 1024) / 1024,
                seal_cycles(device, key, 20), memory.flash, memory.ram + round_keys);
  }
  std::printf("\n");
}

struct Generator {
  double instantiate, other_length, reseed, generate[6];
};

Generator measure(avr::Device& device, const avr::Variant& variant) {
  device.free_all();
  avr::DeviceDrbg drbg(device, variant);
  Generator result{};
  const auto kilo = [&] { return static_cast<double>(device.cycles()) / 1000; };
  drbg.instantiate(Bytes(40), Bytes(24), std::nullopt);
  result.instantiate = kilo();
  drbg.instantiate(Bytes(40), Bytes(25), std::nullopt);
  result.other_length = kilo();
  drbg.reseed(Bytes(64), std::nullopt);
  result.reseed = kilo();
  for (int i = 0; i < 6; ++i) {
    drbg.generate(kSizes[i], std::nullopt, std::nullopt);
    result.generate[i] = kilo();
  }
  return result;
}

// The same work done plainly with our own block function: a key schedule for each use of a key,
// nothing cached, and only those cycles counted.
Generator plain(avr::Device& device, const avr::Variant& variant) {
  const avr::Spec spec = avr::read_spec(device, variant);
  const double block = block_cycles(device, variant) / 1000;
  const double key = schedule_cycles(device, variant) / 1000;
  const double seed_blocks =
      static_cast<double>((spec.key + spec.block + spec.block - 1) / spec.block);
  const double s_blocks = static_cast<double>((8 + 64 + 1 + spec.block - 1) / spec.block);
  const double df = 2 * key + (seed_blocks * (1 + s_blocks) + seed_blocks) * block;
  const double update = key + seed_blocks * block;
  Generator result{df + update, df + update, df + update, {}};
  for (int i = 0; i < 6; ++i) {
    const double blocks = static_cast<double>((kSizes[i] + spec.block - 1) / spec.block);
    result.generate[i] = key + blocks * block + update;
  }
  return result;
}

void generator_table(avr::Device& device) {
  std::printf(
      "CTR_DRBG, kilocycles, with derivation function: Instantiate from 64 bytes of input, the\n"
      "length that 8-byte blocks keep more constants for, and from 65; Reseed from 64; Generate\n"
      "without additional input. Below each, in percent: what is saved against the same blocks "
      "one\n"
      "by one with our block function; then table 11's savings of derivation function, update and\n"
      "output, which are percentages of other baselines. flash, RAM: all of the generator.\n\n"
      "%-18s %8s %8s %8s | %7zu %7zu %7zu %7zu %7zu %7zu | %6s %5s\n",
      "", "instant.", "65", "reseed", kSizes[0], kSizes[1], kSizes[2], kSizes[3], kSizes[4],
      kSizes[5], "flash", "RAM");
  for (const avr::Variant& variant : avr::kVariants) {
    if (variant.fixed) continue;
    const avr::Spec spec = avr::read_spec(device, variant);
    const Generator ours = measure(device, variant), slow = plain(device, variant);
    const Memory memory = beyond_empty(std::string(variant.symbol) + "_drbg");
    std::printf("%-18s %8.1f %8.1f %8.1f |", variant.symbol, ours.instantiate, ours.other_length,
                ours.reseed);
    for (const double k : ours.generate) std::printf(" %7.1f", k);
    std::printf(" | %6u %5u\n", memory.flash,
                memory.ram + static_cast<unsigned>(spec.round_keys + avr::kDrbgSize));
    const auto saved = [](double a, double b) { return 100 * (1 - a / b); };
    std::printf("%-18s %8.1f %8.1f %8.1f |", "  saved, %",
                saved(ours.instantiate, slow.instantiate),
                saved(ours.other_length, slow.other_length), saved(ours.reseed, slow.reseed));
    for (int i = 0; i < 6; ++i) {
      std::printf(" %7.1f", saved(ours.generate[i], slow.generate[i]));
    }
    std::printf(" |\n");
    if (const Published* other = published(variant.symbol)) {
      std::printf("%-18s %8.1f %8s %8.1f |", "  table 11, %", other->df, "", other->update);
      for (const double p : other->output) std::printf(" %7.1f", p);
      std::printf(" |\n");
    }
  }
}

void run() {
  avr::Device device;
  std::string json;
  ctr_table(device, &json);
  mac_table(device);
  generator_table(device);
  std::filesystem::create_directories("build/bench");
  std::ofstream("build/bench/avr.json") << json;
}

}  // namespace
}  // namespace gpuctr::bench

int main() {
  try {
    gpuctr::bench::run();
  } catch (const std::exception& error) {
    std::fprintf(stderr, "bench_avr: %s\n", error.what());
    return 1;
  }
  return 0;
}
