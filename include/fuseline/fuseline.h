// Fuseline's C++ API: compile .dsl programs and run their functions on arrays, host memory or device memory.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "fuseline/array.h"

namespace fuseline {

/// An argument of a call. C++ scalars take the parameter's type when the value fits it.
using Argument = std::variant<Array, HostSpan, DeviceSpan, bool, int64_t, double>;
/// Where a result goes when the caller gives the memory.
using Output = std::variant<MutableHostSpan, DeviceSpan>;

struct CallSettings {
    /// A CUstream of the session's device: work is enqueued there and the call does not wait. Null: the
    /// session's own stream.
    void* stream = nullptr;
    /// Memory for results by name ("result" when unnamed); its type and shape are tested before anything
    /// runs.
    std::map<std::string, Output> outputs;
};

/// Results by name, in the order of the signature. Results written to the caller's memory are left out.
class Results {
public:
    explicit Results(std::vector<std::pair<std::string, Array>> values) : values_(std::move(values)) {}
    /// Throws Error::user for a name that is not there.
    const Array& operator[](const std::string& name) const;
    /// Throws Error::user past the end.
    const Array& operator[](size_t position) const;
    size_t size() const { return values_.size(); }
    auto begin() const { return values_.begin(); }
    auto end() const { return values_.end(); }

private:
    std::vector<std::pair<std::string, Array>> values_;
};

/// What one kernel did in a session.
struct KernelReport {
    std::string name;      ///< entry symbol: fl_<schedule>_<16 hex digits>
    std::string schedule;  ///< "map"
    std::string lines;     ///< source lines that it computes: "black_scholes.dsl:5-9"
    /// Over all launches: distinct elements read or written, as the cost model counts them.
    int64_t bytes = 0;
    int64_t launches = 0;
    double ms = 0;  ///< time in the kernel, measured only under Settings::time_kernels
};

/// What calls of a library function at one place did in a session.
struct LibraryReport {
    std::string name;   ///< "matmul"; "matmul tn": the left operand is stored transposed
    std::string lines;  ///< source lines
    int64_t bytes = 0;  ///< operands and results once a call
    int64_t flops = 0;  ///< multiplications and additions
    int64_t calls = 0;
    double ms = 0;  ///< with the wait for the device, measured only under Settings::time_kernels
};

/// What a session did since it began (or since reset_report).
struct Report {
    std::string device;
    int64_t kernels_launched = 0;
    int64_t kernels_compiled = 0;
    int64_t memory_hits = 0;
    int64_t disk_hits = 0;
    double compile_ms = 0;
    std::vector<KernelReport> kernels;
    int64_t library_calls = 0;
    std::vector<LibraryReport> libraries;
};

struct Settings {
    std::string device = "auto";          ///< auto, cpu, cuda, cuda:N, interpreter
    int threads = 0;                      ///< CPU threads; 0: all cores
    std::map<std::string, bool> options;  ///< numeric and safety options that override the files' own
    std::vector<std::string> disabled_passes;
    bool fuse = true;           ///< false: each step is a kernel of its own, for comparison
    bool time_kernels = false;  ///< wait for each kernel and record its time
};

class Module;

/// A device with its kernels. Thread-safe; modules and arrays keep it alive.
class Session {
public:
    explicit Session(const Settings& settings = {});
    /// Parses and checks a file with its imports, or a text (`name` is used in messages; imports are relative
    /// to the working folder). Throws Error::user with all messages.
    Module load_file(const std::string& path) const;
    Module load_text(const std::string& text, const std::string& name = "text") const;
    Report report() const;
    void reset_report();
    /// Waits for the session's own stream.
    void synchronize() const;
    /// "NVIDIA H200 (sm_90), driver 13.0".
    std::string device_description() const;

    class Impl;
    explicit Session(std::shared_ptr<Impl> impl) : impl_(std::move(impl)) {}
    const std::shared_ptr<Impl>& impl() const { return impl_; }

private:
    std::shared_ptr<Impl> impl_;
};

/// One parameter or result of an entry function, in the language's spelling.
struct Signature {
    std::string name;
    std::string type;  ///< "f32[n, m]"
    bool has_default = false;
};

/// A checked program. Compiles nothing until a function is called.
class Module {
public:
    std::vector<std::string> functions() const;
    std::vector<Signature> parameters(const std::string& function) const;
    std::vector<Signature> results(const std::string& function) const;
    /// Calls an entry with arguments by name or by position. Sizes are bound from the arguments; nothing is
    /// compiled for a new size or scalar value. Throws Error.
    Results call(const std::string& function, const std::map<std::string, Argument>& arguments,
                 const CallSettings& settings = {}) const;
    Results call(const std::string& function, const std::vector<Argument>& arguments,
                 const CallSettings& settings = {}) const;

    class Impl;
    explicit Module(std::shared_ptr<Impl> impl) : impl_(std::move(impl)) {}
    const std::shared_ptr<Impl>& impl() const { return impl_; }

private:
    std::shared_ptr<Impl> impl_;
};

}  // namespace fuseline
