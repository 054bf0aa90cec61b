"""What a pull of Oracle's workload repository (DBA_HIST_*) would have printed of the demo's world: hourly snapshots."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import date, datetime, time, timedelta
from typing import Any

import numpy as np

from tunebench.core.records import record
from tunebench.usecases.demo.host_texts import BEGIN_HOUR, END_HOUR
from tunebench.usecases.demo.world import Dice, Floats, Table, World

HOUR_S = 3600
_UTC_OFFSET = timedelta(hours=9)
_CONCURRENCY_SHARE = 0.012
"""Of the time that a statement does not wait for I/O."""
_SQLSTAT_COLUMNS = (
    "snap_id,instance_number,sql_id,plan_hash_value,force_matching_signature,parsing_schema_name,module,executions_delta,"
    "elapsed_time_delta,cpu_time_delta,iowait_delta,clwait_delta,apwait_delta,ccwait_delta,buffer_gets_delta,"
    "disk_reads_delta,direct_writes_delta,rows_processed_delta,parse_calls_delta,sorts_delta,loads_delta,"
    "invalidations_delta,version_count,sharable_mem,con_id"
)
_SINCE_START = 40_000
"""Whole hours of work that the counters hold when the first day begins."""


@record
class Sql:
    """A statement. Pairs are before and after the change; ms, blocks and rows are of one execution."""

    id: str
    module: str
    per_hour: int
    ms: tuple[float, float]
    io_share: float
    blocks: tuple[int, int]
    rows: int
    plans: tuple[int, int]
    text: str

    @classmethod
    def of(cls, row: Sequence[Any]) -> Sql:
        id_, module, per_hour, ms_before, ms_after, io_share, *others, text = row
        blocks_before, blocks_after, rows, *plans = others
        ms, blocks = (ms_before, ms_after), (blocks_before, blocks_after)
        return cls(id_, module, per_hour, ms, io_share, blocks, rows, (plans[0], plans[1]), text)

    @property
    def signature(self) -> int:
        return int(self.id, 36) % 10**19


@record
class Hour:
    """What one hour added to the counters. Times in seconds.

    Attributes:
        statements: float64[n, 5]: executions, elapsed, of it on the processor and waiting for I/O, blocks.
    """

    statistics: dict[str, float]
    times: dict[str, float]
    waits: dict[str, tuple[str, float, float]]
    statements: Floats


def oracle_pull(world: World, day: date) -> str:
    """The snapshots of one day's office hours, and the statements of each hour between them."""
    facts = world.facts["database"]
    hours = _hours(world, day)
    number = (day - world.first_day).days
    first = facts["first_snapshot"] + 24 * number + BEGIN_HOUR
    snapshots = range(first, first + len(hours) + 1)
    return "".join(
        f"{line}\n"
        for lines in (
            _head(facts, day),
            _snapshots(facts, day, snapshots),
            _parameters(facts, snapshots, _side(world, day)),
            _counters(hours, _hours(world, world.measured_days[1])[1], snapshots, number),
            _statements(facts, _side(world, day), hours, snapshots),
            _texts(facts),
            ["@end"],
        )
        for line in lines
    )


def _side(world: World, day: date) -> int:
    """0 before the change, 1 after it."""
    return int(world.after[world.minute_of(_at(day, BEGIN_HOUR))])


def _at(day: date, hour: int) -> datetime:
    return datetime.combine(day, time(hour))


# -- one hour ----------------------------------------------------------------------------------------------


def _hours(world: World, day: date) -> list[Hour]:
    """Those of the office; every day has dice of its own, so that no day depends on which others were asked for."""
    dice = Dice(world.facts["seed"] + day.toordinal())
    return [_hour(world, dice, day, hour) for hour in range(BEGIN_HOUR, END_HOUR)]


def _hour(world: World, dice: Dice, day: date, hour: int) -> Hour:
    facts, begin = world.facts["database"], world.minute_of(_at(day, hour))
    span = slice(begin, begin + 60)
    work, side = float(world.work[span].mean()), int(world.after[begin])
    orders = float(world.orders.completed[span].sum()) / (HOUR_S * world.facts["orders"]["per_second"])
    slowed = float(1.0 + 1.4 * world.copying[span].mean())
    statements = _statement_figures(dice, _statements_of(facts), orders, side, slowed)
    commits = facts["commits_per_second"] * HOUR_S * orders
    waits = _waits(world, dice, orders, side, slowed, commits, statements)
    cpu_s = float(statements[:, 2].sum()) * 1.06
    waited_s = sum(time_s for _, time_s, _ in waits.values())
    db_time_s = (cpu_s + waited_s) * 1.012
    redo = commits * facts["redo_bytes_per_commit"][side] * float(dice.jitter(0.015, 1)[0])
    blocks = float(statements[:, 4].sum())
    reads = waits["db file sequential read"][2] + 8 * waits["db file scattered read"][2]
    statistics = {
        "session logical reads": blocks * 1.04,
        "db block changes": commits * 46,
        "physical reads": reads,
        "physical read IO requests": reads * 0.82,
        "physical read bytes": reads * 8192,
        "physical writes": commits * (5.2, 6.1)[side],
        "physical write IO requests": commits * (4.1, 4.7)[side],
        "physical write bytes": commits * (5.2, 6.1)[side] * 8192,
        "redo size": redo,
        "user calls": commits * 31,
        "user commits": commits,
        "user rollbacks": commits * 0.004,
        "execute count": float(statements[:, 0].sum()) * 1.08,
        "parse count (total)": commits * 6.4,
        "parse count (hard)": commits * 0.012,
        "sorts (memory)": commits * 2.2,
        "sorts (disk)": 0.0,
        "logons cumulative": 220 * work,
    }
    times = {
        "DB time": db_time_s,
        "DB CPU": cpu_s,
        "sql execute elapsed time": float(statements[:, 1].sum()) * 1.02,
        "parse time elapsed": db_time_s * 0.011,
        "hard parse elapsed time": db_time_s * 0.006,
        "PL/SQL execution elapsed time": db_time_s * 0.014,
        "background elapsed time": 260 * work,
        "background cpu time": 95 * work,
    }
    return Hour(statistics, times, waits, statements)


def _statement_figures(dice: Dice, statements: Sequence[Sql], orders: float, side: int, slowed: float) -> Floats:
    count = len(statements)
    executions = np.array([one.per_hour for one in statements]) * orders * dice.jitter(0.012, count)
    each_s = np.array([one.ms[side] for one in statements]) / 1000.0 * dice.jitter(0.025, count)
    io_share = np.array([one.io_share for one in statements])
    io_s = executions * each_s * io_share * slowed
    other_s = executions * each_s * (1.0 - io_share)
    blocks = executions * np.array([one.blocks[side] for one in statements])
    return np.column_stack([np.rint(executions), io_s + other_s, other_s * (1.0 - _CONCURRENCY_SHARE), io_s, blocks])


def _waits(
    world: World, dice: Dice, orders: float, side: int, slowed: float, commits: float, statements: Floats
) -> dict[str, tuple[str, float, float]]:
    """Event -> its class, seconds and waits."""
    facts, io_s = world.facts["database"], float(statements[:, 3].sum())
    each_ms = world.facts["hosts"][facts["host"]]["disks"]["sdb"]["read_ms"][side] * slowed
    reads = {"db file sequential read": 0.79, "db file scattered read": 0.13, "direct path read": 0.08}
    waits = {event: ("User I/O", io_s * share, io_s * share * 1000 / each_ms) for event, share in reads.items()}
    waits["log file sync"] = ("Commit", commits * facts["commit_ms"][side] / 1000 * slowed, commits)
    spread = dice.jitter(0.06, len(facts["waits"]))
    for (event, wait_class, before, after, count), factor in zip(facts["waits"], spread.tolist(), strict=True):
        waits[event] = (wait_class, (before, after)[side] * orders * factor, count * orders)
    return waits


# -- the printed sections ----------------------------------------------------------------------------------


def _head(facts: Table, day: date) -> Iterator[str]:
    taken = _at(day, END_HOUR) + timedelta(minutes=5)
    utc = taken - _UTC_OFFSET
    yield f"@tunebench at {utc:%Y-%m-%dT%H:%M:%S}Z"
    yield "@section oracle"
    yield (
        "scope,utc_now,local_now,dbid,name,db_unique_name,database_role,platform_name,open_mode,instance_name,"
        "instance_number,parallel,host_name,version,startup_time,container,con_id,banner"
    )
    yield (
        f"history,{utc:%Y-%m-%d %H:%M:%S}.000,{taken:%Y-%m-%d %H:%M:%S},{facts['id']},{facts['name']},{facts['name']},"
        f"PRIMARY,Linux x86 64-bit,READ WRITE,{facts['instance']},1,NO,{facts['host']},{facts['version']},"
        f'{facts["started"]},,,"{facts["banner"]}"'
    )


def _snapshots(facts: Table, day: date, snapshots: range) -> Iterator[str]:
    yield from (
        "@section dba_hist_snapshot",
        "snap_id,instance_number,dbid,startup_time,begin_interval_time,end_interval_time",
    )
    for passed, snapshot in enumerate(snapshots):
        end = _at(day, BEGIN_HOUR) + timedelta(hours=passed)
        begin = end - timedelta(hours=1)
        yield (
            f"{snapshot},1,{facts['id']},{facts['started']},"
            f"{begin:%Y-%m-%d %H:%M:%S}.000000,{end:%Y-%m-%d %H:%M:%S}.000000"
        )
    yield from ("@section dba_hist_wr_control", "topnsql,retention", "100,+00030 00:00:00.000000")


def _parameters(facts: Table, snapshots: range, side: int) -> Iterator[str]:
    yield from ("@section dba_hist_parameter", "snap_id,instance_number,parameter_name,value")
    for snapshot in snapshots:
        for name, *values in facts["parameters"]:
            yield f'{snapshot},1,"{name}","{values[side]}"'


def _counters(hours: Sequence[Hour], usual: Hour, snapshots: range, number: int) -> Iterator[str]:
    """Counters that go on from day to day: each day begins where so many usual hours would have brought them."""
    passed = float(_SINCE_START + 24 * number)
    heading = "snap_id,instance_number,stat_name,value"
    for view, scale in (("sysstat", 1), ("sys_time_model", 1_000_000)):
        yield from (f"@section dba_hist_{view}", heading)
        added = [hour.statistics if view == "sysstat" else hour.times for hour in hours]
        for index, snapshot in enumerate(snapshots):
            for name, usual_value in (usual.statistics if view == "sysstat" else usual.times).items():
                total = usual_value * passed + sum(hour[name] for hour in added[:index])
                yield f'{snapshot},1,"{name}",{round(total * scale)}'
    yield from ("@section dba_hist_osstat", heading)
    yield from (f'{snapshot},1,"NUM_CPUS",8' for snapshot in snapshots)
    yield "@section dba_hist_system_event"
    yield "snap_id,instance_number,event_name,wait_class,total_waits,total_timeouts,time_waited_micro"
    for index, snapshot in enumerate(snapshots):
        for event, (wait_class, usual_s, usual_waits) in usual.waits.items():
            before = [hour.waits[event] for hour in hours[:index]]
            time_s = usual_s * passed + sum(time_s for _, time_s, _ in before)
            waits = usual_waits * passed + sum(waits for _, _, waits in before)
            yield f'{snapshot},1,"{event}",{wait_class},{round(waits)},0,{round(time_s * 1_000_000)}'


def _statements(facts: Table, side: int, hours: Sequence[Hour], snapshots: range) -> Iterator[str]:
    yield "@section dba_hist_sqlstat"
    yield _SQLSTAT_COLUMNS
    for hour, snapshot in zip(hours, snapshots[1:], strict=True):
        for one, (executions, *times_s, blocks) in zip(_statements_of(facts), hour.statements.tolist(), strict=True):
            elapsed, cpu, io = (round(time_s * 1_000_000) for time_s in times_s)
            parses, reads = max(executions / 40, 1), blocks * one.io_share * 0.12
            yield (
                f'{snapshot},1,{one.id},{one.plans[side]},{one.signature},"HBSHOP","{one.module}",{executions:.0f},'
                f"{elapsed},{cpu},{io},0,0,{max(elapsed - cpu - io, 0)},{blocks:.0f},{reads:.0f},0,"
                f"{executions * one.rows:.0f},{parses:.0f},0,0,0,1,{28_000 + 37 * len(one.text)},0"
            )


def _statements_of(facts: Table) -> list[Sql]:
    return [Sql.of(row) for row in facts["statements"]]


def _texts(facts: Table) -> Iterator[str]:
    yield from ("@section v$sqltext", "sql_id,piece,sql_text")
    yield from (f'{one.id},0,"{one.text}"' for one in _statements_of(facts))
