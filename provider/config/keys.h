// The keys of the provider's section of openssl.cnf, once: config.cpp makes its table from them,
// and gpuctr-check finds misspelt keys by them. KEY(id, name). gpuctr(7) says what each does.
#ifndef GPUCTR_PROVIDER_CONFIG_KEYS_H
#define GPUCTR_PROVIDER_CONFIG_KEYS_H

// In the order in which they are read: `algorithms` needs to know `legacy` and `cpu`.
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

// Lines that OpenSSL itself reads in a provider's section.
constexpr const char* kProviderLines[] = {"activate", "identity", "module", "soft_load"};

}  // namespace gpuctr

#endif
