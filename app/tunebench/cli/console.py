"""What the command line says, where, and in which language: the only door to the terminal.

What hosts, files and people wrote passes `Door` before a terminal sees it, whoever prints it: a verb, argparse, a log.
"""

from __future__ import annotations

import getpass
import os
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, redirect_stderr, redirect_stdout, suppress
from datetime import UTC, tzinfo
from typing import Any, TextIO, cast

from tunebench.columns.column import Column, Locale, Row
from tunebench.core.errors import UserError
from tunebench.core.messages import Catalogue, catalogue
from tunebench.domain.visible_text import display_width, harmless, harmless_json


class Door:
    """A stream that passes on text without what a terminal would obey."""

    def __init__(self, stream: TextIO) -> None:
        self.stream = stream

    def write(self, text: str) -> int:
        self.stream.write(harmless(text))
        return len(text)

    def write_json(self, text: str) -> None:
        self.stream.write(harmless_json(text))

    def __getattr__(self, name: str) -> Any:
        return getattr(self.stream, name)

    @classmethod
    def to(cls, stream: TextIO | Door) -> Door:
        """One is enough."""
        return stream if isinstance(stream, cls) else cls(cast("TextIO", stream))


@contextmanager
def guarded() -> Iterator[None]:
    """Inside, nothing reaches stdout or stderr but through doors: log lines, complaints and tracebacks included."""
    with redirect_stdout(Door.to(sys.stdout)), redirect_stderr(Door.to(sys.stderr)):
        yield


def stop_writing() -> None:
    """Whoever read our output went away: what is left of it goes nowhere, without a complaint at the end."""
    with suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


class Console:
    """stdout carries results (one JSON document with ``--json``), stderr everything else."""

    def __init__(self, language: str, json_wanted: bool, out: TextIO | None = None, err: TextIO | None = None) -> None:
        self.language = language
        self.json_wanted = json_wanted
        self._out = Door.to(out or sys.stdout)
        self._err = Door.to(err or sys.stderr)
        self.messages: Catalogue = catalogue(language)

    def text(self, key: str, **facts: object) -> str:
        """The sentence; a fact is part of it, and makes no line of its own."""
        return self.messages.text(
            key, **{name: _on_one_line(fact) if isinstance(fact, str) else fact for name, fact in facts.items()}
        )

    def say(self, key: str, **facts: object) -> None:
        """Prints a line of the result, for people; nothing with ``--json``."""
        if not self.json_wanted:
            print(self.text(key, **facts), file=self._out)

    def print(self, line: str = "") -> None:
        if not self.json_wanted:
            print(line, file=self._out)

    def notice(self, key: str, **facts: object) -> None:
        print(self.text(key, **facts), file=self._err)

    def complain(self, sentence: str) -> None:
        """Prints a finished sentence beside the result."""
        print(sentence, file=self._err)

    def refuse(self, error: UserError) -> None:
        print(_on_one_line(self.messages.error(error)), file=self._err)

    def result(self, document: object) -> None:
        """The JSON document, with ``--json`` only; what an iterator in it gives is written as it comes, a line each."""
        if self.json_wanted:
            from tunebench.contract.document import written  # most verbs are asked for text

            for piece in written(document):
                self._out.write_json(piece)

    def headings(self, prefix: str, names: str) -> list[str]:
        """Headings of columns; their keys are `prefix` and one of the `names`, which blanks separate."""
        return [self.text(f"{prefix}.{name}") for name in names.split()]

    def table(
        self, headings: Sequence[str], rows: Sequence[Sequence[str]], right: frozenset[int] = frozenset()
    ) -> None:
        """Columns padded by display width (Hangul is two cells wide); `right` columns are right-aligned."""
        if self.json_wanted:
            return
        lines = [list(headings), *[list(row) for row in rows]]
        widths = [max(display_width(line[k]) for line in lines) for k in range(len(headings))]
        for line in lines:
            cells = [_pad(cell, width, k in right) for k, (cell, width) in enumerate(zip(line, widths, strict=True))]
            self.print("  ".join(cells).rstrip())

    def columns(self, columns: Sequence[Column[Row]], rows: Iterable[Row], zone: tzinfo = UTC) -> None:
        """Prints a table of `columns`."""
        locale = Locale(self.language, zone, missing="-", unmeasured="-")
        cells = [[_on_one_line(column.words(row, locale)) for column in columns] for row in rows]
        right = frozenset(index for index, column in enumerate(columns) if column.is_right)
        self.table([column.title(locale) for column in columns], cells, right)

    def ask(self, words: str) -> str:
        """What is typed behind the words, on one line."""
        self._err.write(words)
        self._err.flush()
        return sys.stdin.readline().rstrip("\n")

    def ask_hidden(self, words: str) -> str:
        """As `ask`, without an echo."""
        return getpass.getpass(harmless(words), stream=cast("TextIO", self._err))

    def progress(self) -> ConsoleProgress:
        return ConsoleProgress(cast("TextIO", self._err), self.messages)


def _on_one_line(text: str) -> str:
    return " ".join(text.splitlines()) if "\n" in text else text


def _pad(cell: str, width: int, right: bool) -> str:
    blanks = " " * (width - display_width(cell))
    return blanks + cell if right else cell + blanks


class ConsoleProgress:
    """A bar on a terminal, nothing elsewhere."""

    _WIDTH = 24

    def __init__(self, err: TextIO, messages: Catalogue) -> None:
        self._err = err
        self._messages = messages
        self._shown = ""
        self._terminal = err.isatty()

    def report(self, done: int, total: int, key: str = "", **facts: object) -> None:
        if not self._terminal:
            return
        share = done / total if total else 0.0
        filled = round(share * self._WIDTH)
        words = self._messages.text(key, **facts) if key else ""
        line = f"[{'#' * filled}{'.' * (self._WIDTH - filled)}] {share:4.0%} {words}"[:100]
        if line != self._shown:
            self._overwrite(harmless(line))
            self._shown = line

    def raise_if_cancelled(self) -> None:
        """Ctrl+C raises KeyboardInterrupt by itself."""

    def close(self) -> None:
        if self._shown:
            self._overwrite("")
            self._shown = ""

    def _overwrite(self, line: str) -> None:
        """Moves the cursor itself, so it goes past the door."""
        stream = self._err.stream if isinstance(self._err, Door) else self._err
        stream.write(f"\r\x1b[K{line}")
        stream.flush()
