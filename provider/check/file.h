// An openssl.cnf: its sections as OpenSSL reads them, and the line of each key.
#ifndef GPUCTR_PROVIDER_CHECK_FILE_H
#define GPUCTR_PROVIDER_CHECK_FILE_H

#include <openssl/conf.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace gpuctr::check {

// A line of a file. `key` is empty for a section's heading and for an `.include` that OpenSSL
// ignores.
struct Line {
  std::string where;  // "FILE:NUMBER"
  std::string section;
  std::string key;
};

using Pairs = std::vector<std::pair<std::string, std::string>>;

struct FreeConf {
  void operator()(CONF* conf) const { NCONF_free(conf); }
};

class File {
 public:
  // False: OpenSSL cannot read the file, and `error` states where and why.
  bool read(const std::string& path, std::string* error);

  const std::string& path() const { return path_; }
  // Whether a section exists. OpenSSL calls the lines above the first heading "default".
  bool has(const std::string& section) const;
  // Keys with values, in the order of the file. Empty: the section does not exist or is empty.
  Pairs pairs(const std::string& section) const;
  // nullptr: the section does not have this key. The last line with the key counts, as for OpenSSL.
  const char* value(const std::string& section, const std::string& key) const;
  // "FILE:NUMBER" of a key, or of the section's heading if `key` is empty. If the file has no such
  // line: the path.
  std::string where(const std::string& section, const std::string& key) const;
  std::vector<Line> lines(const std::string& section, const std::string& key) const;
  // The names of the sections in the order of the file, each once, without "default".
  std::vector<std::string> sections() const;
  const std::vector<Line>& missing_includes() const { return missing_; }

 private:
  void scan(const std::string& path, std::string* section, int depth);
  void include(const std::string& name, const std::string& where, std::string* section, int depth);

  std::string path_;
  std::string include_folder_;
  std::vector<Line> lines_;
  std::vector<Line> missing_;
  std::unique_ptr<CONF, FreeConf> conf_;
};

}  // namespace gpuctr::check

#endif
