// Data that stays on the device: counter mode in place on device memory,
// and random bytes written to device memory.
//   nvcc device.cu -lcrypto
// The program needs an openssl.cnf with `gpu-pointers = yes` in the
// provider's section: with the default, the first calls would treat a
// device address as ordinary memory, because no device is started yet
// (gpuctr(7), DEVICE MEMORY).
#include <cuda_runtime.h>
#include <openssl/err.h>
#include <openssl/evp.h>

#include <cstdio>
#include <cstring>
#include <vector>

static bool cuda(cudaError_t status) {
  if (status != cudaSuccess)
    std::fprintf(stderr, "CUDA: %s\n", cudaGetErrorString(status));
  return status == cudaSuccess;
}

static bool openssl(bool ok) {
  if (!ok) ERR_print_errors_fp(stderr);
  return ok;
}

int main() {
  int devices = 0;
  if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) {
    std::fprintf(stderr, "there is no device\n");
    return 77;
  }
  constexpr int kBytes =
      256 << 20;  // an update takes an int: 2 GiB - 1 at most
  const unsigned char key[32] = {};
  const unsigned char iv[16] = {};
  unsigned char* data = nullptr;
  if (!cuda(cudaMalloc(&data, kBytes)) ||
      !cuda(cudaMemset(data, 'a', kBytes)))
    return 1;
  // The provider uses its own streams and does not wait for ours.
  if (!cuda(cudaDeviceSynchronize())) return 1;

  EVP_CIPHER* const cipher =
      EVP_CIPHER_fetch(nullptr, "LEA-256-CTR", "provider=gpuctr");
  EVP_CIPHER_CTX* const ctx = EVP_CIPHER_CTX_new();
  int n = 0;
  if (!openssl(cipher != nullptr &&
               EVP_EncryptInit_ex2(ctx, cipher, key, iv, nullptr) &&
               EVP_EncryptUpdate(ctx, data, &n, data, kBytes))) {
    return 1;
  }
  std::vector<unsigned char> sealed(kBytes),
      again(kBytes, 'a');  // the update returns when the work is done
  if (!cuda(
          cudaMemcpy(sealed.data(), data, kBytes, cudaMemcpyDeviceToHost)))
    return 1;
  if (!openssl(
          EVP_EncryptInit_ex2(ctx, cipher, key, iv, nullptr) &&
          EVP_EncryptUpdate(ctx, again.data(), &n, again.data(), kBytes))) {
    return 1;
  }
  if (sealed != again)
    return std::fprintf(stderr, "device and CPU differ\n"), 1;

  EVP_RAND* const generator =
      EVP_RAND_fetch(nullptr, "LEA-256-CTR-DRBG", "provider=gpuctr");
  EVP_RAND_CTX* const random = EVP_RAND_CTX_new(generator, nullptr);
  if (!openssl(
          random != nullptr &&
          EVP_RAND_instantiate(random, 256, 0, nullptr, 0, nullptr) &&
          EVP_RAND_generate(random, data, kBytes, 256, 0, nullptr, 0))) {
    return 1;
  }
  if (!cuda(
          cudaMemcpy(sealed.data(), data, kBytes, cudaMemcpyDeviceToHost)))
    return 1;
  if (sealed == again)
    return std::fprintf(stderr, "no random bytes were written\n"), 1;
  std::printf(
      "%d bytes encrypted on the device, and as many random ones written "
      "to it\n",
      kBytes);
  EVP_RAND_CTX_free(random);
  EVP_RAND_free(generator);
  EVP_CIPHER_CTX_free(ctx);
  EVP_CIPHER_free(cipher);
  cudaFree(data);
  return 0;
}
