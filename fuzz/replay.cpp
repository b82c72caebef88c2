// Runs every input of a folder once through a fuzz target, where there is no libFuzzer: CTest
// replays the corpora with it. A target that finds something aborts; the input's name is the last
// line.
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

int main(int argc, char** argv) {
  if (argc != 2) return std::fprintf(stderr, "usage: %s FOLDER\n", argv[0]), 2;
  std::set<std::filesystem::path> inputs;  // in the same order everywhere
  for (const auto& entry : std::filesystem::directory_iterator(argv[1]))
    inputs.insert(entry.path());
  for (const auto& path : inputs) {
    std::fprintf(stderr, "%s\n", path.filename().c_str());
    std::ifstream file(path, std::ios::binary);
    const std::vector<char> text{std::istreambuf_iterator<char>(file), {}};
    // A copy of exactly its size, so that memory checkers see a read behind it.
    const std::vector<std::uint8_t> input(text.begin(), text.end());
    LLVMFuzzerTestOneInput(input.data(), input.size());
  }
  std::printf("%zu inputs\n", inputs.size());
  return inputs.empty() ? 1 : 0;
}
