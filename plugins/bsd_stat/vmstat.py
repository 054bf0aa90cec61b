"""Parser of vmstat of FreeBSD, OpenBSD and NetBSD (macOS has none).

     procs      memory      page                    disks     faults         cpu
     r b w     avm    fre   flt  re  pi  po    fr  sr ad0 da0   in   sy   cs us sy id        FreeBSD
     r b w    avm    fre  flt  re  pi   po   fr   sr w0 c0   in   sy  cs us sy id            NetBSD
     r b w    avm     fre  flt  re  pi  po  fr  sr wd0 cd0  int   sys   cs us sy id          OpenBSD
     r   s   avm     fre  flt  re  pi  po  fr  sr sd0 sd1  int   sys   cs us sy id           OpenBSD since 6.1
     1 0 0   63720  339504  1158   0   0   0  1022   0   0   0  246 1201  336 22 15 63
     0 0 0    512M    1.2G   120   0   0   0   130   0   0   0   12  300  400  1  1 98       -h: bytes, 1024 each

What stands between ``sr`` and ``in`` are the disks, with operations per second. avm and fre are kilobytes,
all of page and faults is per second (vmstat(8)). The first row of a run is an average since boot.
"""

from __future__ import annotations

import re

from tunebench.families.confidence import of_match
from tunebench.families.runs import RunParser, text_of_head
from tunebench.sdk import ParseContext, TableBuilder, lazy_pattern, record

from .cells import KIBIBYTES, plain_row

_HEADING = lazy_pattern(
    rb"^[ \t]*r[ \t]+(?:b[ \t]+w|b|s)[ \t]+avm[ \t]+fre[ \t]+flt[ \t]+re[ \t]+pi[ \t]+po[ \t]+fr\b.*$"
)
_SNIFF = lazy_pattern(_HEADING.pattern, re.MULTILINE)
_GROUPS = frozenset({"procs", "memory", "page", "disks", "disk", "faults", "traps", "cpu"})
_FIRST_OF_FAULTS = ("in", "int")
_MEMORY = frozenset({"avm", "fre"})
_PAGE = 18  # rows between two headings of one run, at least (vmstat.c: a terminal of 20 lines)
_DIGIT = lazy_pattern(rb"^[\d.,\s-]*[\dBKMGT%]")


@record
class _Layout:
    builder: TableBuilder
    bases: tuple[float, ...]


def name_columns(words: tuple[str, ...]) -> list[tuple[str, tuple[tuple[str, str], ...]]]:
    """Per column its native name and attributes: disks by device, the two ``sy`` by group."""
    faults = next(index for index, word in enumerate(words) if word in _FIRST_OF_FAULTS)
    first_disk = words.index("fr") + 1 + ("sr" in words[:faults])
    named: list[tuple[str, tuple[tuple[str, str], ...]]] = []
    for index, word in enumerate(words):
        if first_disk <= index < faults:
            named.append(("disk", (("device", word),)))
        elif word == "sy":
            named.append((word, (("group", "faults" if index < faults + 3 else "cpu"),)))
        else:
            named.append((word, ()))
    return named


class VmstatParser(RunParser):
    """See the module."""

    tool = "vmstat"

    def __init__(self, context: ParseContext) -> None:
        super().__init__(context)
        self._layout: _Layout | None = None
        self._rows_since_heading: int | None = None

    @staticmethod
    def sniff(head: bytes, file_name: str) -> float:  # noqa: ARG004  the text alone decides
        text = text_of_head(head)
        match = _SNIFF.search(text)
        if match is None or not _is_whole(match.group()):
            return 0.0
        return of_match(match, 6)

    def begin_run(self) -> None:
        self._layout, self._rows_since_heading = None, None

    @property
    def row_width(self) -> int:
        return 0 if self._layout is None else len(self._layout.bases)

    def take(self, number: int, text: bytes) -> bool:
        if _HEADING.match(text) and _is_whole(text):
            self._begin(tuple(text.decode("ascii", "replace").split()))
            self.book.header()
            return True
        if set(text.decode("ascii", "replace").split()) <= _GROUPS:
            self.book.header()
            return True
        layout = self._layout
        if layout is None or _DIGIT.match(text) is None:
            return False
        return self._take_row(number, text, layout)

    def _begin(self, words: tuple[str, ...]) -> None:
        rows = self._rows_since_heading
        if rows is not None and 0 < rows < _PAGE:  # sooner than a page: another run (vmstat 1 2 in a loop)
            self.clock.new_run()
        self._rows_since_heading = 0
        self.book.os = _system_of(words)
        named = name_columns(words)
        builder = self.table("vmstat", [name for name, _ in named], None, [attributes for _, attributes in named])
        self._layout = _Layout(builder, tuple(KIBIBYTES if name in _MEMORY else 1.0 for name, _ in named))

    def _take_row(self, number: int, text: bytes, layout: _Layout) -> bool:
        cells = text.split()
        if len(cells) == 1:
            return False  # a stamp: seconds since 1970
        row = plain_row(cells, layout.bases) if len(cells) == len(layout.bases) else None
        if row is None or self.is_cut_off(number, text, "vmstat"):
            self.skip_row(number, text)
            return True
        self.end_block()
        time_ns, since_boot = self.block()
        layout.builder.row(time_ns, number, b"", row, since_boot)
        self.book.data()
        self._rows_since_heading = (self._rows_since_heading or 0) + 1
        return True


def _is_whole(heading: bytes) -> bool:
    words = heading.decode("ascii", "replace").split()
    return words[-1] == "id" and any(word in words for word in _FIRST_OF_FAULTS)


def _system_of(words: tuple[str, ...]) -> str:
    """OpenBSD spells ``int`` and ``sys``; FreeBSD and NetBSD print alike but for their disks' names."""
    if "int" in words:
        return "openbsd"
    disks = words[words.index("fr") + 1 : words.index("in")]
    netbsd = any(re.fullmatch(r"(?:w|s|c|f|m)\d", disk) for disk in disks)  # cut to two letters
    return "netbsd" if netbsd else "freebsd"
