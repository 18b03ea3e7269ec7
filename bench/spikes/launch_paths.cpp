// What the driver takes: context, cubin load, launches, instantiated graphs with patched parameters,
// stream-ordered allocation, and a fresh process up to its first result.
// Usage: launch_paths <out.json> all | fresh-serial | fresh-overlap
#include <functional>
#include <memory>
#include <thread>

#include "driver.h"
#include "kernel_sources.h"
#include "record.h"

using namespace spikes;

namespace {

constexpr int kElements = 1024;

/// One launch of the triad on `kElements` elements; `args` point into this object.
struct Call {
    CUdeviceptr x = 0, y = 0, out = 0;
    float a = 2;
    int n = kElements;
    void* args[5] = {&x, &y, &out, &a, &n};
};

unsigned salt_now() { return unsigned(std::chrono::system_clock::now().time_since_epoch().count() / 1000); }

class Run {
public:
    explicit Run(const char* json) : log_(json) {}

    void all() {
        step("open the driver", [&] { driver_ = std::make_unique<Driver>(); });
        step("cuInit", [&] { ok(driver_->cuInit(0), "init"); });
        step("create the context", [&] { make_context(); });
        step("open NVRTC", [&] { nvrtc_ = std::make_unique<Nvrtc>("libnvrtc.so"); });
        guarded("load", [&] { load(); });
        prepare();
        guarded("launch", [&] { launches(); });
        for (int nodes : {1, 3, 1000}) guarded("graph", [&] { graph(nodes); });
        guarded("parameters", [&] { big_parameters(); });
        guarded("memory", [&] { memory(); });
    }

    /// From here to a first result of the rolled chain; `overlap`: context and compile in two threads.
    void fresh(bool overlap) {
        double start = now_ms();
        std::string cubin, failed;
        unsigned salt = salt_now();
        auto compile = [&] {
            try {
                cubin = Nvrtc("libnvrtc.so").compile(salted(kernel_sources()[2], salt), {"--fmad=false"});
            } catch (const std::exception& error) {
                failed = error.what();
            }
        };
        std::thread other;
        if (overlap) other = std::thread(compile);
        try {
            driver_ = std::make_unique<Driver>();
            ok(driver_->cuInit(0), "init");
            make_context();
        } catch (const std::exception& error) {
            failed = error.what();
        }
        if (other.joinable()) other.join();
        if (!overlap && failed.empty()) compile();
        if (!failed.empty()) throw std::runtime_error(failed);
        CUmodule module = nullptr;
        ok(driver_->cuModuleLoadData(&module, cubin.data()), "load");
        ok(driver_->cuModuleGetFunction(&function_, module, kernel_name(salt).c_str()), "function");
        prepare();
        int n = kElements;
        void* args[] = {&call_.x, &call_.out, &n};
        ok(driver_->cuLaunchKernel(function_, 1, 1, 1, 256, 1, 1, 0, stream_, args, nullptr), "launch");
        float result = 0;
        ok(driver_->cuMemcpyDtoH(&result, call_.out, sizeof result), "copy");
        std::string what = "driver opened to first result";
        report(what + (overlap ? ", compile beside context" : ", compile after context"), now_ms() - start,
               "ms");
    }

private:
    void ok(CUresult result, const char* what) const { driver_->check(result, what); }

    void report(const std::string& what, double value, const char* unit) {
        std::printf("  %-58s %10.3f %s\n", what.c_str(), value, unit);
        log_.add(Record().text("what", what).number("value", value).text("unit", unit));
    }

    template <class F>
    void step(const char* what, F body) {
        double start = now_ms();
        body();
        report(what, now_ms() - start, "ms");
    }

    template <class F>
    void guarded(const char* what, F body) {
        try {
            body();
        } catch (const std::exception& error) {
            std::printf("  %s failed: %s\n", what, error.what());
            log_.add(Record().text("what", what).text("failed", error.what()));
        }
    }

    void make_context() {
        CUdevice device = 0;
        CUcontext context = nullptr;
        ok(driver_->cuDeviceGet(&device, 0), "device");
        ok(driver_->cuDevicePrimaryCtxRetain(&context, device), "context");
        ok(driver_->cuCtxSetCurrent(context), "set context");
    }

    void prepare() {
        size_t bytes = kElements * sizeof(float);
        ok(driver_->cuStreamCreate(&stream_, CU_STREAM_NON_BLOCKING), "stream");
        for (CUdeviceptr* p : {&call_.x, &call_.y, &call_.out}) {
            ok(driver_->cuMemAlloc(p, bytes), "alloc");
            ok(driver_->cuMemsetD8(*p, 0x3E, bytes), "set");
        }
        ok(driver_->cuCtxSynchronize(), "sync");
    }

    /// Eight distinct kernels, each timed from the image to a function handle, twice over two interfaces.
    void load() {
        std::vector<double> module_us, library_us, compile_ms;
        for (const Source& source : kernel_sources()) {
            unsigned salt = ++salt_;
            double start = now_ms();
            std::string cubin = nvrtc_->compile(salted(source, salt), {"--fmad=false"});
            double compiled = now_ms();
            CUmodule module = nullptr;
            CUfunction function = nullptr;
            ok(driver_->cuModuleLoadData(&module, cubin.data()), "load");
            ok(driver_->cuModuleGetFunction(&function, module, kernel_name(salt).c_str()), "function");
            double loaded = now_ms();
            CUlibrary library = nullptr;
            CUkernel kernel = nullptr;
            CUresult opened =
                driver_->cuLibraryLoadData(&library, cubin.data(), nullptr, nullptr, 0, nullptr, nullptr, 0);
            ok(opened, "library");
            ok(driver_->cuLibraryGetKernel(&kernel, library, kernel_name(salt).c_str()), "kernel");
            library_us.push_back(1e3 * (now_ms() - loaded));
            module_us.push_back(1e3 * (loaded - compiled));
            compile_ms.push_back(compiled - start);
            if (std::string(source.name) == "triad") function_ = function;
        }
        report("compile, median of 8 kernels", median(compile_ms), "ms");
        report("cubin to function by cuModuleLoadData, first", module_us.front(), "us");
        report("cubin to function by cuModuleLoadData, median", median(module_us), "us");
        report("cubin to kernel by cuLibraryLoadData, median", median(library_us), "us");
    }

    void launch(Call& call) {
        ok(driver_->cuLaunchKernel(function_, 1, 1, 1, 256, 1, 1, 0, stream_, call.args, nullptr), "launch");
    }
    void wait() { ok(driver_->cuStreamSynchronize(stream_), "wait"); }

    /// Median microseconds of one `body`, over 200 of them after 20 untimed.
    double median_us(const std::function<void()>& body, const std::function<void()>& after = [] {}) {
        std::vector<double> samples;
        for (int i = 0; i < 220; ++i) {
            double start = now_ms();
            body();
            if (i >= 20) samples.push_back(1e3 * (now_ms() - start));
            after();
        }
        return median(samples);
    }

    void launches() {
        double first = now_ms();
        launch(call_);
        wait();
        report("first launch of a function, and wait", 1e3 * (now_ms() - first), "us");
        constexpr int kMany = 5000;
        double start = now_ms();
        for (int i = 0; i < kMany; ++i) launch(call_);
        double queued = now_ms();
        wait();
        report("plain launch, enqueue, back to back", 1e3 * (queued - start) / kMany, "us");
        report("plain launch, until done, back to back", 1e3 * (now_ms() - start) / kMany, "us");
        double idle = median_us([&] { launch(call_); }, [&] { wait(); });
        report("plain launch, enqueue on an idle stream", idle, "us");
        report("plain launch and wait", median_us([&] { launch(call_), wait(); }), "us");
        auto three = [&] { launch(call_), launch(call_), launch(call_), wait(); };
        report("three plain launches and wait", median_us(three), "us");
    }

    CUDA_KERNEL_NODE_PARAMS node_params(Call& call) const {
        CUDA_KERNEL_NODE_PARAMS params = {};
        params.func = function_;
        params.gridDimX = params.gridDimY = params.gridDimZ = params.blockDimY = params.blockDimZ = 1;
        params.blockDimX = 256;
        params.kernelParams = call.args;
        return params;
    }

    /// A chain of `count` kernel nodes; every node gets other parameters before each replay.
    void graph(int count) {
        CUgraph graph = nullptr;
        CUgraphExec exec = nullptr;
        std::vector<CUgraphNode> nodes;
        ok(driver_->cuGraphCreate(&graph, 0), "graph");
        CUDA_KERNEL_NODE_PARAMS params = node_params(call_);
        double start = now_ms();
        for (int i = 0; i < count; ++i) {
            CUgraphNode node = nullptr, *before = i ? &nodes.back() : nullptr;
            ok(driver_->cuGraphAddKernelNode(&node, graph, before, i ? 1 : 0, &params), "node");
            nodes.push_back(node);
        }
        double built = now_ms();
        ok(driver_->cuGraphInstantiate(&exec, graph, 0), "instantiate");
        std::string name = "graph of " + std::to_string(count) + ": ";
        report(name + "build", 1e3 * (built - start), "us");
        report(name + "instantiate", 1e3 * (now_ms() - built), "us");
        auto patch = [&] {
            call_.a += 1;
            for (CUgraphNode node : nodes)
                ok(driver_->cuGraphExecKernelNodeSetParams(exec, node, &params), "patch");
        };
        auto replay = [&] { ok(driver_->cuGraphLaunch(exec, stream_), "replay"); };
        report(name + "patch all nodes", median_us(patch), "us");
        double idle = median_us([&] { patch(), replay(); }, [&] { wait(); });
        report(name + "patch and enqueue on an idle stream", idle, "us");
        report(name + "replay and wait, nothing patched", median_us([&] { replay(), wait(); }), "us");
        report(name + "patch, replay and wait", median_us([&] { patch(), replay(), wait(); }), "us");
        int many = count == 1000 ? 20 : 2000;
        double begin = now_ms();
        for (int i = 0; i < many; ++i) patch(), replay();
        double queued = now_ms();
        wait();
        report(name + "patch and enqueue, back to back", 1e3 * (queued - begin) / many, "us");
        report(name + "the same until done", 1e3 * (now_ms() - begin) / many, "us");
        ok(driver_->cuGraphExecDestroy(exec), "destroy");
        ok(driver_->cuGraphDestroy(graph), "destroy");
    }

    /// Launches with 64 bytes, 4 000 bytes and 32 000 bytes of parameters.
    void big_parameters() {
        for (int bytes : {64, 4000, 32000}) {
            std::string name = kernel_name(++salt_);
            std::string text = "struct P { char b[" + std::to_string(bytes) + "]; };\n" +
                               "extern \"C\" __global__ void " + name +
                               "(P p, int* out) { if (out) *out = p.b[threadIdx.x]; }";
            std::string cubin = nvrtc_->compile(text, {"--fmad=false"});
            CUmodule module = nullptr;
            CUfunction function = nullptr;
            ok(driver_->cuModuleLoadData(&module, cubin.data()), "load");
            ok(driver_->cuModuleGetFunction(&function, module, name.c_str()), "function");
            std::vector<char> block(static_cast<size_t>(bytes), 1);
            void* out = nullptr;
            void* args[] = {block.data(), &out};
            auto run = [&] {
                ok(driver_->cuLaunchKernel(function, 1, 1, 1, 32, 1, 1, 0, stream_, args, nullptr), "launch");
                wait();
            };
            report("launch and wait, " + std::to_string(bytes) + " parameter bytes", median_us(run), "us");
        }
    }

    void memory() {
        auto pair = [&](size_t bytes) {
            CUdeviceptr p = 0;
            ok(driver_->cuMemAllocAsync(&p, bytes, stream_), "alloc");
            ok(driver_->cuMemFreeAsync(p, stream_), "free");
        };
        CUmemoryPool pool = nullptr;
        ok(driver_->cuDeviceGetDefaultMemPool(&pool, 0), "pool");
        for (bool keep : {false, true}) {
            cuuint64_t threshold = keep ? ~cuuint64_t(0) : 0;
            ok(driver_->cuMemPoolSetAttribute(pool, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, &threshold),
               "threshold");
            std::string name =
                std::string("alloc and free async, pool ") + (keep ? "keeps, " : "gives back, ");
            for (size_t bytes : {size_t(4) << 10, size_t(64) << 20}) {
                std::string size = bytes > 1 << 20 ? "64 MiB" : "4 KiB";
                report(name + size, median_us([&] { pair(bytes); }, [&] { wait(); }), "us");
            }
            report(name + "64 MiB, and wait", median_us([&] { pair(size_t(64) << 20), wait(); }), "us");
        }
    }

    Log log_;
    std::unique_ptr<Driver> driver_;
    std::unique_ptr<Nvrtc> nvrtc_;
    CUfunction function_ = nullptr;
    CUstream stream_ = nullptr;
    Call call_;
    unsigned salt_ = salt_now();
};

}  // namespace

int main(int argc, char** argv) {
    if (argc < 3)
        return std::fprintf(stderr, "usage: launch_paths <out.json> all|fresh-serial|fresh-overlap\n"), 2;
    try {
        Run run(argv[1]);
        std::string what = argv[2];
        if (what == "all")
            run.all();
        else
            run.fresh(what == "fresh-overlap");
    } catch (const std::exception& error) {
        return std::printf("launch_paths %s: %s\n", argv[2], error.what()), 1;
    }
}
