// Blocks of a loop: head with a phi for each carried value, body, latch, and what comes after.
#include "compiler/codegen/llvm_loop.h"

namespace fuseline {

LlvmLoop::LlvmLoop(LlvmWriter& writer, std::string_view wanted)
    : w_(writer), stem_(writer.label(wanted)), before_(writer.open_block()) {
    w_.jump(stem_ + ".head");
    w_.block(stem_ + ".head");
}

std::string LlvmLoop::carry(const std::string& type, const std::string& start, std::string_view wanted) {
    const std::string value = w_.name(wanted), next = w_.name("next");
    w_.line("{} = phi {} [ {}, %{} ], [ {}, %{}.latch ]", value, type, start, before_, next, stem_);
    carried_.push_back({type, next});
    return value;
}

void LlvmLoop::test(const std::string& condition) {
    w_.line("br i1 {0}, label %{1}.body, label %{1}.done", condition, stem_);
    w_.block(stem_ + ".body");
}

void LlvmLoop::test_below(const std::string& index, const std::string& stop) {
    const std::string more = w_.name("more");
    w_.line("{} = icmp slt i64 {}, {}", more, index, stop);
    test(more);
}

void LlvmLoop::end(const std::vector<std::string>& nexts) {
    const std::string last = w_.open_block();
    w_.jump(stem_ + ".latch");
    w_.block(stem_ + ".latch");
    for (size_t k = 0; k < carried_.size(); ++k) {
        w_.line("{} = phi {} [ {}, %{} ]", carried_[k].next, carried_[k].type, nexts[k], last);
    }
    w_.jump(stem_ + ".head");
    w_.block(stem_ + ".done");
}

}  // namespace fuseline
