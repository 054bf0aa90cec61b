"""Figures over whole periods as steps."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from zoneinfo import ZoneInfo

import numpy as np
import pytest

from tests.ui.made_engagement import MadeEngagement
from tunebench.analysis.exploring.outline import spread, step_at, step_gaps, step_outline
from tunebench.analysis.exploring.time_range import HOUR_NS, TimeRange
from tunebench.analysis.series import Envelope
from tunebench.domain.databases.records import Fault
from tunebench.domain.series import is_period_mean
from tunebench.ui.charts.lines import ChartLine, Mark
from tunebench.ui.charts.time_axis import period_marks, uncaptured_marks
from tunebench.ui.charts.words import series_words
from tunebench.ui.look.formats import unit_text
from tunebench.ui.look.theme import LIGHT
from tunebench.usecases.databases.periods import PeriodSpan, begins_of

H = HOUR_NS


def samples(ends: list[int], values: list[float]) -> Envelope:
    times, figures = np.array(ends, dtype=np.int64), np.array(values)
    return Envelope(times, times, figures, figures, figures, 1)


def test_a_value_covers_its_period_and_the_line_breaks_in_a_hole() -> None:
    """10-11, 11-12 and 14-14:30 o'clock."""
    begins = {11 * H: 10 * H, 12 * H: 11 * H, 14 * H + H // 2: 14 * H}
    found = spread(samples([11 * H, 12 * H, 14 * H + H // 2], [1.0, 3.0, 2.0]), begins, None)
    drawn = step_outline(found)
    points = list(zip((drawn.times_ns / H).tolist(), drawn.values.tolist(), strict=True))
    assert points[:4] == [(10, 1), (11, 1), (11, 3), (12, 3)]
    assert np.isnan(points[4][1]) and points[5:7] == [(14, 2), (14.5, 2)]
    assert step_gaps(found) == [TimeRange(12 * H, 14 * H)]


@pytest.mark.parametrize(
    ("at", "wanted"), [(10.5, (11, 1.0)), (11.0, (11, 1.0)), (11.2, (12, 3.0)), (13.0, None), (9.9, None)]
)
def test_the_value_under_the_pointer_is_that_of_the_period(at: float, wanted: tuple[int, float] | None) -> None:
    begins = {11 * H: 10 * H, 12 * H: 11 * H}
    found = step_at(spread(samples([11 * H, 12 * H], [1.0, 3.0]), begins, None), round(at * H))
    assert found == (None if wanted is None else (wanted[0] * H, wanted[1]))


def test_a_period_of_unknown_begin_reaches_back_one_interval_at_most() -> None:
    found = spread(samples([11 * H, 12 * H, 20 * H], [1.0, 2.0, 3.0]), {}, 3600.0)
    assert (found.times_ns / H).tolist() == [10, 11, 19]


def test_what_was_not_measured_is_a_hole() -> None:
    begins = {11 * H: 10 * H, 12 * H: 11 * H, 13 * H: 12 * H}
    found = spread(samples([11 * H, 12 * H, 13 * H], [1.0, np.nan, 2.0]), begins, None)
    assert step_gaps(found) == [TimeRange(11 * H, 12 * H)]


def test_a_line_with_begins_is_level_and_has_no_lone_points() -> None:
    line = ChartLine(1, "DB CPU", "", LIGHT.accent, begins={11 * H: 10 * H}, captured=TimeRange(11 * H - 1, 11 * H))
    line.show(samples([11 * H], [4.0]))
    assert line.drawn is not None and (line.drawn.times_ns[:2] / H).tolist() == [10, 11]
    assert line.drawn.values[:2].tolist() == [4.0, 4.0]
    assert line.dots is not None and not line.dots.times_ns.size
    assert line.missing(TimeRange(10 * H, 11 * H)) == []


def test_of_two_periods_with_one_end_the_shorter_counts() -> None:
    spans = [PeriodSpan("D", "", 0, 10 * H), PeriodSpan("D", "", 9 * H, 10 * H), PeriodSpan("E", "", 1, 10 * H)]
    assert begins_of(spans) == {"D": {10 * H: 9 * H}, "E": {10 * H: 1}}


def test_a_restart_stands_at_its_moment_and_once() -> None:
    zone = ZoneInfo("UTC")
    span = PeriodSpan("D", "db01", 10 * H, 11 * H, (Fault.RESTART, Fault.SINCE_START), 10 * H + 5)
    (mark,) = period_marks([span], zone)
    assert (mark.kind, mark.time_ns, mark.end_ns, mark.host) == ("restart", 10 * H + 5, None, "db01")
    assert period_marks([replace(span, started_ns=None)], zone)[0].end_ns == 11 * H
    told = Mark("restart", 10 * H + 30_000_000_000, None, "", "", "db01")
    assert uncaptured_marks([mark], [told]) == []
    assert uncaptured_marks([mark], [replace(told, host="db02")]) == [mark]


def test_only_figures_of_databases_are_steps_and_told_in_words(qapp: object, look: Callable[..., None]) -> None:
    look("en")
    info = MadeEngagement().infos[0]
    assert not is_period_mean(info) and series_words(info) == info.label
    wait = replace(
        info,
        tool="awr",
        table="wait_class",
        native="AAS",
        metric="db.server.waiting_sessions",
        unit="{session}",
        attributes={"database": "ORCL", "wait": "User I/O"},
    )
    assert is_period_mean(wait) and series_words(wait) == "User I/O · ORCL" and series_words(wait, False) == "User I/O"
    load = replace(wait, table="load", native="logical_reads", attributes={"database": "ORCL"})
    assert series_words(load, False) == "logical reads" and unit_text(load.unit) == "sessions"
