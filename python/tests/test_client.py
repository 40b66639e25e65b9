"""The client, against the API's document and against a running server."""

from __future__ import annotations

import http.server
import json
import re
import subprocess
import sysconfig
import threading
import urllib.parse
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import taxogrove
from taxogrove import Campaign, Client, InputError, ServerError, WorkClient
from taxogrove._http import Connection

from conftest import REPOSITORY

DOCUMENT = json.loads((REPOSITORY / "crates/grove-server/openapi.json").read_text())
FOOD = ["fruit", "lime", "pear", "drink", "soda"]


class Listening(Connection):
    """Notes what would be sent."""

    def __init__(self) -> None:
        self.sent: list[tuple[str, str, Any, dict[str, object]]] = []
        self.url = "http://nowhere"

    def send(self, method: str, path: str, body: object = None, query: Any = None) -> Any:
        self.sent.append((method, path, body, {key: value for key, value in (query or {}).items() if value is not None}))
        return [] if method == "GET" and path.endswith("/votes") else {"id": "1", "position": 0}

    def open(self, method: str, path: str, body: object = None, query: Any = None) -> Any:
        self.send(method, path, body, query)
        raise ServerError("noted")

    def events(self, path: str) -> Iterator[tuple[str, str]]:
        self.send("GET", path)
        return iter(())


def calls(connection: Listening) -> None:
    """Every method, once."""
    client, campaign, worker = Client("http://nowhere", "token"), Campaign(connection, "c"), WorkClient("http://nowhere", "i", "s")
    client._connection = worker._connection = connection
    client.me(), client.tokens(), client.create_token("a"), client.revoke_token("t"), client.campaigns()
    client.create("food", ["lime", {"name": "pear", "definition": "green"}], settings={"root": "food"})
    campaign.state(), campaign.settings(), campaign.set_settings({}), campaign.pause("tea"), campaign.resume(), campaign.stop()
    campaign.concepts(), campaign.add_concepts(["fig"]), campaign.change_concept(1, name="figs"), campaign.remove_concept(1)
    campaign.merge(1, 2), campaign.move(1, 0), campaign.corrections(), campaign.undo_correction(), campaign.undo_correction("x")
    campaign.correct("directly_under", 1, 2), campaign.correct("somewhere_under", 1, 2), campaign.correct("not_under", 1, 2)
    campaign.correct("top_level", 1)
    list(campaign.votes()), campaign.import_votes([{"worker": "a", "upper": "fruit", "lower": "lime", "answer": "yes"}])
    campaign.workers(), campaign.erase_worker("w"), campaign.payments(), campaign.invitations(), campaign.invite("all")
    campaign.members(), campaign.share("bob"), campaign.share("bob", "editor"), campaign.unshare("m"), campaign.hand_over("bob")
    campaign.exclude_worker("w"), campaign.include_worker("w"), campaign.invite("some", hours=2, most_workers=3, most_votes=9)
    campaign.exclude_invitation("i"), campaign.include_invitation("i")
    campaign.revoke_invitation("i"), campaign.hierarchy(3), campaign.report(), campaign.doubtful(), campaign.why(1, 2)
    campaign.compare("a.tsv", "lime\tfruit"), campaign.curve(), campaign.history(1, 5), list(campaign.follow()), campaign.delete()
    with pytest.raises(ServerError, match="noted"):
        campaign.export("skos", base="urn:x:", at=4)
    worker.next(), worker.undo(), worker.vote({"kind": "path", "upper": 1, "lower": 2, "text": "?"}, "yes")


def resolve(schema: dict[str, Any]) -> dict[str, Any]:
    return DOCUMENT["components"]["schemas"][schema["$ref"].rsplit("/", 1)[1]] if "$ref" in schema else schema


def fits(value: Any, schema: dict[str, Any]) -> bool:
    """Whether a body is one that the document describes, by its fields and their types."""
    schema = resolve(schema)
    if "oneOf" in schema:
        return any(fits(value, one) for one in schema["oneOf"])
    if "allOf" in schema:
        return all(fits(value, one) for one in schema["allOf"])
    kinds = schema.get("type", [])
    kinds = [kinds] if isinstance(kinds, str) else kinds
    known = {"object": dict, "array": list, "string": str, "integer": int, "number": (int, float), "boolean": bool, "null": type(None)}
    if kinds and not any(isinstance(value, known[kind]) for kind in kinds):
        return False
    if "enum" in schema and value not in schema["enum"]:
        return False
    if isinstance(value, list):
        return all(fits(one, schema.get("items", {})) for one in value)
    if isinstance(value, dict) and "properties" in schema:
        fields = schema["properties"]
        return all(name in value for name in schema.get("required", [])) and all(
            fits(inner, fields[name]) for name, inner in value.items() if name in fields
        )
    return True


def test_every_request_is_one_of_the_document() -> None:
    connection = Listening()
    calls(connection)
    assert len(connection.sent) > 40
    used = set()
    for method, path, body, query in connection.sent:
        found = None
        # A word of a path is stronger than a parameter.
        for template in sorted(DOCUMENT["paths"], key=lambda template: template.count("{")):
            if re.fullmatch(re.sub(r"\{\w+\}", "[^/]+", template), path) and method.lower() in DOCUMENT["paths"][template]:
                found = DOCUMENT["paths"][template][method.lower()]
                break
        assert found is not None, f"{method} {path} is not in the document"
        used.add(found["operationId"])
        known = {parameter["name"] for parameter in found.get("parameters", []) if parameter["in"] == "query"}
        assert set(query) <= known, f"{method} {path}: {query}"
        content = found.get("requestBody", {}).get("content", {}).get("application/json")
        assert (body is not None) == (content is not None), f"{method} {path}: {body}"
        if content is not None and not path.endswith(("/pause", "/stop")):
            assert fits(body, content["schema"]), f"{method} {path}: {body}"
    # The operations of owners and workers that this version of the client was written for.
    assert len(used) >= 47, sorted(used)
    # The control: a body that the document does not describe.
    assert not fits({"into": "two"}, {"$ref": "#/components/schemas/Merger"})
    assert not fits({}, {"$ref": "#/components/schemas/NewCampaign"})


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, str]]:
    """A server of the program in the wheel, with an owner: its address and a token."""
    folder = tmp_path_factory.mktemp("server")
    program = Path(sysconfig.get_path("scripts")) / "grove"
    command = [str(program), "--database", str(folder / "grove.db"), "serve", "--listen", "127.0.0.1:0"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, cwd=folder)
    try:
        assert process.stdout is not None
        setup = next(found.group() for line in process.stdout if (found := re.search(r"http://\S+/setup/\S+", line)))
        threading.Thread(target=process.stdout.read, daemon=True).start()
        yield first_owner(setup)
    finally:
        process.terminate()
        process.wait(timeout=300)


def first_owner(setup: str) -> tuple[str, str]:
    """Creates the first account with the link that the server printed, and a token, as a browser does."""
    origin = "{0.scheme}://{0.netloc}".format(urllib.parse.urlsplit(setup))
    browser = urllib.request.build_opener(urllib.request.HTTPCookieProcessor())

    def post(url: str, **form: str) -> str:
        request = urllib.request.Request(url, urllib.parse.urlencode(form).encode(), {"origin": origin})
        page: bytes = browser.open(request, timeout=300).read()
        return page.decode()

    post(setup, name="ada", password="correct horse battery")
    secret = re.search(r'class="secret">([^<]+)<', post(f"{origin}/account/tokens", label="python"))
    assert secret is not None
    return origin, secret.group(1)


def test_a_campaign_on_a_real_server(server: tuple[str, str]) -> None:
    url, token = server
    client = Client(url, token, timeout=120)
    assert client.me()["name"] == "ada"
    campaign = client.create("food", FOOD, settings={"root": "food"})
    assert [one["name"] for one in campaign.concepts()] == FOOD
    rows = [
        {"worker": worker, "upper": upper, "lower": lower, "answer": "yes" if (upper, lower) in truth else "no"}
        for truth in [{("fruit", "lime"), ("fruit", "pear"), ("drink", "soda")}]
        for worker in ("ann", "bob", "cem")
        for upper in ("fruit", "drink")
        for lower in ("lime", "pear", "soda")
    ]
    assert campaign.import_votes(pd.DataFrame(rows)) == {"votes": 18, "repeated": 0}
    assert campaign.import_votes(rows)["repeated"] == 18
    assert len(list(campaign.votes(page=5))) == 18

    numbers = {one["name"]: one["number"] for one in campaign.concepts()}
    for hierarchy in campaign.follow():
        parents = {one["name"]: one["parent"] for one in hierarchy["concepts"]}
        if parents["lime"] == parents["pear"] == numbers["fruit"] and parents["soda"] == numbers["drink"]:
            break
    local = campaign.result(noise=0.1)
    assert local.root == "food" and {edge.child: edge.parent for edge in local.edges()}["lime"] == "fruit"
    assert campaign.why(numbers["lime"])["direct"]
    assert "skos:prefLabel" in campaign.export("skos")
    campaign.pause("tea")
    campaign.resume()

    campaign.correct("top_level", numbers["soda"])
    assert [one["rule"] for one in campaign.corrections()] == ["top_level"]
    campaign.undo_correction()
    campaign.add_concepts(["fig"])
    campaign.change_concept(6, name="common fig")
    campaign.move(6, numbers["fruit"])
    campaign.undo_correction(campaign.corrections()[0]["id"])
    assert campaign.settings()["root"] == "food" and campaign.state()
    assert [one["name"] for one in client.campaigns()] == ["food"]
    assert campaign.history(limit=3) and campaign.compare("other.tsv", "lime\tfruit\nfruit\tfood\n")

    invitation = campaign.invite("python")
    worker = WorkClient(url, invitation["invitation"])
    asked = worker.next()
    assert asked["status"] == "ask"
    worker.vote(asked["screens"][0], "cant_say")
    worker.undo()
    assert {one["id"] for one in campaign.invitations()} == {invitation["id"]}
    campaign.revoke_invitation(invitation["id"])
    with pytest.raises(ServerError) as refused:
        worker.next()
    assert refused.value.status in (401, 403)
    with pytest.raises(ServerError, match="not found") as missing:
        campaign.remove_concept(99)
    assert missing.value.status == 404 and missing.value.code
    campaign.delete()
    assert client.campaigns() == []


def test_bad_addresses_and_secrets(server: tuple[str, str]) -> None:
    url, _ = server
    with pytest.raises(ServerError) as refused:
        Client(url, "wrong").me()
    assert refused.value.status == 401
    for address in ("grove.example.org", "ftp://x", ""):
        with pytest.raises(InputError, match="address of a server"):
            Client(address, "token")
    for secret in ("", "a\nb", "ü"):
        with pytest.raises(InputError, match="secret"):
            Client(url, secret)
    with pytest.raises(ServerError, match="cannot be reached"):
        Client("http://127.0.0.1:9", "token").me()
    with pytest.raises(ServerError):
        Client(url, "token").campaign("../../me").state()


def test_a_busy_server_is_asked_again_and_strange_answers_are_errors() -> None:
    answers = [(503, {"retry-after": "0"}, b'{"error":"busy","message":"busy; try again"}'), (200, {}, b'{"name":"ada"}')]

    class Strange(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            status, headers, body = answers.pop(0)
            self.send_response(status)
            for name, value in headers.items():
                self.send_header(name, value)
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: Any) -> None:
            pass

    with http.server.HTTPServer(("127.0.0.1", 0), Strange) as strange:
        threading.Thread(target=strange.serve_forever, daemon=True).start()
        client = Client(f"http://127.0.0.1:{strange.server_port}", "token")
        assert client.me() == {"name": "ada"} and answers == []
        answers[:] = [(200, {}, b"<html>")]
        with pytest.raises(ServerError, match="something else than JSON"):
            client.me()
        answers[:] = [(418, {}, b"short and stout")]
        with pytest.raises(ServerError, match="418"):
            client.me()
        strange.shutdown()
    assert taxogrove.ServerError is ServerError
