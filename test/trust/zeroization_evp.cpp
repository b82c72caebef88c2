// usage: trust_zeroization_evp MODULE_DIR MODULE [--planted]
// Nothing of a key is left in this process's memory after free, re-init, copy and fork, through
// EVP. With --planted the module is one that was built without wiping, and each check has to find
// what it left: so the scan is known to see.
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/provider.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "kernels/base/counter.h"
#include "kernels/base/wipe.h"
#include "kernels/cpu/backend.h"
#include "provider/core/gpuctr.h"
#include "test/provider/batch/pointer_params.h"
#include "test/support/generators.h"
#include "test/trust/evp_session.h"
#include "test/trust/memory_scan.h"

namespace gpuctr::trust {
namespace {

bool g_planted = false;
unsigned g_checks = 0;
unsigned g_failed = 0;
unsigned g_planted_seen = 0;

void verdict(const std::string& what, bool good, const std::string& detail) {
  ++g_checks;
  if (good) return;
  ++g_failed;
  std::printf("FAILED %s\n%s", what.c_str(), detail.c_str());
}

void expect_clean(const std::string& what, const Secrets::Found& found) {
  if (g_planted) {
    g_planted_seen += found.total() != 0 ? 1 : 0;
    ++g_checks;
  } else {
    verdict(what, found.total() == 0, found.where);
  }
}

void init(const Session& s, EVP_CIPHER_CTX* ctx, unsigned n) {
  Wiped<std::uint8_t[2 * kMaxKeyBytes]> key;
  std::uint8_t iv[kCounterBytes];
  make_secret(seed_of(s, n), key.value, s.spec.key_bytes);
  if (s.mode == Mode::kXts) {
    make_secret(seed_of(s, n) + 30, key.value + s.spec.key_bytes, s.spec.key_bytes);
  }
  make_secret(seed_of(s, n) + 50, iv, s.spec.block_bytes);
  EVP_CIPHER_CTX_set_flags(ctx, EVP_CIPHER_CTX_FLAG_WRAP_ALLOW);
  if (EVP_CipherInit_ex2(ctx, n == 0 ? s.cipher : nullptr, key.value, s.has_iv() ? iv : nullptr,
                         s.mode == Mode::kCfbDecryption ? 0 : 1, nullptr) != 1) {
    verdict(std::string(s.spec.name) + " init", false, "");
  }
}

// Encrypts zeros in the modes with keystream (so the output is keystream) and secret plaintext in
// ECB, XTS and key wrapping, in odd pieces; in CCM and GCM-SIV in one, which is a message, and so
// each needs an IV. A piece of key wrapping is a message too, and is 8 bytes longer when wrapped.
void work(const Session& s, EVP_CIPHER_CTX* ctx, unsigned n) {
  std::vector<std::uint8_t> data(kData), out(kData + 128);
  if (!s.stream()) make_secret(seed_of(s, n) + 70, data.data(), data.size());
  std::size_t done = 0;
  int written = 0;
  bool good = true;
  if (s.whole()) {
    std::uint8_t iv[kCounterBytes];
    make_secret(seed_of(s, n) + 50, iv, s.spec.block_bytes);
    good = EVP_EncryptInit_ex2(ctx, nullptr, nullptr, iv, nullptr) == 1;
  }
  const std::size_t piece = s.whole() ? kData : s.mode == Mode::kWrap ? 4096 : 4099;
  for (std::size_t at = 0; at < kData; at += piece) {
    std::size_t take = kData - at < piece ? kData - at : piece;
    if (s.mode == Mode::kWrap) take &= ~std::size_t{7};
    good = EVP_CipherUpdate(ctx, out.data() + done, &written, data.data() + at,
                            static_cast<int>(take)) == 1 &&
           good;
    done += static_cast<std::size_t>(written);
  }
  wipe(data.data(), data.size());
  wipe(out.data(), out.size());
  if (!good) verdict(std::string(s.spec.name) + " update", false, "");
}

void free_and_reinit(const Session& s, const std::string& name, Secrets* secrets) {
  EVP_CIPHER_CTX* ctx = EVP_CIPHER_CTX_new();
  init(s, ctx, 0);
  learn(s, 0, secrets);
  work(s, ctx, 0);
  const Secrets::Found live = secrets->find();
  verdict(name + ": the scan sees the round keys of a live context",
          live.of(Secrets::kRoundKeys) != 0, "");
  if (s.mode == Mode::kGcm || s.mode == Mode::kGcmSiv) {
    verdict(name + ": the scan sees GHASH's key in a live context", live.of(Secrets::kState) != 0,
            "");
  }
  init(s, ctx, 1);
  work(s, ctx, 1);
  expect_clean(name + ": after init with another key", secrets->find());
  secrets->clear();
  learn(s, 1, secrets);
  EVP_CIPHER_CTX* const copy = EVP_CIPHER_CTX_new();
  if (EVP_CIPHER_CTX_copy(copy, ctx) != 1) verdict(name + " copy", false, "");
  EVP_CIPHER_CTX_free(ctx);
  work(s, copy, 1);
  EVP_CIPHER_CTX_free(copy);
  expect_clean(name + ": after free of a context and its copy", secrets->find());
  secrets->clear();
}

// The keystream alone, from the IV of number n on; of GCM the text's, and the mask of the tag with
// `mask`.
void learn_keystream(const Session& s, unsigned n, std::size_t bytes, Secrets* secrets,
                     bool mask = true) {
  secrets->add_in_child([&](Secrets& out) {
    std::uint8_t key[kMaxKeyBytes], iv[kCounterBytes];
    make_secret(seed_of(s, n), key, s.spec.key_bytes);
    first_counter(s, n, iv);
    if (s.mode == Mode::kGcm && !mask) counter_add(iv, s.spec.block_bytes, 1);
    RoundKeys keys = {};  // of which a short key leaves a part as it is
    s.spec.expand(key, &keys);
    std::vector<std::uint8_t> data(bytes);
    make_keystream(s, keys, iv, &data);
    out.add(Secrets::kKeystream, data.data(), data.size());
  });
}

// A new IV under the same key: keystream of the old one is gone.
void new_iv(const Session& s, const std::string& name, Secrets* secrets) {
  EVP_CIPHER_CTX* const ctx = EVP_CIPHER_CTX_new();
  init(s, ctx, 0);
  work(s, ctx, 0);
  learn_keystream(s, 0, kData + 16, secrets);
  const std::uint8_t iv[kCounterBytes] = {1};
  if (EVP_CipherInit_ex2(ctx, nullptr, nullptr, iv, -1, nullptr) != 1) verdict(name, false, "");
  expect_clean(name + ": after init with a new IV", secrets->find());
  EVP_CIPHER_CTX_free(ctx);
  secrets->clear();
}

// `count` updates of 20 bytes of zeros: enough for keystream to be made ahead of them.
void small_work(EVP_CIPHER_CTX* ctx, unsigned count) {
  std::uint8_t data[20] = {}, out[20];
  int written = 0;
  bool good = true;
  for (unsigned i = 0; i < count; ++i) {
    good = EVP_EncryptUpdate(ctx, out, &written, data, sizeof data) == 1 && good;
  }
  wipe(out, sizeof out);
  if (!good) verdict("small updates", false, "");
}

// Keystream that waits for small updates goes with its use, and with its context's key, IV or life.
void small_updates(const Session& s, const std::string& name, Secrets* secrets) {
  constexpr unsigned kUpdates = 4 * 17;  // ends with a block
  const std::size_t used = std::size_t{20} * kUpdates;
  EVP_CIPHER_CTX* const ctx = EVP_CIPHER_CTX_new();
  EVP_CIPHER_CTX* const copy = EVP_CIPHER_CTX_new();
  init(s, ctx, 0);
  small_work(ctx, kUpdates);
  learn_keystream(s, 0, used, secrets, false);
  expect_clean(name + ": keystream of small updates, used", secrets->find());
  learn_keystream(s, 0, used + 2048, secrets, false);
  verdict(name + ": the scan sees what is ready in a live context",
          secrets->find().of(Secrets::kKeystream) != 0, "");
  if (EVP_CIPHER_CTX_copy(copy, ctx) != 1) verdict(name + " copy", false, "");
  init(s, ctx, 1);
  expect_clean(name + ": keystream ready, after init with another key and in a copy",
               secrets->find());
  secrets->clear();
  learn_keystream(s, 1, used + 2048, secrets);
  small_work(ctx, kUpdates);
  const std::uint8_t iv[kCounterBytes] = {1};
  if (EVP_EncryptInit_ex2(ctx, nullptr, nullptr, iv, nullptr) != 1) verdict(name, false, "");
  expect_clean(name + ": keystream ready, after init with a new IV", secrets->find());
  secrets->clear();
  learn_keystream(s, 0, used + 2048, secrets);
  small_work(copy, kUpdates);
  EVP_CIPHER_CTX_free(copy);
  EVP_CIPHER_CTX_free(ctx);
  expect_clean(name + ": keystream ready, after free", secrets->find());
  secrets->clear();
}

// The end of a message: GCM has nothing of it left but the tag.
void ended(const Session& s, const std::string& name, Secrets* secrets) {
  EVP_CIPHER_CTX* const ctx = EVP_CIPHER_CTX_new();
  init(s, ctx, 0);
  small_work(ctx, 7);
  learn_keystream(s, 0, 2048, secrets);
  verdict(name + ": the scan sees the mask of the tag, and what is ready, before the end",
          secrets->find().of(Secrets::kKeystream) != 0, "");
  std::uint8_t none[16];
  int written = 0;
  if (EVP_EncryptFinal_ex(ctx, none, &written) != 1) verdict(name + " final", false, "");
  expect_clean(name + ": after the end of a message", secrets->find());
  EVP_CIPHER_CTX_free(ctx);
  secrets->clear();
}

// A child that frees what it inherited holds nothing any more.
void forked(const Session& s, const std::string& name, Secrets* secrets) {
  EVP_CIPHER_CTX* const ctx = EVP_CIPHER_CTX_new();
  init(s, ctx, 0);
  learn(s, 0, secrets);
  work(s, ctx, 0);
  std::fflush(nullptr);
  const int child = fork();
  if (child == 0) {
    work(s, ctx, 0);
    EVP_CIPHER_CTX_free(ctx);
    const Secrets::Found found = secrets->find();
    if (!g_planted) std::printf("%s", found.where.c_str());
    std::fflush(nullptr);
    _exit(found.total() == 0 ? 0 : 1);
  }
  int status = 0;
  waitpid(child, &status, 0);
  Secrets::Found in_child;
  in_child.hits[0] = status == 0 ? 0 : 1;
  expect_clean(name + ": a child that freed its context", in_child);
  EVP_CIPHER_CTX_free(ctx);
  expect_clean(name + ": the parent after free", secrets->find());
  secrets->clear();
}

// Sets the key of number n as the only key of a batch, or as a table of one key, and runs two
// messages of zeros under it.
void batch(const Session& s, EVP_CIPHER_CTX* ctx, unsigned n, bool table) {
  constexpr std::size_t kMessages = 2;
  std::vector<std::uint8_t> keys(kMessages * s.spec.key_bytes), ivs, text(kMessages * kData);
  std::uint8_t iv[kCounterBytes], tags[kMessages * 16];
  make_secret(seed_of(s, n), keys.data(), s.spec.key_bytes);
  std::memcpy(keys.data() + s.spec.key_bytes, keys.data(), s.spec.key_bytes);
  make_secret(seed_of(s, n) + 50, iv, s.spec.block_bytes);
  const int iv_bytes = EVP_CIPHER_CTX_get_iv_length(ctx);
  for (std::size_t i = 0; i < kMessages; ++i) ivs.insert(ivs.end(), iv, iv + iv_bytes);
  const std::uint32_t index[kMessages] = {0, 0};
  test::PointerParams params;
  params.number(GPUCTR_PARAM_BATCH_MESSAGES, kMessages);
  params.add(GPUCTR_PARAM_BATCH_KEYS, keys.data(), keys.size());
  params.add(GPUCTR_PARAM_BATCH_KEY_INDEX, table ? index : nullptr, table ? sizeof index : 0);
  params.add(GPUCTR_PARAM_BATCH_IVS, ivs.data(), ivs.size());
  if (s.mode != Mode::kCtr) params.add(GPUCTR_PARAM_BATCH_TAGS, tags, sizeof tags);
  int written = 0;
  const bool good =
      params.set(ctx) == 1 && EVP_EncryptUpdate(ctx, text.data(), &written, text.data(),
                                                static_cast<int>(text.size())) == 1;
  wipe(keys.data(), keys.size());
  wipe(text.data(), text.size());
  wipe(tags, sizeof tags);
  if (!good) verdict(std::string(s.spec.name) + " batch", false, "");
}

// Keys of a batch go with the batch; those of a table with the table or its last context.
void batches(const Session& s, const std::string& name, Secrets* secrets) {
  EVP_CIPHER_CTX* const ctx = EVP_CIPHER_CTX_new();
  EVP_CIPHER_CTX* const copy = EVP_CIPHER_CTX_new();
  if (EVP_EncryptInit_ex2(ctx, s.cipher, nullptr, nullptr, nullptr) != 1) verdict(name, false, "");
  batch(s, ctx, 2, false);
  learn(s, 2, secrets);
  expect_clean(name + ": after a batch", secrets->find());
  secrets->clear();
  batch(s, ctx, 0, true);
  learn(s, 0, secrets);
  const Secrets::Found live = secrets->find();
  verdict(name + ": the scan sees the keys of a table",
          live.of(Secrets::kRoundKeys) + live.of(Secrets::kKey) != 0, "");
  batch(s, ctx, 1, true);
  expect_clean(name + ": after another table", secrets->find());
  secrets->clear();
  learn(s, 1, secrets);
  if (EVP_CIPHER_CTX_copy(copy, ctx) != 1) verdict(name + " copy", false, "");
  EVP_CIPHER_CTX_free(ctx);
  EVP_CIPHER_CTX_free(copy);
  expect_clean(name + ": after free of the contexts of a table", secrets->find());
  secrets->clear();
}

// Calls everything once. The dynamic linker saves all vector registers to the stack when a function
// is found at its first call, libcrypto's among them, and so whatever bytes were moved last. What
// is in registers is not claimed (SECURITY.md).
void warm_up(const Session& s) {
  EVP_CIPHER_CTX* const ctx = EVP_CIPHER_CTX_new();
  EVP_CIPHER_CTX* const copy = EVP_CIPHER_CTX_new();
  init(s, ctx, 0);
  work(s, ctx, 0);
  if (s.pieces()) small_work(ctx, 20);
  if (s.stream() && !s.feeds_back()) batch(s, ctx, 0, true);
  if (EVP_CIPHER_CTX_copy(copy, ctx) != 1) verdict("copy", false, "");
  EVP_CIPHER_CTX_free(ctx);
  EVP_CIPHER_CTX_free(copy);
}

// DES3-WRAP, of a library context whose configuration says legacy = yes.
void triple_des_wrap(const char* directory, const char* module, Secrets* secrets) {
  const std::string text =
      std::string("openssl_conf = init\n[init]\nproviders = providers\n[providers]\n") + module +
      " = ours\ndefault = stock\n[stock]\nactivate = 1\n[ours]\nactivate = 1\nlegacy = yes\n" +
      "module = " + directory + "/" + module + ".so\n";
  char path[] = "/tmp/gpuctr-zeroization-XXXXXX";
  const int file = mkstemp(path);
  const bool written =
      file >= 0 && write(file, text.data(), text.size()) == static_cast<ssize_t>(text.size());
  OSSL_LIB_CTX* const context = OSSL_LIB_CTX_new();
  const bool loaded = written && OSSL_LIB_CTX_load_config(context, path) == 1;
  if (file >= 0) {
    close(file);
    unlink(path);
  }
  EVP_CIPHER* const cipher = EVP_CIPHER_fetch(context, "DES3-WRAP", "provider=gpuctr");
  verdict("DES3-WRAP fetch", loaded && cipher != nullptr, "");
  if (cipher != nullptr) {
    const CipherSpec& spec = *find_cipher("DES-EDE3");
    const Session s{spec, cipher, Mode::kWrap, 5000 * (kCipherCount + 1)};
    warm_up({spec, cipher, Mode::kWrap, 77});
    free_and_reinit(s, "DES3-WRAP", secrets);
    forked(s, "DES3-WRAP", secrets);
  }
  EVP_CIPHER_free(cipher);
  OSSL_LIB_CTX_free(context);
}

int run(const char* directory, const char* module) {
  OSSL_PROVIDER_set_default_search_path(nullptr, directory);
  if (OSSL_PROVIDER_load(nullptr, module) == nullptr) {
    std::printf("cannot load %s/%s\n", directory, module);
    return 2;
  }
  Secrets secrets;
  for (const std::size_t i : test::usual_ciphers()) {
    for (const auto& [mode, mode_name] : kModesHere) {
      const CipherSpec& spec = cipher_spec(i);
      const bool wide =
          mode == Mode::kGcm || mode == Mode::kCcm || mode == Mode::kXts || mode == Mode::kWrap;
      if (mode == Mode::kGcmSiv && std::strncmp(spec.name, "AES-", 4) != 0) continue;
      if ((wide && spec.block_bytes != 16) || (mode == Mode::kXts && spec.key_bytes == 24))
        continue;
      const std::string name = std::string(spec.name) + "-" + mode_name;
      EVP_CIPHER* const cipher = EVP_CIPHER_fetch(nullptr, name.c_str(), "provider=gpuctr");
      if (cipher == nullptr) {
        verdict(name + " fetch", false, "");
        continue;
      }
      const Session s{spec, cipher, mode, 5000 * (i + 1) + 500 * static_cast<unsigned>(mode)};
      warm_up({spec, cipher, mode, 77});
      free_and_reinit(s, name, &secrets);
      if (s.stream()) new_iv(s, name, &secrets);
      if (s.pieces()) small_updates(s, name, &secrets);
      if (mode == Mode::kGcm) ended(s, name, &secrets);
      if (s.stream() && !s.feeds_back() && spec.key_bytes == 16) batches(s, name, &secrets);
      forked(s, name, &secrets);
      EVP_CIPHER_free(cipher);
    }
  }
  if (find_cipher("DES-EDE3") != nullptr) triple_des_wrap(directory, module, &secrets);
  if (g_planted) {
    std::printf("%u checks, %u found what the module without wiping left\n", g_checks,
                g_planted_seen);
    return g_planted_seen >= 6 * test::usual_ciphers().size() && g_failed == 0 ? 0 : 1;
  }
  std::printf("%u checks, %u failed\n", g_checks, g_failed);
  return g_failed == 0 ? 0 : 1;
}

}  // namespace
}  // namespace gpuctr::trust

int main(int count, char** arguments) {
  if (count < 3) return 2;
  gpuctr::trust::g_planted = count > 3 && std::strcmp(arguments[3], "--planted") == 0;
  return gpuctr::trust::run(arguments[1], arguments[2]);
}
