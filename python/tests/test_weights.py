"""Distributions over trees, against oracles that do not share their method."""

from __future__ import annotations

import itertools
import pickle
import threading

import networkx as nx
import numpy as np
import numpy.typing as npt
import pytest

from taxogrove import EdgeWeights, best_tree

from conftest import Ticking

Floats = npt.NDArray[np.float64]


def random_weights(count: int, seed: int = 0, spread: float = 1.0) -> Floats:
    weights: Floats = spread * np.random.default_rng(seed).standard_normal((count, count + 1))
    return weights


def all_trees(count: int) -> list[tuple[int, ...]]:
    def is_tree(parents: tuple[int, ...]) -> bool:
        for child in range(1, count + 1):
            at, steps = child, 0
            while at != 0 and steps <= count:
                at, steps = parents[at - 1], steps + 1
            if at != 0:
                return False
        return True

    return [parents for parents in itertools.product(range(count + 1), repeat=count) if is_tree(parents)]


def scores(log_weights: Floats, trees: list[tuple[int, ...]]) -> Floats:
    children = np.arange(log_weights.shape[0])
    return np.array([log_weights[children, list(tree)].sum() for tree in trees])


def laplacian(log_weights: Floats) -> Floats:
    """The usual way, by a determinant: child by child, without the root."""
    count = log_weights.shape[0]
    weights = np.exp(log_weights)
    weights[np.arange(count), np.arange(1, count + 1)] = 0.0
    matrix: Floats = np.diag(weights.sum(axis=1)) - weights[:, 1:]
    return matrix


@pytest.mark.parametrize("count", [1, 2, 3, 4])
def test_against_all_trees_one_by_one(count: int) -> None:
    log_weights = random_weights(count, seed=count)
    trees = all_trees(count)
    assert len(trees) == (count + 1) ** (count - 1)
    each = scores(log_weights, trees)
    weights = EdgeWeights(log_weights)
    log_z = np.logaddexp.reduce(each)
    assert weights.log_z() == pytest.approx(log_z, rel=1e-13)
    chances = np.exp(each - log_z)
    expected = np.zeros((count, count + 1))
    for tree, chance in zip(trees, chances, strict=True):
        expected[np.arange(count), list(tree)] += chance
    np.testing.assert_allclose(weights.marginals(), expected, atol=1e-14)
    assert weights.entropy() == pytest.approx(-(chances * np.log(chances)).sum(), abs=1e-12)
    assert tuple(weights.best_tree()) == trees[int(each.argmax())] == tuple(best_tree(log_weights))
    assert weights.log_probability(trees[0]) == pytest.approx(np.log(chances[0]), abs=1e-12)


@pytest.mark.parametrize("count", [10, 50, 201, 400])
def test_against_the_determinant(count: int) -> None:
    log_weights = random_weights(count)
    weights = EdgeWeights(log_weights)
    matrix = laplacian(log_weights)
    assert weights.log_z() == pytest.approx(np.linalg.slogdet(matrix)[1], rel=1e-12)
    inverse = np.linalg.inv(matrix)
    expected = np.exp(log_weights)
    expected[:, 0] *= np.diag(inverse)
    expected[:, 1:] *= np.diag(inverse)[:, None] - inverse.T
    expected[np.arange(count), np.arange(1, count + 1)] = 0.0
    found = weights.marginals()
    np.testing.assert_allclose(found, expected, atol=1e-9)
    np.testing.assert_allclose(found.sum(axis=1), 1.0, rtol=1e-12)
    # The cached marginals are not the caller's to change.
    found[:] = 7.0
    np.testing.assert_allclose(weights.marginals(), expected, atol=1e-9)
    # Another elimination, other roundings.
    assert weights.log_z() == pytest.approx(EdgeWeights(log_weights).log_z(), rel=1e-14)


def test_a_weak_root_costs_no_digits() -> None:
    # A determinant loses all of them here.
    count = 30
    log_weights = np.zeros((count, count + 1))
    log_weights[:, 0] = -60.0
    marginals = EdgeWeights(log_weights).marginals()
    np.testing.assert_allclose(marginals[:, 0], 1.0 / count, rtol=1e-12)


@pytest.mark.parametrize("count", [5, 40, 250])
def test_best_tree_against_networkx(count: int) -> None:
    log_weights = random_weights(count, seed=count)
    ours = best_tree(log_weights)
    children = np.arange(count)
    if count > 100:
        # networkx takes minutes; a tree cannot be better than every concept's best parent.
        bound = np.where(np.eye(count, count + 1, 1, dtype=bool), -np.inf, log_weights).max(axis=1).sum()
        assert log_weights[children, ours].sum() <= bound
        np.testing.assert_array_equal(ours, EdgeWeights(log_weights).best_tree())
        return
    graph = nx.DiGraph()
    for child, parent in itertools.product(range(1, count + 1), range(count + 1)):
        if child != parent:
            graph.add_edge(parent, child, weight=log_weights[child - 1, parent])
    found = nx.maximum_spanning_arborescence(graph)
    theirs = sum(data["weight"] for _, _, data in found.edges(data=True))
    assert log_weights[children, ours].sum() == pytest.approx(theirs, rel=1e-12)


@pytest.mark.parametrize("method", [None, "walk", "restore"])
def test_samples_have_the_exact_frequencies(method: object) -> None:
    count, drawn = 8, 20_000
    weights = EdgeWeights(random_weights(count, seed=5))
    trees = weights.sample(drawn, seed=1, method=method)  # type: ignore[arg-type]
    assert trees.shape == (drawn, count) and trees.dtype == np.int32

    def worst(expected: Floats) -> float:
        frequencies = np.stack([(trees == parent).mean(axis=0) for parent in range(count + 1)], axis=1)
        error = np.sqrt(np.maximum(expected * (1 - expected), 1e-9) / drawn)
        return float((np.abs(frequencies - expected) / error).max())

    # 64 edges, alpha 1e-4 each; the planted fault, weights of the root that are 20 % off, is found.
    assert worst(weights.marginals()) < 4.5
    tilted = random_weights(count, seed=5)
    tilted[:, 0] += 0.2
    assert worst(EdgeWeights(tilted).marginals()) > 4.5
    np.testing.assert_array_equal(trees[:100], weights.sample(100, seed=1, method=method))  # type: ignore[arg-type]
    assert (trees[:100] != weights.sample(100, seed=2, method=method)).any()  # type: ignore[arg-type]


def test_fit_gives_the_wanted_marginals() -> None:
    truth = EdgeWeights(random_weights(6, seed=2))
    fit = EdgeWeights.fit(truth.marginals(), shrinkage=1e-7)
    assert fit.outcome == "converged" and fit.residual <= 1e-6 and fit.eliminations > 1
    np.testing.assert_allclose(fit.weights.marginals(), truth.marginals(), atol=1e-5)
    assert fit.weights.kl_divergence(truth) < 1e-6
    # Strong shrinkage pulls every weight to that of the uniform distribution.
    assert EdgeWeights.fit(truth.marginals(), shrinkage=2.0).weights.kl_divergence(EdgeWeights.uniform(6)) < 1e-9
    again = EdgeWeights.fit(truth.marginals(), np.full((6, 7), 1e-7), start=fit.weights)
    assert again.eliminations < fit.eliminations


def test_edits_return_another_distribution() -> None:
    uniform = EdgeWeights.uniform(2)
    assert uniform.observe(1, 2, True, 0.1).marginals()[1, 1] == pytest.approx(9 / 11)
    assert uniform.pin(1, 2).marginals()[1].tolist() == [0.0, 1.0, 0.0]
    assert uniform.forbid(1, 2).marginals()[1, 1] == 0.0
    assert uniform == EdgeWeights.uniform(2) and uniform != uniform.pin(1, 2) and uniform != 3
    assert len(uniform) == 2 and repr(uniform) == "<EdgeWeights of 2 concepts>"


def test_arrays_of_all_types_and_layouts_are_the_same() -> None:
    base = np.round(4 * random_weights(7)) / 4
    expected = EdgeWeights(base).marginals()
    strided = np.zeros((14, 16))
    strided[::2, ::2] = base
    read_only = base.copy()
    read_only.flags.writeable = False
    unaligned = np.frombuffer(b"x" + base.tobytes(), dtype=np.float64, offset=1).reshape(base.shape)
    swapped = base.astype(base.dtype.newbyteorder())
    for same in (base.astype(np.float32), np.asfortranarray(base), strided[::2, ::2], base.tolist(), read_only, unaligned, swapped):
        np.testing.assert_array_equal(EdgeWeights(same).marginals(), expected)
    np.testing.assert_array_equal(EdgeWeights(np.zeros((3, 4), dtype=int)).log_weights[0], [0.0, -np.inf, 0.0, 0.0])
    assert EdgeWeights(np.zeros((0, 1))).log_z() == 0.0
    assert EdgeWeights.uniform(0).sample(3).shape == (3, 0)


def test_it_can_be_pickled_and_used_by_threads() -> None:
    weights = EdgeWeights(random_weights(30))
    assert pickle.loads(pickle.dumps(weights)) == weights
    with pytest.raises(TypeError):
        hash(weights)
    found: list[float] = []
    threads = [threading.Thread(target=lambda: found.append(weights.marginals().sum())) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == pytest.approx([30.0] * 4)


def test_other_threads_run_while_it_computes() -> None:
    rows = random_weights(700)
    with Ticking() as ticking:
        # A held lock would let it tick once or twice in a call. On a busy machine another thread may hardly run either, so there are
        # several tries.
        assert any(ticking.during(EdgeWeights(rows).marginals) > 5 for _ in range(50))
        # The control: a sum of the interpreter's own holds the lock.
        assert any(ticking.during(lambda: sum(range(5_000_000))) <= 2 for _ in range(50))
