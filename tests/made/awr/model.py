"""What a database did in a period, in the precision in which a report prints it: the truth of a made report."""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta

_LETTERS = "0123456789abcdfghjkmnpqrstuvwxyz"
FIGURES = (
    "elapsed_s",
    "cpu_s",
    "io_wait_s",
    "block_gets",
    "block_reads",
    "rows",
    "executions",
    "parse_calls",
    "sharable_bytes",
    "version_count",
    "cluster_wait_s",
)
_EVENTS = (
    ("db file sequential read", "User I/O"),
    ("log file sync", "Commit"),
    ("direct path read", "User I/O"),
    ("db file scattered read", "User I/O"),
    ("enq: TX - row lock contention", "Application"),
    ("SQL*Net more data to client", "Network"),
    ("library cache: mutex X", "Concurrency"),
    ("control file sequential read", "System I/O"),
    ("gc cr block 2-way", "Cluster"),
    ("log buffer space", "Configuration"),
    ("cursor: pin S wait on X", "Concurrency"),
    ("read by other session", "User I/O"),
)
_BACKGROUND = (
    ("log file parallel write", "System I/O"),
    ("db file parallel write", "System I/O"),
    ("control file parallel write", "System I/O"),
)
_TEXTS = (
    "select o.order_id, o.status from orders o where o.customer_id = :1 order by o.created desc",
    "update accounts set balance = balance + :1 where id = :2",
    "insert into history (tid, bid, aid, delta, mtime) values (:1, :2, :3, :4, sysdate)",
    "select count(*) from 거래내역 where 지점 = '강남' and 금액 > :1",
    "begin orders_pkg.close_day(:1); end;",
    "select /*+ full(t) */ t.id, t.note from big_table t\n where t.flag < 3 and t.note <> '<none>'",
)


@dataclass(frozen=True)
class Statement:
    """Totals of one statement; a plan is printed in the sections of sampled sessions."""

    id: str
    text: str
    module: str = ""
    container: str = ""
    plan: str = ""
    executions: int = 0
    elapsed_s: float = 0.0
    cpu_s: float = 0.0
    io_wait_s: float = 0.0
    block_gets: int = 0
    block_reads: int = 0
    rows: int = 0
    parse_calls: int = 0
    sharable_bytes: int = 0
    version_count: int = 1
    cluster_wait_s: float = 0.0
    text_available: bool = True

    def figure(self, name: str) -> float:
        return float(getattr(self, name))


@dataclass(frozen=True)
class Event:
    name: str
    wait_class: str
    waits: int
    time_s: float  # one decimal in the list of ten, none in the long list
    timeouts_pct: int = 0

    @property
    def avg_s(self) -> float:
        return self.time_s / self.waits if self.waits else 0.0


@dataclass(frozen=True)
class Segment:
    owner: str
    name: str
    kind: str
    tablespace: str
    value: int
    subname: str = ""


@dataclass(frozen=True)
class FileIo:
    """Exact counts, averages as printed."""

    tablespace: str
    file: str
    reads: int
    read_ms: float
    writes: int
    buffer_waits: int
    container: str = ""


@dataclass(frozen=True)
class Workload:
    """Everything that a report prints of one instance."""

    db_name: str = "ORCL"
    db_id: str = "1234567890"
    unique_name: str = "ORCL_SEOUL"
    instance: str = "orcl1"
    instance_number: int = 1
    host: str = "dbsrv01"
    platform: str = "Linux x86 64-bit"
    cpus: int = 16
    end_cpus: int = 16
    cores: int | None = 8
    sockets: int | None = 1
    memory_gb: float = 62.75
    started: datetime = datetime(2026, 11, 1, 3, 15)
    begin: datetime = datetime(2026, 11, 20, 10, 0, 12)
    end: datetime = datetime(2026, 11, 20, 11, 0, 24)
    begin_snapshot: int = 1000
    sessions: tuple[int, int] = (120, 135)
    db_time_s: float = 0.0
    db_cpu_s: float = 0.0
    statements: tuple[Statement, ...] = ()
    events: tuple[Event, ...] = ()
    background: tuple[Event, ...] = ()
    time_model: Mapping[str, float] = field(default_factory=dict)
    activity: Mapping[str, int] = field(default_factory=dict)
    os_times: Mapping[str, int] = field(default_factory=dict)
    os_states: Mapping[str, tuple[int, int]] = field(default_factory=dict)
    files: tuple[FileIo, ...] = ()
    segments: tuple[Segment, ...] = ()
    parameters: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    pools: Mapping[str, tuple[int, int, int, int]] = field(default_factory=dict)  # gets, reads, writes, busy waits
    volumes: Mapping[str, tuple[str, str]] = field(default_factory=dict)  # read and written by function, as printed

    @property
    def end_snapshot(self) -> int:
        return self.begin_snapshot + 1

    @property
    def elapsed_s(self) -> float:
        return (self.end - self.begin).total_seconds()

    def later(
        self,
        minutes: float | None = None,
        factors: Mapping[str, Mapping[str, float]] | None = None,
        start: datetime | None = None,
    ) -> Workload:
        """The period after this one, with the same statements.

        Args:
            factors: what the totals of a statement are multiplied with, by statement and figure.
        """
        length = timedelta(minutes=minutes) if minutes is not None else self.end - self.begin
        begin = start or self.end
        statements = tuple(_changed(one, (factors or {}).get(one.id, {})) for one in self.statements)
        return replace(self, begin=begin, end=begin + length, begin_snapshot=self.end_snapshot, statements=statements)


def _changed(statement: Statement, factors: Mapping[str, float]) -> Statement:
    changed = {
        name: round(statement.figure(name) * factor, 2)
        if name.endswith("_s")
        else round(statement.figure(name) * factor)
        for name, factor in factors.items()
    }
    return replace(statement, **changed)  # type: ignore[arg-type]


def workload(
    seed: int = 1,
    statements: int = 24,
    minutes: float = 60.2,
    restarted: bool = False,
    containers: tuple[str, ...] = (),
    own_statement: bool = False,
    **given: object,
) -> Workload:
    """A busy hour that is the same for the same seed; `given` replaces fields."""
    chance = random.Random(seed)
    begin = datetime(2026, 11, 20, 10, 0, 12)
    end = begin + timedelta(seconds=round(minutes * 60))
    ones = tuple(_statement(chance, number, containers) for number in range(statements))
    if own_statement:
        ones += (replace(ones[0], id="9tunebench0aa", text="/* tunebench */ select 1 from dual", plan=""),)
    cpu = round(sum(one.cpu_s for one in ones) * 1.2, 2)
    events = tuple(sorted((_event(chance, *pair) for pair in _EVENTS), key=lambda event: -event.time_s))
    db_time = round(cpu + sum(event.time_s for event in events), 2)
    made = Workload(
        begin=begin,
        end=end,
        started=datetime(2026, 11, 20, 10, 30) if restarted else datetime(2026, 11, 1, 3, 15),
        db_time_s=db_time,
        db_cpu_s=cpu,
        statements=ones,
        events=events,
        background=tuple(_event(chance, *pair) for pair in _BACKGROUND),
        time_model=_time_model(chance, db_time, cpu),
        activity=_activity(chance),
        files=_files(chance, containers),
        segments=tuple(
            Segment("APP", f"ORDERS_{n}", "TABLE", "DATA", chance.randrange(10_000, 9_000_000)) for n in range(5)
        ),
        os_times={"BUSY_TIME": chance.randrange(10**6), "IDLE_TIME": chance.randrange(10**7), "USER_TIME": 4_711},
        os_states={"LOAD": (3, 4), "NUM_CPUS": (16, 16), "PHYSICAL_MEMORY_BYTES": (67_377_623_040, 67_377_623_040)},
        parameters={
            "cpu_count": ("16", ""),
            "db_block_size": ("8192", ""),
            "optimizer_mode": ("ALL_ROWS", "FIRST_ROWS"),
            "control_files": ("/u01/control01.ctl", ""),
        },
        pools={"D": (9_876_543, 123_456, 65_432, 12), "K": (1_000, 10, 0, 0)},
        volumes={"Buffer Cache Reads": ("11.8G", "0M"), "Direct Reads": ("515815M", "2.2T"), "LGWR": ("1M", "3.4G")},
    )
    made = replace(made, **given)  # type: ignore[arg-type]
    if made.end_cpus != made.cpus:
        made = replace(made, os_states={**made.os_states, "NUM_CPUS": (made.cpus, made.end_cpus)})
    return made


def statement_id(chance: random.Random) -> str:
    return "".join(chance.choice(_LETTERS) for _ in range(13))


def _statement(chance: random.Random, number: int, containers: tuple[str, ...]) -> Statement:
    executions = 0 if number == 5 else chance.randrange(1, 5_500_000)  # one is still running
    gets = chance.randrange(1_000, 900_000_000)
    elapsed = round(chance.lognormvariate(4, 2), 2)
    return Statement(
        id=statement_id(chance),
        text=f"{_TEXTS[number % len(_TEXTS)]} /* {number} */",
        module=("", "JDBC Thin Client", "영업.exe")[number % 3],
        container=containers[number % len(containers)] if containers else "",
        plan=str(chance.randrange(10**8, 10**10)) if number % 4 == 0 else "",
        executions=executions,
        elapsed_s=elapsed,
        cpu_s=round(elapsed * chance.random(), 2),
        io_wait_s=round(elapsed * chance.random() / 2, 2),
        block_gets=gets,
        block_reads=gets // chance.randrange(2, 900),
        rows=chance.randrange(0, 10**7),
        parse_calls=chance.randrange(0, 10**5),
        sharable_bytes=chance.randrange(1 << 20, 1 << 24),
        version_count=chance.randrange(21, 400),
        cluster_wait_s=round(elapsed * chance.random() / 9, 2),
        text_available=number != 7,
    )


def _event(chance: random.Random, name: str, wait_class: str) -> Event:
    return Event(
        name,
        wait_class,
        chance.randrange(1, 5_000_000),
        round(chance.lognormvariate(4, 2), 1),
        chance.choice((0, 0, 100)),
    )


def _time_model(chance: random.Random, db_time: float, cpu: float) -> dict[str, float]:
    return {
        "sql execute elapsed time": round(db_time * 0.97, 2),
        "DB CPU": cpu,
        "parse time elapsed": round(db_time * 0.01, 2),
        "hard parse elapsed time": round(db_time * 0.005, 2),
        "PL/SQL execution elapsed time": round(chance.random() * 100, 2),
        "sequence load elapsed time": 0.81,
        "Tablespace encryption elapsed time": 1.25,
        "DB time": db_time,
        "background elapsed time": round(chance.random() * 1000, 2),
        "background cpu time": round(chance.random() * 100, 2),
    }


def _activity(chance: random.Random) -> dict[str, int]:
    names = (
        "redo size",
        "session logical reads",
        "db block changes",
        "physical reads",
        "physical writes",
        "user calls",
        "parse count (total)",
        "parse count (hard)",
        "execute count",
        "user commits",
        "user rollbacks",
        "logons cumulative",
        "physical read IO requests",
        "physical write IO requests",
        "physical read bytes",
        "physical write bytes",
        "sorts (memory)",
        "sorts (disk)",
        "table scans (long tables)",
    )
    return {name: chance.randrange(1, 10**9) for name in names}


def _files(chance: random.Random, containers: tuple[str, ...]) -> tuple[FileIo, ...]:
    return tuple(
        FileIo(
            name,
            f"+DATA/orcl/{name.lower()}.dbf",
            chance.randrange(1, 10**7),
            round(chance.random() * 9, 2),
            chance.randrange(1, 10**6),
            chance.randrange(0, 100),
            containers[0] if containers else "",
        )
        for name in ("DATA", "UNDOTBS1", "SYSTEM")
    )
