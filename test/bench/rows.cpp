#include "test/bench/rows.h"

#include <cstdio>
#include <utility>

namespace gpuctr::bench {

void Rows::add(const std::string& column, std::function<void()> call) {
  Row& row = rows_.back();
  row.columns.push_back(column);
  row.jobs[column] = jobs_.size();
  jobs_.push_back({std::move(call)});
}

bool Rows::write(const char* path, const char* unit) const {
  std::FILE* const file = std::fopen(path, "w");
  if (file == nullptr) return false;
  std::fprintf(file, "{\"unit\": \"%s\", \"results\": [", unit);
  for (const Row& row : rows_) {
    std::fprintf(file, "%s\n  {\"cipher\": \"%s\"", &row == &rows_.front() ? "" : ",",
                 row.name.c_str());
    for (const std::string& column : row.columns) {
      std::fprintf(file, ", \"%s\": %.2f", column.c_str(), nanoseconds(row, column));
    }
    std::fprintf(file, "}");
  }
  std::fprintf(file, "\n]}\n");
  return std::fclose(file) == 0;
}

}  // namespace gpuctr::bench
