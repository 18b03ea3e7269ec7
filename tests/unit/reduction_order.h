// The order of reductions, written plainly: what the kernels of every back end must give.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "compiler/ir/reduction_order.h"

namespace fuseline::tests {

/// Element l takes element l + s, for s = 1, 2, 4 ..
template <class State, class Combine>
State neighbour_tree(std::vector<State> all, Combine combine) {
    for (size_t s = 1; s < all.size(); s *= 2) {
        for (size_t l = 0; l + s < all.size(); l += 2 * s) all[l] = combine(all[l], all[l + s]);
    }
    return all[0];
}

template <class State, class Element, class Combine>
State in_order(int64_t count, State identity, Element element, Combine combine) {
    std::vector<State> chunks;
    for (int64_t begin = 0; begin < count; begin += ir::kReduceChunk) {
        const int64_t end = std::min(count, begin + ir::kReduceChunk);
        std::vector<State> lanes;
        for (int64_t r = begin; r < end; ++r) {
            const auto lane = static_cast<size_t>((r - begin) % ir::kReduceLanes);
            if (lane == lanes.size()) {
                lanes.push_back(element(r));
            } else {
                lanes[lane] = combine(lanes[lane], element(r));
            }
        }
        chunks.push_back(neighbour_tree(std::move(lanes), combine));
    }
    return chunks.empty() ? identity : neighbour_tree(std::move(chunks), combine);
}

}  // namespace fuseline::tests
