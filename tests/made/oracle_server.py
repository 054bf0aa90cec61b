"""An Oracle instance that is none: figures in Python, and a `sqlplus` that prints them as the real one would."""

from __future__ import annotations

import json
import shutil
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

SCRIPT = Path(__file__).with_name("sqlplus.py")
DBID = 1583940021
BANNER = "Oracle Database 19c Enterprise Edition Release 19.0.0.0.0 - Production"
_WHO = f"{DBID},ORCL,ORCL_A,PRIMARY,Linux x86 64-bit,READ WRITE,orcl1,1,NO,db01"
VARIABLES = {
    "f": "||','||total_waits_fg", "g": ",total_waits_fg,total_timeouts_fg,time_waited_micro_fg",
    "u": ",total_waits_fg,time_waited_fg", "v": "||','||total_waits_fg", "k": "con_id", "q": "v$sqlstats_plan_hash",
    "j": "con_id from v$containers", "t": "", "n": "chr(44)", "b": "100", "e": "102", "d": str(DBID),
}  # fmt: skip
"""What a 19c makes of our substitution variables."""


@dataclass(frozen=True)
class Statement:
    """Counters of one cursor; times in seconds."""

    sql_id: str
    text: str
    executions: int
    elapsed_s: float
    cpu_s: float = 0.0
    gets: int = 0
    reads: int = 0
    rows: int = 0
    plan: int = 1
    loaded: str = "2026-11-20/10:00:00"
    module: str = "JDBC"
    schema: str = "APP"

    def cursor(self) -> str:
        numbers = (
            self.sql_id,
            0,
            self.plan,
            self.executions,
            round(self.elapsed_s * 1e6),
            round(self.cpu_s * 1e6),
            500,
            0,
            0,
            0,
            self.gets,
            self.reads,
            0,
            self.rows,
            self.executions,
            1,
            self.executions,
            1,
            0,
            1,
            40_000,
            "2026-11-21 11:40:00",
        )
        return f"{quoted(self.text)}," + ",".join(map(str, numbers))

    def name(self) -> str:
        cells = (self.sql_id, 12345678901234567890, self.loaded, 1, self.executions)
        return f"{quoted(self.module)},{quoted(self.schema)}," + ",".join(map(str, cells))


@dataclass
class Moment:
    """Everything the instance says at one moment; its clock is nine hours ahead of UTC."""

    utc: str
    local: str
    statements: Sequence[Statement]
    db_time_s: float
    gets: int
    commits: int
    sequential_reads: tuple[int, float]
    started: str = "2026-11-01 09:00:00"
    parameters: dict[str, str] = field(default_factory=lambda: {"db_block_size": "8192", "cpu_count": "16"})

    def rows(self) -> dict[str, list[str]]:
        waits, waited_s = self.sequential_reads
        micro = round(waited_s * 1e6)
        return {
            "v$database": [f"snapshot,{self.utc},{self.local},{_WHO},19.0.0.0.0,{self.started},,,{quoted(BANNER)}"],
            "v$system_parameter": [f"{quoted(name)},{quoted(value)}" for name, value in self.parameters.items()],
            "v$sysstat": [
                f'"session logical reads",{self.gets},1',
                f'"user commits",{self.commits},1',
                '"user rollbacks",0,1',
                '"logons current",41,1',
                '"redo size",18446744073709551615,2',
            ],
            "v$sys_time_model": [f'"DB time",{round(self.db_time_s * 1e6)}', f'"DB CPU",{round(self.db_time_s * 4e5)}'],
            "v$osstat": [
                '"NUM_CPUS",16',
                f'"BUSY_TIME",{round(self.db_time_s * 50)}',
                '"PHYSICAL_MEMORY_BYTES",68719476736',
            ],
            "v$system_event": [
                f'"db file sequential read",User I/O,{waits + 10},0,{micro + 1000},{waits},0,{micro}',
                '"SQL*Net message from client",Idle,900,0,90000000,900,0,90000000',
            ],
            "v$system_wait_class": [f"User I/O,{waits + 10},{round(waited_s * 100)},{waits},{round(waited_s * 100)}"],
            "v$filestat": [f'"USERS","/u01/users01.dbf",8192,{waits},5,{waits},7,{round(waited_s * 100)},3'],
            "v$segment_statistics": [f'"APP","ORDERS","","USERS",TABLE,"logical reads",{self.gets // 2}'],
            "v$containers": [],
            "v$sqlstats_plan_hash": [statement.cursor() for statement in self.statements],
            "v$sqlarea": [statement.name() for statement in self.statements],
            "v$sqlstats": [],
        }


def quoted(text: str) -> str:
    return '"' + text.replace('"', '""') + '"'


def install(folder: Path, moments: Sequence[Moment | dict[str, list[str]]], **how: Any) -> Path:
    """ORACLE_HOME of the instance; `how`: see `sqlplus`."""
    programs = folder / "oracle" / "bin"
    programs.mkdir(parents=True, exist_ok=True)
    shutil.copy(SCRIPT, programs / "sqlplus")
    (programs / "sqlplus").chmod(0o755)
    rounds = [moment.rows() if isinstance(moment, Moment) else moment for moment in moments]
    plan = {"rounds": rounds, "variables": VARIABLES, **how}
    (programs / "figures.json").write_text(json.dumps(plan, ensure_ascii=False), encoding="utf-8")
    return programs.parent


ORDERS = "select * from \"ORDERS\"\n\nwhere name = '김' and id = :1"
BEFORE = Moment(
    "2026-11-21 02:48:00.000",
    "2026-11-21 11:48:00",
    (
        Statement("4ztz048yfq32s", ORDERS, 1000, 250.5, 100.25, 5_000_000, 20_000, 1000, plan=111),
        Statement("7hys3h7ysgf9m", "update stock set n = n - 1", 50, 4.0, 3.0, 900, 3, 50, plan=333),
        Statement("aaaaaaaaaaaaa", "select /* tunebench */ value from v$sysstat", 5, 0.1, 0.1),
    ),
    1000.0,
    10_000_000,
    400,
    (20_000, 80.0),
)
AFTER = Moment(
    "2026-11-21 02:58:00.000",
    "2026-11-21 11:58:00",
    (
        Statement("4ztz048yfq32s", ORDERS, 1600, 280.5, 112.25, 5_060_000, 20_100, 1600, plan=111),
        Statement(
            "7hys3h7ysgf9m",
            "update stock set n = n - 1",
            20,
            1.0,
            0.5,
            300,
            1,
            20,
            plan=333,
            loaded="2026-11-21/11:50:00",
        ),
        Statement("newnewnewnewn", "delete from t", 3, 9.0, 8.0, 77, 6, 3, plan=555, loaded="2026-11-21/11:52:00"),
        Statement("aaaaaaaaaaaaa", "select /* tunebench */ value from v$sysstat", 10, 0.2, 0.2),
    ),
    1240.0,
    11_000_000,
    700,
    (20_500, 84.5),
    parameters={"db_block_size": "8192", "cpu_count": "16", "optimizer_mode": "FIRST_ROWS, x"},
)
