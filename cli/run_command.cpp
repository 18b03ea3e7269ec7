// `fuseline run FILE`: the script, or one entry function with arguments from files and texts.
#include <filesystem>
#include <iostream>
#include <system_error>

#include <fmt/format.h>

#include "cli/commands.h"
#include "cli/common.h"
#include "runtime/io/formats.h"
#include "runtime/io/print_array.h"
#include "runtime/script/script.h"
#include "runtime/script/script_params.h"
#include "runtime/session/array_storage.h"
#include "runtime/session/module_impl.h"

namespace fuseline::cli {
namespace {

constexpr const char* kFooter =
    "Examples:\n"
    "  fuseline run samples/black_scholes.dsl                  the script statements, top to bottom\n"
    "  fuseline run prices.dsl --set rate=0.03                 with another value of `param rate`\n"
    "  fuseline run sum.dsl --fn axpy --in a=2.5 --in x=x.npy --in y=y.npy --out result=z.npy\n"
    "  fuseline run stocks.dsl --fn returns --in close=prices.csv:Close --out result=r.csv\n"
    "  fuseline run prices.dsl --device cpu --threads 1 --stats=json\n"
    "  fuseline run prices.dsl --dump=kernel,cuda --dump-dir out";

struct RunArguments {
    std::string file;
    std::string function;
    std::vector<std::string> in, out, set;
    std::string stats;
    std::string dump, dump_folder;
    DeviceFlags device;
};

/// A number or truth value where a file is meant.
bool reads_as_scalar(const std::string& text) {
    return (parse_scalar(DType::f64_, text) || parse_scalar(DType::bool_, text)) &&
           !std::filesystem::exists(text);
}

/// "prices.csv:Close" is a file and the key in it; nullopt for a text that names no file of a known format.
std::optional<std::pair<std::string, std::string>> file_and_key(const std::string& text) {
    if (find_format(text) != nullptr) return std::pair(text, std::string());
    const size_t colon = text.rfind(':');
    if (colon == std::string::npos || find_format(text.substr(0, colon)) == nullptr) return std::nullopt;
    return std::pair(text.substr(0, colon), text.substr(colon + 1));
}

Array load_argument(const Entry& entry, const EntryParameter& parameter, const std::string& path,
                    const std::string& key) {
    LoadRequest request{parameter.type.dtype, {}, key, {}};
    for (const ExtentId e : parameter.type.shape)
        request.extents.push_back(entry.graph.extents.evaluate(e, {}));
    LoadedArray array = load_array(path, request);
    for (const std::string& note : array.notes) std::cerr << "note: " << note << '\n';
    return to_array(std::move(array));
}

/// `--in name=FILE` or `--in name=FILE:KEY`, or a literal of the parameter's type.
Argument argument_of(const Entry& entry, const EntryParameter& parameter, const std::string& text) {
    if (!parameter.type.scalar() && reads_as_scalar(text)) {
        throw UsageError(fmt::format("--in {}={}: `{}` is an array, {}: write --in {}=FILE", parameter.name,
                                     text, parameter.name, type_text(entry.graph.extents, parameter.type),
                                     parameter.name));
    }
    if (const auto file = file_and_key(text))
        return load_argument(entry, parameter, file->first, file->second);
    if (!parameter.type.scalar()) format_of(text);
    const auto value = parse_scalar(parameter.type.dtype, text);
    if (!value) {
        throw UserError(fmt::format("--in {}={}: `{}` is not a value of type {}", parameter.name, text, text,
                                    name(parameter.type.dtype)));
    }
    HostArray array{parameter.type.dtype,
                    {},
                    std::vector<std::byte>(static_cast<size_t>(byte_size(parameter.type.dtype)))};
    store_scalar(array.dtype, *value, array.bytes.data());
    return to_array(std::move(array));
}

std::map<std::string, Argument> read_arguments(const Entry& entry, const std::vector<std::string>& texts) {
    std::map<std::string, Argument> arguments;
    for (const std::string& text : texts) {
        const auto [name, value] = key_value("--in", text);
        const auto parameter = std::find_if(entry.parameters.begin(), entry.parameters.end(),
                                            [&, n = name](const auto& p) { return p.name == n; });
        if (parameter == entry.parameters.end()) {
            std::vector<std::string> names;
            for (const EntryParameter& p : entry.parameters) names.push_back(p.name);
            throw UsageError(fmt::format("--in {}: `{}` has no parameter `{}`; parameters are {}", text,
                                         entry.name, name, fmt::join(names, ", ")));
        }
        if (!arguments.emplace(name, argument_of(entry, *parameter, value)).second)
            throw UsageError(fmt::format("--in {} is given twice", name));
    }
    return arguments;
}

/// The file that a path leads to, whether it is there or not.
std::string target_of(const std::string& path) {
    std::error_code failed;
    const auto target = std::filesystem::weakly_canonical(std::filesystem::absolute(path, failed), failed);
    return failed ? path : target.string();
}

/// Tested before anything runs, so that a misspelt name costs nothing.
std::map<std::string, std::string> read_outputs(const Entry& entry, const std::vector<std::string>& texts) {
    std::map<std::string, std::string> outputs, owners;
    const std::vector<std::string>& names = entry.graph.result_names;
    for (const std::string& text : texts) {
        const auto [name, path] = key_value("--out", text);
        if (std::find(names.begin(), names.end(), name) == names.end()) {
            throw UsageError(fmt::format("--out {}: `{}` has no result `{}`; results are {}", text,
                                         entry.name, name, fmt::join(names, ", ")));
        }
        format_of(path);
        if (!outputs.emplace(name, path).second)
            throw UsageError(fmt::format("--out {} is given twice", name));
        const auto [owner, added] = owners.emplace(target_of(path), name);
        if (!added)
            throw UsageError(fmt::format("--out {}: the file is that of `{}` too", text, owner->second));
    }
    return outputs;
}

void run_function(const Module& module, const RunArguments& a) {
    const Entry& entry = chosen_entry(module, a.function);
    const auto outputs = read_outputs(entry, a.out);
    const auto arguments = read_arguments(entry, a.in);
    const Results results = module.call(a.function, arguments);
    for (const auto& [name, array] : results) {
        const auto path = outputs.find(name);
        if (path != outputs.end()) {
            save_array(path->second, to_host_array(array));
        } else {
            std::cout << name << " = " << array_text(to_host_array(array)) << '\n';
        }
    }
}

void run_module_script(const Module& module, const RunArguments& a) {
    if (!has_script(module)) {
        const auto names = module.functions();
        throw UserError(
            names.empty()
                ? fmt::format("{} has nothing to run: no script statements and no entry function", a.file)
                : fmt::format("{} has no script statements; choose a function with --fn: {}", a.file,
                              fmt::join(names, ", ")));
    }
    ScriptSettings settings;
    for (const std::string& text : a.set) {
        const auto [param, added] = settings.params.insert(key_value("--set", text));
        if (!added) throw UsageError(fmt::format("--set {} is given twice", param->first));
    }
    as_usage([&] { test_param_names(module.impl()->program.params, settings.params); });
    settings.print = [](const std::string& line) { std::cout << line << '\n'; };
    settings.note = [](const std::string& lines) { std::cerr << lines; };
    run_script(module, settings);
}

int run(const RunArguments& a) {
    if (!a.stats.empty() && a.stats != "table" && a.stats != "json")
        throw UsageError("--stats: write --stats or --stats=json");
    if (a.function.empty() && !(a.in.empty() && a.out.empty()))
        throw UsageError("--in and --out belong to --fn NAME");
    if (!a.function.empty() && !a.set.empty())
        throw UsageError("--set gives a script's params; with --fn use --in");
    if (a.dump.empty() && !a.dump_folder.empty())
        throw UsageError("--dump-dir is the folder of --dump: choose stages with it");
    Settings settings = a.device.settings();
    settings.time_kernels = !a.stats.empty();
    const Session session = open_session(settings);
    const Module module = session.load_file(a.file);
    if (!module.impl()->warnings.empty())
        std::cerr << render(module.impl()->warnings, module.impl()->sources);
    if (!a.dump.empty()) dump_stages({a.file, [&] { return module; }, a.function}, a.dump, a.dump_folder);
    if (a.function.empty()) {
        run_module_script(module, a);
    } else {
        run_function(module, a);
    }
    if (a.stats == "table") std::cout << stats_table(session.report());
    if (a.stats == "json") std::cout << stats_json(session.report());
    return kOk;
}

}  // namespace

void add_run(CLI::App& app, Chosen& chosen) {
    auto a = std::make_shared<RunArguments>();
    CLI::App* command = app.add_subcommand("run", "Run a file's script, or one of its functions");
    command->footer(kFooter);
    command->add_option("file", a->file, "A .dsl file")->required();
    command->add_option("--fn", a->function, "Run this entry function in place of the script");
    command
        ->add_option("--in", a->in,
                     "Argument of --fn: NAME=FILE, NAME=FILE:KEY (of an .npz or .csv) or NAME=value")
        ->expected(1)
        ->take_all();
    command
        ->add_option("--out", a->out, "Where a result of --fn goes: NAME=FILE; an unnamed result is `result`")
        ->expected(1)
        ->take_all();
    command->add_option("--set", a->set, "Value of a `param`: NAME=value")->expected(1)->take_all();
    command->add_flag("--stats{table}", a->stats,
                      "Print what was compiled and launched: --stats or --stats=json");
    command->add_option("--dump", a->dump,
                        "Print stages, comma-separated: " + fmt::format("{}", fmt::join(stages(), ",")));
    command->add_option("--dump-dir", a->dump_folder, "Write the dumped stages to files in this folder");
    a->device.add(*command);
    command->callback([a, &chosen] { chosen = [a] { return run(*a); }; });
}

}  // namespace fuseline::cli
