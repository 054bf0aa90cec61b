"""TOML texts as tables. What a start reads of the program's own is parsed once, and kept beside what is compiled.

A kept table is found by the digest of its text, so that no clock and no path can be wrong about it: a changed text is
parsed anew, and so is everything where the file is missing, cut off, or of another program or Python. It holds plain
data, and `marshal` runs no code of it; who can write there can change the program itself.
"""

from __future__ import annotations

import marshal
import sys
import tomllib
from collections.abc import Iterator
from functools import cache
from hashlib import sha256
from typing import cast

from tunebench import __version__
from tunebench.core.paths import builtin_plugins_folder, compiled_folder, resources_folder

Table = dict[str, object]

KEPT_NAME = "tables.marshal"
_HEADER = f"TuneBench {__version__} tables, {sys.implementation.cache_tag} {sys.version}\n".encode()
_DIGEST_BYTES = sha256().digest_size
_FORM = 2
"""Of `marshal`: it tells no two objects from one, so that equal tables are equal bytes."""

_missed: set[bytes] = set()


def table_of(text: str) -> Table:
    """The table that the text says; nobody may change it.

    Raises:
        tomllib.TOMLDecodeError: it is no TOML.
    """
    digest = _digest(text)
    table = _kept().get(digest)
    if table is None:
        table = tomllib.loads(text)
        _missed.add(digest)
    return table


def renew() -> None:
    """Keeps the program's own tables for the next start, where one was not found; a folder that is not to be written to
    stays as it is."""
    if _missed:
        keep()


def keep() -> None:
    tables = {_digest(text): table_of(text) for text in _own_texts()}
    if tables.keys() == _kept().keys():
        return
    from tunebench.core.errors import UserError  # rare: most starts find everything
    from tunebench.core.whole_files import write_whole

    body = marshal.dumps(tables, _FORM)
    try:
        compiled_folder().mkdir(parents=True, exist_ok=True)
        write_whole(compiled_folder() / KEPT_NAME, _HEADER + sha256(body).digest() + body)
    except (OSError, UserError):
        return


@cache
def _kept() -> dict[bytes, Table]:
    """Digest of a text -> its table."""
    try:
        data = (compiled_folder() / KEPT_NAME).read_bytes()
    except OSError:
        return {}
    header, body = data[: len(_HEADER) + _DIGEST_BYTES], data[len(_HEADER) + _DIGEST_BYTES :]
    if header != _HEADER + sha256(body).digest():
        return {}
    return cast("dict[bytes, Table]", marshal.loads(body))  # noqa: S302 - as it was written, see above


def _digest(text: str) -> bytes:
    return sha256(text.replace("\r\n", "\n").encode()).digest()


def _own_texts() -> Iterator[str]:
    for path in sorted([*resources_folder().glob("metrics/*.toml"), *builtin_plugins_folder().rglob("*.toml")]):
        yield path.read_text(encoding="utf-8")


if __name__ == "__main__":
    keep()
