// The methods of three documents, rebuilt and run on the device at hand beside ours:
// - "High Performance ARIA Block Cipher Implementation on Graphics Processing Unit": ARIA's boxes
//   as bytes in constant or shared memory, one or four threads a block (papers_aria.cuh);
// - Lee, Cheong, Phan, Goi: "Fast implementation of block ciphers and PRNGs in Maxwell GPU
//   architecture" (Cluster Computing 19, 2016): round keys in the registers of a warp's lanes,
//   passed by shuffles (papers_shuffle.h);
// - Najjar-Ghabel, Yousefi, Zolfy Lighvan: "A high speed implementation counter mode cryptography
//   using hardware parallelism": DES, a thread a block, tables in memory (papers_des.h).
#ifndef GPUCTR_TEST_BENCH_PAPERS_H
#define GPUCTR_TEST_BENCH_PAPERS_H

#include <cstdio>
#include <string>
#include <vector>

namespace gpuctr::bench {

constexpr unsigned kPaperSizes[] = {32, 64, 128, 256, 512};  // MiB
constexpr unsigned kPaperSizeCount = 5;

// GB/s (10^9 bytes) at a size: the kernel on data in device memory, and with the copies of what it
// reads and writes.
struct PaperRates {
  double kernel, copies;
};
struct PaperRow {
  std::string document, cipher, mode, method;
  double published;  // on the document's own device, with copies where it has them; 0 where it has
                     // none
  std::string published_on;
  unsigned threads;  // of a thread block: the faster of those that were tried
  PaperRates theirs[kPaperSizeCount];
  PaperRates ours[kPaperSizeCount];  // 0 where the build has no kernels for the cipher
};

void print_papers(const std::vector<PaperRow>& rows);
void write_papers(std::FILE* file, const std::vector<PaperRow>& rows);  // a JSON array

}  // namespace gpuctr::bench

#endif
