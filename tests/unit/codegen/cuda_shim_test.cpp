// The host shim itself: barriers, shuffles, atomics, faults, on hand-written CUDA.
#include "tests/catch.h"
#include "tests/unit/codegen/cuda_on_host.h"

using namespace fuseline;
using namespace fuseline::testing;

namespace {

/// Runs CUDA with the parameters of `void f(const long long* x, long long* y, long long n)` on 2 blocks of 64
/// threads.
struct Run {
    std::string fault;
    std::vector<int64_t> y = std::vector<int64_t>(128, -1);
};

Run run(const std::string& body) {
    const ir::Function kernel = kernel_of(
        "kernel f(%x: read i64, %y: write i64) sizes(n) schedule(map) index(32) {\n  nest (i: n) grid {\n    "
        "%0 = load %x [i] : i64\n"
        "    store %y [i], %0\n  }\n}\n");
    const host_cuda::TemporaryFolder folder;
    const std::string text =
        "extern \"C\" __global__ void f(const long long* x, long long* y, const long long n) {\n" + body +
        "}\n";
    const auto library = host_cuda::compile({{&kernel, "f", text}}, folder.path(), "kernel");
    host_cuda::Memory memory;
    const auto x = memory.allocate(1024, 0), y = memory.allocate(1024, 0);
    for (int64_t i = 0; i < 128; ++i) static_cast<int64_t*>(x->pointer)[i] = i * i;
    void* const buffers[] = {x->pointer, y->pointer};
    const long long sizes[] = {128};
    host_cuda::Launch launch{
        &library->state(),     library->entry("f"), {{2, 1, 1}, {64, 1, 1}, 0}, buffers, nullptr, sizes,
        contains(body, "sync")};
    Run result;
    result.fault = host_cuda::run(launch, memory).fault;
    std::memcpy(result.y.data(), y->pointer, 1024);
    return result;
}

}  // namespace

TEST_CASE("the host shim has barriers and shared memory", "[cuda]") {
    const Run r = run(R"(
    __shared__ long long tile[64];
    const int t = threadIdx.x;
    for (int turn = 0; turn < 2; ++turn) {
        tile[t] = x[64 * blockIdx.x + t];
        __syncthreads();
        y[64 * blockIdx.x + t] = tile[63 - t];
        __syncthreads();
    }
)");
    CHECK(r.fault == "");
    for (int64_t i = 0; i < 128; ++i) {
        const int64_t mirror = i / 64 * 64 + 63 - i % 64;
        CHECK(r.y[static_cast<size_t>(i)] == mirror * mirror);
    }
}

TEST_CASE("the host shim has shuffles, votes and atomics", "[cuda]") {
    const Run r = run(R"(
    const int i = 64 * blockIdx.x + threadIdx.x;
    long long sum = i;
    for (int k = 16; k > 0; k /= 2) sum += __shfl_xor_sync(~0u, sum, k);
    const long long first = __shfl_sync(~0u, (long long)i, 0);
    const long long below = __shfl_down_sync(~0u, (long long)i, 1);
    const unsigned odd = __ballot_sync(~0u, i % 2);
    y[i] = sum * 1000 + first + (below - i) * 1000000 + (odd == 0xaaaaaaaau) * 10000000;
)");
    CHECK(r.fault == "");
    for (int64_t i = 0; i < 128; ++i) {
        const int64_t first = i / 32 * 32;
        const int64_t sum = 32 * first + 31 * 16;
        CHECK(r.y[static_cast<size_t>(i)] == sum * 1000 + first + (i % 32 == 31 ? 0 : 1000000) + 10000000);
    }
}

TEST_CASE("the host shim reports stray and misaligned accesses and deadlocks", "[cuda]") {
    CHECK(contains(run("y[n + threadIdx.x] = 1;").fault,
                   "block (0, 0, 0) thread (0, 0, 0): a write of 8 bytes"));
    CHECK(contains(run("y[threadIdx.x] = x[-1];").fault, "8 bytes before a buffer of 1024 bytes"));
    CHECK(contains(run("struct alignas(16) Pair { long long a, b; };\n*(Pair*)(y + 1) = {1, 2};").fault,
                   "without the alignment"));
    CHECK(contains(run("if (threadIdx.x == 3) __syncwarp(); else __syncthreads();").fault,
                   "wait for each other"));
}
