// Identifiers of emitted CUDA: the program's names where C++ allows them, escaped and made unique where not.
#pragma once

#include <set>
#include <string>
#include <string_view>

namespace fuseline {

/// Names of one scope of emitted text, each given once.
class CudaNames {
public:
    CudaNames();
    /// The name as a C++ identifier: other bytes become `_`, a word of C++, of CUDA or of an operator's cell
    /// gets `_` behind it, "fl_" `x_` before it. "x" where nothing is left.
    std::string identifier(std::string_view name) const;
    /// Keeps a name of the program from being taken by `temporary` and `local`.
    void prefer(std::string_view program_name);
    /// A name of the program: its identifier, with "_1", "_2" .. behind it when taken.
    std::string named(std::string_view program_name);
    /// A name of the generator's own, which gives way to the program's names.
    std::string local(std::string_view wanted);
    /// "v1", "v2" ..: a value without a name.
    std::string temporary();
    /// Takes a name that stands in an enclosing scope.
    void take(const std::string& name) { taken_.insert(name); }
    /// Ends the scope of a name.
    void release(const std::string& name) { taken_.erase(name); }

private:
    std::set<std::string> reserved_;
    std::set<std::string> taken_;
    std::set<std::string> preferred_;
    int temporaries_ = 0;
};

}  // namespace fuseline
