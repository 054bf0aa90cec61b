"""The line with which every AIX tool begins, and which it repeats when the partition was changed.

System configuration: lcpu=8 mem=12287MB ent=3.40
System configuration: type=Shared mode=Uncapped smt=4 lcpu=8 mem=12287MB psize=16 ent=3.40
시스템 구성: lcpu=8 drives=3                      in other languages the pairs stay as they are
System configuration changed. The current iteration values may be inaccurate.
"""

from __future__ import annotations

from collections.abc import Sequence

from tunebench.sdk import CaptureEvent, EventKind, LedgerBook, SystemFact, lazy_pattern

_LINE = lazy_pattern(rb"^\s{0,8}System [Cc]onfiguration:(?P<pairs>.*)$")
_TRANSLATED = lazy_pattern(rb"^[^=]{1,80}:(?P<pairs>\s*(?:[a-z_]{1,20}=\S{1,60}\s+){0,12}lcpu=\d.*)$")
_CHANGED = lazy_pattern(rb"^\s*System configuration changed\b")
_PAIR = lazy_pattern(rb"(?P<name>[a-z_]\w{0,30})=(?P<value>\S{1,60})")
_MEMORY = frozenset({"mem", "tmem", "mmode", "mpsz", "iome", "iomp", "memlim"})
_DISK = frozenset({"drives", "paths", "vdisks", "tapes", "maxserver"})
_KIND_OF = {"lcpu": EventKind.CPU_COUNT, "mem": EventKind.MEMORY_SIZE}
_ARROW = " → "


class Configuration:
    """The facts so far; of a value that changed inside a capture the latest is kept.

    A change is told where the next row shows when it was: `confirm`, or `discard` where that row belongs to a
    stretch of time that was passed before (sar prints section after section).
    """

    def __init__(self, book: LedgerBook) -> None:
        self._book = book
        self._values: dict[str, str] = {}
        self.pending: dict[str, str] = {}
        """What changed and no row has followed yet: name -> ``8 → 16``."""

    def take(self, number: int, text: bytes) -> bool:
        """Reads and books a line; False where it says nothing of the configuration."""
        if b"onfiguration" not in text[:24] and b"lcpu=" not in text[:120]:
            return False
        match = _LINE.match(text) or _TRANSLATED.match(text)
        if match is not None:
            for pair in _PAIR.finditer(match["pairs"]):
                name, value = pair["name"].decode(), pair["value"].decode("ascii", "replace")
                before = self._values.get(name, value)
                if before != value:
                    self.pending[name] = f"{before}{_ARROW}{value}"
                self._values[name] = value
            self._book.header()
            return True
        if _CHANGED.match(text):
            self._book.warn("configuration_changed")
            self._book.skip("message", number, text)
            return True
        return False

    def confirm(self, time_ns: int) -> list[CaptureEvent]:
        """The changes, at the time of the row that followed."""
        events = [
            CaptureEvent(_KIND_OF[name], time_ns, None, words)
            for name, words in self.pending.items()
            if name in _KIND_OF
        ]
        if self.pending:
            self._book.warn("configuration_changed")
        self.pending = {}
        return events

    def discard(self) -> None:
        self.pending = {}

    def facts(self) -> Sequence[SystemFact]:
        return [SystemFact(_section_of(name), name, value) for name, value in self._values.items()]


def _section_of(name: str) -> str:
    return "memory" if name in _MEMORY else "disk" if name in _DISK else "cpu"
