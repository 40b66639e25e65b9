"""Times taxogrove and its peers on the same weights, turn and turn about, and prints one Markdown table.

Every side begins with log-weights in a numpy array and ends with what a Python user asked for.
"""

from __future__ import annotations

import argparse
import platform
import sys
import tempfile
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import taxogrove

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "bench" / "peers"))
import compare as shared  # noqa: E402  (the helpers of bench/peers)
import peers  # noqa: E402
from grove import Grove  # noqa: E402

MARGINALS = {10: 3.0, 50: 1.5, 100: 1.5, 500: 1.5, 1000: 1.0}
SAMPLING = {10: None, 50: 3.0, 100: 3.0, 500: 3.0}
BEST_TREE = [10, 50, 100, 500, 1000]
NETWORKX_UP_TO = 100
OVERHEAD = 2e-6


#: The clock: that of the wall, or of this process, which other programs on a busy machine do not move.
clock: Callable[[], float] = time.perf_counter


def timed(work: Callable[[], Any]) -> Callable[[int], float]:
    """Makes a callable into one that repeats it and gives the seconds that took."""

    def repeat(repetitions: int) -> float:
        begin = clock()
        for _ in range(repetitions):
            work()
        return clock() - begin

    return repeat


def in_rust(rust: Grove, task: str, weights: Any) -> Callable[[int], float]:
    """The same for a task of the Rust program, by the clock that measures Python."""

    def repeat(repetitions: int) -> float:
        if clock is time.perf_counter:
            return float(rust.ask(task, weights, repetitions))
        # The processor time of another process: what clock_getcpuclockid gives for it. It includes reading the weights from a file, a few
        # microseconds in a turn of a fifth of a second.
        its_clock = (~rust.process.pid << 3) | 2
        begin = time.clock_gettime(its_clock)
        rust.ask(task, weights, repetitions)
        return time.clock_gettime(its_clock) - begin

    return repeat


def rows_of(weights: Any) -> Any:
    """Our layout, child by child."""
    return np.ascontiguousarray(weights[:, 1:].T)


def full(weights: Any, invert: Callable[[Any], tuple[float, Any]]) -> Callable[[], tuple[float, Any]]:
    """log Z and marginals from log-weights, by the Laplacian (Koo et al. 2007)."""

    def work() -> tuple[float, Any]:
        linear = np.exp(weights)
        laplacian = (np.diag(linear.sum(axis=0)) - linear)[1:, 1:]
        log_z, inverse = invert(laplacian)
        diagonal = np.diag(inverse)
        marginals = np.zeros_like(linear)
        marginals[0, 1:] = linear[0, 1:] * diagonal
        marginals[1:, 1:] = linear[1:, 1:] * (diagonal[None, :] - inverse.T)
        return log_z, marginals

    return work


def by_scipy(weights: Any) -> Callable[[], tuple[float, Any]]:
    import scipy.linalg.lapack as lapack

    def invert(matrix: Any) -> tuple[float, Any]:
        factors, pivots, _ = lapack.dgetrf(matrix)
        inverse, _ = lapack.dgetri(factors, pivots)
        return float(np.log(np.abs(np.diag(factors))).sum()), inverse

    return full(weights, invert)


def by_scipy_linalg(weights: Any) -> Callable[[], tuple[float, Any]]:
    import scipy.linalg as linalg

    def invert(matrix: Any) -> tuple[float, Any]:
        factors = linalg.lu_factor(matrix, check_finite=False)
        inverse = linalg.lu_solve(factors, np.eye(len(matrix)), check_finite=False)
        return float(np.log(np.abs(np.diag(factors[0]))).sum()), inverse

    return full(weights, invert)


def by_numpy(weights: Any) -> Callable[[], tuple[float, Any]]:
    return full(weights, lambda matrix: (float(np.linalg.slogdet(matrix)[1]), np.linalg.inv(matrix)))


def marginals(settings: Any) -> None:
    for count, target in MARGINALS.items():
        weights = shared.random_weights(count)
        rows = rows_of(weights)

        def ours(rows: Any = rows) -> tuple[float, Any]:
            made = taxogrove.EdgeWeights(rows)
            return made.marginals(), made.log_z()

        for name, peer in (("scipy.linalg.lapack", by_scipy), ("scipy.linalg", by_scipy_linalg), ("numpy.linalg", by_numpy)):
            theirs = peer(weights)
            found, (log_z, expected) = ours(), theirs()
            error = np.abs(found[0] - expected[:, 1:].T).max()
            agreement = f"log Z within {abs(found[1] / log_z - 1):.0e}, marginals within {error:.0e}"
            seconds = shared.duel(timed(ours), timed(theirs), settings)
            shared.print_duel("log Z and marginals", count, name, seconds, target, agreement)
        # The bare factorisation and inverse of a Laplacian that is already there: less than the task.
        seconds = shared.duel(timed(ours), timed(peers.lapack(weights)), settings)
        shared.print_duel("the same", count, "only LU and inverse by LAPACK", seconds, None, "")


def sampling(settings: Any) -> None:
    for count, target in SAMPLING.items():
        weights = shared.random_weights(count)
        batch = max(20, 20_000 // count)
        made = taxogrove.EdgeWeights(rows_of(weights))
        seeds = iter(range(10**9))
        theirs = peers.numba_cumulative(weights, batch)
        theirs()
        trees = made.sample(20_000, seed=1)
        frequency = (trees == 0).mean(axis=0)
        expected = made.marginals()[:, 0]
        off = np.abs(frequency - expected) / np.sqrt(expected * (1 - expected) / len(trees))
        seconds = shared.duel(timed(lambda: made.sample(batch, seed=next(seeds))), timed(theirs), settings)
        shared.print_duel(f"{batch} trees", count, "numba, Wilson with cumulative sums", seconds, target, f"edge frequencies within {off.max():.1f} standard errors")


def best_tree(settings: Any) -> None:
    for count in BEST_TREE:
        weights = shared.random_weights(count)
        rows = rows_of(weights)
        others = [("ufal.chu-liu-edmonds", peers.ufal)] + [("networkx", peers.networkx)] * (count <= NETWORKX_UP_TO)
        for name, peer in others:
            theirs = peer(weights)
            same = list(taxogrove.best_tree(rows)) == list(theirs())[1:]
            seconds = shared.duel(timed(lambda rows=rows: taxogrove.best_tree(rows)), timed(theirs), settings)
            shared.print_duel("best tree", count, name, seconds, 5.0, "the same tree" if same else "ANOTHER tree")


def overhead(settings: Any, program: str) -> None:
    """What a call costs beyond the work: the time from Python less the time of the same work in a Rust program, both in this run."""
    with tempfile.TemporaryDirectory() as folder:
        rust = Grove(program, folder)
        try:
            for count in (10, 50):
                weights = shared.random_weights(count)
                rows = rows_of(weights)
                made = taxogrove.EdgeWeights(rows)
                made.marginals()
                calls: list[tuple[str, Callable[[], Any], str | None]] = [
                    ("EdgeWeights(array)", lambda rows=rows: taxogrove.EdgeWeights(rows), None),
                    ("log_z(), known", made.log_z, None),
                    ("best_tree(array)", lambda rows=rows: taxogrove.best_tree(rows), "best_tree"),
                    ("EdgeWeights(array).marginals()", lambda rows=rows: taxogrove.EdgeWeights(rows).marginals(), "marginals"),
                ]
                for name, call, task in calls:
                    if task is None:
                        ours, theirs = shared.duel(timed(call), timed(lambda: None), settings)
                        note = "all of it counted as overhead"
                        theirs = 0.0
                    else:
                        ours, theirs = shared.duel(timed(call), in_rust(rust, task, weights), settings)
                        note = f"{shared.pretty(theirs)} in Rust"
                    extra = ours - theirs
                    # Two calls where an object is made and then asked.
                    limit = OVERHEAD * (2 if ")." in name else 1)
                    verdict = f"{shared.pretty(limit)} " + ("met" if extra <= limit else "MISSED")
                    shared.print_row("overhead", count, name, shared.pretty(ours), note, shared.pretty(max(extra, 0.0)), verdict, "")
        finally:
            rust.close()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("program", help="the release build of grove-peers")
    parser.add_argument("--quick", action="store_true", help="shorter turns: for a look, not for figures")
    parser.add_argument("--only", default="overhead,best_tree,sampling,marginals")
    parser.add_argument("--cpu", action="store_true", help="count seconds of the processor, on a machine that is busy")
    settings = parser.parse_args()
    if settings.cpu:
        global clock
        clock = time.process_time
    settings.turn, settings.rounds = (0.05, 3) if settings.quick else (0.2, 9)
    warnings.simplefilter("ignore")
    print(f"taxogrove {taxogrove.__version__}, numpy {np.__version__}, Python {platform.python_version()}, {platform.machine()}, one thread\n")
    shared.print_row("task", "N", "peer", "ours", "theirs", "ratio", "target", "agreement")
    shared.print_row(*["---"] * 8)
    for task in settings.only.split(","):
        if task == "overhead":
            overhead(settings, settings.program)
        else:
            {"best_tree": best_tree, "sampling": sampling, "marginals": marginals}[task](settings)


if __name__ == "__main__":
    main()
