// Device code of reductions: which thread combines what, in the order of compiler/ir/reduction_order.h.
// 2048 elements are a chunk, 128 lanes stand in it, trees go over neighbours. The form of this file is that of
// cuda_prelude.cuh.
//
// An identity on the right changes nothing, so absent lanes, warps and blocks hold it and need no test. Every
// thread of a warp reaches every exchange, every thread of a block every barrier.

// fl_words:
// A value as words of 32 bits, which is what threads exchange.
template <class T>
union fl_words {
    T value;
    unsigned word[(sizeof(T) + 3) / 4];
    __device__ __forceinline__ fl_words() {}
};

// fl_down: needs fl_words
// What the thread `by` places further on brings, among `width` neighbouring threads of the warp.
template <class T>
__device__ __forceinline__ T fl_down(T value, int by, int width) {
    fl_words<T> v;
    v.value = value;
#pragma unroll
    for (int k = 0; k < (int)(sizeof(v.word) / 4); ++k) {
        v.word[k] = __shfl_down_sync(~0u, v.word[k], by, width);
    }
    return v.value;
}

// fl_from_first: needs fl_words
// What the first of `width` neighbouring threads brings.
template <class T>
__device__ __forceinline__ T fl_from_first(T value, int width) {
    fl_words<T> v;
    v.value = value;
#pragma unroll
    for (int k = 0; k < (int)(sizeof(v.word) / 4); ++k) v.word[k] = __shfl_sync(~0u, v.word[k], 0, width);
    return v.value;
}

// fl_fold_threads: needs fl_down
// The tree over `width` neighbouring threads, a power of two; the first one gets the result.
template <class State, class Combine>
__device__ __forceinline__ State fl_fold_threads(State v, int width, Combine combine) {
#pragma unroll 1
    for (int s = 1; s < width; s *= 2) v = combine(v, fl_down(v, s, width));
    return v;
}

// fl_fold_lanes: needs fl_fold_threads
// The tree over the lanes that the threads of a warp hold, four a thread: neighbours, or `width` apart.
template <class State, class Combine>
__device__ __forceinline__ State fl_fold_lanes(State (&lane)[4], bool neighbours, int width,
                                               Combine combine) {
    if (neighbours) {
        const State own = combine(combine(lane[0], lane[1]), combine(lane[2], lane[3]));
        return fl_fold_threads(own, width, combine);
    }
#pragma unroll
    for (int k = 0; k < 4; ++k) lane[k] = fl_fold_threads(lane[k], width, combine);
    return combine(combine(lane[0], lane[1]), combine(lane[2], lane[3]));
}

// fl_pending:
// States that come in order and combine in a tree over neighbours: of each level at most one waits for its
// right neighbour.
template <class State>
struct fl_pending {
    State level[32];
    unsigned count = 0;
    template <class Combine>
    __device__ __forceinline__ void push(State v, Combine combine) {
        int k = 0;
        for (; count >> k & 1; ++k) v = combine(level[k], v);
        level[k] = v;
        ++count;
    }
    template <class Combine>
    __device__ __forceinline__ State result(State identity, Combine combine) {
        State v = identity;
        for (int k = 0; k < 32 && count >> k != 0; ++k) {
            if (count >> k & 1) v = combine(level[k], v);
        }
        return v;
    }
};

// fl_share:
// How many of `count` neighbours each of `workers` takes: a power of two, so that the tree over workers goes
// on where the trees of each end.
template <class Index>
__device__ __forceinline__ Index fl_share(Index count, unsigned workers) {
    Index share = 1;
    while (share * workers < count) share *= 2;
    return share;
}

// fl_four:
// The states of four neighbouring elements.
template <class State>
struct fl_four {
    State lane[4];
    __device__ __forceinline__ State& operator[](int k) { return lane[k]; }
};

// fl_none:
// In place of a function that takes four neighbouring elements at once.
struct fl_none {};
template <class T>
constexpr bool fl_is_none = false;
template <>
constexpr bool fl_is_none<fl_none> = true;

// fl_fold_rounds:
// The states of `rounds` elements 128 apart, kUnroll of them loaded before the first is combined: a load that
// waited for a test of the one before would leave memory idle. What is too many repeats the first.
template <int kUnroll, class Index, class State, class Take, class Combine>
__device__ __forceinline__ void fl_fold_rounds(State (&lane)[4], Index r, Index rounds, Take take,
                                               Combine combine) {
    bool fresh = true;
#pragma unroll 1
    for (; rounds != 0; rounds -= rounds < kUnroll ? rounds : kUnroll, r += 128 * kUnroll) {
        decltype(take(r)) next[kUnroll];
#pragma unroll
        for (int u = 0; u < kUnroll; ++u) next[u] = take(u < rounds ? r + 128 * u : r);
#pragma unroll
        for (int u = 0; u < kUnroll; ++u) {
#pragma unroll
            for (int k = 0; k < 4; ++k) {
                const State all = u == 0 && fresh ? next[u][k] : combine(lane[k], next[u][k]);
                if (u < rounds) lane[k] = all;
            }
        }
        fresh = false;
    }
}

// fl_fold_chunk: needs fl_four fl_fold_rounds fl_fold_lanes fl_none
// The elements [begin, end) of one chunk by the blockDim.x threads of a warp that share an output; the first
// one gets the result. kUnroll 0: the element is long and is compiled once, lanes turn through it.
template <int kUnroll, class Index, class State, class One, class Four, class Combine>
__device__ __forceinline__ State fl_fold_chunk(Index begin, Index end, bool neighbours, State identity,
                                               One one, Four four, Combine combine) {
    const Index width = blockDim.x, step = neighbours ? 1 : width;
    const Index first = begin + threadIdx.x * (neighbours ? 4 : 1);
    State lane[4] = {identity, identity, identity, identity};
    if constexpr (kUnroll == 0) {
        for (Index r = first; r < end; r += 128) {
#pragma unroll 1
            for (int k = 0; k < 4; ++k) {
                const Index at = r + k * step;
                State next = lane[0];
                if (at < end) next = r == first ? one(at) : combine(next, one(at));
                lane[0] = lane[1];
                lane[1] = lane[2];
                lane[2] = lane[3];
                lane[3] = next;
            }
        }
    } else {
        // Rounds in which all four lanes have an element; after them one in which some have.
        const Index rounds = first + 3 * step < end ? (end - first - 3 * step + 127) / 128 : 0;
        const auto singly = [&](Index r) {
            return fl_four<State>{{one(r), one(r + step), one(r + 2 * step), one(r + 3 * step)}};
        };
        if constexpr (fl_is_none<Four>) {
            fl_fold_rounds<kUnroll>(lane, first, rounds, singly, combine);
        } else if (neighbours) {
            fl_fold_rounds<kUnroll>(lane, first, rounds, four, combine);
        } else {
            fl_fold_rounds<kUnroll>(lane, first, rounds, singly, combine);
        }
        const Index r = first + 128 * rounds;
        if (r < end) {
            State next[4];
#pragma unroll
            for (int k = 0; k < 4; ++k) next[k] = one(r + k * step < end ? r + k * step : r);
#pragma unroll
            for (int k = 0; k < 4; ++k) {
                const State all = rounds == 0 ? next[k] : combine(lane[k], next[k]);
                if (r + k * step < end) lane[k] = all;
            }
        }
    }
    return fl_fold_lanes(lane, neighbours, (int)width, combine);
}

// fl_fold_warps: needs fl_fold_threads fl_from_first
// The tree over the blockDim.z warps of an output; every thread gets the result. `shared` has a place for
// each warp.
template <class State, class Combine>
__device__ __forceinline__ State fl_fold_warps(State v, State identity, Combine combine, void* shared) {
    if (blockDim.z == 1) return fl_from_first(v, (int)blockDim.x);
    State* const warp = (State*)shared;
    __syncthreads();
    if (threadIdx.x == 0) warp[threadIdx.z] = v;
    __syncthreads();
    v = threadIdx.x < blockDim.z ? warp[threadIdx.x] : identity;
    return fl_from_first(fl_fold_threads(v, 32, combine), 32);
}

// fl_fold_team: needs fl_share fl_pending fl_fold_chunk fl_fold_warps
// Elements 0 .. n - 1 of an output by a team: blockDim.x threads of a warp in each of blockDim.z warps in
// each of gridDim.y blocks. A warp takes whole chunks. Every thread gets what its block has found.
template <int kUnroll, class Index, class State, class One, class Four, class Combine>
__device__ __forceinline__ State fl_fold_team(Index n, bool neighbours, State identity, One one, Four four,
                                              Combine combine, void* shared) {
    const Index chunks = (n + 2047) / 2048;
    const Index share = fl_share(chunks, gridDim.y * blockDim.z);
    Index c = (blockIdx.y * blockDim.z + threadIdx.z) * share;
    const Index last = c + share < chunks ? c + share : chunks;
    fl_pending<State> tree;
    for (; c < last; ++c) {
        const Index begin = c * 2048, end = n - begin < 2048 ? n : begin + 2048;
        tree.push(fl_fold_chunk<kUnroll>(begin, end, neighbours, identity, one, four, combine), combine);
    }
    return fl_fold_warps(tree.result(identity, combine), identity, combine, shared);
}

// fl_fold_run:
// The lanes first .. first + count - 1 of the chunk [begin, end) in one thread, kTogether at a time; both
// counts are powers of two. Levels of the tree that wait stand in registers.
template <int kTogether, class Index, class State, class One, class Combine>
__device__ __forceinline__ State fl_fold_run(Index begin, Index end, int first, int count, State identity,
                                             One one, Combine combine) {
    State level[8];
    State v = identity;
#pragma unroll 1
    for (int done = 0; done < count; done += kTogether) {
        State lane[kTogether];
#pragma unroll
        for (int k = 0; k < kTogether; ++k) lane[k] = identity;
        const Index top = begin + first + done;
        // Rounds in which all lanes have an element, two at a time; after them one in which some have.
        Index r = top, rounds = top + (kTogether - 1) < end ? (end - top - kTogether + 128) / 128 : 0;
#pragma unroll 1
        while (kTogether > 1 && rounds >= 2) {
            State next[2][kTogether];
#pragma unroll
            for (int k = 0; k < 2 * kTogether; ++k) {
                next[k / kTogether][k % kTogether] = one(r + k / kTogether * 128 + k % kTogether);
            }
#pragma unroll
            for (int k = 0; k < kTogether; ++k) {
                lane[k] = r == top ? next[0][k] : combine(lane[k], next[0][k]);
                lane[k] = combine(lane[k], next[1][k]);
            }
            rounds -= 2;
            r += 256;
        }
#pragma unroll 1
        for (; r < end; r += 128) {
            State next[kTogether];
#pragma unroll
            for (int k = 0; k < kTogether; ++k) next[k] = one(r + k < end ? r + k : r);
#pragma unroll
            for (int k = 0; k < kTogether; ++k) {
                const State all = r == top ? next[k] : combine(lane[k], next[k]);
                if (r + k < end) lane[k] = all;
            }
        }
#pragma unroll
        for (int s = 1; s < kTogether; s *= 2) {
#pragma unroll
            for (int k = 0; k < kTogether; k += 2 * s) lane[k] = combine(lane[k], lane[k + s]);
        }
        v = lane[0];
        const int group = done / kTogether;
#pragma unroll
        for (int k = 0; k < 8; ++k) {
            if (kTogether << k >= 128 || (group >> k & 1) == 0) {
                level[k] = v;
                break;
            }
            v = combine(level[k], v);
        }
    }
    return v;
}

// fl_fold_sharers:
// The tree over the blockDim.y threads that share the lanes of an output; every thread gets the result.
// `shared` has a place for each thread.
template <class State, class Combine>
__device__ __forceinline__ State fl_fold_sharers(State v, Combine combine, void* shared) {
    if (blockDim.y == 1) return v;
    State* const held = (State*)shared;
    const unsigned own = threadIdx.y * blockDim.x + threadIdx.x;
    __syncthreads();
    held[own] = v;
    __syncthreads();
    for (unsigned s = 1; s < blockDim.y; s *= 2) {
        if (threadIdx.y % (2 * s) == 0) held[own] = combine(held[own], held[own + s * blockDim.x]);
        __syncthreads();
    }
    return held[threadIdx.x];
}

// fl_fold_column: needs fl_share fl_pending fl_fold_run fl_fold_sharers
// Elements 0 .. n - 1 of an output where neighbouring threads have neighbouring outputs: the lanes of a chunk
// by blockDim.y threads, the chunks by gridDim.y blocks. Every thread gets what its block has found.
template <int kTogether, class Index, class State, class One, class Combine>
__device__ __forceinline__ State fl_fold_column(Index n, State identity, One one, Combine combine,
                                                void* shared) {
    const Index chunks = (n + 2047) / 2048;
    const Index share = fl_share(chunks, gridDim.y);
    Index c = blockIdx.y * share;
    const Index last = c + share < chunks ? c + share : chunks;
    fl_pending<State> tree;
    for (; c < last; ++c) {
        const Index begin = c * 2048, end = n - begin < 2048 ? n : begin + 2048;
        int lanes = kTogether;
        while (lanes < 128 && (Index)lanes < end - begin) lanes *= 2;
        const int even = lanes / (int)blockDim.y, own = even < kTogether ? kTogether : even;
        const int first = (int)threadIdx.y * own;
        State v = identity;
        if (first < lanes) v = fl_fold_run<kTogether>(begin, end, first, own, identity, one, combine);
        tree.push(fl_fold_sharers(v, combine, shared), combine);
    }
    return tree.result(identity, combine);
}

// fl_room:
// Takes `count` elements from the workspace, which begins at `work`.
template <class T>
__device__ __forceinline__ T* fl_room(unsigned char*& work, unsigned long long count) {
    T* const room = (T*)work;
    work += (count * sizeof(T) + 15) / 16 * 16;
    return room;
}

// fl_leave: needs fl_words
// Leaves what a block has found of an output.
template <class State>
__device__ __forceinline__ void fl_leave(fl_words<State>* parts, unsigned long long output,
                                         unsigned long long outputs, State v) {
    fl_words<State> words;
    words.value = v;
    parts[blockIdx.y * outputs + output] = words;
}

// fl_part: needs fl_words
// What block `block` has left; volatile, as a cache may hold what stood there before.
template <class State>
__device__ __forceinline__ State fl_part(const fl_words<State>* parts, unsigned block,
                                         unsigned long long output, unsigned long long outputs) {
    const volatile unsigned* const from = parts[block * outputs + output].word;
    fl_words<State> v;
#pragma unroll
    for (int k = 0; k < (int)(sizeof(v.word) / 4); ++k) v.word[k] = from[k];
    return v.value;
}

// fl_last_block:
// True in the last of the gridDim.y blocks that come here: what the others have left is complete. Tickets are
// left at zero, as they were found.
__device__ __forceinline__ bool fl_last_block(unsigned* tickets, void* shared) {
    unsigned* const last = (unsigned*)shared;
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0 && threadIdx.y == 0 && threadIdx.z == 0) {
        *last = atomicAdd(&tickets[blockIdx.x], 1u) == gridDim.y - 1;
        if (*last) tickets[blockIdx.x] = 0;
    }
    __syncthreads();
    __threadfence();
    return *last != 0;
}

// fl_fold_team_parts: needs fl_part fl_fold_lanes fl_fold_warps
// The tree over what the blocks of an output have left, by one block of whole warps, 128 parts a warp.
template <class State, class Combine>
__device__ __forceinline__ State fl_fold_team_parts(const fl_words<State>* parts, unsigned long long output,
                                                    unsigned long long outputs, State identity,
                                                    Combine combine, void* shared) {
    State lane[4];
#pragma unroll
    for (int k = 0; k < 4; ++k) {
        const unsigned block = threadIdx.z * 128 + threadIdx.x * 4 + k;
        lane[k] = block < gridDim.y ? fl_part(parts, block, output, outputs) : identity;
    }
    return fl_fold_warps(fl_fold_lanes(lane, true, 32, combine), identity, combine, shared);
}

// fl_fold_column_parts: needs fl_part fl_share fl_pending fl_fold_sharers
// The tree over what the blocks of an output have left, by the threads that share the output.
template <class State, class Combine>
__device__ __forceinline__ State fl_fold_column_parts(const fl_words<State>* parts, unsigned long long output,
                                                      unsigned long long outputs, State identity,
                                                      Combine combine, void* shared) {
    const unsigned share = fl_share(gridDim.y, blockDim.y);
    unsigned block = threadIdx.y * share;
    const unsigned last = block + share < gridDim.y ? block + share : gridDim.y;
    fl_pending<State> tree;
    for (; block < last; ++block) tree.push(fl_part(parts, block, output, outputs), combine);
    return fl_fold_sharers(tree.result(identity, combine), combine, shared);
}
