"""Several reports of one side as one."""

from __future__ import annotations

from dataclasses import replace
from itertools import product

import numpy as np
import pytest

from tests.unit.analysis.databases.database_records import ORACLE, counters, moment, period
from tunebench.analysis.databases.combination import COMBINED_FACT, combined
from tunebench.analysis.databases.listing import covered_pct, most_unlisted
from tunebench.analysis.databases.statement_side import side_of
from tunebench.domain.databases.records import Fault, StatementKey


def value(record, table, column, **keys):
    """The one row that has these texts."""
    of_table = record.table(table)
    places = [i for i in range(len(of_table)) if all(of_table.text(k)[i] == v for k, v in keys.items())]
    assert len(places) == 1
    return float(of_table.figure(column)[places[0]])


def test_counters_add_up_and_rates_are_made_anew():
    hours = [
        period(
            db_time_s=100.0 * i,
            hours=i,
            load=[
                {"name": "logical_reads", "total": 3600 * i, "per_second": 1.0 * i},
                {"name": "transactions", "total": 36},
            ],
            time_model=[{"name": "db_cpu", "time_s": 10 * i, "share_pct": 10.0}],
            wait_event=[
                {"event": "log file sync", "ground": "foreground", "waits": 5 * i, "time_s": i, "longest_s": i / 10}
            ],
        )
        for i in (1, 3)
    ]
    found = combined(hours)
    assert (found.elapsed_s, found.db_time_s, found.begin, found.end) == (7200.0, 400.0, hours[0].begin, hours[1].end)
    assert value(found, "load", "per_second", name="logical_reads") == (3600 + 10_800) / 7200
    assert value(found, "load", "per_transaction", name="logical_reads") == 14_400 / 72
    assert value(found, "time_model", "share_pct", name="db_cpu") == 10.0
    assert [value(found, "wait_event", c, event="log file sync") for c in ("waits", "time_s", "longest_s")] == [
        20,
        4,
        0.3,
    ]


def test_a_rate_without_totals_is_averaged_by_the_lengths():
    parts = [
        period(elapsed_s=s, hours=i, load=[{"name": "sorts", "per_second": r}])
        for i, (s, r) in enumerate(((1800.0, 10.0), (5400.0, 2.0)), 1)
    ]
    assert value(combined(parts), "load", "per_second", name="sorts") == (10 * 1800 + 2 * 5400) / 7200


def test_quotients_are_formed_of_the_periods_that_report_both():
    """Blocks are in the first report only: 900 blocks of 10 executions, not of 40."""
    parts = [
        period(
            hours=1,
            statement=[{"statement_id": "a", "executions": 10, "elapsed_s": 5, "block_gets": 900, "seen_in": "gets"}],
        ),
        period(hours=2, statement=[{"statement_id": "a", "executions": 30, "elapsed_s": 7, "seen_in": "elapsed"}]),
    ]
    side = side_of(combined(parts), [(StatementKey("a"),)])
    assert (side.total("executions")[0], side.total("elapsed_s")[0], side.total("block_gets")[0]) == (40, 12, 900)
    assert (side.each("elapsed_s")[0], side.each("block_gets")[0]) == (12 / 40, 90)


def test_alike_rows_become_one_that_says_in_how_many_periods_it_is():
    parts = [
        period(
            hours=i, statement=[{"statement_id": n, "executions": 1, "elapsed_s": 2, "seen_in": seen} for n in names]
        )
        for i, (names, seen) in enumerate((("ab", "elapsed"), ("a", "cpu"), ("a", "elapsed gets")), 1)
    ]
    found = combined(parts)
    rows = found.table("statement")
    assert dict(zip(rows.text("statement_id"), rows.figure("periods").tolist(), strict=True)) == {"a": 3, "b": 1}
    assert rows.text("seen_in")[0].split() == ["elapsed", "cpu", "gets"]
    facts = found.table("fact")
    assert (facts.text("scope")[0], facts.text("name")[0], facts.text("value")[0]) == (*COMBINED_FACT, "3")


def test_what_no_list_shows_may_have_cost_the_sum_of_what_each_may_hide():
    parts = [
        period(hours=i, statement_list=[{"figure": "elapsed_s", "rows": 10, "least": least, "covered_pct": pct}])
        for i, (least, pct) in enumerate(((5.0, 80.0), (7.0, 60.0)), 1)
    ]
    found = combined(parts)
    assert (most_unlisted(found, "elapsed_s"), covered_pct(found)) == (12.0, 70.0)


def test_parameters_and_states_hold_the_outer_ends():
    parts = [
        period(
            hours=i,
            parameter=[{"name": "sga_target", "begin": b, "end": e}],
            state=[{"scope": "os", "name": "LOAD", "begin": float(i), "end": i + 0.5}],
        )
        for i, (b, e) in enumerate((("1G", ""), ("1G", "2G")), 1)
    ]
    found = combined(list(reversed(parts)))  # the order of the files does not matter
    parameters, states = found.table("parameter"), found.table("state")
    assert (parameters.text("begin"), parameters.text("end")) == (("1G",), ("2G",))
    assert (states.figure("begin").tolist(), states.figure("end").tolist()) == ([1.0], [2.5])


@pytest.mark.parametrize("flags", list(product((0, 1), repeat=3)))
def test_of_the_texts_of_a_statement_the_last_whole_one_counts_and_else_the_last(flags: tuple[int, ...]) -> None:
    parts = [
        period(hours=1.0 + hour, statement_text=[{"statement_id": "a", "text": f"text {hour}", "complete": flag}])
        for hour, flag in enumerate(flags)
    ]
    whole = [hour for hour, flag in enumerate(flags) if flag]
    assert combined(parts).table("statement_text").text("text") == (f"text {max(whole, default=2)}",)


def test_periods_that_are_not_valid_are_left_out():
    parts = [
        period(hours=1, activity=[{"name": "x", "total": 1}]),
        period(hours=2, faults=(Fault.RESTART,), activity=[{"name": "x", "total": 100}]),
        period(hours=3, faults=(Fault.TRUNCATED,), activity=[{"name": "x", "total": 3}]),
    ]
    found = combined(parts)
    assert (value(found, "activity", "total", name="x"), found.faults, found.elapsed_s) == (4, (Fault.TRUNCATED,), 7200)


def test_processors_that_differ_from_report_to_report_are_told():
    parts = [period(replace(ORACLE, cpu_count=n), hours=n / 16) for n in (16, 64)]
    assert combined(parts).faults == (Fault.CPU_COUNT,)


def test_an_unknown_length_makes_the_whole_unknown():
    assert combined([period(hours=1), period(elapsed_s=None, hours=2)]).elapsed_s is None


def test_a_total_that_one_period_lacks_is_not_reported():
    parts = [period(hours=i, activity=[{"name": "x", "total": v}]) for i, v in enumerate((5.0, None), 1)]
    assert np.isnan(value(combined(parts), "activity", "total", name="x"))


def test_one_period_stays_as_it_is():
    alone = period()
    assert combined([alone]) is alone


@pytest.mark.parametrize("records", [[], [counters(moment(0))], [period(), counters(moment(0))]])
def test_only_periods_are_combined(records):
    with pytest.raises(ValueError, match="periods"):
        combined(records)
