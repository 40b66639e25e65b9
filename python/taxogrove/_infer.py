"""From votes to a result."""

from __future__ import annotations

import operator
import os
from typing import NamedTuple

from . import _native
from ._errors import InputError
from ._input import Concepts, Votes, concepts_of, votes_of
from ._progress import ProgressOption, watching
from ._result import Result
from ._values import Engine, Noise, Prior


class _Words(NamedTuple):
    """Options for the native half."""

    engine: str
    noise: str
    prior: str
    root: str | None
    seed: int


def infer(
    concepts: Concepts | None = None,
    votes: Votes | None = None,
    *,
    engine: Engine = "ensemble",
    noise: Noise = "learn",
    prior: Prior = "taxonomy",
    root: str | None = None,
    seed: int = 0,
    progress: ProgressOption = None,
) -> Result:
    """The hierarchy that people see in concepts, from their votes.

    ``concepts`` is a list of names, rows with ``name`` and perhaps ``definition`` and ``synonyms``, a frame of these, or a file (text, CSV, JSON,
    SKOS). It may be left out for a card sort, which contains its own.

    ``votes`` is a list of rows, a frame (pandas, polars, pyarrow, or anything with the Arrow PyCapsule interface), or a file (CSV, TSV, JSON,
    JSON lines). The columns are ``worker``, ``upper``, ``lower`` and ``answer`` (yes, no, cant_say); for picks, ticks and places also
    ``form``, ``options`` and ``chosen``. None begins without votes, for an active loop.

    ``noise`` says how people err: "learn" each worker's rates, "majority" for the paper's model, one error rate, the rates of a false yes and of
    a false no, or the chances of yes when the upper concept is above, below, or neither. The engine "exact" (up to 16 concepts) and the
    paper's "weights" (up to 500) need given rates.

    The same input and seed give the same bits as ``grove infer``, on any number of threads. Ctrl-C ends the call. ``progress`` is True
    for tqdm's bars, or a function with tqdm's arguments.

    >>> votes = [
    ...     {"worker": "ann", "upper": "fruit", "lower": "lime", "answer": "yes"},
    ...     {"worker": "bob", "upper": "fruit", "lower": "lime", "answer": True},
    ...     {"worker": "bob", "upper": "lime", "lower": "fruit", "answer": False},
    ... ]
    >>> result = infer(["fruit", "lime"], votes, noise=0.1, engine="exact")
    >>> result.edges()[1].parent
    'fruit'
    """
    words = _Words(str(engine), _noise(noise), str(prior), root, _seed(seed))
    given = (concepts_of(concepts), votes_of(votes))
    with watching(progress) as watcher:
        return Result(_native.Session.infer(*given, words, watcher))


def load(path: str | os.PathLike[str], *, progress: ProgressOption = None) -> Result:
    """A result that :meth:`Result.save` wrote. It continues with the same bits, unless a later version of the engine reads it: then the
    belief is computed again from its votes."""
    name = os.fspath(path)
    try:
        with open(name, encoding="utf-8") as file:
            text = file.read()
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"{name}: the file cannot be read ({error}); choose another") from error
    with watching(progress) as watcher:
        return Result(_native.Session.load(text, name, watcher))


def _noise(noise: Noise) -> str:
    if isinstance(noise, str):
        return noise
    if isinstance(noise, tuple | list):
        return ",".join(_rate(rate) for rate in noise)
    return _rate(noise)


def _rate(rate: float) -> str:
    try:
        return repr(float(rate))
    except (TypeError, ValueError) as error:
        raise InputError(f"the noise has a rate {rate!r}; give numbers from 0 to 1") from error


def _seed(seed: int) -> int:
    try:
        number = operator.index(seed)
    except TypeError as error:
        raise InputError(f"the seed is {seed!r}; give a whole number") from error
    if not 0 <= number < 2**64:
        raise InputError(f"the seed is {number}; give one from 0 to 2**64 - 1")
    return number
