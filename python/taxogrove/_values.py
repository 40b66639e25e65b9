"""What a result is made of."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple, TypeAlias

Form: TypeAlias = Literal["yesno", "pick", "tick", "place"]
Strategy: TypeAlias = Literal["gain", "worst-case", "random"]
Engine: TypeAlias = Literal["ensemble", "exact", "weights"]
Prior: TypeAlias = Literal["taxonomy", "uniform"]
#: ``"learn"``, ``"majority"``, one error rate, the rates of a false yes and a false no, or the chances of yes: above, reversed, neither.
Noise: TypeAlias = "str | float | tuple[float, float] | tuple[float, float, float]"
#: A vote as it is recorded: the names of the columns of a file of votes.
Vote: TypeAlias = "dict[str, Any]"


class Parent(NamedTuple):
    """A possible parent of a concept."""

    parent: str
    certainty: float


class Place(NamedTuple):
    """One of the places where people put a concept, where they differ."""

    parent: str
    #: The expected share of people who hold this place, and the interval that it lies in with a chance of 90 %.
    share: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Edge:
    """A concept's place in the hierarchy, and how certain it is."""

    child: str
    parent: str
    #: The chance that a person of this crowd places the child there.
    certainty: float
    #: Other possible parents, likeliest first.
    alternatives: tuple[Parent, ...]
    #: Why it is as certain as it is: settled, differ, open, unasked.
    reason: tuple[str, ...]
    #: Where people place it, if they differ.
    places: tuple[Place, ...]
    #: Votes for and against the parent being above the child.
    yes: int
    no: int

    @classmethod
    def of(cls, found: dict[str, Any]) -> Edge:
        """An edge of a report."""
        return cls(
            child=found["child"],
            parent=found["parent"],
            certainty=found["certainty"],
            alternatives=tuple(Parent(**one) for one in found["alternatives"]),
            reason=tuple(found["reason"]),
            places=tuple(Place(**one) for one in found.get("places", [])),
            yes=found["yes"],
            no=found["no"],
        )


@dataclass(frozen=True, slots=True)
class Opinion:
    """One of the places where people put a concept, and who said so."""

    parent: str
    share: float
    low: float
    high: float
    #: The workers who said that the concept is under the parent, and those who said that it is not.
    said_yes: tuple[str, ...]
    said_no: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class People:
    """Whether people place a concept differently, and who."""

    concept: str
    #: The chance that they differ.
    chance: float
    #: The places, the one that more people hold first; empty if the chance is 0.
    places: tuple[Opinion, ...]


class Rate(NamedTuple):
    """A rate of yes: its mean and its central 90 % interval."""

    mean: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Worker:
    """What the votes tell about a worker."""

    worker: str
    votes: int
    yes: int
    no: int
    cant_say: int
    #: The expected share of their yes and no votes that are right.
    agreement: float | None
    #: How often they say yes when the upper concept is above, below, or neither.
    yes_when_above: Rate
    yes_when_reversed: Rate
    yes_when_neither: Rate
    #: fine, straightliner, inverted, too_few_votes or rates_given.
    verdict: str

    @classmethod
    def of(cls, found: dict[str, Any]) -> Worker:
        """A worker of a report."""
        fields: dict[str, Any] = {name: found[name] for name in cls.__slots__}
        for name in ("yes_when_above", "yes_when_reversed", "yes_when_neither"):
            fields[name] = Rate(**fields[name])
        return cls(**fields)


@dataclass(frozen=True, slots=True)
class Question:
    """What to ask next."""

    form: Form
    #: The concept above; None for a pick and a place.
    upper: str | None
    #: The concept below; None for a tick.
    lower: str | None
    #: The options of a pick or a tick, in the order in which to show them.
    options: tuple[str, ...]
    #: path or edge, for a yes/no question.
    kind: str | None
    #: The expected information of the answer, in bits.
    gain: float
    #: The expected time of the answer, where forms were compared by it.
    seconds: float | None
    #: The chance that the upper concept is above the lower one, before asking.
    above: float | None
    text: str

    @classmethod
    def of(cls, found: dict[str, Any]) -> Question:
        """A question that the native half chose."""
        fields: dict[str, Any] = {name: found.get(name) for name in cls.__slots__}
        fields["options"] = tuple(fields["options"] or ())
        return cls(**fields)

    def screen(self) -> dict[str, Any]:
        """What is shown, as JSON has it."""
        if self.form == "yesno":
            return {"kind": self.kind, "upper": self.upper, "lower": self.lower}
        shown: dict[str, Any] = {"form": self.form}
        for name, value in (("upper", self.upper), ("lower", self.lower)):
            if value is not None:
                shown[name] = value
        if self.options:
            shown["options"] = list(self.options)
        return shown

    def vote(self, worker: str, answer: str | Iterable[str]) -> Vote:
        """A worker's answer to it, ready to be recorded.

        To a yes/no question: yes, no or cant_say. To the others also none or top; anything else is the concept that was picked or
        placed under, or the list of concepts that were ticked.

        >>> from taxogrove import infer
        >>> question = infer(["fruit", "lime"], noise=0.1).next_questions(1)[0]
        >>> sorted(question.vote("ann", "no"))
        ['answer', 'kind', 'lower', 'upper', 'worker']
        """
        said: object = answer if isinstance(answer, str) else list(answer)
        word = {"pick": "picked", "tick": "ticked", "place": "under"}.get(self.form)
        if word is not None and said not in ("none", "top", "cant_say"):
            if self.form == "tick" and isinstance(said, str):
                said = [said]
            said = {word: said}
        return {"worker": worker, **self.screen(), "answer": said}
