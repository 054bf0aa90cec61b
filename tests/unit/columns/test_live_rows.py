"""The rows of a running session: what a host adds up to, its states in words, and which cells changed."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.running_session import CLOCK_CHECK, lost, made_stream, made_view, with_host
from tunebench.columns.capturing.live_rows import (
    BYTES,
    CLOCK,
    DETAIL,
    GAPS,
    LAG,
    LINES,
    NAME,
    OVERHEAD,
    ROUND_TRIP,
    STATE,
    changed_blocks,
    rows_of,
    running_words,
)
from tunebench.columns.column import Locale
from tunebench.domain.capturing.run import HostState, StreamState

ENGLISH = Locale("en")


def test_a_host_adds_up_its_streams() -> None:
    view = made_view(1, tick=4)
    host, vmstat, *_, house = rows_of(view, (), attention_only=False, locale=ENGLISH)
    assert host.cells[NAME] == "▾ db000"
    assert host.cells[STATE] == "● Capturing"
    assert host.cells[LINES] == f"{sum(1000 + n for n in (1, 2, 3, 4, 5)):,}"
    assert host.cells[BYTES] == "451 kB"  # 5,015 lines of 90 bytes
    assert host.cells[OVERHEAD] == "0.4 %"
    assert host.cells[ROUND_TRIP] == "0.6 ms"
    assert host.cells[CLOCK] == "+1.50 s"
    assert host.cells[DETAIL] == "5 of 5 streams capturing"
    assert vmstat.cells[NAME].strip() == "linux.vmstat"
    assert vmstat.cells[LAG] == "0 s"
    assert vmstat.cells[DETAIL] == "line 1001 of linux.vmstat"
    assert house.cells[NAME].strip() == "TuneBench's own load"


def test_a_clock_within_the_error_of_its_measurement_is_right() -> None:
    view = made_view(1)
    near = with_host(view, 0, clock=replace(CLOCK_CHECK, offset_ns=-1_900_000))
    assert rows_of(near, (), attention_only=False, locale=ENGLISH)[0].cells[CLOCK] == "0 s"
    far = with_host(view, 0, clock=replace(CLOCK_CHECK, offset_ns=-7_200_000_000_000))
    assert rows_of(far, (), attention_only=False, locale=ENGLISH)[0].cells[CLOCK] == "-7,200 s"
    assert rows_of(with_host(view, 0, clock=None), (), attention_only=False, locale=ENGLISH)[0].cells[CLOCK] == "–"


@pytest.mark.parametrize("code", ["ko", "en"])
def test_every_state_has_a_shape_and_a_word(code: str) -> None:
    locale = Locale(code)
    view = made_view(1)
    for state in HostState:
        shape, word = (
            rows_of(with_host(view, 0, state=state), (), attention_only=False, locale=locale)[0]
            .cells[STATE]
            .split(" ", 1)
        )
        assert len(shape) == 1
        assert "." not in word
    for each in StreamState:
        streams = (made_stream("db000", 0, 0, each),)
        row = rows_of(with_host(view, 0, streams=streams), (), attention_only=False, locale=locale)[1]
        assert "." not in row.cells[STATE]


def test_a_lost_host_says_why_and_when_it_is_tried_again() -> None:
    host, stream, *_ = rows_of(lost(made_view(2), 0), (), attention_only=False, locale=ENGLISH)
    assert host.cells[STATE].startswith("✕ ")
    assert "12 s" in host.cells[DETAIL]
    assert "closed_by_server" not in host.cells[DETAIL]
    assert host.tone == "warning"
    assert host.cells[GAPS] == "5"
    assert stream.cells[STATE].startswith("✕ ")


def test_only_what_needs_attention() -> None:
    view = lost(made_view(6), 2)
    streams = list(view.hosts[4].streams)
    streams[1] = replace(
        streams[1],
        state=StreamState.FAILED,
        error_key="capture_tool_missing",
        error_facts={"tool": "iostat", "exit_status": 127, "stderr": ""},
    )
    view = with_host(view, 4, streams=tuple(streams))
    rows = rows_of(view, (), attention_only=True, locale=ENGLISH)
    assert [row.key for row in rows if not row.stream] == [("db002", ""), ("db004", "")]
    assert [row.stream for row in rows if row.host == "db004"] == ["", "db004/linux.iostat"]
    assert len([row for row in rows if row.host == "db002"]) == 6


def test_only_cells_that_changed_are_told() -> None:
    before = rows_of(made_view(3, tick=0), (), attention_only=False, locale=ENGLISH)
    assert changed_blocks(before, rows_of(made_view(3, tick=0), (), attention_only=False, locale=ENGLISH)) == []
    after = rows_of(with_host(made_view(3, tick=0), 1, round_trip_ms=9.0), (), attention_only=False, locale=ENGLISH)
    assert changed_blocks(before, after) == [(6, 6, ROUND_TRIP, ROUND_TRIP)]


def test_a_line_says_what_runs_and_that_something_stopped() -> None:
    assert running_words([made_view(1)], ENGLISH)[1] == "ok"
    assert "db000" in running_words([made_view(1)], ENGLISH)[0], "one host is named"
    assert "3" in running_words([made_view(3)], ENGLISH)[0], "several are counted"
    words, tone = running_words([made_view(1), lost(made_view(2), 1)], ENGLISH)
    assert words.startswith("▲ ") and "5" in words and "15" in words and tone == "warning"
