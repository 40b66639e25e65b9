"""The same votes and seed give the same bits as ``grove infer --json``."""

from __future__ import annotations

import csv
import json
import os
import subprocess
from pathlib import Path

import pytest

import taxogrove

from conftest import REPOSITORY, crowd_votes, grove

PICKS = [
    {"worker": "ann", "form": "pick", "lower": "lime", "options": ["fruit", "drink"], "answer": {"picked": "fruit"}},
    {"worker": "bob", "form": "tick", "upper": "fruit", "options": ["lime", "soda"], "answer": {"ticked": ["lime"]}},
    {"worker": "bob", "form": "place", "lower": "soda", "answer": {"under": "drink"}},
    {"worker": "cem", "form": "place", "lower": "fruit", "answer": "top"},
    {"worker": "cem", "upper": "fruit", "lower": "soda", "answer": "no"},
]


def write(folder: Path, concepts: list[str], votes: list[dict[str, object]]) -> None:
    (folder / "concepts.txt").write_text("\n".join(concepts) + "\n")
    with open(folder / "votes.csv", "w", newline="") as file:
        writer = csv.DictWriter(file, ["worker", "upper", "lower", "kind", "answer"])
        writer.writeheader()
        writer.writerows(votes)


def printed(folder: Path, *arguments: str) -> str:
    finished = grove("infer", *arguments, "--json", folder=folder)
    assert finished.returncode == 0, finished.stderr
    # The program that cargo built says the same as the one in the wheel.
    if built := os.environ.get("GROVE_BINARY"):
        other = subprocess.run([built, "infer", *arguments, "--json"], cwd=folder, capture_output=True, text=True, timeout=1200)
        assert other.stdout == finished.stdout
    return finished.stdout


def test_food_with_learnt_rates(tmp_path: Path) -> None:
    crowd, votes = crowd_votes("food", 250, 3, people=12, always_yes=0.1)
    write(tmp_path, list(crowd.concepts), votes)
    text = printed(tmp_path, "--concepts", "concepts.txt", "--answers", "votes.csv", "--seed", "7", "--root", "food")
    # Rows give the same as a file, but for its lines: a table has a header.
    rows = taxogrove.infer(crowd.concepts, votes, seed=7, root="food")
    expected = json.loads(text)
    for doubtful in expected["doubtful_votes"]:
        doubtful["line"] -= 1
    assert rows.report() == expected


def test_body_parts_with_given_rates(tmp_path: Path) -> None:
    crowd, votes = crowd_votes("body_parts", 600, 4, people=20, rates="qualified")
    write(tmp_path, list(crowd.concepts), votes)
    noise, prior = (0.2, 0.17), "uniform"
    text = printed(
        tmp_path, "--concepts", "concepts.txt", "--answers", "votes.csv", "--noise", "0.2,0.17", "--prior", prior, "--seed", "1"
    )
    result = taxogrove.infer(tmp_path / "concepts.txt", tmp_path / "votes.csv", noise=noise, prior=prior, seed=1)
    assert result._session.report() == text
    # The control: another seed gives other bits.
    other = taxogrove.infer(tmp_path / "concepts.txt", tmp_path / "votes.csv", noise=noise, prior=prior, seed=2)
    assert other._session.report() != text


@pytest.mark.parametrize("engine", ["exact", "weights", "ensemble"])
def test_all_forms_by_every_engine(tmp_path: Path, engine: str) -> None:
    names = ["fruit", "drink", "lime", "soda"]
    (tmp_path / "concepts.txt").write_text("\n".join(names))
    (tmp_path / "votes.jsonl").write_text("\n".join(json.dumps(vote) for vote in PICKS))
    arguments = ["--concepts", "concepts.txt", "--answers", "votes.jsonl", "--noise", "0.1", "--engine", engine]
    text = printed(tmp_path, *arguments)
    result = taxogrove.infer(names, PICKS, noise=0.1, engine=engine)  # type: ignore[arg-type]
    assert result._session.report() == text


def test_a_card_sort_has_its_own_concepts(tmp_path: Path) -> None:
    rows = [("lime", "fruit", "ann"), ("pear", "fruit", "ann"), ("soda", "drink", "ann"), ("lime", "fruit", "bob"), ("soda", "drink", "bob")]
    (tmp_path / "sort.csv").write_text("card,category,participant\n" + "\n".join(map(",".join, rows)))
    text = printed(tmp_path, "--answers", "sort.csv")
    assert taxogrove.infer(votes=tmp_path / "sort.csv")._session.report() == text
    as_rows = [dict(zip(("card", "category", "participant"), row, strict=True)) for row in rows]
    assert [edge.parent for edge in taxogrove.infer(votes=as_rows).edges()] == [
        edge["parent"] for edge in json.loads(text)["hierarchy"]
    ]


def test_the_examples_of_the_documentation(tmp_path: Path) -> None:
    examples = REPOSITORY / "docs" / "examples"
    concepts, votes = examples / "food.txt", examples / "votes.csv"
    text = printed(tmp_path, "--concepts", str(concepts), "--answers", str(votes))
    assert taxogrove.infer(concepts, votes)._session.report() == text
