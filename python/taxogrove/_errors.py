"""The exceptions of this package. Their messages are those of the command line."""


class GroveError(Exception):
    """Something failed; the message says what, and what to do next."""


class InputError(GroveError, ValueError):
    """The input or an option is wrong, and the caller can correct it. Nothing was changed."""


class InternalError(GroveError, RuntimeError):
    """A fault of this package. Please report it."""


class ServerError(GroveError):
    """A server refused a request, or could not be reached."""

    def __init__(self, message: str, status: int | None = None, code: str | None = None) -> None:
        super().__init__(message)
        #: The status of the response; None if there was none.
        self.status = status
        #: The word by which the server's documentation names the problem.
        self.code = code


for _class in (GroveError, InputError, InternalError, ServerError):
    # Shown in tracebacks and pickled under the name by which users import them.
    _class.__module__ = "taxogrove"
del _class
