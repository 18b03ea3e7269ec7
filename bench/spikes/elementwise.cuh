// Elementwise kernels: the chain of 20 operators in several lane forms, and a row + column broadcast in
// several index forms. `Index` is int or long long.
#pragma once

#include <cuda_runtime.h>

namespace spikes {

/// p = a polynomial of degree 6, s = sin(x) * exp(-x * x / 2); p + s where x > 0, else p - s / 2.
__device__ inline float chain(float x) {
  float p = ((((((0.01f * x - 0.02f) * x + 0.03f) * x - 0.04f) * x + 0.05f) * x - 0.06f) * x + 0.07f);
  float s = sinf(x) * expf(-0.5f * x * x);
  return x > 0 ? p + s : p - 0.5f * s;
}

using In = const float* __restrict__;
using Out = float* __restrict__;

/// How the four lanes of a 16-byte access go through the body.
enum Lanes { kUnrolled, kRotated, kArray };

template <Lanes kLanes>
__device__ float4 chain4(float4 v) {
  if constexpr (kLanes == kUnrolled) return {chain(v.x), chain(v.y), chain(v.z), chain(v.w)};
  if constexpr (kLanes == kRotated) {
    // Four turns bring each lane home: a rolled loop without a register array under a run-time index.
#pragma unroll 1
    for (int k = 0; k < 4; ++k) v = {v.y, v.z, v.w, chain(v.x)};
    return v;
  }
  float lane[4] = {v.x, v.y, v.z, v.w};
#pragma unroll 1
  for (int k = 0; k < 4; ++k) lane[k] = chain(lane[k]);
  return {lane[0], lane[1], lane[2], lane[3]};
}

template <class Index>
__device__ Index thread_id() {
  return Index(blockIdx.x) * Index(blockDim.x) + Index(threadIdx.x);
}

__device__ inline bool aligned16(const void* a, const void* b) {
  return ((reinterpret_cast<size_t>(a) | reinterpret_cast<size_t>(b)) & 15) == 0;
}

template <class Index>
__global__ void __launch_bounds__(256) chain_scalar(In x, Out y, Index n) {
  Index i = thread_id<Index>();
  if (i < n) y[i] = chain(x[i]);
}

/// No branch, no tail: what the launch-time checks of the kernels below cost is the difference to this.
template <class Index, Lanes kLanes>
__global__ void __launch_bounds__(256) chain_exact(In x, Out y, Index) {
  Index i = 4 * thread_id<Index>();
  *reinterpret_cast<float4*>(y + i) = chain4<kLanes>(*reinterpret_cast<const float4*>(x + i));
}

/// One body; 16-byte or four masked 4-byte accesses around it, chosen at run time.
template <class Index, Lanes kLanes>
__global__ void __launch_bounds__(256) chain_masked(In x, Out y, Index n) {
  Index i = 4 * thread_id<Index>();
  if (i >= n) return;
  bool whole = aligned16(x, y) && n - i >= 4;
  float4 v;
  if (whole) {
    v = *reinterpret_cast<const float4*>(x + i);
  } else {
    v = {x[i], i + 1 < n ? x[i + 1] : 0, i + 2 < n ? x[i + 2] : 0, i + 3 < n ? x[i + 3] : 0};
  }
  v = chain4<kLanes>(v);
  if (whole) {
    *reinterpret_cast<float4*>(y + i) = v;
    return;
  }
  y[i] = v.x;
  if (i + 1 < n) y[i + 1] = v.y;
  if (i + 2 < n) y[i + 2] = v.z;
  if (i + 3 < n) y[i + 3] = v.w;
}

/// Two bodies: unrolled lanes, and a loop of single elements for the tail and for unaligned operands.
template <class Index>
__global__ void __launch_bounds__(256) chain_two_bodies(In x, Out y, Index n) {
  Index i = 4 * thread_id<Index>();
  if (aligned16(x, y) && n - i >= 4) {
    *reinterpret_cast<float4*>(y + i) = chain4<kUnrolled>(*reinterpret_cast<const float4*>(x + i));
    return;
  }
#pragma unroll 1
  for (Index k = i; k < n && k < i + 4; ++k) y[k] = chain(x[k]);
}

/// Unaligned operands lane by lane with coalesced accesses: element k of a thread is blockDim.x further on.
template <class Index>
__global__ void __launch_bounds__(256) chain_strided(In x, Out y, Index n) {
  Index i = Index(blockIdx.x) * Index(blockDim.x) * 4 + Index(threadIdx.x);
#pragma unroll 1
  for (int k = 0; k < 4; ++k, i += blockDim.x)
    if (i < n) y[i] = chain(x[i]);
}

/// y[i, j] = a[i, j] * r[j] + c[i]
struct Broadcast {
  const float* __restrict__ a;
  const float* __restrict__ r;
  const float* __restrict__ c;
  float* __restrict__ y;
  long long rows, cols;
  int rows_on_x;          ///< 2-D grids: rows along grid x (any number of rows) or along grid y
  unsigned magic, shift;  ///< i / cols = (umulhi(i, magic) + i) >> shift for 31-bit i
};

template <class Index>
__global__ void __launch_bounds__(256) flat_div(Broadcast b) {
  Index t = thread_id<Index>(), cols = Index(b.cols);
  if (t >= Index(b.rows) * cols) return;
  Index i = t / cols, j = t - i * cols;
  b.y[t] = b.a[t] * b.r[j] + b.c[i];
}

__global__ void __launch_bounds__(256) flat_magic(Broadcast b) {
  unsigned t = thread_id<unsigned>(), cols = unsigned(b.cols);
  if (t >= unsigned(b.rows) * cols) return;
  unsigned i = (__umulhi(t, b.magic) + t) >> b.shift, j = t - i * cols;
  b.y[t] = b.a[t] * b.r[j] + b.c[i];
}

/// Four neighbours a thread: one division, then the column counts up and wraps. The last thread masks.
template <bool kMagic>
__global__ void __launch_bounds__(256) flat_div4(Broadcast b) {
  unsigned t = 4 * thread_id<unsigned>(), cols = unsigned(b.cols), n = unsigned(b.rows) * cols;
  if (t >= n) return;
  unsigned i = kMagic ? (__umulhi(t, b.magic) + t) >> b.shift : t / cols, j = t - i * cols;
  bool whole = aligned16(b.a, b.y) && n - t >= 4;
  float v[4] = {};
  if (whole) *reinterpret_cast<float4*>(v) = *reinterpret_cast<const float4*>(b.a + t);
#pragma unroll
  for (int k = 0; k < 4; ++k) {
    if (t + k < n) v[k] = (whole ? v[k] : b.a[t + k]) * b.r[j] + b.c[i];
    if (++j == cols) j = 0, ++i;
  }
  if (whole) {
    *reinterpret_cast<float4*>(b.y + t) = *reinterpret_cast<float4*>(v);
    return;
  }
#pragma unroll
  for (int k = 0; k < 4; ++k)
    if (t + k < n) b.y[t + k] = v[k];
}

struct Tile { unsigned row, column; };
__device__ inline Tile tile_of(const Broadcast& b) {
  return b.rows_on_x ? Tile{blockIdx.x, blockIdx.y} : Tile{blockIdx.y, blockIdx.x};
}

/// Rows along block y, columns along block x; no division.
template <class Index>
__global__ void __launch_bounds__(256) grid_2d(Broadcast b) {
  Tile tile = tile_of(b);
  Index i = Index(tile.row) * Index(blockDim.y) + Index(threadIdx.y);
  Index j = Index(tile.column) * Index(blockDim.x) + Index(threadIdx.x), cols = Index(b.cols);
  if (i >= Index(b.rows) || j >= cols) return;
  b.y[i * cols + j] = b.a[i * cols + j] * b.r[j] + b.c[i];
}

/// Four columns a thread, `kRows` rows apart by blockDim.y; rows of a multiple of four columns.
template <class Index, int kRows>
__global__ void __launch_bounds__(256) grid_2d4(Broadcast b) {
  Tile tile = tile_of(b);
  Index i = Index(tile.row) * Index(blockDim.y * kRows) + Index(threadIdx.y);
  Index j = 4 * (Index(tile.column) * Index(blockDim.x) + Index(threadIdx.x)), cols = Index(b.cols);
  if (j >= cols) return;
  float4 r = *reinterpret_cast<const float4*>(b.r + j), a[kRows];
#pragma unroll
  for (int k = 0; k < kRows; ++k) {
    Index row = i + k * Index(blockDim.y);
    if (row < Index(b.rows)) a[k] = *reinterpret_cast<const float4*>(b.a + row * cols + j);
  }
#pragma unroll
  for (int k = 0; k < kRows; ++k) {
    Index row = i + k * Index(blockDim.y);
    if (row >= Index(b.rows)) return;
    float c = b.c[row];
    *reinterpret_cast<float4*>(b.y + row * cols + j) = {a[k].x * r.x + c, a[k].y * r.y + c, a[k].z * r.z + c,
                                                        a[k].w * r.w + c};
  }
}

/// A thread a row, the columns in a loop.
template <class Index>
__global__ void __launch_bounds__(256) row_loop(Broadcast b) {
  Index i = thread_id<Index>(), cols = Index(b.cols);
  if (i >= Index(b.rows)) return;
  float c = b.c[i];
  for (Index j = 0; j < cols; ++j) b.y[i * cols + j] = b.a[i * cols + j] * b.r[j] + c;
}

}  // namespace spikes
