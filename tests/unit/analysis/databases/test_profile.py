"""Where the time went: Method R tables, load profiles, parameters, host."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.unit.analysis.databases.database_records import MYSQL, POSTGRES, period
from tunebench.analysis.databases.profile import compare_profiles
from tunebench.analysis.databases.profile_lines import Basis, LineKind
from tunebench.analysis.databases.record import DatabaseRecord
from tunebench.domain.databases.records import Fault


def wait(event, time_s, waits=None, ground="foreground", wait_class="User I/O"):
    return {"event": event, "time_s": time_s, "waits": waits, "ground": ground, "wait_class": wait_class}


def side(db_time_s, cpu_s, *waits, **more):
    return period(
        db_time_s=db_time_s,
        time_model=[{"name": "db_time", "time_s": db_time_s}, {"name": "db_cpu", "time_s": cpu_s}],
        wait_event=waits,
        **more,
    )


def lines_of(profile):
    return {line.name or line.kind.value: line for line in profile.lines}


def test_db_time_is_processor_time_waits_and_a_rest():
    """3,600 s before: 600 CPU, 2,500 reads, 400 commits, 100 nothing accounts for."""
    before = side(3600, 600, wait("db file sequential read", 2500, 500_000), wait("log file sync", 400, 80_000))
    after = side(1800, 700, wait("db file sequential read", 600, 300_000), wait("log file sync", 430, 86_000))
    found = compare_profiles(before, after)
    lines = lines_of(found.events)
    assert (found.basis, found.events.unit, found.events.before, found.events.after) == (
        Basis.PER_SECOND,
        "s",
        1.0,
        0.5,
    )
    assert lines["unaccounted"].before.time_s == 100
    assert lines["unaccounted"].after.time_s == 70
    reads = lines["db file sequential read"]
    assert (reads.kind, reads.before.share_pct, reads.before.mean_s) == (
        LineKind.WAIT,
        pytest.approx(69.4444, abs=1e-4),
        0.005,
    )
    assert reads.after.mean_s == 0.002
    assert {name: line.contribution_pct for name, line in lines.items()} == pytest.approx(
        {"db file sequential read": 1900 / 18, "db_cpu": -100 / 18, "log file sync": -30 / 18, "unaccounted": 30 / 18}
    )
    assert found.events.lines[0].name == "db file sequential read"


def test_idle_and_background_waits_are_no_part_of_db_time():
    waits = [
        wait("SQL*Net message from client", 90_000, wait_class=""),
        wait("pmon timer", 3600, wait_class="Idle"),
        wait("log file parallel write", 50, ground="background"),
        wait("direct path read", 10),
    ]
    lines = lines_of(compare_profiles(side(100, 60, *waits), side(90, 60, *waits)).events)
    assert set(lines) == {"db_cpu", "direct path read", "unaccounted"}
    assert (lines["unaccounted"].before.time_s, lines["unaccounted"].after.time_s) == (30, 20)


def test_what_one_side_does_not_list_is_not_zero_but_accounted_to_nothing():
    found = compare_profiles(side(100, 60, wait("a", 40)), side(200, 60, wait("a", 40), wait("b", 80)))
    line = lines_of(found.events)["b"]
    assert (line.before.time_s, line.before.share_pct, line.after.time_s) == (None, None, 80)
    assert line.contribution_pct == 80


def test_periods_of_different_lengths_compare_per_second_and_per_transaction():
    before = side(1000, 400, wait("a", 600), elapsed_s=1800.0, load=[{"name": "transactions", "total": 100}])
    after = side(2000, 800, wait("a", 1200), elapsed_s=3600.0, load=[{"name": "transactions", "total": 400}])
    per_second = compare_profiles(before, after)
    assert per_second.events.before == pytest.approx(per_second.events.after)
    per_transaction = compare_profiles(before, after, Basis.PER_TRANSACTION)
    assert (per_transaction.events.before, per_transaction.events.after) == (10, 5)
    assert compare_profiles(before, after, Basis.TOTAL).events.after == 2000


def test_without_lengths_totals_are_compared():
    found = compare_profiles(side(10, 1, wait("a", 9), elapsed_s=None), side(20, 1, wait("a", 19)))
    assert (found.basis, found.events.before) == (Basis.TOTAL, 10)


def test_sampled_waits_are_shares_of_the_samples():
    sides = [
        period(
            POSTGRES,
            wait_event=[
                {"event": "DataFileRead", "wait_class": "IO", "samples": n},
                {"event": "ClientRead", "wait_class": "Client", "samples": 99},
                {"event": "transactionid", "wait_class": "Lock", "samples": 20},
            ],
        )
        for n in (60, 5)
    ]
    found = compare_profiles(sides[0], sides[1]).events
    assert found.unit == "{sample}"
    assert lines_of(found)["DataFileRead"].before.share_pct == 75
    assert lines_of(found)["DataFileRead"].after.share_pct == 20
    assert lines_of(found)["DataFileRead"].contribution_pct == pytest.approx(100)


def sampled_side(lock: float, db_time_s: float | None = 100.0, timed_s: float = 2.0) -> DatabaseRecord:
    """60 s with 10 samples of running sessions, twice `lock` of waiting for locks, and 20 of waiting for the client."""
    return period(
        POSTGRES,
        elapsed_s=60.0,
        db_time_s=db_time_s,
        wait_class=[{"wait_class": "IO", "time_s": timed_s}],
        wait_event=[
            {"event": "CPU", "wait_class": "CPU", "samples": 10},
            {"event": "DataFileRead", "wait_class": "IO", "samples": 10},
            {"event": "transactionid", "wait_class": "Lock", "samples": lock},
            {"event": "tuple", "wait_class": "Lock", "samples": lock},
            {"event": "ClientRead", "wait_class": "Client", "samples": 20},
        ],
    )


def test_sampled_classes_without_db_time_are_shares_of_the_samples():
    found = compare_profiles(sampled_side(15, None), sampled_side(5, None)).classes
    shares = {name: (line.before.share_pct, line.after.share_pct) for name, line in lines_of(found).items()}
    assert found.unit == "{sample}"
    assert shares == {
        "Lock": (60, pytest.approx(100 / 3)),
        "CPU": (20, pytest.approx(100 / 3)),
        "IO": (20, pytest.approx(100 / 3)),
    }


def test_samples_fill_what_nothing_timed_of_db_time():
    """100 s, 70 samples: Lock has 30 of them, CPU 10, IO 10, of which 2 s are timed; the rest is told by nothing."""
    found = compare_profiles(sampled_side(15), sampled_side(5)).classes
    before = {(line.kind, line.name): line.before.time_s for line in found.lines}
    assert found.unit == "s"
    assert before == {
        (LineKind.WAIT, "IO"): 2.0,
        (LineKind.SAMPLED, "IO"): pytest.approx(100 * 10 / 70 - 2),
        (LineKind.SAMPLED, "Lock"): pytest.approx(100 * 30 / 70),
        (LineKind.SAMPLED, "CPU"): pytest.approx(100 * 10 / 70),
        (LineKind.UNACCOUNTED, ""): pytest.approx(100 * 20 / 70),
    }
    after = {line.name: line.after.time_s for line in found.lines if line.kind is LineKind.SAMPLED}
    assert after["Lock"] == pytest.approx(100 * 10 / 50)
    for side_name in ("before", "after"):
        times = [getattr(line, side_name).time_s or 0.0 for line in found.lines]
        assert sum(times) == pytest.approx(100.0)


def test_samples_never_tell_more_than_there_is():
    """95 of 100 s are timed I/O: locks and processor, 4/7 of the samples, share what is left of it."""
    found = compare_profiles(sampled_side(15, timed_s=95.0), sampled_side(5)).classes
    times = {(line.kind, line.name): line.before.time_s or 0.0 for line in found.lines}
    assert sum(times.values()) == pytest.approx(100.0)
    assert times[LineKind.SAMPLED, "Lock"] == pytest.approx(5 * 30 / 40)
    assert times[LineKind.SAMPLED, "CPU"] == pytest.approx(5 * 10 / 40)
    assert times[LineKind.UNACCOUNTED, ""] == pytest.approx(0.0)


def test_a_side_without_samples_is_not_filled():
    timed = period(POSTGRES, elapsed_s=60.0, db_time_s=50.0, wait_class=[{"wait_class": "IO", "time_s": 2.0}])
    found = compare_profiles(timed, sampled_side(5)).classes
    assert {line.kind for line in found.lines} == {LineKind.WAIT, LineKind.UNACCOUNTED}


def test_the_time_of_statements_is_parted_by_what_is_timed_of_them():
    """MySQL's waits are those of all threads; of the statements' time, waits for rows are timed."""

    def side_of_statements(time_s: float, waited_ms: float) -> DatabaseRecord:
        return period(
            MYSQL,
            elapsed_s=100.0,
            db_time_s=time_s,
            wait_class=[{"wait_class": "io/file", "time_s": 900.0}],
            activity=[{"scope": "status", "name": "Innodb_row_lock_time", "unit": "ms", "total": waited_ms}],
        )

    found = compare_profiles(side_of_statements(50.0, 30_000), side_of_statements(20.0, 90_000))
    lines = {line.kind: (line.before.amount, line.after.amount) for line in found.classes.lines}
    assert lines == {LineKind.WAIT: (0.3, pytest.approx(0.2)), LineKind.UNACCOUNTED: (pytest.approx(0.2), 0.0)}
    assert (found.classes.before, found.classes.after, found.times_statements) == (0.5, 0.2, True)


def test_classes_and_time_model():
    sides = [
        period(
            db_time_s=t,
            wait_class=[{"wait_class": "Commit", "ground": "foreground", "time_s": t / 4}],
            time_model=[{"name": "db_time", "time_s": t}, {"name": "hard_parse", "time_s": p}],
        )
        for t, p in ((400.0, 300.0), (200.0, 120.0))
    ]
    found = compare_profiles(sides[0], sides[1])
    assert lines_of(found.classes)["Commit"].contribution_pct == 25
    assert found.events.lines == ()
    model = {line.name: line for line in found.time_model}
    assert (model["hard_parse"].contribution_pct, model["hard_parse"].after.share_pct) == (90, 60)


def test_load_profiles_stand_side_by_side_in_their_usual_order():
    sides = [
        period(load=[{"name": "commits", "total": c, "unit": "1"}, {"name": "logical_reads", "per_second": 5.0}])
        for c in (3600, 7200)
    ]
    found = compare_profiles(sides[0], sides[1])
    assert [line.name for line in found.load] == ["logical_reads", "commits"]
    reads, commits = found.load
    assert (commits.before["per_second"], commits.after["per_second"], commits.ratio()) == (1.0, 2.0, 2.0)
    assert "total" not in reads.before


def test_parameters_that_differ_between_or_inside_the_periods():
    before = period(
        parameter=[
            {"name": "a", "begin": "1"},
            {"name": "b", "begin": "TRUE"},
            {"name": "c", "begin": "1", "end": "2"},
            {"name": "d", "begin": "x"},
        ]
    )
    after = period(
        parameter=[
            {"name": "a", "begin": "2"},
            {"name": "b", "begin": "true"},
            {"name": "c", "begin": "2"},
            {"name": "e", "begin": "y"},
        ]
    )
    found = {p.name: p for p in compare_profiles(before, after).parameters}
    assert set(found) == {"a", "c", "d", "e"}
    assert (found["a"].before, found["a"].after, found["a"].between, found["a"].inside) == (
        ("1", "1"),
        ("2", "2"),
        True,
        False,
    )
    assert (found["c"].between, found["c"].inside) == (False, True)
    assert (found["d"].after, found["e"].before) == (None, None)
    assert compare_profiles(before, period()).parameters == ()  # a capture without parameters says nothing of them


def test_the_host_is_states_and_counters_per_second():
    sides = [
        period(
            elapsed_s=s,
            state=[{"scope": "os", "name": "LOAD", "begin": 1.0, "end": 2.0}],
            activity=[
                {"scope": "os", "name": "BUSY_TIME", "unit": "cs", "total": 7200},
                {"scope": "", "name": "x", "total": 1},
            ],
        )
        for s in (3600.0, 1800.0)
    ]
    found = {
        line.name: (line.per_second, line.before, line.after) for line in compare_profiles(sides[0], sides[1]).host
    }
    assert found == {"LOAD": (False, 2.0, 2.0), "BUSY_TIME": (True, 2.0, 4.0)}


def test_nothing_is_compared_with_a_period_that_is_not_valid():
    with pytest.raises(ValueError, match="valid"):
        compare_profiles(period(), period(faults=(Fault.NEGATIVE,)))
    assert compare_profiles(period(), period()).events.before is None


_TIMES = st.dictionaries(st.sampled_from("abcdef"), st.floats(0, 1e6), min_size=1)


@given(_TIMES, _TIMES, st.floats(0, 1e6), st.floats(0, 1e6))
def test_contributions_add_up_to_the_whole_change(before, after, rest, rest_after):
    sides = [
        side(sum(times.values()) + 10 + left, 10, *(wait(name, time_s) for name, time_s in times.items()))
        for times, left in ((before, rest), (after, rest_after))
    ]
    found = compare_profiles(sides[0], sides[1]).events
    changes = [(line.after.amount or 0) - (line.before.amount or 0) for line in found.lines]
    assert found.before is not None
    assert found.after is not None
    assert float(sum(map(Fraction, changes))) == pytest.approx(
        found.after - found.before, abs=1e-9 * max(found.before, found.after)
    )
    if abs(found.after - found.before) > 1e-3 * found.before:
        assert sum(line.contribution_pct or 0 for line in found.lines) == pytest.approx(100, rel=1e-6)


def test_what_a_side_does_not_list_is_not_called_unmeasured():
    found = compare_profiles(side(10, 1, wait("a", 9)), side(20, 1, wait("b", 19))).events
    lines = lines_of(found)
    assert (lines["a"].before.is_listed, lines["a"].after.is_listed) == (True, False)
    assert (lines["b"].before.is_listed, lines["b"].after.is_listed) == (False, True)
