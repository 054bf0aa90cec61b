"""Snapshots of counters subtracted: what became of each row, and what speaks against it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.unit.analysis.databases.database_records import HOUR_NS, MYSQL, ORACLE, POSTGRES, START_NS, counters, moment
from tunebench.analysis.databases.period_faults import RESET_FACT, has_reset
from tunebench.analysis.databases.statement_side import side_of
from tunebench.analysis.databases.subtraction import period_between
from tunebench.domain.databases.records import Fault, Moment, Reach, StatementKey


def statement(name, executions, elapsed_s, **more):
    return {"statement_id": name, "executions": executions, "elapsed_s": elapsed_s, **more}


def rows_of(record, table, column="total", key="name"):
    of_table = record.table(table)
    return dict(zip(of_table.text(key), of_table.figure(column).tolist(), strict=True))


def test_counters_are_subtracted_and_rates_made_of_them():
    earlier = counters(
        moment(0),
        load=[
            {"name": "transactions", "total": 100},
            {"name": "executions", "total": 1000},
            {"name": "logical_reads", "total": 50},
        ],
        time_model=[{"name": "db_time", "time_s": 10.5}, {"name": "db_cpu", "time_s": 4}],
    )
    later = counters(
        moment(1),
        load=[
            {"name": "transactions", "total": 3700},
            {"name": "executions", "total": 8200},
            {"name": "logical_reads", "total": 36_050},
        ],
        time_model=[{"name": "db_time", "time_s": 1810.5}, {"name": "db_cpu", "time_s": 454}],
    )
    found = period_between(earlier, later)
    assert (found.reach, found.faults, found.elapsed_s, found.db_time_s) == (Reach.PERIOD, (), 3600.0, 1800.0)
    assert (found.begin, found.end) == (earlier.end, later.end)
    assert rows_of(found, "load") == {"transactions": 3600, "executions": 7200, "logical_reads": 36_000}
    assert rows_of(found, "load", "per_second")["logical_reads"] == 10
    assert rows_of(found, "load", "per_transaction")["logical_reads"] == 10
    assert rows_of(found, "load", "per_execution")["logical_reads"] == 5
    assert rows_of(found, "time_model", "share_pct")["db_cpu"] == 25


def test_counts_are_exact_as_far_as_float64_goes():
    base = 2**53 - 10
    earlier = counters(moment(0), activity=[{"name": "bytes", "total": base}])
    later = counters(moment(1), activity=[{"name": "bytes", "total": base + 7}])
    assert rows_of(period_between(earlier, later), "activity") == {"bytes": 7}


def test_commits_and_rollbacks_are_transactions():
    ends = [
        counters(
            moment(i),
            load=[
                {"name": "commits", "total": 60 * i},
                {"name": "rollbacks", "total": 40 * i},
                {"name": "sorts", "total": 300 * i},
            ],
        )
        for i in (0, 1)
    ]
    assert rows_of(period_between(*ends), "load", "per_transaction")["sorts"] == 3


class TestFaults:
    @pytest.mark.parametrize(
        ("started_ns", "restarted"),
        [
            (START_NS - 24 * HOUR_NS, False),
            (START_NS - 24 * HOUR_NS + 2_000_000_000, False),  # computed from an uptime in whole seconds
            (START_NS + HOUR_NS // 2, True),
        ],
    )
    def test_a_start_inside_is_a_restart(self, started_ns, restarted):
        found = period_between(counters(moment(0)), counters(moment(1, started_ns=started_ns)))
        assert found.faults == ((Fault.RESTART,) if restarted else ())
        assert found.valid is not restarted

    @pytest.mark.parametrize(("moved_s", "restarted"), [(2, False), (60, True)])
    @pytest.mark.parametrize("earlier_ns", [None, START_NS])
    def test_a_start_just_before_the_first_snapshot_may_wander(self, earlier_ns, moved_s, restarted):
        ends = [
            counters(
                moment(
                    i,
                    time_ns=earlier_ns if not i else START_NS + HOUR_NS,
                    started_ns=START_NS - 1_000_000_000 + i * moved_s * 1_000_000_000,
                )
            )
            for i in (0, 1)
        ]
        assert (Fault.RESTART in period_between(*ends).faults) is restarted

    def test_an_uptime_that_fell_is_a_restart(self):
        ends = [
            counters(moment(i, started_ns=None), MYSQL, activity=[{"name": "Uptime", "total": up}])
            for i, up in enumerate((90_000, 1200))
        ]
        assert Fault.RESTART in period_between(*ends).faults

    @pytest.mark.parametrize(
        ("changed", "other"),
        [
            ({"db_id": "2"}, True),
            ({"engine": "mysql"}, True),
            ({"instance": "orcl2"}, True),
            ({"instance": ""}, False),
            ({"container": "PDB1"}, False),
            ({"name": "NEW"}, False),
            ({"name": "NEW", "db_id": ""}, True),
        ],
    )
    def test_only_what_both_tell_parts_databases(self, changed, other):
        found = period_between(counters(moment(0)), counters(moment(1), replace(ORACLE, **changed)))
        assert (Fault.OTHER_DATABASE in found.faults) is other

    def test_a_counter_that_fell_spoils_the_period(self):
        ends = [counters(moment(i), time_model=[{"name": "db_time", "time_s": t}]) for i, t in enumerate((9.0, 8.0))]
        found = period_between(*ends)
        assert (found.faults, found.valid, found.db_time_s) == ((Fault.NEGATIVE,), False, None)
        assert np.isnan(rows_of(found, "time_model", "time_s")["db_time"])

    @pytest.mark.parametrize(
        ("later_s", "fault"),
        [(0.0, Fault.NEGATIVE), (1.0, Fault.NEGATIVE), (4.0, Fault.RESTART), (-4.0, Fault.NEGATIVE)],
    )
    def test_a_server_started_anew_within_seconds_is_known_by_its_counters(self, later_s, fault):
        """Started, captured, restarted and captured again within five seconds: the uptime need not have fallen."""
        started_ns = START_NS - 10**10
        ends = [
            counters(
                moment(i / 900, started_ns=started_ns + round(i * later_s * 1e9)),
                load=[{"name": "sorts", "total": total}],
            )
            for i, total in enumerate((9, 8))
        ]
        assert period_between(*ends).faults == (fault,)

    @pytest.mark.parametrize(
        ("table", "waits", "spoils"),
        [
            ("wait_event", {"event": "idle", "wait_class": "idle"}, False),
            ("wait_event", {"event": "SQL*Net message from client"}, False),
            ("wait_class", {"wait_class": "idle"}, False),
            ("wait_event", {"event": "db file sequential read", "wait_class": "User I/O"}, True),
            ("wait_class", {"wait_class": "User I/O"}, True),
        ],
    )
    def test_idle_time_that_fell_spoils_only_itself(self, table, waits, spoils):
        """A real server of MariaDB 10.11: ``idle`` 0.717903 s, a moment later 0.576693 s."""
        ends = [
            counters(moment(i), MYSQL, **{table: [waits | {"time_s": t}]}) for i, t in enumerate((0.717903, 0.576693))
        ]
        found = period_between(*ends)
        assert found.valid is not spoils
        assert np.isnan(found.table(table).figure("time_s")).all()

    def test_a_fall_by_rounding_is_none(self):
        ends = [
            counters(moment(i), time_model=[{"name": "db_time", "time_s": t}]) for i, t in enumerate((0.3, 0.1 + 0.2))
        ]
        ends.reverse()
        ends = [replace(end, end=moment(i)) for i, end in enumerate(ends)]
        found = period_between(*ends)
        assert (found.faults, found.db_time_s) == ((), 0.0)

    def test_processors_added_are_told(self):
        ends = [counters(moment(i), replace(ORACLE, cpu_count=n)) for i, n in enumerate((16, 64))]
        assert period_between(*ends).faults == (Fault.CPU_COUNT,)

    @pytest.mark.parametrize("first", [moment(0), moment(0, time_ns=None)])
    @pytest.mark.parametrize("last", [moment(1), moment(0, time_ns=None)])
    def test_without_both_times_there_are_no_rates(self, first: Moment, last: Moment):
        ends = [counters(end, load=[{"name": "sorts", "total": t}]) for end, t in ((first, 1), (last, 5))]
        found = period_between(*ends)
        if first.time_ns is not None and last.time_ns is not None:
            assert (found.faults, found.elapsed_s) == ((), 3600.0)
            return
        assert (found.faults, found.elapsed_s) == ((Fault.UNTIMED,), None)
        assert rows_of(found, "load") == {"sorts": 4}
        assert np.isnan(rows_of(found, "load", "per_second")["sorts"])

    def test_snapshots_in_the_wrong_order(self):
        assert not period_between(counters(moment(1)), counters(moment(0))).valid

    def test_faults_of_the_captures_stay_but_not_that_they_reach_back(self):
        ends = [replace(counters(moment(i)), faults=(Fault.SINCE_START, Fault.PREPARED_UNSEEN)) for i in (0, 1)]
        assert period_between(*ends).faults == (Fault.PREPARED_UNSEEN,)


class TestResets:
    def test_a_reset_of_statements_spares_everything_else(self):
        earlier = counters(
            moment(0), POSTGRES, statement=[statement("a", 100, 9.0)], load=[{"name": "commits", "total": 10}]
        )
        later = counters(
            moment(1, reset_ns=START_NS + 5),
            POSTGRES,
            statement=[statement("a", 30, 2.0)],
            load=[{"name": "commits", "total": 50}],
        )
        found = period_between(earlier, later)
        assert (found.faults, found.valid) == ((Fault.RESET,), True)
        assert rows_of(found, "load") == {"commits": 40}
        assert rows_of(found, "statement", "executions", "statement_id") == {"a": 30}
        assert found.table("statement").text("seen_in") == ("partial",)

    def test_a_reset_before_the_first_snapshot_is_none(self):
        """The reset is first told by the second snapshot, and older than the first."""
        found = period_between(counters(moment(0), POSTGRES), counters(moment(1, reset_ns=START_NS - 5), POSTGRES))
        assert found.faults == ()

    def test_facts_tell_which_view_was_reset(self):
        ends = [
            counters(
                moment(i),
                POSTGRES,
                fact=[{"scope": "pg_stat_wal", "name": RESET_FACT, "value": value}],
                activity=[
                    {"scope": "pg_stat_wal", "name": "wal_sync", "total": 5 + i},
                    {"scope": "app", "name": "x", "total": i},
                ],
                load=[{"name": "commits", "total": i}],
                statement=[statement("a", 1 + i, 1.0 + i)],
            )
            for i, value in enumerate(("2026-01-01", "2026-11-21"))
        ]
        found = period_between(*ends)
        assert found.faults == (Fault.RESET,)
        assert str(rows_of(found, "activity")) == "{'wal_sync': nan, 'x': 1.0}"
        assert rows_of(found, "statement", "executions", "statement_id") == {"a": 1}

    @pytest.mark.parametrize(
        ("scope", "lost"),
        [
            ("pg_stat_database", {"commits", "wal_bytes", "physical_writes"}),
            ("app", {"commits", "wal_bytes", "physical_writes"}),
            ("pg_stat_database app", {"commits", "wal_bytes", "physical_writes"}),
            ("pg_stat_statements_info", set()),
            ("pg_stat_wal", {"wal_bytes"}),
            ("pg_stat_bgwriter", {"physical_writes"}),
            ("pg_stat_io", {"physical_writes"}),
        ],
    )
    def test_what_was_set_back_has_not_fallen(self, scope, lost):
        ends = [
            counters(
                moment(i),
                POSTGRES,
                fact=[{"scope": scope, "name": RESET_FACT, "value": str(i)}],
                load=[
                    {"name": n, "total": 9 - i if n in lost else 9 + i}
                    for n in ("commits", "wal_bytes", "physical_writes")
                ],
            )
            for i in (0, 1)
        ]
        found = period_between(*ends)
        assert (found.faults, found.valid) == ((Fault.RESET,), True)
        assert {name for name, value in rows_of(found, "load").items() if np.isnan(value)} == lost


class TestStatements:
    def run(self, earlier, later, before=None, after=None, identity=POSTGRES):
        found = period_between(
            counters(moment(0, **before or {}), identity, statement=earlier),
            counters(moment(1, **after or {}), identity, statement=later),
        )
        rows = found.table("statement")
        return found, {
            name: (executions, words)
            for name, executions, words in zip(
                rows.text("statement_id"), rows.figure("executions").tolist(), rows.text("seen_in"), strict=True
            )
        }

    @pytest.mark.parametrize(("evictions", "mark"), [((3, 3), ""), ((3, 4), "partial"), ((None, None), "partial")])
    def test_a_new_row_is_whole_only_where_nothing_was_dropped(self, evictions, mark):
        found, rows = self.run([], [statement("a", 7, 1.0)], {"evictions": evictions[0]}, {"evictions": evictions[1]})
        assert rows == {"a": (7, mark)}
        assert (Fault.EVICTED in found.faults) is (evictions == (3, 4))

    def test_a_row_first_seen_inside_is_whole(self):
        _, rows = self.run([], [statement("a", 7, 1.0, first_seen_ns=START_NS + HOUR_NS / 2)])
        assert rows == {"a": (7, "")}

    def test_a_row_seen_before_that_the_first_list_left_out_is_unknown(self):
        _, rows = self.run([], [statement("a", 7, 1.0, first_seen_ns=START_NS - HOUR_NS)])
        assert str(rows) == "{'a': (nan, 'partial')}"

    def test_dropped_and_back_again_counts_from_its_return(self):
        seen = START_NS + HOUR_NS / 2
        found, rows = self.run([statement("a", 500, 50.0)], [statement("a", 600, 60.0, first_seen_ns=seen)])
        assert rows == {"a": (600, "partial")}
        assert Fault.EVICTED in found.faults

    @pytest.mark.parametrize(("seen_again_s", "expected"), [(0, (100, "")), (1800, (600, "partial"))])
    def test_what_was_first_seen_while_the_earlier_snapshot_was_taken_was_not_dropped(self, seen_again_s, expected):
        """A snapshot's rows are read some moments after its time: its own statements are among them."""
        seen = START_NS + 2 * 10**9
        found, rows = self.run(
            [statement("a", 500, 50.0, first_seen_ns=seen)],
            [statement("a", 600, 60.0, first_seen_ns=seen + seen_again_s * 10**9)],
        )
        assert rows == {"a": expected}
        assert (Fault.EVICTED in found.faults) is bool(seen_again_s)

    def test_executions_that_fell_where_statements_were_dropped_count_from_the_return(self):
        _, rows = self.run([statement("a", 500, 50.0)], [statement("a", 6, 60.0)], {"evictions": 1}, {"evictions": 9})
        assert rows == {"a": (6, "partial")}

    def test_a_fall_that_nothing_explains_is_not_reported(self):
        found, rows = self.run(
            [statement("a", 500, 50.0), statement("b", 1, 1.0)], [statement("a", 600, 40.0), statement("b", 3, 2.0)]
        )
        assert str(rows) == "{'a': (nan, 'negative'), 'b': (2.0, '')}"
        assert found.valid

    def test_a_row_that_left_is_named(self):
        found, rows = self.run(
            [statement("a", 500, 50.0)], [statement("b", 1, 1.0)], {"evictions": 0}, {"evictions": 0}
        )
        assert str(rows) == "{'b': (1.0, ''), 'a': (nan, 'left')}"
        assert found.faults == (Fault.EVICTED,)

    def test_a_greatest_time_is_known_only_where_it_was_broken(self):
        ends = [
            [
                statement("a", i + 1, 1.0 + i, elapsed_max_s=m, elapsed_min_s=0.5),
                statement("b", 1 + i, 1.0, elapsed_max_s=4.0),
            ]
            for i, m in enumerate((2.0, 3.0))
        ]
        found, _ = self.run(*ends)
        assert str(rows_of(found, "statement", "elapsed_max_s", "statement_id")) == "{'a': 3.0, 'b': nan}"
        assert str(rows_of(found, "statement", "elapsed_min_s", "statement_id")) == "{'a': nan, 'b': nan}"

    def test_the_deviation_of_a_period_is_that_of_its_executions(self):
        """Two rows of count, sum and squares, as a view gives them; the executions between them by hand."""
        times = np.random.default_rng(4).lognormal(-5, 1, 500)

        def after(count):
            seen = times[:count]
            return statement("a", count, float(seen.sum()), elapsed_squares=float((seen**2).sum()))

        found = period_between(counters(moment(), statement=[after(300)]), counters(moment(1), statement=[after(500)]))
        side = side_of(found, [(StatementKey("a"),)])
        assert side.deviation.tolist() == pytest.approx([times[300:].std()], rel=1e-9)

    def test_squares_that_fell_by_their_rounding_say_nothing_of_the_row(self):
        ends = [
            counters(moment(i), statement=[statement("a", 10**8 + i, 1e5 + i / 1e6, elapsed_squares=100 - i / 1e9)])
            for i in range(2)
        ]
        found = period_between(*ends)
        assert found.valid and found.table("statement").figure("executions").tolist() == [1.0]

    def test_rows_of_one_key_are_one(self):
        _, rows = self.run(
            [statement("a", 1, 1.0), statement("a", 2, 1.0)], [statement("a", 5, 3.0), statement("a", 6, 3.0)]
        )
        assert rows == {"a": (8, "")}

    def test_users_and_plans_are_kept_apart(self):
        both = [
            [statement("a", i, i, user="u", plan="1"), statement("a", 10 * i, i, user="v", plan="1")] for i in (1, 3)
        ]
        found, _ = self.run(*both)
        assert dict(
            zip(found.table("statement").text("user"), found.table("statement").figure("executions"), strict=True)
        ) == {"u": 2, "v": 20}

    def test_a_figure_that_one_end_lacks_is_not_reported(self):
        found, _ = self.run([statement("a", 1, 1.0)], [statement("a", 5, 3.0, block_gets=9)])
        assert np.isnan(rows_of(found, "statement", "block_gets", "statement_id")["a"])


def test_the_longest_wait_is_known_only_where_it_was_broken():
    ends = [
        counters(
            moment(i),
            wait_event=[{"event": "a", "waits": i, "longest_s": 5.0}, {"event": "b", "waits": i, "longest_s": 5.0 + i}],
        )
        for i in (0, 1)
    ]
    assert str(rows_of(period_between(*ends), "wait_event", "longest_s", "event")) == "{'a': nan, 'b': 6.0}"


def test_states_and_parameters_hold_both_ends():
    earlier = counters(
        moment(0),
        state=[{"scope": "os", "name": "LOAD", "end": 1.5}],
        parameter=[{"name": "work_mem", "begin": "4MB"}, {"name": "sql_mode", "begin": "STRICT"}],
    )
    later = counters(
        moment(1),
        state=[{"scope": "os", "name": "LOAD", "end": 3.5}],
        parameter=[{"name": "work_mem", "begin": "64MB"}, {"name": "sql_mode", "begin": ""}],
    )
    found = period_between(earlier, later)
    state, parameter = found.table("state"), found.table("parameter")
    assert (state.figure("begin").tolist(), state.figure("end").tolist()) == ([1.5], [3.5])
    assert list(zip(*(parameter.text(c) for c in ("name", "begin", "end")), strict=True)) == [
        ("work_mem", "4MB", "64MB"),
        ("sql_mode", "STRICT", "''"),
    ]


def test_texts_of_both_ends_are_kept():
    ends = [
        counters(moment(i), statement_text=[{"statement_id": n, "text": f"{n}{i}", "complete": 1} for n in names])
        for i, names in enumerate(("ab", "bc"))
    ]
    texts = period_between(*ends).table("statement_text")
    assert dict(zip(texts.text("statement_id"), texts.text("text"), strict=True)) == {"b": "b1", "c": "c1", "a": "a0"}


def test_heads_alone_tell_their_faults():
    found = period_between(
        counters(moment(0, evictions=1)), counters(moment(1, evictions=2, started_ns=START_NS + HOUR_NS))
    )
    assert (set(found.faults), dict(found.tables)) == ({Fault.RESTART, Fault.EVICTED}, {})


_COUNTS = st.lists(st.integers(0, 10**12), min_size=3, max_size=3)


@given(st.dictionaries(st.sampled_from("abcdef"), _COUNTS, min_size=1))
def test_two_periods_add_up_to_the_whole(counts):
    """Three snapshots whose counters grow."""
    ends = [
        counters(
            moment(i, evictions=0),
            POSTGRES,
            statement=[
                statement(name, sum(steps[: i + 1]), float(sum(steps[: i + 1]))) for name, steps in counts.items()
            ],
        )
        for i in range(3)
    ]
    parts = [rows_of(period_between(ends[i], ends[i + 1]), "statement", "executions", "statement_id") for i in (0, 1)]
    whole = rows_of(period_between(ends[0], ends[2]), "statement", "executions", "statement_id")
    assert whole == {name: steps[1] + steps[2] for name, steps in counts.items()}
    assert whole == {name: parts[0][name] + parts[1][name] for name in counts}


@pytest.mark.parametrize(
    ("earlier", "reset_ns", "expected"),
    [
        ({"reset_ns": 5}, 5, False),
        ({"reset_ns": 5}, 7, True),
        ({"reset_ns": 5}, START_NS + 1, True),
        ({"reset_ns": 5}, None, False),
        ({}, 5, False),  # it lies before the earlier snapshot, which did not tell it
        ({}, START_NS, False),
        ({}, START_NS + 1, True),
        ({"time_ns": None}, 5, True),
        ({"time_ns": None, "reset_ns": 5}, 5, False),
        ({"time_ns": None}, None, False),
    ],
)
def test_statistics_were_reset_where_their_moment_moved(
    earlier: dict[str, int | None], reset_ns: int | None, expected: bool
) -> None:
    assert has_reset(counters(moment(0, **earlier)), counters(moment(1, reset_ns=reset_ns))) is expected
