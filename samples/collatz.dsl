# Steps of the Collatz sequence from each number to 1: `while`, `if` and early `return` in one kernel.
# fuseline run samples/collatz.dsl [--set n=1000000]

elemental fn collatz_steps(start: i64) -> i64 {
    if start < 1 { return -1 }
    x = start
    steps = 0
    while x != 1 {
        if x % 2 == 0 { x = x // 2 } else { x = 3 * x + 1 }
        steps += 1
        if steps >= 10_000 { break }
    }
    steps
}

param n: i64 = 20
print(collatz_steps(arange(n)))
