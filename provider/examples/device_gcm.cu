// A message sealed and opened on the device with GCM. The text stays in
// device memory; the tag is in host memory.
//   nvcc device_gcm.cu -lcrypto
// As device.cu, the program needs an openssl.cnf with `gpu-pointers = yes`.
#include <cuda_runtime.h>
#include <openssl/err.h>
#include <openssl/evp.h>

#include <cstdio>
#include <vector>

constexpr int kBytes = 256
                       << 20;  // an update takes an int: 2 GiB - 1 at most
constexpr unsigned char kName[] = "the tensor's name";

// Seals or opens `text` in place. Sealing writes the tag; opening compares
// the tag. False when opening: text or name were changed, and the text must
// not be used.
static bool run(EVP_CIPHER* cipher, bool seals, unsigned char* text,
                unsigned char* tag) {
  const unsigned char key[16] = {};
  const unsigned char iv[12] =
      {};  // use a new IV for each message under a key
  EVP_CIPHER_CTX* const ctx = EVP_CIPHER_CTX_new();
  int n = 0;
  bool good =
      EVP_CipherInit_ex2(ctx, cipher, key, iv, seals ? 1 : 0, nullptr) ==
          1 &&
      EVP_CipherUpdate(ctx, nullptr, &n, kName, sizeof kName) == 1 &&
      EVP_CipherUpdate(ctx, text, &n, text, kBytes) == 1;
  if (!seals)
    good = good &&
           EVP_CIPHER_CTX_ctrl(ctx, EVP_CTRL_AEAD_SET_TAG, 16, tag) == 1;
  good = good && EVP_CipherFinal_ex(ctx, nullptr, &n) == 1;
  if (seals)
    good = good &&
           EVP_CIPHER_CTX_ctrl(ctx, EVP_CTRL_AEAD_GET_TAG, 16, tag) == 1;
  EVP_CIPHER_CTX_free(ctx);
  return good;
}

int main() {
  int devices = 0;
  if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) {
    std::fprintf(stderr, "there is no device\n");
    return 77;
  }
  unsigned char* text = nullptr;
  // The provider uses its own streams and does not wait for ours.
  if (cudaMalloc(&text, kBytes) != cudaSuccess ||
      cudaMemset(text, 'a', kBytes) != cudaSuccess ||
      cudaDeviceSynchronize() != cudaSuccess) {
    std::fprintf(stderr, "the device has no memory\n");
    return 1;
  }
  EVP_CIPHER* const cipher =
      EVP_CIPHER_fetch(nullptr, "LEA-128-GCM", "provider=gpuctr");
  unsigned char tag[16];
  if (cipher == nullptr || !run(cipher, true, text, tag) ||
      !run(cipher, false, text, tag)) {
    ERR_print_errors_fp(stderr);
    return 1;
  }
  std::vector<unsigned char> copy(kBytes);
  cudaMemcpy(copy.data(), text, kBytes, cudaMemcpyDeviceToHost);
  if (copy != std::vector<unsigned char>(kBytes, 'a'))
    return std::fprintf(stderr, "wrong\n"), 1;
  std::printf("opened: %d bytes on the device\n", kBytes);

  if (!run(cipher, true, text, tag) ||
      cudaMemset(text + 12345, 'b', 1) != cudaSuccess ||
      cudaDeviceSynchronize() != cudaSuccess) {
    return 1;
  }
  std::printf("%s\n", run(cipher, false, text, tag)
                          ? "opened"
                          : "refused: the tag is wrong");
  EVP_CIPHER_free(cipher);
  cudaFree(text);
  return 0;
}
