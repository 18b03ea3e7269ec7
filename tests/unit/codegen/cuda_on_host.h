// Runs kernels in text form on the host shim and by the references of the operator table, and compares.
#pragma once

#include <cmath>
#include <cstring>
#include <random>

#include "compiler/support/errors.h"
#include "tests/fakes/host_cuda/host_cuda_device.h"
#include "tests/unit/schedule/plan_runner.h"

namespace fuseline::testing {

inline ir::Function kernel_of(const std::string& text) {
    SourceMap sources;
    const size_t file = sources.add("kernel.ir", text);
    ir::Function kernel = ir::parse_functions(sources, file).at(0);
    ir::verify_or_throw(kernel, "the test's text");
    return kernel;
}

inline bool contains(const std::string& text, std::string_view part) {
    return text.find(part) != std::string::npos;
}

inline HostArray filled(DType dtype, int64_t count, unsigned seed) {
    HostArray a{dtype, {count}, {}};
    a.bytes.resize(static_cast<size_t>(count * byte_size(dtype)));
    std::mt19937 random(seed);
    for (int64_t i = 0; i < count; ++i) {
        const auto value = static_cast<int>(random() % 2000) - 1000;
        Scalar s = Scalar::of_i64(value / 16);
        if (dtype == DType::f32_) s = Scalar::of_f32(static_cast<float>(value) / 128);
        if (dtype == DType::f64_) s = Scalar::of_f64(value / 128.0);
        if (is_bool(dtype)) s = Scalar::of_bool(value > 0);
        store_scalar(dtype, s, a.bytes.data() + i * byte_size(dtype));
    }
    return a;
}

inline HostArray scalar_of(DType dtype, Scalar value) {
    HostArray a{dtype, {}, std::vector<std::byte>(static_cast<size_t>(byte_size(dtype)))};
    store_scalar(dtype, value, a.bytes.data());
    return a;
}

inline bool is_nan(DType dtype, Scalar s) {
    return dtype == DType::f32_ ? std::isnan(s.as_f32()) : dtype == DType::f64_ && std::isnan(s.as_f64());
}

/// Numbers of the first elements that differ in their bits; NaN equals NaN.
inline std::vector<int64_t> differences(const HostArray& a, const HostArray& b) {
    std::vector<int64_t> list;
    for (int64_t i = 0; i < a.element_count() && list.size() < 4; ++i) {
        const Scalar x = load_scalar(a.dtype, a.bytes.data() + i * byte_size(a.dtype));
        const Scalar y = load_scalar(b.dtype, b.bytes.data() + i * byte_size(b.dtype));
        if (x != y && !(is_nan(a.dtype, x) && is_nan(b.dtype, y))) list.push_back(i);
    }
    return list;
}

/// One launch on the device with copies of the arrays; written ones are copied back.
inline void launch_on_host(HostCudaDevice& device, const ir::Function& kernel,
                           const std::vector<HostArray*>& arguments, const SizeMap& sizes,
                           const std::string& symbol = "fl_map_0123456789abcdef") {
    LaunchArguments launch;
    std::vector<std::shared_ptr<Allocation>> memory;
    const ir::Region& body = kernel.region(kernel.body());
    for (size_t k = 0; k < arguments.size(); ++k) {
        const HostArray& a = *arguments[k];
        if (kernel.type(body.parameters[k]).kind == ir::TypeKind::value) {
            launch.scalars.push_back(load_scalar(a.dtype, a.bytes.data()));
            continue;
        }
        memory.push_back(device.allocate(a.bytes.size(), nullptr));
        device.copy_to_device(memory.back()->pointer, a.bytes.data(), a.bytes.size(), nullptr);
        launch.buffers.push_back(memory.back()->pointer);
    }
    for (const std::string& size : kernel.sizes) launch.sizes.push_back(sizes.at(size));
    const auto executable = device.build(kernel, symbol, nullptr);
    device.launch(*executable, launch, nullptr);
    for (size_t k = 0, buffer = 0; k < arguments.size(); ++k) {
        const ir::TypeKind kind = kernel.type(body.parameters[k]).kind;
        if (kind == ir::TypeKind::value) continue;
        HostArray& a = *arguments[k];
        if (kind == ir::TypeKind::write_buffer)
            device.copy_to_host(a.bytes.data(), memory[buffer]->pointer, a.bytes.size(), nullptr);
        ++buffer;
    }
}

/// Runs both and gives the first result whose bits differ, as words; "" when all agree. Buffers hold `counts`
/// elements, in the order of the parameters; scalars follow from the seed.
inline std::string compare_on_host(HostCudaDevice& device, const ir::Function& kernel,
                                   const std::vector<int64_t>& counts, const SizeMap& sizes) {
    const ir::Region& body = kernel.region(kernel.body());
    std::vector<HostArray> first, second;
    for (size_t k = 0; k < body.parameters.size(); ++k) {
        const ir::Type& type = kernel.type(body.parameters[k]);
        const int64_t count = k < counts.size() ? counts[k] : 1;
        HostArray a = filled(type.dtype, count, static_cast<unsigned>(k + 1));
        if (type.kind == ir::TypeKind::value) a.shape.clear();
        first.push_back(a);
        second.push_back(a);
    }
    std::vector<HostArray*> p, q;
    for (size_t k = 0; k < first.size(); ++k) p.push_back(&first[k]), q.push_back(&second[k]);
    KernelRunner(kernel, sizes).run(p);
    launch_on_host(device, kernel, q, sizes);
    for (size_t k = 0; k < first.size(); ++k) {
        const std::vector<int64_t> places = differences(first[k], second[k]);
        if (!places.empty())
            return kernel.parameter_names[k] + " differs at element " + std::to_string(places[0]);
    }
    return {};
}

}  // namespace fuseline::testing
