#include "test/bench/gpu/papers.h"

namespace gpuctr::bench {
namespace {

// GB/s with as many digits as say something; what was not measured or published is a dash.
void print_cell(int width, double value) {
  if (value == 0) {
    std::printf("%*s", width, "-");
  } else if (value < 0.1) {
    std::printf("%*.4f", width, value);
  } else {
    std::printf("%*.*f", width, value < 10 ? 2 : 1, value);
  }
}

}  // namespace

void print_papers(const std::vector<PaperRow>& rows) {
  constexpr unsigned kLast = kPaperSizeCount - 1;
  std::printf("\nMethods of the documents, %u MiB; GB/s, medians\n", kPaperSizes[kLast]);
  std::printf("%-13s%-9s%-34s|%10s%9s%9s|%9s%9s\n", "", "", "", "published", "rebuilt", "with",
              "ours", "with");
  std::printf("%-13s%-9s%-34s|%10s%9s%9s|%9s%9s\n", "cipher", "mode", "method", "", "kernel",
              "copies", "kernel", "copies");
  for (const PaperRow& r : rows) {
    std::printf("%-13s%-9s%-34s|", r.cipher.c_str(), r.mode.c_str(), r.method.c_str());
    print_cell(10, r.published);
    print_cell(9, r.theirs[kLast].kernel);
    print_cell(9, r.theirs[kLast].copies);
    std::printf("|");
    print_cell(9, r.ours[kLast].kernel);
    print_cell(9, r.ours[kLast].copies);
    std::printf("\n");
  }
}

void write_papers(std::FILE* file, const std::vector<PaperRow>& rows) {
  const char* separator = "[";
  for (const PaperRow& r : rows) {
    std::fprintf(file,
                 "%s\n  {\"document\": \"%s\", \"cipher\": \"%s\", \"mode\": \"%s\", \"method\": "
                 "\"%s\", \"threads\": %u, \"published\": %.4f, \"published_on\": \"%s\",\n"
                 "   \"sizes\": {",
                 separator, r.document.c_str(), r.cipher.c_str(), r.mode.c_str(), r.method.c_str(),
                 r.threads, r.published, r.published_on.c_str());
    for (unsigned i = 0; i < kPaperSizeCount; ++i) {
      std::fprintf(file, "%s\"%u\": [%.2f, %.2f, %.2f, %.2f]", i == 0 ? "" : ", ", kPaperSizes[i],
                   r.theirs[i].kernel, r.theirs[i].copies, r.ours[i].kernel, r.ours[i].copies);
    }
    std::fprintf(file, "}}");
    separator = ",";
  }
  std::fprintf(file, "%s]", rows.empty() ? "[" : "\n ");
}

}  // namespace gpuctr::bench
