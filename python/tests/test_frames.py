"""Frames of every kind mean the same as rows."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import taxogrove

from conftest import FRUIT, crowd_votes

_, ROWS = crowd_votes(FRUIT, 40, 2, people=4, rates=(0.9, 0.1), cant_say=0.1)
NAMES = [child for child, _ in FRUIT]


class Capsule:
    """Knows nothing but the Arrow PyCapsule interface."""

    def __init__(self, table: pa.Table) -> None:
        self._table = table

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        return self._table.__arrow_c_stream__(requested_schema)


FRAMES: dict[str, Any] = {
    "tuple of rows": tuple(ROWS),
    "generator": (row for row in ROWS),
    "columns": {name: [row[name] for row in ROWS] for name in ROWS[0]},
    "pandas": pd.DataFrame(ROWS),
    "pandas categorical": pd.DataFrame(ROWS).astype("category"),
    "pandas with a missing kind": pd.DataFrame(ROWS).assign(kind=None),
    "pandas shuffled index": pd.DataFrame(ROWS, index=np.arange(len(ROWS))[::-1]),
    "polars": pl.DataFrame(ROWS),
    "polars lazy": pl.LazyFrame(ROWS),
    "polars categorical": pl.DataFrame(ROWS).with_columns(pl.col("worker").cast(pl.Categorical)),
    "pyarrow": pa.Table.from_pylist(ROWS),
    "pyarrow batch": pa.RecordBatch.from_pylist(ROWS),
    "pyarrow dictionary": pa.table({"worker": pa.array([row["worker"] for row in ROWS]).dictionary_encode()} | {
        name: [row[name] for row in ROWS] for name in ("upper", "lower", "answer")
    }),
    "capsule": Capsule(pa.Table.from_pylist(ROWS)),
}


@pytest.mark.parametrize("kind", FRAMES)
def test_frames_mean_the_same_as_rows(kind: str) -> None:
    options: Any = {"noise": 0.1, "engine": "exact"}
    expected = taxogrove.infer(NAMES, ROWS, **options)
    assert taxogrove.infer(NAMES, FRAMES[kind], **options).report() == expected.report()


def test_answers_may_be_bool_and_workers_numbers() -> None:
    said = [row for row in ROWS if row["answer"] != "cant_say"]
    frame = pd.DataFrame(
        {
            "worker": [int(row["worker"].split()[1]) for row in said],
            "upper": [row["upper"] for row in said],
            "lower": [row["lower"] for row in said],
            "answer": [row["answer"] == "yes" for row in said],
        }
    )
    expected = taxogrove.infer(NAMES, said, noise=0.1, engine="exact")
    result = taxogrove.infer(NAMES, frame, noise=0.1, engine="exact")
    assert result.edges() == expected.edges()
    # A missing number makes floats of a column.
    frame = pd.concat([frame, pd.DataFrame([{"worker": np.nan, "upper": "fruit", "lower": "lime", "answer": True}])])
    with pytest.raises(taxogrove.InputError, match=rf"votes\[{len(said)}\]: .*worker"):
        taxogrove.infer(NAMES, frame)


def test_concepts_come_in_frames_too() -> None:
    rows = [{"name": "fruit", "definition": "sweet", "synonyms": ["fruits"]}, {"name": "lime"}]
    votes = [{"worker": "ann", "upper": "Fruits", "lower": "LIME", "answer": "yes"}]
    for concepts in (rows, pd.DataFrame(rows), pl.DataFrame(rows), pa.Table.from_pylist(rows)):
        result = taxogrove.infer(concepts, votes, noise=0.1)
        assert result.concepts == ("fruit", "lime")
        assert "sweet" in result.to_skos()


def test_columns_that_are_not_read_may_hold_anything() -> None:
    frame = pd.DataFrame(ROWS).assign(score=0.5, object=[object() for _ in ROWS])
    assert len(taxogrove.infer(NAMES, frame, noise=0.1, engine="exact").votes()) == len(ROWS)


def test_names_may_be_a_series() -> None:
    names = ["fruit", "lime"]
    for series in (pd.Series(names), pl.Series(names), pa.array(names), pa.chunked_array([names]), np.array(names)):
        assert taxogrove.infer(series, noise=0.1, engine="exact").concepts == ("fruit", "lime")
        with pytest.raises(taxogrove.InputError, match=r"votes\[0\]: a row is a value of type"):
            taxogrove.infer(names, series)


ALONE = """
import sys

# To Python these are not installed.
sys.modules.update(dict.fromkeys(sys.argv[1].split(",")))
import taxogrove
votes = [{"worker": "ann", "upper": "fruit", "lower": "lime", "answer": "yes"}]
result = taxogrove.infer(["fruit", "lime"], votes, noise=0.1, engine="exact")
assert len(result.edges()) == 2 and result.samples(2).shape == (2, 2)

class Capsule:
    def __arrow_c_stream__(self, requested_schema=None):
        import polars
        return polars.DataFrame(votes).__arrow_c_stream__(requested_schema)

def tried(call):
    try:
        return call()
    except Exception as error:
        return f"{type(error).__name__}: {error}"

table = tried(lambda: taxogrove.infer(["fruit", "lime"], Capsule(), noise=0.1, engine="exact"))
print(table if isinstance(table, str) else table.edges() == result.edges())
print(tried(lambda: taxogrove.infer(["fruit"], noise=0.1, progress=True)))
print(tried(result.to_networkx))
print(tried(result.to_datatree))
"""


def test_numpy_is_all_that_is_needed() -> None:
    def lines(*absent: str) -> list[str]:
        command = [sys.executable, "-P", "-c", ALONE, ",".join(absent)]
        finished = subprocess.run(command, capture_output=True, text=True, timeout=1200)
        assert finished.returncode == 0, finished.stderr
        return finished.stdout.splitlines()

    arrow, progress, graph, draws = lines("pandas", "polars", "pyarrow", "arro3", "tqdm", "networkx", "xarray", "scipy")
    assert arrow == "InputError: votes: to read a Capsule, install pyarrow, polars or arro3-core"
    assert progress.startswith("InputError: progress=True needs tqdm")
    assert "networkx" in graph and "xarray" in draws
    # The control: one library that reads Arrow is enough.
    assert lines("pandas", "pyarrow", "arro3", "tqdm", "networkx", "xarray", "scipy")[0] == "True"
