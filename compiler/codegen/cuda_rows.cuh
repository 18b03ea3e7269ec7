// Device code of kernels whose rows stay on chip from one phase to the next. The form of this file is that of
// cuda_prelude.cuh.
//
// In every phase a thread has the elements that fl_fold_team gives it, so that it reads what it has written
// itself and nothing waits between phases.

// fl_row_room:
// Takes room for a row of `elements` from the block's shared memory, for each of its blockDim.y rows; gives
// that of the thread's own row. Whatever the type, rows begin at 16 bytes.
template <class T>
__device__ __forceinline__ T* fl_row_room(unsigned char*& room, unsigned elements) {
    const unsigned held = (elements + 15) / 16 * 16;
    T* const row = (T*)room + threadIdx.y * held;
    room += blockDim.y * held * (unsigned)sizeof(T);
    return row;
}

// fl_row_each: needs fl_share fl_none
// The elements 0 .. n - 1 of a row that a thread has, each once: `four` takes four neighbours, `one` a single
// element. kUnroll 0: the element is long and is compiled once.
template <int kUnroll, class Index, class One, class Four>
__device__ __forceinline__ void fl_row_each(Index n, bool neighbours, One one, Four four) {
    const Index chunks = (n + 2047) / 2048;
    const Index share = fl_share(chunks, blockDim.z), chunk = threadIdx.z * share;
    if (chunk >= chunks) return;
    const Index end = chunk + share < chunks ? (chunk + share) * 2048 : n;
    const Index step = neighbours ? 1 : blockDim.x;
    Index r = chunk * 2048 + threadIdx.x * (neighbours ? 4 : 1);
    // Rounds in which the thread has all four elements; after them one in which it has some.
    Index rounds = r + 3 * step < end ? (end - r - 3 * step + 127) / 128 : 0;
    if constexpr (!fl_is_none<Four>) {
        if (neighbours) {
#pragma unroll(kUnroll > 0 ? kUnroll : 1)
            for (; rounds != 0; --rounds, r += 128) four(r);
        }
    }
    if constexpr (kUnroll == 0) {
#pragma unroll 1
        for (; r < end; r += 128) {
#pragma unroll 1
            for (Index at = r; at < end && at <= r + 3 * step; at += step) one(at);
        }
    } else {
#pragma unroll(kUnroll > 0 ? kUnroll : 1)
        for (; rounds != 0; --rounds, r += 128) {
#pragma unroll
            for (int k = 0; k < 4; ++k) one(r + k * step);
        }
#pragma unroll
        for (int k = 0; k < 4; ++k) {
            if (r + k * step < end) one(r + k * step);
        }
    }
}
