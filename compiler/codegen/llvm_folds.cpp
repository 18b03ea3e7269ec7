// Chunks of a fold, their partial results, and the binary counter in which they wait.
#include "compiler/codegen/llvm_folds.h"

#include <algorithm>

#include "compiler/codegen/llvm_loop.h"
#include "compiler/ir/reduction_order.h"
#include "compiler/support/errors.h"

namespace fuseline {

using ir::NodeId;
using ir::ValueId;

namespace {

/// More chunks than 2^52 have no index.
constexpr int64_t kChunkLevels = 53;

/// Registers that a body of so many operations keeps busy without spilling.
int registers(const LlvmLevels& levels) {
    const size_t nodes = levels.vector_nodes();
    const int many = nodes <= 12 ? 8 : nodes <= 24 ? 4 : nodes <= 48 ? 2 : 1;
    return levels.waits() ? std::min(many, 2) : many;
}

}  // namespace

LlvmFolds::LlvmFolds(LlvmWriter& writer, LlvmSizes& sizes, LlvmAccess& access, LlvmRegions& regions,
                     const Target& target)
    : w_(writer),
      sizes_(sizes),
      access_(access),
      regions_(regions),
      vector_bits_(target.vector_bits),
      lanes_(std::max(2, target.vector_bits / 8 / writer.levels().widest_bytes())),
      wide_(std::min<int>(ir::kReduceLanes, lanes_ * registers(writer.levels()))),
      unrolled_(writer.levels().vector_nodes() <= 64) {}

std::string LlvmFolds::part_word(int word, const char* type, std::string_view name) {
    std::string& known = words_[word];
    if (!known.empty()) return known;
    const std::string address = w_.value("part.at", "getelementptr i64, ptr %parts, i64 {}", word);
    known = w_.value(name, "load {}, ptr {}, align 8", type, address);
    return known;
}

std::string LlvmFolds::product(const std::vector<ExtentId>& extents, std::string_view name) {
    std::string all;
    for (ExtentId e : extents) {
        const std::string one = sizes_.operand(e);
        all = all.empty() ? one : w_.value(name, "mul i64 {}, {}", all, one);
    }
    return all.empty() ? "1" : all;
}

const LlvmFolds::Fold& LlvmFolds::prepared(NodeId id) {
    if (const auto known = folds_.find(id.index); known != folds_.end()) return known->second;
    const ir::Function& f = w_.kernel();
    const ir::Node& n = f.node(id);
    Fold fold;
    fold.id = id;
    fold.elements = f.region_of(n, 0);
    fold.combine = f.region_of(n, 1);
    fold.extents = std::get<ir::Loops>(n.attribute).extents;
    for (uint32_t k = 0; k < n.results_count; ++k) fold.types.push_back(f.type(f.result(id, k)).dtype);
    fold.level = w_.levels().of_node(id);
    fold.shared = w_.levels().shared(id);
    const uint32_t here = w_.place();
    w_.enter_head(0);
    fold.count = product(fold.extents, "count");
    const std::string more = w_.value("more", "add i64 {}, {}", fold.count, ir::kReduceChunk - 1);
    fold.chunks = w_.value("chunks", "sdiv i64 {}, {}", more, ir::kReduceChunk);
    prepare_parts(fold);
    w_.return_to(here);
    return folds_.emplace(id.index, std::move(fold)).first->second;
}

void LlvmFolds::prepare_parts(Fold& f) {
    const auto& folds = w_.levels().folds();
    int number = 0, state = CpuParts::kArrays;
    while (folds[static_cast<size_t>(number)] != f.id) {
        state += static_cast<int>(w_.kernel().node(folds[static_cast<size_t>(number++)]).results_count);
    }
    const std::string stage = part_word(CpuParts::kFold, "i64", "part.fold");
    const std::string first = part_word(CpuParts::kFirstChunk, "i64", "part.first");
    const std::string last = part_word(CpuParts::kLastChunk, "i64", "part.last");
    for (size_t k = 0; k < f.types.size(); ++k) {
        f.parts.push_back(part_word(state + static_cast<int>(k), "ptr", "part"));
    }
    f.here = w_.value("here", "icmp eq i64 {}, {}", stage, number);
    const std::string given = w_.value("given", "icmp ne ptr {}, null", f.parts[0]);
    f.known = w_.value("known", "select i1 {}, i1 false, i1 {}", f.here, given);
    f.first = w_.value("first", "select i1 {}, i64 {}, i64 0", f.here, first);
    f.last = w_.value("last", "select i1 {}, i64 {}, i64 {}", f.here, last, f.chunks);
    const auto& extents = std::get<ir::Loops>(w_.kernel().node(w_.levels().nest()).attribute).extents;
    f.outputs = product({extents.begin(), extents.begin() + f.level}, "outputs");
}

void LlvmFolds::write(NodeId id, const std::string& next) {
    const Fold& f = prepared(id);
    const int lanes = w_.vector_lanes();
    if (f.shared) w_.set_lanes(1);
    w_.open_inner();
    const States found = run_chunks(f, next);
    w_.close_inner();
    w_.set_lanes(lanes);
    for (uint32_t k = 0; k < found.size(); ++k) w_.define(w_.kernel().result(id, k), found[k]);
}

LlvmFolds::States LlvmFolds::run_chunks(const Fold& f, const std::string& next) {
    const States pending = arrays(f, kChunkLevels, state_lanes(f), false);
    LlvmLoop loop(w_, "fold");
    const std::string number = loop.carry("i64", f.first, "chunk");
    loop.test_below(number, f.last);
    const States states = chunk_states(f, number);
    const std::string stem = w_.label("part");
    w_.line("br i1 {}, label %{}.put, label %{}.push", f.here, stem, stem);
    w_.block(stem + ".put");
    write_parts(f, number, states);
    w_.jump(stem + ".done");
    w_.block(stem + ".push");
    push(f, pending, number, states);
    w_.jump(stem + ".done");
    w_.block(stem + ".done");
    loop.end({w_.value("next", "add i64 {}, 1", number)});
    const std::string whole = w_.label("whole");
    w_.line("br i1 {}, label %{}, label %{}", f.here, next, whole);
    w_.block(whole);
    return results(f, pending);
}

/// The state of a chunk: from an earlier call, or of its elements.
LlvmFolds::States LlvmFolds::chunk_states(const Fold& f, const std::string& number) {
    const std::string stem = w_.label("chunk");
    w_.line("br i1 {}, label %{}.get, label %{}.compute", f.known, stem, stem);
    w_.block(stem + ".get");
    const States read = read_parts(f, number);
    w_.jump(stem + ".done");
    w_.block(stem + ".compute");
    const Chunk c = chunk_of(f, number);
    const States computed = f.shared ? shared_lanes(f, c) : own_lanes(f, c);
    const std::string end = w_.open_block();
    w_.jump(stem + ".done");
    w_.block(stem + ".done");
    return joined(f, read, stem + ".get", computed, end);
}

LlvmFolds::Chunk LlvmFolds::chunk_of(const Fold& f, const std::string& number) {
    Chunk c;
    c.start = w_.value("start", "mul i64 {}, {}", number, ir::kReduceChunk);
    const std::string left = w_.value("left", "sub i64 {}, {}", f.count, c.start);
    c.size = w_.value("size", "call i64 @llvm.umin.i64(i64 {}, i64 {})", left, ir::kReduceChunk);
    c.end = w_.value("end", "add i64 {}, {}", c.start, c.size);
    return c;
}

/// The fold's results: of all chunks, or the identities where there are none.
LlvmFolds::States LlvmFolds::results(const Fold& f, const States& pending) {
    const States none = identities(f);
    const std::string empty = w_.value("empty", "icmp eq i64 {}, 0", f.chunks);
    const std::string stem = w_.label("result"), before = w_.open_block();
    w_.line("br i1 {}, label %{}.done, label %{}.some", empty, stem, stem);
    w_.block(stem + ".some");
    const States some = collapsed(f, pending, f.chunks);
    const std::string end = w_.open_block();
    w_.jump(stem + ".done");
    w_.block(stem + ".done");
    return joined(f, none, before, some, end);
}

/// Number `number` joins the counter: it combines with as many that wait as the number ends in ones.
void LlvmFolds::push(const Fold& f, const States& pending, const std::string& number, const States& values) {
    const std::string inverted = w_.value("ones", "xor i64 {}, -1", number);
    const std::string level = w_.value("level", "call i64 @llvm.cttz.i64(i64 {}, i1 true)", inverted);
    LlvmLoop loop(w_, "push");
    const std::string at = loop.carry("i64", "0", "at");
    const States sum = carried(f, loop, values);
    loop.test_below(at, level);
    const States left = read(f, pending, at, state_lanes(f));
    States nexts = combined(f, left, sum);
    nexts.insert(nexts.begin(), w_.value("up", "add i64 {}, 1", at));
    loop.end(nexts);
    write_states(f, pending, level, state_lanes(f), sum);
}

/// What `count` > 0 pushes left, combined: later ones wait at lower levels.
LlvmFolds::States LlvmFolds::collapsed(const Fold& f, const States& pending, const std::string& count) {
    const auto lowest = [&](const std::string& bits) {
        return w_.value("level", "call i64 @llvm.cttz.i64(i64 {}, i1 true)", bits);
    };
    const auto others = [&](const std::string& bits) {
        const std::string less = w_.value("less", "sub i64 {}, 1", bits);
        return w_.value("others", "and i64 {}, {}", bits, less);
    };
    const States last = read(f, pending, lowest(count), state_lanes(f));
    const std::string start = others(count);
    LlvmLoop loop(w_, "collapse");
    const std::string rest = loop.carry("i64", start, "rest");
    const States sum = carried(f, loop, last);
    loop.test(w_.value("some", "icmp ne i64 {}, 0", rest));
    const States left = read(f, pending, lowest(rest), state_lanes(f));
    States nexts = combined(f, left, sum);
    nexts.insert(nexts.begin(), others(rest));
    loop.end(nexts);
    return sum;
}

}  // namespace fuseline
