"""Times as tables print them."""

from __future__ import annotations

from datetime import datetime, timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tunebench.sdk.stamp_formats import FormatFault, Stamp, stamp_format


def read(form: str, text: str) -> Stamp:
    found = stamp_format(form).read(text)
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("form", "text", "expected"),
    [
        ("%Y-%m-%d %H:%M:%S", "2026-11-21 16:10:13", datetime(2026, 11, 21, 16, 10, 13)),
        ("%Y-%m-%d %H:%M:%S", "2026-11-21   16:10:13", datetime(2026, 11, 21, 16, 10, 13)),
        ("%d/%m/%y %H:%M", "05/06/11 07:08", datetime(2011, 6, 5, 7, 8)),
        ("%m/%d/%y %I:%M:%S %p", "05/06/11 12:00:01 AM", datetime(2011, 5, 6, 0, 0, 1)),
        ("%Y년 %m월 %d일 %p %I:%M:%S", "2026년 11월 21일 오후 04:10:13", datetime(2026, 11, 21, 16, 10, 13)),
        ("%a %b %d %H:%M:%S %Y", "Sat Nov 21 16:10:13 2026", datetime(2026, 11, 21, 16, 10, 13)),
        ("%Y-%m-%d", "2026-11-21", datetime(2026, 11, 21)),
    ],
)
def test_a_stamp_with_its_date(form, text, expected):
    stamp = stamp_format(form).read(text)
    assert stamp is not None and stamp.moment == expected


@settings(max_examples=60, deadline=None, derandomize=True)
@given(
    st.datetimes(datetime(1971, 1, 1), datetime(2199, 12, 31)),
    st.sampled_from(
        ["%Y-%m-%d %H:%M:%S", "%d.%m.%Y %H:%M:%S", "%b %d %Y %I:%M:%S %p", "%Y%m%d%H%M%S", "%d/%b/%Y:%H:%M:%S"]
    ),
)
def test_what_strftime_writes_is_read(moment, form):
    stamp = stamp_format(form).read(moment.strftime(form))
    assert stamp is not None and stamp.moment == moment.replace(microsecond=0)


def test_fractions_offsets_and_zones():
    stamp = read("%Y-%m-%dT%H:%M:%S.%f%z", "2026-11-21T16:10:13.25+0900")
    assert stamp.moment is not None
    assert stamp.fraction_ns == 250_000_000 and stamp.moment.utcoffset() == timedelta(hours=9)
    assert read("%H:%M:%S %Z", "16:10:13 KST").zone == "KST"
    assert read("%H:%M:%S,%f", "16:10:13,5").tod_s == 58_213


@pytest.mark.parametrize(
    ("form", "text", "seconds", "fraction_ns"),
    [
        ("epoch_s", "1795245013", 1_795_245_013, 0),
        ("epoch_s", "1795245013.000000001", 1_795_245_013, 1),
        ("epoch_ms", "1795245013250", 1_795_245_013, 250_000_000),
        ("epoch_ns", "1795245013000000007", 1_795_245_013, 7),
        ("epoch_us", "1795245013000001", 1_795_245_013, 1_000),
    ],
)
def test_epochs_to_the_nanosecond(form, text, seconds, fraction_ns):
    stamp = read(form, text)
    assert (stamp.epoch_s, stamp.fraction_ns) == (seconds, fraction_ns)


@pytest.mark.parametrize(
    ("form", "text"),
    [
        ("%Y-%m-%d", "2026-02-30"),
        ("%Y-%m-%d", "1969-12-31"),
        ("%H:%M:%S", "25:00:00"),
        ("%H:%M:%S", "16:60:00"),
        ("%I:%M %p", "13:00 PM"),
        ("epoch_s", "12"),
        ("epoch_s", "99999999999999"),
        ("%H:%M:%S", "１６:10:13"),
        ("%b %d %Y", "Foo 21 2026"),
        ("iso", "2026-11-21"),
        ("%H:%M:%S", "16:10:13 "),
        ("%H:%M:%S", "1" * 5000),
    ],
)
def test_what_is_no_time_is_none(form, text):
    assert stamp_format(form).read(text) is None


@pytest.mark.parametrize(
    ("form", "fault"),
    [
        ("%Q", "%Q"),
        ("%Y-%m", "%d"),
        ("%H:%M %H", "%H"),
        ("%I:%M", "%p"),
        ("today", "today"),
        ("%d %H:%M", "%Y"),
        ("%", "%"),
    ],
)
def test_a_format_that_is_none_is_named(form, fault):
    with pytest.raises(FormatFault) as caught:
        stamp_format(form)
    assert str(caught.value) == fault
