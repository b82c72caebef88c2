#include "test/bench/batch/evp.h"

#include <openssl/core_names.h>
#include <openssl/provider.h>

#include <cstdio>
#include <filesystem>

#include "provider/core/gpuctr.h"
#include "test/bench/must.h"

namespace gpuctr::bench {

BatchLibrary::BatchLibrary(const std::string& settings) : context_(OSSL_LIB_CTX_new()) {
  const char* const path = "build/bench/batch.cnf";
  std::filesystem::create_directories("build/bench");
  std::FILE* const file = std::fopen(path, "w");
  must(file != nullptr, path);
  std::fprintf(file,
               "openssl_conf = init\n[init]\nproviders = providers\n[providers]\n"
               "gpuctr = gpuctr_provider\n[gpuctr_provider]\nactivate = 1\n"
               "%smodule = %s/gpuctr.so\n",
               settings.c_str(), GPUCTR_MODULE_DIR);
  must(std::fclose(file) == 0 && OSSL_LIB_CTX_load_config(context_, path) == 1, "the module");
}

ThroughEvp::ThroughEvp(const BatchLibrary& library, const CipherSpec& spec, ManyMode mode,
                       const BatchArrays& arrays)
    : context_(EVP_CIPHER_CTX_new(), EVP_CIPHER_CTX_free), arrays_(arrays) {
  EVP_CIPHER* const cipher =
      library.fetch(std::string(spec.name) + "-" + kModes[static_cast<int>(mode)]);
  const std::size_t n = arrays.messages, iv_bytes = BatchData::iv_bytes(mode, spec.block_bytes);
  params_.number(GPUCTR_PARAM_BATCH_MESSAGES, n);
  params_.add(GPUCTR_PARAM_BATCH_KEYS, arrays.keys, n * spec.key_bytes);
  params_.add(GPUCTR_PARAM_BATCH_IVS, arrays.ivs, n * iv_bytes);
  if (arrays.index != nullptr) params_.add(GPUCTR_PARAM_BATCH_KEY_INDEX, arrays.index, 4 * n);
  if (BatchData::authenticates(mode)) {
    params_.number(OSSL_CIPHER_PARAM_IVLEN, iv_bytes);
    params_.add(GPUCTR_PARAM_BATCH_AAD, arrays.aad, n * kAadBytes);
    params_.add(GPUCTR_PARAM_BATCH_AAD_LENGTHS, &aad_length_, sizeof aad_length_);
    params_.add(GPUCTR_PARAM_BATCH_TAGS, arrays.tags, n * kTagBytes);
  }
  must(EVP_EncryptInit_ex2(context_.get(), cipher, nullptr, nullptr, nullptr) == 1, "an init");
  if (mode == ManyMode::kCcm) {
    must(EVP_CIPHER_CTX_ctrl(context_.get(), EVP_CTRL_AEAD_SET_TAG, kTagBytes, nullptr) == 1,
         "a tag's length");
  }
  if (mode == ManyMode::kCbc) EVP_CIPHER_CTX_set_padding(context_.get(), 0);
  EVP_CIPHER_free(cipher);
  must(params_.set(context_.get()) == 1, "a batch");
}

void ThroughEvp::operator()() {
  int written = 0;
  must(EVP_EncryptUpdate(context_.get(), arrays_.texts, &written, arrays_.texts,
                         static_cast<int>(arrays_.messages * arrays_.size)) == 1,
       "a batch");
}

}  // namespace gpuctr::bench
