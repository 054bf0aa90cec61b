"""Trials that were there before the change was carried out are told: by the trail's entries, not by what was said."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tunebench.diagnosis.cycle.tried import of_result
from tunebench.domain.cycle.book import CycleBook
from tunebench.domain.cycle.recorded import Recorded, Tried, Tries
from tunebench.domain.cycle.records import ExperimentSource, Figure, Metric, Result
from tunebench.domain.cycle.worksheet import Action, ExecutedChange
from tunebench.domain.engagement import Direction

METRIC = Metric(
    2, 1, "mkfile", ExperimentSource(7, "real_s", ""), statistic="mean", unit="s", direction=Direction.LOWER
)
RESULT = Result(3, 1, 2, Figure(27.0, samples=2, cell=("128",)))
LINE = ExecutedChange(5, 4, "maxcontig", "6", "128", "2026-07-20T22:00:00+09:00", "Kim")


def trial(entry: int) -> Tried:
    when = Recorded(entry, f"2026-07-20T{entry:02d}:00:00+00:00")
    return Tried(7, ("128",), ("",), "maxcontig=128", "done", ("real_s",), False, when, False, False)


@pytest.mark.parametrize(("entries", "early"), [((11, 12), 0), ((9, 11), 1), ((8, 9), 2)])
def test_what_was_measured_before_the_execution_is_counted(entries: tuple[int, ...], early: int) -> None:
    book = CycleBook.of([METRIC, RESULT, Action(4, 1, "Clusters of 128 blocks"), LINE])
    book = replace(
        book,
        tries=Tries(tuple(trial(entry) for entry in entries)),
        recorded={(LINE.id, "executed_at"): Recorded(10, "2026-07-20T10:00:00+00:00")},
    )
    told = [gate for gate in of_result(book, METRIC, RESULT) if gate.key == "trials_first"]
    assert [gate.facts["n"] for gate in told] == ([early] if early else [])
    assert all(gate.facts["earlier"] == f"2026-07-20T{entries[0]:02d}:00:00+00:00" for gate in told)
    unknown = replace(book, recorded={})  # nobody executed anything yet
    assert not [gate for gate in of_result(unknown, METRIC, RESULT) if gate.key == "trials_first"]
