"""What the parsers of the AIX stat tools share: the configuration line, the rulers, blocks that wait for the next."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from app.families.runs import RunParser
from app.sdk import ParseContext, SystemFact, TableBuilder

from .configuration import Configuration

TOOLS = frozenset({"vmstat", "iostat", "lparstat", "mpstat", "svmon", "sar"})
FIGURES = b"0123456789.,- "
_RULER = re.compile(rb"^[-\s]{3,}$")
_COMMENT = re.compile(rb"^#+ ")


def is_ruler(text: bytes) -> bool:
    """``----- ----------- ----``"""
    return _RULER.match(text) is not None


class AixParser(RunParser):
    """Base of the line-oriented AIX parsers; a subclass reads its tables in `take_line`."""

    os = "aix"
    tools = TOOLS

    def __init__(self, context: ParseContext) -> None:
        super().__init__(context)
        self.configuration = Configuration(self.book)

    def take_line(self, number: int, text: bytes) -> bool:
        """Reads and books a line of the tool's tables; False where it is none."""
        raise NotImplementedError

    def take(self, number: int, text: bytes) -> bool:
        if self.take_line(number, text):
            return True
        if is_ruler(text):
            self.book.header()
            return True
        if self.configuration.take(number, text):
            self.configuration_line()
            return True
        if _COMMENT.match(text) and not self._is_command(text):
            self.book.skip("comment", number, text)
            return True
        return False

    def _is_command(self, text: bytes) -> bool:
        words = text.lstrip(b"# ").split()
        return bool(words) and words[0].rsplit(b"/", 1)[-1].decode("ascii", "replace") in TOOLS

    def configuration_line(self) -> None:
        """The tool was started, or the partition changed."""

    def block(self, tod_s: int | None = None) -> tuple[int, bool]:
        time_ns, since_boot = super().block(tod_s)
        if self.configuration.pending:
            self.times.events.extend(self.configuration.confirm(time_ns))
        return time_ns, since_boot

    def facts(self) -> Sequence[SystemFact]:
        return [*self.configuration.facts(), *super().facts()]


def gather_rows(
    lines: list[bytes], start: int, known: set[bytes], stamp: bytes, plain: Callable[[bytes], bytes] | None = None
) -> tuple[list[bytes], list[bytes]]:
    """Names and figures of the rows of one block from ``lines[start]`` on, up to the first that is another's.

    Args:
        known: names that the block has had; those found are added.
        stamp: the time behind each row, ``b""`` where there is none; a row with another one is the next block's.
        plain: takes the suffixes off the figures.
    """
    names: list[bytes] = []
    tails: list[bytes] = []
    for index in range(start, len(lines)):
        name, _, tail = lines[index].rstrip().partition(b" ")
        if not tail or name in known or not name[:1].isalpha():
            break
        if stamp:
            if not tail.endswith(stamp):
                break
            tail = tail[:-8]
        if tail.translate(None, FIGURES):
            tail = plain(tail) if plain is not None else tail
            if tail.translate(None, FIGURES):
                break
        known.add(name)
        names.append(name)
        tails.append(tail)
    return names, tails


class HeldParser(AixParser):
    """Holds the rows of a run's first block until it is known whether they are an average since boot.

    mpstat and lparstat print figures since boot only where no interval is asked for, and then there is one
    block alone.
    """

    def __init__(self, context: ParseContext) -> None:
        super().__init__(context)
        self._table: tuple[TableBuilder, int] | None = None
        self._held: list[tuple[TableBuilder, int, int, bytes, bytes]] = []
        self._blocks_of_run = 0

    def begin_run(self) -> None:
        self.end_of_text()
        self._blocks_of_run = 0
        self._table = None

    def end_of_text(self) -> None:
        """A block alone, where nobody asked for an interval, is since boot."""
        since_boot = self._blocks_of_run == 1 and self.clock.interval_s is None
        if since_boot and self._held:
            self.book.warn("since_boot_only")
        self._release(since_boot)

    def begin_block(self) -> None:
        self._blocks_of_run += 1
        if self._blocks_of_run > 1:
            self._release(since_boot=False)

    def put(self, builder: TableBuilder, time_ns: int, number: int, key: bytes, tail: bytes) -> None:
        if self._blocks_of_run == 1:
            self._held.append((builder, time_ns, number, key, tail))
        else:
            builder.row(time_ns, number, key, tail)

    def _release(self, since_boot: bool) -> None:
        for builder, time_ns, number, key, tail in self._held:
            builder.row(time_ns, number, key, tail, since_boot)
        self._held.clear()
