"""What the instance did: load profile, time model, waits, statistics of the instance and of the host."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import field

from tunebench.families.oracle.names import LOAD_LABELS, NOT_A_WAIT, TIME_LABELS
from tunebench.families.oracle.period import PeriodProfile
from tunebench.families.oracle.values import digits
from tunebench.sdk import lazy_pattern, record

from .events import IDLE, class_of, whole_class, whole_event
from .ruler import Columns
from .sections import Section, Table

_LOAD_ROW = lazy_pattern(r"\s*(\S[^:]{0,60}):\s+(\S.*)")
_PAIR = lazy_pattern(
    r"((?:(?:Host|Instance): )?\S[^:]{0,60}?)\s*:\s{1,40}(-?[0-9.,]{1,30}[KMGT]?|#{1,30})(?=\s|$)"
    r"(?:\s{1,30}([0-9.,]{1,30}[KMGT]?)(?=\s|$))?"
)
_TIMES = ("totalwaittime(s)", "totalwaittime(sec)", "time(s)", "waittime(s)")
_SHARES = ("%totalcalltime", "%dbtime", "%bgtime", "%totaleladtime", "%totalelatime", "%total")
_LONG_NAME = 24  # of a statistic; a longer one may have been cut
_REFINED_S = 0.5000001


@record(frozen=False)
class _Wait:
    line: int
    waits: float | None
    timeouts: float | None
    time_s: float | None
    share_pct: float | None
    precision: int
    wait_class: str


@record(frozen=False)
class Profile(PeriodProfile):
    """Collects; `close` adds what needs more than one section."""

    _events: dict[str, dict[str, _Wait]] = field(default_factory=dict)
    _top: dict[str, _Wait] = field(default_factory=dict)
    _classes: dict[str, _Wait] = field(default_factory=dict)
    _repeated: dict[str, int] = field(default_factory=dict)

    # -- summary ---------------------------------------------------------------------------------

    def load(self, section: Section) -> None:
        """``Redo size:  11,431.3  20,020.5``: per second, per transaction, and from 11g per execution."""
        for number, text in section.lines:
            match = _LOAD_ROW.match(text)
            values = [self.into.numbers.read(word) for word in match[2].split()] if match else []
            if match is None or not values:
                continue
            entry = LOAD_LABELS.get(" ".join(match[1].split()).casefold())
            if entry is None:
                self._load_facts(number, text)
                continue
            name, unit, factor = entry
            rates = [None if value is None else value * factor for value in (*values, None, None)[:3]]
            figures = dict(zip(("per_second", "per_transaction", "per_execution"), rates, strict=True))
            self.load_lines.setdefault(name, (number, match[1].strip(), unit, figures))

    def _load_facts(self, number: int, text: str) -> None:
        for label, value, _ in _pairs(text):
            self.into.fact(number, "load_profile", label, value)

    def pairs(self, section: Section, scope: str) -> None:
        """Sections of label and value, two of them in a line."""
        for number, text in section.lines:
            for label, value, _ in _pairs(text):
                self.into.fact(number, scope, label, value)

    def host_cpu(self, section: Section) -> None:
        for table in section.tables:
            for number, text in table.filled():
                for title, value in zip(table.columns.titles, table.columns.cells(text), strict=True):
                    if title and self.into.numbers.read(value) is not None:
                        self.into.fact(number, "host_cpu", title, value)

    def begin_and_end(self, section: Section, scope: str, unit: str = "") -> None:
        """``Buffer Cache:  424M  424M   Std Block Size:  8K``: begin and end, then what has one value."""
        only_end = "(end)" in section.lines[0][1].casefold()
        for number, text in section.lines:
            for index, (label, begin, end) in enumerate(_pairs(text)):
                first = self.into.numbers.bytes_of(begin)
                if index or first is None:
                    self.into.fact(number, scope, label, begin)
                    continue
                last = self.into.numbers.bytes_of(end) if end else first
                figures = {"begin": None if only_end else first, "end": last}
                self.into.add("state", number, {"scope": scope, "name": label, "unit": unit}, figures)

    # -- time and waits --------------------------------------------------------------------------

    def time_model(self, section: Section) -> None:
        table = section.table("time(s)")
        for number, cells, columns in rows_of(table):
            time_s = self.into.numbers.read(cell(cells, columns, "time(s)"))
            if time_s is None or not cells[0]:
                continue
            native = cells[0]
            name = _time_name(native, columns.width(0))
            share = self.into.numbers.read(cell(cells, columns, "%ofdbtime", "%dbtime"))
            if not name:
                texts = {"scope": "time_model", "name": native, "unit": "s"}
                self.into.add("activity", number, texts, {"total": time_s})
            elif name not in self.times:
                self.times[name] = time_s
                self.into.add("time_model", number, {"name": name}, {"time_s": time_s, "share_pct": share})

    def wait_classes(self, section: Section) -> None:
        for wait_name, wait in self._waits(section, "waitclass"):
            self._classes.setdefault(whole_class(wait_name), wait)

    def wait_events(self, section: Section, ground: str) -> None:
        events = self._events.setdefault(ground, {})
        for name, wait in self._waits(section, "event"):
            named, count = name, 1
            while named in events:  # names that were cut and have become alike
                count += 1
                named = f"{name} ({count})"
            events[named] = wait

    def top_events(self, section: Section) -> None:
        for name, wait in self._waits(section, "event"):
            self._top.setdefault(name, wait)

    def _waits(self, section: Section, column: str) -> Iterator[tuple[str, _Wait]]:
        numbers = self.into.numbers
        for number, cells, columns in rows_of(section.table(column)):
            name = cell(cells, columns, column)
            text = cell(cells, columns, *_TIMES, "totalwaittime(cs)")
            time_s = numbers.read(text)
            if time_s is not None and columns.place(*_TIMES) is None:
                time_s /= 100
            if name.casefold() in NOT_A_WAIT:
                self.note_cpu(number, time_s)
                continue
            if not name:
                continue
            share = numbers.read(cell(cells, columns, *_SHARES))
            wait_class = ""
            if column == "event":
                idle = None if columns.place(*_SHARES) is None else share is None
                name = whole_event(name, columns.width(columns.place(column) or 0), idle)
                wait_class = whole_class(cell(cells, columns, "waitclass")) or class_of(name) or (IDLE if idle else "")
            yield (
                name,
                _Wait(
                    number,
                    numbers.read(cell(cells, columns, "waits")),
                    numbers.read(cell(cells, columns, "timeouts")),
                    time_s,
                    share,
                    0 if text[-1:].isalpha() else digits(text),
                    wait_class,
                ),
            )

    # -- statistics ------------------------------------------------------------------------------

    def activity(self, section: Section) -> None:
        """Totals, and statistics that hold at a moment, each in a table of its own; both have all pages."""
        for table in section.tables:
            for number, cells, columns in rows_of(table):
                name, total = cells[0], self.into.numbers.read(cell(cells, columns, "total"))
                begin = self.into.numbers.read(cell(cells, columns, "beginvalue"))
                if name and total is not None:
                    self._add_activity(number, name, total)
                elif name and begin is not None:
                    end = self.into.numbers.read(cell(cells, columns, "endvalue"))
                    figures = {"begin": begin, "end": begin if end is None else end}
                    self.into.add("state", number, {"scope": "", "name": name}, figures)

    def _add_activity(self, number: int, name: str, total: float) -> None:
        """Long names are cut and may become alike; a statistic that a second list repeats is the same."""
        if name in self.totals:
            if self.totals[name] == total and len(name) < _LONG_NAME:
                return
            self._repeated[name] = self._repeated.get(name, 1) + 1
            name = f"{name} ({self._repeated[name]})"
        self.totals[name] = total
        self.into.add("activity", number, {"scope": "", "name": name}, {"total": total})

    def host_statistics(self, section: Section) -> None:
        for number, cells, columns in rows_of(section.table("statistic")):
            value, end = (
                self.into.numbers.read(cell(cells, columns, *names)) for names in (("value", "total"), ("endvalue",))
            )
            self.host_statistic(number, cells[0], value, end)

    def column_facts(self, section: Section, scope: str) -> None:
        """A table for whose figures there is no column of ours: kept as printed, each under the row's name."""
        for table in section.tables:
            for number, cells, columns in rows_of(table):
                for title, value in list(zip(columns.titles, cells, strict=True))[1:]:
                    if cells[0] and title and value:
                        self.into.fact(number, scope, f"{cells[0]}: {title}", value)

    # -- closing ---------------------------------------------------------------------------------

    def close(self) -> None:
        self.close_cpu()
        self.close_load()
        for wait_name, wait in self._classes.items():
            figures = {"waits": wait.waits, "time_s": wait.time_s, "share_pct": wait.share_pct}
            self.into.add("wait_class", wait.line, {"wait_class": wait_name, "ground": "foreground"}, figures)
        self._close_events()

    def _close_events(self) -> None:
        """The list of all waits repeats those of the foreground: it counts where there is no other."""
        lists = {ground: events for ground, events in self._events.items() if ground or len(self._events) == 1}
        if not any(ground != "background" for ground in lists):
            lists = {"": self._events.get("", self._top), **lists}
        for ground, events in lists.items():
            for name, wait in events.items():
                self._add_event(name, ground, wait, self._top.get(name) if ground != "background" else None)

    def _add_event(self, name: str, ground: str, wait: _Wait, top: _Wait | None) -> None:
        best = top if top is not None and _refines(top, wait) else wait
        named = (top.wait_class if top else "") or wait.wait_class
        texts = {"event": name, "ground": ground, "wait_class": named}
        figures = {"waits": wait.waits, "timeouts": wait.timeouts, "time_s": best.time_s, "share_pct": wait.share_pct}
        self.into.add("wait_event", best.line, texts, figures)


def rows_of(table: Table | None) -> Iterator[tuple[int, list[str], Columns]]:
    if table is None:
        return
    for number, text in table.filled():
        yield number, table.columns.cells(text), table.columns


def cell(cells: list[str], columns: Columns, *names: str) -> str:
    """The cell of the first of these columns that there is; empty where there is none."""
    index = columns.place(*names)
    return "" if index is None else cells[index]


def _pairs(text: str) -> Iterator[tuple[str, str, str]]:
    for match in _PAIR.finditer(text):
        yield " ".join(match[1].split()), match[2], match[3] or ""


def _time_name(native: str, width: int) -> str:
    folded = native.casefold()
    if folded in TIME_LABELS:
        return TIME_LABELS[folded]
    cut = len(native) >= min(width, _LONG_NAME)
    candidates = [name for label, name in TIME_LABELS.items() if cut and label.startswith(folded)]
    return candidates[0] if len(candidates) == 1 else ""


def _refines(top: _Wait, wait: _Wait) -> bool:
    """Whether the short list says the same time with more digits."""
    if top.time_s is None or wait.time_s is None:
        return top.time_s is not None
    return top.waits == wait.waits and top.precision > wait.precision and abs(top.time_s - wait.time_s) <= _REFINED_S
