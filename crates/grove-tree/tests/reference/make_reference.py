#!/usr/bin/env python3
"""Exact log Z and edge probabilities, by inverting the Laplacian with 1,500 digits. Needs mpmath.

    make_reference.py make  > marginals.txt         the cases that the test suite reads
    make_reference.py check path/to/marginals       the whole grid against the example `marginals`

Nothing is shared with the library: determinant and inverse instead of an elimination without subtraction.
Log-weights are multiples of 1/64, so that both sides hold the same numbers.
"""

import random
import subprocess
import sys

import mpmath
from mpmath import mp, mpf

mp.dps = 1500
COUNT = 30
SIGMAS = [1, 5, 10, 20, 40]
ROOT_SHIFTS = [0, -10, -20, -30, -40, -80]
KEPT = [(1, 0), (5, -40), (20, -10), (40, -80)]


def log_weights(sigma, root_shift, seed=0):
    """Rows by child, columns by parent 0..N; the own entry is None."""
    rng = random.Random(f"{sigma} {root_shift} {seed}")

    def edge(parent, child):
        if parent == child:
            return None
        return round(64 * (rng.gauss(0, sigma) + (root_shift if parent == 0 else 0))) / 64

    return [[edge(parent, child) for parent in range(COUNT + 1)] for child in range(1, COUNT + 1)]


def solve(rows):
    """log Z and the probabilities, from W_ij (B_jj - B_ji) with B the inverse Laplacian."""
    weight = [[mpf(0) if value is None else mpmath.exp(mpf(value)) for value in row] for row in rows]
    laplacian = mpmath.matrix(COUNT, COUNT)
    for child in range(COUNT):
        for parent in range(COUNT):
            laplacian[parent, child] = -weight[child][parent + 1]
        laplacian[child, child] = sum(weight[child])
    inverse = laplacian**-1
    log_partition = mpmath.log(mpmath.det(laplacian))
    probability = [
        [weight[child][0] * inverse[child, child]]
        + [weight[child][parent + 1] * (inverse[child, child] - inverse[child, parent]) for parent in range(COUNT)]
        for child in range(COUNT)
    ]
    return log_partition, probability


def text(rows):
    return "\n".join(" ".join("-inf" if value is None else f"{value:g}" if value == float(f"{value:g}") else repr(value)
                              for value in row) for row in rows)


def make():
    print(f"# Made by make_reference.py make: {COUNT} concepts; log-weights, log Z, edge probabilities.")
    for sigma, root_shift in KEPT:
        rows = log_weights(sigma, root_shift)
        log_partition, probability = solve(rows)
        print(f"case {sigma} {root_shift}")
        print(text(rows))
        print(mpmath.nstr(log_partition, 17))
        for row in probability:
            print(" ".join(mpmath.nstr(value, 12, min_fixed=0, max_fixed=0) if value else "0" for value in row))


def check(program):
    worst_log_partition = worst_absolute = worst_relative = worst_tiny = mpf(0)
    for sigma in SIGMAS:
        for root_shift in ROOT_SHIFTS:
            rows = log_weights(sigma, root_shift, seed=1)
            problem = f"{COUNT}\n{text(rows)}\n"
            answer = subprocess.run([program], input=problem, capture_output=True, text=True, check=True).stdout.split()
            found = [mpf(word) for word in answer]
            log_partition, probability = solve(rows)
            relative_z = abs(found[0] / log_partition - 1)
            expected = [value for row in probability for value in row]
            pairs = list(zip(found[1:], expected, strict=True))
            absolute = max(abs(a - b) for a, b in pairs)
            relative = max(abs(a / b - 1) for a, b in pairs if b > mpf("1e-6"))
            tiny = max(abs(a / b - 1) for a, b in pairs if b > mpf("1e-100"))
            print(f"sigma {sigma:2} shift {root_shift:3}: log Z {float(relative_z):.1e} relative, probabilities "
                  f"{float(absolute):.1e} absolute, {float(relative):.1e} relative above 1e-6, {float(tiny):.1e} above 1e-100")
            worst_log_partition = max(worst_log_partition, relative_z)
            worst_absolute = max(worst_absolute, absolute)
            worst_relative = max(worst_relative, relative)
            worst_tiny = max(worst_tiny, tiny)
    print(f"worst: {float(worst_log_partition):.1e}, {float(worst_absolute):.1e}, {float(worst_relative):.1e}, "
          f"{float(worst_tiny):.1e}")
    sys.exit(worst_log_partition > 1e-9 or worst_absolute > 1e-9 or worst_relative > 1e-9)


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["make"]:
            make()
        case ["check", program]:
            check(program)
        case _:
            sys.exit(__doc__)
