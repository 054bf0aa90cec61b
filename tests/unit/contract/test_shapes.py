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
from tunebench.contract.json_text import array, member, members, object_of
from tunebench.contract.shapes import facts_shape, plain, shape

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


VALUES = [1, 1.5, -0.0, 1e300, nan, inf, True, None, '"\u00e9\n\u2028', Verdict.EQUIVALENT, ENDLESS, (1, None), [], {}]


@pytest.mark.parametrize(
    "value", [*VALUES, {"a": 1.5, "b": [inf, Verdict.IMPROVED]}, [VALUES], frozenset({1})], ids=str
)
def test_the_text_of_a_value_is_what_json_makes_of_its_shape(value: object) -> None:
    expected = json.dumps({"key": plain(value)}, ensure_ascii=False, allow_nan=False)
    assert object_of(member("key", value)) == expected


@pytest.mark.parametrize("names", ["ratio", "runs ci95=interval title=name? name ratio? verdict", "name?"])
def test_the_text_of_named_attributes_is_what_json_makes_of_their_shape(names: str) -> None:
    assert object_of(members(Made(), names)) == json.dumps(shape(Made(), names), allow_nan=False)


def test_rows_that_are_text_already_are_written_as_they_are() -> None:
    written = io.StringIO()
    rows = [object_of(member("at", 1), members(Made(), "runs")), array(["1", "null"]), {"at": 2}]
    Console("en", json_wanted=True, out=written).result({"rows": iter(rows)})
    assert json.loads(written.getvalue()) == {"rows": [{"at": 1, "runs": [3, 4]}, [1, None], {"at": 2}]}
