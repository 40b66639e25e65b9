"""Requests to a server's API, by the standard library alone."""

from __future__ import annotations

import json
import time
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Iterator, Mapping
from http.client import HTTPException
from typing import IO, Any

from ._errors import InputError, ServerError

#: The longest wait before a request is sent again that a busy server did not take.
_LONGEST_WAIT = 10.0


class Connection:
    """The address of a server, and who asks."""

    def __init__(self, url: str, headers: Mapping[str, str], timeout: float) -> None:
        parts = urllib.parse.urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.netloc:
            raise InputError(f"{url!r} is not the address of a server; give one such as https://grove.example.org")
        for name, value in headers.items():
            if not value or not value.isascii() or not value.isprintable():
                raise InputError(f"the secret for {name} is empty or has characters that no secret has")
        self.url = f"{parts.scheme}://{parts.netloc}{parts.path.rstrip('/')}"
        self._headers = {"accept": "application/json", "user-agent": "taxogrove", **headers}
        self._timeout = timeout

    def open(self, method: str, path: str, body: object = None, query: Mapping[str, object] | None = None) -> IO[bytes]:
        """Send a request and return the response; a busy server is asked again until the time is up."""
        given = {name: str(value) for name, value in (query or {}).items() if value is not None}
        url = self.url + path + ("?" + urllib.parse.urlencode(given) if given else "")
        data = None if body is None else json.dumps(body).encode()
        headers = self._headers if data is None else {**self._headers, "content-type": "application/json"}
        begin, tries = time.monotonic(), 0
        while True:
            tries += 1
            request = urllib.request.Request(url, data=data, headers=headers, method=method)
            try:
                response: IO[bytes] = urllib.request.urlopen(request, timeout=self._timeout)
                return response
            except urllib.error.HTTPError as refused:
                with refused:
                    error = _refusal(refused)
                wait = _wait(refused.headers.get("retry-after"), tries)
                if refused.code not in (429, 503) or time.monotonic() + wait > begin + self._timeout:
                    raise error from None
                time.sleep(wait)
            except (OSError, HTTPException) as broken:
                reason = getattr(broken, "reason", broken)
                raise ServerError(f"{self.url} cannot be reached ({reason}); is the server running?") from broken

    def send(self, method: str, path: str, body: object = None, query: Mapping[str, object] | None = None) -> Any:
        """Send a request and return the JSON of the response; None if it has none."""
        with self.open(method, path, body, query) as response:
            try:
                text = response.read()
            except (OSError, HTTPException) as broken:
                raise ServerError(f"{self.url} broke off its answer ({broken}); try again") from broken
        if not text:
            return None
        try:
            return json.loads(text)
        except ValueError as error:
            raise ServerError(f"{self.url} answered with something else than JSON; is it a Grove server?") from error

    def events(self, path: str) -> Iterator[tuple[str, str]]:
        """Server-sent events: their names and their data, until the server closes the connection."""
        with self.open("GET", path) as response:
            name, data = "message", []
            for raw in response:
                line = raw.decode().rstrip("\r\n")
                field, _, value = line.partition(":")
                value = value.removeprefix(" ")
                if field == "event":
                    name = value
                elif field == "data":
                    data.append(value)
                elif not line and data:
                    yield name, "\n".join(data)
                    name, data = "message", []


def _wait(asked: str | None, tries: int) -> float:
    return min(float(asked) if asked and asked.isdigit() else 0.25 * 2.0**tries, _LONGEST_WAIT)


def _refusal(refused: urllib.error.HTTPError) -> ServerError:
    """The error that the server states, or its status."""
    try:
        stated = json.loads(refused.read())
        return ServerError(str(stated["message"]), refused.code, str(stated["error"]))
    except (ValueError, KeyError, TypeError, OSError, HTTPException):
        return ServerError(f"the server answered {refused.code} {refused.reason}", refused.code)
