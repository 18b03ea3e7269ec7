// Times Fuseline on the workloads of bench/programs; writes JSON. bench/peers/run.py runs it beside other
// libraries.
#include <chrono>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <iostream>
#include <random>

#include <fmt/format.h>
#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "bench/gpu/matmul.h"
#include "bench/gpu/measure.h"

namespace {

using namespace fuseline;
using namespace fuseline::bench;
using nlohmann::json;

constexpr const char* kHelp = R"(Time Fuseline's calls on the workloads of bench/programs

Every row is checked against an f64 reference on samples, warmed up, and timed at least 20 times.)";

struct Flags {
    std::string programs = "bench/programs", device = "auto", size = "full", out;
    std::vector<std::string> only, options;
    int first = 3;
    int threads = 0;
    int fresh = -1;
    int64_t matmul = 0;
};

/// A session under some options, and the name of its rows.
struct Variant {
    std::string name;
    Session session;
};

std::vector<Variant> open_variants(const Flags& flags) {
    Settings settings;
    settings.device = flags.device;
    settings.threads = flags.threads;
    std::vector<Variant> variants;
    variants.push_back({"default", Session(settings)});
    for (const std::string& option : flags.options) {
        settings.options = {{option, true}};
        variants.push_back({option, Session(settings)});
    }
    return variants;
}

json row_of(const Workload& w, Variant& variant, Prepared& prepared, const Module& module,
            const Machine& machine) {
    json row = {
        {"workload", w.name}, {"variant", variant.name}, {"bytes", w.bytes()}, {"elements", w.elements()}};
    const double error = prepared.error(module);
    row["error"] = std::isnan(error) ? json(nullptr) : json(error);
    row["ok"] = error <= w.tolerance;
    variant.session.reset_report();
    prepared.call(module);
    row["kernels"] = variant.session.report().kernels_launched;
    if (w.small) {
        const PerCall us = prepared.time_per_call(variant.session, module);
        row["us"] = us.given;
        row["us_owned"] = us.owned;
        row["us_waited"] = us.waited;
        row["clock"] = "host";
        return row;
    }
    const Times t = prepared.time(module);
    row.update({{"ms", t.median},
                {"ms_least", t.least},
                {"ms_p90", t.p90},
                {"runs", t.runs},
                {"clock", machine.clock()}});
    return row;
}

/// Distinct programs in this process and across processes, so that no compiler's own cache has seen one.
int next_salt() {
    static std::mt19937 generator(std::random_device{}());
    return std::uniform_int_distribution<int>(1, 100'000)(generator);
}

json first_calls(const Workload& w, Session& session, const Prepared& prepared, const std::string& text,
                 int count) {
    json series = json::array();
    double compile_ms = 0;
    for (int i = 0; i < count; ++i) {
        session.reset_report();
        series.push_back(prepared.first_call(session, text, next_salt()));
        compile_ms += session.report().compile_ms / count;
    }
    return {{"workload", w.name}, {"ms", series}, {"compile_ms", compile_ms}};
}

void measure(const Workload& w, const Flags& flags, std::vector<Variant>& variants, Machine& machine,
             const Module& fill, json& result) {
    const std::string text = read_text(flags.programs + "/" + w.program);
    Prepared prepared(w, machine, fill);
    if (!w.small && !w.salt.empty() && flags.first > 0) {
        result["first_calls"].push_back(
            first_calls(w, variants.front().session, prepared, text, flags.first));
    }
    for (Variant& variant : variants) {
        if (variant.name != "default" && !w.contract) continue;
        result["rows"].push_back(
            row_of(w, variant, prepared, variant.session.load_text(text, w.program), machine));
    }
}

json measure_all(const Flags& flags) {
    std::vector<Variant> variants = open_variants(flags);
    Session& first = variants.front().session;
    json result = {{"library", "fuseline"},
                   {"device", first.device_description()},
                   {"rows", json::array()},
                   {"first_calls", json::array()}};
    const auto machine = make_machine(first.report().device);
    const Module fill = first.load_file(flags.programs + "/fill.dsl");
    for (const Workload& w : load_workloads(flags.programs, flags.size, flags.only)) {
        try {
            measure(w, flags, variants, *machine, fill, result);
        } catch (const std::exception& e) {
            result["rows"].push_back({{"workload", w.name}, {"variant", "default"}, {"failed", e.what()}});
        }
        std::cerr << fmt::format("{}: done\n", w.name);
    }
    return result;
}

/// From the start of the process to the first result on the host.
json first_result(const Flags& flags) {
    const auto begin = std::chrono::steady_clock::now();
    const auto ms = [&] {
        return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count();
    };
    const std::string text = salted(read_text(flags.programs + "/chain.dsl"), "0.07", flags.fresh);
    const std::vector<float> x(1 << 20, 0.5f);
    Settings settings;
    settings.device = flags.device;
    const Session session(settings);
    const double opened = ms();
    const Module module = session.load_text(text, "chain.dsl");
    const Results results = module.call("chain", {{"x", HostSpan{x.data(), DType::f32_, {1 << 20}}}});
    const float value = results[0].values<float>()[0];
    const auto now = std::chrono::system_clock::now().time_since_epoch();
    return {{"opened_ms", opened},
            {"first_ms", ms() - opened},
            {"value", value},
            {"at", std::chrono::duration<double>(now).count()}};
}

json matmul(const Flags& flags) {
    Settings settings;
    settings.device = flags.device;
    settings.threads = flags.threads;
    const MatmulTimes t = time_matmul(Session(settings), flags.matmul);
    return {{"device", t.device},       {"n", flags.matmul},    {"product", t.product},
            {"from_host", t.from_host}, {"to_host", t.to_host}, {"host_to_host", t.host_to_host},
            {"first", t.first},         {"error", t.error}};
}

}  // namespace

int main(int argc, char** argv) {
    Flags flags;
    CLI::App app{kHelp};
    app.add_option("--programs", flags.programs, "Folder of the programs")->capture_default_str();
    app.add_option("--device", flags.device, "auto, cpu, cuda, cuda:N or interpreter")->capture_default_str();
    app.add_option("--threads", flags.threads, "CPU threads (default: all cores)");
    app.add_option("--size", flags.size, "full, quick, cpu or tiny")->capture_default_str();
    app.add_option("--only", flags.only, "Workloads, comma-separated (default: all)")->delimiter(',');
    app.add_option("--option", flags.options, "Measure compute-heavy rows again under this option");
    app.add_option("--first", flags.first, "First calls of distinct programs to time")->capture_default_str();
    app.add_option("--fresh", flags.fresh,
                   "Only time this process up to a first result; the number salts the program");
    app.add_option("--matmul", flags.matmul,
                   "Only time the product of two f32 matrices of this size, transfers apart")
        ->check(CLI::Range(1, 40'000));
    app.add_option("--json", flags.out, "Write here (default: print)");
    CLI11_PARSE(app, argc, argv);
    try {
        const json result = flags.matmul > 0   ? matmul(flags)
                            : flags.fresh >= 0 ? first_result(flags)
                                               : measure_all(flags);
        if (flags.out.empty()) {
            std::cout << result.dump(1) << "\n";
        } else {
            std::ofstream(flags.out) << result.dump(1) << "\n";
        }
    } catch (const std::exception& e) {
        std::cerr << e.what() << "\n";
        return 3;
    }
    return 0;
}
