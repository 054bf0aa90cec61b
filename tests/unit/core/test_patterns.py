"""A lazy pattern answers as `re` does, from the first use on, and is not compiled before it."""

from __future__ import annotations

import copy
import pickle
import re
from typing import Any

import pytest

from tunebench.core.patterns import lazy_pattern

WRITTEN: list[tuple[Any, int]] = [
    (r"(?P<day>\d+)-(\w*)", 0),
    (rb"^%?(\w+)$", re.MULTILINE),
    ("b|c", re.IGNORECASE | re.DOTALL),
]
TEXTS = ["12-ab 3-", "B\nc", "", "%user\n%sys", "가 7-나"]
DATA = ("flags", "groups", "groupindex", "pattern")


def answers(pattern: re.Pattern, text) -> list[object]:
    matches = [pattern.match(text), pattern.search(text), pattern.fullmatch(text), pattern.search(text, 1, 4)]
    put = "<>" if isinstance(text, str) else b"<>"
    return [
        *((one.span(), one.groups(), one.groupdict()) if one else None for one in matches),
        *([one.span() for one in pattern.finditer(text)], pattern.findall(text), pattern.split(text)),
        *(pattern.sub(put, text), pattern.subn(put, text, count=1), pattern.sub(lambda one: one[0] * 2, text)),
    ]


@pytest.mark.parametrize(("written", "flags"), WRITTEN)
def test_it_answers_as_a_compiled_one(written, flags):
    compiled = re.compile(written, flags)
    for name in DATA:
        assert getattr(lazy_pattern(written, flags), name) == getattr(compiled, name)
    pattern = lazy_pattern(written, flags)
    for text in TEXTS:
        data = text if isinstance(written, str) else text.encode()
        for _ in range(2):
            assert answers(pattern, data) == answers(compiled, data)
    assert repr(pattern) == repr(lazy_pattern(written, flags)) == repr(compiled)
    with pytest.raises(AttributeError):
        getattr(pattern, "mtach")  # noqa: B009 - mypy would see it


@pytest.mark.parametrize("used", [False, True])
def test_it_is_copied_pickled_and_compared(used):
    for written, flags in WRITTEN:
        pattern = lazy_pattern(written, flags)
        if used:
            pattern.match(written)
        for other in (copy.deepcopy(pattern), pickle.loads(pickle.dumps(pattern)), lazy_pattern(written, flags)):
            assert (other, hash(other)) == (pattern, hash(pattern))
            assert other.pattern == written
        assert pattern != lazy_pattern(written, flags | re.VERBOSE)


def test_a_match_tells_which_pattern_matched():
    days, names = lazy_pattern(r"\d+"), lazy_pattern(r"[a-z]+")
    match = days.match("12")
    assert match is not None
    assert match.re == days
    assert days == match.re
    assert match.re != names
    assert {match.re: "day"}[days] == "day"


def test_it_is_compiled_when_it_is_used():
    pattern = lazy_pattern("(")
    with pytest.raises(re.error):
        pattern.match("(")
