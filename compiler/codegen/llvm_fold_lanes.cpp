// Ways through a chunk: lanes that have an output each, and lanes that share one.
#include <algorithm>

#include "compiler/codegen/llvm_folds.h"
#include "compiler/codegen/llvm_loop.h"
#include "compiler/ir/reduction_order.h"

namespace fuseline {

using ir::kReduceLanes;

namespace {

/// Levels of a counter of kReduceLanes pushes.
constexpr int64_t kLaneLevels = 8;

}  // namespace

/// The fold's indices of element `flat`.
void LlvmFolds::set_indices(const Fold& f, const std::string& flat) {
    const uint32_t first = w_.levels().rank();
    access_.set_row_index(flat);
    std::string rest = flat;
    for (size_t axis = f.extents.size() - 1; axis > 0; --axis) {
        const std::string extent = sizes_.operand(f.extents[axis]);
        access_.set_axis(first + static_cast<uint32_t>(axis), w_.value("k", "urem i64 {}, {}", rest, extent));
        rest = w_.value("k", "udiv i64 {}, {}", rest, extent);
    }
    access_.set_axis(first, rest);
}

LlvmFolds::States LlvmFolds::own_lanes(const Fold& f, const Chunk& c) {
    const States pending = arrays(f, kLaneLevels, state_lanes(f), false);
    const std::string lanes =
        w_.value("lanes", "call i64 @llvm.umin.i64(i64 {}, i64 {})", c.size, kReduceLanes);
    access_.set_ahead(true);
    LlvmLoop loop(w_, "lane");
    const std::string lane = loop.carry("i64", "0", "lane");
    loop.test_below(lane, lanes);
    const States sum = own_lane(f, c, w_.value("first", "add i64 {}, {}", c.start, lane));
    push(f, pending, lane, sum);
    loop.end({w_.value("next", "add i64 {}, 1", lane)});
    access_.set_ahead(false);
    return collapsed(f, pending, lanes);
}

/// Elements first, first + kReduceLanes, .. of a chunk.
LlvmFolds::States LlvmFolds::own_lane(const Fold& f, const Chunk& c, const std::string& first) {
    States start;
    std::string from = first;
    if (unrolled_) {
        set_indices(f, first);
        start = elements(f);
        from = w_.value("second", "add i64 {}, {}", first, kReduceLanes);
    } else {
        start = identities(f);
    }
    LlvmLoop loop(w_, "element");
    const std::string at = loop.carry("i64", from, "r");
    const States sum = carried(f, loop, start);
    loop.test_below(at, c.end);
    set_indices(f, at);
    const States element = elements(f);
    States nexts = combined(f, sum, element);
    if (!unrolled_) {
        const std::string is_first = w_.value("is_first", "icmp eq i64 {}, {}", at, first);
        nexts = selected(f, "i1 " + is_first, element, nexts);
    }
    nexts.insert(nexts.begin(), w_.value("next", "add i64 {}, {}", at, kReduceLanes));
    loop.end(nexts);
    return sum;
}

LlvmFolds::States LlvmFolds::shared_lanes(const Fold& f, const Chunk& c) {
    const States accumulators = arrays(f, kReduceLanes + lanes_, 1, true);
    const auto inner = static_cast<uint32_t>(f.extents.size()) - 1;
    const uint32_t axis_before = access_.set_lane_axis(w_.levels().rank() + inner);
    std::string from = c.start;
    if (inner == 0 && unrolled_) {
        w_.set_lanes(wide_);
        from = sweeps(f, c, accumulators);
    }
    w_.set_lanes(lanes_);
    if (inner == 0) {
        rest(f, c, from, accumulators);
    } else {
        rows(f, c, from, accumulators);
    }
    const States all = tree(f, c, accumulators);
    w_.set_lanes(1);
    access_.set_lane_axis(axis_before);
    return all;
}

/// Full sweeps over all accumulators, blocks of which stay in registers; gives the first element after them.
std::string LlvmFolds::sweeps(const Fold& f, const Chunk& c, const States& accumulators) {
    const std::string whole = w_.value("whole", "and i64 {}, {}", c.size, -kReduceLanes);
    const std::string stop = w_.value("stop", "add i64 {}, {}", c.start, whole);
    const std::string some = w_.value("some", "icmp ne i64 {}, 0", whole);
    const std::string stem = w_.label("sweeps");
    w_.line("br i1 {}, label %{}.some, label %{}.done", some, stem, stem);
    w_.block(stem + ".some");
    if (wide_ == kReduceLanes) {
        sweep_block(f, c, "0", stop, accumulators);
    } else {
        LlvmLoop loop(w_, "block");
        const std::string block = loop.carry("i64", "0", "block");
        loop.test_below(block, fmt::format("{}", kReduceLanes));
        sweep_block(f, c, block, stop, accumulators);
        loop.end({w_.value("next", "add i64 {}, {}", block, wide_)});
    }
    w_.jump(stem + ".done");
    w_.block(stem + ".done");
    return stop;
}

void LlvmFolds::sweep_block(const Fold& f, const Chunk& c, const std::string& block, const std::string& stop,
                            const States& accumulators) {
    const std::string first = w_.value("first", "add i64 {}, {}", c.start, block);
    set_indices(f, first);
    const States start = elements(f);
    const std::string second = w_.value("second", "add i64 {}, {}", first, kReduceLanes);
    LlvmLoop loop(w_, "sweep");
    const std::string at = loop.carry("i64", second, "r");
    const States sum = carried(f, loop, start);
    loop.test_below(at, stop);
    set_indices(f, at);
    const States element = elements(f);
    States nexts = combined(f, sum, element);
    nexts.insert(nexts.begin(), w_.value("next", "add i64 {}, {}", at, kReduceLanes));
    loop.end(nexts);
    write_states(f, accumulators, block, 1, sum);
}

/// Elements from `from`, a multiple of kReduceLanes, on: along one axis.
void LlvmFolds::rest(const Fold& f, const Chunk& c, const std::string& from, const States& accumulators) {
    LlvmLoop loop(w_, "rest");
    const std::string at = loop.carry("i64", from, "r");
    loop.test_below(at, c.end);
    access_.set_axis(w_.levels().rank(), at);
    access_.set_row_index(at);
    step(f, c, at, w_.value("left", "sub i64 {}, {}", c.end, at), accumulators);
    loop.end({w_.value("next", "add i64 {}, {}", at, lanes_)});
}

/// Elements of several axes: runs that end with a row of the innermost axis or a sweep.
void LlvmFolds::rows(const Fold& f, const Chunk& c, const std::string& from, const States& accumulators) {
    const uint32_t inner = w_.levels().rank() + static_cast<uint32_t>(f.extents.size()) - 1;
    LlvmLoop runs(w_, "run");
    const std::string at = runs.carry("i64", from, "r");
    runs.test_below(at, c.end);
    set_indices(f, at);
    const std::string k = access_.axis(inner);
    const std::string row = w_.value("row", "sub i64 {}, {}", sizes_.operand(f.extents.back()), k);
    const std::string lane = w_.value("lane", "and i64 {}, {}", at, kReduceLanes - 1);
    const std::string sweep = w_.value("sweep", "sub i64 {}, {}", kReduceLanes, lane);
    const std::string left = w_.value("left", "sub i64 {}, {}", c.end, at);
    const std::string one = w_.value("run", "call i64 @llvm.umin.i64(i64 {}, i64 {})", row, sweep);
    const std::string run = w_.value("run", "call i64 @llvm.umin.i64(i64 {}, i64 {})", one, left);
    LlvmLoop loop(w_, "rest");
    const std::string done = loop.carry("i64", "0", "v");
    loop.test_below(done, run);
    access_.set_axis(inner, w_.value("k", "add i64 {}, {}", k, done));
    const std::string flat = w_.value("r", "add i64 {}, {}", at, done);
    access_.set_row_index(flat);
    step(f, c, flat, w_.value("left", "sub i64 {}, {}", run, done), accumulators);
    loop.end({w_.value("next", "add i64 {}, {}", done, lanes_)});
    runs.end({w_.value("next", "add i64 {}, {}", at, run)});
}

/// At most `left` neighbouring elements, which lie in one sweep.
void LlvmFolds::step(const Fold& f, const Chunk& c, const std::string& flat, const std::string& left,
                     const States& accumulators) {
    const std::string lane = w_.value("lane", "and i64 {}, {}", flat, kReduceLanes - 1);
    const std::string some = w_.value("left", "call i64 @llvm.umin.i64(i64 {}, i64 {})", left, lanes_);
    const std::string mask = w_.first_lanes(some, vector_bits_);
    const std::string since = w_.value("since", "sub i64 {}, {}", flat, c.start);
    const std::string is_first = w_.value("is_first", "icmp ult i64 {}, {}", since, kReduceLanes);
    const States before = read(f, accumulators, lane, 1);
    w_.mask = mask;
    const States element = elements(f);
    const States both = combined(f, before, element);
    w_.mask.clear();
    const States now = selected(f, "i1 " + is_first, element, both);
    write_states(f, accumulators, lane, 1,
                 selected(f, fmt::format("{} {}", w_.mask_type(), mask), now, before));
}

/// The neighbour tree over the lanes of a chunk, a scalar.
LlvmFolds::States LlvmFolds::tree(const Fold& f, const Chunk& c, const States& accumulators) {
    const std::string lanes =
        w_.value("lanes", "call i64 @llvm.umin.i64(i64 {}, i64 {})", c.size, kReduceLanes);
    if (!unrolled_) return partial_tree(f, lanes, accumulators);
    const std::string full = w_.value("full", "icmp eq i64 {}, {}", lanes, kReduceLanes);
    const std::string stem = w_.label("tree");
    w_.line("br i1 {}, label %{}.full, label %{}.part", full, stem, stem);
    w_.block(stem + ".full");
    const States all = full_tree(f, accumulators);
    const std::string full_end = w_.open_block();
    w_.jump(stem + ".done");
    w_.block(stem + ".part");
    w_.set_lanes(lanes_);
    const States some = partial_tree(f, lanes, accumulators);
    const std::string end = w_.open_block();
    w_.jump(stem + ".done");
    w_.block(stem + ".done");
    w_.set_lanes(1);
    return joined(f, all, full_end, some, end);
}

/// Of all accumulators, in registers.
LlvmFolds::States LlvmFolds::full_tree(const Fold& f, const States& accumulators) {
    w_.set_lanes(kReduceLanes);
    States all = read(f, accumulators, "0", 1);
    for (int width = kReduceLanes; width > 1; width /= 2) {
        States even, odd;
        for (size_t k = 0; k < f.types.size(); ++k) {
            const std::string type = state_type(f, k);
            if (width > 2) {
                even.push_back(every_second(type, all[k], "poison", width / 2, 0));
                odd.push_back(every_second(type, all[k], "poison", width / 2, 1));
            } else {
                even.push_back(w_.value("state", "extractelement {} {}, i64 0", type, all[k]));
                odd.push_back(w_.value("state", "extractelement {} {}, i64 1", type, all[k]));
            }
        }
        w_.set_lanes(width / 2);
        all = combined(f, even, odd);
    }
    return all;
}

LlvmFolds::States LlvmFolds::partial_tree(const Fold& f, const std::string& lanes,
                                          const States& accumulators) {
    const auto half_of = [&](const std::string& width) {
        const std::string up = w_.value("up", "add i64 {}, 1", width);
        return w_.value("half", "lshr i64 {}, 1", up);
    };
    LlvmLoop vectors(w_, "halve");
    const std::string width = vectors.carry("i64", lanes, "width");
    vectors.test(w_.value("several", "icmp ugt i64 {}, {}", width, lanes_));
    const std::string half = half_of(width);
    halve(f, width, half, accumulators);
    vectors.end({half});

    const States start = read(f, accumulators, "0", 1);
    LlvmLoop loop(w_, "fewer");
    const std::string left = loop.carry("i64", width, "width");
    const States sum = carried(f, loop, start);
    loop.test(w_.value("several", "icmp ugt i64 {}, 1", left));
    States nexts = neighbours(f, sum, sum, w_.value("pairs", "lshr i64 {}, 1", left));
    nexts.insert(nexts.begin(), half_of(left));
    loop.end(nexts);
    States scalars;
    for (size_t k = 0; k < f.types.size(); ++k) {
        scalars.push_back(w_.value("state", "extractelement {} {}, i64 0", state_type(f, k), sum[k]));
    }
    return scalars;
}

/// One round of the tree in memory, ascending, so that no accumulator is overwritten before it is read.
void LlvmFolds::halve(const Fold& f, const std::string& width, const std::string& half,
                      const States& accumulators) {
    LlvmLoop loop(w_, "pairs");
    const std::string at = loop.carry("i64", "0", "at");
    loop.test_below(at, half);
    const std::string low = w_.value("low", "shl i64 {}, 1", at);
    const std::string high = w_.value("high", "add i64 {}, {}", low, lanes_);
    const std::string left = w_.value("left", "sub i64 {}, {}", width, low);
    const std::string all = w_.value("pairs", "lshr i64 {}, 1", left);
    const std::string pairs = w_.value("pairs", "call i64 @llvm.umin.i64(i64 {}, i64 {})", all, lanes_);
    const States lows = read(f, accumulators, low, 1), highs = read(f, accumulators, high, 1);
    write_states(f, accumulators, at, 1, neighbours(f, lows, highs, pairs));
    loop.end({w_.value("next", "add i64 {}, {}", at, lanes_)});
}

/// Lane j: elements 2 j and 2 j + 1 of two vectors, combined where j < pairs.
LlvmFolds::States LlvmFolds::neighbours(const Fold& f, const States& low, const States& high,
                                        const std::string& pairs) {
    States even, odd;
    for (size_t k = 0; k < f.types.size(); ++k) {
        even.push_back(every_second(state_type(f, k), low[k], high[k], lanes_, 0));
        odd.push_back(every_second(state_type(f, k), low[k], high[k], lanes_, 1));
    }
    const std::string mask = w_.first_lanes(pairs, vector_bits_);
    w_.mask = mask;
    const States both = combined(f, even, odd);
    w_.mask.clear();
    return selected(f, fmt::format("{} {}", w_.mask_type(), mask), both, even);
}

/// Elements first, first + 2, .. of two vectors side by side.
std::string LlvmFolds::every_second(const std::string& type, const std::string& low, const std::string& high,
                                    int count, int first) {
    std::string places;
    for (int lane = 0; lane < count; ++lane) {
        places += fmt::format("{}i32 {}", lane == 0 ? "" : ", ", 2 * lane + first);
    }
    return w_.value("side", "shufflevector {} {}, {} {}, <{} x i32> <{}>", type, low, type, high, count,
                    places);
}

}  // namespace fuseline
