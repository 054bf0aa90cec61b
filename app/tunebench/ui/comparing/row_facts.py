"""One row of the comparison in full, as the inspector shows it: verdict, why, and the figures of both sides."""

from __future__ import annotations

from collections.abc import Sequence
from zoneinfo import ZoneInfo

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QGridLayout, QLabel, QVBoxLayout, QWidget

from tunebench.analysis.comparing.comparison import ComparedSeries, Method, Parts
from tunebench.analysis.exploring.time_range import SECOND_NS
from tunebench.analysis.statistics import Statistics
from tunebench.columns import comparing_words
from tunebench.columns.comparing import (
    QUANTILES,
    VERDICT_MARKS,
    VERDICT_TONES,
    change_text,
    difference_text,
    estimate_text,
    headline_text,
    marked_verdict,
    variation_text,
)
from tunebench.columns.formats import DASH, format_count, format_span, format_value, p_text, size_text
from tunebench.columns.time_ticks import elapsed_text
from tunebench.ui.look.formats import format_interval, host_words, unit_text
from tunebench.ui.look.language import language, text, window_locale
from tunebench.ui.look.theme import SPACE_M, SPACE_S, SPACE_XS, tone_colour
from tunebench.ui.widgets.parts import FactTable, label, selectable
from tunebench.ui.widgets.parts import row as line

SIDES = ("before", "after")


class SideTable(QWidget):
    """Figures of both sides beside each other."""

    def __init__(self) -> None:
        super().__init__()
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setHorizontalSpacing(SPACE_M)
        self._grid.setVerticalSpacing(SPACE_XS)
        self._grid.setColumnStretch(0, 1)
        for column, side in enumerate(SIDES, start=1):
            head = label(text(f"ui.compare.side.{side}"), "strong", side)
            self._grid.addWidget(head, 0, column, Qt.AlignmentFlag.AlignRight)
        self._rows = 1

    def add_head(self, words: str, tip: str) -> None:
        """Adds a heading over the rows that follow."""
        head = label(words, "small")
        head.setToolTip(tip)
        head.setContentsMargins(0, SPACE_XS, 0, 0)
        self._grid.addWidget(head, self._rows, 0, 1, 3)
        self._rows += 1

    def add(self, name: str, before: str, after: str, tip: str = "") -> None:
        named = label(name, "small")
        named.setToolTip(tip)
        self._grid.addWidget(named, self._rows, 0, Qt.AlignmentFlag.AlignVCenter)
        for column, (side, words) in enumerate(zip(SIDES, (before, after), strict=True), start=1):
            shown: QLabel = selectable(label(words))
            shown.setToolTip(tip)
            shown.setAccessibleName(f"{name}, {text(f'ui.compare.side.{side}')}: {words}")
            self._grid.addWidget(shown, self._rows, column, Qt.AlignmentFlag.AlignRight)
        self._rows += 1


class RowFacts:
    """Adds to `column` what is known of `row`."""

    def __init__(self, column: QVBoxLayout, row: ComparedSeries, zone: ZoneInfo) -> None:
        self._column, self._row, self._zone = column, row, zone
        self._locale = window_locale(zone)

    def add_verdict(self) -> None:
        """Adds the ratio, the verdict beside it, the estimate, the reason, and the cautions."""
        row = self._row
        head = selectable(label(marked_verdict(row, self._locale), "strong"))
        head.setObjectName("comparison-verdict")
        tone = VERDICT_TONES[row.verdict] if row.measured_on_both and not row.led_by else ""
        if tone:
            head.setStyleSheet(f"color: {tone_colour(tone).name()};")
        shown = selectable(label(headline_text(row, self._locale) if row.headline is not None else "", "title"))
        shown.setAccessibleName(text("compare.column.ratio"))
        self._column.addLayout(line(shown, head, 1, spacing=SPACE_M))
        code = language().code
        if row.interval is not None and row.estimate is not None:
            self._words(text("ui.compare.fact.estimate", estimate=estimate_text(row, self._locale)))
        self._words(comparing_words.reason_text(row, code, self._zone), "muted")
        for caution in row.cautions:
            sentence = self._words(f"⚠ {comparing_words.caution_text(caution, code, self._zone)}", "small")
            if sentence is not None:
                sentence.setProperty("tone", "watch")

    def add_figures(self) -> None:
        self._add_method()
        self._add_sides()
        self._add_sources()

    # --- parts
    def _add_method(self) -> None:
        row = self._row
        if not row.measured_on_both:
            return
        table = FactTable()
        table.add(text("compare.column.change"), change_text(row, self._locale))
        if row.difference is not None:
            tip = text("ui.compare.fact.interval.tip")
            table.add(text("ui.compare.fact.difference"), difference_text(row, self._locale), tip=tip)
        if row.p_adjusted is not None:
            table.add(text("ui.compare.fact.p"), p_text(row.p_adjusted), tip=text("ui.compare.fact.p.tip"))
        table.add(text("ui.compare.fact.margin"), f"{row.margin * 100:g} %", tip=text("ui.compare.fact.margin.tip"))
        self._add_grounds(table)
        self._column.addWidget(table)
        self._add_statistics()
        if row.method is not Method.NONE:
            method = comparing_words.method_text(row.method, language().code)
            self._words(text("ui.compare.fact.method", method=method), "small")

    def _add_grounds(self, table: FactTable) -> None:
        """What the verdict was reckoned with, and what would decide it."""
        row, code = self._row, language().code
        if row.occurrences is not None:
            counts = text("ui.compare.fact.occurrences.sides", before=row.occurrences[0], after=row.occurrences[1])
            table.add(text("ui.compare.fact.occurrences"), counts, tip=text("ui.compare.fact.occurrences.tip"))
            tip = text("compare.column.variation.tip")
            table.add(text("compare.column.variation"), variation_text(row, self._locale), tip=tip)
        if row.per_unit_of:
            table.add(text("ui.compare.fact.per_unit"), comparing_words.measure_text(row.per_unit_of, code))
        if row.settling is not None and row.reason != "would_settle":  # the reason says it already
            table.add(text("ui.compare.fact.settles"), comparing_words.settling_text(row, code))

    def _add_statistics(self) -> None:
        """Adds mean, p95 and p99 with their verdicts; nothing where the row itself is refused one."""
        row, code = self._row, language().code
        if not comparing_words.further_statistics(row):
            return
        self._section(text("ui.compare.fact.statistics"))
        table = FactTable()
        for statistic in row.statistics:
            sides = f"{format_value(statistic.before)} → {format_value(statistic.after)}"
            ratio = comparing_words.statistic_ratio_text(statistic, code)
            verdict = f"{VERDICT_MARKS[statistic.verdict]} {comparing_words.verdict_text(statistic.verdict, code)}"
            cell = table.add(text(f"ui.statistic.{statistic.statistic}"), f"{verdict}\n{sides} · {ratio}")
            if tone := VERDICT_TONES[statistic.verdict]:
                cell.setStyleSheet(f"color: {tone_colour(tone).name()};")
        self._column.addWidget(table)

    def _add_sides(self) -> None:
        row = self._row
        unit = unit_text(row.unit)
        self._section(text("ui.compare.fact.sides", unit=f" ({unit})" if unit else ""))
        table = SideTable()
        self._add_sizes(table)
        statistics = row.side_statistics
        self._add_statistic(table, statistics, "mean")
        for name in ("minimum", "maximum"):
            self._add_statistic(table, statistics, name)
        self._add_quantiles(table)
        self._column.addWidget(table)

    def _add_quantiles(self, table: SideTable) -> None:
        """Adds the quantiles that either window has enough samples for."""
        quantiles = (self._row.before_quantiles, self._row.after_quantiles)
        if not any(quantiles):
            return
        table.add_head(text("ui.compare.fact.hd"), tip=text("ui.compare.fact.hd.tip"))
        for name in QUANTILES:
            values = [getattr(figures, name) if figures else None for figures in quantiles]
            if any(value is not None for value in values):
                table.add(name, *map(format_value, values))

    def _add_sizes(self, table: SideTable) -> None:
        row = self._row
        statistics, parts = row.side_statistics, (row.before_parts, row.after_parts)
        table.add(
            text("ui.compare.fact.length"), *(_measured_time(*side) for side in zip(statistics, parts, strict=True))
        )
        table.add(text("ui.statistic.n"), *(format_count(side.n) if side else DASH for side in statistics))
        if row.n_eff_before is not None or row.n_eff_after is not None:
            sizes = (row.n_eff_before, row.n_eff_after)
            table.add(
                text("ui.compare.fact.n_eff"),
                *(DASH if size is None else size_text(size) for size in sizes),
                tip=text("ui.compare.fact.n_eff.tip"),
            )
        if row.lag1_before is not None or row.lag1_after is not None:
            lags = (row.lag1_before, row.lag1_after)
            words = (DASH if lag is None else f"{lag:.2f}" for lag in lags)
            table.add(text("ui.compare.fact.lag1"), *words, tip=text("ui.compare.fact.lag1.tip"))
        if any(side and side.missing for side in statistics):
            table.add(
                text("ui.inspector.missing"), *(format_count(side.missing) if side else DASH for side in statistics)
            )

    def _add_statistic(self, table: SideTable, statistics: Sequence[Statistics | None], name: str) -> None:
        values = (format_value(getattr(side, name)) if side else DASH for side in statistics)
        table.add(text(f"ui.statistic.{name}"), *values)

    def _add_sources(self) -> None:
        """What either side comes from."""
        for side, parts in zip(SIDES, (self._row.before_parts, self._row.after_parts), strict=True):
            self._section(text(f"ui.compare.side.{side}"), side)
            if not parts:
                self._words(text("ui.inspector.side_missing"), "muted")
                continue
            self._words(self._source_words(parts), "small")

    def _source_words(self, parts: Parts) -> str:
        info, intervals = parts[0], {part.interval_s for part in parts}
        words = [info.run, host_words(info.host), f"{info.tool} {info.native}"]
        words.append(
            text("ui.compare.fact.every", interval=format_interval(info.interval_s if len(intervals) == 1 else None))
        )
        captures = sum(part.captures for part in parts)
        if captures > 1:
            words.append(text("ui.compare.captures", count=captures))
        first = min((part.first_ns for part in parts if part.first_ns is not None), default=None)
        last = max((part.last_ns for part in parts if part.last_ns is not None), default=None)
        return " · ".join(words) + "\n" + text("ui.compare.fact.captured", span=format_span(first, last, self._zone))

    # --- pieces
    def _section(self, words: str, tone: str = "") -> None:
        heading = label(words, "strong", tone, wrap=True)
        heading.setContentsMargins(0, SPACE_S, 0, 0)
        self._column.addWidget(heading)

    def _words(self, sentence: str, role: str = "") -> QLabel | None:
        if not sentence:
            return None
        shown = selectable(label(sentence, role, wrap=True))
        self._column.addWidget(shown)
        return shown


def _measured_time(statistics: Statistics | None, parts: Parts) -> str:
    """That the samples stand for: what is excluded, and days that are not compared, are not in it."""
    intervals = {part.interval_s for part in parts}
    interval_s = intervals.pop() if len(intervals) == 1 else None
    return elapsed_text(round(statistics.n * interval_s) * SECOND_NS) if statistics and interval_s else DASH
