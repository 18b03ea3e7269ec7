// The stages of a program as text.
#include <algorithm>
#include <filesystem>
#include <iostream>
#include <optional>

#include <fmt/format.h>

#include "cli/commands.h"
#include "cli/common.h"
#include "compiler/codegen/emitters.h"
#include "dsl/parser.h"
#include "runtime/cuda/cuda_stages.h"
#include "runtime/io/files.h"
#include "runtime/io/program_file.h"
#include "runtime/session/errors.h"
#include "runtime/session/module_impl.h"

namespace fuseline::cli {
namespace {

/// Newest architecture that the project is measured on; printed where no GPU says otherwise.
constexpr const char* kDefaultArchitecture = "sm_90";
/// What drivers since CUDA 12.1 accept.
constexpr int kParameterBytes = 32764;

class StagePrinter {
public:
    explicit StagePrinter(const Module& module) : module_(*module.impl()) {
        const Device* device = module_.session->device.get();
        cuda_ = device != nullptr && device->target().kind == TargetKind::cuda
                    ? device->target()
                    : cuda_target(kDefaultArchitecture, kParameterBytes);
        cuda_.fuse = module_.session->settings.fuse;
    }

    std::string print(const std::string& function, const std::string& stage) {
        std::string text;
        for (const ir::Function* graph : graphs(function)) {
            const std::string one = graph_stage(*graph, stage);
            if (!text.empty() && !one.empty()) text += '\n';
            text += one;
        }
        return text;
    }

private:
    std::vector<const ir::Function*> graphs(const std::string& function) const {
        if (!function.empty()) return {&module_.program.entry(function)->graph};
        std::vector<const ir::Function*> all;
        for (const Entry& entry : module_.program.entries) all.push_back(&entry.graph);
        for (const ScriptStep& step : module_.program.script.steps) {
            if (const auto* compute = std::get_if<ComputeStep>(&step.action)) all.push_back(&compute->graph);
        }
        return all;
    }

    std::string graph_stage(const ir::Function& graph, const std::string& stage) {
        const ir::PrintOptions options{false, &module_.sources};
        if (stage == "graph") return ir::print(graph, options);
        const bool for_cuda = stage == "cuda" || stage == "ptx" || stage == "sass";
        const Compiled compiled = compile(graph, for_cuda ? cuda_ : cpu_or_session_target(stage), passes());
        if (stage == "fused") return ir::print(compiled.fused, options);
        if (stage == "plan") return ir::print(compiled.plan, options);
        std::string text;
        for (const ir::Function& kernel : compiled.kernels) {
            if (!text.empty()) text += '\n';
            text += stage == "kernel" ? ir::print(kernel, options)
                    : for_cuda        ? cuda_stage(kernel, stage)
                                      : cpu_stage(kernel, stage);
        }
        return text;
    }

    PassSettings passes() const {
        PassSettings settings;
        settings.disabled = module_.session->settings.disabled_passes;
        return settings;
    }

    Target cpu_or_session_target(const std::string& stage) {
        if (stage != "llvm" && stage != "asm") return module_.session->target();
        Target target = cpu().target();
        target.fuse = module_.session->settings.fuse;
        return target;
    }

    Device& cpu() {
        Device* own = module_.session->device.get();
        if (own != nullptr && own->target().kind == TargetKind::cpu) return *own;
        if (cpu_ == nullptr) cpu_ = make_cpu_device(module_.session->settings.threads);
        return *cpu_;
    }

    std::string cuda_stage(const ir::Function& kernel, const std::string& stage) const {
        const std::string symbol = kernel_key(kernel, kernel.index_bits, cuda_, nvrtc_name()).symbol;
        return cuda_stage_text(kNvrtc, emit_cuda(kernel, symbol, &module_.sources), symbol, cuda_.arch,
                               stage);
    }

    std::string cpu_stage(const ir::Function& kernel, const std::string& stage) {
        const std::string symbol =
            kernel_key(kernel, kernel.index_bits, cpu().target(), cpu().compiler()).symbol;
        return cpu().stage_text(*cpu().build(kernel, symbol, &module_.sources), stage);
    }

    /// The CUDA text can be printed without NVRTC; only its symbol then lacks the version.
    static std::string nvrtc_name() {
        try {
            return "nvrtc " + nvrtc_version();
        } catch (const ToolchainError&) {
            return "nvrtc";
        }
    }

    Module::Impl& module_;
    Target cuda_;
    std::unique_ptr<Device> cpu_;
};

/// Parsed only: a program with faults that the checker finds has a tree all the same.
std::string ast_text(const std::string& path) {
    SourceMap sources;
    return translated(&sources, [&] {
        Diagnostics diagnostics;
        const size_t file = sources.add(path, read_program(path));
        const ast::Tree tree = parse(sources, file, diagnostics);
        diagnostics.throw_if_errors();
        return print_ast(tree);
    });
}

std::string stage_text(const DumpSource& source, const std::string& stage) {
    if (stage == "ast") return ast_text(source.path);
    const Module module = source.module();
    if (!source.function.empty()) chosen_entry(module, source.function);
    return translated(&module.impl()->sources,
                      [&] { return StagePrinter(module).print(source.function, stage); });
}

/// Nothing but the front end is needed for these.
bool device_free(const std::string& stage) { return stage == "ast" || stage == "graph"; }

const char* ending(const std::string& stage) {
    if (stage == "cuda") return "cu";
    if (stage == "ptx") return "ptx";
    if (stage == "llvm") return "ll";
    if (stage == "asm") return "s";
    return "txt";
}

std::vector<std::string> split(const std::string& list) {
    std::vector<std::string> parts;
    for (size_t begin = 0; begin <= list.size();) {
        const size_t end = std::min(list.find(',', begin), list.size());
        parts.push_back(list.substr(begin, end - begin));
        begin = end + 1;
    }
    return parts;
}

constexpr const char* kFooter =
    "Examples:\n"
    "  fuseline dump prices.dsl --stage cuda\n"
    "  fuseline dump prices.dsl --stage graph,fused,kernel --fn black_scholes\n"
    "  fuseline dump prices.dsl --stage llvm,asm --dump-dir out";

}  // namespace

void dump_stages(const DumpSource& source, const std::string& list, const std::string& folder) {
    const std::vector<std::string> names = split(list);
    for (const std::string& stage : names) test_stage(stage);
    for (const std::string& stage : names) {
        const std::string text = stage_text(source, stage);
        if (folder.empty()) {
            if (names.size() > 1) std::cout << "==== " << stage << " ====\n";
            std::cout << text;
        } else {
            std::error_code failed;
            std::filesystem::create_directories(folder, failed);
            if (failed)
                throw UserError(fmt::format("{}: the folder cannot be made: {}", folder, failed.message()));
            write_file_whole(fmt::format("{}/{}.{}", folder, stage, ending(stage)), text);
        }
    }
}

namespace {

struct DumpArguments {
    std::string file, function, stages, folder;
    DeviceFlags device;
};

int dump(const DumpArguments& a) {
    Settings settings = a.device.settings();
    const std::vector<std::string> names = split(a.stages);
    for (const std::string& stage : names) test_stage(stage);
    if (std::all_of(names.begin(), names.end(), device_free)) settings.device = "interpreter";
    std::optional<Module> loaded;
    const auto module = [&] {
        if (!loaded) loaded = open_session(settings).load_file(a.file);
        return *loaded;
    };
    dump_stages({a.file, module, a.function}, a.stages, a.folder);
    return kOk;
}

}  // namespace

void add_dump(CLI::App& app, Chosen& chosen) {
    auto a = std::make_shared<DumpArguments>();
    CLI::App* command = app.add_subcommand("dump", "Print a stage of the compilation");
    command->footer(kFooter);
    command->add_option("file", a->file, "A .dsl file")->required();
    command
        ->add_option("--stage", a->stages, "Comma-separated: " + fmt::format("{}", fmt::join(stages(), ",")))
        ->required();
    command->add_option("--fn", a->function, "Only this entry function");
    command->add_option("--dump-dir", a->folder, "Write files in this folder");
    a->device.add(*command);
    command->callback([a, &chosen] { chosen = [a] { return dump(*a); }; });
}

}  // namespace fuseline::cli
