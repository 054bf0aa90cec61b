"""What the command line says, where, and in which language."""

from __future__ import annotations

import json
import sys
import unicodedata
from collections.abc import Sequence
from typing import TextIO

from app.core.errors import UserError
from app.core.messages import Catalogue, catalogue


class Console:
    """stdout carries results (one JSON document with ``--json``), stderr everything else."""

    def __init__(self, language: str, json_wanted: bool, out: TextIO | None = None, err: TextIO | None = None) -> None:
        self.language = language
        self.json_wanted = json_wanted
        self._out = out or sys.stdout
        self._err = err or sys.stderr
        self.messages: Catalogue = catalogue(language)

    def text(self, key: str, **facts: object) -> str:
        return self.messages.text(key, **facts)

    def say(self, key: str, **facts: object) -> None:
        """A line of the result, for people; nothing with ``--json``."""
        if not self.json_wanted:
            print(self.text(key, **facts), file=self._out)

    def print(self, line: str = "") -> None:
        if not self.json_wanted:
            print(line, file=self._out)

    def notice(self, key: str, **facts: object) -> None:
        print(self.text(key, **facts), file=self._err)

    def complain(self, sentence: str) -> None:
        """A sentence that is made already, beside the result."""
        print(sentence, file=self._err)

    def refuse(self, error: UserError) -> None:
        print(self.messages.error(error), file=self._err)

    def result(self, document: object) -> None:
        """The JSON document, with ``--json`` only."""
        if self.json_wanted:
            json.dump(document, self._out, ensure_ascii=False, indent=1, allow_nan=False)
            self._out.write("\n")

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

    def progress(self) -> ConsoleProgress:
        return ConsoleProgress(self._err, self.messages)


def display_width(text: str) -> int:
    return sum(2 if unicodedata.east_asian_width(letter) in "WF" else 1 for letter in text)


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
            self._err.write(f"\r\x1b[K{line}")
            self._err.flush()
            self._shown = line

    def raise_if_cancelled(self) -> None:
        """Ctrl+C raises KeyboardInterrupt by itself."""

    def close(self) -> None:
        if self._shown:
            self._err.write("\r\x1b[K")
            self._shown = ""
