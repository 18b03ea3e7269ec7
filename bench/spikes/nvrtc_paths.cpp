// What NVRTC takes for kernels like the emitted ones: cold, by option, in one and several threads.
// Usage: nvrtc_paths <out.json> <libnvrtc.so or libnvrtc.alt.so>
#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>

#include "driver.h"
#include "kernel_sources.h"
#include "record.h"

using namespace spikes;

namespace {

using Options = std::vector<const char*>;

class Run {
public:
    Run(const char* json, const std::string& library) : log_(json), library_(library) {
        salt_ = unsigned(std::chrono::system_clock::now().time_since_epoch().count() / 1000);
        double start = now_ms();
        nvrtc_ = std::make_unique<Nvrtc>(library);
        int major = 0, minor = 0;
        nvrtc_->nvrtcVersion(&major, &minor);
        std::printf("%s %d.%d, %u cores, %s\n", library.c_str(), major, minor,
                    std::thread::hardware_concurrency(), context() ? "GPU context live" : "no GPU context");
        report("open the library", "", open_ms_ = now_ms() - start - context_ms_);
    }

    void all() {
        const auto& sources = kernel_sources();
        report("first compile", sources[1].name, compile_ms(sources[1], {"--fmad=false"}));
        for (const Source& source : sources)
            guarded(source.name, [&] { repeated(source, "--fmad=false", {"--fmad=false"}); });
        --salt_;
        report("the same source again", sources.back().name, compile_ms(sources.back(), {"--fmad=false"}));
        by_option();
        for (int threads : {1, 2, 4, 8}) guarded("threads", [&] { parallel(threads); });
        guarded("one program", [&] { one_program(); });
    }

private:
    void guarded(const char* name, const std::function<void()>& body) {
        try {
            body();
        } catch (const std::exception& error) {
            std::printf("  %s failed: %s\n", name, error.what());
            log_.add(Record().text("library", library_).text("variant", name).text("failed", error.what()));
        }
    }

    /// A program that calls NVRTC usually has a context; creating it here keeps the figures comparable.
    bool context() {
        double start = now_ms();
        try {
            Driver driver;
            CUdevice device = 0;
            CUcontext context = nullptr;
            driver.check(driver.cuInit(0), "init");
            driver.check(driver.cuDeviceGet(&device, 0), "device");
            driver.check(driver.cuDevicePrimaryCtxRetain(&context, device), "context");
            context_ms_ = now_ms() - start;
            return true;
        } catch (const std::exception&) {
            context_ms_ = now_ms() - start;
            return false;
        }
    }

    double compile_ms(const Source& source, const Options& options) {
        std::string text = salted(source, ++salt_);
        double start = now_ms();
        bytes_ = nvrtc_->compile(text, options).size();
        return now_ms() - start;
    }

    void repeated(const Source& source, const char* label, const Options& options) {
        std::vector<double> samples;
        for (int i = 0; i < 5; ++i) samples.push_back(compile_ms(source, options));
        report(label, source.name, median(samples));
    }

    void by_option() {
        const std::vector<std::pair<const char*, Options>> sets = {
            {"--fmad=true", {"--fmad=true"}},
            {"--fmad=false --minimal", {"--fmad=false", "--minimal"}},
            {"--fmad=false --no-cache", {"--fmad=false", "--no-cache"}},
            {"--fmad=false -default-device", {"--fmad=false", "-default-device"}},
            {"--fmad=false -lineinfo", {"--fmad=false", "-lineinfo"}},
            {"--fmad=false --Ofast-compile=min", {"--fmad=false", "--Ofast-compile=min"}}};
        for (const auto& [label, options] : sets)
            for (size_t k : {2, 5})
                guarded(label, [&, l = label, &o = options] { repeated(kernel_sources()[k], l, o); });
    }

    /// Two distinct copies of each kernel, shared out to the threads as they come free.
    void parallel(int threads) {
        std::vector<std::string> texts;
        for (int copy = 0; copy < 2; ++copy)
            for (const Source& source : kernel_sources()) texts.push_back(salted(source, ++salt_));
        std::atomic<size_t> next = 0;
        std::mutex lock;
        std::string failed;
        auto work = [&] {
            for (size_t i; (i = next++) < texts.size();) {
                try {
                    nvrtc_->compile(texts[i], {"--fmad=false"});
                } catch (const std::exception& error) {
                    std::lock_guard hold(lock);
                    failed = error.what();
                }
            }
        };
        double start = now_ms();
        std::vector<std::thread> pool;
        for (int i = 0; i < threads; ++i) pool.emplace_back(work);
        for (std::thread& thread : pool) thread.join();
        double ms = now_ms() - start;
        if (!failed.empty()) throw std::runtime_error(failed);
        std::string what = std::to_string(texts.size()) + " kernels, " + std::to_string(threads) + " threads";
        report(what.c_str(), "", ms);
    }

    /// Distinct triads, rolled chains and Mandelbrot loops in one text.
    void one_program() {
        for (Options options : {Options{"--fmad=false"}, Options{"--fmad=false", "-split-compile=0"}}) {
            std::string text;
            for (int copy = 0; copy < 4; ++copy)
                for (size_t k : {1, 2, 6}) text += salted(kernel_sources()[k], ++salt_) + "\n";
            double start = now_ms();
            nvrtc_->compile(text, options);
            report("12 kernels as one program", options.back(), now_ms() - start);
        }
    }

    void report(const char* what, const std::string& kernel, double ms) {
        std::printf("  %-36s %-18s %9.2f ms\n", what, kernel.c_str(), ms);
        log_.add(Record()
                     .text("library", library_)
                     .text("what", what)
                     .text("kernel", kernel)
                     .number("ms", ms)
                     .number("cubin_bytes", double(bytes_)));
    }

    Log log_;
    std::string library_;
    std::unique_ptr<Nvrtc> nvrtc_;
    unsigned salt_ = 0;
    size_t bytes_ = 0;
    double open_ms_ = 0, context_ms_ = 0;
};

}  // namespace

int main(int argc, char** argv) {
    if (argc < 3) return std::fprintf(stderr, "usage: nvrtc_paths <out.json> <library>\n"), 2;
    try {
        Run(argv[1], argv[2]).all();
    } catch (const std::exception& error) {
        return std::printf("nvrtc_paths %s: %s\n", argv[2], error.what()), 1;
    }
}
