// Calls a function of SLEEF over a column of operands, one vector at a time.
#pragma once

#include <cstddef>
#include <cstring>

namespace fuseline::testing {

/// `bytes` is a multiple of the vector's; `y` is read where the function has two operands.
struct SleefColumn {
    void* function;
    bool single, binary;
    const std::byte *x, *y;
    std::byte* out;
    size_t bytes;
};

template <class V>
V load_vector(const std::byte* from) {
    V v;
    std::memcpy(&v, from, sizeof v);
    return v;
}

template <class V>
void call_sleef_on(const SleefColumn& c) {
    for (size_t at = 0; at < c.bytes; at += sizeof(V)) {
        const V x = load_vector<V>(c.x + at);
        const V r = c.binary ? reinterpret_cast<V (*)(V, V)>(c.function)(x, load_vector<V>(c.y + at))
                             : reinterpret_cast<V (*)(V)>(c.function)(x);
        std::memcpy(c.out + at, &r, sizeof r);
    }
}

/// With vectors of singles or of doubles.
template <class Single, class Double>
void call_sleef(const SleefColumn& c) {
    if (c.single) {
        call_sleef_on<Single>(c);
    } else {
        call_sleef_on<Double>(c);
    }
}

// Files of their own, compiled for AVX2 and AVX-512: how wide vectors are passed depends on it.
void call_sleef_256(const SleefColumn& column);
void call_sleef_512(const SleefColumn& column);

}  // namespace fuseline::testing
