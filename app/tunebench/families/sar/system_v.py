"""Base of the parsers of the System V sar, as AIX, HP-UX and Solaris ship it.

    HP-UX lasv B.11.31 U ia64    03/21/18

    00:00:01   device   %busy   avque   r+w/s  blks/s  avwait  avserv
    00:05:01    disk1    8.35   10.17      39     578   12.74    3.96
                disk3    2.82    0.50       8     111    0.00    4.19      rows of one time carry on without it
    05:23:11  0        8      92       0       0    1.00                   a processor may be the key as well
    08:20:00   84/30000    0    0/129797    0  601/601     0               -v: used/size; N/A where not counted
    02:15:03  unix restarts
    Average        4       6       0      90                               no colon, may stand before each device

A file is printed section after section. A live run of several options prints all headings first and then the
rows of each in turn; only the first has a stamp. Where no queue was, -q leaves the cells blank.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import field
from datetime import date
from typing import ClassVar

from tunebench.core.patterns import lazy_pattern
from tunebench.core.records import record
from tunebench.families.lines import EndingParser
from tunebench.families.runs import is_prompt, read_command
from tunebench.families.sar.system_v_lines import align, heading_words, is_number, name_columns, split_pairs, stamp_s
from tunebench.sdk.batches import SampleBatch
from tunebench.sdk.parsing import ParseContext
from tunebench.sdk.round_stamps import MARK, read_frame
from tunebench.sdk.tables import TableBuilder

_BANNER = lazy_pattern(rb"^(?:Linux|AIX|HP-UX|SunOS) \S+ .*\d")
_RESTART = lazy_pattern(rb"\s*unix restarts?\b")
_MOST_SECTIONS = 500
_DIGITS = b"0123456789"


@record(frozen=False)
class _Section:
    """One heading.

    Attributes:
        keys: how many leading words name the thing (device, cpu), not a figure.
        words: the figures' headings; `ends` the columns where they end, `pairs` those with used/size cells.
        whole_system: what stands in the processor's column for all of them.
        seen: the things that had a row at the time of `seen_at` (seconds since midnight).
    """

    table: str
    keys: int
    numeric_keys: bool
    words: list[str]
    ends: list[int]
    pairs: frozenset[int]
    builder: TableBuilder
    heading_tod_s: int | None
    whole_system: frozenset[bytes]
    seen: set[bytes] = field(default_factory=set)
    seen_at: int = -1

    def goes_on(self, cells: list[bytes], seconds: int) -> bool:
        """Whether a row is one more thing of the section, at the same time."""
        if len(cells) <= self.keys:
            return False
        if self.numeric_keys:
            new = self._is_new(cells[self.keys - 1], seconds)
            return new and len(cells) <= self.keys + len(self.words) and self._is_processor(cells[0])
        return not is_number(cells[0])

    def fits(self, cells: list[bytes]) -> bool:
        """Whether a row without a stamp may be the section's first."""
        if not self.keys:
            return (is_number(cells[0]) or b"/" in cells[0]) and len(cells) <= len(self.words)
        return self._is_processor(cells[0]) if self.numeric_keys else not is_number(cells[0])

    def further_rows(
        self, lines: list[bytes], start: int, seconds: int, width: int | None
    ) -> tuple[list[bytes], list[bytes]]:
        """(names, numbers) of the lines from `start` on, as far as they are further things of this time.

        With a `width` a row of another may be the next section's.
        """
        keys: list[bytes] = []
        tails: list[bytes] = []
        for index in range(start, len(lines)):
            line = lines[index]
            key, _, tail = line.strip().partition(b" ")
            if line[:1] != b" " or not tail or not self._is_next(key, seconds):
                break
            if width is not None and len(tail.split()) != width:
                break
            keys.append(self.named(key, seconds))
            tails.append(tail)
        return keys, tails

    def named(self, key: bytes, seconds: int) -> bytes:
        """The thing's name; a processor is seen at this time."""
        if not self.numeric_keys:
            return key
        if self.seen_at != seconds:
            self.seen_at = seconds
            self.seen.clear()
        self.seen.add(key)
        return b"all" if key in self.whole_system else key

    def _is_next(self, key: bytes, seconds: int) -> bool:
        """Whether a word names one more thing of this time."""
        if self.numeric_keys:
            return self._is_processor(key) and self._is_new(key, seconds)
        return not (key[:1].isdigit() or key in (b"-", b"N/A", b"Average"))

    def _is_new(self, key: bytes, seconds: int) -> bool:
        return self.seen_at != seconds or key not in self.seen

    def _is_processor(self, cell: bytes) -> bool:
        return cell.lstrip(b"*").isdigit() or cell in self.whole_system or cell == b"U"


class SystemVSarParser(EndingParser):
    """A subclass says what its banner looks like and which heading is which table."""

    os = ""
    banner: ClassVar[re.Pattern[bytes]]
    """With the groups ``host``, ``release`` and ``date``."""
    tables: ClassVar[Mapping[str, str]] = {}
    """First figure's heading -> table; any other is named by its first heading."""
    key_words: ClassVar[Mapping[str, str]] = {"device": "device", "cpu": "cpu"}
    """Headings of the things -> attribute."""
    plain_headings: ClassVar[frozenset[str]] = frozenset()
    """First words of headings without any of ``%``, ``/`` and ``-``."""
    whole_system: ClassVar[frozenset[bytes]] = frozenset()
    """What stands in the processor's column for all of them; stored as ``all``."""

    def __init__(self, context: ParseContext) -> None:
        super().__init__(context)
        self.book.tool, self.book.os = "sar", self.os
        self._sections: dict[tuple[str, ...], _Section] = {}
        self._turn: list[_Section] = []  # the headings whose rows come in turns; mostly one
        self._section: _Section | None = None
        self._seconds: int | None = None  # of the last stamp
        self._in_average = False
        self._headings_open = False  # no row has come yet below the headings of this turn
        self._shortest = 1 << 20

    # -- for subclasses --------------------------------------------------------------------------

    def release_of(self, banner: re.Match[bytes]) -> str:
        return banner["release"].decode()

    def take_note(self, number: int, text: bytes) -> bool:
        """Reads and books a line that only this system prints."""
        return False

    def begin_day(self, host: bytes, version: str, printed: bytes) -> None:
        """What every banner says: a new stretch of this host begins on the day ``mm/dd/yy``."""
        self.end_sections()
        name = host.decode("ascii", "replace")
        if self.book.hostname and self.book.hostname != name:
            self.book.warn("several_hosts")
        self.book.hostname = self.book.hostname or name
        self.book.os_version = self.book.os_version or version
        month, day, year = (int(part) for part in printed.split(b"/"))
        if self.context.day_first or month > 12:
            month, day = day, month
        try:
            self.times.set_day(date(year if year > 99 else year + (2000 if year < 80 else 1900), month, day))
        except ValueError:
            self.book.need("date")

    def row_at(self, table: str, time_ns: int) -> None:
        """A row of `table` was stored."""

    def _take_banner(self, text: bytes) -> bool:
        banner = self.banner.match(text)
        if banner is None:
            return False
        self.begin_day(banner["host"], self.release_of(banner), banner["date"])
        return True

    def end_sections(self) -> None:
        """No heading so far holds for what follows."""
        self._turn, self._section, self._seconds = [], None, None
        self._in_average = False

    # -- reading ---------------------------------------------------------------------------------

    def read_lines(self, first_line: int, lines: list[bytes]) -> Iterable[SampleBatch]:
        self._note_unended(first_line, lines)
        index, count = 0, len(lines)
        while index < count:
            line = lines[index]
            if line[:1] == b" " and self._goes_on_in_bulk and (taken := self._take_run(first_line, lines, index)):
                index += taken
                continue
            text = line.rstrip()
            number = first_line + index
            index += 1
            if not text:
                self.book.blank()
            elif text[2:3] == b":" and text[5:6] == b":" and (seconds := stamp_s(text)) is not None:
                self._take_stamped(number, text, seconds)
            else:
                self._take_unstamped(number, text)
        return list(self._flush(final=False))

    def close_tables(self) -> Iterable[SampleBatch]:
        return list(self._flush(final=True))

    def _flush(self, final: bool) -> Iterator[SampleBatch]:
        for section in self._sections.values():
            if len(section.builder):
                yield from section.builder.flush(final)

    # -- stamped lines ---------------------------------------------------------------------------

    def _take_stamped(self, number: int, text: bytes, seconds: int) -> None:
        self._in_average = False
        rest = text[8:]
        if text[-1:] not in _DIGITS:
            if _RESTART.match(rest):
                self._take_restart(seconds)
                return
            if words := heading_words(rest, self.plain_headings):
                self._turn = []
                self._begin_section(words, text, seconds)
                return
        if not self._turn:
            self.book.skip("truncated" if number == self._unended_line else "not_a_table", number, text)
            return
        self._seconds = seconds
        self._section = self._turn[0]
        if rest:
            self._take_row(number, text, rest)
        else:
            self.book.header()  # a time below which no device had anything to tell

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
            if len(self._sections) >= _MOST_SECTIONS:
                self.end_sections()
                return
            section = self._sections[tuple(words)] = self._make_section(words, text, seconds)
        self._turn.append(section)
        self._section = section
        self._headings_open = True

    def _make_section(self, words: list[str], text: bytes, seconds: int | None) -> _Section:
        keys = 0
        while keys < len(words) - 1 and words[keys] in self.key_words:
            keys += 1
        figures = words[keys:]
        pairs = frozenset(i for i, word in enumerate(figures) if word.endswith("-sz") and "proc-sz" in figures)
        natives, attributes = name_columns(figures, pairs)
        table = self.tables.get(figures[0], figures[0])
        key_attribute = self.key_words[words[keys - 1]] if keys else None
        if key_attribute == "cpu" and table != "cpu":
            table = f"{table}_cpu"  # the same figures of each processor
        builder = TableBuilder(table, natives, key_attribute, self.book, attributes)
        ends = [match.end() for match in re.finditer(rb"\S+", text)][-len(figures) :]
        return _Section(table, keys, key_attribute == "cpu", figures, ends, pairs, builder, seconds, self.whole_system)

    # -- lines without a stamp -------------------------------------------------------------------

    def _take_unstamped(self, number: int, text: bytes) -> None:
        if text[:1] in (b" ", b"\t") and self._turn and self._take_further_row(number, text):
            return
        if text.lstrip().startswith(b"Average"):
            self._in_average = True
            self.book.skip("average", number, text)
        elif self._take_banner(text.strip()):
            self.book.header()
        elif self.take_note(number, text):
            return
        elif self._is_average(text):
            self._in_average = True
            self.book.skip("average", number, text)
        else:
            self._take_remark(number, text)

    def _is_average(self, text: bytes) -> bool:
        """A word in another language in the place of the stamp, before as many cells as a row has."""
        if not self._turn or text.isascii() or text[:1] in (b" ", b"\t"):
            return False
        cells = text.split()
        return is_number(cells[-1]) and len(cells) >= 1 + len(self._turn[0].words)

    def _take_further_row(self, number: int, text: bytes) -> bool:
        """Another thing of the same time, the next section's row of a live run, or one more heading of it."""
        if self._in_average:
            self.book.skip("average", number, text)
            return True
        if self._headings_open and text[-1:] not in _DIGITS and (words := heading_words(text, self.plain_headings)):
            self._begin_section(words, text, None)
            return True
        section = self._section
        if self._seconds is None or section is None or text.lstrip().startswith(b"Average"):
            return False
        if not (section.keys and section.goes_on(text.split(), self._seconds)):
            following = self._following(section, text.split())
            if following is None:
                return False
            self._section = following
        self._take_row(number, text, text)
        return True

    def _following(self, section: _Section, cells: list[bytes]) -> _Section | None:
        """The next section of the turn that such a row fits."""
        after = next(index for index, one in enumerate(self._turn, 1) if one is section)
        return next((other for other in self._turn[after:] if other.fits(cells)), None)

    def _take_remark(self, number: int, text: bytes) -> None:
        if text.startswith(MARK) and read_frame(text) is not None:
            self.end_sections()
            self.book.header()
        elif read_command(text.strip(), frozenset({"sar"})) is not None or is_prompt(text):
            self.book.skip("wrapper", number, text)
        elif _BANNER.match(text):
            self.end_sections()
            self.book.skip("banner_of_other_tool", number, text)
        elif b"\0" in text:
            self.book.skip("nul_bytes", number, text)
        else:
            self.book.skip("truncated" if number == self._unended_line else "message", number, text)

    # -- rows of one time, many at once ----------------------------------------------------------

    @property
    def _goes_on_in_bulk(self) -> bool:
        """Whether lines that begin with a blank are further things of the section being read."""
        section = self._section
        return (
            section is not None
            and section.keys == 1
            and not self._in_average
            and not self._headings_open
            and self._seconds is not None
            and not self.is_ending
        )

    def _take_run(self, first_line: int, lines: list[bytes], start: int) -> int:
        """Takes the further things of this time from ``lines[start]`` on; gives how many lines that were."""
        section, seconds = self._section, self._seconds
        assert section is not None
        assert seconds is not None
        width = len(section.words) if len(self._turn) > 1 else None
        keys, tails = section.further_rows(lines, start, seconds, width)
        if keys:
            self._put_run(section, seconds, first_line + start, keys, tails)
            self._shortest = min(self._shortest, *map(len, lines[start : start + len(keys)]))
        return len(keys)

    def _put_run(self, section: _Section, seconds: int, first_line: int, keys: list[bytes], tails: list[bytes]) -> None:
        if section.pairs:
            tails = [split_pairs(tail.split(), section.pairs) for tail in tails]
        self.times.begin_table(section.table, section.heading_tod_s)
        section.heading_tod_s = None
        time_ns = self.times.at_time_of_day(seconds)
        section.builder.rows(time_ns, first_line, keys, tails)
        self.book.data(len(keys))
        self.row_at(section.table, time_ns)

    # -- rows ------------------------------------------------------------------------------------

    def _take_row(self, number: int, text: bytes, rest: bytes) -> None:
        section = self._section
        assert section is not None
        assert self._seconds is not None
        self._headings_open = False
        name = b""
        if section.keys:
            parts = rest.split(None, section.keys)
            if len(parts) <= section.keys:
                self._skip_row(number, text)
                return
            name, rest = section.named(b"/".join(parts[: section.keys]), self._seconds), parts[section.keys]
        cells = rest.split()
        tail = rest  # padded as it was printed: rows of equal width are decoded together
        if len(cells) < len(section.words) and cells and self._unended_line != number:
            cells = align(text, section.ends, section.keys + (text[:1] not in (b" ", b"\t")))
            tail = b" ".join(cells)
        if len(cells) != len(section.words) or self._is_cut_off(number, text):
            self._skip_row(number, text)
            return
        if section.pairs:
            tail = split_pairs(cells, section.pairs)
        self.times.begin_table(section.table, section.heading_tod_s)
        section.heading_tod_s = None
        time_ns = self.times.at_time_of_day(self._seconds)
        section.builder.row(time_ns, number, name, tail)
        self.book.data()
        self.row_at(section.table, time_ns)

    def _skip_row(self, number: int, text: bytes) -> None:
        reason = "nul_bytes" if b"\0" in text else "unreadable_numbers"
        self.book.skip("truncated" if number == self._unended_line else reason, number, text)

    def _is_cut_off(self, number: int, text: bytes) -> bool:
        """The last line without an end, shorter than every row before it: its last number may have lost digits."""
        if number == self._unended_line:
            return len(text) < self._shortest
        self._shortest = min(self._shortest, len(text))
        return False
