// Device code of kernels whose threads take several elements of a row: the lanes of a thread.
// The form of this file is that of cuda_prelude.cuh.

// fl_lanes:
// The elements that one thread takes of one array, aligned for accesses of up to 16 bytes.
template <class T, int kLanes>
struct alignas(kLanes * sizeof(T) < 16 ? kLanes * sizeof(T) : 16) fl_lanes {
    T lane[kLanes];
    __device__ __forceinline__ T& operator[](int k) { return lane[k]; }
};

// fl_load: needs fl_lanes
// Whole: neighbours, with accesses of up to 16 bytes. Else elements 0, step, 2 * step .., `stride` apart
// in memory for one step of 1; those that reach `left` repeat the first.
template <int kLanes, class T, class Index>
__device__ __forceinline__ fl_lanes<T, kLanes> fl_load(const T* from, Index step, Index left, bool whole,
                                                       Index stride = 1) {
    if (whole) return *(const fl_lanes<T, kLanes>*)from;
    fl_lanes<T, kLanes> v;
#pragma unroll
    for (int k = 0; k < kLanes; ++k) v.lane[k] = from[k * step < left ? k * step * stride : 0];
    return v;
}

// fl_store: needs fl_lanes
// The counterpart of fl_load; elements that reach `left` are not stored.
template <int kLanes, class T, class Index>
__device__ __forceinline__ void fl_store(T* to, fl_lanes<T, kLanes> v, Index step, Index left, bool whole,
                                         Index stride = 1) {
    if (whole) {
        *(fl_lanes<T, kLanes>*)to = v;
        return;
    }
#pragma unroll
    for (int k = 0; k < kLanes; ++k)
        if (k * step < left) to[k * step * stride] = v.lane[k];
}

// fl_turn: needs fl_lanes
// Moves every lane down by one and lane 0 to the end: a rolled loop over lanes then needs no array under a
// run-time index, which would live in memory.
template <class T, int kLanes>
__device__ __forceinline__ void fl_turn(fl_lanes<T, kLanes>& v) {
    const T first = v.lane[0];
#pragma unroll
    for (int k = 1; k < kLanes; ++k) v.lane[k - 1] = v.lane[k];
    v.lane[kLanes - 1] = first;
}
template <class V, class... Vs>
__device__ __forceinline__ void fl_turn(V& v, Vs&... others) {
    fl_turn(v);
    (fl_turn(others), ...);
}

// fl_quotient:
// x / y, in 32 bits where both fit, as they nearly always do: a division of 64 bits is several times as long.
__device__ __forceinline__ unsigned long long fl_quotient(unsigned long long x, unsigned long long y) {
    return (x | y) >> 32 == 0 ? (unsigned)x / (unsigned)y : x / y;
}
