"""What the instance did: load profile, time model, waits, statistics of the instance and of the host."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import field

from tunebench.families.oracle.html_reports import HtmlRow, HtmlTable
from tunebench.families.oracle.names import LOAD_LABELS, NOT_A_WAIT, TIME_LABELS
from tunebench.families.oracle.period import PeriodProfile
from tunebench.families.oracle.values import digits
from tunebench.sdk import record

from .reading import Columns, label_of, pairs

_NAMING = ([""], ["I#"], ["Service Name"])  # headings of a first column that names the row


@record(frozen=False)
class _Wait:
    line: int
    waits: float | None
    time_s: float | None
    share_pct: float | None
    precision: int = 0
    wait_class: str = ""


@record(frozen=False)
class Profile(PeriodProfile):
    """Collects; `close` adds what needs more than one table."""

    _events: dict[str, dict[str, _Wait]] = field(default_factory=dict)
    _top: dict[str, _Wait] = field(default_factory=dict)
    _classes: dict[str, dict[str, _Wait]] = field(default_factory=dict)

    # -- load and time ---------------------------------------------------------------------------

    def load(self, table: HtmlTable) -> None:
        columns = Columns(table, self.into.numbers)
        for row in table.rows:
            label = label_of(row)
            entry = LOAD_LABELS.get(label.casefold())
            if entry is None:
                self.into.fact(row.line, "load_profile", f"{label} per second", columns.text(row, "Per Second"))
                continue
            name, unit, factor = entry
            printed = {
                "per_second": columns.number(row, "Per Second"),
                "per_transaction": columns.number(row, "Per Transaction"),
                "per_execution": columns.number(row, "Per Exec"),
            }
            figures = {key: None if value is None else value * factor for key, value in printed.items()}
            self.load_lines.setdefault(name, (row.line, label, unit, figures))

    def time_model(self, table: HtmlTable) -> None:
        columns = Columns(table, self.into.numbers)
        for row in table.rows:
            native = label_of(row)
            time_s = columns.number(row, "Time (s)")
            name = TIME_LABELS.get(native.casefold())
            if time_s is None:
                continue
            if name is None:
                texts = {"scope": "time_model", "name": native, "unit": "s"}
                self.into.add("activity", row.line, texts, {"total": time_s})
            elif name not in self.times:
                self.times[name] = time_s
                share = columns.number(row, "% of DB Time")
                self.into.add("time_model", row.line, {"name": name}, {"time_s": time_s, "share_pct": share})

    # -- waits -----------------------------------------------------------------------------------

    def wait_classes(self, table: HtmlTable, ground: str) -> None:
        classes = self._classes.setdefault(ground, {})
        for name, wait in self._waits(table, "Wait Class"):
            classes.setdefault(name, wait)

    def wait_events(self, table: HtmlTable, ground: str) -> None:
        events = self._events.setdefault(ground, {})
        for name, wait in self._waits(table):
            events.setdefault(name, wait)

    def top_events(self, table: HtmlTable) -> None:
        """A list of ten with more decimals and the class; its processor time is rounded to three digits."""
        for name, wait in self._waits(table):
            self._top.setdefault(name, wait)

    def _waits(self, table: HtmlTable, column: str = "Event") -> Iterable[tuple[str, _Wait]]:
        columns = Columns(table, self.into.numbers)
        for row in table.rows:
            name = columns.text(row, column)
            text = columns.first_text(row, "Total Wait Time (s)", "Total Wait Time (sec)", "Time (s)", "Time(s)")
            time_s = self.into.numbers.read(text)
            if name.casefold() in NOT_A_WAIT:
                self.note_cpu(row.line, time_s)
            elif name:
                share = columns.first_number(row, "% DB time", "%DB time", "% bg time", "% Total Call Time")
                precision = 0 if text[-1:].isalpha() else digits(text)
                yield (
                    name,
                    _Wait(
                        row.line,
                        columns.number(row, "Waits"),
                        time_s,
                        share,
                        precision,
                        columns.text(row, "Wait Class"),
                    ),
                )

    # -- statistics ------------------------------------------------------------------------------

    def activity(self, table: HtmlTable, scope: str = "") -> None:
        columns = Columns(table, self.into.numbers)
        for row in table.rows:
            name, total = columns.text(row, "Statistic"), columns.number(row, "Total")
            if not name or total is None or (not scope and name in self.totals):
                continue  # the key statistics stand in the long list as well
            if not scope:
                self.totals[name] = total
            self.into.add("activity", row.line, {"scope": scope, "name": name}, {"total": total})

    def states(self, table: HtmlTable, scope: str, unit: str = "") -> None:
        """Statistics with a begin and an end; the end is printed where it differs."""
        columns = Columns(table, self.into.numbers)
        for row in table.rows:
            name = columns.first_text(row, "Statistic") or label_of(row)
            begin = self.into.numbers.bytes_of(columns.first_text(row, "Begin Value", "Begin"))
            end = self.into.numbers.bytes_of(columns.first_text(row, "End Value", "End"))
            if name and begin is not None:
                figures = {"begin": begin, "end": begin if end is None else end}
                self.into.add("state", row.line, {"scope": scope, "name": name, "unit": unit}, figures)
            for label, value in pairs_behind(row.cells):
                self.into.fact(row.line, scope, label, value)

    def host_statistics(self, table: HtmlTable) -> None:
        columns = Columns(table, self.into.numbers)
        for row in table.rows:
            value = columns.first_number(row, "Value", "Total")
            self.host_statistic(row.line, columns.text(row, "Statistic"), value, columns.number(row, "End Value"))

    def labelled_facts(self, table: HtmlTable, scope: str) -> None:
        """Tables whose cells are label, value, label, value."""
        for row in table.rows:
            for label, value in pairs(row):
                self.into.fact(row.line, scope, label, value)

    def column_facts(self, table: HtmlTable, scope: str) -> None:
        """Tables of figures for which there is no column of ours: kept as printed."""
        for row in table.rows:
            self.column_facts_of(table, row, scope)

    def column_facts_of(self, table: HtmlTable, row: HtmlRow, scope: str) -> None:
        """Each cell under its headings, and under the row's own name where its first column names things."""
        names = [" ".join(filter(None, column)) for column in table.header]
        label = label_of(row) if names[:1] in _NAMING else ""
        for name, value in list(zip(names, row.cells, strict=False))[1 if label else 0 :]:
            if name and value:
                self.into.fact(row.line, scope, f"{label}: {name}" if label else name, value)

    # -- closing ---------------------------------------------------------------------------------

    def close(self) -> None:
        self.close_load()
        self._close_waits()
        self._close_classes()
        self.close_cpu()

    def _close_waits(self) -> None:
        grounds = self._events or {"foreground": {}}
        if not any(ground in grounds for ground in ("foreground", "")):
            grounds = {"foreground": {}, **grounds}
        for ground, events in grounds.items():
            top = self._top if ground != "background" else {}
            for name, wait in (events or top).items():
                self._add_wait(name, ground, wait, top.get(name))

    def _close_classes(self) -> None:
        """A list of all waits holds those of the foreground once more: it counts where there is no other."""
        for ground, classes in self._classes.items():
            for name, wait in classes.items() if ground or "foreground" not in self._classes else ():
                figures = {"waits": wait.waits, "time_s": wait.time_s, "share_pct": wait.share_pct}
                self.into.add("wait_class", wait.line, {"wait_class": name, "ground": ground}, figures)

    def _add_wait(self, name: str, ground: str, wait: _Wait, top: _Wait | None) -> None:
        best = wait
        if top is not None and _refines(top, wait):
            best = top
        texts = {"event": name, "ground": ground, "wait_class": (top or wait).wait_class}
        figures = {"waits": wait.waits, "time_s": best.time_s, "share_pct": wait.share_pct}
        self.into.add("wait_event", best.line, texts, figures)


def pairs_behind(cells: tuple[str, ...]) -> Iterable[tuple[str, str]]:
    """``Std Block Size: | 8K`` behind the begin and end of a cache."""
    for label, value in zip(cells[3::2], cells[4::2], strict=False):
        if label.endswith(":"):
            yield label.rstrip(" :"), value


def _refines(top: _Wait, wait: _Wait) -> bool:
    """Whether the short list says the same time with more digits."""
    if top.time_s is None or wait.time_s is None:
        return top.time_s is not None
    return top.precision > wait.precision and abs(top.time_s - wait.time_s) <= 0.5000001
