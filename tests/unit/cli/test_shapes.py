"""The one way from a value to JSON."""

from __future__ import annotations

import io
import json
from dataclasses import dataclass
from math import inf, nan
from zoneinfo import ZoneInfo

import pytest

from tunebench.analysis.inference.verdict import Interval, Verdict
from tunebench.cli.console import Console
from tunebench.cli.shapes import facts_shape, shape

SEOUL = ZoneInfo("Asia/Seoul")
ENDLESS = Interval(0.5, inf)


@dataclass(frozen=True)
class Made:
    verdict: Verdict = Verdict.IMPROVED
    name: str = ""
    ratio: float = nan
    interval: Interval = ENDLESS
    runs: tuple[int, ...] = (3, 4)
    at_ns: int | None = 0


def test_names_give_order_keys_and_what_is_null() -> None:
    made = shape(Made(), "at=at_ns runs ci95=interval name? name ratio verdict", SEOUL)
    assert list(made) == ["at", "runs", "ci95", "name", "ratio", "verdict"]
    assert json.loads(json.dumps(made, allow_nan=False)) == {
        "at": "1970-01-01T09:00:00+09:00",
        "runs": [3, 4],
        "ci95": [0.5, None],
        "name": "",
        "ratio": None,
        "verdict": "improved",
    }
    assert shape(Made(), "label=name?") == {"label": None}
    assert shape(Made(at_ns=None), "at=at_ns", SEOUL) == {"at": None}


def test_a_name_that_the_value_has_not_is_no_null() -> None:
    with pytest.raises(AttributeError):
        shape(Made(), "nobody?")


def test_moments_among_facts_are_told_without_their_unit() -> None:
    assert facts_shape({"at_ns": 0, "count": 2, "share": nan, "hosts": ("a",)}, SEOUL) == {
        "at": "1970-01-01T09:00:00+09:00",
        "count": 2,
        "share": None,
        "hosts": ["a"],
    }


def test_what_comes_bit_by_bit_is_the_same_document() -> None:
    rows = [{"name": "é\x1b[2J", "ci95": [1.0, None]}, {"name": "two\nlines"}]
    document = {"before": {"run": "old"}, "series": rows, "none": [], "shift": None}
    out = io.StringIO()
    Console("en", True, out, io.StringIO()).result({**document, "series": iter(rows), "none": iter([])})
    assert json.loads(out.getvalue()) == document
    assert "\x1b" not in out.getvalue()


def test_what_a_function_tells_is_asked_for_when_the_rows_are_out() -> None:
    out = io.StringIO()
    told = {"series": iter([{"n": 1}]), "shift": lambda: {"rows": out.getvalue().count('"n": 1')}}
    Console("en", True, out, io.StringIO()).result(told)
    assert json.loads(out.getvalue()) == {"series": [{"n": 1}], "shift": {"rows": 1}}
