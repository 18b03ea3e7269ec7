// A loop in LLVM text that tests before each round.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "compiler/codegen/llvm_writer.h"

namespace fuseline {

/// Made where the loop begins; then `carry` for each carried value, `test`, the body, `end`. A carried
/// value's text holds in the loop and, with its last value, after it.
class LlvmLoop {
public:
    LlvmLoop(LlvmWriter& writer, std::string_view wanted);
    std::string carry(const std::string& type, const std::string& start, std::string_view wanted);
    /// Opens the body, which runs while `condition`, an i1, is true.
    void test(const std::string& condition);
    /// Opens the body, which runs while index < stop.
    void test_below(const std::string& index, const std::string& stop);
    /// The next values, in the order of `carry`.
    void end(const std::vector<std::string>& nexts);

private:
    struct Carried {
        std::string type, next;
    };
    LlvmWriter& w_;
    std::string stem_, before_;
    std::vector<Carried> carried_;
};

}  // namespace fuseline
