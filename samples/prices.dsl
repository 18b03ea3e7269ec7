# Daily share prices to returns, moving averages, volatility and drawdown; writes moving_averages.csv beside this file.
# fuseline run samples/prices.dsl [--set days=50]

# The mean of the last `days` prices, from day `days - 1` on.
fn moving_average(p: f64[n, m], days: i64) {
    total = p[:n - days + 1]
    for k in 1..days { total += p[k:n - days + 1 + k] }
    total / days
}

# The standard deviation of daily logarithmic returns over a year of 252 trading days.
fn volatility(returns: f64[n, m]) -> f64[m] = std(returns, axis=0, ddof=1) * sqrt(252)

# The largest fall from a peak, as a share of the peak, and the day when it was reached.
fn drawdown(p: f64[n, m]) -> (worst: f64[m], day: i64[m]) {
    peak = p[0]
    worst = zeros(m)
    day = zeros(m, dtype=i64)
    for t in 1..n {
        peak = max(peak, p[t])
        fall = 1 - p[t] / peak
        day = where(fall > worst, t, day)
        worst = max(worst, fall)
    }
}

param days: i64 = 200

# Apple, IBM, Microsoft.
prices: f64[n, m] = load("data/prices.csv", columns=["AAPL", "IBM", "MSFT"])
returns = log(prices[1:] / prices[:-1])
average = moving_average(prices, days)
(worst, day) = drawdown(prices)

save("moving_averages.csv", average)
print("days             ", n)
print("growth           ", prices[-1] / prices[0])
print("volatility       ", volatility(returns))
print("best day         ", exp(max(returns, axis=0)) - 1)
print("largest drawdown ", worst)
print("reached on day   ", day)
print("days above average", count_nonzero(prices[days - 1:] > average, axis=0))
print(corr(returns.T))
