"""A thousand random inputs: every one gives a result or an exception of ours, and none ends the interpreter."""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import example, given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

import taxogrove
from taxogrove import Crowd, EdgeWeights, InputError, best_tree, infer

NAMES = st.sampled_from(["fruit", "Fruit", "lime", "soda", "drink", "food", "", " ", "\x00", "ﬁg", "fig", "\ud800", "x" * 300])
ANYTHING = st.one_of(
    NAMES, st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=8), st.binary(max_size=3),
    st.lists(NAMES, max_size=4), st.dictionaries(st.sampled_from(["picked", "ticked", "under"]), NAMES, max_size=2),
)
KEYS = st.sampled_from(["worker", "upper", "lower", "answer", "form", "options", "chosen", "kind", "time", "card", "category", "other"])
SENSIBLE = st.fixed_dictionaries(
    {
        "worker": st.sampled_from(["ann", "bob", "cem"]),
        "upper": st.sampled_from(["fruit", "lime", "soda", "drink"]),
        "lower": st.sampled_from(["fruit", "lime", "soda", "drink"]),
        "answer": st.sampled_from(["yes", "no", "cant_say"]),
    },
    optional={"kind": st.sampled_from(["path", "edge"])},
)
SCREENS = st.fixed_dictionaries(
    {
        "worker": st.sampled_from(["ann", "bob"]),
        "form": st.sampled_from(["pick", "tick", "place", "yesno"]),
        "answer": st.one_of(
            st.sampled_from(["none", "top", "cant_say", "yes"]),
            st.dictionaries(st.sampled_from(["picked", "under"]), st.sampled_from(["lime", "soda"]), min_size=1, max_size=1),
            st.fixed_dictionaries({"ticked": st.lists(st.sampled_from(["lime", "soda"]), max_size=3)}),
        ),
    },
    optional={
        "upper": st.sampled_from(["fruit", "drink"]),
        "lower": st.sampled_from(["lime", "soda"]),
        "options": st.lists(st.sampled_from(["fruit", "lime", "soda", "drink"]), max_size=4),
    },
)
ROWS = st.lists(st.one_of(SENSIBLE, SENSIBLE, SCREENS, st.dictionaries(KEYS, ANYTHING, max_size=5), ANYTHING), max_size=6)
OPTIONS = st.fixed_dictionaries(
    {},
    optional={
        "engine": st.sampled_from(["exact", "exact", "weights", "magic"]),
        "noise": st.one_of(st.sampled_from(["majority", "learn", "x"]), st.floats(), st.tuples(st.floats(0, 1), st.floats(0, 1))),
        "prior": st.sampled_from(["taxonomy", "uniform", "x"]),
        "root": st.one_of(st.none(), NAMES),
        "seed": st.integers(-1, 2**64),
    },
)


def attempt(call: Any, *arguments: Any, **options: Any) -> Any:
    """The result, or None if the input was refused."""
    try:
        return call(*arguments, **options)
    except (InputError, OverflowError, UnicodeEncodeError) as error:
        assert str(error), "an exception without a message"
        return None


@settings(max_examples=400)
@given(concepts=st.one_of(st.just(["fruit", "lime", "soda", "drink"]), st.lists(NAMES, max_size=5), ANYTHING), votes=ROWS, options=OPTIONS)
@example(concepts=["fruit", "lime"], votes=[], options={})
def test_inferences(concepts: Any, votes: Any, options: Any) -> None:
    if isinstance(concepts, str):
        concepts = [concepts]
    options.setdefault("engine", "exact")
    options.setdefault("noise", 0.1)
    # A learnt ensemble takes a tenth of a second; the exact engine refuses to learn, which is fine here.
    result = attempt(infer, concepts, votes or None, **options)
    if result is None:
        return
    for edge in result.edges():
        assert 0.0 <= edge.certainty <= 1.0 + 1e-9
    attempt(result.record, votes)
    assert len(result.edges()) == len(result.concepts)


@settings(max_examples=40)
@given(votes=ROWS, frame=st.booleans())
@example(votes=[], frame=True)
def test_inferences_with_the_defaults(votes: Any, frame: bool) -> None:
    """The engine and the noise that users get, which take longer; with a table of columns too."""
    if frame:
        rows = [vote for vote in votes if isinstance(vote, dict)]
        votes = {key: [row.get(key) for row in rows] for key in ("worker", "upper", "lower", "answer")}
    result = attempt(infer, ["fruit", "lime", "soda", "drink"], votes)
    if result is not None:
        assert all(0.0 <= edge.certainty <= 1.0 + 1e-9 for edge in result.edges())


#: Concepts 3 and 4 prefer each other by so much that a logarithm holds only a few digits of what else may be.
TIED = np.full((4, 5), -1e13)
TIED[2, 4] = TIED[3, 3] = 0.0


@settings(max_examples=300)
@given(
    weights=arrays.arrays(
        st.sampled_from([np.float64, np.float32, np.int64, np.bool_, np.complex128]),
        st.one_of(st.integers(0, 6).map(lambda n: (n, n + 1)), arrays.array_shapes(min_dims=0, max_dims=3, max_side=5)),
        elements=None,
    ),
    numbers=st.lists(st.integers(-3, 2**33), max_size=6),
)
@example(weights=TIED, numbers=[])
def test_weights(weights: Any, numbers: list[int]) -> None:
    attempt(best_tree, weights)
    made = attempt(EdgeWeights, weights)
    if made is None:
        return
    marginals = attempt(made.marginals)
    if marginals is not None:
        assert np.isfinite(marginals).all()
        assert np.allclose(marginals.sum(axis=1), 1.0)
        attempt(EdgeWeights.fit, marginals, max_eliminations=5)
        assert made.sample(3).shape == (3, len(made))
    attempt(made.log_probability, numbers)
    for first, second in zip(numbers, numbers[1:], strict=False):
        attempt(made.pin, first, second)
        attempt(made.observe, first, second, True, 0.2)


CROWD = Crowd([("fruit", "food"), ("lime", "fruit"), ("soda", "food")], people=2)


@settings(max_examples=200)
@given(
    pairs=st.lists(st.tuples(NAMES, NAMES), max_size=5), names=st.lists(NAMES, min_size=2, max_size=2), person=st.integers(-1, 3),
    shares=st.dictionaries(st.sampled_from(["always_yes", "coin", "fatigue", "concentration"]), st.floats(), max_size=3),
)
def test_crowds(pairs: Any, names: list[str], person: int, shares: Any) -> None:
    attempt(CROWD.ask, *names, person)
    crowd = attempt(Crowd, pairs, people=2, **shares)
    if crowd is not None:
        assert len(crowd.truth) == len(crowd.concepts)


SMALL = infer(["fruit", "lime", "soda"], noise=0.1, engine="exact")


@settings(max_examples=200)
@given(name=NAMES, other=NAMES, word=st.one_of(st.sampled_from(list(taxogrove.FORMATS)), st.text(max_size=5)), number=st.integers(-2, 50), text=st.text(max_size=20))
def test_questions_to_a_result(name: str, other: str, word: str, number: int, text: str) -> None:
    for call in (SMALL.path, SMALL.pin, SMALL.forbid, SMALL.free, SMALL.why):
        attempt(call, name, other)
    attempt(SMALL.people, name)
    attempt(SMALL.export, word, title=text, language=text or None, base=text or None)
    attempt(SMALL.samples, number, number)
    attempt(SMALL.withdraw, number)
    attempt(SMALL.next_questions, number, worker=text)
    assert SMALL.edges()
