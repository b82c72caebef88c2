#include "test/bench/bulk/bulk_report.h"

#include <cstdio>
#include <filesystem>

namespace gpuctr::bench {
namespace {

double gbps(std::size_t bytes, double seconds) {
  return seconds > 0 ? static_cast<double>(bytes) / seconds / 1e9 : 0;
}

}  // namespace

std::string size_name(std::size_t bytes) {
  const char* const units[] = {"B", "KiB", "MiB", "GiB"};
  unsigned unit = 0;
  while (unit < 3 && bytes >= 1024 && bytes % 1024 == 0) {
    bytes /= 1024;
    ++unit;
  }
  return std::to_string(bytes) + " " + units[unit];
}

void Report::section(const std::string& key, const std::string& heading) {
  sections_.push_back(key);
  std::printf("\n%s\n", heading.c_str());
}

void Report::row(const std::string& cipher, const std::string& setting, std::size_t bytes,
                 double seconds, const std::string& backend, const std::string& note) {
  rows_.push_back({sections_.back(), cipher, setting, backend, note, bytes, seconds});
  std::printf("  %-20s %-24s %9s ", cipher.c_str(), setting.c_str(), size_name(bytes).c_str());
  if (seconds > 0) {
    std::printf("%8.2f GB/s  %-12s %s\n", gbps(bytes, seconds), backend.c_str(), note.c_str());
  } else {
    std::printf("%8s       %-12s %s\n", "-", "", note.c_str());
  }
  std::fflush(stdout);
}

void Report::fact(const std::string& key, const std::string& value) {
  facts_.emplace_back(key, value);
  std::printf("%s: %s\n", key.c_str(), value.c_str());
}

void Report::write(const std::string& path) const {
  std::filesystem::create_directories(std::filesystem::path(path).parent_path());
  std::FILE* const f = std::fopen(path.c_str(), "w");
  if (f == nullptr) return;
  std::fputs("{\n", f);
  for (const auto& [key, value] : facts_) {
    std::fprintf(f, "  \"%s\": \"%s\",\n", key.c_str(), value.c_str());
  }
  std::fputs("  \"rows\": [", f);
  const char* comma = "\n";
  for (const Row& r : rows_) {
    std::fprintf(f,
                 "%s    {\"section\": \"%s\", \"cipher\": \"%s\", \"setting\": \"%s\", \"bytes\": "
                 "%zu, \"seconds\": %.9f, \"gbps\": %.4f, \"backend\": \"%s\", \"note\": \"%s\"}",
                 comma, r.section.c_str(), r.cipher.c_str(), r.setting.c_str(), r.bytes, r.seconds,
                 gbps(r.bytes, r.seconds), r.backend.c_str(), r.note.c_str());
    comma = ",\n";
  }
  std::fputs("\n  ]\n}\n", f);
  std::fclose(f);
  std::printf("\nwritten to %s\n", path.c_str());
}

}  // namespace gpuctr::bench
