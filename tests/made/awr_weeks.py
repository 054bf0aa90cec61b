"""Two weeks of AWR reports before a change and two after it, two hours of every weekday; every figure follows from the seed.

What is true: a dozen statements of two pluggable databases take two to thirteen minutes of an hour, some 5 % more or less.
`BY_PLAN` goes to a tenth by another plan, `BY_VOLUME` runs a quarter as often, `WORSE` of the second database takes three
times as long. Nothing else changes.
"""

from __future__ import annotations

import random
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path

from tests.made.awr import Event, Statement, Workload, report, workload

SHOP, ERP = "SHOP", "ERP"
BY_PLAN, BY_VOLUME, WORSE = "8ab01cdplan00", "8ab01cdvol000", "8ab01cdworse0"
BEFORE, AFTER = datetime(2026, 11, 2, 10), datetime(2026, 11, 16, 10)
DAYS = tuple(day for day in range(12) if day % 7 < 5)
HOURS = 2
ELAPSED_S = {BY_PLAN: 800.0, BY_VOLUME: 600.0, WORSE: 150.0} | {f"8ab01cdsame{n:02}": 120.0 + 20 * n for n in range(9)}
"""Of an hour before the change."""
_EXECUTIONS, _GETS_EACH = 10_000, 400


def write(folder: Path) -> dict[str, list[Path]]:
    """The reports of either side, oldest first, in a folder of their own each."""
    chance = random.Random(20261005)
    written: dict[str, list[Path]] = {}
    snapshot = 500
    for side, monday in (("before", BEFORE), ("after", AFTER)):
        (folder / side).mkdir(parents=True)
        for day in DAYS:
            for hour in range(HOURS):
                begin, snapshot = monday + timedelta(days=day, hours=hour), snapshot + 1
                path = folder / side / f"awrrpt_1_{snapshot}_{snapshot + 1}.html"
                path.write_bytes(
                    report(version="19c", cdb=True, workload=_hour(chance, side, begin, snapshot), top=12).data
                )
                written.setdefault(side, []).append(path)
        snapshot += 100
    return written


def _hour(chance: random.Random, side: str, begin: datetime, snapshot: int) -> Workload:
    statements = tuple(_statement(chance, id_, side) for id_ in ELAPSED_S)
    whole, cpu, reads = (
        round(sum(one.figure(name) for one in statements), 2) for name in ("elapsed_s", "cpu_s", "io_wait_s")
    )
    base = workload(containers=(SHOP, ERP))
    return replace(
        base,
        begin=begin,
        end=begin + timedelta(hours=1),
        begin_snapshot=snapshot,
        started=datetime(2026, 9, 1),
        db_time_s=whole,
        db_cpu_s=cpu,
        statements=statements,
        activity={**base.activity, "execute count": sum(one.executions for one in statements)},
        events=(Event("db file sequential read", "User I/O", 500_000, round(reads, 1)),),
        time_model={"DB time": whole, "DB CPU": cpu, "sql execute elapsed time": whole},
    )


def _statement(chance: random.Random, id_: str, side: str) -> Statement:
    after = side == "after"
    executions = round(_EXECUTIONS * chance.uniform(0.97, 1.03) * (0.25 if after and id_ == BY_VOLUME else 1))
    each = {BY_PLAN: 0.1, WORSE: 3.0}.get(id_, 1.0) if after else 1.0
    elapsed = round(ELAPSED_S[id_] * each * executions / _EXECUTIONS * chance.uniform(0.96, 1.04), 2)
    gets = round(_GETS_EACH * each * executions)
    return Statement(
        id_,
        f"SELECT /* {id_} */ o.id FROM orders o WHERE o.customer = :1",
        "JDBC Thin Client",
        ERP if id_ == WORSE or id_.endswith(("1", "3", "5")) else SHOP,
        plan="2222222222" if after and id_ == BY_PLAN else "1111111111",
        executions=executions,
        elapsed_s=elapsed,
        cpu_s=round(elapsed * 0.4, 2),
        io_wait_s=round(elapsed * 0.6, 2),
        block_gets=gets,
        block_reads=gets // 10,
        rows=executions,
        parse_calls=100,
        sharable_bytes=1 << 20,
    )
