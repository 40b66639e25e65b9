"""The result of an inference: a belief that can be read, asked what to ask, and told more."""

from __future__ import annotations

import html
import json
import os
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from . import _native
from ._errors import InputError
from ._input import Votes, votes_of
from ._progress import ProgressOption, watching
from ._values import Edge, Form, Opinion, Parent, People, Question, Strategy, Worker

if TYPE_CHECKING:
    import networkx
    import numpy.typing as npt
    import xarray


class _About(NamedTuple):
    """What a written hierarchy says about itself, for the native half."""

    title: str | None = None
    language: str | None = None
    relation: str | None = None
    base: str | None = None
    license: str | None = None


class Result:
    """A hierarchy with its certainty on every edge, and the belief behind it.

    It comes from :func:`infer` or :func:`load`. Reading it (``edges``, ``path``, ``report`` ...) gives the numbers of ``grove infer``;
    after ``record``, ``withdraw``, ``pin``, ``forbid`` or ``free`` the first reading draws more trees from the changed belief and checks
    them, which takes as long as some hundred votes. ``next_questions`` does not wait for that.

    >>> from taxogrove import infer
    >>> votes = [{"worker": worker, "upper": "fruit", "lower": "lime", "answer": "yes"} for worker in "abc"]
    >>> result = infer(["fruit", "lime"], votes, noise=0.1, root="food", seed=1)
    >>> print(result)
    food
    └─ fruit 1.00
       └─ lime 0.99
    >>> result.path("fruit", "lime") > 0.95
    True
    """

    def __init__(self, session: _native.Session) -> None:
        self._session = session
        names = session.names()
        #: The name of the root.
        self.root: str = names[0]
        #: The names of the concepts. The number of a concept in arrays is its index here plus 1; the root is 0.
        self.concepts: tuple[str, ...] = tuple(names[1:])

    # Reading

    def report(self, *, progress: ProgressOption = None) -> dict[str, Any]:
        """Everything: the object that ``grove infer --json`` prints, with the same field names and bits."""
        with watching(progress) as watcher:
            return dict(json.loads(self._session.report(watcher)))

    def edges(self) -> list[Edge]:
        """Every concept with its parent, in the order of the concepts."""
        return [Edge.of(found) for found in self.report()["hierarchy"]]

    def path(self, upper: str, lower: str) -> float:
        """The chance that a person of this crowd holds ``upper`` to be above ``lower``, at any depth."""
        return self._session.path(upper, lower)

    def parents(self, child: str) -> list[Parent]:
        """The possible parents of a concept, likeliest first; their certainties sum to 1."""
        return [Parent(parent, certainty) for parent, certainty in self._session.parents(child)]

    def people(self, concept: str) -> People:
        """Whether people place a concept differently, where, and who said what about these places."""
        found = json.loads(self._session.people(concept))
        places = tuple(
            Opinion(**{**place, "said_yes": tuple(place["said_yes"]), "said_no": tuple(place["said_no"])})
            for place in found["places"]
        )
        return People(concept, found["chance"], places)

    def why(self, child: str, parent: str | None = None) -> dict[str, Any]:
        """The votes that support or contradict a parent, as ``grove why --json`` lists them."""
        return dict(json.loads(self._session.why(child, parent)))

    def workers(self) -> list[Worker]:
        """Every worker who answered yes/no questions: how often they are right, and whether they read the questions."""
        return [Worker.of(found) for found in self.report()["workers"]]

    def samples(self, count: int, seed: int = 0) -> npt.NDArray[np.int32]:
        """Trees drawn from the belief: an array of shape ``(count, N)`` with the number of every concept's parent, 0 for the root."""
        return self._session.samples(count, seed)

    def votes(self) -> list[dict[str, Any]]:
        """All votes with their numbers, and whether they count."""
        return list(json.loads(self._session.votes()))

    def corrections(self) -> list[dict[str, Any]]:
        """What was pinned and forbidden."""
        return list(json.loads(self._session.corrections()))

    # Asking and telling

    def next_questions(
        self,
        count: int = 1,
        *,
        worker: str | None = None,
        forms: Form | Sequence[Form] = ("yesno",),
        strategy: Strategy = "gain",
        seed: int = 0,
    ) -> list[Question]:
        """The questions whose answers tell most, together: for people who answer at the same time, or one after the other.

        ``worker`` is whom to ask: someone known is not asked the same again, and a careless person's answers are expected to tell less.
        With other forms than yes/no, the screens with the most information per second are chosen.
        """
        chosen = [forms] if isinstance(forms, str) else list(forms)
        found = json.loads(self._session.next_questions(count, worker, chosen, strategy, seed))
        return [Question.of(one) for one in found]

    def record(self, votes: Votes | Mapping[str, Any] | None = None, /, **vote: Any) -> list[int]:
        """Take in one vote or many, and return their numbers.

        >>> from taxogrove import infer
        >>> result = infer(["fruit", "lime"], noise=0.1)
        >>> result.record(worker="ann", upper="fruit", lower="lime", answer="yes")
        [0]
        >>> question = result.next_questions(1)[0]
        >>> result.record(question.vote("bob", "no"))
        [1]
        >>> result.withdraw(1)
        """
        if (votes is None) == (not vote):
            raise InputError("give votes, or the fields of one vote by name")
        rows: Any = [vote] if votes is None else votes
        if isinstance(rows, Mapping) and "answer" in rows and (isinstance(rows["answer"], str | bool | Mapping)):
            rows = [rows]
        given = votes_of(rows)
        assert given is not None
        begin, count = self._session.record(given)
        return list(range(begin, begin + count))

    def withdraw(self, *numbers: int | Sequence[int]) -> None:
        """Withdraw votes by their numbers, or by the list of them that :meth:`record` returned: they no longer count."""
        flat = [one for given in numbers for one in (given if isinstance(given, list | tuple | range) else [given])]
        for number in flat:
            if not isinstance(number, int) or number < 0:
                raise InputError(f"{number!r} is not the number of a vote; `record` and `votes` tell them")
            self._session.withdraw(number)

    def pin(self, child: str, parent: str, *, somewhere: bool = False) -> None:
        """Make ``parent`` the parent of ``child``, whatever the votes say; or only something above it."""
        self._session.correct("somewhere" if somewhere else "directly", child, parent)

    def forbid(self, child: str, parent: str) -> None:
        """Make sure that ``child`` is nowhere under ``parent``."""
        self._session.correct("not", child, parent)

    def free(self, child: str, parent: str | None = None) -> int:
        """Undo the corrections of a concept, or only those about the two; how many there were."""
        return self._session.free(child, parent)

    # Writing

    def export(
        self,
        format: str,
        *,
        title: str | None = None,
        language: str | None = None,
        relation: str | None = None,
        base: str | None = None,
        license: str | None = None,
        samples: int | None = None,
        seed: int = 0,
    ) -> str:
        """The hierarchy as text in any format of ``grove export``; :data:`taxogrove.FORMATS` lists them.

        With ``samples``, that many trees drawn from the belief, as newick or json.
        """
        return self._session.export(format, _About(title, language, relation, base, license), samples, seed)

    def to_skos(self, *, base: str | None = None, language: str | None = None) -> str:
        """The hierarchy as SKOS, in Turtle."""
        return self.export("skos", base=base, language=language)

    def to_newick(self, *, samples: int | None = None, seed: int = 0) -> str:
        """The hierarchy as Newick with posteriors, or sampled trees, one on each line."""
        return self.export("newick", samples=samples, seed=seed)

    def to_networkx(self) -> networkx.DiGraph[str]:
        """The hierarchy as a directed graph from parents to children, with ``certainty``, ``yes``, ``no`` and ``reason`` on every edge."""
        import networkx

        graph = networkx.DiGraph(root=self.root)
        graph.add_node(self.root)
        graph.add_nodes_from(self.concepts)
        for edge in self.edges():
            graph.add_edge(
                edge.parent, edge.child, certainty=edge.certainty, yes=edge.yes, no=edge.no, reason=list(edge.reason)
            )
        return graph

    def to_datatree(self) -> xarray.DataTree:
        """All draws of all chains, as an ``xarray.DataTree`` that ArviZ reads.

        The group ``posterior`` has for every chain and draw the number of each concept's ``parent`` (0 is the root), its ``depth``, how many
        concepts are at the ``top_level``; and where error rates are learnt, each worker's chance of yes when the statement is true
        (``yes_when_above``) and when it is not (``yes_when_neither``). ``observed_data`` has the yes/no votes that count, and ``constant_data``
        their concepts and workers. Engines without chains give independent trees in four groups.
        """
        from ._datatree import datatree

        return datatree(self, *self._session.draws())

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write everything to a file, completely or not at all; :func:`load` continues from it, with the same bits."""
        text = self._session.save()
        name = os.fspath(path)
        folder = os.path.dirname(os.path.abspath(name))
        try:
            with tempfile.NamedTemporaryFile("w", encoding="utf-8", dir=folder, prefix=".taxogrove-", delete=False) as file:
                try:
                    file.write(text)
                    file.flush()
                    os.fsync(file.fileno())
                    os.replace(file.name, name)
                except BaseException:
                    os.unlink(file.name)
                    raise
        except OSError as error:
            raise InputError(f"{name}: cannot be written ({error.strerror or error}); choose another place") from error

    # Showing

    def __len__(self) -> int:
        return len(self.concepts)

    def __repr__(self) -> str:
        report = self.report()
        converged = {True: ", converged", False: ", not converged", None: ""}[report["converged"]]
        counted = [f"{count} {word}{'' if count == 1 else 's'}" for count, word in ((report["concepts"], "concept"), (report["screens"], "vote"))]
        return f"<Result: {', '.join(counted)}{converged}>"

    def __str__(self) -> str:
        return "\n".join([self.root, *self._lines()])

    def _lines(self) -> Iterator[str]:
        children: dict[str, list[Edge]] = {}
        for edge in self.edges():
            children.setdefault(edge.parent, []).append(edge)
        waiting = [("", edge) for edge in reversed(children.get(self.root, []))]
        while waiting:
            before, edge = waiting.pop()
            last = children[edge.parent][-1] is edge
            yield f"{before}{'└─' if last else '├─'} {edge.child} {_words(edge)}"
            below = before + ("   " if last else "│  ")
            waiting.extend((below, child) for child in reversed(children.get(edge.child, [])))

    def _repr_html_(self) -> str:
        drawing = self.export("svg")
        summary = html.escape(repr(self).strip("<>"))
        # The declaration of an XML file has no place within a page.
        drawing = drawing[drawing.index("<svg") :]
        return f'<figure style="margin:0;overflow:auto">{drawing}<figcaption>{summary}</figcaption></figure>'


def _words(edge: Edge) -> str:
    if "differ" in edge.reason and edge.places:
        shares = ", ".join(f"{place.parent} {place.share:.2f}" for place in edge.places)
        return f"{edge.certainty:.2f} (people differ: {shares})"
    doubtful = "" if "settled" in edge.reason else "?"
    return f"{edge.certainty:.2f}{doubtful}"
