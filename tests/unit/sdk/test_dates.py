"""Dates in banners and paths."""

from __future__ import annotations

from datetime import date, datetime

import pytest

from tunebench.sdk import LedgerBook, ParseContext, TimeKeeper
from tunebench.sdk.dates import read_printed_date, start_from_path


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("2026-11-21", date(2026, 11, 21)),
        ("2026/11/21", date(2026, 11, 21)),
        ("2026년 11월 21일", date(2026, 11, 21)),
        ("2011年04月12日", date(2011, 4, 12)),
        ("21.11.2026", date(2026, 11, 21)),
        ("05.06.2011", date(2011, 6, 5)),
        ("2026. 11. 21.", date(2026, 11, 21)),
        ("11/21/26", date(2026, 11, 21)),
        ("11/21/2026", date(2026, 11, 21)),
        ("19/05/16", date(2016, 5, 19)),
        ("03/03/15", date(2015, 3, 3)),
        ("08/19/2010", date(2010, 8, 19)),
        ("12/31/99", date(1999, 12, 31)),
    ],
)
def test_a_date_with_one_reading_is_certain(text, day):
    reading = read_printed_date(text)
    assert reading is not None
    assert (reading.day, reading.certain) == (day, True)


@pytest.mark.parametrize(
    ("hints", "day", "certain"),
    [
        ({}, date(2011, 5, 6), False),
        ({"hint_day_first": True}, date(2011, 6, 5), False),
        ({"day_first": True}, date(2011, 6, 5), True),
        ({"day_first": False, "hint_day_first": True}, date(2011, 5, 6), True),
        ({"path": "/c/db1/sar06"}, date(2011, 5, 6), True),
        ({"path": "/c/db1/sar05.txt"}, date(2011, 6, 5), True),
        ({"path": "/c/2011-06-05/sar.txt"}, date(2011, 6, 5), True),
        ({"modified": date(2011, 5, 20)}, date(2011, 5, 6), True),
        ({"modified": date(2011, 6, 20)}, date(2011, 5, 6), False),
    ],
)
def test_05_06_11_is_decided_by_what_surrounds_it(hints, day, certain):
    reading = read_printed_date("05/06/11", **hints)
    assert reading is not None
    assert (reading.day, reading.certain) == (day, certain)


@pytest.mark.parametrize("text", ["", "no date", "99/99/99", "2026-13-40", "10:11:12", "1/2"])
def test_no_date(text):
    assert read_printed_date(text) is None


def test_an_impossible_word_of_the_user_is_not_followed():
    reading = read_printed_date("11/21/26", day_first=True)
    assert reading is not None
    assert reading.day == date(2026, 11, 21)


def test_a_guessed_order_is_booked_and_asked_for():
    book = LedgerBook()
    times = TimeKeeper(ParseContext(), book)
    assert times.set_printed_day("05/06/11")
    ledger = book.close()
    assert [(a.subject, a.value, a.source) for a in ledger.assumptions] == [("date_order", "mm/dd/yy", "default")]
    assert ledger.needs == ("date",)
    assert not times.set_printed_day("not a date")


def test_the_users_order_is_booked_as_the_users():
    book = LedgerBook()
    times = TimeKeeper(ParseContext(day_first=True), book)
    times.set_printed_day("05/06/11")
    assert times.day == date(2011, 6, 5)
    assert [(a.value, a.source) for a in book.close().assumptions] == [("dd/mm/yy", "user")]
    assert book.close().needs == ()


@pytest.mark.parametrize(
    ("path", "moment"),
    [
        ("a/20150509/050500/iostat.txt", datetime(2015, 5, 9, 5, 5)),
        ("vmstat_2015-05-09_0505.txt", datetime(2015, 5, 9, 5, 5)),
        ("vmstat.2015.05.09.txt", datetime(2015, 5, 9)),
        ("/logs/2015/05/09/vmstat.txt", datetime(2015, 5, 9)),
        ("C:\\perf\\20150509\\050510\\x.txt", datetime(2015, 5, 9, 5, 5, 10)),
        ("db1_iostat_12.02.29.1100.dat", datetime(2012, 2, 29, 11)),
        ("20140101/iostat_20150509.txt", datetime(2015, 5, 9)),
        ("20150231/20150227.txt", datetime(2015, 2, 27)),
        ("20150227/20150231.txt", datetime(2015, 2, 27)),
    ],
)
def test_the_last_date_in_a_path(path, moment):
    assert start_from_path(path) == moment


@pytest.mark.parametrize("path", ["", "iostat.txt", "db12345678901.txt", "v10.2.1.3", "sar21"])
def test_no_date_in_a_path(path):
    assert start_from_path(path) is None
