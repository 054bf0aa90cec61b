"""Sessions over time; expected figures are counted by hand, ranks by the textbook's formula without ties."""

from __future__ import annotations

from datetime import UTC, date, datetime
from zoneinfo import ZoneInfo

import numpy as np
import pytest

from tunebench.analysis.databases.profile import sample_rounds, time_by_class
from tunebench.analysis.databases.profile_lines import LineKind
from tunebench.analysis.databases.record import DatabaseRecord, TableRows
from tunebench.analysis.databases.sessions import (
    LEAST_PERIODS,
    OTHERS,
    Layer,
    StatementMap,
    by_hour,
    correlations,
    stacked,
    statement_map,
    statement_shares,
)
from tunebench.domain.databases.records import DatabaseIdentity, Moment, Reach, StatementKey

NS = 1_000_000_000
HOUR = 3600
CPU, IO = Layer(LineKind.CPU, "db_cpu"), Layer(LineKind.WAIT, "User I/O")
NOTHING = np.full(2, np.nan)


def at(day: int, hour: int, minute: int = 0) -> int:
    return int(datetime(2026, 11, day, hour, minute, tzinfo=UTC).timestamp()) * NS


def record(
    elapsed_s: float = 100.0, db_time_s: float | None = None, **tables: list[tuple[dict, dict]]
) -> DatabaseRecord:
    filled = {}
    for name, rows in tables.items():
        made = TableRows(name)
        for texts, figures in rows:
            made.add(1, texts, figures)
        filled[name] = made.close()
    ends = Moment(at(2, 8)), Moment(at(2, 8) + round(elapsed_s * NS))
    identity = DatabaseIdentity("oracle", "ORCL")
    return DatabaseRecord("made", Reach.PERIOD, identity, ends[1], ends[0], elapsed_s, db_time_s, tables=filled)


def wait(name: str, time_s: float, ground: str = "foreground") -> tuple[dict, dict]:
    return {"wait_class": name, "ground": ground}, {"time_s": time_s}


def test_times_are_divided_by_the_length_and_the_rest_is_named() -> None:
    """400 s of DB time in 100 s: 1 in processors, 2 in I/O, and 1 that nothing accounts for; neither idle waits nor
    those of the background are of sessions."""
    cpu = ({"name": "db_cpu"}, {"time_s": 100.0})
    waits = [wait("User I/O", 200.0), wait("Idle", 5000.0), wait("System I/O", 70.0, "background")]
    found = time_by_class(record(db_time_s=400.0, time_model=[cpu], wait_class=waits))
    wanted = {(LineKind.WAIT, "User I/O"): 2.0, (LineKind.CPU, "db_cpu"): 1.0, (LineKind.UNACCOUNTED, ""): 1.0}
    assert found == pytest.approx(wanted)


def test_samples_are_sessions_of_a_round() -> None:
    """20 rounds saw 30 sessions on processors and 10 waiting for a lock."""
    seen = [
        ({"event": "CPU", "wait_class": "CPU", "ground": "foreground"}, {"samples": 30.0}),
        ({"event": "transactionid", "wait_class": "Lock", "ground": "foreground"}, {"samples": 10.0}),
    ]
    rounds = [({"scope": "samples", "name": "rounds"}, {"total": 20.0})]
    found = record(wait_event=seen, activity=rounds)
    assert sample_rounds(found) == 20
    assert time_by_class(found) == {(LineKind.CPU, "db_cpu"): 1.5, (LineKind.WAIT, "Lock"): 0.5}


def test_a_record_without_times_tells_nothing() -> None:
    assert time_by_class(record()) == {} == time_by_class(record(elapsed_s=0.0, db_time_s=5.0))


def test_a_period_that_tells_nothing_is_not_measured_and_a_class_that_is_not_listed_is_0() -> None:
    spans = [(at(2, 8), at(2, 9)), (at(2, 9), at(2, 10)), (at(2, 10), at(2, 12))]
    found = stacked(spans, [{CPU: 1.0, IO: 3.0}, {}, {CPU: 4.0}], np.full(3, np.nan), 8)
    assert found.layers == (CPU, IO)
    np.testing.assert_equal(found.amounts, [[1.0, np.nan, 4.0], [3.0, np.nan, 0.0]])
    np.testing.assert_equal(found.totals, [4.0, np.nan, 4.0])
    assert found.mean == 4.0  # one hour and two


def test_layers_beyond_the_most_are_one() -> None:
    told = {Layer(LineKind.WAIT, name): float(amount) for name, amount in (("a", 5), ("b", 4), ("c", 3), ("d", 2))}
    found = stacked([(at(2, 8), at(2, 9))], [{CPU: 1.0, **told}], np.full(1, np.nan), None, most=2)
    assert found.layers == (CPU, Layer(LineKind.WAIT, "a"), Layer(LineKind.WAIT, "b"), OTHERS)
    assert found.amounts[:, 0].tolist() == [1, 5, 4, 5]


def test_hours_go_by_the_clock_of_the_zone_and_periods_are_parted_at_them() -> None:
    """23:30 to 00:30 in Seoul is half an hour of either day."""
    found = by_hour(
        stacked([(at(2, 14, 30), at(2, 15, 30)), (at(3, 0), at(3, 1))], [{CPU: 2.0}, {CPU: 6.0}], NOTHING, 4),
        ZoneInfo("Asia/Seoul"),
    )
    assert found.days == (date(2026, 11, 2), date(2026, 11, 3))
    told = {(day, hour): found.totals[day, hour] for day, hour in zip(*np.nonzero(found.seconds), strict=True)}
    assert told == {(0, 23): 2.0, (1, 0): 2.0, (1, 9): 6.0}
    assert found.seconds.sum() == 2 * HOUR and found.seconds[0, 23] == HOUR / 2
    assert np.isnan(found.of_day()[5]) and found.of_day()[9] == 6.0
    low, high = found.range_of_day()
    assert (low[0], high[0]) == (2.0, 2.0) and np.isnan(low[5]) and np.isnan(high[5])


def test_an_hour_that_several_periods_share_is_weighted_by_their_lengths() -> None:
    """20 minutes of 3 sessions and 40 of 6 are 5."""
    spans = [(at(2, 8), at(2, 8, 20)), (at(2, 8, 20), at(2, 9))]
    found = by_hour(stacked(spans, [{CPU: 3.0}, {CPU: 6.0}], NOTHING, None), ZoneInfo("UTC"))
    assert found.totals[0, 8] == pytest.approx(5.0)


def statement(name: str, executions: float, elapsed_s: float) -> tuple[dict, dict]:
    return {"statement_id": name}, {"executions": executions, "elapsed_s": elapsed_s}


def test_statements_by_period() -> None:
    """What a list leaves out is not 0."""
    first = record(statement=[statement("a", 10, 50.0), statement("b", 1, 20.0)])
    second = record(elapsed_s=200.0, statement=[statement("a", 40, 20.0)])
    found = statement_map([first, second])
    assert [key.id for key in found.statements] == ["a", "b"]
    np.testing.assert_equal(found.sessions, [[0.5, 0.1], [0.2, np.nan]])
    np.testing.assert_equal(found.each_s, [[5.0, 0.5], [20.0, np.nan]])
    assert [key.id for key in statement_map([first, second], most=1).statements] == ["a"]


def test_shares_of_db_time_stand_side_by_side() -> None:
    before = record(db_time_s=200.0, statement=[statement("a", 10, 50.0), statement("b", 1, 20.0)])
    after = record(db_time_s=80.0, statement=[statement("b", 2, 60.0)])
    first, second = statement_shares({"before": before, "after": after})
    assert (first.statement.id, first.share_pct, first.sessions) == (
        "b",
        {"before": 10, "after": 75},
        {"before": 0.2, "after": 0.6},
    )
    assert (second.statement.id, second.share_pct, second.each_s) == ("a", {"before": 25}, {"before": 5})


def of_times(*each_s: float) -> StatementMap:
    values = np.array([each_s])
    return StatementMap((StatementKey("a"),), values, values)


def test_ranks_that_go_together_are_told_with_their_range() -> None:
    """Spearman 1904 with n = 8: squared differences of ranks of 6 give 1 - 6 * 6 / (8 * 63)."""
    times = of_times(1, 2, 3, 4, 5, 6, 7, 8)
    (found,) = correlations(times, {"await": np.array([20, 10, 30, 50, 40, 70, 60, 80.0])})
    assert found.rho == pytest.approx(1 - 36 / 504)
    assert found.n == LEAST_PERIODS and found.low < found.rho < found.high <= 1


def test_few_periods_and_figures_that_never_vary_tell_nothing() -> None:
    falling = np.arange(8.0)[::-1]
    hole = np.where(falling == 3, np.nan, falling)
    assert correlations(of_times(*range(8)), {"still": np.ones(8), "hole": hole}) == []
    (found,) = correlations(of_times(*range(8)), {"falling": falling})
    assert found.rho == pytest.approx(-1)
