"""Approvals by key on the command line: what a policy refuses, what OpenSSH signs, and who recomputes the trail."""

from __future__ import annotations

import json
import shutil
import sqlite3
import subprocess
from pathlib import Path

import pytest

from tests.cycle_cheats import REASON
from tests.e2e.conftest import Command
from tests.e2e.forging import entered, forge, said_otherwise
from tests.program import forget_approvers
from tests.ui import made_cycle
from tests.ui.made_cycle import AT
from tunebench.cli import asked_keys
from tunebench.cli.console import Console
from tunebench.core.paths import user_config_folder
from tunebench.domain.cycle.records import Contact, Figure, Metric
from tunebench.domain.engagement import Approvals
from tunebench.store.engagements import read_engagement
from tunebench.store.opening import open_project
from tunebench.store.trusted import FILE
from tunebench.usecases.cycle import reading
from tunebench.usecases.cycle.acts import record_result

pytestmark = pytest.mark.skipif(shutil.which("ssh-keygen") is None, reason="OpenSSH's ssh-keygen is not installed")


@pytest.fixture(autouse=True)
def forgotten() -> None:
    forget_approvers()


def ssh_key(folder: Path, name: str) -> Path:
    """As an approver brings it: made by OpenSSH, without a passphrase."""
    path = folder / name
    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", name, "-f", path], check=True)
    return path


@pytest.fixture
def keys(tmp_path: Path) -> dict[str, Path]:
    return {name: ssh_key(tmp_path, name) for name in ("park", "choi", "stranger")}


@pytest.fixture
def ids(project: Path, keys: dict[str, Path], tunebench: Command) -> dict[str, int]:
    """An iteration whose result missed its target, and a second countermeasure, proposed; Park and Choi have keys."""
    with open_project(project) as opened:
        ids = made_cycle.fill(opened)
        maker = made_cycle.CycleMaker(opened)
        again = maker.add(made_cycle.worksheet(ids["iteration"], ids["time"], ids["cause"]))
    for name in ("park", "choi"):
        line = keys[name].with_suffix(".pub").read_text()
        words = (f"name={name.title()}", f"approver_key={line}")
        assert tunebench("cycle", project, "add", "contact", *words).code == 0
    assert tunebench("cycle", project, "set", "engagement", "approvals=signed").code == 0
    return {**ids, "again": again.id}


def test_only_what_the_policy_takes_is_an_approval(
    project: Path, ids: dict[str, int], keys: dict[str, Path], tunebench: Command
) -> None:
    approve = ("cycle", project, "approve", f"action.{ids['again']}")
    refused = {
        "a stranger": ("--name", "Lee", "--key", keys["stranger"]),
        "no signature": ("--name", "Park"),
        "the number of a document": ("--name", "Park", "--signature", "document 12"),
        "another's key": ("--name", "Park", "--key", keys["choi"]),
        "a key that nobody entered": ("--name", "Park", "--key", keys["stranger"]),
    }
    for language in ("en", "ko"):
        told = set()
        for name, words in refused.items():
            answer = tunebench(*approve, *words, "--lang", language)
            assert answer.code == 3 and "⟨" not in answer.err, (name, answer.err)
            told.add(answer.err)
        assert len(told) == 3  # unknown, unsigned, foreign
    assert tunebench(*approve, "--name", "Park", "--key", keys["park"]).code == 0
    assert tunebench("cycle", project, "execute", f"action.{ids['again']}", "--by", "Kim").code == 0
    for policy, code in (("named", 3), ("none", 0)):
        maker_words = ("cycle", project, "set", "engagement", f"approvals={policy}")
        assert tunebench(*maker_words).code == 0
        with open_project(project) as opened:
            maker = made_cycle.CycleMaker(opened)
            another = maker.add(made_cycle.worksheet(ids["iteration"], ids["time"], ids["cause"]))
        assert tunebench("cycle", project, "approve", f"action.{another.id}", "--name", "Lee").code == code, policy
        assert tunebench("cycle", project, "approve", f"action.{another.id}", "--name", "Park").code == 0
    shown = tunebench("cycle", project, "show", "--lang", "en").out
    assert "eased" in shown


def test_four_eyes(project: Path, ids: dict[str, int], keys: dict[str, Path], tunebench: Command) -> None:
    assert tunebench("cycle", project, "set", "engagement", "approvals=four_eyes").code == 0
    action = f"action.{ids['again']}"
    assert tunebench("cycle", project, "approve", action, "--name", "Park", "--key", keys["park"]).code == 0
    assert tunebench("cycle", project, "execute", action, "--by", "PARK.").code == 3
    assert tunebench("cycle", project, "execute", action, "--by", "Kim").code == 0


def test_a_signature_of_openssh_counts_and_for_these_words_alone(
    project: Path, ids: dict[str, int], keys: dict[str, Path], tunebench: Command, tmp_path: Path
) -> None:
    text, action = tmp_path / "approval.txt", f"action.{ids['again']}"
    assert tunebench("key", "text", project, action, "--name", "Park", "--at", AT, "--out", text).code == 0
    sign = ["ssh-keygen", "-Y", "sign", "-q", "-n", "tunebench", "-f", str(keys["park"]), str(text)]
    subprocess.run(sign, check=True)
    approve = ("cycle", project, "approve", action, "--signature", f"{text}.sig")
    for words in (("--name", "Choi", "--at", AT), ("--name", "Park", "--at", "2026-07-20T22:00:01+09:00")):
        assert tunebench(*approve, *words).code == 3
    assert tunebench("cycle", project, "set", action, "title=Something else").code == 0
    assert tunebench(*approve, "--name", "Park", "--at", AT).code == 3  # signed was another title
    assert tunebench("cycle", project, "set", action, "title=Larger read-ahead").code == 0
    assert tunebench(*approve, "--name", "Park", "--at", AT).code == 0
    assert _signatures(tunebench, project)[1]["state"] == "failed"  # the first countermeasure was never signed


def test_an_encrypted_key_is_made_and_its_passphrase_asked_for(
    tmp_path: Path, tunebench: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "kim"
    assert tunebench("key", "new", path).code == 3 and not path.exists()  # nobody to be asked
    typed = iter(["correct horse", "another", "short", "short", *("correct horse",) * 5])
    monkeypatch.setattr(asked_keys, "is_attended", lambda: True)
    monkeypatch.setattr(Console, "ask_hidden", lambda *_: next(typed))
    assert tunebench("key", "new", path).code == 3
    assert tunebench("key", "new", path).code == 3 and not path.exists()
    made = tunebench("key", "new", path, "--comment", "kim@bank", "--json").json
    assert path.stat().st_mode & 0o777 == 0o600
    listed = subprocess.run(["ssh-keygen", "-l", "-f", f"{path}.pub"], check=True, capture_output=True, text=True)
    assert made["fingerprint"] in listed.stdout and "kim@bank" in listed.stdout
    opened = subprocess.run(["ssh-keygen", "-y", "-P", "correct horse", "-f", path], capture_output=True, text=True)
    assert opened.stdout.split()[:2] == made["public"].split()
    assert subprocess.run(["ssh-keygen", "-y", "-P", "wrong", "-f", path], capture_output=True).returncode != 0
    assert tunebench("key", "show", path, "--json").json == made
    assert tunebench("key", "new", path, "--lang", "ko").code == 3  # no key is overwritten


def _signatures(tunebench: Command, project: Path, *keys: object) -> tuple[int, dict]:
    answer = tunebench("check", project, "--json", "--verify-signatures", *keys)
    return answer.code, next(each for each in answer.json if each["check"] == "signatures")


@pytest.fixture
def closed(project: Path, keys: dict[str, Path], tunebench: Command) -> Path:
    """An iteration that was approved, carried out, measured and closed under the policy of signatures."""
    for name in ("park", "choi"):
        line = keys[name].with_suffix(".pub").read_text()
        assert tunebench("cycle", project, "add", "contact", f"name={name.title()}", f"approver_key={line}").code == 0
    with open_project(project) as opened:
        maker = made_cycle.CycleMaker(opened)
        iteration = maker.open()
    for words in (
        ("add", "metric", "name=Order time", "source=manual:stop watch", "statistic=mean", "unit=s", "direction=lower"),
        ("add", "target", "metric=metric", "baseline=50 @ stop watch", "value=20", "priority=1"),
        ("add", "cause", "domain=system", "title=Small reads"),
        (
            "add",
            "action",
            "title=Larger read-ahead",
            "changes+=parameter=maxcontig; old=16; new=128",
            "no_price_reason=read-only",
            "rollback.command=tunefs -a 16",
            "causes=cause",
            "verifications+=metric=metric",
        ),
        ("approve", "action", "--name", "Park", "--key", keys["park"]),
        ("execute", "action", "--by", "Kim"),
    ):
        answer = tunebench("cycle", project, *words)
        assert answer.code == 0, (words, answer.err)
    assert tunebench("cycle", project, "set", "engagement", "approvals=signed").code == 0
    with open_project(project) as opened:
        maker = made_cycle.CycleMaker(opened)
        metric = next(each for each in maker.book.all(Metric) if each.guards is None)
        figure = Figure(25.0, source="stop watch")
        maker.do(record_result(maker.book, metric.id, figure))
    close = ("cycle", project, "close", "--by", "Choi", "--reason", REASON)
    assert tunebench(*close).code == 3  # the trail is to be signed
    assert tunebench(*close, "--key", keys["park"]).code == 3  # by the one who closes
    answer = tunebench(*close, "--key", keys["choi"])
    assert answer.code == 0, answer.err
    assert iteration.id
    return project


def test_who_recomputes_the_trail_is_found(closed: Path, keys: dict[str, Path], tunebench: Command) -> None:
    pubs = [keys[name].with_suffix(".pub") for name in ("park", "choi")]
    for words in ((), pubs):
        code, found = _signatures(tunebench, closed, *words)
        assert (code, found["state"], found["facts"]["total"]) == (0, "ok", 2), found
    untouched = closed.read_bytes()

    def retitled(connection: sqlite3.Connection) -> None:
        said_otherwise(connection, "Larger read-ahead", "Smaller read-ahead")

    def easier(connection: sqlite3.Connection) -> None:
        said_otherwise(connection, "20.0", "30.0")

    def measured(connection: sqlite3.Connection) -> None:
        said_otherwise(connection, "25.0", "15.0")

    def unsigned(connection: sqlite3.Connection) -> None:
        connection.execute("DELETE FROM audit WHERE action = 'trail_signed'")

    def another_key(connection: sqlite3.Connection) -> None:
        for name in ("park", "choi"):
            old, new = (keys[each].with_suffix(".pub").read_text().split()[1] for each in (name, "stranger"))
            said_otherwise(connection, old, new)

    for name, edit in (
        ("title", retitled),
        ("target", easier),
        ("result", measured),
        ("unsigned", unsigned),
        ("key", another_key),
    ):
        forge(closed, edit)
        for words in ((), pubs):
            answer = tunebench("check", closed, "--json", "--verify-signatures", *words)
            states = {each["check"]: each["state"] for each in answer.json if each["state"] != "ok"}
            assert answer.code == 3 and states == {"signatures": "failed"}, (name, states)
            for language in ("en", "ko"):
                told = tunebench("check", closed, "--lang", language, "--verify-signatures", *words)
                assert "⟨" not in told.out and told.code == 3
        closed.write_bytes(untouched)


def test_an_eased_policy_and_a_foreign_key_do_not_help(closed: Path, keys: dict[str, Path], tunebench: Command) -> None:
    """With keys that were had from the approvers nothing that the file says of itself counts."""
    forge(closed, _eased)
    assert _signatures(tunebench, closed)[1]["state"] == "ok"  # what is left is signed
    code, found = _signatures(tunebench, closed, keys["stranger"].with_suffix(".pub"))
    assert code == 3 and {each["lack"] for each in found["facts"]["found"]} >= {"untrusted"}
    broken = keys["stranger"]
    assert tunebench("check", closed, "--verify-signatures", broken).code == 3  # no public key


def _eased(connection: sqlite3.Connection) -> None:
    connection.execute("UPDATE property SET value = 'none' WHERE name = 'approvals'")
    entered(connection, "engagement_changed", changes={"approvals": ["signed", "none"]})


def test_no_command_is_sent_under_a_forged_approval(
    project: Path, ids: dict[str, int], keys: dict[str, Path], tunebench: Command, tmp_path: Path
) -> None:
    capture = ("capture", project, "--host", "kim@127.0.0.1:1", "--probe", "vmstat", "--duration", "1")
    drafted = tunebench(*capture, "--sheet", tmp_path / "sheet.pdf", "--json")
    digest = drafted.json["digest"]
    start = ("capture", project, "--approved-plan", digest, "--lang", "en")
    unsigned = tunebench(*start, "--approved-by", "Park")
    assert unsigned.code == 3 and "not signed" in unsigned.err

    def approved(connection: sqlite3.Connection) -> None:
        facts = {
            "digest": digest,
            "approved_by": "Park",
            "approved_at": AT,
            "how": "spoken",
            "note": "",
            "signature": "",
        }
        connection.execute(
            "INSERT INTO approval (digest, approved_by, approved_at, how, note, signature)"
            " VALUES (:digest, :approved_by, :approved_at, :how, :note, :signature)",
            facts,
        )
        entered(connection, "plan_approved", **facts)
        _eased(connection)

    untouched = project.read_bytes()
    forge(project, approved)
    refused = tunebench(*start)
    assert refused.code == 3 and "not signed" in refused.err
    assert not _sent(project)
    (user_config_folder() / FILE).unlink()  # what the machine remembered is what told the two apart
    assert "not signed" not in tunebench(*start).err
    project.write_bytes(untouched)
    forget_approvers()
    stranger = tunebench(*start, "--approved-by", "Park", "--key", keys["park"])
    assert stranger.code == 3 and "key trust" in stranger.err
    assert tunebench("key", "trust", project).code == 0
    done = tunebench(*start, "--approved-by", "Park", "--key", keys["park"])
    assert "begins" in done.err or digest[:12] in done.err  # it tried to connect: nobody listens there
    assert _signatures(tunebench, project)[1]["facts"]["total"] >= 1


def _sent(project: Path) -> list[object]:
    with sqlite3.connect(project) as connection:
        return connection.execute("SELECT facts FROM audit WHERE action = 'capture_command'").fetchall()


def test_the_end_of_the_trail_for_a_time_stamp_service(closed: Path, tmp_path: Path, tunebench: Command) -> None:
    if shutil.which("openssl") is None:
        pytest.skip("openssl is not installed")
    path = tmp_path / "trail.tsq"
    told = tunebench("key", "request", closed, path, "--json").json
    shown = subprocess.run(
        ["openssl", "ts", "-query", "-in", path, "-text"], check=True, capture_output=True, text=True
    ).stdout
    octets = "".join(
        "".join(line[11:58].replace("-", " ").split()) for line in shown.splitlines() if " - " in line[:12]
    )
    assert octets == told["digest"] and "sha256" in shown
    with sqlite3.connect(closed) as connection:
        (head,) = connection.execute("SELECT value FROM property WHERE name = 'audit_head'").fetchone()
    assert head == f"{told['entry']} {told['digest']}"
    assert json.dumps(told)


@pytest.mark.parametrize("spoilt", ["[[[[", "5", '[{"first": "a"}]', "[" * 100_000])
def test_a_memory_that_cannot_be_read_refuses_and_changes_nothing(
    project: Path, keys: dict[str, Path], tunebench: Command, spoilt: str
) -> None:
    assert tunebench("cycle", project, "set", "engagement", "approvals=signed").code == 0
    (user_config_folder() / FILE).write_text(spoilt)
    line = keys["park"].with_suffix(".pub").read_text()
    for _ in range(2):
        assert tunebench("cycle", project, "set", "engagement", "approvals=named").code == 3
        assert tunebench("cycle", project, "add", "contact", "name=Park", f"approver_key={line}").code == 3
    (user_config_folder() / FILE).unlink()
    with open_project(project, read_only=True) as opened:
        assert not reading.read(opened).all(Contact)
        assert read_engagement(opened).approvals is Approvals.SIGNED


def test_a_signature_is_for_one_engagement(
    project: Path, ids: dict[str, int], keys: dict[str, Path], tunebench: Command, tmp_path: Path
) -> None:
    """The same countermeasure word for word in another engagement is not approved by the signature."""
    other = tmp_path / "other.tune"
    assert tunebench("new", other, "--customer", "Other").code == 0
    with open_project(other) as opened:
        again = made_cycle.fill(opened)
        made_cycle.CycleMaker(opened).add(made_cycle.worksheet(again["iteration"], again["time"], again["cause"]))
    told = [
        json.loads(tunebench("key", "text", each, f"action.{ids['again']}", "--name", "Park", "--at", AT, "--json").out)
        for each in (project, other)
    ]
    lines = [each["text"].splitlines() for each in told]
    assert [one for one, two in zip(*lines, strict=True) if one != two] == [lines[0][1]]
    assert lines[0][1].startswith("engagement: ")
