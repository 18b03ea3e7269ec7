// Faults of files.
#include "runtime/io/fault.h"

#include "compiler/support/errors.h"

namespace fuseline {

void file_fault(const std::string& path, const std::string& what, std::vector<std::string> help) {
    Diagnostic d;
    d.message = path + ": " + what;
    d.help = std::move(help);
    throw UserError({std::move(d)});
}

void test_path(const std::string& path) {
    const size_t nul = path.find('\0');
    if (nul != std::string::npos) file_fault(path.substr(0, nul), "a NUL follows, which no path can hold");
}

}  // namespace fuseline
