"""Redaction on the command line: secrets of every kind are planted, and each output is searched here, by other means
than those of the program: zipfile, zlib, SQLite, and pdftotext where it is installed.
"""

from __future__ import annotations

import hashlib
import json
import re
import shutil
import sqlite3
import subprocess
import unicodedata
import zipfile
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.e2e.conftest import Command, iostat_capture, say
from tests.store import cases
from tests.ui import made_cycle
from tunebench.analysis.redaction.redactor import Redactor
from tunebench.core import zstd
from tunebench.domain.assembly import DeviceAlias
from tunebench.domain.capturing.plan import Approval
from tunebench.domain.capturing.run import SystemFact
from tunebench.domain.connection import HostProfile
from tunebench.domain.databases.records import DatabaseIdentity, Engine, Moment, Reach
from tunebench.domain.engagement import Section, Statement
from tunebench.sdk.databases import DatabaseRecord, FigureTable
from tunebench.store import aliases, clean_copy, engagements, hosts, name_places, plans, profiles, runs, sessions
from tunebench.store.artefacts import list_artefacts
from tunebench.store.audit import trail as audit
from tunebench.store.databases.records import write_records
from tunebench.store.opening import open_project
from tunebench.store.project import Project
from tunebench.usecases.reports import success_case

HOST, ADDRESS, WIDE, MAC = "hbcore01", "10.77.3.21", "2001:db8:77::21", "00:1b:44:11:3a:b7"
DATABASE, INSTANCE, SCHEMA, ACCOUNT = "HBCOREDB", "hbinst1", "ACCT_OWNER", "batchop7"
TABLE, MOUNT, LOGICAL = "TB_ACCT_MASTER", "/hbdata/core", "vg_hanbit"
MAIL, RESIDENT, PHONE, LANDLINE = "sjpark@hanbit.co.kr", "850214-1234567", "010-4821-7763", "02-788-4417"
CUSTOMER, PERSON = "한빛저축은행", "박서준"
GONE = "윤미래담당"
"""Of a contact that was removed: the trail alone remembers."""
LITERAL, NUMBER = "홍길동최우수고객", "110234567891"
WORLD_WIDE, SERIAL = "naa.600508b4000971fa", "SGH412XW9Q"
SQL = f"SELECT /* {PERSON} */ bal_amt FROM {SCHEMA}.{TABLE} WHERE cust_nm = '{LITERAL}' AND acct_no = {NUMBER}"
NAMED = {
    HOST,
    DATABASE,
    INSTANCE,
    SCHEMA,
    ACCOUNT,
    MOUNT,
    CUSTOMER,
    PERSON,
    ADDRESS,
    WIDE,
    MAC,
    WORLD_WIDE,
    SERIAL,
    GONE,
}
PERSONAL = {MAIL, RESIDENT, PHONE, LANDLINE}
VALUES = {LITERAL, NUMBER}
STRICT = NAMED | PERSONAL | VALUES | {TABLE, "bal_amt", LOGICAL}
PASSPHRASE = "the names stay here"


@pytest.fixture
def opener(tmp_path: Path) -> Path:
    path = tmp_path / "passphrase"
    path.write_text(PASSPHRASE + "\n")
    return path


@pytest.fixture(scope="module")
def planted_once(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What `planted` is a copy of: nobody writes into it."""
    folder = tmp_path_factory.mktemp("planted")
    path = folder / "work.tune"
    say("new", path, "--customer", CUSTOMER, "--zone", "Asia/Seoul", "--lang", "en")
    for side, day, user in (("before", "2026-11-02", 60.0), ("after", "2026-11-03", 20.0)):
        capture = folder / f"iostat-{HOST}-{side}.txt"
        capture.write_text(iostat_capture(day, 30, user, 5.0).replace("db01", HOST).replace("sda", LOGICAL))
        say("import", path, capture, "--run", side, "--phase", side, "--host", HOST)
    with open_project(path) as project:
        _plant(project)
    return path


@pytest.fixture
def planted(planted_once: Path, tmp_path: Path) -> Path:
    """A project in whose every corner something stands that must not leave."""
    return Path(shutil.copy(planted_once, tmp_path / "work.tune"))


def _plant(project: Project) -> None:
    made_cycle.fill(project)  # Park consented
    for change in ([None, GONE], [GONE, None]):
        audit.record(project, "cycle_changed", edit="x", by="Lee Sunhee", changes={"contact.99 name": change})
    engagements.write_narrative(
        project,
        Section.ISSUE,
        "en",
        [
            f"{HOST.upper()} ({ADDRESS}, {WIDE}, {MAC}) of {CUSTOMER}은 느립니다. {PERSON}은 {MAIL}, {PHONE}, {LANDLINE}.",
            f"Account holder {RESIDENT}; the disk {WORLD_WIDE} of {MOUNT}/redo01.log; {SQL}",
            f"{DATABASE} as {ACCOUNT}@{HOST}.hanbit.co.kr, table {SCHEMA}.{TABLE}, rows of {LITERAL}",
        ],
    )
    host = next(each for each in hosts.list_hosts(project) if each.name == HOST)
    aliases.replace_aliases(project, host.id, [DeviceAlias(LOGICAL, MOUNT)])
    profiles.save_profile(project, HostProfile(HOST, ADDRESS, user=ACCOUNT, identity=f"/home/{ACCOUNT}/.ssh/id"))
    plan = replace(cases.PLAN, hosts=(replace(cases.PLAN.hosts[0], address=ADDRESS, user=ACCOUNT),))
    plans.save_plan(project, plan)
    plans.approve(project, Approval(plan.digest, PERSON, "2026-11-21T03:00:00+00:00", "mail", f"by {MAIL}"))
    artefacts = list_artefacts(project)
    sessions.write_facts(
        project,
        artefacts[0].id,
        host.id,
        1,
        [SystemFact("dmi", "Serial Number", SERIAL), SystemFact("ip", "eth0", MAC)],
    )
    for run, artefact in zip(runs.list_runs(project), artefacts, strict=False):
        engagements.write_statements(
            project, run.id, [Statement(run.id, "oracle", "7h1k", SQL, f"app@{HOST}", executions=10, elapsed_s=5.0)]
        )
        write_records(project, artefact.id, [_record(artefact.ledger.first_ns or 0)], 0)


def _record(start_ns: int) -> DatabaseRecord:
    one = np.ones(1)
    lines = np.ones(1, np.int64)
    keys = {
        "statement_id": ["9x2m"],
        "plan": ["1"],
        "container": [DATABASE],
        "user": [ACCOUNT],
        "module": [f"j@{HOST}"],
    }
    tables = {
        "statement": FigureTable("statement", keys, {"executions": one * 100, "elapsed_s": one * 50}, lines),
        "statement_text": FigureTable("statement_text", {"statement_id": ["9x2m"], "text": [SQL]}, {}, lines),
        "segment": FigureTable(
            "segment", {"owner": [SCHEMA], "name": [TABLE], "statistic": ["reads"]}, {"value": one}, lines
        ),
        "io": FigureTable("io", {"kind": ["file"], "file": [f"{MOUNT}/sys01.dbf"]}, {"reads": one}, lines),
        "parameter": FigureTable("parameter", {"name": ["db_name"], "begin": [DATABASE]}, {}, lines),
    }
    return DatabaseRecord(
        "awr_html",
        Reach.PERIOD,
        DatabaseIdentity(Engine.ORACLE, DATABASE, "1234567890", instance=INSTANCE, host=HOST),
        Moment(start_ns + 1_800_000_000_000, 102),
        Moment(start_ns, 101),
        1800.0,
        900.0,
        f"{DATABASE} on {HOST}",
        tables,
    )


# -- searching, without the program's own proof --------------------------------------------------------


def _content(path: Path) -> str:
    """All that can be got out of a file, as one text."""
    data = path.read_bytes()
    texts = [data.decode("utf-8", "ignore"), data.decode("utf-16-be", "ignore"), data.decode("utf-16-le", "ignore")]
    if data[:2] == b"PK":
        texts += _package(path)
    if data[:4] == b"%PDF" and shutil.which("pdftotext"):
        told = subprocess.run(["pdftotext", "-layout", path, "-"], capture_output=True, check=True)
        texts.append(told.stdout.decode())
        texts.append(subprocess.run(["pdfinfo", path], capture_output=True, check=True).stdout.decode())
    if data[:6] == b"SQLite":
        texts += _database(path)
    return "\n".join(texts)


def _package(path: Path) -> list[str]:
    found = []
    with zipfile.ZipFile(path) as package:
        for name in package.namelist():
            data = package.read(name)
            if data[:2] == b"PK":
                inner = path.with_name("inner.zip")
                inner.write_bytes(data)
                found += _package(inner)
            text = data.decode("utf-8", "ignore")
            found += [name, text, re.sub(r"<[^>]+>", "", text)]
    return found


def _database(path: Path) -> list[str]:
    connection = sqlite3.connect(path)
    try:
        tables = [name for (name,) in connection.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")]
        rows = [str(row) for table in tables for row in connection.execute(f'SELECT * FROM "{table}"')]
        packed = connection.execute(
            "SELECT size_bytes, data FROM shared_text_block UNION ALL SELECT size_bytes, data FROM attachment"
        )
        blocks = [zstd.decompress(data, size).decode() for size, data in packed]
    finally:
        connection.close()
    return [*rows, *blocks]


def _found(path: Path, secrets: set[str]) -> set[str]:
    content = _content(path).casefold()
    return {secret for secret in secrets if secret.casefold() in content}


def _report(tunebench: Command, project: Path, folder: Path, opener: Path, *words: object) -> list[Path]:
    folder.mkdir(exist_ok=True)
    files = [folder / f"out.{kind}" for kind in ("pdf", "xlsx", "html", "pptx")]
    named = [word for file in files for word in (f"--{file.suffix[1:]}", file)]
    answer = tunebench("report", project, "--names-passphrase-file", opener, *named, *words)
    assert answer.code == 0, answer.err
    return [*files, folder / "out.pdf.manifest.json"]


def test_without_redaction_the_secrets_are_in_the_report(
    planted: Path, tmp_path: Path, opener: Path, tunebench: Command
) -> None:
    """So that the searches below can find something."""
    files = _report(tunebench, planted, tmp_path / "plain", opener)[:4]
    seen = [_found(file, STRICT) for file in files if file.suffix != ".pdf" or shutil.which("pdftotext")]
    assert all(CUSTOMER in each for each in seen)
    assert {HOST, ADDRESS, DATABASE, MAIL, RESIDENT, PHONE, PERSON} <= set().union(*seen)
    assert {HOST, ADDRESS, DATABASE, TABLE, MAIL, RESIDENT, LITERAL} <= _found(planted, STRICT)


@pytest.mark.parametrize(
    ("profile", "gone"),
    [("strict", STRICT), ("names-only", NAMED | PERSONAL | VALUES), ("sql-only", PERSONAL | VALUES)],
)
def test_nothing_of_it_leaves_in_any_form(
    profile: str, gone: set[str], planted: Path, tmp_path: Path, opener: Path, tunebench: Command
) -> None:
    files = _report(tunebench, planted, tmp_path / profile, opener, "--redact", profile)
    copy = tmp_path / f"{profile}.tune"
    clean = tunebench("export", planted, "--clean", copy, "--redact", profile, "--names-passphrase-file", opener)
    assert clean.code == 0, clean.err
    for file in (*files, copy, copy.with_name(copy.name + ".manifest.json")):
        assert _found(file, gone) == set(), file
    data = tmp_path / "data.csv"
    assert tunebench("data", copy, "--series", "1", "--format", "csv", "--out", data).code == 0
    assert _found(data, gone) == set()
    if profile != "sql-only":
        assert not re.findall(r"\b(?:Park|Lee Sunhee)\b", _content(copy))
    told = "".join(tunebench(verb, copy, "--json").out for verb in ("info", "series", "databases"))
    assert not [secret for secret in gone if secret.casefold() in told.casefold()]


def test_of_an_encrypted_project_no_readable_copy_is_made_on_the_way(
    planted: Path, tmp_path: Path, opener: Path, tunebench: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What lies in the private folder while the report is made is what a kill leaves there."""
    assert tunebench("encrypt", planted, "--new-passphrase-file", opener).code == 0
    seen: dict[str, bytes] = {}
    write = success_case.write

    def watched(project: Project, *given: Any, **named: Any) -> Any:
        seen.update({file.name: file.read_bytes() for file in project.path.parent.iterdir()})
        return write(project, *given, **named)

    monkeypatch.setattr(success_case, "write", watched)
    files = _report(tunebench, planted, tmp_path / "e", opener, "--redact", "strict", "--passphrase-file", opener)
    assert len(seen["copy.tune"]) > 100_000
    for name, data in seen.items():
        assert b"SQLite format" not in data and b"CREATE TABLE" not in data and b"CUSTOMER-" not in data, name
    copy = tmp_path / "leaves.tune"
    words = ("--names-passphrase-file", opener, "--passphrase-file", opener)
    assert tunebench("export", planted, "--clean", copy, *words).code == 0
    for file in (*files, copy):
        assert _found(file, STRICT) == set(), file
    monkeypatch.undo()
    assert copy.read_bytes().startswith(b"SQLite format 3")
    assert tunebench("check", copy).code == 0
    with sqlite3.connect(copy) as connection:
        assert connection.execute("SELECT count(*) FROM audit WHERE action = 'project_decrypted'").fetchone() == (0,)


def test_the_copy_is_a_project_like_any_other(planted: Path, tmp_path: Path, opener: Path, tunebench: Command) -> None:
    copy = tmp_path / "copy.tune"
    assert tunebench("export", planted, "--clean", copy, "--names-passphrase-file", opener).code == 0
    checks = {each["check"]: each["state"] for each in tunebench("check", copy, "--json").json}
    before = {each["check"]: each["state"] for each in tunebench("check", planted, "--json").json}
    assert checks.pop("redacted_copy") == "warning"
    assert before.pop("evidence") == "ok"

    assert checks == before
    with sqlite3.connect(copy) as connection:
        assert connection.execute("SELECT count(*) FROM artefact_chunk").fetchone() == (0,)
    means = [
        [(row["native"], row["mean"], row["count"]) for row in tunebench("series", path, "--json").json]
        for path in (planted, copy)
    ]
    assert means[0] == means[1]


def test_stand_ins_are_the_same_in_every_output_and_the_names_stay_sealed(
    planted: Path, tmp_path: Path, opener: Path, tunebench: Command
) -> None:
    files = _report(tunebench, planted, tmp_path / "one", opener, "--redact", "strict")
    copy = tmp_path / "copy.tune"
    assert tunebench("export", planted, "--clean", copy, "--names-passphrase-file", opener).code == 0
    sealed = planted.with_name("work.tune.names")
    assert _found(sealed, STRICT) == set()
    assert sealed.stat().st_mode & 0o777 == 0o600
    names = tunebench("export", planted, "--who", "--names-passphrase-file", opener, "--json").json
    stand_in = {each["name"]: each["stand_in"] for each in names}[HOST]
    assert all(stand_in in _content(file) for file in (files[1], files[2], copy))
    opener.write_text("another passphrase\n")
    refused = tunebench("export", planted, "--who", "--names-passphrase-file", opener, "--lang", "en")
    assert (refused.code, "does not open" in refused.err) == (3, True)


def test_the_sealed_names_grow_and_nothing_else_that_is_sealed_gives_way(
    planted: Path, tmp_path: Path, opener: Path, tunebench: Command
) -> None:
    """They begin as an encrypted project does, which no output may replace."""
    words = ("--names-passphrase-file", opener)
    sealed = planted.with_name("work.tune.names")
    sizes, replaced = [], []
    for profile in ("sql-only", "names-only", "strict"):
        files = _report(tunebench, planted, tmp_path / profile, opener, "--redact", profile)
        names = {
            each["name"]: each["stand_in"] for each in tunebench("export", planted, "--who", *words, "--json").json
        }
        sizes.append(len(names))
        replaced.append(names.get(HOST, ""))
        assert profile == "sql-only" or replaced[-1] in _content(files[2])
    assert sizes[0] < sizes[1] < sizes[2]
    assert replaced[1] == replaced[2] != ""
    assert sealed.stat().st_mode & 0o777 == 0o600
    other = tmp_path / "other.tune"
    shutil.copy(planted, other)
    assert tunebench("encrypt", other, "--new-passphrase-file", opener).code == 0
    before = other.read_bytes()
    copy = tmp_path / "copy.tune"
    refused = tunebench("export", planted, "--clean", copy, "--names", other, *words, "--lang", "en")
    assert refused.code == 3 and "bug" not in refused.err
    assert (other.read_bytes(), copy.exists()) == (before, False)
    assert tunebench("report", planted, "--pdf", sealed, *words).code == 3  # nor does a report replace the names


def test_the_manifest_names_files_digests_and_what_was_left_out(
    planted: Path, tmp_path: Path, opener: Path, tunebench: Command
) -> None:
    *files, manifest = _report(tunebench, planted, tmp_path / "m", opener, "--redact", "strict")
    told = json.loads(manifest.read_text())
    assert told["profile"] == "strict"
    digests = {each["name"]: each["sha256"] for each in told["files"]}
    assert digests == {file.name: hashlib.sha256(file.read_bytes()).hexdigest() for file in files}
    assert told["left_out"]["captures"] == 2
    assert told["replaced"]["host"]["times"] > 0


def test_a_redacted_report_is_verified_with_the_names_or_against_the_copy(
    planted: Path, tmp_path: Path, opener: Path, tunebench: Command
) -> None:
    pdf, workbook, *_ = _report(tunebench, planted, tmp_path / "v", opener, "--redact", "strict")
    alone = tunebench("report", planted, "--verify", pdf, "--lang", "en")
    assert (alone.code, "--redact strict" in alone.err) == (3, True)
    again = tunebench(
        "report", planted, "--verify", pdf, "--redact", "strict", "--names-passphrase-file", opener, "--json"
    )
    assert again.json["same"]
    copy = tmp_path / "copy.tune"
    assert tunebench("export", planted, "--clean", copy, "--names-passphrase-file", opener).code == 0
    assert tunebench("report", copy, "--verify", workbook, "--json").json["same"]


def test_what_would_leak_is_not_written(
    planted: Path, tmp_path: Path, opener: Path, tunebench: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A place that the rewriting forgets: the proof finds it, and neither file nor manifest appears.

    The narrative is English, which a Korean document prints beside the register of issues.
    """
    rewritten = name_places.rewritten_cell

    def forgetful(redactor: Redactor, table: str, column: str, value: str, digests: dict[str, str]) -> str:
        return value if table == "narrative" else rewritten(redactor, table, column, value, digests)

    monkeypatch.setattr(clean_copy, "rewritten_cell", forgetful)
    for word, target in (("--pdf", tmp_path / "leak.pdf"), ("--xlsx", tmp_path / "leak.xlsx")):
        words = (
            "--redact",
            "strict",
            "--names-passphrase-file",
            opener,
            "--lang",
            "ko",
            "--shape",
            "success-case",
            word,
            target,
        )
        refused = tunebench("report", planted, *words)
        assert (refused.code, "아무 파일도 쓰지 않았습니다" in refused.err) == (3, True)
        assert not target.exists()
        assert HOST not in refused.err.casefold()
    copy = tmp_path / "leak.tune"
    assert tunebench("export", planted, "--clean", copy, "--names-passphrase-file", opener).code == 3
    assert not [path for path in tmp_path.iterdir() if path.name.startswith("leak")]


def test_a_profile_of_ones_own(planted: Path, tmp_path: Path, opener: Path, tunebench: Command) -> None:
    profile = tmp_path / "house.yaml"
    profile.write_text(f"name: house\nreplace: [mail, personal]\nsql: keep\nnames: [Orders]\nkeep: ['{PHONE}']\n")
    copy = tmp_path / "house.tune"
    words = ("--clean", copy, "--names-passphrase-file", opener, "--redact", profile)
    assert tunebench("export", planted, *words).code == 0
    assert _found(copy, {MAIL, RESIDENT, "orders are slow"}) == set()
    assert {PHONE, HOST} <= _found(copy, {PHONE, HOST})
    profile.write_text("name: house\nreplace: [hosts]\n")
    refused = tunebench("export", planted, *words[:1], tmp_path / "x.tune", *words[2:], "--lang", "en")
    assert (refused.code, "line 2" in refused.err, "hosts" in refused.err) == (3, True, True)


def test_names_in_other_writings_and_in_the_names_of_things(tmp_path: Path, opener: Path, tunebench: Command) -> None:
    """A host known by its full name, called by its short one; a customer's name over a line's end, a person's taken apart."""
    path = tmp_path / "w.tune"
    assert tunebench("new", path, "--customer", "Hanbit Savings", "--zone", "Asia/Seoul", "--lang", "en").code == 0
    for phase, day in (("before", "2026-11-02"), ("after", "2026-11-03")):
        capture = tmp_path / f"iostat-hbledger7-{phase}.txt"
        capture.write_text(iostat_capture(day, 30, 20.0, 5.0))
        words = ("--run", f"HBLEDGER7 {phase}", "--phase", phase, "--host", "hbledger7.core.example")
        assert tunebench("import", path, capture, *words).code == 0
    with open_project(path) as project:
        plans.save_plan(project, cases.PLAN)
        plans.approve(project, Approval(cases.PLAN.digest, "홍길동", "2026-11-21T03:00:00+00:00", "mail", "by mail"))
        texts = [
            "HbLedger7-vip of Hanbit\n  Savings; postgres://scott9:tiger9@hbledger7:5432/x, https://HBLEDGER7:8443/em",
            f"{unicodedata.normalize('NFD', '홍길동이')} 승인, (02)788-4417, 850214 - 1234567",
            '{"host": "hbledger7", "inner": "{\\"h\\": \\"HBLEDGER7\\"}"}',
        ]
        engagements.write_narrative(project, Section.ISSUE, "en", texts)
        engagements.add_note(project, "run", 1, None, "HBLEDGER7: 홍길동이 봄", "홍길동")
    files = _report(tunebench, path, tmp_path / "w", opener, "--redact", "strict")
    copy = tmp_path / "w-clean.tune"
    assert tunebench("export", path, "--clean", copy, "--names-passphrase-file", opener).code == 0
    gone = {
        "hbledger7",
        "savings",
        "홍길동",
        unicodedata.normalize("NFD", "홍길동"),
        "788-4417",
        "1234567",
        "scott9",
        "tiger9",
    }
    assert {"hbledger7", "savings"} <= _found(path, gone)
    for file in (*files, copy):
        assert _found(file, gone) == set(), file


def test_the_file_name_is_searched_too(planted: Path, tmp_path: Path, opener: Path, tunebench: Command) -> None:
    refused = tunebench(
        "report", planted, "--redact", "strict", "--names-passphrase-file", opener, "--pdf", tmp_path / f"{HOST}.pdf"
    )
    assert refused.code == 3
    assert not (tmp_path / f"{HOST}.pdf").exists()
