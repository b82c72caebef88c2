// The rows of bench_bulk: printed as they come, and kept for the JSON.
#ifndef GPUCTR_TEST_BENCH_BULK_REPORT_H
#define GPUCTR_TEST_BENCH_BULK_REPORT_H

#include <cstddef>
#include <string>
#include <vector>

namespace gpuctr::bench {

class Report {
 public:
  // A heading above the rows that follow, and the key of their array in the JSON.
  void section(const std::string& key, const std::string& heading);
  // GB/s (10^9) of `bytes` in `seconds`; `backend` did it. Seconds of 0: could not be measured,
  // `note` says why.
  void row(const std::string& cipher, const std::string& setting, std::size_t bytes, double seconds,
           const std::string& backend, const std::string& note = "");
  // A fact about the machine or the run.
  void fact(const std::string& key, const std::string& value);

  void write(const std::string& path) const;

 private:
  struct Row {
    std::string section, cipher, setting, backend, note;
    std::size_t bytes;
    double seconds;
  };
  std::vector<std::string> sections_;
  std::vector<Row> rows_;
  std::vector<std::pair<std::string, std::string>> facts_;
};

std::string size_name(std::size_t bytes);

}  // namespace gpuctr::bench

#endif
