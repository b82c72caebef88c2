// The only list of the keys in the provider's section of openssl.cnf. The table in config.cpp and
// the spelling check of gpuctr-check use this list. KEY(id, name). gpuctr(7) describes each key.
#ifndef GPUCTR_PROVIDER_CONFIG_KEYS_H
#define GPUCTR_PROVIDER_CONFIG_KEYS_H

// In the order in which the keys are read: `algorithms` depends on `legacy` and `cpu`.
#define GPUCTR_CONFIG_KEYS(KEY)   \
  KEY(legacy, "legacy")           \
  KEY(cpu, "cpu")                 \
  KEY(algorithms, "algorithms")   \
  KEY(gpu, "gpu")                 \
  KEY(threshold, "gpu-threshold") \
  KEY(gpus, "gpus")               \
  KEY(read_ahead, "read-ahead")   \
  KEY(threads, "threads")         \
  KEY(pointers, "gpu-pointers")   \
  KEY(pinned, "pinned-memory")    \
  KEY(max_bytes, "max-bytes")

namespace gpuctr {

// The keys that OpenSSL itself reads in a provider's section.
constexpr const char* kProviderLines[] = {"activate", "identity", "module", "soft_load"};

}  // namespace gpuctr

#endif
