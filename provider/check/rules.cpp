#include "provider/check/rules.h"

#include <strings.h>

#include <algorithm>
#include <set>

#include "provider/check/module.h"
#include "provider/config/keys.h"

namespace gpuctr::check {
namespace {

using Words = std::vector<std::string>;

// The keys of the section that openssl_conf names: the names of OpenSSL's configuration modules.
const Words kModules = {"providers", "alg_section", "random",      "ssl_conf",
                        "engines",   "oid_section", "stbl_section"};
const Words kRandomKeys = {"random", "cipher",          "digest",         "properties",
                           "seed",   "seed_properties", "random_provider"};

Words section_keys() {
  Words words;
#define KEY(id, name) words.push_back(name);
  GPUCTR_CONFIG_KEYS(KEY)
#undef KEY
  for (const char* line : kProviderLines) words.push_back(line);
  return words;
}

bool is_in(const std::string& word, const Words& words) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

// Returns "gpuctr" for "1.gpuctr". OpenSSL ignores the part before a dot, so that a name can be
// used twice.
std::string behind_dot(const std::string& name) { return name.substr(name.rfind('.') + 1); }

bool begins(const std::string& text, const std::string& start) {
  return text.compare(0, start.size(), start) == 0;
}

std::string base_name(const std::string& path) { return path.substr(path.rfind('/') + 1); }

std::string quoted(const std::string& section) { return "[" + section + "]"; }

std::string text_of(const char* value) { return value != nullptr ? value : ""; }

// The value of the first key in a section whose part behind the dot is `name`.
const char* value_of(const File& file, const std::string& section, const std::string& name) {
  for (const auto& pair : file.pairs(section)) {
    if (behind_dot(pair.first) == name) return file.value(section, pair.first);
  }
  return nullptr;
}

// Reports the keys of a section that look like misspelt keys of `known`. True: one looks like
// `wanted`.
bool check_keys(const File& file, const std::string& section, const Words& known,
                const std::string& wanted, Findings* findings) {
  bool meant = false;
  for (const auto& pair : file.pairs(section)) {
    const std::string key = behind_dot(pair.first);
    if (is_in(key, known)) continue;
    const std::string word = nearest(key, known);
    if (word.empty()) continue;
    findings->fault(
        file.where(section, pair.first),
        std::string(key).append(": OpenSSL does not know this key: write ").append(word));
    if (word == wanted) meant = true;
  }
  return meant;
}

// Reports a line whose value names a section that does not exist. `likely`: the section to suggest,
// or empty.
void no_section(const File& file, const std::string& in, const std::string& key,
                const std::string& likely, Findings* findings) {
  const std::string name = text_of(file.value(in, key));
  std::string near = nearest(name, file.sections());
  if (near.empty()) near = likely;
  findings->fault(file.where(in, key),
                  key + " = " + name + ": there is no section " + quoted(name) +
                      (near.empty() ? ": add it" : ": write " + key + " = " + near));
}

// The first section for which `right` returns true; "": no section.
template <class Right>
std::string guess(const File& file, Right right) {
  for (const std::string& section : file.sections()) {
    if (right(section)) return section;
  }
  return "";
}

std::string find_init(const File& file, Findings* findings) {
  std::string likely =
      guess(file, [&](const std::string& s) { return file.value(s, "providers") != nullptr; });
  const char* const init = file.value("default", "openssl_conf");
  if (init != nullptr) {
    if (file.has(init)) return init;
    no_section(file, "default", "openssl_conf", likely, findings);
    return likely;
  }
  for (const std::string& section : file.sections()) {
    if (file.value(section, "openssl_conf") == nullptr) continue;
    findings->fault(file.where(section, "openssl_conf"),
                    "openssl_conf: OpenSSL reads this line only above the first section, and it "
                    "stands in " +
                        quoted(section) + ": move it to the top of the file");
    return likely;
  }
  if (check_keys(file, "default", {"openssl_conf", "config_diagnostics"}, "openssl_conf",
                 findings)) {
    return likely;
  }
  findings->fault(file.path(), "OpenSSL reads no section of this file: write openssl_conf = " +
                                   (likely.empty() ? "openssl_init" : likely) +
                                   " above the first section");
  return likely;
}

std::string find_providers(const File& file, const std::string& init, Findings* findings) {
  std::string likely = guess(file, [&](const std::string& s) {
    return file.value(s, "gpuctr") != nullptr && file.value(s, "activate") == nullptr;
  });
  if (init.empty()) return likely;
  const bool misspelt = check_keys(file, init, kModules, "providers", findings);
  const char* const providers = file.value(init, "providers");
  if (providers == nullptr) {
    if (!misspelt) {
      findings->fault(file.where(init, ""), quoted(init) +
                                                " names no providers: write providers = " +
                                                (likely.empty() ? "providers" : likely) + " in it");
    }
    return likely;
  }
  if (file.has(providers)) return providers;
  no_section(file, init, "providers", likely, findings);
  return likely;
}

bool is_ours(const File& file, const std::string& name, const std::string& section) {
  if (name == "gpuctr" || text_of(file.value(section, "identity")) == "gpuctr") return true;
  return begins(base_name(text_of(file.value(section, "module"))), "gpuctr");
}

void find_section(const File& file, Places* places, Findings* findings) {
  std::string likely = guess(file, [&](const std::string& s) {
    return s != places->providers && (begins(s, "gpuctr") || is_ours(file, "", s));
  });
  places->name = "gpuctr";
  places->section = likely;
  if (places->providers.empty()) return;
  std::string near;
  for (const auto& [key, section] : file.pairs(places->providers)) {
    const std::string name = behind_dot(key);
    if (!is_ours(file, name, section)) {
      if (!nearest(name, {"gpuctr"}).empty()) near = key;
      continue;
    }
    const char* const identity = value_of(file, section, "identity");
    places->listed = true;
    places->name = identity != nullptr ? identity : name;
    places->section = file.has(section) ? section : likely;
    if (!file.has(section)) no_section(file, places->providers, key, likely, findings);
    return;
  }
  if (near.empty()) {
    findings->fault(file.where(places->providers, ""),
                    quoted(places->providers) + " does not list gpuctr: write gpuctr = " +
                        (likely.empty() ? "gpuctr_provider" : likely) + " in it");
    return;
  }
  findings->fault(file.where(places->providers, near),
                  near + ": OpenSSL looks for a module " + near + ".so: write gpuctr");
}

bool is_on(const std::string& value) {
  for (const char* word : {"1", "yes", "true", "on"}) {
    if (strcasecmp(value.c_str(), word) == 0) return true;
  }
  return false;
}

void check_activate(const File& file, const std::string& section, const std::string& name,
                    Findings* findings) {
  const char* const value = value_of(file, section, "activate");
  if (value == nullptr) {
    findings->fault(file.where(section, ""),
                    quoted(section) + " does not activate " + name + ": write activate = 1 in it");
  } else if (!is_on(value)) {
    findings->fault(file.where(section, "activate"),
                    std::string("activate = ") + value + ": some versions of OpenSSL then load " +
                        name + ", others do not: write activate = 1");
  }
}

void check_module(const File& file, const Places& places, Findings* findings) {
  const char* const module = value_of(file, places.section, "module");
  const std::string path = module_path(places.name, module);
  const std::string fault = module_fault(path);
  if (fault.empty()) return;
  const std::string here = modules_folder() + "/gpuctr.so";
  std::string advice;
  if (module == nullptr) {
    advice = ": install it there, or write module = /path/to/gpuctr.so";
  } else if (module[0] != '/') {
    advice = ": OpenSSL looks for " + std::string(module) +
             " there and nowhere else: write the "
             "whole path, which begins with /";
  } else if (path != here && module_fault(here).empty()) {
    advice = ": the module is " + here;
  }
  findings->fault(file.where(places.section, module == nullptr ? "" : "module"),
                  path + " " + fault + advice);
}

void check_default(const File& file, const Places& places, Findings* findings) {
  if (places.providers.empty()) return;
  const char* const heading =
      "[default] is OpenSSL's name for the lines above the first section: "
      "call this section [default_provider]";
  const std::string advice =
      ": once a provider is configured, OpenSSL's own ciphers and hashes "
      "are there only if the file activates them";
  for (const auto& [key, section] : file.pairs(places.providers)) {
    const std::string name = behind_dot(key);
    if (name != "default") continue;
    if (section == "default") {
      const std::vector<Line> lines = file.lines("default", "");
      findings->fault(lines.empty() ? file.where(places.providers, key) : lines[0].where, heading);
    } else if (!file.has(section)) {
      no_section(file, places.providers, key, "", findings);
    } else if (!check_keys(file, section, {"activate", "identity", "module", "soft_load"},
                           "activate", findings)) {
      check_activate(file, section, "the default provider", findings);
    }
    return;
  }
  for (const auto& pair : file.pairs(places.providers)) {
    const std::string name = behind_dot(pair.first);
    if (name == "fips") return;
    if (name == places.name || nearest(name, {"default"}).empty()) continue;
    findings->fault(file.where(places.providers, pair.first),
                    std::string(name).append(": write default").append(advice));
    return;
  }
  findings->fault(file.where(places.providers, ""),
                  quoted(places.providers) +
                      " does not list the default provider: write default = default_provider in "
                      "it, and a section [default_provider] with activate = 1" +
                      advice);
}

void reach(const File& file, const std::string& section, std::set<std::string>* reached) {
  if (section.empty() || !reached->insert(section).second) return;
  for (const auto& pair : file.pairs(section)) {
    if (file.has(pair.second)) reach(file, pair.second, reached);
  }
}

void check_unreached(const File& file, const Places& places, Findings* findings) {
  std::set<std::string> reached;
  reach(file, places.init, &reached);
  for (const std::string& section : file.sections()) {
    if (reached.count(section) != 0) continue;
    const std::string start = "OpenSSL does not read " + quoted(section);
    const std::string end = ": write that in " + quoted(places.init) + " to use it";
    if (file.value(section, "activate") != nullptr || file.value(section, "module") != nullptr) {
      findings->note(file.where(section, ""),
                     start + ": no provider in " + quoted(places.providers) + " has this section");
    } else if (file.value(section, "random") != nullptr && !places.init.empty()) {
      findings->note(file.where(section, ""),
                     std::string(start).append(" without random = ").append(section).append(end));
    } else if (file.value(section, "default_properties") != nullptr && !places.init.empty()) {
      findings->note(
          file.where(section, ""),
          std::string(start).append(" without alg_section = ").append(section).append(end));
    }
  }
}

void check_doubles(const File& file, const std::string& section, Findings* findings) {
  const std::vector<Line> headings = file.lines(section, "");
  for (std::size_t i = 1; i < headings.size(); ++i) {
    findings->note(headings[i].where, quoted(section) + " comes again, after " + headings[0].where +
                                          ": OpenSSL joins the two");
  }
  for (const auto& pair : file.pairs(section)) {
    const std::vector<Line> lines = file.lines(section, pair.first);
    if (lines.size() < 2) continue;
    findings->note(lines.back().where, pair.first + " comes again, after " + lines[0].where +
                                           ": only the last line counts");
  }
}

}  // namespace

Places find_places(const File& file, Findings* findings) {
  Places places;
  places.init = find_init(file, findings);
  places.providers = find_providers(file, places.init, findings);
  find_section(file, &places, findings);
  const char* const random = file.value(places.init, "random");
  if (random != nullptr && !file.has(random)) {
    no_section(file, places.init, "random", "", findings);
  } else if (random != nullptr) {
    places.random = random;
  }
  return places;
}

void check_section(const File& file, const Places& places, Findings* findings) {
  const std::string& section = places.section;
  if (section.empty()) {
    const std::string fault = module_fault(module_path("gpuctr", nullptr));
    if (!fault.empty()) findings->note(file.path(), module_path("gpuctr", nullptr) + " " + fault);
    return;
  }
  const Words known = section_keys();
  for (const auto& [key, value] : file.pairs(section)) {
    const std::string name = behind_dot(key);
    if (!is_in(name, known)) {
      if (nearest(name, known).empty()) {
        findings->note(file.where(section, key), name + ": gpuctr has no such key");
      }
    } else if (name != "activate" && name != "module" && file.has(value)) {
      findings->fault(file.where(section, key),
                      std::string(name)
                          .append(" = ")
                          .append(value)
                          .append(": OpenSSL takes the section ")
                          .append(quoted(value))
                          .append(" in place of this value: give the section another name"));
    }
  }
  if (!check_keys(file, section, known, "activate", findings)) {
    check_activate(file, section, "gpuctr", findings);
  }
  Findings quiet;
  if (!check_keys(file, section, known, "module", &quiet)) check_module(file, places, findings);
}

void check_rest(const File& file, const Places& places, Findings* findings) {
  check_default(file, places, findings);
  if (!places.random.empty()) check_keys(file, places.random, kRandomKeys, "", findings);
  for (const std::string& section : file.sections()) {
    std::set<std::string> reached = {places.section};
    reach(file, places.init, &reached);
    if (reached.count(section) != 0) check_doubles(file, section, findings);
  }
  check_unreached(file, places, findings);
  for (const Line& line : file.missing_includes()) {
    findings->note(line.where, line.section + " is not there: OpenSSL goes on without it");
  }
}

}  // namespace gpuctr::check
