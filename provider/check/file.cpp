#include "provider/check/file.h"

#include <dirent.h>
#include <openssl/err.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fstream>

namespace gpuctr::check {
namespace {

constexpr char kBlank[] = " \t\r\n";
constexpr int kDeepest = 10;  // the deepest nesting of .include lines

std::string trimmed(const std::string& text) {
  const std::size_t first = text.find_first_not_of(kBlank);
  if (first == std::string::npos) return "";
  return text.substr(first, text.find_last_not_of(kBlank) - first + 1);
}

bool ends_with(const std::string& text, const std::string& end) {
  return text.size() >= end.size() && text.compare(text.size() - end.size(), end.size(), end) == 0;
}

// Whether the next line continues this line: this line ends in an odd number of backslashes.
bool continues(const std::string& line) {
  std::size_t count = 0;
  while (count < line.size() && line[line.size() - 1 - count] == '\\') ++count;
  return count % 2 == 1;
}

// The text behind `word` and an optional "="; "": the line does not begin with `word`.
std::string behind(const std::string& line, const std::string& word) {
  if (line.compare(0, word.size(), word) != 0) return "";
  std::string rest = trimmed(line.substr(word.size()));
  if (!rest.empty() && rest[0] == '=') rest = trimmed(rest.substr(1));
  return rest;
}

}  // namespace

bool File::read(const std::string& path, std::string* error) {
  path_ = path;
  conf_.reset(NCONF_new(nullptr));
  long line = 0;
  if (!std::ifstream(path)) {
    *error = path + ": " + std::strerror(errno);
    return false;
  }
  if (conf_ == nullptr || NCONF_load(conf_.get(), path.c_str(), &line) != 1) {
    const char* const reason = ERR_reason_error_string(ERR_peek_error());
    *error = path + ":" + std::to_string(line) + ": OpenSSL does not understand this line: " +
             (reason != nullptr ? reason : "no reason");
    ERR_clear_error();
    return false;
  }
  const char* const folder = std::getenv("OPENSSL_CONF_INCLUDE");
  if (folder != nullptr) include_folder_ = folder;
  std::string section = "default";
  scan(path, &section, 0);
  return true;
}

// OpenSSL has already read the file. scan() only records the line numbers of headings and keys.
void File::scan(const std::string& path, std::string* section, int depth) {
  std::ifstream in(path);
  unsigned number = 0;
  for (std::string text; std::getline(in, text);) {
    const std::string where = path + ":" + std::to_string(++number);
    for (std::string more; continues(text) && std::getline(in, more); ++number) {
      text.back() = ' ';
      text += more;
    }
    text = trimmed(text);
    if (text.empty() || text[0] == '#') continue;
    if (text[0] == '[') {
      *section = trimmed(text.substr(1, text.find(']') - 1));
      lines_.push_back({where, *section, ""});
      continue;
    }
    const std::string included = behind(text, ".include");
    const std::string pragma = behind(text, ".pragma");
    if (!included.empty()) {
      include(included, where, section, depth);
    } else if (pragma.compare(0, 11, "includedir:") == 0) {
      include_folder_ = trimmed(pragma.substr(11));
    } else if (text.find('=') != std::string::npos) {
      std::string key = trimmed(text.substr(0, text.find('='))), in_section = *section;
      const std::size_t colons = key.find("::");
      if (colons != std::string::npos) {
        in_section = key.substr(0, colons);
        key = key.substr(colons + 2);
      }
      lines_.push_back({where, in_section, key});
    }
  }
}

void File::include(const std::string& name, const std::string& where, std::string* section,
                   int depth) {
  if (name.find('$') != std::string::npos || depth == kDeepest) return;
  std::string path = name;
  if (name[0] != '/' && !include_folder_.empty()) path = include_folder_ + "/" + name;
  struct stat status {};
  if (stat(path.c_str(), &status) != 0) {
    missing_.push_back({where, path, ""});
    return;
  }
  if (!S_ISDIR(status.st_mode)) return scan(path, section, depth + 1);
  std::vector<std::string> files;
  if (DIR* const folder = opendir(path.c_str())) {
    while (const dirent* const entry = readdir(folder)) files.push_back(entry->d_name);
    closedir(folder);
  }
  for (const std::string& file : files) {
    if (ends_with(file, ".cnf") || ends_with(file, ".conf")) {
      scan(std::string(path).append("/").append(file), section, depth + 1);
    }
  }
}

bool File::has(const std::string& section) const {
  return NCONF_get_section(conf_.get(), section.c_str()) != nullptr;
}

Pairs File::pairs(const std::string& section) const {
  Pairs all;
  const STACK_OF(CONF_VALUE)* const values = NCONF_get_section(conf_.get(), section.c_str());
  ERR_clear_error();
  for (int i = 0; values != nullptr && i < sk_CONF_VALUE_num(values); ++i) {
    const CONF_VALUE* const value = sk_CONF_VALUE_value(values, i);
    all.emplace_back(value->name, value->value != nullptr ? value->value : "");
  }
  return all;
}

const char* File::value(const std::string& section, const std::string& key) const {
  const STACK_OF(CONF_VALUE)* const values = NCONF_get_section(conf_.get(), section.c_str());
  ERR_clear_error();
  const char* found = nullptr;
  for (int i = 0; values != nullptr && i < sk_CONF_VALUE_num(values); ++i) {
    const CONF_VALUE* const value = sk_CONF_VALUE_value(values, i);
    if (key == value->name) found = value->value;
  }
  return found;
}

std::string File::where(const std::string& section, const std::string& key) const {
  const std::vector<Line> found = lines(section, key);
  return found.empty() ? path_ : found.back().where;
}

std::vector<Line> File::lines(const std::string& section, const std::string& key) const {
  std::vector<Line> found;
  for (const Line& line : lines_) {
    if (line.section == section && line.key == key) found.push_back(line);
  }
  return found;
}

std::vector<std::string> File::sections() const {
  std::vector<std::string> names;
  for (const Line& line : lines_) {
    if (line.section == "default" || !has(line.section)) continue;
    if (std::find(names.begin(), names.end(), line.section) == names.end()) {
      names.push_back(line.section);
    }
  }
  ERR_clear_error();
  return names;
}

}  // namespace gpuctr::check
