"""A verb's JSON document: as text, a line for each row of what may be long, and as a dictionary, which is the same."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any


class JsonText(str):
    """A text that is JSON already, and is written as it is."""

    __slots__ = ()


def written(document: object) -> Iterator[str]:
    """The text of the document; what an iterator in it gives is written as it comes, a line each."""
    if isinstance(document, dict) and any(isinstance(value, Iterator) for value in document.values()):
        for index, (key, value) in enumerate(document.items()):
            yield f"{',' if index else '{'}\n {encoded(key)}: "
            if isinstance(value, Iterator):
                yield from _rows(value)
            else:
                yield _indented(value).replace("\n", "\n ")
        yield "\n}\n"
    else:
        yield _indented(document) + "\n"


def _rows(values: Iterator[object]) -> Iterator[str]:
    yield "["
    for index, value in enumerate(values):
        written = value if isinstance(value, JsonText) else encoded(value)
        yield f"{',' if index else ''}\n  {written}"
    yield "\n ]"


def as_values(document: object) -> Any:
    """What a reader of the written document gets: dictionaries, lists, texts, numbers to the bit, None."""
    return json.loads("".join(written(document)))


encoded = json.JSONEncoder(ensure_ascii=False, allow_nan=False).encode
_indented = json.JSONEncoder(ensure_ascii=False, allow_nan=False, indent=1).encode
