// Numbers for affine expressions and what is made of them.
#pragma once

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "compiler/ir/ir.h"

namespace fuseline::schedule_map {

/// Appends what tells one expression of a pool from another.
inline void append_key(std::vector<uint32_t>& key, const ir::Affine& a) {
    key.push_back(a.offset.index);
    key.push_back(static_cast<uint32_t>(a.terms.size()));
    for (const ir::Affine::Term& t : a.terms) {
        key.push_back(t.axis);
        key.push_back(t.coefficient.index);
    }
}

/// Numbers equal things alike.
template <class T>
class Interner {
public:
    uint32_t intern(std::vector<uint32_t> key, T thing) {
        const auto [at, added] = ids_.try_emplace(std::move(key), static_cast<uint32_t>(things_.size()));
        if (added) things_.push_back(std::move(thing));
        return at->second;
    }
    const T& operator[](uint32_t id) const { return things_[id]; }

private:
    std::map<std::vector<uint32_t>, uint32_t> ids_;
    std::vector<T> things_;
};

}  // namespace fuseline::schedule_map
