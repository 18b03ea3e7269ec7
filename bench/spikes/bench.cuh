// What the kernel spikes share: error checks, buffers, event timing, random input, copy rate, output check.
#pragma once

#include <cuda_runtime.h>

#include <functional>
#include <stdexcept>

#include "record.h"

namespace spikes {

inline void check(cudaError_t error, const char* what) {
  if (error == cudaSuccess) return;
  cudaGetLastError();
  throw std::runtime_error(std::string(what) + ": " + cudaGetErrorString(error));
}

/// `count` floats of device memory (plain cudaMalloc).
class Floats {
 public:
  explicit Floats(size_t count) : count_(count) {
    check(cudaMalloc(&data_, count * sizeof(float)), "malloc");
  }
  Floats(const Floats&) = delete;
  Floats& operator=(const Floats&) = delete;
  ~Floats() { cudaFree(data_); }
  float* get() const { return data_; }
  size_t size() const { return count_; }

 private:
  float* data_ = nullptr;
  size_t count_;
};

/// Uniform in [low, high), a pure function of the index and the seed.
__global__ void fill_random(float* out, size_t n, float low, float high, unsigned seed) {
  size_t i = blockIdx.x * size_t(blockDim.x) + threadIdx.x;
  if (i >= n) return;
  unsigned h = unsigned(i) * 0x9E3779B1u ^ unsigned(i >> 32) * 0x85EBCA77u ^ seed;
  h = (h ^ h >> 16) * 0x7FEB352Du;
  h = (h ^ h >> 15) * 0x846CA68Bu;
  h ^= h >> 16;
  out[i] = low + (high - low) * (h >> 8) * 0x1p-24f;
}

__global__ void copy16(const float4* x, float4* y) {
  size_t i = blockIdx.x * size_t(128) + threadIdx.x;
  y[i] = x[i];
}

__global__ void count_not_finite(const float* x, size_t n, unsigned* bad) {
  size_t i = blockIdx.x * size_t(blockDim.x) + threadIdx.x;
  if (i < n && !isfinite(x[i])) atomicAdd(bad, 1u);
}

inline unsigned blocks_for(size_t n, unsigned threads) { return unsigned((n + threads - 1) / threads); }

inline void randomize(const Floats& x, float low, float high, unsigned seed) {
  fill_random<<<blocks_for(x.size(), 256), 256>>>(x.get(), x.size(), low, high, seed);
  check(cudaDeviceSynchronize(), "fill");
}

/// NaN everywhere, so that an element that a kernel forgets shows.
inline void poison(float* y, size_t n) { check(cudaMemset(y, 0xFF, n * sizeof(float)), "poison"); }

inline unsigned not_finite(const float* y, size_t n) {
  unsigned* device = nullptr;
  unsigned host = 0;
  check(cudaMalloc(&device, sizeof host), "malloc");
  check(cudaMemset(device, 0, sizeof host), "memset");
  count_not_finite<<<blocks_for(n, 256), 256>>>(y, n, device);
  cudaError_t error = cudaMemcpy(&host, device, sizeof host, cudaMemcpyDeviceToHost);
  cudaFree(device);
  check(error, "count");
  return host;
}

inline std::vector<float> to_host(const float* x, size_t n) {
  std::vector<float> host(n);
  check(cudaMemcpy(host.data(), x, n * sizeof(float), cudaMemcpyDeviceToHost), "to host");
  return host;
}

/// Median milliseconds of one call of `launch` over `repeats` event-timed calls after `warm` untimed ones.
inline double time_ms(const std::function<void()>& launch, int repeats = 20, int warm = 2) {
  std::vector<cudaEvent_t> marks(size_t(repeats) * 2);
  for (auto& mark : marks) check(cudaEventCreate(&mark), "event");
  for (int i = 0; i < warm; ++i) launch();
  for (int i = 0; i < repeats; ++i) {
    cudaEventRecord(marks[2 * i]);
    launch();
    cudaEventRecord(marks[2 * i + 1]);
  }
  cudaError_t error = cudaDeviceSynchronize();
  std::vector<double> samples;
  for (int i = 0; i < repeats && error == cudaSuccess; ++i) {
    float ms = 0;
    error = cudaEventElapsedTime(&ms, marks[2 * i], marks[2 * i + 1]);
    samples.push_back(ms);
  }
  for (auto& mark : marks) cudaEventDestroy(mark);
  check(error, "timing");
  return median(samples);
}

/// Bytes per millisecond, read plus written, of the plain copy of `n` floats (n a multiple of 512).
inline double copy_rate(const float* x, float* y, size_t n) {
  auto launch = [&] {
    copy16<<<unsigned(n / 512), 128>>>(reinterpret_cast<const float4*>(x), reinterpret_cast<float4*>(y));
    check(cudaGetLastError(), "copy");
  };
  return 2.0 * n * sizeof(float) / time_ms(launch);
}

}  // namespace spikes
