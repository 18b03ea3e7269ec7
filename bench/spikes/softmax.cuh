// Row softmax of f32 in one text: a template argument of 0 (or kRunTime) means "known only at launch".
#pragma once

#include <cooperative_groups.h>
#include <cuda_pipeline_primitives.h>

namespace spikes {

namespace cg = cooperative_groups;

/// Which elements a thread holds, and how it reads them.
enum Mode {
  kRunTime = -1,
  kStrided = 0,  ///< every lanes-th element, 4-byte accesses that are coalesced
  kFrame = 1,    ///< 16-byte accesses at aligned addresses, first and last vector of a row masked;
                 ///< the lane of an element then depends on the alignment of its row
  kOwned = 2,    ///< four neighbours by index (alignment never changes the lane), 4-byte accesses
};

struct Rows {
  const float* x;
  float* y;
  long long rows;
  int cols;
  int mode;
};

struct Max {
  __device__ static constexpr float identity() { return -__builtin_huge_valf(); }
  __device__ float operator()(float a, float b) const { return fmaxf(a, b); }
};
struct Add {
  __device__ static constexpr float identity() { return 0.0f; }
  __device__ float operator()(float a, float b) const { return a + b; }
};

/// Combines `v` over the `lanes` threads of a row in each of `cluster` blocks; all of them get the result.
/// `warp_part` has a word per warp, `block_part` one word; neither is used by another reduction.
template <class Op>
__device__ float reduce_row(float v, int lanes, int cluster, float* warp_part, float* block_part, Op op) {
  for (int o = min(lanes, 32) / 2; o > 0; o /= 2) v = op(v, __shfl_xor_sync(~0u, v, o));
  if (lanes > 32) {
    int lane = threadIdx.x % 32, warps = lanes / 32;
    float* part = warp_part + threadIdx.y * warps;
    if (lane == 0) part[threadIdx.x / 32] = v;
    __syncthreads();
    v = lane < warps ? part[lane] : Op::identity();
    for (int o = 16; o > 0; o /= 2) v = op(v, __shfl_xor_sync(~0u, v, o));
  }
  if (cluster > 1) {
    auto blocks = cg::this_cluster();
    if (threadIdx.x == 0) *block_part = v;
    blocks.sync();
    v = Op::identity();
    for (int r = 0; r < cluster; ++r) v = op(v, *blocks.map_shared_rank(block_part, r));
  }
  return v;
}

/// A thread's share of its row: item i, element k of four.
struct Share {
  const float* x;
  float* y;
  int cols, head, lane, stride, mode;

  __device__ int first(int item) const {
    return mode == kStrided ? item * 4 * stride + lane : 4 * (item * stride + lane) - head;
  }
  __device__ int step() const { return mode == kStrided ? stride : 1; }
  __device__ bool whole(int at) const { return mode == kFrame && at >= 0 && at + 4 <= cols; }
  __device__ int items() const { return (cols + head + 4 * stride - 1) / (4 * stride); }
  __device__ float get(int i) const { return i >= 0 && i < cols ? x[i] : Max::identity(); }
  __device__ void set(int i, float v) const {
    if (i >= 0 && i < cols) y[i] = v;
  }
  __device__ float4 load(int item) const {
    int i = first(item), s = step();
    if (whole(i)) return *reinterpret_cast<const float4*>(x + i);
    return {get(i), get(i + s), get(i + 2 * s), get(i + 3 * s)};
  }
  __device__ void store(int item, float4 v) const {
    int i = first(item), s = step();
    if (whole(i)) {
      *reinterpret_cast<float4*>(y + i) = v;
      return;
    }
    set(i, v.x), set(i + s, v.y), set(i + 2 * s, v.z), set(i + 3 * s, v.w);
  }
};

/// Rows past the end get no columns, so that their threads still meet every barrier.
__device__ inline Share share_of(const Rows& a, int cols, int lanes, int cluster, int mode, bool aligned) {
  long long row = (long long)(blockIdx.x / cluster) * blockDim.y + threadIdx.y;
  const float* x = a.x + row * cols;
  int head = mode == kFrame && !aligned ? int(reinterpret_cast<size_t>(x) / 4 % 4) : 0;
  int lane = threadIdx.x + int(blockIdx.x) % cluster * lanes;
  return {x, a.y + row * cols, row < a.rows ? cols : 0, head, lane, lanes * cluster, mode};
}

__device__ inline float max4(float4 v) { return fmaxf(fmaxf(v.x, v.y), fmaxf(v.z, v.w)); }
__device__ inline float sum4(float4 v) { return (v.x + v.y) + (v.z + v.w); }
__device__ inline float4 exp4(float4 v, float m) {
  return {expf(v.x - m), expf(v.y - m), expf(v.z - m), expf(v.w - m)};
}
__device__ inline float4 div4(float4 v, float s) { return {v.x / s, v.y / s, v.z / s, v.w / s}; }

constexpr int threads_for(int lanes) { return lanes == 0 ? 1024 : lanes < 128 ? 128 : lanes; }

/// The row in registers, at most 4 * kItems elements a thread.
template <int kItems, int kLanes, int kCluster, int kCols, int kMode>
__global__ void __launch_bounds__(threads_for(kLanes), 1) softmax_regs(Rows a) {
  __shared__ float warp_part[2][32], block_part[2];
  const int lanes = kLanes ? kLanes : blockDim.x;
  const int cluster = kCluster ? kCluster : int(cg::this_cluster().num_blocks());
  const int mode = kMode == kRunTime ? a.mode : kMode;
  Share s = share_of(a, kCols ? kCols : a.cols, lanes, cluster, mode, kCols && kCols % 4 == 0);
  const int items = s.items();
  float4 v[kItems];
  float m = Max::identity(), sum = 0;
#pragma unroll
  for (int i = 0; i < kItems; ++i)
    if (i < items) v[i] = s.load(i);
#pragma unroll
  for (int i = 0; i < kItems; ++i)
    if (i < items) m = fmaxf(m, max4(v[i]));
  m = reduce_row(m, lanes, cluster, warp_part[0], &block_part[0], Max());
#pragma unroll
  for (int i = 0; i < kItems; ++i)
    if (i < items) sum += sum4(v[i] = exp4(v[i], m));
  sum = reduce_row(sum, lanes, cluster, warp_part[1], &block_part[1], Add());
  // A block must not end while another reads its partial: arrive now, wait at the end.
  if (cluster > 1) cg::this_cluster().barrier_arrive();
#pragma unroll
  for (int i = 0; i < kItems; ++i)
    if (i < items) s.store(i, div4(v[i], sum));
  if (cluster > 1) cg::this_cluster().barrier_wait();
}

/// The row in dynamic shared memory, each thread its own words; loops have launch-time counts.
/// Shared bytes: 16 * items * threads. kAsync: 16-byte loads go straight to shared memory (cp.async).
template <bool kAsync>
__global__ void __launch_bounds__(1024, 1) softmax_shared(Rows a) {
  extern __shared__ float4 words[];
  __shared__ float warp_part[2][32], block_part[2];
  const int lanes = blockDim.x, cluster = int(cg::this_cluster().num_blocks());
  const int threads = blockDim.x * blockDim.y;
  Share s = share_of(a, a.cols, lanes, cluster, a.mode, false);
  const int items = s.items();
  float4* own = words + threadIdx.y * lanes + threadIdx.x;
  float m = Max::identity(), sum = 0;
#pragma unroll 4
  for (int i = 0; i < items; ++i) {
    if (kAsync && s.whole(s.first(i))) {
      __pipeline_memcpy_async(&own[i * threads], s.x + s.first(i), 16);
    } else {
      own[i * threads] = s.load(i);
    }
  }
  if (kAsync) {
    __pipeline_commit();
    __pipeline_wait_prior(0);
  }
  for (int i = 0; i < items; ++i) m = fmaxf(m, max4(own[i * threads]));
  m = reduce_row(m, lanes, cluster, warp_part[0], &block_part[0], Max());
  for (int i = 0; i < items; ++i) sum += sum4(own[i * threads] = exp4(own[i * threads], m));
  sum = reduce_row(sum, lanes, cluster, warp_part[1], &block_part[1], Add());
  if (cluster > 1) cg::this_cluster().barrier_arrive();
  for (int i = 0; i < items; ++i) s.store(i, div4(own[i * threads], sum));
  if (cluster > 1) cg::this_cluster().barrier_wait();
}

/// 16-byte transfers at any alignment, arithmetic by index: the order of the sum never depends on alignment.
/// Each block of a cluster has `part` = ceil(cols / cluster), rounded up to 4, neighbouring columns.
/// Shared bytes: rows of a block * (part + 8) * 4.
__global__ void __launch_bounds__(1024, 1) softmax_staged(Rows a) {
  extern __shared__ float4 words[];
  __shared__ float warp_part[2][32], block_part[2];
  const int lanes = blockDim.x, cluster = int(cg::this_cluster().num_blocks());
  const int part = ((a.cols + cluster - 1) / cluster + 3) / 4 * 4;
  const int begin = int(blockIdx.x) % cluster * part;
  Share s = share_of(a, a.cols, lanes, cluster, kFrame, true);
  s.x += begin, s.y += begin, s.cols = max(0, min(part, s.cols - begin));
  s.head = int(reinterpret_cast<size_t>(s.x) / 4 % 4), s.lane = threadIdx.x, s.stride = lanes;
  float4* mine = words + threadIdx.y * (part / 4 + 2);
  float* row = reinterpret_cast<float*>(mine) + s.head;
  const int items = s.items();
  float m = Max::identity(), sum = 0;
  for (int i = 0; i < items; ++i) {
    int at = s.first(i), v = i * lanes + s.lane;
    if (s.whole(at)) {
      __pipeline_memcpy_async(&mine[v], s.x + at, 16);
    } else if (at < s.cols) {
      mine[v] = s.load(i);
    }
  }
  __pipeline_commit();
  __pipeline_wait_prior(0);
  __syncthreads();
  for (int i = s.lane; i < s.cols; i += lanes) m = fmaxf(m, row[i]);
  m = reduce_row(m, lanes, cluster, warp_part[0], &block_part[0], Max());
  for (int i = s.lane; i < s.cols; i += lanes) sum += row[i] = expf(row[i] - m);
  sum = reduce_row(sum, lanes, cluster, warp_part[1], &block_part[1], Add());
  if (cluster > 1) cg::this_cluster().barrier_arrive();
  __syncthreads();
  for (int i = 0; i < items; ++i)
    if (s.first(i) < s.cols) s.store(i, div4(mine[i * lanes + s.lane], sum));
  if (cluster > 1) cg::this_cluster().barrier_wait();
}

/// Nothing on chip: running maximum and sum in one pass, the row read again to write (below sm_90, or
/// rows that do not fit).
__global__ void __launch_bounds__(1024, 1) softmax_reread(Rows a) {
  __shared__ float warp_part[2][32], block_part[2];
  const int lanes = blockDim.x;
  Share s = share_of(a, a.cols, lanes, 1, a.mode, false);
  const int items = s.items();
  float m = Max::identity(), sum = 0;
  for (int i = 0; i < items; ++i) {
    float4 v = s.load(i);
    float next = fmaxf(m, max4(v));
    if (next == Max::identity()) continue;
    sum = sum * expf(m - next) + sum4(exp4(v, next));
    m = next;
  }
  float top = reduce_row(m, lanes, 1, warp_part[0], &block_part[0], Max());
  sum = m == Max::identity() ? 0.0f : sum * expf(m - top);
  sum = reduce_row(sum, lanes, 1, warp_part[1], &block_part[1], Add());
  for (int i = 0; i < items; ++i) s.store(i, div4(exp4(s.load(i), top), sum));
}

}  // namespace spikes
