#!/usr/bin/env python3
# Writes black_scholes_*.npy: a thousand random options and their prices by SciPy.
"""Usage: make_black_scholes.py [FOLDER]. Needs NumPy and SciPy; the tests only read its files."""

import sys
from pathlib import Path

import numpy as np
from scipy.stats import norm

RATE, SIGMA = 0.03, 0.25


def main():
    folder = Path(sys.argv[1] if len(sys.argv) > 1 else ".")
    random = np.random.default_rng(20240)
    spot, strike = random.uniform(50, 150, 1000), random.uniform(50, 150, 1000)
    years = random.uniform(0.05, 3, 1000)
    d1 = (np.log(spot / strike) + (RATE + SIGMA**2 / 2) * years) / (SIGMA * np.sqrt(years))
    d2 = d1 - SIGMA * np.sqrt(years)
    discounted = strike * np.exp(-RATE * years)
    prices = {
        "spot": spot,
        "strike": strike,
        "years": years,
        "call": spot * norm.cdf(d1) - discounted * norm.cdf(d2),
        "put": discounted * norm.cdf(-d2) - spot * norm.cdf(-d1),
    }
    for name, values in prices.items():
        np.save(folder / f"black_scholes_{name}.npy", values)


if __name__ == "__main__":
    main()
