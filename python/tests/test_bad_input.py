"""Whatever is wrong with the input, the exception says so, and nothing has changed."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import taxogrove
from taxogrove import Crowd, EdgeWeights, InputError, _input, best_tree, infer

from conftest import grove

NAMES = ["fruit", "lime", "soda"]
VOTE = {"worker": "ann", "upper": "fruit", "lower": "lime", "answer": "yes"}


def refused(message: str, call: Callable[..., object], *arguments: Any, **options: Any) -> None:
    with pytest.raises(InputError, match=message) as caught:
        call(*arguments, **options)
    assert isinstance(caught.value, ValueError) and isinstance(caught.value, taxogrove.GroveError)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("message", "votes"),
    [
        (r'votes\[1\]: "friut" is not among the concepts; did you mean "fruit"\?', [VOTE, {**VOTE, "upper": "friut"}]),
        (r'votes\[0\]: "maybe" is not a valid answer', [{**VOTE, "answer": "maybe"}]),
        (r"votes\[0\]: .*itself", [{**VOTE, "lower": "fruit"}]),
        (r"votes\[0\]: .*worker", [{**VOTE, "worker": ""}]),
        (r"votes\[0\]: .*worker", [{**VOTE, "worker": None}, VOTE]),
        (r"there is no column", [{"worker": "ann", "upper": "fruit", "lower": "lime"}]),
        (r"votes\[1\]: a row is a value of type str", [VOTE, "yes"]),
        (r"votes\[0\]: answer is a value of type object", [{**VOTE, "answer": object()}]),
        (r"votes\[0\]: worker is the number 0.5", [{**VOTE, "worker": 0.5}]),
        (r"votes\[0\]: worker is the number inf", [{**VOTE, "worker": float("inf")}]),
        (r"votes\[0\]: upper is a value of type bytes", [{**VOTE, "upper": b"fruit"}]),
        (r"votes\[0\]", [{**VOTE, "upper": "fruit\x00"}]),
        (r"votes\[0\]", [{**VOTE, "upper": "\ud800"}]),
        (r"votes\[0\]", [{**VOTE, "upper": "x" * 100_000}]),
        (r"there is no row", []),
        (r"there is no row", pd.DataFrame()),
        (r"there is no row", pd.DataFrame(columns=["worker", "upper", "lower", "answer"])),
        (r"there is no row", pl.DataFrame(schema=["worker", "upper", "lower", "answer"])),
        (r"there is no row", pa.table({"worker": pa.array([], pa.string())})),
        (r"there is no column", pd.DataFrame({"worker": ["ann"], "upper": ["fruit"]})),
        (r"two columns of the frame have the same name", pd.DataFrame([[1, 2]], columns=["worker", "worker"])),
        (r"different lengths", {"worker": ["ann"], "upper": ["fruit", "fruit"], "lower": ["lime"], "answer": ["yes"]}),
        (r"this is one row", VOTE),
        (r"votes is a value of type int", 3),
        (r"votes is a value of type bytes", b"worker,upper"),
        (r"there is no such file; correct the name", "nowhere.csv"),
        (r"this is a folder; name a file in it", "/"),
        (r"cannot be read", "a\0b.csv"),
    ],
)
def test_votes(message: str, votes: Any) -> None:
    refused(message, infer, NAMES, votes)


@pytest.mark.parametrize(
    ("message", "concepts"),
    [
        (r"there is no row", []),
        (r"concepts\[1\]: .*same concept", ["lime", "Lime"]),
        (r"concepts\[1\]", ["lime", ""]),
        (r"concepts\[0\]", ["a\nb"]),
        (r"concepts\[0\]: a row is a value of type int", [3]),
        (r"concepts is a value of type float", 0.5),
        (r"there is no column concept or name", [{"definition": "without a name"}]),
        (r"neither concepts nor votes", None),
        (r'concepts\[0\]: the parents form a cycle: "a" under "b" under "a"', [{"name": "a", "parent": "b"}, {"name": "b", "parent": "a"}]),
    ],
)
def test_concepts(message: str, concepts: Any) -> None:
    refused(message, infer, concepts)


def test_votes_without_concepts(tmp_path: Path) -> None:
    advice = "this is not a card sort, so its concepts are not known; give concepts=, a list of names or a file"
    refused(rf"^votes: {advice}$", infer, votes=[VOTE])
    file = tmp_path / "votes.csv"
    file.write_text("worker,upper,lower,answer\nann,fruit,lime,yes\n")
    refused(rf"votes\.csv: {advice}$", infer, votes=file)


@pytest.mark.parametrize(
    ("concepts", "votes", "options"),
    [
        ("fruit\nlime\n", "worker,upper,lower,answer\nann,friut,lime,yes\n", {}),
        ("fruit\nlime\n", "worker,upper,lower,answer\nann,fruit,lime,maybe\n", {}),
        ("fruit\nlime\n", "worker,upper,lower\nann,fruit,lime\n", {}),
        ("fruit\nFruit\n", "worker,upper,lower,answer\nann,fruit,lime,yes\n", {}),
        ("fruit\nlime\n", "worker,upper,lower,answer\nann,fruit,lime,yes\n", {"root": "lime"}),
        ("fruit\nlime\n", "worker,upper,lower,answer\nann,fruit,lime,yes\n", {"engine": "exact"}),
    ],
)
def test_messages_are_those_of_the_command_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, concepts: str, votes: str, options: Any) -> None:
    (tmp_path / "concepts.txt").write_text(concepts)
    (tmp_path / "votes.csv").write_text(votes)
    arguments = [word for name, value in options.items() for word in (f"--{name}", value)]
    finished = grove("infer", "--concepts", "concepts.txt", "--answers", "votes.csv", *arguments, folder=tmp_path)
    assert finished.returncode == 2
    monkeypatch.chdir(tmp_path)
    with pytest.raises(InputError) as caught:
        infer("concepts.txt", "votes.csv", **options)
    assert finished.stderr == f"error: {caught.value}\n"


@pytest.mark.parametrize(
    ("message", "options"),
    [
        (r"no engine; give one of ensemble, exact, weights", {"engine": "magic"}),
        (r"no prior; give one of taxonomy, uniform", {"prior": "flat"}),
        (r"the noise is \"nan\"; give learn", {"noise": float("nan")}),
        (r"the noise is \"1.5\"; give learn", {"noise": 1.5}),
        (r"the noise has a rate", {"noise": ("a", None)}),
        (r"the seed is -1", {"seed": -1}),
        (r"the seed is 18446744073709551616", {"seed": 2**64}),
        (r"the seed is 0.5", {"seed": 0.5}),
        (r"already a concept; give the root another name", {"root": "lime"}),
        (r"the exact engine cannot learn error rates", {"engine": "exact"}),
        (r"progress is a value of type int", {"progress": 3}),
    ],
)
def test_options(message: str, options: Any) -> None:
    refused(message, infer, NAMES, [VOTE], **options)


def test_too_many_concepts_and_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    refused("at most 16; choose the ensemble engine", infer, [f"c{n}" for n in range(17)], noise=0.1, engine="exact")
    refused("at most 10000; split the list", infer, [f"c{n}" for n in range(10_001)])
    huge = pd.DataFrame({"worker": np.zeros(_input.MOST_ROWS + 1, dtype=np.int8)})
    refused("at most 2000000 can be read; split them", infer, NAMES, huge)
    monkeypatch.setattr(_input, "MOST_ROWS", 5)
    refused("at most 5 can be read", infer, NAMES, (VOTE for _ in range(6)))


def test_what_a_result_is_asked(small: Callable[..., taxogrove.Result]) -> None:
    result = small()
    before = result.report()
    refused('"banana" is not among the concepts', result.path, "banana", "lime")
    refused('did you mean "lime"', result.parents, "lim")
    refused('"food" is the root', result.parents, "food")
    refused('"food" is the root', result.people, "food")
    refused("is not the number of a vote", result.withdraw, -1)
    refused("there is no vote 1000", result.withdraw, 1000)
    refused("no correction of", result.free, "lime")
    refused("same concept", result.pin, "lime", "lime")
    refused("the root is above every concept", result.forbid, "lime", "food")
    refused("is not a valid format", result.export, "word")
    refused("newick or json, not as svg", result.export, "svg", samples=3)
    refused("end it in / or #", result.to_skos, base="https://example.org")
    refused("relation is", result.export, "skos", relation="beside")
    refused("language|valid", result.export, "skos", language="not a tag")
    refused("no form; give one of yesno", result.next_questions, forms=["guess"])
    refused("there is no form", result.next_questions, forms=[])
    refused("no strategy", result.next_questions, strategy="luck")
    refused("more trees than fit", result.samples, 2**62)
    refused("give votes, or the fields", result.record)
    refused(r"votes\[0\]: \"banana\"", result.record, {**VOTE, "lower": "banana"})
    with pytest.raises(OverflowError):
        result.samples(-1)
    assert result.report() == before


def test_a_contradiction_is_refused_and_named(small: Callable[..., taxogrove.Result]) -> None:
    result = small()
    result.pin("lime", "fruit")
    refused("all of: lime directly under fruit, lime not under fruit; undo one", result.forbid, "lime", "fruit")
    assert len(result.corrections()) == 1


@pytest.mark.parametrize("text", ["", "{}", "[1]", '{"taxogrove": 9}', "\x00", "null"])
def test_files_that_are_no_results(tmp_path: Path, text: str) -> None:
    (tmp_path / "saved.json").write_text(text)
    refused("saved.json: this", taxogrove.load, tmp_path / "saved.json")
    refused("cannot be read", taxogrove.load, tmp_path / "other.json")


def test_damaged_results(tmp_path: Path, small: Callable[..., taxogrove.Result]) -> None:
    path = tmp_path / "saved.json"
    small(engine="ensemble").save(path)
    text = path.read_text()
    for broken in (
        re.sub(r'"belief":"[^"]{40}', '"belief":"', text),
        text.replace('"lower":1', '"lower":99', 1),
        text.replace('"worker":0', '"worker":77', 1),
        re.sub(r'"concepts":"', '"concepts":"x', text),
    ):
        assert broken != text
        path.write_text(broken)
        with pytest.raises(InputError):
            taxogrove.load(path)
    refused("cannot be written", small().save, tmp_path / "no" / "folder.json")


@pytest.mark.parametrize(
    ("message", "weights"),
    [
        ("log-weight of 1 -> 2 is NaN", [[0.0, 0.0, 0.0], [0.0, np.nan, 0.0]]),
        ("log-weight of 0 -> 1 is inf", [[np.inf, 0.0, 0.0], [0.0, 0.0, 0.0]]),
        (r"shape \[2, 2\]; give one row per concept", np.zeros((2, 2))),
        (r"shape \[3\]; give", np.zeros(3)),
        (r"shape \[1, 2, 2\]; give", np.zeros((1, 2, 2))),
        (r"type <U1; give numbers", [["a", "b"]]),
        (r"type complex128; give numbers", np.zeros((1, 2), dtype=complex)),
        (r"type bool; give numbers", np.zeros((1, 2), dtype=bool)),
        (r"type object; give numbers", np.array([[None, 1.0]])),
        (r"no array of numbers", [[0.0, 1.0], [0.0]]),
        (r"give", None),
    ],
)
def test_edge_weights(message: str, weights: Any) -> None:
    refused(message, EdgeWeights, weights)
    refused("give|forbid|number", best_tree, weights)


def test_distributions() -> None:
    weights = EdgeWeights.uniform(3)
    stuck = EdgeWeights(np.full((2, 3), -np.inf))
    for call in (stuck.log_z, stuck.marginals, stuck.entropy, stuck.best_tree):
        refused("no tree is possible: every path to the root is forbidden from 1, 2", call)
    refused("no tree is possible", stuck.sample, 1)
    refused("no method of sampling", weights.sample, 1, method="luck")
    refused("more trees than fit", weights.sample, 2**62)
    refused("at most 20000", EdgeWeights.uniform, 10**9)
    refused("not an edge", weights.pin, 1, 1)
    refused("not an edge", weights.pin, 4, 1)
    refused("no concept's number", weights.pin, 2**40, 1)
    refused("noise rate", weights.observe, 1, 2, True, 0.0)
    refused("above themselves: 1 under 2 under 1", weights.log_probability, [2, 1, 0])
    refused("expected 3 concepts", weights.log_probability, [0, 0])
    refused("-1 is no parent", weights.log_probability, [0, -1, 0])
    refused("type float64; give numbers", weights.log_probability, [0.0, 1.0, 0.0])
    refused("expected 3 concepts", weights.kl_divergence, EdgeWeights.uniform(2))
    refused("sum to", EdgeWeights.fit, np.full((2, 3), 0.9))
    refused("tolerance", EdgeWeights.fit, weights.marginals(), tolerance=0.0)
    refused("shrinkage of", EdgeWeights.fit, weights.marginals(), shrinkage=-1.0)
    refused("expected 3 concepts", EdgeWeights.fit, weights.marginals(), shrinkage=np.zeros((2, 3)))
    with pytest.raises(TypeError):
        weights.sample("many")  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("message", "options"),
    [
        ("no built-in hierarchy", {"truth": "nowhere"}),
        ("people is", {"people": 0}),
        ("rates is", {"rates": "perfect"}),
        ("always_yes", {"always_yes": 1.5}),
        ("sum to", {"always_yes": 0.6, "always_no": 0.6}),
        ("two parents", {"truth": [("a", "b"), ("a", "c"), ("c", "b")]}),
        ("at least one child", {"truth": []}),
        ("above themselves: ", {"truth": [("a", "b"), ("b", "a"), ("c", "root")]}),
    ],
)
def test_crowds(message: str, options: Any) -> None:
    refused(message, Crowd, **options)


def test_what_a_crowd_is_asked() -> None:
    crowd = Crowd(people=2)
    refused("no person 2; they are numbered 0 to 1", crowd.ask, "fruit", "lime", 2)
    refused('"banan" is not among', crowd.ask, "banan", "lime", 0)
    refused("same concept", crowd.ask, "lime", "lime", 0)
