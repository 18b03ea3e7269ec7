// The only file that sees LLVM: parser, a short pass pipeline, code generation and ORC's linker.
#include "runtime/cpu/orc_engine.h"

#include <fmt/format.h>
#include <llvm/AsmParser/Parser.h>
#include <llvm/ExecutionEngine/Orc/ExecutionUtils.h>
#include <llvm/ExecutionEngine/Orc/LLJIT.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/LegacyPassManager.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/Verifier.h>
#include <llvm/MC/TargetRegistry.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Support/SmallVectorMemoryBuffer.h>
#include <llvm/Support/SourceMgr.h>
#include <llvm/Support/TargetSelect.h>
#include <llvm/TargetParser/Host.h>
#include <llvm/Transforms/IPO/AlwaysInliner.h>
#include <llvm/Transforms/InstCombine/InstCombine.h>
#include <llvm/Transforms/Scalar/EarlyCSE.h>
#include <llvm/Transforms/Scalar/LICM.h>
#include <llvm/Transforms/Scalar/LoopPassManager.h>
#include <llvm/Transforms/Scalar/SimplifyCFG.h>

#include <atomic>
#include <mutex>
#include <utility>

#include "compiler/support/errors.h"

namespace fuseline {
namespace {

/// Asked by name too: a host program may have loaded us without lending our libraries' symbols to the
/// process. A program that is linked with a static SLEEF has them itself.
constexpr const char* kSleefLibrary = "libsleef.so.3";

/// The one place where LLVM's errors become ours.
[[noreturn]] void fail(llvm::Error error, std::string_view doing) {
    const std::string log = llvm::toString(std::move(error));
    throw ToolchainError(fmt::format("LLVM failed while {}: {}", doing, log), log);
}

template <typename T>
T value_of(llvm::Expected<T> expected, std::string_view doing) {
    if (!expected) fail(expected.takeError(), doing);
    return std::move(*expected);
}

std::string numbered(std::string_view text) {
    std::string out;
    for (int line = 1; !text.empty(); ++line) {
        const size_t end = std::min(text.find('\n'), text.size() - 1) + 1;
        out += fmt::format("{:5} {}", line, text.substr(0, end));
        text.remove_prefix(end);
    }
    return out;
}

/// A module with the context that owns its types.
struct Parsed {
    std::unique_ptr<llvm::LLVMContext> context;
    std::unique_ptr<llvm::Module> module;
};

Parsed parsed(const std::string& ir, const llvm::TargetMachine& machine) {
    Parsed p{std::make_unique<llvm::LLVMContext>(), nullptr};
    llvm::SMDiagnostic diagnostic;
    const std::string layout = machine.createDataLayout().getStringRepresentation();
    const auto use_layout = [&](llvm::StringRef, llvm::StringRef) {
        return std::optional<std::string>(layout);
    };
    p.module =
        llvm::parseAssembly(llvm::MemoryBufferRef(ir, "kernel"), diagnostic, *p.context, nullptr, use_layout);
    if (p.module == nullptr) {
        throw InternalError(fmt::format("LLVM refuses line {}: {}\n{}", diagnostic.getLineNo(),
                                        diagnostic.getMessage().str(), numbered(ir)));
    }
    p.module->setTargetTriple(machine.getTargetTriple().str());
    for (llvm::Function& f : *p.module) f.setDoesNotThrow();
    return p;
}

/// The text is vector code already: what is left is to inline helpers, share, simplify and move out of loops.
void optimise(llvm::Module& module, llvm::TargetMachine& machine) {
    llvm::LoopAnalysisManager loops;
    llvm::FunctionAnalysisManager functions;
    llvm::CGSCCAnalysisManager graph;
    llvm::ModuleAnalysisManager modules;
    llvm::PassBuilder builder(&machine);
    builder.registerModuleAnalyses(modules);
    builder.registerCGSCCAnalyses(graph);
    builder.registerFunctionAnalyses(functions);
    builder.registerLoopAnalyses(loops);
    builder.crossRegisterProxies(loops, functions, graph, modules);

    llvm::FunctionPassManager each;
    each.addPass(llvm::EarlyCSEPass());
    each.addPass(llvm::InstCombinePass());
    each.addPass(llvm::SimplifyCFGPass());
    each.addPass(
        llvm::createFunctionToLoopPassAdaptor(llvm::LICMPass(llvm::LICMOptions()), /*UseMemorySSA=*/true));
    llvm::ModulePassManager all;
    all.addPass(llvm::AlwaysInlinerPass());
    all.addPass(llvm::createModuleToFunctionPassAdaptor(std::move(each)));
    all.run(module, modules);
}

class LinkedCode : public CpuCode {
public:
    LinkedCode(llvm::orc::ExecutionSession& session, llvm::orc::JITDylib& library)
        : session_(session), library_(library) {}
    ~LinkedCode() override { llvm::consumeError(session_.removeJITDylib(library_)); }

private:
    llvm::orc::ExecutionSession& session_;
    llvm::orc::JITDylib& library_;
};

}  // namespace

struct OrcEngine::State {
    std::string triple, processor, features;
    const llvm::Target* target = nullptr;
    std::mutex reporting;
    std::string reported;  ///< reason that the linker gives apart from its error
    std::unique_ptr<llvm::orc::LLJIT> jit;
    llvm::orc::JITDylib* process = nullptr;  ///< functions that kernels may call: SLEEF's and the C library's
    std::atomic<uint64_t> next_library{0};

    std::unique_ptr<llvm::TargetMachine> machine() const {
        llvm::TargetOptions options;
        std::unique_ptr<llvm::TargetMachine> made(target->createTargetMachine(
            triple, processor, features, options, llvm::Reloc::PIC_, llvm::CodeModel::Small,
            llvm::CodeGenOptLevel::Default, /*JIT=*/true));
        if (made == nullptr) throw ToolchainError("LLVM cannot compile for this processor");
        return made;
    }
    void generate(const std::string& ir, llvm::CodeGenFileType kind, llvm::SmallVectorImpl<char>& out) const {
        const auto m = machine();
        const Parsed p = parsed(ir, *m);
        optimise(*p.module, *m);
        llvm::raw_svector_ostream stream(out);
        llvm::legacy::PassManager passes;
        if (m->addPassesToEmitFile(passes, stream, nullptr, kind)) {
            throw ToolchainError("LLVM cannot write code for this processor");
        }
        passes.run(*p.module);
    }
};

OrcEngine::OrcEngine() : state_(std::make_unique<State>()) {
    llvm::InitializeNativeTarget();
    llvm::InitializeNativeTargetAsmPrinter();
    llvm::InitializeNativeTargetAsmParser();
    State& s = *state_;
    s.triple = llvm::sys::getProcessTriple();
    s.processor = llvm::sys::getHostCPUName().str();
    for (const auto& feature : llvm::sys::getHostCPUFeatures()) {
        s.features += fmt::format("{}{}{}", s.features.empty() ? "" : ",", feature.second ? '+' : '-',
                                  feature.first().str());
    }
    std::string why;
    s.target = llvm::TargetRegistry::lookupTarget(s.triple, why);
    if (s.target == nullptr) throw ToolchainError("LLVM has no back end for " + s.triple, why);

    llvm::orc::JITTargetMachineBuilder builder{llvm::Triple(s.triple)};
    builder.setCPU(s.processor);
    s.jit = value_of(llvm::orc::LLJITBuilder()
                         .setJITTargetMachineBuilder(std::move(builder))
                         .setPlatformSetUp(llvm::orc::setUpInactivePlatform)
                         .create(),
                     "starting its linker");
    llvm::orc::ExecutionSession& session = s.jit->getExecutionSession();
    session.setErrorReporter([&s](llvm::Error e) {
        const std::lock_guard lock(s.reporting);
        s.reported = llvm::toString(std::move(e));
    });
    s.process = &session.createBareJITDylib("process");
    const char prefix = s.jit->getDataLayout().getGlobalPrefix();
    s.process->addGenerator(value_of(llvm::orc::DynamicLibrarySearchGenerator::GetForCurrentProcess(prefix),
                                     "opening the process's symbols"));
    auto sleef = llvm::orc::DynamicLibrarySearchGenerator::Load(kSleefLibrary, prefix);
    if (sleef) {
        s.process->addGenerator(std::move(*sleef));
    } else {
        llvm::consumeError(sleef.takeError());
    }
}

OrcEngine::~OrcEngine() = default;

HostProcessor OrcEngine::host() {
    const auto features = llvm::sys::getHostCPUFeatures();
    const auto has = [&](const char* name) { return features.lookup(name); };
    HostProcessor host;
    host.name = llvm::sys::getHostCPUName().str();
    host.avx2 = has("avx2");
    host.fma = has("fma");
    host.avx512 = has("avx512f") && has("avx512bw") && has("avx512dq") && has("avx512vl");
    return host;
}

std::string OrcEngine::version() { return LLVM_VERSION_STRING; }

std::unique_ptr<CpuCode> OrcEngine::compile(const std::string& ir, const std::string& symbol) {
    State& s = *state_;
    llvm::SmallVector<char, 0> object;
    s.generate(ir, llvm::CodeGenFileType::ObjectFile, object);

    llvm::orc::ExecutionSession& session = s.jit->getExecutionSession();
    llvm::orc::JITDylib& library = session.createBareJITDylib(fmt::format("kernel{}", s.next_library++));
    auto code = std::make_unique<LinkedCode>(session, library);
    library.addToLinkOrder(*s.process);
    auto buffer = std::make_unique<llvm::SmallVectorMemoryBuffer>(std::move(object), symbol, false);
    if (llvm::Error e = s.jit->addObjectFile(library, std::move(buffer)))
        fail(std::move(e), "reading its own object");
    auto found = s.jit->lookup(library, symbol);
    if (!found) {
        const std::string log = llvm::toString(found.takeError());
        const std::lock_guard lock(s.reporting);
        const std::string reason = std::exchange(s.reported, {});
        throw ToolchainError(fmt::format("a kernel cannot be linked: {}", reason.empty() ? log : reason),
                             log);
    }
    code->entry = found->toPtr<CpuKernel>();
    code->fold_entry = found->toPtr<CpuFoldKernel>();
    return code;
}

std::string OrcEngine::assembly(const std::string& ir) {
    llvm::SmallVector<char, 0> text;
    state_->generate(ir, llvm::CodeGenFileType::AssemblyFile, text);
    return {text.data(), text.size()};
}

}  // namespace fuseline
