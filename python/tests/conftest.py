"""What the tests share: simulated votes, and the program ``grove``."""

from __future__ import annotations

import os
import random
import subprocess
import sysconfig
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings

import taxogrove

settings.register_profile("grove", deadline=None, derandomize=True, database=None)
settings.load_profile("grove")

REPOSITORY = Path(__file__).resolve().parents[2]


def grove(*arguments: str | Path, folder: Path) -> subprocess.CompletedProcess[str]:
    """Run the program that the package installs."""
    program = Path(sysconfig.get_path("scripts")) / "grove"
    command = [str(program), *map(str, arguments)]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=1200, env={**os.environ, "NO_COLOR": "1"})


def crowd_votes(truth: Any, count: int, seed: int, **crowd: Any) -> tuple[taxogrove.Crowd, list[dict[str, Any]]]:
    """A crowd, and what it says to random questions."""
    people = taxogrove.Crowd(truth, seed=seed, **crowd)
    rng = random.Random(seed)
    votes = []
    for _ in range(count):
        upper, lower = rng.sample(people.concepts, 2)
        votes.append(people.ask(upper, lower, rng.randrange(len(people))))
    return people, votes


#: A small hierarchy that takes milliseconds.
FRUIT = [("fruit", "food"), ("lime", "fruit"), ("pear", "fruit"), ("drink", "food"), ("soda", "drink")]


@pytest.fixture
def small() -> Callable[..., taxogrove.Result]:
    """Makes results of six concepts by the exact engine."""
    _, votes = crowd_votes(FRUIT, 60, 1, people=6, rates=(0.95, 0.05))

    def make(**options: Any) -> taxogrove.Result:
        return taxogrove.infer(
            [child for child, _ in FRUIT], votes, **{"noise": 0.05, "engine": "exact", "root": "food", **options}
        )

    return make


class Ticking:
    """Another thread of Python that counts milliseconds, as far as it is let."""

    def __enter__(self) -> Ticking:
        self._ticks, self._done = 0, threading.Event()
        self._thread = threading.Thread(target=self._tick)
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._done.set()
        self._thread.join()

    def _tick(self) -> None:
        while not self._done.is_set():
            self._ticks += 1
            time.sleep(0.001)

    def during(self, call: Callable[[], object]) -> int:
        """How often it ticked during a call."""
        before = self._ticks
        call()
        return self._ticks - before
