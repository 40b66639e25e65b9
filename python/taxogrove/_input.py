"""Concepts and votes in the shapes that people have them in, turned into the text that the native half reads."""

from __future__ import annotations

import csv
import io
import json
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence, Sized
from datetime import date, datetime
from enum import Enum
from typing import Any, NamedTuple, Protocol, TypeAlias, runtime_checkable

from ._errors import InputError


@runtime_checkable
class ArrowStream(Protocol):
    """Anything with the Arrow PyCapsule interface: frames of polars and pandas, tables of pyarrow, DuckDB's results."""

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object: ...


#: A file, a list of names, rows, columns, or a frame.
Concepts: TypeAlias = "str | os.PathLike[str] | Sequence[str] | Iterable[Mapping[str, Any]] | Mapping[str, Sequence[Any]] | ArrowStream"
#: A file, rows, columns, or a frame.
Votes: TypeAlias = "str | os.PathLike[str] | Iterable[Mapping[str, Any]] | Mapping[str, Sequence[Any]] | ArrowStream"

#: More rows than this are refused before they are copied.
MOST_ROWS = 2_000_000

#: What a table of votes or of concepts may have; columns of other names are left out where they hold what is not text.
_KNOWN = frozenset(
    "worker participant annotator upper parent above lower child below answer vote form options chosen kind time "
    "timestamp card category concept name label term definition synonyms article".split()
)


class Given(NamedTuple):
    """A file or rows, for the native half."""

    name: str
    content: bytes
    rows: bool


def concepts_of(value: Concepts | None) -> Given | None:
    """Concepts for the native half."""
    if value is None:
        return None
    if isinstance(value, str | os.PathLike):
        return _file(value)
    rows = [{"name": row} if isinstance(row, str) else row for row in _rows("concepts", value)]
    texts = [_text("concepts", at, row) for at, row in enumerate(rows)]
    # One row on each line, so that errors name the row.
    return Given("concepts.json", ("[" + ",\n".join(texts) + "]").encode(), True)


def votes_of(value: Votes | None) -> Given | None:
    """Votes for the native half."""
    if value is None:
        return None
    if isinstance(value, str | os.PathLike):
        return _file(value)
    rows = _rows("votes", value)
    if isinstance(rows[0], Mapping) and {"card", "category"} <= rows[0].keys():
        return _card_sort(rows)
    texts = [_text("votes", at, row) for at, row in enumerate(rows)]
    return Given("votes.jsonl", "\n".join(texts).encode(), True)


def _card_sort(rows: list[Any]) -> Given:
    """A card sort is a table: who put which card into which category."""
    fields = [dict(_fields("votes", at, row)) for at, row in enumerate(rows)]
    table = io.StringIO()
    columns = ("card", "category", "participant", "worker", "annotator")
    used = [column for column in columns if any(column in row for row in fields)]
    writer = csv.DictWriter(table, used, extrasaction="ignore")
    writer.writeheader()
    writer.writerows(fields)
    return Given("card-sort.csv", table.getvalue().encode("utf-8", "backslashreplace"), False)


def _file(path: str | os.PathLike[str]) -> Given:
    name = os.fspath(path)
    try:
        with open(name, "rb") as file:
            return Given(name, file.read(), False)
    except FileNotFoundError as error:
        raise InputError(f"{name}: there is no such file; correct the name") from error
    except IsADirectoryError as error:
        raise InputError(f"{name}: this is a folder; name a file in it") from error
    except PermissionError as error:
        raise InputError(f"{name}: the file may not be read; change its permissions") from error
    except (OSError, ValueError) as error:
        raise InputError(f"{name!r}: the file cannot be read ({error}); choose another") from error


def _rows(what: str, value: Any) -> list[Any]:
    """The rows of a frame, of columns, or of an iterable."""
    columns = _columns(what, value)
    if columns is None and hasattr(value, "to_pylist"):
        value = value.to_pylist()
    if columns is not None:
        lengths = {len(column) for column in columns.values()}
        if len(lengths) > 1:
            raise InputError(f"{what}: the columns have different lengths, {sorted(lengths)}; give them as many values each")
        _check_length(what, lengths.pop() if lengths else 0)
        names = list(columns)
        return [dict(zip(names, cells, strict=True)) for cells in zip(*columns.values(), strict=True)]
    if isinstance(value, bytes | bytearray) or not isinstance(value, Iterable):
        raise InputError(f"{what} is a value of type {type(value).__name__}; give a file, a list of rows, or a frame")
    if isinstance(value, Sized):
        _check_length(what, len(value))
    rows = []
    for row in value:
        rows.append(row)
        if len(rows) > MOST_ROWS:
            _check_length(what, len(rows))
    _check_length(what, len(rows))
    return rows


def _check_length(what: str, length: int) -> None:
    if length == 0:
        raise InputError(f"{what}: there is no row; give at least one, or None for no {what}")
    if length > MOST_ROWS:
        raise InputError(f"{what}: there are {length} rows or more, but at most {MOST_ROWS} can be read; split them")


def _columns(what: str, value: Any) -> dict[str, Sequence[Any]] | None:
    """The columns of a frame; None if it is none. No library is imported that the caller has not imported."""
    module = type(value).__module__.partition(".")[0]
    if isinstance(value, Mapping):
        if any(isinstance(cell, str) or not hasattr(cell, "__len__") for cell in value.values()):
            raise InputError(f"{what}: this is one row; give a list of rows, or a column of values for every name")
        return {str(name): list(column) for name, column in value.items()}
    if module == "pandas" and hasattr(value, "columns"):
        if len(set(value.columns)) < len(value.columns):
            raise InputError(f"{what}: two columns of the frame have the same name; rename one")
        _check_length(what, len(value))
        return {str(name): value[name].tolist() for name in value.columns}
    if module == "polars":
        frame = value.collect() if hasattr(value, "collect") else value
        if hasattr(frame, "to_dict"):
            _check_length(what, len(frame))
            return dict(frame.to_dict(as_series=False))
    if module == "pyarrow" and hasattr(value, "to_pydict"):
        _check_length(what, value.num_rows)
        return dict(value.to_pydict())
    # A single column, such as a series of names, is a list of rows.
    if hasattr(value, "__arrow_c_stream__") and not hasattr(value, "to_list") and not hasattr(value, "to_pylist"):
        return _arrow_columns(what, value)
    return None


def _arrow_columns(what: str, value: Any) -> dict[str, Sequence[Any]]:
    """The columns of anything with the Arrow PyCapsule interface, by whichever Arrow library is installed."""
    try:
        import pyarrow  # type: ignore[import-untyped, unused-ignore]

        table = pyarrow.table(value)
    except ImportError:
        pass
    except (TypeError, ValueError) as error:
        raise InputError(f"{what}: this {type(value).__name__} is no table ({error}); give one with named columns") from error
    else:
        _check_length(what, table.num_rows)
        return dict(table.to_pydict())
    try:
        import polars

        frame = polars.DataFrame(value)
        _check_length(what, len(frame))
        return dict(frame.to_dict(as_series=False))
    except ImportError:
        pass
    try:
        from arro3.core import Table  # type: ignore[import-not-found, import-untyped, unused-ignore]
    except ImportError as error:
        raise InputError(f"{what}: to read a {type(value).__name__}, install pyarrow, polars or arro3-core") from error
    table = Table.from_arrow(value)
    _check_length(what, table.num_rows)
    return {name: table.column(name).to_pylist() for name in table.column_names}


def _text(what: str, at: int, row: Any) -> str:
    """A row as one line of JSON."""
    return json.dumps(dict(_fields(what, at, row)), ensure_ascii=True, allow_nan=False)


def _fields(what: str, at: int, row: Any) -> Iterator[tuple[str, object]]:
    """The columns of a row that are not missing, with their values as JSON has them."""
    if not isinstance(row, Mapping):
        raise InputError(f"{what}[{at}]: a row is a value of type {type(row).__name__}; give a mapping of columns to values")
    for key, value in row.items():
        name = str(key)
        try:
            plain = _plain(value)
        except TypeError as error:
            if name.strip().lower() in _KNOWN:
                raise InputError(f"{what}[{at}]: {name} is {error}; give text") from error
            continue
        if plain is not None:
            yield name, plain


def _plain(value: Any) -> object:
    """A value as JSON has it; None for all that stands for a missing one."""
    if value is None or isinstance(value, str | bool):
        return str(value) if isinstance(value, str) else value
    if isinstance(value, Enum):
        return _plain(value.value)
    if isinstance(value, int):
        return int(value)
    if type(value).__name__ in ("NAType", "NaTType"):
        return None
    if hasattr(value, "item") and getattr(value, "ndim", None) == 0:
        return _plain(value.item())
    if isinstance(value, float):
        if value != value:
            return None
        if not value.is_integer():
            raise TypeError(f"the number {value}")
        # A column of whole numbers becomes one of floats as soon as one is missing.
        return int(value)
    if isinstance(value, datetime | date):
        return value.isoformat()
    if isinstance(value, Mapping):
        return {str(key): _plain(inner) for key, inner in value.items()}
    if hasattr(value, "tolist"):
        return _plain(value.tolist())
    if isinstance(value, list | tuple):
        return [_plain(inner) for inner in value]
    raise TypeError(f"a value of type {type(value).__name__}")
