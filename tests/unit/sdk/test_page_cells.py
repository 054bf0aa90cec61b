"""The cells of a page are those that `split` gives; days and times among them are those of the calendar."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.sdk.page_cells import PageCells, clock_seconds, day_seconds
from app.sdk.pages import page_of

LINES = st.lists(st.text(alphabet="ab1.:-\t\r\x00\x1c é ", max_size=30).map(str.encode), min_size=1, max_size=20)


def cells_of(*lines: bytes) -> PageCells:
    return PageCells(page_of(lines))


@given(LINES)
def test_cells_are_what_split_gives(lines: list[bytes]) -> None:
    cells = cells_of(*lines)
    assert len(cells.counts) == len(lines)
    for index, line in enumerate(lines):
        if cells.plain[index]:
            own = [cells.text(cell) for cell in range(cells.first[index], cells.first[index + 1])]
            assert own == line.split()
        assert cells.plain[index] == (min(line, default=32) >= 32)


def test_numbers_of_some_lines() -> None:
    cells = cells_of(b"x  1 2.5", b"", b"3 y 4", b" 5 -6 7 ")
    lines = np.asarray([0, 2, 3])
    values, plain = cells.numbers(cells.of(lines, 1, 2))
    assert plain.tolist() == [[True, True], [False, True], [False, True]]
    assert values[plain].tolist() == [1.0, 2.5, 4.0, 7.0]
    assert cells.whole_numbers(cells.of(lines, 1, 2))[1].tolist() == [[True, False], [False, True], [False, True]]
    assert [cells.end_of_stretch(line) for line in range(4)] == [1, 1, 4, 4]


@pytest.mark.parametrize("form", ["%Y-%m-%d", "%Y%m%d"])
def test_days_are_those_of_the_calendar(form: str) -> None:
    days = [datetime(1999, 12, 30, tzinfo=UTC) + timedelta(days=37 * number) for number in range(300)]
    cells = cells_of(*(f"{day:{form}} x".encode() for day in days))
    seconds, good = cells.days(cells.of(np.arange(300), 0, 1)[:, 0], compact=form == "%Y%m%d")
    assert good.all()
    assert seconds.tolist() == [int(day.timestamp()) for day in days]


@pytest.mark.parametrize(
    "text",
    [
        b"2026-02-29",
        b"2026-13-01",
        b"1979-12-31",
        b"2201-01-01",
        b"2026-W47-6",
        b"2026 11 21",
        b"20260230",
        b"2026-1-021",
        b"99999999",
    ],
)
def test_days_that_are_none(text: bytes) -> None:
    assert day_seconds(text) is None


def test_times_of_day() -> None:
    times = [
        b"00:00:00",
        b"23:59:59",
        b"09:05:07",
        b"24:00:00",
        b"12:60:00",
        b"12:00:60",
        b"1:00:000",
        b"12.00:00",
        b"12:00:0",
        b"x2:00:00",
        b"23:59:60",
    ]
    cells = cells_of(*times)
    seconds, good = cells.times_of_day(np.arange(len(times)))
    assert good.tolist() == [True] * 3 + [False] * 8
    assert seconds[:3].tolist() == [0, 86_399, 32_707]


def test_a_leap_second_where_the_tool_may_print_one() -> None:
    times = (b"23:59:60", b"12:00:60", b"12:00:61", b"12:00:0x", b"24:00:00", b"12:61:60")
    words = np.frombuffer(b"".join(times), dtype="<u8")
    seconds, good = clock_seconds(words, leap=True)
    assert good.tolist() == [True, True, False, False, False, False]
    assert seconds[:2].tolist() == [86_400, 43_260]
