"""Simulated people."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from . import _native
from ._errors import InputError
from ._infer import _seed
from ._values import Question, Vote


class Crowd:
    """Simulated people who answer questions about a hierarchy, each with a hierarchy of their own in mind.

    ``truth`` is the name of a built-in hierarchy (:data:`taxogrove.DATASETS`), about some of whose concepts people disagree, or pairs of child and
    parent. ``rates`` is qualified, open, abstract_terms or by_relation, or the chances of yes to a true and to a false statement. The others are
    shares of people: who say always yes, always no, flip a coin, or read and say the opposite; the attention lost with every answer, and the chance of
    "can't say".

    >>> from taxogrove import infer
    >>> crowd = Crowd([("fruit", "food"), ("lime", "fruit"), ("pear", "fruit")], people=5, rates=(1.0, 0.0), concentration=None, seed=1)
    >>> result = infer(crowd.concepts, noise=0.01, root=crowd.root)
    >>> for turn in range(10):
    ...     question = result.next_questions(1)[0]
    ...     numbers = result.record(crowd.answer(question, person=turn % len(crowd)))
    >>> [edge.parent for edge in result.edges()]
    ['food', 'fruit', 'fruit']
    """

    def __init__(
        self,
        truth: str | Iterable[tuple[str, str]] = "food",
        *,
        people: int = 40,
        rates: str | tuple[float, float] = "open",
        concentration: float | None = 20.0,
        always_yes: float = 0.0,
        always_no: float = 0.0,
        coin: float = 0.0,
        inverted: float = 0.0,
        fatigue: float = 0.0,
        cant_say: float = 0.0,
        seed: int = 0,
    ) -> None:
        spec = {
            "people": people,
            "rates": rates if isinstance(rates, str) else " ".join(repr(float(rate)) for rate in rates),
            "concentration": "none" if concentration is None else repr(float(concentration)),
            "always_yes": always_yes,
            "always_no": always_no,
            "coin": coin,
            "inverted": inverted,
            "fatigue": fatigue,
            "cant_say": cant_say,
        }
        pairs = truth if isinstance(truth, str) else [(str(child), str(parent)) for child, parent in truth]
        text = "\n".join(f"{key} = {value}" for key, value in spec.items())
        try:
            "".join([text, *([pairs] if isinstance(pairs, str) else map("".join, pairs))]).encode()
        except UnicodeEncodeError as error:
            raise InputError(f"a name has characters that no text has ({error.reason}); correct it") from error
        self._crowd = _native.Crowd(pairs, text, _seed(seed))
        names = self._crowd.names()
        #: The name of the root.
        self.root: str = names[0]
        #: The names of the concepts.
        self.concepts: tuple[str, ...] = tuple(names[1:])

    def __len__(self) -> int:
        return len(self._crowd)

    def __repr__(self) -> str:
        return f"<Crowd of {len(self)} people, {len(self.concepts)} concepts>"

    @property
    def truth(self) -> dict[str, str]:
        """The parent of every concept in the reference."""
        return dict(self._crowd.edges())

    def answer(self, question: Question, person: int) -> Vote:
        """What a person says to a question of any form, ready for ``Result.record``. People are numbered from 0."""
        return {"worker": f"person {person}", **question.screen(), "answer": self._reply(person, question.screen())}

    def ask(self, upper: str, lower: str, person: int) -> Vote:
        """What a person says to "is ``lower`` under ``upper``?"."""
        screen = {"kind": "path", "upper": upper, "lower": lower}
        return {"worker": f"person {person}", **screen, "answer": self._reply(person, screen)}

    def _reply(self, person: int, screen: dict[str, Any]) -> Any:
        return json.loads(self._crowd.reply(person, json.dumps(screen)))
