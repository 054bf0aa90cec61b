"""Workbooks are read by a process of their own, with bounds of memory and time: their reader is native code that ends
its process where there is no memory, and what a file says of its sizes may be anything.

    parent -> child    the path, pieces of the workbook, nothing      each as 8 bytes of length and the bytes, on stdin
    child -> parent    "s" name of a sheet, "t" pieces of its text, "s" ..., "e" the end; or "r" a refusal in JSON;
                       each as the letter, 8 bytes of length and the bytes, on stdout

Nothing that comes back is run or unpickled. The child ends when its stdin does: so does the parent's death, however
sudden.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import threading
import time
from collections.abc import Iterable, Iterator
from io import BytesIO
from itertools import groupby
from operator import itemgetter
from types import TracebackType
from typing import IO, Self

from tunebench.core.errors import UserError
from tunebench.core.processes import bound, ends, read_exactly, started
from tunebench.core.program_words import READ_WORKBOOK
from tunebench.transport.containers.limits import Limits, OverLimit
from tunebench.transport.tables import workbook
from tunebench.transport.tables.text import pieces_of

MOST_MEMORY_BYTES = 768 << 20
MOST_PROCESSOR_S = 30
MOST_WAIT_S = 120.0
"""How long the parent waits for it in all; where the system bounds no processor time, this ends it."""
_LENGTH_BYTES = 8
_SHEET, _TEXT, _END, _REFUSAL = b"s", b"t", b"e", b"r"
_PATH_ERRORS = "surrogatepass"
_OUT_OF_TIME = -getattr(signal, "SIGXCPU", 24)
_ABORTED = (-signal.SIGABRT, 3, 0xC0000409)
"""How a process ends that Rust finds no memory for, here and on Windows."""


def sheets(data: Iterable[bytes], path: str) -> Iterator[tuple[str, Iterator[bytes]]]:
    """The name and the text of each sheet that has some, in the workbook's order; a text is read before the next.

    Raises:
        OverLimit: workbook_needs_memory, workbook_needs_time, workbook_reader_ended; what `workbook.sheets` raises.
    """
    with _Reader(path) as reader:
        reader.give(data)
        for _, answers in groupby(reader.answers(), key=itemgetter(0)):
            yield _sheet_of(answers)


def _sheet_of(answers: Iterator[tuple[int, bytes]]) -> tuple[str, Iterator[bytes]]:
    _, name = next(answers)
    return name.decode(), (text for _, text in answers)


class _Reader:
    """The process, as its parent sees it. Used in a ``with``: it does not outlive that."""

    def __init__(self, path: str) -> None:
        self._path = path
        self._process = started(READ_WORKBOOK, subprocess.DEVNULL)
        self._waited_s = 0.0
        self._is_late = False

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, _kind: type[BaseException] | None, _error: BaseException | None, _trace: TracebackType | None
    ) -> None:
        self._process.kill()
        self._process.communicate()

    def give(self, data: Iterable[bytes]) -> None:
        pipe = self._process.stdin
        assert pipe is not None
        try:
            _give(pipe, self._path.encode("utf-8", _PATH_ERRORS))
            for piece in filter(None, data):
                _give(pipe, piece)
            _give(pipe, b"")
        except BrokenPipeError:
            return  # it ended: there will be no answer

    def answers(self) -> Iterator[tuple[int, bytes]]:
        """Number of the sheet with a piece of it, piece by piece: its name first, then its text."""
        number = 0
        while (answer := self._answer())[0] != _END:
            kind, body = answer
            if kind == _REFUSAL:
                raise _refusal_of(body)
            number += kind == _SHEET
            yield number, body

    def _answer(self) -> tuple[bytes, bytes]:
        pipe = self._process.stdout
        assert pipe is not None
        begin_s = time.monotonic()
        late = threading.Timer(max(0.0, MOST_WAIT_S - self._waited_s), self._end_late)
        late.start()
        try:
            kind = read_exactly(pipe, 1)
            return kind, _take(pipe)
        except EOFError:
            raise self._why_it_ended() from None
        finally:
            late.cancel()
            self._waited_s += time.monotonic() - begin_s

    def _end_late(self) -> None:
        self._is_late = True
        self._process.kill()

    def _why_it_ended(self) -> OverLimit:
        self._process.kill()  # it may live on after it closed the pipe, or after an answer longer than itself
        code = self._process.wait()
        if self._is_late or code == _OUT_OF_TIME:
            return OverLimit("workbook_needs_time", path=self._path, most=f"{MOST_PROCESSOR_S} s")
        if code in _ABORTED:
            return _needs_memory(self._path)
        return OverLimit("workbook_reader_ended", path=self._path)


def _needs_memory(path: str) -> OverLimit:
    return OverLimit("workbook_needs_memory", path=path, most=f"{MOST_MEMORY_BYTES >> 20} MB")


def _give(pipe: IO[bytes], data: bytes, kind: bytes = b"") -> None:
    pipe.write(kind + len(data).to_bytes(_LENGTH_BYTES, "little") + data)
    pipe.flush()


def _take(pipe: IO[bytes]) -> bytes:
    length = int.from_bytes(read_exactly(pipe, _LENGTH_BYTES), "little")
    if length > MOST_MEMORY_BYTES:
        raise EOFError
    return read_exactly(pipe, length)


def _refusal_in(error: UserError) -> bytes:
    over = isinstance(error, OverLimit)
    facts = {name: fact if isinstance(fact, int) else str(fact) for name, fact in error.facts.items()}
    return json.dumps({"over": over, "key": error.key, "facts": facts}).encode()


def _refusal_of(body: bytes) -> UserError:
    refusal = json.loads(body)
    return (OverLimit if refusal["over"] else UserError)(refusal["key"], **refusal["facts"])


def serve() -> int:
    """Reads one workbook for the parent."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl+C goes to all at the terminal; the parent decides
    bound(MOST_MEMORY_BYTES, MOST_PROCESSOR_S)
    orders, answers = ends()
    try:
        path = _take(orders).decode("utf-8", _PATH_ERRORS)
        try:
            _read(orders, answers, path)
        except MemoryError:
            _give(answers, _refusal_in(_needs_memory(path)), _REFUSAL)
        except UserError as error:
            _give(answers, _refusal_in(error), _REFUSAL)
    except (BrokenPipeError, EOFError):
        return 0
    return 0


def _read(orders: IO[bytes], answers: IO[bytes], path: str) -> None:
    file = BytesIO()
    while piece := _take(orders):
        file.write(piece)
    threading.Thread(target=_end_with_parent, daemon=True).start()
    file.seek(0)
    for name, rows in workbook.sheets(file, Limits(), path):
        _give(answers, name.encode("utf-8", "replace"), _SHEET)
        for text in pieces_of(rows):
            _give(answers, text, _TEXT)
    _give(answers, b"", _END)


def _end_with_parent() -> None:
    os.read(0, 1)  # nothing more is sent
    os._exit(0)
