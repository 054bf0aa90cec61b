"""`host` and `capture` on the command line, against a real sshd: the plan printed, the capture run, its evidence kept."""

from __future__ import annotations

import io
import json
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from tests.e2e.accounts_rig import Accounts
from tests.e2e.conftest import Command
from tests.e2e.forging import forge
from tests.e2e.sshd_rig import Sshd, make_key, public_key
from tests.waiting import wait_until
from tunebench.capture.spooled import read_session
from tunebench.cli.console import Console
from tunebench.cli.prompter import TerminalPrompter
from tunebench.core.paths import user_config_folder
from tunebench.domain.capturing.plan import CapturePlan
from tunebench.domain.connection import Prompt, PromptsQuestion
from tunebench.store.artefacts import list_artefacts
from tunebench.store.audit import trail as audit
from tunebench.store.opening import open_project
from tunebench.store.trusted import FILE
from tunebench.usecases.capturing.case import live_capture

ROOT = Path(__file__).resolve().parents[2]
SIGNED_S = 45
"""Of a capture that is interrupted, refused several times and gone on with."""
HEADINGS = 4
"""Lines that vmstat prints before its second sample, at two starts."""


@pytest.fixture
def place(sshd: Sshd) -> list[str]:
    """How the command line names the server: host, key and known hosts."""
    profile = sshd.profile()
    sshd.know_host()
    return [
        "--host",
        f"{profile.user}@{profile.address}:{profile.port}",
        "--identity",
        profile.identity,
        "--known-hosts",
        str(sshd.known_hosts),
    ]


def test_a_plan_is_printed_without_connecting(project: Path, tunebench: Command) -> None:
    """Port 1 of this machine answers nobody: whoever connected would fail."""
    answer = tunebench(
        "capture",
        project,
        "--host",
        "root@127.0.0.1:1",
        "--probe",
        "linux.vmstat",
        "--interval",
        1,
        "--duration",
        60,
        "--run",
        "before",
        "--plan",
        "--json",
    )
    assert answer.code == 0, answer.err
    plan = answer.json
    (command,) = (c for c in plan["commands"] if c["probe"] == "linux.vmstat")
    assert command["command"].startswith("vmstat ")
    assert "vmstat" in command["verbatim"]
    assert command["verbatim"].startswith("exec ")
    assert f"cap{plan['nonce']}" in command["verbatim"]
    assert len(plan["digest"]) == 64
    text = tunebench("capture", project, "--host", "root@127.0.0.1:1", "--probe", "vmstat", "--plan", "--lang", "ko")
    assert text.code == 0
    assert "vmstat" in text.out


def test_a_live_capture_is_in_the_project_with_its_evidence(
    project: Path, tunebench: Command, place: list[str]
) -> None:
    answer = tunebench(
        "capture",
        project,
        *place,
        "--probe",
        "linux.vmstat",
        "linux.mpstat",
        "--interval",
        1,
        "--duration",
        7,
        "--run",
        "before",
        "--phase",
        "before",
        "--json",
    )
    assert answer.code == 0, answer.err
    (host,) = answer.json["hosts"]
    streams = {stream["probe"]: stream for stream in host["streams"]}
    for probe in ("linux.vmstat", "linux.mpstat"):
        stream = streams[probe]
        assert stream["state"] == "verified", stream
        assert stream["left_behind"] == "none"
        assert stream["samples"] > 0
        assert stream["gaps"] == []
        # a busy machine lets the capture's end come before the tool's own; what a signal ended is not summed up
        assert stream["cpu_s"] is not None or stream["exit"] > 128
    assert "vmstat" in streams["linux.vmstat"]["tool_version"]
    assert abs(host["clock"][0]["offset_ms"]) < 1000
    assert host["overhead"]["measured_s"] >= 4
    assert 0 <= host["overhead"]["cpu_pct"] < 30
    assert host["overhead"]["processes"] > 8  # three commands with a shell, a second one, a watcher and a tool each
    info = tunebench("info", project, "--json").json
    assert info["runs"][0]["label"] == "before"
    series = tunebench("series", project, "--run", "before", "--json").json
    assert {"us", "sy", "id"} <= {s["native"] for s in series}
    assert all(s["host"] == "127.0.0.1" for s in series)
    (busy,) = (s for s in series if s["native"] == "id" and s["tool"] == "vmstat")
    assert 4 <= busy["count"] <= 8
    assert tunebench("check", project).code == 0
    assert not project.with_name("acme.capture").exists()
    with open_project(project, read_only=True) as known:
        told = live_capture(known, lambda _artefact: "")
        assert told is not None
        (overhead,) = told.sessions[0].overheads
        assert overhead.cpu_s == pytest.approx(host["overhead"]["cpu_s"], abs=0.001)


def test_an_unknown_host_key_is_refused_unattended_and_accepted_by_name(
    project: Path, tunebench: Command, sshd: Sshd
) -> None:
    profile = sshd.profile()
    words = [
        "host",
        project,
        "test",
        f"{profile.user}@{profile.address}:{profile.port}",
        "--identity",
        profile.identity,
    ]
    sshd.forget_host()
    refused = tunebench(*words)
    assert refused.code == 3
    assert sshd.fingerprint in refused.err
    assert "userauth-request" not in sshd.log
    accepted = tunebench(*words, "--accept-host-key", sshd.fingerprint, "--json")
    assert accepted.code == 0, accepted.err
    assert accepted.json["connection"]["fingerprint"] == sshd.fingerprint
    assert accepted.json["system"]["os"] == "linux"
    keys = tunebench("host", project, "keys", "--json").json
    assert [key["fingerprint"] for key in keys] == [sshd.fingerprint]
    assert tunebench(*words).code == 0  # known now


def test_a_changed_host_key_is_refused(project: Path, tunebench: Command, sshd: Sshd, place: list[str]) -> None:
    sshd.swap_host_key("ed25519")
    sshd.restart()
    answer = tunebench("capture", project, *place, "--probe", "vmstat", "--duration", 3, "--run", "x", "--json")
    assert answer.code == 3
    assert "key" in answer.err.lower()


def test_profiles_are_kept_listed_and_removed(project: Path, tunebench: Command) -> None:
    assert tunebench("host", project, "add", "db01", "--address", "192.0.2.7", "--user", "oper").code == 0
    (listed,) = tunebench("host", project, "list", "--json").json
    assert (listed["name"], listed["address"], listed["user"]) == ("db01", "192.0.2.7", "oper")
    shown = tunebench("host", project, "show", "db01", "--json").json
    assert shown["resolved"]["hops"][-1]["address"] == "192.0.2.7"
    assert tunebench("host", project, "add", "bad name", "--address", "x").code == 3
    assert tunebench("host", project, "remove", "db01").code == 0
    assert tunebench("host", project, "list", "--json").json == []


def test_no_secret_of_the_key_is_in_the_project(
    project: Path, tunebench: Command, sshd: Sshd, place: list[str]
) -> None:
    tunebench("capture", project, *place, "--probe", "vmstat", "--duration", 2, "--run", "x")
    secret = [line for line in Path(sshd.profile().identity).read_text().splitlines() if len(line) == 70]
    content = project.read_bytes()
    assert secret
    assert not any(line.encode() in content for line in secret)
    with sqlite3.connect(project) as connection:
        actions = [row[0] for row in connection.execute("SELECT action FROM audit")]
    connection.close()
    assert {"ssh_connected", "plan_approved", "capture_started", "capture_command", "capture_cleaned"} <= set(actions)


def test_bad_words_are_refused_with_a_sentence(project: Path, tunebench: Command) -> None:
    assert tunebench("capture", project, "--probe", "vmstat", "--run", "x").code == 3
    assert tunebench("capture", project, "--host", "a@b:99999", "--run", "x", "--plan").code == 3
    answer = tunebench("capture", project, "--host", "a@b", "--probe", "no.such.probe", "--run", "x", "--plan")
    assert answer.code == 3
    assert "no.such.probe" in answer.err


@pytest.fixture
def killed(project: Path, place: list[str]) -> Path:
    """The folder of a capture whose TuneBench was killed in the middle."""
    return _killed(project, *place, "--probe", "vmstat", "--duration", "60", "--approved-by", "Kim")


def _killed(project: Path, *words: str) -> Path:
    folder = project.with_name("acme.capture") / "session-0001"
    command = [sys.executable, "main.py", "capture", str(project), *words]
    with subprocess.Popen(command, cwd=ROOT, stderr=subprocess.DEVNULL) as running:
        try:
            assert wait_until(lambda: (folder / "session.json").exists() and _lines_of(folder) > 3, 30.0)
        finally:
            running.kill()
    return folder


def _lines_of(folder: Path) -> int:
    return sum(stream.lines for stream in read_session(folder).streams.values() if "vmstat" in stream.command.id)


def _with_another_line(plan: str, line: str) -> CapturePlan:
    read = CapturePlan.from_json(plan)
    (vmstat,) = (one for one in read.commands if one.probe == "linux.vmstat")
    other = replace(vmstat, verbatim=vmstat.verbatim.replace("vmstat -", f"{line};vmstat -"))
    assert other != vmstat
    return replace(read, commands=tuple(other if one is vmstat else one for one in read.commands))


def test_what_the_project_did_not_approve_is_not_sent_on_resuming(
    project: Path, tunebench: Command, killed: Path, tmp_path: Path
) -> None:
    foreign = tmp_path / "foreign"
    told = json.loads((killed / "session.json").read_text())
    changed = _with_another_line(told["plan"], f"touch {foreign}")
    told["plan"], told["approval"]["digest"] = changed.to_json(), changed.digest
    told["planned_end_ns"] += 60 * 10**9
    (killed / "session.json").write_text(json.dumps(told))
    refused = tunebench("capture", project, "--resume", "--lang", "en")
    assert refused.code == 3
    assert "(plan, approval, planned_end_ns)" in refused.err
    assert not foreign.exists()
    stored = tunebench("capture", project, "--finish", "--json")
    (host,) = stored.json["hosts"]
    (vmstat,) = (stream for stream in host["streams"] if stream["probe"] == "linux.vmstat")
    assert vmstat["samples"] > 0
    assert not foreign.exists()
    assert tunebench("check", project).code == 0


def test_a_plan_that_was_changed_with_its_approval_is_not_sent(
    project: Path, tunebench: Command, killed: Path, tmp_path: Path
) -> None:
    foreign = tmp_path / "foreign"
    with closing(sqlite3.connect(project)) as connection:
        (plan,) = connection.execute("SELECT plan FROM capture_plan").fetchone()
        changed = _with_another_line(plan, f"touch {foreign}")
        connection.execute("UPDATE capture_plan SET plan = ?, digest = ?", (changed.to_json(), changed.digest))
        connection.execute("UPDATE approval SET digest = ?", (changed.digest,))
        connection.commit()
    refused = tunebench("capture", project, "--approved-plan", changed.digest, "--lang", "en")
    assert refused.code == 3
    assert "audit trail" in refused.err
    assert not foreign.exists()


@pytest.fixture
def approvers(sshd: Sshd, tmp_path: Path) -> Iterator[dict[str, Path]]:
    """Keys of Park and of a stranger; this machine remembers nothing of any engagement, before or afterwards."""
    memory = user_config_folder() / FILE
    memory.unlink(missing_ok=True)
    yield {name: make_key(tmp_path / name) for name in ("Park", "stranger")}
    memory.unlink(missing_ok=True)


@pytest.mark.parametrize("policy", ["signed", "four_eyes"])
def test_a_signed_capture_goes_on_under_its_signature_alone(
    project: Path, tunebench: Command, sshd: Sshd, place: list[str], approvers: dict[str, Path], policy: str
) -> None:
    """What was edited while it was interrupted sends nothing: the server's own log tells. As it was, it goes on."""
    key, foreign = f"approver_key={public_key(approvers['Park'])}", sshd.folder / "foreign"
    assert tunebench("cycle", project, "add", "contact", "name=Park", key).code == 0
    assert tunebench("cycle", project, "set", "engagement", f"approvals={policy}").code == 0
    wanted = [*place, "--probe", "vmstat", "--duration", str(SIGNED_S)]
    signed = [*wanted, "--approved-by", "Park", "--key", str(approvers["Park"])]
    folder = _killed(project, *signed)
    lines, told = _lines_of(folder), json.loads((folder / "session.json").read_text())
    assert wait_until(lambda: not sshd.account_pids(), 30.0)
    with open_project(project) as opened:  # who opens it first finds it cut off
        (plan, signature) = opened.row("SELECT plan, signature FROM capture_plan JOIN approval USING (digest)")
    untouched, sent = project.read_bytes(), sshd.log.count("Starting session: command")
    assert signature and sent
    other = _with_another_line(plan, f"touch {foreign}")
    digest = told["approval"]["digest"]
    unsigned = {**told, "approval": {**told["approval"], "signature": ""}}
    replaced = {**told, "plan": other.to_json(), "approval": {**told["approval"], "digest": other.digest}}
    park, stranger = (public_key(approvers[name]).split()[1] for name in ("Park", "stranger"))

    def without_signature(connection: sqlite3.Connection) -> None:
        connection.execute("UPDATE approval SET signature = ''")
        _rewritten(connection, "audit", "facts", json.dumps(signature)[1:-1], "")

    def with_easier_policy(connection: sqlite3.Connection) -> None:
        connection.execute("UPDATE property SET value = 'none' WHERE name = 'approvals'")
        _rewritten(connection, "audit", "facts", f'["none","{policy}"]', '["none","none"]')
        without_signature(connection)

    def with_another_plan(connection: sqlite3.Connection) -> None:
        connection.execute("UPDATE capture_plan SET plan = ?, digest = ?", (other.to_json(), other.digest))
        for table, column in (("approval", "digest"), ("capture_session", "digest"), ("audit", "facts")):
            _rewritten(connection, table, column, digest, other.digest)

    def by_another_person(connection: sqlite3.Connection) -> None:
        for table, column in (("approval", "approved_by"), ("cycle_record", "body"), ("audit", "facts")):
            _rewritten(connection, table, column, "Park", "Choi")

    def with_another_key(connection: sqlite3.Connection) -> None:
        for table, column in (("cycle_record", "body"), ("audit", "facts")):
            _rewritten(connection, table, column, park, stranger)

    edits = {
        "session file: another line": (replaced, None, "(plan, approval)"),
        "session file: no signature": (unsigned, None, "(approval)"),
        "project: no signature": (unsigned, without_signature, "is not signed with a key"),
        "project: an easier policy": (unsigned, with_easier_policy, "is not signed with a key"),
        "project: another plan": (replaced, with_another_plan, "is not of what is to be approved"),
        "project: another approver": (told, by_another_person, "is not of what is to be approved"),
        "project: another key of the approver": (told, with_another_key, "by another key than that of Park"),
    }
    for name, (session, edit, words) in edits.items():
        (folder / "session.json").write_text(json.dumps(session))
        if edit is not None:
            forge(project, edit)
            assert project.read_bytes() != untouched, name
        refused = tunebench("capture", project, "--resume", "--lang", "en")
        assert (refused.code, words in refused.err) == (3, True), (name, refused.err)
        assert sshd.log.count("Starting session: command") == sent, name
        project.write_bytes(untouched)
    (folder / "session.json").write_text(json.dumps(told))
    resumed = tunebench("capture", project, "--resume", "--json")
    assert resumed.code == 0, resumed.err
    assert resumed.json["state"] == "finished"
    (vmstat,) = (each for each in resumed.json["hosts"][0]["streams"] if each["probe"] == "linux.vmstat")
    assert vmstat["samples"] > lines - HEADINGS
    assert sshd.log.count("Starting session: command") > sent and not foreign.exists()
    with open_project(project, read_only=True) as opened:
        actions = [entry.action for entry in audit.list_audit(opened)]
    assert actions.count("capture_started") == actions.count("capture_resumed") == 1
    assert tunebench("check", project, "--verify-signatures").code == 0


def _rewritten(connection: sqlite3.Connection, table: str, column: str, old: str, new: str) -> None:
    """Where it is not there the test would prove nothing."""
    done = connection.execute(
        f"UPDATE {table} SET {column} = replace({column}, :old, :new) WHERE instr({column}, :old)",
        {"old": old, "new": new},
    )
    assert done.rowcount > 0, (table, column, old)


@pytest.mark.parametrize(("shell", "words"), [("rbash", "restricted"), ("nologin", "account")])
def test_an_account_that_runs_no_command_is_no_capture(
    project: Path, tunebench: Command, sshd: Sshd, place: list[str], accounts: Accounts, shell: str, words: str
) -> None:
    """It ends when nothing can come any more, not at the planned end, and says that nothing came."""
    path = shutil.which(shell, path="/bin:/usr/bin:/sbin:/usr/sbin")
    if path is None:
        pytest.skip(f"{shell} is not installed")
    user = accounts.add(path).name
    place[1] = f"{user}@{sshd.address}:{sshd.port}"
    answer = tunebench("capture", project, *place, "--probe", "vmstat", "--duration", 300, "--lang", "en", "--json")
    assert answer.code == 3
    assert words in answer.err
    assert "{" not in answer.err
    assert answer.json["state"] == "failed"
    (vmstat,) = (one for one in answer.json["hosts"][0]["streams"] if one["probe"] == "linux.vmstat")
    assert (vmstat["state"], vmstat["samples"]) == ("failed", 0)
    (gap,) = vmstat["gaps"]
    assert gap["to"] is None
    begun, ended, missing = (
        datetime.fromisoformat(at) for at in (answer.json["started"], answer.json["ended"], gap["from"])
    )
    assert (ended - begun).total_seconds() < 200
    assert abs((missing - begun).total_seconds()) < 5


def test_a_server_that_answers_without_end_is_left_and_fills_no_disk(
    project: Path, tunebench: Command, sshd: Sshd, place: list[str]
) -> None:
    sshd.restart("ForceCommand yes")
    answer = tunebench("capture", project, *place, "--probe", "vmstat", "--duration", 300, "--lang", "en", "--json")
    assert answer.code == 3
    assert "more than 1 MiB" in answer.err
    assert answer.json["state"] == "failed"
    assert sum(path.stat().st_size for path in project.parent.rglob("*") if path.is_file()) < 8 << 20
    begun, ended = (datetime.fromisoformat(answer.json[name]) for name in ("started", "ended"))
    assert (ended - begun).total_seconds() < 200


@pytest.fixture
def open_folder() -> Iterator[Path]:
    """One that every account may look into."""
    with TemporaryDirectory() as name:
        Path(name).chmod(0o755)
        yield Path(name)


@pytest.mark.parametrize(
    ("script", "words"),
    [
        (
            "while :; do echo ' 1  0      0 100 100 100    0    0     0     0  100  100  1  1 98  0  0'; done",
            "far more",
        ),
        ("while :; do printf 0123456789abcdef; done", "did not end"),
    ],
    ids=["lines", "line"],
)
def test_a_command_without_end_stops_at_its_bound_and_keeps_what_came(
    project: Path, tunebench: Command, sshd: Sshd, place: list[str], open_folder: Path, script: str, words: str
) -> None:
    tools = open_folder
    shipped = shutil.which("vmstat")
    heading = f'[ "$1" = -V ] && exec {shipped} -V\n{shipped} -n 1 1\n'  # headings and a row, as ever
    (tools / "vmstat").write_text(f"#!/bin/bash\n{heading}{script}\n")
    (tools / "vmstat").chmod(0o755)
    sshd.restart(f'ForceCommand exec env PATH={tools}:/usr/bin:/bin:/usr/sbin:/sbin sh -c "$SSH_ORIGINAL_COMMAND"')
    wanted = ("--probe", "vmstat", "linux.mpstat", "--interval", 1, "--duration", 6)
    answer = tunebench("capture", project, *place, *wanted, "--lang", "en", "--json")
    assert (answer.code, words in answer.err) == (4, True), answer.err
    streams = {stream["probe"]: stream for stream in answer.json["hosts"][0]["streams"]}
    vmstat = streams["linux.vmstat"]
    assert (vmstat["state"], vmstat["gaps"][-1]["cause"]) == ("failed", "limit_reached")
    assert streams["linux.mpstat"]["state"] == "verified"
    assert 0 < project.stat().st_size < 24 << 20
    assert tunebench("check", project).code == 0
    with open_project(project, read_only=True) as opened:
        (capture,) = (each for each in list_artefacts(opened) if "vmstat" in each.name)
    assert 2 << 10 < capture.size_bytes < 8 << 20
    alone = tunebench(
        "capture", project, *place, "--probe", "vmstat", "--duration", 6, "--run", "alone", "--lang", "en"
    )
    assert (alone.code, "what came until then" in alone.err or "that came until then" in alone.err) == (4, True), (
        alone.err
    )


def test_what_a_server_asks_cannot_steer_the_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    """Title, instructions and prompts are the server's words; a cleared screen could show a question of ours."""
    shown = io.StringIO()
    hidden: list[str] = []

    def getpass(words: str, stream: object) -> str:
        hidden.append(words)
        return "secret"

    monkeypatch.setattr("tunebench.cli.prompter.is_attended", lambda: True)
    monkeypatch.setattr("sys.stdin", io.StringIO("123456\n"))
    monkeypatch.setattr("getpass.getpass", getpass)
    prompter = TerminalPrompter(Console("en", False, err=shown))
    title, instructions = "\x1b]0;root\x07Log-in", "\x1b[2J\u202eYour code\nis on the card"
    prompts = (Prompt("\x1b[8mCode: ", True), Prompt("\x9b1APassword: ", False))
    question = PromptsQuestion("server", "user", title, instructions, prompts)
    assert prompter.answers(question) == ["123456", "secret"]
    told = shown.getvalue() + "".join(hidden)
    assert told.replace("\n", "").isprintable(), ascii(told)
    assert all(words in told for words in ("Log-in", "is on the card", "Code: ", "Password: "))
