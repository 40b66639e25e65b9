"""Draws as ArviZ reads them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import xarray

if TYPE_CHECKING:
    import numpy.typing as npt

    from ._result import Result

_Rates = tuple["npt.NDArray[np.float64]", "npt.NDArray[np.float64]"]


def datatree(result: Result, parents: npt.NDArray[np.int32], rates: _Rates | list[npt.NDArray[np.float64]] | None) -> xarray.DataTree:
    """The tree of data sets of a result."""
    chains, draws, _ = parents.shape
    dims = ("chain", "draw", "concept")
    variables: dict[str, object] = {
        "parent": (dims, parents),
        "depth": (dims, depths(parents)),
        "top_level": (dims[:2], (parents == 0).sum(axis=2)),
    }
    coordinates: dict[str, object] = {
        "chain": np.arange(chains),
        "draw": np.arange(draws),
        "concept": list(result.concepts),
    }
    votes = [vote for vote in result.votes() if vote["counts"] and vote["answer"] in ("yes", "no") and "kind" in vote]
    if rates is not None:
        workers = list(dict.fromkeys(vote["worker"] for vote in result.votes()))
        coordinates["worker"] = workers
        for name, values in zip(("yes_when_above", "yes_when_neither"), rates, strict=True):
            variables[name] = (("chain", "draw", "worker"), values)
    attributes = {"inference_library": "taxogrove", "root": result.root}
    numbers = [vote["number"] for vote in votes]
    observed = {"answer": ("vote", np.array([vote["answer"] == "yes" for vote in votes], dtype=bool))}
    constant = {name: ("vote", np.array([vote[name] for vote in votes], dtype=object)) for name in ("worker", "upper", "lower")}
    return xarray.DataTree.from_dict(
        {
            "posterior": xarray.Dataset(variables, coords=coordinates, attrs=attributes),
            "observed_data": xarray.Dataset(observed, coords={"vote": numbers}),
            "constant_data": xarray.Dataset(constant, coords={"vote": numbers}),
        }
    )


def depths(parents: npt.NDArray[np.int32]) -> npt.NDArray[np.int32]:
    """How many concepts are above each concept, the root not among them: by following parents until all are at the root."""
    with_root = np.concatenate([np.zeros((*parents.shape[:-1], 1), dtype=parents.dtype), parents], axis=-1)
    depth = np.zeros(parents.shape, dtype=np.int32)
    above = parents
    while above.any():
        depth += above != 0
        above = np.take_along_axis(with_root, above.astype(np.intp), axis=-1)
    return depth
