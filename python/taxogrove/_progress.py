"""Progress in the manner of tqdm."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Protocol, TypeAlias

from ._errors import InputError


class Bar(Protocol):
    """What tqdm returns, as far as it is used."""

    def update(self, n: int = 1, /) -> Any: ...
    def close(self) -> Any: ...


class Progress(Protocol):
    """What makes a bar: ``tqdm.tqdm``, ``tqdm.auto.tqdm``, or a function with the same arguments."""

    def __call__(self, *, total: int | None, desc: str) -> Bar: ...


#: True shows tqdm's bars.
ProgressOption: TypeAlias = "Progress | bool | None"


class Watcher:
    """What the native half calls while it works."""

    def __init__(self, progress: Progress) -> None:
        self._progress = progress
        self._bar: Bar | None = None

    def begin(self, work: str, steps: int | None) -> None:
        """A part of the work begins."""
        self.close()
        self._bar = self._progress(total=steps, desc=work)

    def step(self) -> None:
        """One step of it is done."""
        if self._bar is not None:
            self._bar.update(1)

    def close(self) -> None:
        """The part is over."""
        if self._bar is not None:
            bar, self._bar = self._bar, None
            bar.close()


@contextmanager
def watching(progress: ProgressOption) -> Iterator[Watcher | None]:
    """A watcher for the time of a call; none if nobody wants to know."""
    if progress is None or progress is False:
        yield None
        return
    if progress is True:
        try:
            from tqdm.auto import tqdm  # type: ignore[import-untyped, unused-ignore]
        except ImportError as error:
            raise InputError("progress=True needs tqdm; install it, or give a function with its arguments") from error
        progress = tqdm
    if not callable(progress):
        raise InputError(f"progress is a value of type {type(progress).__name__}; give True, tqdm, or a function with its arguments")
    watcher = Watcher(progress)
    try:
        yield watcher
    finally:
        watcher.close()
