// Kernel texts like the ones a code generator emits, made distinct by a salt so that no cache knows them.
#pragma once

#include <cstdio>
#include <string>
#include <vector>

namespace spikes {

struct Source {
    const char* name;
    const char* text;
};

inline const std::vector<Source>& kernel_sources() {
    static const std::vector<Source> sources = {
        {"empty", R"(extern "C" __global__ void __launch_bounds__(256) $NAME(int n) {})"},
        {"triad", R"(
extern "C" __global__ void __launch_bounds__(256)
$NAME(const float* __restrict__ x, const float* __restrict__ y, float* __restrict__ out, float a, int n) {
  int i = (blockIdx.x * blockDim.x + threadIdx.x) * 4;
  if (i >= n) return;
  bool whole = (((size_t)x | (size_t)y | (size_t)out) & 15) == 0 && n - i >= 4;
  float vx[4], vy[4];
  if (whole) {
    *(float4*)vx = *(const float4*)(x + i);
    *(float4*)vy = *(const float4*)(y + i);
  } else {
    for (int k = 0; k < 4; ++k) { vx[k] = i + k < n ? x[i + k] : 0.0f; vy[k] = i + k < n ? y[i + k] : 0.0f; }
  }
  #pragma unroll
  for (int k = 0; k < 4; ++k) vx[k] = a * vx[k] + vy[k] + $SALT;
  if (whole) { *(float4*)(out + i) = *(float4*)vx; return; }
  for (int k = 0; k < 4; ++k) if (i + k < n) out[i + k] = vx[k];
})"},
        {"chain, rolled", R"(
extern "C" __global__ void __launch_bounds__(256)
$NAME(const float* __restrict__ x, float* __restrict__ out, int n) {
  int i = (blockIdx.x * blockDim.x + threadIdx.x) * 4;
  if (i >= n) return;
  bool whole = (((size_t)x | (size_t)out) & 15) == 0 && n - i >= 4;
  float4 v;
  if (whole) v = *(const float4*)(x + i);
  else v = make_float4(x[i], i + 1 < n ? x[i + 1] : 0.0f, i + 2 < n ? x[i + 2] : 0.0f, 0.0f);
  #pragma unroll 1
  for (int k = 0; k < 4; ++k) {
    float t0 = v.x;
    float t1 = (((0x1.47ae14p-7f * t0 - $SALT) * t0 + 0.03f) * t0 - 0.04f) * t0 + 0.05f;
    t1 = (t1 * t0 - 0.06f) * t0 + 0.07f;
    float t2 = sinf(t0) * expf(-0.5f * t0 * t0);
    float t3 = t0 > 0.0f ? t1 + t2 : t1 - 0.5f * t2;
    v = make_float4(v.y, v.z, v.w, t3);
  }
  if (whole) { *(float4*)(out + i) = v; return; }
  out[i] = v.x;
  if (i + 1 < n) out[i + 1] = v.y;
  if (i + 2 < n) out[i + 2] = v.z;
})"},
        {"chain, unrolled", R"(
__device__ inline float body(float t0) {
  float t1 = (((0x1.47ae14p-7f * t0 - $SALT) * t0 + 0.03f) * t0 - 0.04f) * t0 + 0.05f;
  t1 = (t1 * t0 - 0.06f) * t0 + 0.07f;
  float t2 = sinf(t0) * expf(-0.5f * t0 * t0);
  return t0 > 0.0f ? t1 + t2 : t1 - 0.5f * t2;
}
extern "C" __global__ void __launch_bounds__(256)
$NAME(const float* __restrict__ x, float* __restrict__ out, int n) {
  int i = (blockIdx.x * blockDim.x + threadIdx.x) * 4;
  if (i >= n) return;
  if ((((size_t)x | (size_t)out) & 15) == 0 && n - i >= 4) {
    float4 v = *(const float4*)(x + i);
    *(float4*)(out + i) = make_float4(body(v.x), body(v.y), body(v.z), body(v.w));
    return;
  }
  for (int k = i; k < n && k < i + 4; ++k) out[k] = body(x[k]);
})"},
        {"Black-Scholes", R"(
__device__ inline float cdf(float d) { return 0.5f * (1.0f + erff(d * 0x1.6a09e6p-1f)); }
extern "C" __global__ void __launch_bounds__(256)
$NAME(const float* __restrict__ s, const float* __restrict__ k, const float* __restrict__ t,
      const float* __restrict__ r, const float* __restrict__ v, float* __restrict__ call,
      float* __restrict__ put, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float t0 = s[i], t1 = k[i], t2 = t[i], t3 = r[i], t4 = v[i];
  float root = t4 * sqrtf(t2);
  float d1 = (logf(t0 / t1) + (t3 + 0.5f * t4 * t4) * t2) / root + $SALT;
  float d2 = d1 - root;
  float paid = t1 * expf(-t3 * t2);
  float price = t0 * cdf(d1) - paid * cdf(d2);
  call[i] = price;
  put[i] = price - t0 + paid;
})"},
        {"softmax row", R"(
__device__ inline float block_max(float v, float* part) {
  for (int o = 16; o > 0; o /= 2) v = fmaxf(v, __shfl_xor_sync(~0u, v, o));
  if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = v;
  __syncthreads();
  v = threadIdx.x % 32 < blockDim.x / 32 ? part[threadIdx.x % 32] : -__int_as_float(0x7f800000);
  for (int o = 16; o > 0; o /= 2) v = fmaxf(v, __shfl_xor_sync(~0u, v, o));
  return v;
}
__device__ inline float block_sum(float v, float* part) {
  for (int o = 16; o > 0; o /= 2) v += __shfl_xor_sync(~0u, v, o);
  if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = v;
  __syncthreads();
  v = threadIdx.x % 32 < blockDim.x / 32 ? part[threadIdx.x % 32] : 0.0f;
  for (int o = 16; o > 0; o /= 2) v += __shfl_xor_sync(~0u, v, o);
  return v;
}
extern "C" __global__ void __launch_bounds__(1024, 1)
$NAME(const float* __restrict__ x, float* __restrict__ out, int cols) {
  extern __shared__ float row[];
  __shared__ float part[2][32];
  const float* in = x + (long long)blockIdx.x * cols;
  float m = -__int_as_float(0x7f800000), sum = 0.0f;
  if (((size_t)in & 15) == 0 && cols % 4 == 0) {
    for (int j = threadIdx.x; j < cols / 4; j += blockDim.x) {
      float4 v = ((const float4*)in)[j];
      ((float4*)row)[j] = v;
      m = fmaxf(m, fmaxf(fmaxf(v.x, v.y), fmaxf(v.z, v.w)));
    }
  } else {
    for (int j = threadIdx.x; j < cols; j += blockDim.x) m = fmaxf(m, row[j] = in[j]);
  }
  m = block_max(m, part[0]);
  for (int j = threadIdx.x; j < cols; j += blockDim.x) sum += row[j] = expf(row[j] - m);
  sum = block_sum(sum, part[1]) + $SALT;
  for (int j = threadIdx.x; j < cols; j += blockDim.x) out[(long long)blockIdx.x * cols + j] = row[j] / sum;
})"},
        {"Mandelbrot loop", R"(
extern "C" __global__ void __launch_bounds__(256)
$NAME(const float* __restrict__ re, const float* __restrict__ im, int* __restrict__ out, int steps,
      int rows, int cols) {
  int j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y * blockDim.y + threadIdx.y;
  if (i >= rows || j >= cols) return;
  float cr = re[j], ci = im[i], zr = 0.0f, zi = $SALT;
  int k = 0;
  for (; k < steps; ++k) {
    float rr = zr * zr, ii = zi * zi;
    if (rr + ii > 4.0f) break;
    zi = 2.0f * zr * zi + ci;
    zr = rr - ii + cr;
  }
  out[i * cols + j] = k;
})"},
        {"column sum", R"(
extern "C" __global__ void __launch_bounds__(256)
$NAME(const float* __restrict__ x, float* __restrict__ part, float* __restrict__ out,
      unsigned* __restrict__ ticket, int rows, int cols, int chunk) {
  __shared__ float tile[8][33];
  __shared__ bool last;
  int j = blockIdx.x * 32 + threadIdx.x, first = blockIdx.y * chunk;
  float sum = $SALT;
  if (j < cols) {
    #pragma unroll 4
    for (int i = first + threadIdx.y; i < min(rows, first + chunk); i += 8) sum += x[(long long)i * cols + j];
  }
  tile[threadIdx.y][threadIdx.x] = sum;
  __syncthreads();
  if (threadIdx.y == 0 && j < cols) {
    for (int k = 1; k < 8; ++k) sum += tile[k][threadIdx.x];
    part[(long long)blockIdx.y * cols + j] = sum;
    __threadfence();
  }
  __syncthreads();
  if (threadIdx.x == 0 && threadIdx.y == 0) last = atomicAdd(&ticket[blockIdx.x], 1u) == gridDim.y - 1;
  __syncthreads();
  if (!last || threadIdx.y != 0 || j >= cols) return;
  __threadfence();
  sum = 0.0f;
  for (int k = 0; k < (int)gridDim.y; ++k) sum += part[(long long)k * cols + j];
  out[j] = sum;
})"},
    };
    return sources;
}

/// The name that the text of `salt` gives its kernel.
inline std::string kernel_name(unsigned salt) {
    char name[32];
    std::snprintf(name, sizeof name, "fl_map_%08x", salt);
    return name;
}

/// The text with a kernel name and a constant that no other salt has.
inline std::string salted(const Source& source, unsigned salt) {
    char constant[40];
    std::snprintf(constant, sizeof constant,
                  "%a"
                  "f",
                  1e-9 * (1 + salt % 1000000));
    std::string text = source.text;
    auto replace = [&](const std::string& mark, const std::string& by) {
        for (size_t at; (at = text.find(mark)) != std::string::npos;) text.replace(at, mark.size(), by);
    };
    replace("$NAME", kernel_name(salt));
    replace("$SALT", constant);
    return text;
}

}  // namespace spikes
