# Prices of European options. One kernel, two outputs; nothing needs to be present on disk.
# fuseline run samples/black_scholes.dsl [--set rate=0.05] [--set volatility=0.2]

fn cdf(x) = 0.5 * erfc(-x / sqrt(2))

fn black_scholes(s: f64[n], k: f64[n], t: f64[n], r: f64, sigma: f64) -> (call: f64[n], put: f64[n]) {
    d1 = (log(s / k) + (r + sigma**2 / 2) * t) / (sigma * sqrt(t))
    d2 = d1 - sigma * sqrt(t)
    discounted = k * exp(-r * t)
    call = s * cdf(d1) - discounted * cdf(d2)
    put  = discounted * cdf(-d2) - s * cdf(-d1)
}

param rate: f64 = 0.05
param volatility: f64 = 0.2

# Spots of 80 to 120 against a strike of 100, one year each. The textbook case is spot 100: call 10.4506, put 5.5735.
spot = linspace(80, 120, 9)
strike = full_like(spot, 100)
years = ones_like(spot)

(call, put) = black_scholes(spot, strike, years, rate, volatility)
print("spot", spot)
print("call", call)
print("put ", put)
