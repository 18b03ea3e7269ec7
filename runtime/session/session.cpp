// Session: opens the device, loads programs.
#include <charconv>
#include <filesystem>
#include <optional>

#include <fmt/format.h>

#include "runtime/io/program_file.h"
#include "runtime/session/errors.h"
#include "runtime/session/module_impl.h"
#include "runtime/session/session_impl.h"

namespace fuseline {
namespace {

std::optional<int> cuda_ordinal(std::string_view name) {
    if (name == "cuda") return 0;
    if (!name.starts_with("cuda:")) return std::nullopt;
    name.remove_prefix(5);
    int ordinal = -1;
    const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), ordinal);
    if (error != std::errc() || end != name.data() + name.size() || ordinal < 0) return std::nullopt;
    return ordinal;
}

Target target_of(const Device* device) {
    return device != nullptr ? device->target() : Target{TargetKind::interpreter, "", 0, false, 0};
}

std::string device_name(const Device* device) { return device != nullptr ? device->name() : "interpreter"; }

}  // namespace

std::shared_ptr<Device> open_device(const Settings& settings) {
    const std::string& name = settings.device;
    if (settings.threads < 0)
        throw UserError(fmt::format("the number of threads must be at least 0: found {}", settings.threads));
    if (name == "interpreter") return nullptr;
    if (name == "auto") {
        if (!cuda_unavailable_reason().empty()) return make_cpu_device(settings.threads);
        try {
            return make_cuda_device(0);
        } catch (const ToolchainError&) {
            // A GPU that is busy, exclusive or broken counts as none; `--device cuda` tells what is wrong
            // with it.
            return make_cpu_device(settings.threads);
        }
    }
    if (name == "cpu") return make_cpu_device(settings.threads);
    if (const auto ordinal = cuda_ordinal(name)) return make_cuda_device(*ordinal);
    Diagnostic unknown;
    unknown.message = fmt::format("there is no device called `{}`", name);
    unknown.help = {"use auto, cpu, cuda, cuda:N or interpreter"};
    throw UserError({unknown});
}

SessionImpl::SessionImpl(const Settings& s, std::shared_ptr<Device> d)
    : settings(s), device(std::move(d)), recorder(device_name(device.get())), target_(target_of(device.get())) {
    target_.fuse = target_.fuse && settings.fuse;
    for (const auto& [option, value] : settings.options) {
        const OptionRow* row = find_option(option);
        if (row != nullptr && row->built) continue;
        Diagnostic unknown;
        if (row != nullptr) {
            unknown.message = fmt::format("the option `{}` is not supported yet", option);
            throw UserError({unknown});
        }
        unknown.message = fmt::format("there is no option called `{}`", option);
        const std::string near = nearest_name(option, option_names());
        unknown.help = {near.empty() ? fmt::format("options are {}", fmt::join(option_names(), ", "))
                                     : fmt::format("did you mean `{}`?", near)};
        throw UserError({unknown});
    }
}

Session::Session(const Settings& settings) {
    impl_ = translated(nullptr, [&] { return std::make_shared<Impl>(settings, open_device(settings)); });
}

Module Session::load_text(const std::string& text, const std::string& name) const {
    auto module = std::make_shared<Module::Impl>(impl_);
    translated(&module->sources, [&] { module->load(name, text); });
    return Module(std::move(module));
}

Module Session::load_file(const std::string& path) const {
    const std::string text = translated(nullptr, [&] { return read_program(path); });
    return load_text(text, path);
}

Report Session::report() const { return impl_->recorder.report(); }
void Session::reset_report() { impl_->recorder.reset(); }

void Session::synchronize() const {
    if (impl_->device != nullptr) translated(nullptr, [&] { impl_->device->synchronize(nullptr); });
}

std::string Session::device_description() const {
    return impl_->device != nullptr ? impl_->device->description() : "reference interpreter";
}

}  // namespace fuseline
