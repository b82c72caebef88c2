#include "test/bench/gpu/gpu_report.h"

#include <cstdio>
#include <initializer_list>

namespace gpuctr::bench {
namespace {

// What was not measured is a dash.
void print_cells(int width, int digits, std::initializer_list<double> values) {
  for (const double value : values) {
    if (value == 0) {
      std::printf("%*s", width, "-");
    } else {
      std::printf("%*.*f", width, digits, value);
    }
  }
}

void write_ciphers(std::FILE* f, const std::vector<CipherRow>& rows) {
  const char* separator = "[";
  for (const CipherRow& r : rows) {
    std::fprintf(f,
                 "%s\n  {\"name\": \"%s\", \"fill\": %.1f, \"xor\": %.1f, "
                 "\"encrypt\": %.1f, \"decrypt\": %.1f, \"chain\": %.1f, \"batch\": %.1f, "
                 "\"floor\": %.1f, \"paper_ecb\": %.1f, \"paper_ctr\": %.1f, "
                 "\"paper_ecb_copies\": %.2f, \"paper_ctr_copies\": %.2f, "
                 "\"paper_ctr_streams\": %.2f}",
                 separator, r.name.c_str(), r.fill, r.fill_xor, r.encrypt, r.decrypt, r.chain,
                 r.batch, r.floor, r.paper_ecb, r.paper_ctr, r.paper_ecb_copies, r.paper_ctr_copies,
                 r.paper_ctr_streams);
    separator = ",";
  }
  std::fprintf(f, "%s]", rows.empty() ? "[" : "\n ");
}

}  // namespace

void print_card(const CardFacts& card, const Ceilings& ceilings) {
  std::printf("%s, driver %s, CUDA %s, %d processors, %.2f GHz; GB/s, medians\n", card.name.c_str(),
              card.driver.c_str(), card.cuda.c_str(), card.processors, card.clock_ghz);
  std::printf("memory: write only %.0f, copy with XOR %.0f (payload), to pinned host memory %.1f\n",
              ceilings.write, ceilings.copy_xor, ceilings.to_host);
}

void print_ciphers(const std::vector<CipherRow>& rows) {
  std::printf("\n%-14s|%8s%8s%8s%8s%8s%8s%8s%8s|%9s%9s%9s%9s%9s\n", "", "fill", "floor", "of it",
              "XOR", "encrypt", "decrypt", "CBC", "batch", "paper", "paper", "ECB and", "CTR and",
              "streams");
  std::printf("%-14s|%8s%8s%8s%8s%8s%8s%8s%8s|%9s%9s%9s%9s%9s\n", "cipher", "", "", "%", "", "", "",
              "dec.", "", "ECB", "CTR", "copies", "copies", "");
  for (const CipherRow& r : rows) {
    std::printf("%-14s|", r.name.c_str());
    print_cells(8, 0, {r.fill, r.floor});
    print_cells(8, 1, {r.floor == 0 ? 0 : 100 * r.fill / r.floor});
    print_cells(8, 0, {r.fill_xor, r.encrypt, r.decrypt, r.chain, r.batch});
    std::printf("|");
    print_cells(9, 0, {r.paper_ecb, r.paper_ctr});
    print_cells(9, 1, {r.paper_ecb_copies, r.paper_ctr_copies, r.paper_ctr_streams});
    std::printf("\n");
  }
}

bool write_json(const char* path, const Report& report) {
  std::FILE* const f = std::fopen(path, "w");
  if (f == nullptr) return false;
  const CardFacts& card = report.card;
  std::fprintf(f,
               "{\"unit\": \"GB/s\",\n \"card\": \"%s\", \"driver\": \"%s\", \"cuda\": \"%s\",\n"
               " \"processors\": %d, \"clock_ghz\": %.3f,\n"
               " \"ceilings\": {\"write\": %.1f, \"copy_xor\": %.1f, \"to_host\": %.2f},\n"
               " \"ciphers\": ",
               card.name.c_str(), card.driver.c_str(), card.cuda.c_str(), card.processors,
               card.clock_ghz, report.ceilings.write, report.ceilings.copy_xor,
               report.ceilings.to_host);
  write_ciphers(f, report.ciphers);
  std::fprintf(f, ",\n \"documents\": ");
  write_papers(f, report.papers);
  std::fprintf(f, ",\n \"generators\": ");
  write_generators(f, report.generators);
  std::fprintf(f, ",\n \"hashes\": ");
  write_hashes(f, report.hashes);
  std::fprintf(f, ",\n \"messages\": ");
  write_messages(f, report.messages);
  std::fprintf(f, "}\n");
  return std::fclose(f) == 0;
}

}  // namespace gpuctr::bench
