"""Reads captures by a definition without code (`tunebench.sdk.table_definition`).

A line is, in this order: blank, a comment (`skip`), a line that tells time, date, host or version, a heading, a row.
Headings are taken from the text, so that a column that a newer version of the tool adds is kept under its own name.
A text cell in a column that the definition describes spoils its row; in any other column it is a missing value.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from datetime import timedelta, timezone
from functools import partial
from typing import ClassVar, cast

from tunebench.core.patterns import lazy_pattern
from tunebench.sdk.batches import SampleBatch
from tunebench.sdk.ledger_book import LedgerBook
from tunebench.sdk.line_patterns import line_pattern
from tunebench.sdk.lines import LineParser
from tunebench.sdk.parsing import ParseContext, Parser
from tunebench.sdk.scanning.rows import count_rows
from tunebench.sdk.simple_cells import CellSplitter, ColumnPlan, TableRows, plan_columns
from tunebench.sdk.stamp_formats import NS_PER_S, Stamp
from tunebench.sdk.table_definition import (
    KNOWN_BY_HEADING,
    MORE_FOR_FILE,
    MORE_FOR_ROWS,
    TableDefinition,
    TableSection,
    TableTime,
    TimeRule,
)
from tunebench.sdk.text import decode_text
from tunebench.sdk.times import TimeKeeper, at_stamp

_SNIFFED_BYTES = 32 << 10
_KNOWN_BY_FILE = 0.65
_DOUBTFUL = 0.25
"""Not enough for an import to try it."""
_FEWEST_READABLE = 0.3
_BIAS = lazy_pattern(r"-?[0-9]{1,3}")
_PORT = lazy_pattern(r":[0-9]{1,5}$")


class _Section:
    """Where one section of the text has come to."""

    def __init__(self, section: TableSection) -> None:
        self.section = section
        self.plan: ColumnPlan | None = None
        self.rows: TableRows | None = None
        self.boot_ns: int | None = None  # the time of the first block
        self.boot_over = False


class SimpleTableParser(LineParser):
    """A parser whose `definition` says all; `table_parser` makes one of a definition."""

    definition: ClassVar[TableDefinition]

    def __init__(self, context: ParseContext) -> None:
        super().__init__(context)
        self.names_seen: tuple[str, ...] = ()
        self._begin_reading()

    def watch(self, book: LedgerBook, times: TimeKeeper) -> None:
        """Keeps its account in `book`, which looks at every line; before anything is fed."""
        self.book, self.times = book, times
        self._begin_reading()

    def _begin_reading(self) -> None:
        definition = self.definition
        self._splits = tuple(map(CellSplitter, definition.separators))
        self._split = self._splits[0]
        self._above: list[tuple[int, str]] = []  # lines that may belong to the heading below them
        self._sections = [_Section(section) for section in definition.sections]
        self._current: _Section | None = None
        self._clock = _RowClock(self, definition.time)
        self.book.tool = definition.tool
        self.book.variant = definition.id
        self.book.os = definition.os[0] if len(definition.os) == 1 else ""
        self._ignored: dict[str, None] = {}
        if not definition.sections[0].has_heading:
            self._begin(self._sections[0], list(definition.sections[0].names))

    @classmethod
    def sniff(cls, head: bytes, file_name: str) -> float:
        """Reads the beginning; sure where a heading is followed by rows that can be read."""
        text = head[:_SNIFFED_BYTES]
        bare = text.replace(b"\0", b"")  # ASCII is written alike in all encodings, the zeros of UTF-16 left out
        if not any(section.sign.encode() in bare for section in cls.definition.sections):
            return 0.0  # most files are of another tool, and are asked by every definition
        trial = cls(ParseContext(file_name=file_name))
        whole = text.rfind(b"\n") + 1
        list(trial.feed(text[:whole] or text + b"\n"))
        list(trial.finish())
        account = trial.ledger()
        named = cls.definition.names_file(file_name)
        data = account.lines.data
        odd = sum(skipped.count for skipped in account.skipped if skipped.reason != "comment")
        share = data / (data + odd) if data else 0.0
        if trial._headings_seen and not data and len(text) - whole > len(text) // 2:
            return KNOWN_BY_HEADING + MORE_FOR_FILE * named  # thousands of columns: no row is among the first bytes
        if share < _FEWEST_READABLE:
            return _DOUBTFUL if data else 0.0
        if trial._headings_seen:
            return KNOWN_BY_HEADING + MORE_FOR_ROWS * share + MORE_FOR_FILE * named
        return _KNOWN_BY_FILE if named and data > 1 else _DOUBTFUL - 0.05

    # -- lines -------------------------------------------------------------------------------------

    _headings_seen = 0

    def read_lines(self, first_line: int, lines: list[bytes]) -> Iterable[SampleBatch]:
        for number, line in enumerate(lines, first_line):
            text = line.decode("ascii") if line.isascii() else decode_text(line)
            if not text or text.isspace():
                self.book.blank()
            elif any(pattern.fits(text) for pattern in self.definition.skip):
                self.book.skip("comment", number, text)
            elif self._tells_something(text):
                self.book.header()
            else:
                yield from self._read_table(number, text)
        for section in self._sections:
            if section.rows is not None:
                yield from section.rows.flush()

    def close_tables(self) -> Iterable[SampleBatch]:
        self._give_up_above(0)
        for section in self._sections:
            if section.rows is not None:
                yield from section.rows.flush(final=True)

    def _tells_something(self, text: str) -> bool:
        definition = self.definition
        if self._clock.reads(text):
            return True
        facts = definition.host_line.read(text) if definition.host_line else None
        if facts is not None:
            self.book.hostname = self.book.hostname or facts["host"]
            return True
        facts = definition.version_line.read(text) if definition.version_line else None
        if facts is not None:
            self.book.tool_version = self.book.tool_version or facts["version"]
        return facts is not None

    def _read_table(self, number: int, text: str) -> Iterator[SampleBatch]:
        for section in self._sections:
            names = self._heading(section.section, text)
            if names is not None:
                names = self._with_above(section.section, names)
                self.book.header()
                self._headings_seen += 1
                yield from self._begin(section, names)
                return
        if self._current is None:
            self._above.append((number, text))
            self._give_up_above(self._most_above)
        else:
            self._read_row(self._current, number, text)

    @property
    def _most_above(self) -> int:
        return max(section.above for section in self.definition.sections)

    def _give_up_above(self, most: int) -> None:
        """Only so many lines above may still belong to a heading; what stands before them is no table."""
        while len(self._above) > most:
            number, text = self._above.pop(0)
            self.book.skip("not_a_table", number, text)

    # -- headings ----------------------------------------------------------------------------------

    @property
    def splitter(self) -> CellSplitter:
        """The splitter of the last heading."""
        return self._split

    def plan_of(self, text: str) -> ColumnPlan | None:
        """Where the columns of a heading stand; None for any other line."""
        for section in self.definition.sections:
            if names := self._heading(section, text):
                return plan_columns(names, section, self.definition, self._split.blanks)
        return None

    def _heading(self, section: TableSection, text: str) -> list[str] | None:
        """The columns that a heading of this section names; None where the line is none."""
        if section.words and _sign(section.words[0]) not in text:
            return None
        if section.pattern is not None and not section.pattern.fits(text):
            return None
        for split in self._splits if section.has_heading else ():
            cells = split.cells(text)
            if not all(map(partial(_has, cells), section.words)):
                continue
            names = list(section.names) or self._names(section, cells, split)
            if names:
                self._split = split
                return names
        return None

    def _names(self, section: TableSection, cells: list[str], split: CellSplitter) -> list[str]:
        """The cells of a heading under the names that the definition has for them; none where it lacks one of them."""
        names = self._clock.without_stamp(cells, split)
        for column in self.definition.time.columns:
            if "{" in column:
                at = next((at for at, name in enumerate(names) if line_pattern(column).fits(name)), None)
                if at is None:
                    return []
                self._clock.read_zone(names[at])
                names[at] = column
        long_form = [section.name, section.value] if section.value else [column for _, column in section.keys]
        wanted = {*self.definition.time.columns, *long_form} - {""}
        return names if wanted <= set(names) and len(wanted) < len(names) + bool(section.value) else []

    def _with_above(self, section: TableSection, names: list[str]) -> list[str]:
        """The names with the words that stand above them; lines of another width are no part of the heading."""
        while self._above and section.above:
            above = self._split.cells(self._above[-1][1])
            if len(above) != len(names) or len(self._above) > section.above:
                break
            self._above.pop()
            self.book.header()
            fixed = {*self.definition.time.columns, *(column for _, column in section.keys)}
            names = [
                name if not word or word == name or name in fixed else f"{word} {name}".strip()
                for word, name in zip(above, names, strict=True)
            ]
        self._give_up_above(0)
        return names

    def _begin(self, section: _Section, names: list[str]) -> Iterable[SampleBatch]:
        """The rows that follow are of this section."""
        plan = plan_columns(names, section.section, self.definition, self._split.blanks)
        self.names_seen = tuple(dict.fromkeys([*self.names_seen, *names]))
        columns = section.section.columns
        self._ignored |= dict.fromkeys(name for name in names if name in columns and columns[name].ignored)
        if self._ignored:
            self.book.assume("columns_ignored", ", ".join(self._ignored), "definition")
        if plan.hosts:
            self.book.hostname = self.book.hostname or plan.hosts[0]
            if set(plan.hosts) - {self.book.hostname}:
                self.book.warn("table_other_hosts")
            plan = plan.of_host(self.book.hostname)
        left: list[SampleBatch] = []
        if section.plan is None or plan != section.plan:
            if section.rows is not None:
                left = list(section.rows.flush(final=True))
            section.plan = plan
            section.rows = TableRows(section.section, plan, self.definition.decimal, self.book)
        self._current = section
        self._clock.begin(section.section.table)
        return left

    # -- rows --------------------------------------------------------------------------------------

    def _read_row(self, current: _Section, number: int, text: str) -> None:
        plan, rows = current.plan, current.rows
        assert plan is not None and rows is not None
        cells = self._split.row(text, plan)
        if not plan.fewest <= len(cells) <= plan.width:
            if not plan.keys and count_rows(text.encode()).rows:
                self._clock.keep_time()
            self.book.skip("table_width", number, text)
            return
        cells += [""] * (plan.width - len(cells))
        if plan.host is not None and not self._is_of_host(host_of(cells[plan.host])):
            self.book.skip("table_other_host", number, text)
            return
        key = rows.key(cells)
        if key is None:
            self.book.skip("table_key", number, text)
            return
        time_ns = self._clock.time_of(cells, plan, current.section.table, key)
        if time_ns is None:
            self.book.skip("table_time", number, text)
            return
        if not rows.has_place(key, time_ns, cells):
            self.book.skip("too_many_series", number, text)
            return
        if rows.add(time_ns, number, key, cells, self._since_boot(current, time_ns)):
            self.book.data()
        else:
            self.book.skip("unreadable_numbers", number, text)

    def _is_of_host(self, host: str) -> bool:
        """One capture is of one host: the first that it names."""
        self.book.hostname = self.book.hostname or host
        return not host or host == self.book.hostname

    def _since_boot(self, current: _Section, time_ns: int) -> bool:
        """The rows of the first time, where the definition says that they are an average since the start."""
        if not self.definition.since_boot or current.boot_over:
            return False
        if current.boot_ns is None:
            current.boot_ns = time_ns
        elif current.boot_ns != time_ns or not current.section.keys:
            current.boot_over = True
        return not current.boot_over


class _RowClock:
    """The time of each row by the definition's rule."""

    def __init__(self, parser: SimpleTableParser, rule: TableTime) -> None:
        self._times = parser.times
        self._rule = rule
        self._book = parser.book
        self._stamp_ns: int | None = None  # of the line above the rows
        self._blocks: dict[str, tuple[int, set[bytes]]] = {}  # table -> blocks since the stamp, keys of the last
        self._block_ns = 0
        self._keys: set[bytes] = set()  # of the block without a stamp
        self._last_text = ""
        self._last_ns: int | None = None
        self._format = rule.format
        self._is_first = True  # below a heading
        self._offset: timezone | None = None

    def read_zone(self, heading: str) -> None:
        """Takes the clock's offset from UTC that a heading of the time may state; a person's word on the zone wins."""
        zone = self._rule.zone.read(heading) if self._rule.zone else None
        bias = zone["bias"] if zone else ""
        if self._times.context.zone_source != "user" and _BIAS.fullmatch(bias):
            self._offset = timezone(timedelta(minutes=-int(bias)))

    def reads(self, text: str) -> bool:
        """Whether a line gives the time of the rows below it, or the day."""
        rule = self._rule
        if rule.line is not None and rule.format is not None:
            parts = rule.line.read(text)
            stamp = None if parts is None else rule.format.read(parts["stamp"])
            if stamp is not None:
                self._stamp_ns = at_stamp(self._times, stamp)
                self._blocks.clear()
                return True
        parts = rule.date_line.read(text) if rule.date_line is not None else None
        return parts is not None and self._set_day(parts["date"])

    def _set_day(self, text: str) -> bool:
        self._last_text = ""  # the same time of day is another time now
        if self._rule.date_format is None:
            return self._times.set_printed_day(text)
        stamp = self._rule.date_format.read(text)
        if stamp is None or stamp.moment is None:
            return False
        self._times.set_day(stamp.moment.date())
        return True

    def begin(self, table: str) -> None:
        """A heading: the next rows are of this table; without any stamps it begins a block."""
        self._keys.clear()
        self._last_text = ""
        self._is_first = True
        if self._rule.rule in (TimeRule.COLUMNS, TimeRule.FIRST):
            self._times.begin_table(table)

    def without_stamp(self, cells: list[str], split: CellSplitter) -> list[str]:
        """The heading's columns; a stamp that stands before them, as before the rows, is none."""
        rule = self._rule
        if rule.rule is not TimeRule.FIRST or rule.format is None:
            return cells
        words = rule.format.words if split.blanks else 1
        return cells[words:] if rule.format.read(" ".join(cells[:words])) is not None else cells

    def time_of(self, cells: list[str], plan: ColumnPlan, table: str, key: bytes) -> int | None:
        rule = self._rule
        if rule.rule is TimeRule.START:
            return self._counted(key, bool(plan.keys))
        if rule.rule is TimeRule.LINE:
            return self._below_stamp(table, key)
        assert rule.format is not None
        text = " ".join([cells[index] for index in plan.stamp])
        if text != self._last_text:  # the rows of one time follow each other
            stamp = self._stamp(text)
            self._last_text, self._last_ns = text, None if stamp is None else at_stamp(self._times, stamp)
        return self._last_ns

    def _stamp(self, text: str) -> Stamp | None:
        """The row's time; the format that reads the first row below a heading reads them all."""
        if self._is_first:
            self._format = next((form for form in self._rule.formats if form.read(text)), self._rule.format)
        assert self._format is not None
        stamp = self._format.read(text)
        if stamp is not None:
            self._is_first = False
            if self._offset and stamp.moment is not None and stamp.moment.tzinfo is None:
                stamp = replace(stamp, moment=stamp.moment.replace(tzinfo=self._offset))
        return stamp

    def _counted(self, key: bytes, keyed: bool) -> int:
        if not keyed or not self._keys or key in self._keys:
            self._block_ns = self._times.next_unstamped(self._rule.interval_s)
            self._keys.clear()
        self._keys.add(key)
        return self._block_ns

    def keep_time(self) -> None:
        """A damaged row that would have been a block keeps the time it took."""
        if self._rule.rule is TimeRule.START:
            self._counted(b"", keyed=False)

    def _below_stamp(self, table: str, key: bytes) -> int | None:
        """The stamp's time; where the tool went on without another, so many intervals later."""
        if self._stamp_ns is None:
            return None
        count, keys = self._blocks.setdefault(table, (0, set()))
        if key in keys:
            count, keys = count + 1, set()
        keys.add(key)
        self._blocks[table] = (count, keys)
        return self._stamp_ns + (count * self._step_ns() if count else 0)

    def _step_ns(self) -> int:
        """Between the blocks below one stamp: the user's word, the definition's, else a second and a question."""
        seconds = self._times.context.interval_s or self._rule.interval_s
        if seconds is None:
            seconds = self._book.guess_interval()
        return round(seconds * NS_PER_S)


def host_of(text: str) -> str:
    """The host that a cell names, without the port of its exporter."""
    return _PORT.sub("", text)


def _sign(word: str) -> str:
    """What a line has in it that has this word of a heading."""
    return line_pattern(word).beginning if "{" in word else word


def _has(cells: Sequence[str], word: str) -> bool:
    return any(map(line_pattern(word).fits, cells)) if "{" in word else word in cells


def table_parser(definition: TableDefinition) -> type[Parser]:
    """The parser of a definition: a class like any other parser's."""
    return cast("type[Parser]", type("DefinedTable", (SimpleTableParser,), {"definition": definition}))
