"""Parser of Solaris sar.

    SunOS the_hostname 5.10 Generic_125100-05 sun4u    08/19/2010

    00:00:05   device        %busy   avque   r+w/s  blks/s  avwait  avserv
    00:20:03   md0               1     0.1       2       7     4.0    31.3
               sd5,a             0     0.0       0       0     0.0     0.0     rows of one time carry on without it
    08:20:00   84/30000    0    0/129797    0  601/601     0    0/0            -v: used/size
    02:15:03  unix restarts
    Average        4       6       0      90                                  no colon

A file is printed section after section. A live run of several options prints all headings first and then
one row for each in turn. The date is always month/day/year (sar.c prints it so in every locale).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import date

from app.sdk import LineParser, ParseContext, SampleBatch, TableBuilder

from .sniffing import sniff_sar
from .wrappers import is_prompt, read_command

_BANNER = re.compile(
    rb"^SunOS (?P<host>\S+) (?P<release>5\.\d+) (?P<version>\S.*?)\s+(?P<a>\d\d)/(?P<b>\d\d)/(?P<year>\d{4})$"
)
_OTHER_BANNER = re.compile(rb"^(?:Linux|AIX|HP-UX|SunOS) \S+ .*\d")
_STAMP = re.compile(rb"^(?P<hour>[012]\d):(?P<minute>[0-5]\d):(?P<second>[0-5]\d)(?P<rest>\s.*|)$")
_RESTART = re.compile(rb"^\s*unix restarts?\b")
_HEADING_WORD = re.compile(r"[%a-z][\w%/+.-]*")
_NUMBER = re.compile(rb"-?\d+(?:[.,]\d+)?|-")
_PAIR = re.compile(rb"(\d+)/(\d+)")
_NO_CELL = b"-"
_FIGURES = b"0123456789.,- "

_TABLES = {"%usr": "cpu", "%busy": "device", "runq-sz": "queue", "bread/s": "buffer", "swpin/s": "swapping",
           "scall/s": "system_calls", "iget/s": "file_access", "rawch/s": "tty", "proc-sz": "kernel_tables",
           "msg/s": "messages", "atch/s": "paging", "pgout/s": "page_out", "freemem": "free_memory",
           "sml_mem": "kernel_memory"}


@dataclass(slots=True)
class _Section:
    """One heading; `ends` are the columns where its words end, `pairs` the ones whose cells are used/size."""

    table: str
    keyed: bool
    words: list[str]
    ends: list[int]
    pairs: frozenset[int]
    builder: TableBuilder
    heading_tod_s: int | None


class SarParser(LineParser):
    """See the module."""

    def __init__(self, context: ParseContext) -> None:
        super().__init__(context)
        self.book.tool, self.book.os = "sar", "sunos"
        self._sections: dict[tuple[str, ...], _Section] = {}
        self._turn: list[_Section] = []  # the headings whose rows come in turns; mostly one
        self._section: _Section | None = None
        self._seconds: int | None = None  # of the last stamp
        self._in_average = False
        self._headings_open = False  # no row has come yet below the headings of this turn

    @staticmethod
    def sniff(head: bytes, file_name: str) -> float:  # noqa: ARG004  the text alone decides
        return sniff_sar(head)

    def read_lines(self, first_line: int, lines: list[bytes]) -> Iterable[SampleBatch]:
        for number, line in enumerate(lines, first_line):
            text = line.rstrip()
            if not text:
                self.book.blank()
                continue
            stamp = _STAMP.match(text)
            if stamp:
                self._take_stamped(number, text, stamp)
            else:
                self._take_unstamped(number, text)
        return list(self._flush(final=False))

    def close_tables(self) -> Iterable[SampleBatch]:
        return list(self._flush(final=True))

    # -- stamped lines ---------------------------------------------------------------------------

    def _take_stamped(self, number: int, text: bytes, stamp: re.Match[bytes]) -> None:
        seconds = int(stamp["hour"]) * 3600 + int(stamp["minute"]) * 60 + int(stamp["second"])
        rest = stamp["rest"]
        self._in_average = False
        if _RESTART.match(rest):
            self._take_restart(seconds)
        elif words := _heading_words(rest):
            self._turn = []
            self._begin_section(words, text, seconds)
        elif self._turn:
            self._seconds = seconds
            self._section = self._turn[0]
            if rest.strip():
                self._take_row(number, text, rest)
            else:
                self.book.skip("unreadable_numbers", number, text)
        else:
            self.book.skip("not_a_table", number, text)

    def _take_restart(self, seconds: int) -> None:
        self.book.header()
        if self._section is not None:
            self.times.begin_table(self._section.table, self._section.heading_tod_s)
            self._section.heading_tod_s = None
        self.times.restart(None)
        self.times.restart(self.times.at_time_of_day(seconds))

    def _begin_section(self, words: list[str], text: bytes, seconds: int | None) -> None:
        self.book.header()
        section = self._sections.get(tuple(words))
        if section is None:
            section = self._sections[tuple(words)] = self._make_section(words, text, seconds)
        self._turn.append(section)
        self._section = section
        self._headings_open = True

    def _make_section(self, words: list[str], text: bytes, seconds: int | None) -> _Section:
        keyed = words[0] == "device"
        figures = words[1:] if keyed else words
        pairs = frozenset(i for i, word in enumerate(figures) if word.endswith("-sz") and "proc-sz" in figures)
        natives, attributes = _name_columns(figures, pairs)
        table = _TABLES.get(figures[0], figures[0])
        builder = TableBuilder(table, natives, "device" if keyed else None, self.book, attributes)
        ends = [match.end() for match in re.finditer(rb"\S+", text)][-len(figures) :]
        return _Section(table, keyed, figures, ends, pairs, builder, seconds)

    # -- lines without a stamp -------------------------------------------------------------------

    def _take_unstamped(self, number: int, text: bytes) -> None:
        banner = _BANNER.match(text.strip())
        if banner:
            self._take_banner(banner)
        elif re.match(rb"\s*Average\b", text):
            self._in_average = True
            self.book.skip("average", number, text)
        elif text[:1].isspace() and self._turn and self._take_further_row(number, text):
            return
        else:
            self._take_remark(number, text)

    def _take_further_row(self, number: int, text: bytes) -> bool:
        """Another device of the same time, the next section's row of a live run, or one more heading of it."""
        if self._in_average:
            self.book.skip("average", number, text)
            return True
        words = _heading_words(text)
        if words and self._headings_open:
            self._begin_section(words, text, None)
            return True
        if self._seconds is None or self._section is None:
            return False
        named = not _NUMBER.fullmatch(text.split()[0])
        if not (named and self._section.keyed):
            following = self._turn.index(self._section) + 1
            if following >= len(self._turn):
                return False
            self._section = self._turn[following]
        self._take_row(number, text, text)
        return True

    def _take_remark(self, number: int, text: bytes) -> None:
        command = read_command(text.strip())
        if command is not None or is_prompt(text):
            self.book.skip("wrapper", number, text)
        elif _OTHER_BANNER.match(text):
            self._turn, self._section, self._seconds = [], None, None
            self.book.skip("banner_of_other_tool", number, text)
        else:
            self.book.skip("message", number, text)

    def _take_banner(self, banner: re.Match[bytes]) -> None:
        self.book.header()
        self._turn, self._section, self._seconds = [], None, None
        host = banner["host"].decode("ascii", "replace")
        if self.book.hostname and self.book.hostname != host:
            self.book.warn("several_hosts")
        self.book.hostname = self.book.hostname or host
        self.book.os_version = self.book.os_version or banner["release"].decode()
        month, day = int(banner["a"]), int(banner["b"])
        if self.context.day_first or month > 12:
            month, day = day, month
        try:
            self.times.set_day(date(int(banner["year"]), month, day))
        except ValueError:
            self.book.need("date")

    # -- rows ------------------------------------------------------------------------------------

    def _take_row(self, number: int, text: bytes, rest: bytes) -> None:
        section = self._section
        assert section is not None
        assert self._seconds is not None
        self._headings_open = False
        cells = rest.split()
        name = b""
        if section.keyed and len(cells) > 1:
            name, cells = cells[0], cells[1:]
        if len(cells) < len(section.words) and cells and not section.keyed:
            cells = _align(text, section.ends)
        tail = _figures(cells, section.pairs)
        if tail is None or len(cells) != len(section.words) or (section.keyed and not name):
            self.book.skip("unreadable_numbers", number, text)
            return
        self.times.begin_table(section.table, section.heading_tod_s)
        section.heading_tod_s = None
        section.builder.row(self.times.at_time_of_day(self._seconds), number, name, tail)
        self.book.data()

    def _flush(self, final: bool) -> Iterator[SampleBatch]:
        for section in self._sections.values():
            yield from section.builder.flush(final)


def _heading_words(rest: bytes) -> list[str]:
    """The words of a heading; empty where a cell is a figure."""
    words = rest.decode("ascii", "replace").split()
    return words if len(words) > 1 and all(_HEADING_WORD.fullmatch(word) for word in words) else []


def _name_columns(
    words: list[str], pairs: frozenset[int]
) -> tuple[list[str], list[tuple[tuple[str, str], ...]]]:
    """Native names and attributes: a used/size cell gives two; a repeated word belongs to the one before it."""
    natives: list[str] = []
    attributes: list[tuple[tuple[str, str], ...]] = []
    owner = ""
    for index, word in enumerate(words):
        if index in pairs:
            natives += [word, word]
            attributes += [(("state", "used"),), (("state", "limit"),)]
            owner = word
        elif words.count(word) > 1 and owner:
            natives.append(word)
            attributes.append((("group", owner),))
        else:
            natives.append(word)
            attributes.append(())
            owner = word
    return natives, attributes


def _align(text: bytes, ends: list[int]) -> list[bytes]:
    """Cells of a row with blank ones (-q prints nothing where no queue was), by the columns' right edges."""
    cells = [_NO_CELL] * len(ends)
    for match in list(re.finditer(rb"\S+", text))[1:]:
        nearest = min(range(len(ends)), key=lambda index: abs(ends[index] - match.end()))
        cells[nearest] = match[0]
    return cells


def _figures(cells: list[bytes], pairs: frozenset[int]) -> bytes | None:
    """The cells as numbers, None where one is none."""
    joined = b" ".join(cells)
    if not pairs:
        return None if joined.translate(None, _FIGURES) else joined
    out: list[bytes] = []
    for index, cell in enumerate(cells):
        pair = _PAIR.fullmatch(cell) if index in pairs else None
        if pair:
            out += [pair[1], pair[2]]
        elif index in pairs and cell == _NO_CELL:
            out += [cell, cell]
        elif _NUMBER.fullmatch(cell):
            out.append(cell)
        else:
            return None
    return b" ".join(out)
