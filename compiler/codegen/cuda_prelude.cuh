// Device functions of emitted CUDA kernels. Nothing is included: a kernel's text holds the blocks that it uses.
// Under FL_HOST the same text is C++ for a CPU, after <math.h> and with __device__ defined away.
//
// A block is a heading, "fl_name: needs others", and what follows it up to a blank line.

// fl_add:
__device__ inline long long fl_add(long long x, long long y) {
    return (long long)((unsigned long long)x + (unsigned long long)y);
}

// fl_sub:
__device__ inline long long fl_sub(long long x, long long y) {
    return (long long)((unsigned long long)x - (unsigned long long)y);
}

// fl_mul:
__device__ inline long long fl_mul(long long x, long long y) {
    return (long long)((unsigned long long)x * (unsigned long long)y);
}

// fl_neg:
__device__ inline long long fl_neg(long long x) { return (long long)(0ull - (unsigned long long)x); }

// fl_abs: needs fl_neg
__device__ inline long long fl_abs(long long x) { return x < 0 ? fl_neg(x) : x; }

// fl_floordiv: needs fl_neg
__device__ inline long long fl_floordiv(long long x, long long y) {
    if (y == 0) return 0;
    if (y == -1) return fl_neg(x);
    long long q = x / y;
    return q * y != x && (x < 0) != (y < 0) ? q - 1 : q;
}
template <class T>
__device__ inline T fl_floordiv(T x, T y) {
    if (y == 0) return x / y;
    T r = (T)fmod(x, y);
    T q = (x - r) / y;
    if (r != 0 && (r < 0) != (y < 0)) q -= 1;
    if (q == 0) return (T)copysign(T(0), x / y);
    T f = (T)floor(q);
    return q - f > T(0.5) ? f + 1 : f;
}

// fl_mod:
__device__ inline long long fl_mod(long long x, long long y) {
    if (y == 0 || y == -1) return 0;
    long long r = x % y;
    return r != 0 && (r < 0) != (y < 0) ? r + y : r;
}
template <class T>
__device__ inline T fl_mod(T x, T y) {
    T r = (T)fmod(x, y);
    if (r == 0) return (T)copysign(T(0), y);
    return (r < 0) != (y < 0) ? r + y : r;
}

// fl_pow: needs fl_mul
__device__ inline long long fl_pow(long long x, long long n) {
    if (n < 0) return x == 1 ? 1 : x != -1 ? 0 : n % 2 == 0 ? 1 : -1;
    long long r = 1;
    for (; n != 0; n >>= 1) {
        if (n & 1) r = fl_mul(r, x);
        x = fl_mul(x, x);
    }
    return r;
}

// fl_shl:
__device__ inline long long fl_shl(long long x, long long n) {
    return n < 0 || n > 63 ? 0 : (long long)((unsigned long long)x << n);
}

// fl_shr:
__device__ inline long long fl_shr(long long x, long long n) { return x >> (n < 0 || n > 63 ? 63 : n); }

// fl_popcount:
__device__ inline long long fl_popcount(long long x) {
#ifdef FL_HOST
    return __builtin_popcountll((unsigned long long)x);
#else
    return __popcll((unsigned long long)x);
#endif
}

// fl_clz:
__device__ inline long long fl_clz(long long x) {
#ifdef FL_HOST
    return x == 0 ? 64 : __builtin_clzll((unsigned long long)x);
#else
    return __clzll(x);
#endif
}

// fl_sign:
__device__ inline long long fl_sign(long long x) { return (x > 0) - (x < 0); }
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

// fl_min:
__device__ inline long long fl_min(long long x, long long y) { return y < x ? y : x; }
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
__device__ inline long long fl_max(long long x, long long y) { return x < y ? y : x; }
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
