"""Oracle's views captured by our own probe through a real SSH server; what answers is a `sqlplus` made for tests.

Expected figures are those that the made instance was given.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from tests.e2e.ssh_people import Desk, Sink
from tests.e2e.sshd_rig import Sshd
from tests.made.awr import MadeReport
from tests.made.awr import report as made_report
from tests.made.awr import text as made_text
from tests.made.oracle_server import AFTER, BEFORE, ORDERS, install
from tunebench.analysis.databases.subtraction import period_between
from tunebench.capture.planning import PlanRequest, ProbeChoice, build_plan
from tunebench.capture.readings import reading_of
from tunebench.core.paths import builtin_plugins_folder
from tunebench.domain.capturing.plan import PlannedHost
from tunebench.domain.ledger import Ledger
from tunebench.plughost.host import PluginHost
from tunebench.plughost.listing import Origin
from tunebench.plughost.plugin_folders import SearchFolder
from tunebench.sdk import ParseContext
from tunebench.sdk.databases import DatabaseRecord, Fault
from tunebench.transport.ssh.link import Link

DENIED = ["1행에 오류:", "ORA-00942: 테이블 또는 뷰가 존재하지 않습니다"]
NO_LOGON = ["ERROR:", "ORA-01017: invalid username/password; logon denied", "SP2-0751: Unable to connect to Oracle."]


@pytest.fixture
def link(sshd: Sshd, desk: Desk) -> Link:
    return desk.open(sshd.profile())


def output_of(link: Link, home: Path, probe: str, rounds: int = 1, exit_code: int = 0, **values: str) -> bytes:
    """As the engine runs a ``once`` probe: at the start, and again at the end."""
    chosen = {"sid": ("orcl1",), "home": (str(home),), **{name: (value,) for name, value in values.items()}}
    host = PlannedHost("db01", "127.0.0.1", 22, "oracle", "linux", "profile")
    request = PlanRequest((host,), {"db01": (ProbeChoice(probe, chosen),)}, "run", "before", 1, 60)
    plan = build_plan(request, plugins().probes())
    command = next(command for command in plan.commands if command.probe == probe)
    output = b""
    for _ in range(rounds):
        sink = Sink()
        link.stream(command.verbatim, sink)
        assert sink.done.wait(60)
        assert (sink.end[0], bytes(sink.err)) == (exit_code, b"")
        output += bytes(sink.out)
    return output


def plugins() -> PluginHost:
    return PluginHost([SearchFolder(builtin_plugins_folder(), Origin.BUILTIN)])


def capture(link: Link, home: Path, rounds: int = 1, exit_code: int = 0) -> tuple[list[DatabaseRecord], Ledger]:
    return read(output_of(link, home, "oracle.views", rounds, exit_code), "oracle.views")


def read(output: bytes, parser: str) -> tuple[list[DatabaseRecord], Ledger]:
    entry = plugins().parser(parser)
    assert entry is not None
    reading = reading_of(entry, ParseContext(zone=ZoneInfo("UTC"), zone_source="host"), output[:65536], ())
    list(reading.feed(output))
    list(reading.finish())
    assert reading.ledger().lines.balanced
    return list(reading.take_records()), reading.ledger()


def test_two_rounds_make_a_period(link: Link, tmp_path: Path) -> None:
    records, ledger = capture(link, install(tmp_path, [BEFORE, AFTER]), rounds=2)
    assert ledger.warnings == () and ledger.skipped == ()
    period = period_between(*records)
    table = period.table("statement")
    place = list(table.text("statement_id")).index("4ztz048yfq32s")
    assert table.figure("executions")[place] == 1600 - 1000
    assert table.figure("elapsed_s")[place] == pytest.approx(280.5 - 250.5)
    assert table.figure("block_gets")[place] == 5_060_000 - 5_000_000
    assert ORDERS in period.table("statement_text").text("text")
    assert not {"aaaaaaaaaaaaa"} & set(table.text("statement_id"))
    assert period.db_time_s == pytest.approx(240.0) and period.valid


def test_a_korean_session_with_prompts_that_is_refused_a_view(link: Link, tmp_path: Path) -> None:
    how = {"encoding": "cp949", "prompts": True, "slow_s": 0.01, "errors": {"v$filestat": DENIED}}
    (record,), ledger = capture(link, install(tmp_path, [BEFORE], **how))
    assert ledger.warnings == ("oracle_not_allowed",)
    assert [one.example for one in ledger.skipped if one.reason == "oracle_error"] == [DENIED[1]]
    assert len(record.table("statement")) == 2 and "io" in record.absent


def test_a_session_that_is_cut(link: Link, tmp_path: Path) -> None:
    (record,), ledger = capture(link, install(tmp_path, [BEFORE], cut_at="v$osstat"), exit_code=1)
    assert "oracle_session_cut" in ledger.warnings and Fault.TRUNCATED in record.faults


def test_a_logon_that_is_refused(link: Link, tmp_path: Path) -> None:
    records, ledger = capture(link, install(tmp_path, [BEFORE], logon_error=NO_LOGON), exit_code=1)
    assert records == [] and ledger.warnings == ("oracle_no_logon",)


# -- reports that the server prints itself -------------------------------------------------------------


def printed(made: MadeReport) -> list[str]:
    return made.data.decode().split("\n")


def noted(home: Path, what: str) -> list[Any]:
    found: list[Any] = json.loads((home / "bin" / "figures.json").read_text(encoding="utf-8")).get(what, [])
    return found


@pytest.mark.parametrize(
    ("probe", "function", "made"),
    [
        ("oracle.awr_report", "awr_report_html", made_report(version="19c")),
        ("oracle.awr_global", "awr_global_report_html", made_report(version="19c", scope="global", rac=2)),
    ],
)
def test_an_awr_report_between_the_last_two_snapshots(
    link: Link, tmp_path: Path, probe: str, function: str, made: MadeReport
) -> None:
    home = install(tmp_path, [BEFORE], reports={function: printed(made)})
    records, ledger = read(output_of(link, home, probe), "oracle.awr_html")
    whole = next(record for record in records if record.identity.instance in ("*", made.truth.instance))
    assert whole.valid and whole.db_time_s == pytest.approx(made.truth.db_time_s, abs=0.6)
    assert len(whole.table("statement")) >= 10 and "capture_cut_off" not in ledger.warnings
    (asked,) = noted(home, "asked")
    assert (asked["report"], asked["b"], asked["e"]) == (function, "100", "102")


def test_a_statspack_report_of_two_snapshots(link: Link, tmp_path: Path) -> None:
    made = made_text("statspack", version="11.2")
    home = install(tmp_path, [BEFORE], reports={"spreport": printed(made)})
    (record,), _ = read(output_of(link, home, "oracle.statspack", begin="11", end="12"), "oracle.statspack")
    assert record.valid and record.db_time_s == pytest.approx(made.truth.db_time_s, abs=0.6)
    (asked,) = noted(home, "asked")
    assert (asked["begin_snap"], asked["end_snap"]) == ("11", "12")


def test_statspack_snapshots_are_taken_at_the_start_and_the_end(link: Link, tmp_path: Path) -> None:
    home = install(tmp_path, [BEFORE])
    output_of(link, home, "oracle.statspack_snap", rounds=2, level="7")
    assert (
        noted(home, "executed") == ["exec statspack.snap(i_snap_level=>7, i_ucomment=>'tunebench') /* tunebench */"] * 2
    )
