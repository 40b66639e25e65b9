"""What a result says, and what it can be told."""

from __future__ import annotations

import json
import pickle
from collections.abc import Callable
from pathlib import Path

import networkx as nx
import numpy as np
import pytest
import rdflib

import taxogrove
from taxogrove import Crowd, Edge, Question, infer

from conftest import FRUIT, crowd_votes

Make = Callable[..., taxogrove.Result]


def test_the_hierarchy_is_found(small: Make) -> None:
    for engine in ("exact", "ensemble", "weights"):
        result = small(engine=engine)
        assert {(edge.child, edge.parent) for edge in result.edges()} == set(FRUIT), engine
        assert len(result) == 5 and result.root == "food"


def test_reading_agrees_with_itself(small: Make) -> None:
    result = small()
    edges = {edge.child: edge for edge in result.edges()}
    for child, edge in edges.items():
        parents = result.parents(child)
        assert sum(one.certainty for one in parents) == pytest.approx(1.0)
        assert dict(parents)[edge.parent] == edge.certainty
        assert result.path("food", child) == 1.0 and result.path(child, "food") == 0.0 and result.path(child, child) == 0.0
    assert result.path("fruit", "lime") >= edges["lime"].certainty
    samples = result.samples(4000, seed=1)
    frequency = (samples[:, result.concepts.index("lime")] == result.concepts.index("fruit") + 1).mean()
    assert frequency == pytest.approx(edges["lime"].certainty, abs=0.02)
    np.testing.assert_array_equal(samples[:10], result.samples(10, seed=1))
    assert isinstance(edges["lime"], Edge) and pickle.loads(pickle.dumps(edges)) == edges


def test_people_who_differ_are_named() -> None:
    rows = [
        {"worker": f"{side} {n}", "upper": upper, "lower": "tomato", "answer": "yes" if upper == side else "no"}
        for side in ("fruit", "vegetable")
        for n in range(10)
        for upper in ("fruit", "vegetable")
    ]
    rows += [
        {"worker": f"{side} {n}", "upper": upper, "lower": lower, "answer": "yes" if upper == truth else "no"}
        for side in ("fruit", "vegetable")
        for n in range(10)
        for lower, truth in (("lime", "fruit"), ("leek", "vegetable"))
        for upper in ("fruit", "vegetable")
    ]
    rows += [
        {"worker": f"fruit {n}", "upper": upper, "lower": "tomato", "answer": "no"} for n in range(6) for upper in ("lime", "leek")
    ]
    result = infer(["fruit", "vegetable", "tomato", "lime", "leek"], rows)
    people = result.people("tomato")
    assert people.chance > 0.5 and {place.parent for place in people.places} == {"fruit", "vegetable"}
    for place in people.places:
        assert 0.2 < place.share < 0.8 and place.low <= place.share <= place.high
        assert set(place.said_yes) == {f"{place.parent} {n}" for n in range(10)}
        assert not set(place.said_yes) & set(place.said_no)
    # The control: nobody differs on a lime.
    assert result.people("lime").chance < 0.5
    assert "people differ" in str(result)


def test_votes_are_recorded_and_withdrawn(small: Make) -> None:
    result = small()
    before = result.report()
    count = before["votes"]
    said = {"worker": "eve", "upper": "drink", "lower": "lime", "answer": "yes"}
    assert result.record(said) == [count]
    assert result.record([said, said]) == [count + 1, count + 2]
    assert result.record(worker="eve", upper="lime", lower="drink", answer="no") == [count + 3]
    changed = result.report()
    assert changed["votes"] == count + 4 and changed["repeated_votes"] == before["repeated_votes"] + 2
    assert result.path("drink", "lime") > 0.5 > small().path("drink", "lime")
    assert result.votes()[count]["worker"] == "eve" and result.votes()[count]["counts"]
    result.withdraw(count, count + 1)
    result.withdraw(count + 2)
    result.withdraw(count + 3)
    assert [vote["counts"] for vote in result.votes()][count:] == [False] * 4
    result.withdraw(result.record([said, said]))
    assert [vote["counts"] for vote in result.votes()][count:] == [False] * 6
    assert result.report()["hierarchy"] == before["hierarchy"]
    with pytest.raises(taxogrove.InputError):
        result.withdraw(count)


def test_many_votes_together_lead_where_they_lead_one_by_one() -> None:
    crowd, votes = crowd_votes(FRUIT, 200, 9, people=5, rates=(0.9, 0.1))
    at_once, together = infer(crowd.concepts, votes, root="food"), infer(crowd.concepts, root="food")
    assert together.record(votes) == list(range(200))
    for one, other in zip(at_once.edges(), together.edges(), strict=True):
        assert one.parent == other.parent and one.certainty == pytest.approx(other.certainty, abs=0.1)


def test_corrections_hold(small: Make) -> None:
    result = small()
    result.pin("lime", "drink")
    result.pin("lime", "drink")
    assert result.parents("lime") == [("drink", 1.0)]
    result.forbid("soda", "drink")
    assert result.path("drink", "soda") == 0.0
    result.pin("pear", "food")
    assert result.parents("pear") == [("food", 1.0)]
    assert [one["rule"] for one in result.corrections()] == ["directly_under", "not_under", "top_level"]
    assert result.free("lime") == 1 and result.free("pear", "food") == 1 and result.free("soda", "drink") == 1
    assert result.corrections() == [] and result.report() == small().report()
    result.pin("lime", "food", somewhere=False)
    result.pin("soda", "drink", somewhere=True)
    assert result.path("drink", "soda") == pytest.approx(1.0, abs=1e-12)


def test_an_active_loop_learns_the_hierarchy() -> None:
    crowd = Crowd("food", people=20, rates="qualified", seed=2)
    result = infer(crowd.concepts, root=crowd.root, seed=1)
    for turn in range(80):
        question = result.next_questions(1, worker=f"person {turn % 20}")[0]
        assert question.form == "yesno" and question.gain > 0 and 0 <= (question.above or 0) <= 1
        result.record(crowd.answer(question, turn % 20))
    right = sum(crowd.truth[edge.child] == edge.parent for edge in result.edges())
    # By chance one of 26 would be.
    assert right >= 8, right
    assert [worker.worker for worker in result.workers()] == [f"person {n}" for n in range(20)]
    assert result.workers()[0].verdict in ("fine", "too_few_votes", "straightliner", "inverted")


def test_batches_and_strategies_and_forms(small: Make) -> None:
    result = small()
    batch = result.next_questions(4)
    assert len({(question.upper, question.lower) for question in batch}) == 4
    assert result.next_questions(4) == batch
    for strategy in ("worst-case", "random", "gain"):
        assert len(result.next_questions(3, strategy=strategy)) == 3  # type: ignore[arg-type]
    assert len(result.next_questions(1000)) == 20
    assert result.next_questions(2, forms="yesno") == result.next_questions(2)
    asked = result.next_questions(1, worker="ann")[0]
    result.record(asked.vote("ann", "cant_say"))
    assert all((one.upper, one.lower) != (asked.upper, asked.lower) for one in result.next_questions(20, worker="ann"))
    assert result.next_questions(0) == []


def test_all_forms_are_asked_and_answered() -> None:
    crowd = Crowd(FRUIT, people=3, rates=(0.97, 0.03), seed=4)
    result = infer(crowd.concepts, root=crowd.root, noise=0.05)
    forms = set()
    for turn in range(12):
        form = (["pick"], ["tick"], ["place"], ["yesno", "pick", "tick", "place"])[turn % 4]
        question = result.next_questions(1, worker=f"person {turn % 3}", forms=form)[0]  # type: ignore[arg-type]
        forms.add(question.form)
        assert isinstance(question, Question) and question.seconds and question.text.endswith("?")
        result.record(crowd.answer(question, turn % 3))
    assert {"pick", "tick", "place"} <= forms
    assert result.report()["screens"] == 12
    # All is settled now, and no pick is worth a screen; begin anew.
    result = infer(crowd.concepts, root=crowd.root, noise=0.05)
    pick = result.next_questions(1, forms=["pick"])[0]
    for answer in ("none", "cant_say", pick.options[0]):
        result.record(pick.vote("ann", answer))
    tick = result.next_questions(1, forms=["tick"])[0]
    result.record(tick.vote("ann", list(tick.options)))
    place = result.next_questions(1, forms=["place"])[0]
    result.record([place.vote("ann", "top"), place.vote("bob", crowd.concepts[0] if place.lower != crowd.concepts[0] else crowd.concepts[1])])


def test_every_format_is_written(small: Make) -> None:
    result = small()
    for name in taxogrove.FORMATS:
        assert "lime" in result.export(name), name
    assert result.to_newick().startswith("[&R] (")
    assert result.to_newick(samples=3).count(";\n") == 3
    assert len(json.loads(result.export("json", samples=5))["parents"]) == 5
    turtle = result.to_skos(base="https://example.org/food/", language="en")
    graph = rdflib.Graph().parse(data=turtle, format="turtle")
    skos = rdflib.Namespace("http://www.w3.org/2004/02/skos/core#")
    broader = {(str(child), str(parent)) for child, parent in graph.subject_objects(skos.broader)}
    concept = "https://example.org/food/concept/"
    assert (f"{concept}lime", f"{concept}fruit") in broader


def test_networkx_has_the_same_edges(small: Make) -> None:
    result = small()
    graph = result.to_networkx()
    assert nx.is_arborescence(graph) and set(graph.nodes) == {"food", *result.concepts}
    for edge in result.edges():
        assert graph.edges[edge.parent, edge.child]["certainty"] == edge.certainty


def test_a_notebook_draws_it(small: Make) -> None:
    result = infer(["<script>", "b"], noise=0.1)
    drawn = result._repr_html_()
    assert "<svg" in drawn and "<?xml" not in drawn and "<script>" not in drawn and "&lt;script&gt;" in drawn
    assert "5 concepts, 60 votes, converged" in small()._repr_html_()
    assert repr(small()) == "<Result: 5 concepts, 60 votes, converged>"
    text = str(small())
    assert text.splitlines()[0] == "food" and "├─ fruit" in text and "└─ soda" in text


@pytest.mark.parametrize("engine", ["ensemble", "exact", "weights"])
def test_a_saved_result_continues_with_the_same_bits(tmp_path: Path, small: Make, engine: str) -> None:
    result = small(engine=engine, noise=0.05 if engine != "ensemble" else "learn", seed=3)
    if engine != "weights":
        # The paper's engine forgets in an order that cannot be repeated; it is computed again from its votes.
        result.record(worker="eve", upper="drink", lower="lime", answer="yes")
        result.withdraw(3)
        result.pin("pear", "fruit")
    result.save(tmp_path / "saved.json")
    again = taxogrove.load(tmp_path / "saved.json")
    assert again._session.digest() == result._session.digest()
    assert again.report() == result.report()
    assert again.votes() == result.votes() and again.corrections() == result.corrections()
    for one in (result, again):
        one.record(worker="new", upper="fruit", lower="soda", answer="no")
    assert again._session.digest() == result._session.digest()
    assert again.next_questions(3) == result.next_questions(3)
    again.save(tmp_path / "saved.json")
    assert list(tmp_path.iterdir()) == [tmp_path / "saved.json"]


def test_a_saved_result_keeps_what_files_say(tmp_path: Path) -> None:
    (tmp_path / "food.csv").write_text("name,definition,synonyms\nfruit,sweet,fruits|obst\nlime,,\n")
    result = infer(tmp_path / "food.csv", noise=0.1, root="food")
    result.save(tmp_path / "saved.json")
    again = taxogrove.load(tmp_path / "saved.json")
    again.record(worker="ann", upper="OBST", lower="lime", answer="yes")
    assert "sweet" in again.to_skos() and again.root == "food"


def test_an_older_engines_belief_is_computed_again(tmp_path: Path, small: Make) -> None:
    result = small(engine="ensemble")
    result.save(tmp_path / "saved.json")
    text = (tmp_path / "saved.json").read_text()
    changed = json.loads(text)
    changed["revision"] = 0
    (tmp_path / "saved.json").write_text(json.dumps(changed))
    again = taxogrove.load(tmp_path / "saved.json")
    assert [edge.parent for edge in again.edges()] == [edge.parent for edge in result.edges()]


def test_why_names_the_votes(small: Make) -> None:
    why = small().why("lime")
    assert why["parent"] == "fruit" and why["certainty"] > 0.9
    assert all({vote["upper"], vote["lower"]} == {"fruit", "lime"} for vote in why["direct"])


def test_progress_is_told_as_tqdm_wants_it(small: Make) -> None:
    told: list[tuple[str, object]] = []

    class Bar:
        def __init__(self, *, total: int | None, desc: str) -> None:
            told.append((desc, total))

        def update(self, n: int = 1, /) -> None:
            told.append(("update", n))

        def close(self) -> None:
            told.append(("close", None))

    small(engine="weights", progress=Bar)
    assert told == [("votes", 60), *[("update", 1)] * 60, ("close", None)]
    told.clear()
    small(engine="ensemble", progress=Bar)
    assert told[0] == ("placing the concepts", None) and told[-1] == ("close", None)
    assert small(progress=True).root == "food"

    def broken(*, total: int | None, desc: str) -> Bar:
        raise RuntimeError("no terminal")

    with pytest.raises(RuntimeError, match="no terminal"):
        small(progress=broken)
