"""Draws as ArviZ reads them."""

from __future__ import annotations

import arviz_base
import arviz_stats
import numpy as np
import pytest
import xarray

import taxogrove

from conftest import FRUIT, crowd_votes


def test_arviz_summarises_the_draws() -> None:
    crowd, votes = crowd_votes(FRUIT, 80, 7, people=4, rates=(0.9, 0.1))
    result = taxogrove.infer(crowd.concepts, votes, root="food")
    tree = result.to_datatree()
    assert isinstance(tree, xarray.DataTree)
    posterior = tree["posterior"].dataset
    assert posterior.sizes["concept"] == 5 and posterior.sizes["worker"] == 4
    assert posterior.sizes["chain"] >= 100 and posterior.sizes["draw"] >= 4
    # The share of draws with a parent is its certainty, up to people who differ.
    for edge in result.edges():
        number = 0 if edge.parent == "food" else result.concepts.index(edge.parent) + 1
        share = float((posterior["parent"].sel(concept=edge.child) == number).mean())
        assert share == pytest.approx(edge.certainty, abs=0.1)
    few = arviz_base.extract(tree, num_samples=50, random_seed=1)
    assert few.sizes["sample"] == 50
    ess = arviz_stats.ess(tree, var_names=["top_level", "yes_when_above"])
    for name in ("top_level", "yes_when_above"):
        assert (np.asarray(ess[name]) > 50).all()
    summary = arviz_stats.summary(tree, var_names=["yes_when_above"], round_to="none")
    assert len(summary) == 4
    by_worker = {worker.worker: worker for worker in result.workers()}
    for name, mean in zip(posterior["worker"].values, np.asarray(summary["mean"], dtype=float), strict=True):
        assert mean == pytest.approx(by_worker[name].yes_when_above.mean, abs=0.02)
    observed = tree["observed_data"].dataset["answer"]
    assert observed.size == result.report()["votes"] - result.report()["cant_say"]
    assert set(tree["constant_data"].dataset["upper"].values) <= set(crowd.concepts)


def test_depths_are_those_of_the_trees() -> None:
    from taxogrove._datatree import depths

    parents = np.array([[[0, 1, 2, 0], [2, 0, 2, 3]]], dtype=np.int32)
    assert depths(parents).tolist() == [[[0, 1, 2, 0], [1, 0, 1, 2]]]


def test_engines_without_chains_give_independent_trees() -> None:
    result = taxogrove.infer(["fruit", "lime"], [{"worker": "a", "upper": "fruit", "lower": "lime", "answer": "yes"}], noise=0.1, engine="exact")
    posterior = result.to_datatree()["posterior"].dataset
    assert dict(posterior.sizes) == {"chain": 4, "draw": 500, "concept": 2}
    share = float((posterior["parent"].sel(concept="lime") == 1).mean())
    assert share == pytest.approx(dict(result.parents("lime"))["fruit"], abs=0.05)
