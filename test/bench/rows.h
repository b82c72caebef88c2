// A table of timed calls: rows with named cells, printed by their benchmark and written as JSON.
#ifndef GPUCTR_TEST_BENCH_ROWS_H
#define GPUCTR_TEST_BENCH_ROWS_H

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "test/bench/timing.h"

namespace gpuctr::bench {

class Rows {
 public:
  struct Row {
    std::string name;
    std::vector<std::string> columns;         // in the order in which they were added
    std::map<std::string, std::size_t> jobs;  // by column
  };

  void add_row(const std::string& name) { rows_.push_back({name, {}, {}}); }
  // A cell of the last row.
  void add(const std::string& column, std::function<void()> call);

  // As time_in_turns().
  void run(unsigned rounds, double seconds) { time_in_turns(jobs_, rounds, seconds); }

  const std::vector<Row>& all() const { return rows_; }
  // Whether the row has such a cell.
  static bool has(const Row& row, const std::string& column) { return row.jobs.count(column) != 0; }
  // The best time of one call.
  double nanoseconds(const Row& row, const std::string& column) const {
    return 1e9 * jobs_[row.jobs.at(column)].best();
  }

  // {"unit": UNIT, "results": [{"cipher": NAME, COLUMN: NANOSECONDS, ...}, ...]}. False, with errno
  // set, if the file cannot be written.
  bool write(const char* path, const char* unit) const;

 private:
  std::vector<Job> jobs_;
  std::vector<Row> rows_;
};

}  // namespace gpuctr::bench

#endif
