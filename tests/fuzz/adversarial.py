"""Captures that would make a careless reader remember everything: made of real ones, as long as wanted."""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Iterator

Endless = Callable[[bytes], Iterator[bytes]]
"""A real capture -> pieces of text without end."""

_NUMBER = re.compile(rb"(?<![\w.])-?\d+(?:[.,]\d+)?(?![\w.])")
_NAME = re.compile(rb"[A-Za-z][\w/-]*")
_STAMP = re.compile(rb"\d+:\d\d:\d\d|ZZZZ|T\d{4}|zzz|timestamp|\d{10}")


def _is_row(line: bytes) -> bool:
    return len(_NUMBER.findall(line)) > 1


def again(data: bytes) -> Iterator[bytes]:
    """The same capture over and over."""
    return itertools.repeat(data if data.endswith(b"\n") else data + b"\n")


def new_thing_in_every_row(data: bytes) -> Iterator[bytes]:
    """A device, a process, a mount point that was never seen before in each row."""
    counter = itertools.count()
    lines = data.split(b"\n")
    while True:
        for line in lines:
            mark = b"%d" % next(counter)
            yield (_NAME.sub(rb"\g<0>" + mark, line) if _is_row(line) else line) + b"\n"


def new_number_in_every_row(data: bytes) -> Iterator[bytes]:
    """A pid or a processor that was never seen before in each row: its first whole number."""
    counter = itertools.count(100)
    lines = data.split(b"\n")
    while True:
        for line in lines:
            yield (
                re.sub(rb"(?<![\w.:/,-])\d+(?![\w.:/,-])", b"%d" % next(counter), line, count=1)
                if _is_row(line)
                else line
            ) + b"\n"


def new_headings(data: bytes) -> Iterator[bytes]:
    """No heading comes twice: its last word is another each time."""
    counter = itertools.count()
    lines = data.split(b"\n")
    while True:
        for line in lines:
            words = [] if _is_row(line) else line.split()
            yield line + (b" w%d/s" % next(counter) if len(words) > 2 else b"") + b"\n"


def new_first_words(data: bytes) -> Iterator[bytes]:
    """Sections, tables and keys that nobody knows: the first word of each line is another each time."""
    counter = itertools.count()
    lines = data.split(b"\n")
    while True:
        for line in lines:
            yield _NAME.sub(lambda found: b"%s%d" % (found[0], next(counter)), line, count=1) + b"\n"


def no_times(data: bytes) -> Iterator[bytes]:
    """What waits for a stamp waits for ever."""
    lines = [line for line in data.split(b"\n") if line and not _STAMP.search(line)] or [b"x 1 2"]
    return itertools.chain([data[: data.find(b"\n", 400) + 1]], itertools.repeat(b"\n".join(lines) + b"\n"))


def no_line_ends(data: bytes) -> Iterator[bytes]:
    return itertools.chain([data], itertools.repeat(data.replace(b"\n", b" ")))


def long_words(data: bytes) -> Iterator[bytes]:
    return itertools.chain([data], itertools.cycle((b"x" * 300_000 + b"\n", b"9" * 300_000 + b"\n", data)))


def open_brackets(data: bytes) -> Iterator[bytes]:
    """JSON, XML, a quoted cell and a DOCTYPE that never end."""
    begin = data[: max(data.find(b"\n", len(data) // 2) + 1, 200)]
    nested = itertools.cycle((b'{"a": [' * 100 + b"\n", b"<a b='c'>" * 100 + b"\n", b'"x, ' * 100 + b"\n"))
    return itertools.chain([begin], nested)


ENDLESS: tuple[Endless, ...] = (
    again,
    new_thing_in_every_row,
    new_number_in_every_row,
    new_headings,
    new_first_words,
    no_times,
    no_line_ends,
    long_words,
    open_brackets,
)


def first_bytes(pieces: Iterator[bytes], count: int) -> bytes:
    """So much of an endless text."""
    parts, size = [], 0
    for piece in pieces:
        parts.append(piece)
        size += len(piece)
        if size >= count:
            break
    return b"".join(parts)[:count]
