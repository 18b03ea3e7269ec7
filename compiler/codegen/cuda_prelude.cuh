// Device functions of emitted CUDA kernels. Nothing is included: a kernel's text holds the blocks that it uses.
// Under FL_HOST the same text is C++ for a CPU, after <math.h> and with __device__ defined away.
//
// A block is a heading, "fl_name: needs others", and what follows it up to a blank line.

// fl_f16:
// Memory of an f16: values are computed as float. Conversion rounds to nearest, ties to even.
struct fl_f16 {
    unsigned short bits;
    static constexpr unsigned short nan = 0x7e00;
    fl_f16() = default;
    __device__ __forceinline__ fl_f16(float x) {
#ifdef FL_HOST
        const unsigned whole = (unsigned)__float_as_int(x), size = whole & 0x7fffffffu;
        unsigned r = (size - 0x38000000u + 0xfffu + (size >> 13 & 1)) >> 13;
        // An addition of floats shifts and rounds the mantissa of what is no normal f16.
        if (size < 0x38800000u) r = (unsigned)__float_as_int(__int_as_float((int)size) + 0.5f) - 0x3f000000u;
        if (size >= 0x47800000u) r = x != x ? nan : 0x7c00;
        bits = (unsigned short)((whole >> 16 & 0x8000u) | r);
#else
        asm("cvt.rn.f16.f32 %0, %1;" : "=h"(bits) : "f"(x));
#endif
    }
    __device__ __forceinline__ operator float() const {
#ifdef FL_HOST
        const unsigned size = bits & 0x7fffu, sign = (unsigned)(bits & 0x8000) << 16;
        unsigned r = (size << 13) + (size > 0x7bffu ? 0x70000000u : 0x38000000u);
        if (size < 0x400u) r = (unsigned)__float_as_int(__int_as_float((int)(r + 0x800000u)) - 0x1p-14f);
        return __int_as_float((int)(r | sign));
#else
        float x;
        asm("cvt.f32.f16 %0, %1;" : "=f"(x) : "h"(bits));
        return x;
#endif
    }
};

// fl_bf16:
// Memory of a bf16: values are computed as float. Conversion rounds to nearest, ties to even.
struct fl_bf16 {
    unsigned short bits;
    static constexpr unsigned short nan = 0x7fc0;
    fl_bf16() = default;
    __device__ __forceinline__ fl_bf16(float x) {
#if !defined(FL_HOST) && __CUDA_ARCH__ >= 800
        asm("cvt.rn.bf16.f32 %0, %1;" : "=h"(bits) : "f"(x));
#else
        const unsigned whole = (unsigned)__float_as_int(x);
        bits = x != x ? nan : (unsigned short)((whole + 0x7fffu + (whole >> 16 & 1)) >> 16);
#endif
    }
    __device__ __forceinline__ operator float() const { return __int_as_float((int)((unsigned)bits << 16)); }
};

// fl_odd:
// A float that rounds to every 16-bit float as x itself does: x rounded to an odd last bit.
__device__ inline float fl_odd(double x) {
    const float r = (float)x;
    const int bits = __float_as_int(r);
    if (x != x || (double)r == x || (bits & 1) != 0) return r;
    return __int_as_float(fabs((double)r) > fabs(x) ? bits - 1 : bits + 1);
}

// fl_odd_double:
// The same of 64-bit integers: where the last bits do not fit a double they become one odd bit.
__device__ inline double fl_odd_double(unsigned long long x) {
    return (double)(x >> 53 != 0 && (x & 0xfff) != 0 ? (x & ~0xfffull) | 0x800 : x);
}
__device__ inline double fl_odd_double(long long x) {
    const bool fits = x < (1ll << 53) && x > -(1ll << 53);
    return (double)(!fits && (x & 0xfff) != 0 ? (x & ~0xfffll) | 0x800 : x);
}

// fl_bits:
// The bits of a float; those of the canonical NaN for any NaN.
__device__ inline int fl_bits(float x) { return x != x ? 0x7fc00000 : __float_as_int(x); }
__device__ inline long long fl_bits(double x) {
    return x != x ? 0x7ff8000000000000ll : __double_as_longlong(x);
}
template <class H>
__device__ inline unsigned short fl_bits(float x) {
    return x != x ? H::nan : H(x).bits;
}

// fl_value:
// The 16-bit float of given bits.
template <class H>
__device__ inline float fl_value(unsigned short bits) {
    H h;
    h.bits = bits;
    return h;
}

// fl_nextafter:
// The next 16-bit float after x toward y.
template <class H>
__device__ inline float fl_nextafter(float x, float y) {
    if (x != x || y != y) return x + y;
    if (x == y) return y;
    H h(x);
    if (x == 0)
        h.bits = y < 0 ? 0x8001 : 1;
    else
        h.bits += (x < y) == (x > 0) ? 1 : -1;
    return h;
}

// fl_add:
template <class T>
__device__ inline T fl_add(T x, T y) {
    return (T)((unsigned long long)x + (unsigned long long)y);
}

// fl_sub:
template <class T>
__device__ inline T fl_sub(T x, T y) {
    return (T)((unsigned long long)x - (unsigned long long)y);
}

// fl_mul:
template <class T>
__device__ inline T fl_mul(T x, T y) {
    return (T)((unsigned long long)x * (unsigned long long)y);
}

// fl_neg:
template <class T>
__device__ inline T fl_neg(T x) {
    return (T)(0ull - (unsigned long long)x);
}

// fl_abs: needs fl_neg
template <class T>
__device__ inline T fl_abs(T x) {
    return x < 0 ? fl_neg(x) : x;
}

// fl_floordiv: needs fl_neg
template <class T>
__device__ inline T fl_floordiv(T x, T y) {
    if (y == 0) return 0;
    if (y == -1) return fl_neg(x);
    const T q = x / y;
    return q * y != x && (x < 0) != (y < 0) ? q - 1 : q;
}

// fl_udiv:
template <class T>
__device__ inline T fl_udiv(T x, T y) {
    return y == 0 ? 0 : x / y;
}

// fl_floatfloordiv:
template <class T>
__device__ inline T fl_floatfloordiv(T x, T y) {
    if (y == 0) return x / y;
    T r = (T)fmod(x, y);
    T q = (x - r) / y;
    if (r != 0 && (r < 0) != (y < 0)) q -= 1;
    if (q == 0) return (T)copysign(T(0), x / y);
    T f = (T)floor(q);
    return q - f > T(0.5) ? f + 1 : f;
}

// fl_mod:
template <class T>
__device__ inline T fl_mod(T x, T y) {
    if (y == 0 || y == -1) return 0;
    const T r = x % y;
    return r != 0 && (r < 0) != (y < 0) ? r + y : r;
}

// fl_umod:
template <class T>
__device__ inline T fl_umod(T x, T y) {
    return y == 0 ? 0 : x % y;
}

// fl_floatmod:
template <class T>
__device__ inline T fl_floatmod(T x, T y) {
    T r = (T)fmod(x, y);
    if (r == 0) return (T)copysign(T(0), y);
    return (r < 0) != (y < 0) ? r + y : r;
}

// fl_upow: needs fl_mul
template <class T>
__device__ inline T fl_upow(T x, T n) {
    T r = 1;
    for (; n != 0; n >>= 1) {
        if (n & 1) r = fl_mul(r, x);
        x = fl_mul(x, x);
    }
    return r;
}

// fl_pow: needs fl_upow
template <class T>
__device__ inline T fl_pow(T x, T n) {
    if (n < 0) return x == 1 ? 1 : x != -1 ? 0 : n % 2 == 0 ? 1 : -1;
    return fl_upow(x, n);
}

// fl_shl:
template <class T>
__device__ inline T fl_shl(T x, T n) {
    return (unsigned long long)n < sizeof(T) * 8 ? (T)((unsigned long long)x << n) : 0;
}

// fl_shr:
template <class T>
__device__ inline T fl_shr(T x, T n) {
    return x >> ((unsigned long long)n < sizeof(T) * 8 ? n : sizeof(T) * 8 - 1);
}

// fl_ushr:
template <class T>
__device__ inline T fl_ushr(T x, T n) {
    return n < sizeof(T) * 8 ? x >> n : 0;
}

// fl_popcount:
template <class T>
__device__ inline T fl_popcount(T x) {
    const unsigned long long bits = (unsigned long long)x << (64 - sizeof(T) * 8);
#ifdef FL_HOST
    return (T)__builtin_popcountll(bits);
#else
    return (T)__popcll(bits);
#endif
}

// fl_clz:
template <class T>
__device__ inline T fl_clz(T x) {
    const unsigned long long bits = (unsigned long long)x << (64 - sizeof(T) * 8);
    if (x == 0) return sizeof(T) * 8;
#ifdef FL_HOST
    return (T)__builtin_clzll(bits);
#else
    return (T)__clzll((long long)bits);
#endif
}

// fl_sign:
template <class T>
__device__ inline T fl_sign(T x) {
    return x > 0 ? T(1) : x < 0 ? T(-1) : x;
}

// fl_rsqrt:
#ifdef FL_HOST
inline float fl_rsqrt(float x) { return (float)(1 / sqrt((double)x)); }
inline double fl_rsqrt(double x) { return 1 / sqrt(x); }
#else
__device__ inline float fl_rsqrt(float x) { return rsqrtf(x); }
__device__ inline double fl_rsqrt(double x) { return rsqrt(x); }
#endif

// fl_isnan:
template <class T>
__device__ inline bool fl_isnan(T x) {
    return x != x;
}

// fl_isinf:
template <class T>
__device__ inline bool fl_isinf(T x) {
    return x == x && x - x != 0;
}

// fl_isfinite:
template <class T>
__device__ inline bool fl_isfinite(T x) {
    return x - x == 0;
}

// fl_imin:
template <class T>
__device__ inline T fl_imin(T x, T y) {
    return y < x ? y : x;
}

// fl_imax:
template <class T>
__device__ inline T fl_imax(T x, T y) {
    return x < y ? y : x;
}

// fl_min:
template <class T>
__device__ inline T fl_min(T x, T y) {
    if (x != x) return x;
    if (x == y) return copysign(T(1), x) < 0 ? x : y;
    return x < y ? x : y;
}
#if !defined(FL_HOST) && __CUDA_ARCH__ >= 800
__device__ inline float fl_min(float x, float y) {
    float r;
    asm("min.NaN.f32 %0, %1, %2;" : "=f"(r) : "f"(x), "f"(y));
    return r;
}
#endif

// fl_max:
template <class T>
__device__ inline T fl_max(T x, T y) {
    if (x != x) return x;
    if (x == y) return copysign(T(1), x) < 0 ? y : x;
    return x > y ? x : y;
}
#if !defined(FL_HOST) && __CUDA_ARCH__ >= 800
__device__ inline float fl_max(float x, float y) {
    float r;
    asm("max.NaN.f32 %0, %1, %2;" : "=f"(r) : "f"(x), "f"(y));
    return r;
}
#endif

// fl_fmin: needs fl_min
template <class T>
__device__ inline T fl_fmin(T x, T y) {
    return x != x ? y : y != y ? x : fl_min(x, y);
}

// fl_fmax: needs fl_max
template <class T>
__device__ inline T fl_fmax(T x, T y) {
    return x != x ? y : y != y ? x : fl_max(x, y);
}

// fl_to_signed:
template <class R, class T>
__device__ inline R fl_to_signed(T x) {
    const T limit = T(1ull << (sizeof(R) * 8 - 1));
    const R lowest = R(1ull << (sizeof(R) * 8 - 1));
    if (x != x) return 0;
    if (x < -limit) return lowest;
    return x >= limit ? R(~lowest) : R(x);
}

// fl_to_unsigned:
template <class R, class T>
__device__ inline R fl_to_unsigned(T x) {
    const T limit = T(2) * T(1ull << (sizeof(R) * 8 - 1));
    if (!(x > 0)) return 0;
    return x >= limit ? R(~R(0)) : R(x);
}

// fl_digamma:
// By reflection to above 0; by recurrence to 1 .. 2.25, where the distance from the zero is a factor; from 8 on
// the asymptotic series.
__device__ inline double fl_digamma_positive(double x) {
    const double about_zero[] = {
        0x1.cd9d88c399e19p-1, -0x1.7aa649cce5858p-2, 0x1.8ab0d9438e126p-3, -0x1.bf4556b33b687p-4,
        0x1.0738222bafd51p-4, -0x1.3bdd9fa2e5109p-5, 0x1.7f10ac49c641ap-6, -0x1.d35ab36f36340p-7,
        0x1.1e17d07104898p-7, -0x1.5efe3ce806913p-8, 0x1.af27ae96bf419p-9, -0x1.0902a6d8fabf9p-9,
        0x1.45e0111f1a2e5p-10, -0x1.90e58c9f85a1dp-11, 0x1.ee8f07b180ed9p-12, -0x1.304ab464a7f44p-12,
        0x1.6c0fbce4edcbap-13, -0x1.c00bac9c66b2cp-14, 0x1.4b7513fb85ec3p-14, -0x1.97f050a36b44fp-15,
        0x1.edff024956629p-18, -0x1.2ffcf96ef6696p-18, 0x1.9ff70ea26865dp-16, -0x1.fff4ba5c8fbbbp-17};
    const double asymptotic[] = {
        0x1.5555555555555p-4, -0x1.1111111111111p-7, 0x1.0410410410410p-8, -0x1.1111111111111p-8,
        0x1.f07c1f07c1f08p-8, -0x1.5995995995996p-6, 0x1.5555555555555p-4, -0x1.c5e5e5e5e5e5ep-2,
        0x1.86e7f9b9fe6e8p+1, -0x1.a74ca514ca515p+4};
    if (!(x < 8)) {
        const double over = 1 / x, square = over * over;
        double sum = asymptotic[9];
#pragma unroll
        for (int k = 8; k >= 0; --k) sum = sum * square + asymptotic[k];
        return log(x) - (0.5 * over + sum * square);
    }
    double u = x < 1 ? x + 1 : x, p = 0, q = 1;
    while (u >= 2.25) {
        u -= 1;
        p = p * u + q;
        q *= u;
    }
    double sum = about_zero[23];
#pragma unroll
    for (int k = 22; k >= 0; --k) sum = sum * (u - 1.625) + about_zero[k];
    const double distance = (u - 0x1.762d86356be3fp+0) - 0x1.b86a722197829p-54;
    return distance * sum + (x < 1 ? -1 / x : p / q);
}
__device__ inline double fl_digamma(double x) {
    if (x > 0 || x != x) return fl_digamma_positive(x);
    if (x == 0) return copysign(1 / 0.0, -x);
    const double part = x - rint(x), size = fabs(part), pi = 0x1.921fb54442d18p+1;
    if (!(size > 0)) return __longlong_as_double(0x7ff8000000000000ll);
    const double cot = size > 0.25 ? tan(pi * (0.5 - size)) : 1 / tan(pi * size);
    return fl_digamma_positive(1 - x) - pi * copysign(cot, part);
}
__device__ inline float fl_digamma(float x) { return (float)fl_digamma((double)x); }
