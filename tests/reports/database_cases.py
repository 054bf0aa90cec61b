"""Databases that report tests are written for, made of records that are compared as those of captures are."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np

from tunebench.analysis.databases.matching import ManualLink
from tunebench.analysis.databases.profile import compare_profiles
from tunebench.analysis.databases.record import DatabaseRecord, TableRows, statement_keys
from tunebench.analysis.databases.statement_changes import compare_statements
from tunebench.analysis.inference.occurrences import Prior
from tunebench.domain.databases.records import DatabaseIdentity, Engine, Moment, Reach
from tunebench.reporting.cases.databases import CasePeriod, CaseSide, DatabaseCase

DAY_NS = 86_400 * 1_000_000_000
START_NS = 1_184_770_800 * 1_000_000_000  # 2007-07-19 00:00 in Seoul
HOUR_S = 3600.0
SLOWER, ONE_SIDED, REWRITTEN = 5, 9, 12
"""Places (from 1) of the statement that became slower, the one that the list after leaves out, the one by hand."""

ALIKE = Prior(1e-3)
"""Periods that hardly differ by themselves, so that the made factors have their verdicts."""


@dataclass(frozen=True)
class MadeStatement:
    """Totals as the captures say them, in exact decimals."""

    id: str
    executions: int
    elapsed_ms: int
    gets: int
    rows: int
    text: str
    plan: str = ""
    container: str = ""

    @property
    def elapsed_s(self) -> Fraction:
        return Fraction(self.elapsed_ms, 1000)


@dataclass(frozen=True)
class MadePair:
    """One statement on both sides; `after` is None where the list after leaves it out."""

    before: MadeStatement
    after: MadeStatement | None


def in_two_containers(pair: MadePair) -> tuple[MadePair, MadePair]:
    """The statement in PDB1, and in PDB2 with the sides swapped: what one gained, the other lost."""
    assert pair.after is not None
    old, new = pair.before, replace(pair.after, id=pair.before.id)
    return (
        MadePair(replace(old, container="PDB1"), replace(new, container="PDB1")),
        MadePair(replace(new, container="PDB2"), replace(old, container="PDB2")),
    )


def made_pairs(count: int = 31) -> tuple[MadePair, ...]:
    """Statement `SLOWER` became slower, `ONE_SIDED` is missing after, `REWRITTEN` has another id and text."""
    return tuple(_pair(place, np.random.default_rng(place)) for place in range(1, count + 1))


def _pair(place: int, rng: np.random.Generator) -> MadePair:
    factor = Fraction(100, int(rng.integers(400, 3800))) if place != SLOWER else Fraction(13, 10)
    executions = int(rng.integers(1, 900))
    before = MadeStatement(
        f"{place:02d}f7sqlid{place * 7919 % 10007:05d}",
        executions,
        int(rng.integers(2000, 60000)),
        int(rng.integers(20_000, 990_000)),
        executions * 3,
        "SELECT /*+ RULE */ o.order_no, c.name\n  FROM orders o, customers c\n"
        f" WHERE o.customer_id = c.id AND o.status = '{place}'",
        "full scan",
    )
    if place == ONE_SIDED:
        return MadePair(before, None)
    more = executions + (place % 4) * executions // 4
    return MadePair(
        before,
        MadeStatement(
            before.id if place != REWRITTEN else "neu12rewritten",
            more,
            round(before.elapsed_ms * factor * more / executions),
            round(before.gets * factor * more / executions),
            more * 3,
            "SELECT o.order_no, c.name\n  FROM customers c JOIN orders o ON o.customer_id = c.id\n"
            f" WHERE o.status = '{place}' AND o.order_date >= :since",
            "index scan",
        ),
    )


def database_case(pairs: Sequence[MadePair] | None = None, label: str = "ORCL/orcl1") -> DatabaseCase:
    pairs = made_pairs() if pairs is None else pairs
    before = record([each.before for each in pairs], 0, ("db file sequential read", 600.0), "300")
    after = record([each.after for each in pairs if each.after], 7, ("db file sequential read", 20.0), "800")
    links = [ManualLink(pairs[REWRITTEN - 1].before.id, "neu12rewritten", "김튜닝")] if len(pairs) >= REWRITTEN else []
    return DatabaseCase(
        label,
        _side(before, "before 07-19", "E-5"),
        _side(after, "after 07-26", "E-6"),
        compare_statements(before, after, links, natural=ALIKE),
        compare_profiles(before, after),
        ("두 구간의 요일이 다릅니다.",),
        frozenset({pairs[-1].before.id}),
    )


def record(statements: Sequence[MadeStatement], day: int, wait: tuple[str, float], processes: str) -> DatabaseRecord:
    """A report of an hour that lists the statements of at least a second."""
    rows, texts, lists = TableRows("statement"), TableRows("statement_text"), TableRows("statement_list")
    for line, each in enumerate(statements, 10):
        figures = {
            "executions": each.executions,
            "elapsed_s": each.elapsed_ms / 1000,
            "elapsed_squares": (each.elapsed_ms / 1000) ** 2 / each.executions,  # each execution like the other
            "cpu_s": each.elapsed_ms / 4000,
            "block_gets": each.gets,
            "rows": each.rows,
        }
        words = {
            "statement_id": each.id,
            "plan": each.plan,
            "module": "ORDERS",
            "seen_in": "elapsed_s",
            "container": each.container,
        }
        rows.add(line, words, figures)
        texts.add(line, {"statement_id": each.id, "text": each.text}, {"complete": 1})
    lists.add(5, {"figure": "elapsed_s"}, {"least": 0.05, "covered_pct": 87.5 - day})
    waits, model, load, parameters = (TableRows(name) for name in ("wait_event", "time_model", "load", "parameter"))
    event, seconds = wait
    waits.add(3, {"event": event, "ground": "foreground", "wait_class": "User I/O"}, {"waits": 1000, "time_s": seconds})
    model.add(4, {"name": "db_time"}, {"time_s": seconds + 100})
    model.add(4, {"name": "db_cpu"}, {"time_s": 80.0})
    load.add(6, {"name": "logical_reads", "native": "Logical reads"}, {"per_second": seconds * 10})
    parameters.add(7, {"name": "processes", "begin": processes}, {})
    parameters.add(8, {"name": "optimizer_mode", "begin": "ALL_ROWS"}, {})
    tables = (rows, texts, lists, waits, model, load, parameters)
    begin_ns = START_NS + day * DAY_NS + 10 * 3600 * 1_000_000_000
    return DatabaseRecord(
        "awr_html",
        Reach.PERIOD,
        DatabaseIdentity(Engine.ORACLE, "ORCL", "1234567890", instance="orcl1"),
        Moment(begin_ns + 3600 * 1_000_000_000),
        Moment(begin_ns),
        HOUR_S,
        seconds + 100,
        tables={table.name: table for table in (each.close() for each in tables)},
    )


def _side(made: DatabaseRecord, run: str, key: str) -> CaseSide:
    texts, rows = made.table("statement_text"), made.table("statement")
    assert made.begin is not None
    period = CasePeriod(
        "Oracle AWR (HTML)", made.begin.time_ns, made.end.time_ns, made.elapsed_s, made.db_time_s, True, (), (key,)
    )
    keys = statement_keys(rows)
    return CaseSide(
        run,
        "ORCL/orcl1",
        "10.2.0.5.0",
        (period,),
        (),
        made.elapsed_s,
        made.db_time_s,
        dict(zip(texts.text("statement_id"), texts.text("text"), strict=True)),
        dict(zip(keys, rows.text("module"), strict=True)),
        {
            (id_, plan): f"| Id | {plan} |\n|  0 | SELECT STATEMENT |"
            for id_, plan in _plans(rows.text("statement_id"), rows.text("plan"))
        },
        {name: f"{key}:{line}" for name, line in zip(keys, rows.lines.tolist(), strict=True)},
        (key,),
    )


def _plans(ids: Sequence[str], plans: Sequence[str]) -> Iterator[tuple[str, str]]:
    return zip(ids, plans, strict=True)
