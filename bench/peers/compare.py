"""Times grove-tree and its peers on the same weights, turn and turn about, and prints one Markdown table."""

import argparse
import platform
import statistics
import sys
import tempfile
import time
import warnings

import numpy as np

import peers
from grove import Grove

SEED = 20_260_101


def random_weights(count):
    """Log-weights of standard deviation 1 by [parent, child]; column 0 and the diagonal are forbidden."""
    weights = np.random.default_rng([SEED, count]).standard_normal((count + 1, count + 1))
    weights[:, 0] = -np.inf
    np.fill_diagonal(weights, -np.inf)
    return weights


def timed(work):
    """Makes a callable into one that repeats it and gives the seconds that took."""

    def repeat(repetitions):
        begin = time.perf_counter()
        for _ in range(repetitions):
            work()
        return time.perf_counter() - begin

    return repeat


def repetitions_for(seconds, repeat):
    """How often to repeat so that one turn lasts about so long; warms up on the way."""
    repetitions = 1
    while True:
        took = repeat(repetitions)
        if took > seconds / 4:
            return max(1, round(repetitions * seconds / took))
        repetitions *= 4


def duel(ours, theirs, settings):
    """Median seconds of one operation on either side, in alternating turns."""
    sides = [ours, theirs]
    repetitions = [repetitions_for(settings.turn, side) for side in sides]
    took = [[], []]
    for _ in range(settings.rounds):
        for side, repeat, samples in zip(sides, repetitions, took):
            samples.append(side(repeat) / repeat)
    return [statistics.median(samples) for samples in took]


def pretty(seconds):
    for unit, size in [("s", 1), ("ms", 1e-3), ("us", 1e-6)]:
        if seconds >= size:
            return f"{seconds / size:.3g} {unit}"
    return f"{seconds / 1e-9:.3g} ns"


def print_row(*cells):
    print("| " + " | ".join(str(cell) for cell in cells) + " |", flush=True)


def print_duel(task, count, name, seconds, target, agreement):
    ours, theirs = seconds
    ratio = theirs / ours
    verdict = "" if target is None else f"{target:g} " + ("met" if ratio >= target else "MISSED")
    print_row(task, count, name, pretty(ours), pretty(theirs), f"{ratio:.3g}", verdict, agreement)


def print_absent(task, count, name, reason):
    print_row(task, count, name, "", "", "", "", reason)


def compare_marginals(grove, settings):
    """Theirs is LU and inverse alone; ours begins at log-weights and ends at log Z and all marginals."""
    targets = {10: 3, 20: 3, 50: 1, 100: 1, 500: 0.5, 1000: 0.5}
    for count, target in targets.items():
        weights = random_weights(count)
        ours = lambda repetitions: grove.ask("marginals", weights, repetitions)
        try:
            works = [
                ("scipy.linalg lu_factor + lu_solve", peers.scipy_lu_solve(weights)),
                ("scipy.linalg lu_factor + inv", peers.scipy_inv(weights)),
            ]
            lapack = peers.lapack(weights)
        except peers.Absent as reason:
            print_absent("marginals", count, "scipy", reason)
            continue
        agreement = judge_marginals(grove.result("marginals", weights), weights, *lapack())
        results = [(name, duel(ours, timed(work), settings)) for name, work in works]
        # The fastest way that scipy has of its own is the peer; bare LAPACK, without its checks, is shown as well.
        name, seconds = min(results, key=lambda result: result[1][1])
        print_duel("marginals", count, name, seconds, target, agreement)
        seconds = duel(ours, timed(lapack), settings)
        print_duel("marginals", count, "LAPACK getrf + getri through scipy", seconds, None, agreement)
    compare_torch(grove, settings)


def judge_marginals(found, weights, factors, inverse):
    expected = peers.marginals_from_inverse(weights, inverse)[:, 1:].T
    log_partition = abs(found[0] - peers.log_determinant(factors))
    return f"log Z within {log_partition:.0e}, marginals within {abs(found[1:] - expected.ravel()).max():.0e}"


def compare_torch(grove, settings):
    for count in [10, 20, 50, 100]:
        weights = random_weights(count)
        try:
            work = peers.torch_struct(weights)
            theirs = work()[0].detach().numpy()
        except Exception as reason:
            print_absent("marginals", count, "torch-struct", f"{reason}; try --with-torch")
            return
        found = grove.result("marginals", weights)[1:].reshape(count, count + 1).T
        expected = np.vstack([np.diag(theirs), theirs - np.diag(np.diag(theirs))])
        seconds = duel(lambda repetitions: grove.ask("marginals", weights, repetitions), timed(work), settings)
        agreement = f"marginals within {abs(found - expected).max():.0e}"
        print_duel("marginals", count, "torch-struct", seconds, None, agreement)


def compare_best_tree(grove, settings):
    contestants = [("ufal.chu-liu-edmonds", peers.ufal, 3, 1000), ("networkx", peers.networkx, None, 100)]
    for name, prepare, target, largest in contestants:
        for count in [10, 20, 50, 100, 200, 500, 1000]:
            if count > largest:
                continue
            weights = random_weights(count)
            try:
                work = prepare(weights)
            except peers.Absent as reason:
                print_absent("best tree", count, name, reason)
                continue
            found = grove.result("best_tree", weights)
            agreement = "same tree" if list(found) == list(work())[1:] else "ANOTHER TREE"
            ours = lambda repetitions: grove.ask("best_tree", weights, repetitions)
            print_duel("best tree", count, name, duel(ours, timed(work), settings), target, agreement)


def edges_verdict(frequencies, probabilities, draws):
    """The largest deviation of edge frequencies from exact marginals, in standard errors, over edges not too rare."""
    common = probabilities * draws > 100
    if not common.any():
        return "too few trees to judge edges"
    errors = np.sqrt(probabilities * (1 - probabilities) / draws)
    z = (abs(frequencies - probabilities)[common] / errors[common]).max()
    return f"{common.sum()} edges within {z:.1f} s.e."


def edge_frequencies(trees):
    size = trees.shape[1]
    counts = np.zeros((size - 1, size))
    for child in range(1, size):
        counts[child - 1] = np.bincount(trees[:, child], minlength=size)
    return counts / len(trees)


def judge_trees(trees, probabilities):
    distinct = len(np.unique(trees[:, 1:], axis=0))
    verdict = edges_verdict(edge_frequencies(trees), probabilities, len(trees))
    return f"{distinct} of {len(trees)} trees distinct, {verdict}"


def compare_sampling(grove, settings):
    contestants = [
        ("synjax, wilson", peers.synjax("wilson"), 100),
        ("synjax, colbourn", peers.synjax("colbourn"), 100),
        # Written here, not synjax: no target is judged by them.
        ("yardstick: Wilson with Gumbel steps in numba", peers.numba_gumbel, None),
        ("yardstick: Wilson with cumulative sums in numba", peers.numba_cumulative, None),
    ]
    for count in [10, 20, 50, 100, 200, 500]:
        weights = random_weights(count)
        probabilities = grove.result("marginals", weights)[1:].reshape(count, count + 1)
        batch = max(20, 20_000 // count)
        for name, prepare, target in contestants:
            try:
                work = prepare(weights, batch)
                trees = work()
            except Exception as reason:
                print_absent("sampling", count, name, reason)
                continue
            draws = 50 * batch
            drawn = grove.result("frequencies", weights, draws).reshape(count, count + 1)
            agreement = f"theirs: {judge_trees(np.asarray(trees).reshape(batch, -1), probabilities)}"
            agreement += f"; ours: {edges_verdict(drawn, probabilities, draws)}"
            # Both sides draw a batch at a time; the table says what one tree takes.
            ours = lambda repetitions: grove.ask("sample", weights, repetitions * batch)
            seconds = [batch_seconds / batch for batch_seconds in duel(ours, timed(work), settings)]
            print_duel("sampling", count, name, seconds, target, agreement)


COMPARISONS = {"marginals": compare_marginals, "best_tree": compare_best_tree, "sampling": compare_sampling}


def main():
    warnings.simplefilter("ignore")  # the peers' own, about their own code
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("program")
    parser.add_argument("--only", default=",".join(COMPARISONS), help="a comma-separated list of comparisons")
    parser.add_argument("--quick", action="store_true", help="shorter turns: less exact")
    settings = parser.parse_args()
    settings.turn, settings.rounds = (0.02, 5) if settings.quick else (0.1, 9)

    print(f"Command: bench/peers/run {' '.join(sys.argv[2:])}".rstrip())
    print(f"Machine: {platform.processor() or platform.machine()}, Python {platform.python_version()}, one thread each\n")
    print_row("task", "N", "peer", "ours", "theirs", "ratio of rates", "target", "agreement")
    print_row(*["---"] * 8)
    with tempfile.TemporaryDirectory() as folder:
        grove = Grove(settings.program, folder)
        for name in settings.only.split(","):
            COMPARISONS[name](grove, settings)
        grove.close()


if __name__ == "__main__":
    main()
