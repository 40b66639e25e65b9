"""A running server, from Python: campaigns, votes, the live hierarchy; and the worker's side."""

from __future__ import annotations

import secrets
import uuid
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Literal
from urllib.parse import quote

from ._http import Connection
from ._infer import infer
from ._input import Votes, votes_of
from ._result import Result

Json = dict[str, Any]


class Client:
    """An owner's side of a server, with an API token from the server's account page: campaigns, votes, corrections, people, exports.

    Panels and language models have no methods of their own; :meth:`request` reaches every route of the API.

    ::

        client = Client("https://grove.example.org", token)
        campaign = client.create("food", ["fruit", "lime", "soda"], settings={"root": "food"})
        campaign.import_votes(votes)                    # rows, a frame or a file
        for hierarchy in campaign.follow():             # whenever the belief has changed
            print(hierarchy["position"])

    Numbers name concepts, as in the API; 0 is the root. A refused request raises :class:`ServerError` with the server's message.
    """

    def __init__(self, url: str, token: str, *, timeout: float = 30.0) -> None:
        self._connection = Connection(url, {"authorization": f"Bearer {token}" if token else ""}, timeout)

    def me(self) -> Json:
        """The owner whose token this is."""
        return dict(self._connection.send("GET", "/api/v1/me"))

    def tokens(self) -> list[Json]:
        """The owner's API tokens."""
        return list(self._connection.send("GET", "/api/v1/tokens"))

    def create_token(self, label: str) -> Json:
        """A new API token. It is shown once."""
        return dict(self._connection.send("POST", "/api/v1/tokens", {"label": label}))

    def revoke_token(self, token: str) -> None:
        """Revoke an API token by its id."""
        self._connection.send("DELETE", f"/api/v1/tokens/{_segment(token)}")

    def campaigns(self) -> list[Json]:
        """All campaigns of the owner."""
        return list(self._connection.send("GET", "/api/v1/campaigns"))

    def create(
        self,
        name: str,
        concepts: Sequence[str | Mapping[str, Any]] = (),
        *,
        settings: Mapping[str, Any] | None = None,
    ) -> Campaign:
        """A new campaign."""
        body: Json = {"name": name, "concepts": [_concept(one) for one in concepts]}
        if settings is not None:
            body["settings"] = dict(settings)
        return self.campaign(self._connection.send("POST", "/api/v1/campaigns", body)["id"])

    def campaign(self, id: str) -> Campaign:
        """The campaign with this id. Nothing is sent yet."""
        return Campaign(self._connection, id)

    def request(self, method: str, path: str, body: object = None, query: Mapping[str, object] | None = None) -> Any:
        """Any other request to the API; ``path`` begins with /api/v1."""
        return self._connection.send(method, path, body, query)


class Campaign:
    """One campaign of a server."""

    def __init__(self, connection: Connection, id: str) -> None:
        self._connection = connection
        #: The id of the campaign.
        self.id = str(id)
        self._path = f"/api/v1/campaigns/{_segment(self.id)}"

    def __repr__(self) -> str:
        return f"<Campaign {self.id} at {self._connection.url}>"

    def _send(self, method: str, path: str = "", body: object = None, **query: object) -> Any:
        return self._connection.send(method, self._path + path, body, query)

    # The campaign itself

    def state(self) -> Json:
        """Name, progress, spending, forecast."""
        return dict(self._send("GET"))

    def settings(self) -> Json:
        """The settings."""
        return dict(self._send("GET", "/settings"))

    def set_settings(self, settings: Mapping[str, Any]) -> None:
        """Replace the settings; those left out get their defaults."""
        self._send("PUT", "/settings", dict(settings))

    def pause(self, reason: str = "") -> None:
        """Workers get no questions until it is resumed."""
        self._send("POST", "/pause", {"reason": reason})

    def resume(self) -> None:
        """Resume a paused or stopped campaign."""
        self._send("POST", "/resume")

    def stop(self, reason: str = "") -> None:
        """Workers are told that it has ended."""
        self._send("POST", "/stop", {"reason": reason})

    def delete(self) -> None:
        """Delete it with all its votes. This cannot be undone."""
        self._send("DELETE")

    # Concepts

    def concepts(self) -> list[Json]:
        """All concepts that were ever added."""
        return list(self._send("GET", "/concepts"))

    def add_concepts(self, concepts: Sequence[str | Mapping[str, Any]]) -> None:
        """Add concepts."""
        self._send("POST", "/concepts", [_concept(one) for one in concepts])

    def change_concept(self, concept: int, **changes: Any) -> None:
        """Change the name, definition, synonyms or article of a concept."""
        self._send("PATCH", f"/concepts/{int(concept)}", changes)

    def remove_concept(self, concept: int) -> None:
        """Remove a concept: votes and corrections about it no longer count."""
        self._send("DELETE", f"/concepts/{int(concept)}")

    def merge(self, concept: int, into: int) -> None:
        """Merge a concept into another, which gets the votes on both."""
        self._send("POST", f"/concepts/{int(concept)}/merge", {"into": int(into)})

    def move(self, concept: int, upper: int) -> None:
        """Put a concept directly under another, as dragging it on the dashboard does."""
        self._send("POST", f"/concepts/{int(concept)}/move", {"id": _id(), "upper": int(upper)})

    # Corrections

    def corrections(self) -> list[Json]:
        """The corrections in force, the oldest first."""
        return list(self._send("GET", "/corrections"))

    def correct(
        self,
        rule: Literal["directly_under", "somewhere_under", "not_under", "top_level"],
        lower: int,
        upper: int | None = None,
    ) -> str:
        """Make a correction, and return its id."""
        id = _id()
        ends = {"concept": int(lower)} if upper is None else {"lower": int(lower), "upper": int(upper)}
        self._send("POST", "/corrections", {"id": id, "rule": rule, **ends})
        return id

    def undo_correction(self, correction: str | None = None) -> None:
        """Undo a correction by its id, or the newest."""
        if correction is None:
            self._send("POST", "/corrections/undo")
        else:
            self._send("DELETE", f"/corrections/{_segment(correction)}")

    # Votes and workers

    def votes(self, page: int = 1000) -> Iterator[Json]:
        """All votes in the order of the log, including withdrawn ones, a page of them with each request."""
        after: int | None = None
        while found := self._send("GET", "/votes", after=after, limit=page):
            yield from found
            after = found[-1]["position"]

    def import_votes(self, votes: Votes) -> Json:
        """Add votes: rows, a frame or a file, as :func:`infer` takes them. A worker's vote on a question counts once."""
        given = votes_of(votes)
        assert given is not None
        body = {"name": given.name, "text": given.content.decode("utf-8", "replace")}
        return dict(self._send("POST", "/votes/import", body))

    def workers(self) -> list[Json]:
        """All workers who ever voted."""
        return list(self._send("GET", "/workers"))

    def erase_worker(self, worker: str) -> Json:
        """Anonymise a worker."""
        return dict(self._send("DELETE", f"/workers/{_segment(worker)}"))

    def exclude_worker(self, worker: str) -> None:
        """Take a worker's votes out of the evidence, also those that are still to come."""
        self._send("POST", f"/workers/{_segment(worker)}/exclude")

    def include_worker(self, worker: str) -> None:
        """Bring a worker's votes back into the evidence."""
        self._send("POST", f"/workers/{_segment(worker)}/include")

    def payments(self) -> list[Json]:
        """What workers have earned."""
        return list(self._send("GET", "/payments"))

    def invitations(self) -> list[Json]:
        """The invitations with their limits and what came through them, the newest first."""
        return list(self._send("GET", "/invitations"))

    def invite(
        self, label: str, *, hours: int | None = None, most_workers: int | None = None, most_votes: int | None = None
    ) -> Json:
        """A new invitation: its link for people, and its secret for :class:`WorkClient`.

        It may work for some ``hours`` only, be for at most ``most_workers`` people, and for at most ``most_votes`` votes.
        """
        limits = {"hours": hours, "most_workers": most_workers, "most_votes": most_votes}
        given = {name: limit for name, limit in limits.items() if limit is not None}
        return dict(self._send("POST", "/invitations", {"label": label, **given}))

    def exclude_invitation(self, invitation: str) -> None:
        """Take all votes that came through an invitation, by its id, out of the evidence."""
        self._send("POST", f"/invitations/{_segment(invitation)}/exclude")

    def include_invitation(self, invitation: str) -> None:
        """Bring the votes that came through an invitation back into the evidence."""
        self._send("POST", f"/invitations/{_segment(invitation)}/include")

    def revoke_invitation(self, invitation: str) -> None:
        """Revoke an invitation by its id."""
        self._send("DELETE", f"/invitations/{_segment(invitation)}")

    def members(self) -> list[Json]:
        """The accounts with which it is shared."""
        return list(self._send("GET", "/members"))

    def share(self, name: str, role: Literal["editor", "viewer"] = "viewer") -> None:
        """Share it with an account, or change what that account may do."""
        self._send("PUT", "/members", {"name": name, "role": role})

    def unshare(self, account: str) -> None:
        """End the sharing with an account, by its id among :meth:`members`."""
        self._send("DELETE", f"/members/{_segment(account)}")

    def hand_over(self, name: str) -> None:
        """Make another account its owner."""
        self._send("PUT", "/owner", {"name": name})

    # The hierarchy

    def hierarchy(self, at: int | None = None) -> Json:
        """The hierarchy now, or as it was at a position of the log."""
        return dict(self._send("GET", "/hierarchy", at=at))

    def report(self) -> Json | None:
        """The last report on the belief; None until there is one."""
        found = self._send("GET", "/report")
        return None if found is None else dict(found)

    def doubtful(self) -> list[Json]:
        """The concepts with an uncertain parent, the least certain first."""
        return list(self._send("GET", "/doubtful"))

    def why(self, concept: int, parent: int | None = None) -> Json:
        """The votes for and against a placement."""
        return dict(self._send("GET", f"/why/{int(concept)}", parent=parent))

    def export(self, format: str, *, base: str | None = None, at: int | None = None) -> str:
        """The hierarchy as text in any format of ``grove export``."""
        query = {"base": base, "at": at}
        with self._connection.open("GET", f"{self._path}/export/{_segment(format)}", query=query) as response:
            return response.read().decode()

    def compare(self, name: str, text: str) -> Json:
        """How the hierarchy differs from another taxonomy, given as the name and the text of a file."""
        return dict(self._send("POST", "/compare", {"name": name, "text": text}))

    def curve(self) -> list[Json]:
        """The quality of the hierarchy over time."""
        return list(self._send("GET", "/curve"))

    def history(self, after: int | None = None, limit: int | None = None) -> list[Json]:
        """Entries of the campaign's log, the oldest first."""
        return list(self._send("GET", "/history", after=after, limit=limit))

    def events(self) -> Iterator[tuple[str, str]]:
        """Changes of the belief as they happen, as names and data, until the server closes the connection."""
        return self._connection.events(f"{self._path}/events")

    def follow(self) -> Iterator[Json]:
        """The hierarchy now, and again whenever the belief has changed."""
        hierarchy = self.hierarchy()
        yield hierarchy
        for _ in self.events():
            changed = self.hierarchy()
            if changed["position"] != hierarchy["position"]:
                hierarchy = changed
                yield hierarchy

    def result(self, **options: Any) -> Result:
        """All votes that count, inferred here: a :class:`Result` to analyse, with the options of :func:`infer`.

        Corrections stay on the server. The belief has its own seed, so certainties differ from the server's by sampling error.
        """
        hierarchy = self.hierarchy()
        names = {one["number"]: one["name"] for one in hierarchy["concepts"]}
        votes = (_named(vote, names) for vote in self.votes() if not vote["withdrawn"] and not vote.get("excluded"))
        options.setdefault("root", hierarchy["root"])
        return infer(list(names.values()), [vote for vote in votes if vote is not None] or None, **options)


class Worker:
    """A worker's side of a server: questions and answers, by an invitation.

    ``secret`` identifies the worker from then on; one is made if none is given.
    """

    def __init__(self, url: str, invitation: str, secret: str | None = None, *, timeout: float = 30.0) -> None:
        #: Who answers. Keep it to continue later as the same worker.
        self.secret = secret or secrets.token_urlsafe(32)
        headers = {"authorization": f"Bearer {invitation}" if invitation else "", "grove-worker": self.secret}
        self._connection = Connection(url, headers, timeout)

    def next(self) -> Json:
        """What to answer next (``screens``), or why there is nothing: see ``status``."""
        return dict(self._connection.send("POST", "/api/v1/work/next"))

    def vote(self, screen: Mapping[str, Any], answer: str | Mapping[str, Any]) -> Json:
        """Answer a screen of :meth:`next`: yes, no, ``{"picked": 5}``, ``{"ticked": [5, 7]}``, none, ``{"under": 5}``, top or cant_say.

        The vote is on disk when this returns.
        """
        asked = {name: screen[name] for name in ("form", "kind", "upper", "lower", "options", "ticket") if screen.get(name) is not None}
        body = {"id": _id(), **asked, "answer": answer if isinstance(answer, str) else dict(answer)}
        return dict(self._connection.send("POST", "/api/v1/work/votes", body))

    def undo(self) -> Json:
        """Withdraw the worker's last vote."""
        return dict(self._connection.send("POST", "/api/v1/work/undo"))


def _named(vote: Json, names: Mapping[int, str]) -> Json | None:
    """A vote with names instead of numbers; None if a concept of it has left."""
    try:
        row: Json = {field: vote[field] for field in ("worker", "form", "kind", "answer") if field in vote}
        row |= {field: names[vote[field]] for field in ("upper", "lower") if vote.get(field) is not None}
        if "options" in vote:
            row["options"] = [names[option] for option in vote["options"]]
        if isinstance(row["answer"], dict):
            ((word, chosen),) = row["answer"].items()
            row["answer"] = {word: [names[one] for one in chosen] if isinstance(chosen, list) else names[chosen]}
    except KeyError:
        return None
    return row


def _concept(given: str | Mapping[str, Any]) -> Json:
    return {"name": given} if isinstance(given, str) else dict(given)


def _id() -> str:
    return str(uuid.uuid4())


def _segment(text: str) -> str:
    return quote(str(text), safe="")
