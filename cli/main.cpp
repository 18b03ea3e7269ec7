// The command `fuseline`: reads the command line, runs one subcommand, turns failures into exit codes.
#include <iostream>
#include <new>
#include <stdexcept>
#include <string_view>

#include "cli/commands.h"
#include "compiler/support/diagnostics.h"
#include "fuseline/error.h"

namespace {

using namespace fuseline;
using namespace fuseline::cli;

constexpr const char* kFooter =
    "Examples:\n"
    "  fuseline run samples/black_scholes.dsl\n"
    "  fuseline run prices.dsl --fn black_scholes --in s=s.npy --in k=k.npy --in t=t.npy --in r=0.02 --in "
    "sigma=0.3 \\\n"
    "      --out call=call.npy --out put=put.npy\n"
    "  fuseline dump prices.dsl --stage cuda\n"
    "  fuseline explain prices.dsl\n"
    "  fuseline check prices.dsl";

int exit_code(Error::Kind kind) {
    switch (kind) {
        case Error::Kind::user: return kUserError;
        case Error::Kind::toolchain: return kToolchain;
        case Error::Kind::internal: return kInternal;
    }
    return kInternal;
}

/// Messages that already begin with a place or `error:` are printed as they are.
int report(std::string_view text, int code) {
    const bool placed = text.substr(0, text.find('\n')).find("error: ") != std::string_view::npos;
    std::cerr << (placed ? "" : "error: ") << text;
    if (text.empty() || text.back() != '\n') std::cerr << '\n';
    return code;
}

int guarded(const Chosen& chosen) {
    try {
        return chosen();
    } catch (const UsageError& e) {
        return report(e.what(), kUsage);
    } catch (const Error& e) {
        return report(e.what(), exit_code(e.kind()));
    } catch (const UserError& e) {
        return report(render(e.diagnostics(), SourceMap()), kUserError);
    } catch (const ToolchainError& e) {
        return report(std::string(e.what()) + (e.log().empty() ? "" : "\n" + e.log()), kToolchain);
    } catch (const std::bad_alloc&) {
        return report("out of memory on the host", kUserError);
    } catch (const std::length_error&) {
        return report("out of memory on the host", kUserError);
    } catch (const std::exception& e) {
        return report(std::string("internal error: ") + e.what(), kInternal);
    }
}

/// The code of a run, unless what it printed was lost.
int printed(int code) {
    std::cout.flush();
    if (!std::cout) return report("standard output cannot be written", kUserError);
    return code;
}

}  // namespace

int main(int argc, char** argv) {
    CLI::App app{"Fuseline compiles array programs to fused kernels and runs them on the GPU or the CPU."};
    app.footer(kFooter);
    app.require_subcommand(1);
    app.set_version_flag("--version", version_text, "Versions of all components");
    Chosen chosen;
    add_run(app, chosen);
    add_check(app, chosen);
    add_dump(app, chosen);
    add_explain(app, chosen);
    add_opt(app, chosen);
    add_ops(app, chosen);
    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError& e) {
        if (e.get_exit_code() != 0) return report(usage_fault(app, e), kUsage);
        app.exit(e);
        return printed(kOk);
    }
    return printed(guarded(chosen));
}
