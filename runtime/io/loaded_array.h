// What a load asks of a file and what it gets.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "compiler/ops/host_array.h"

namespace fuseline {

/// The declared array and the part of the file that is wanted. Formats that state their own element type and
/// shape may give others; who asks compares.
struct LoadRequest {
    DType dtype = DType::f32_;
    std::vector<std::optional<int64_t>> extents;  ///< nullopt: whatever the file has
    std::string key;                              ///< member of an .npz, column of a .csv; "" none
    std::vector<std::string> columns;             ///< of a .csv
};

/// What is known of an array before it is computed; nullopt: an extent that is not.
struct KnownType {
    DType dtype = DType::f32_;
    std::vector<std::optional<int64_t>> extents;
    std::string text;  ///< in the language's spelling, for messages
};

/// The type of an array that is there.
KnownType known_type(const HostArray& array);

/// Elements of a file, row-major on the host.
struct LoadedArray {
    DType dtype = DType::f32_;
    std::vector<int64_t> shape;
    std::shared_ptr<const std::byte> elements;  ///< aligned to their size; may be a mapped file
    std::vector<std::string> notes;             ///< what was left out, for the user

    LoadedArray() = default;
    /// Takes the array's memory; bools become 0 or 1.
    explicit LoadedArray(HostArray array) : dtype(array.dtype), shape(std::move(array.shape)) {
        for (std::byte& b : array.bytes) {
            if (!is_bool(dtype)) break;
            b = std::byte{b != std::byte{0}};
        }
        const auto owner = std::make_shared<std::vector<std::byte>>(std::move(array.bytes));
        elements = std::shared_ptr<const std::byte>(owner, owner->data());
    }
};

}  // namespace fuseline
