"""How a line begins."""

from __future__ import annotations

import time

import pytest

from tunebench.sdk.line_patterns import PatternFault, line_pattern


@pytest.mark.parametrize(
    ("pattern", "line", "places"),
    [
        ("zzz ***{stamp}", "zzz ***Sat Nov 21 16:10:13 KST 2026 ", {"stamp": "Sat Nov 21 16:10:13 KST 2026"}),
        ("Linux {word} ({host}) {date}", "Linux 6.1.0  (db1) \t11/21/26 x", {"host": "db1", "date": "11/21/26 x"}),
        ("# {stamp} {number}%", "  # 16:10:13 45.5% done", {"stamp": "16:10:13"}),
        ("a.b*c{{x}}", "a.b*c{x} and more", {}),
        ("{any}interval{any}", "the interval is 5", {}),
        ("tool {version}", "tool 3.2 (of 2026)", {"version": "3.2"}),
    ],
)
def test_a_line_that_begins_so(pattern, line, places):
    assert line_pattern(pattern).read(line) == places


@pytest.mark.parametrize(
    ("pattern", "line"),
    [("#", "x # y"), ("Host: {host}", "host: x"), ("a {number}", "a b"), ("a {number} b", "a 12"), ("a.c", "abc")],
)
def test_a_line_that_does_not(pattern, line):
    assert line_pattern(pattern).read(line) is None


@pytest.mark.parametrize("pattern", ["", "{any}", "{stamp}", "{foo}", "{stamp} x {stamp}", "a {", "a }", "x" * 201])
def test_what_is_no_pattern(pattern):
    with pytest.raises(PatternFault):
        line_pattern(pattern)


def test_no_line_takes_long():
    pattern = line_pattern("{any}a{word}a{any}a{word}b{any}a{stamp}c{any}d{word}e")
    started = time.process_time()
    for line in ("a" * 100_000, "a " * 50_000, "ab" * 50_000):
        assert pattern.read(line) is None
    assert time.process_time() - started < 0.5
