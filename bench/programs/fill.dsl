# Inputs of the benchmarks, made where they are used: hashed indices between two bounds, and even steps.

elemental fn hash(i: i64, seed: i64) -> i64 {
    z = (i + seed * 1_000_003) * 0x1e3779b97f4a7c15
    z = (z ^ (z >> 30 & 0x3ffffffff)) * 0x3f58476d1ce4e5b9
    z = (z ^ (z >> 27 & 0x1fffffffff)) * 0x14d049bb133111eb
    z ^ (z >> 31 & 0x1ffffffff)
}

fn random(n: i64, seed: i64, low: f32, high: f32) -> (x: f32[n]) {
    x = low + (high - low) * (f32(hash(arange(n), seed) >> 20 & 0xffffff) / 16777216)
}

fn line(n: i64, low: f32, high: f32) -> (x: f32[n]) {
    x = low + (high - low) * (f32(arange(n)) / f32(n - 1))
}
