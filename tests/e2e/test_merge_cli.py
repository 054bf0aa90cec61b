"""Two copies of one engagement, edited apart by two people, become one project again."""

from __future__ import annotations

import json
import os
import signal
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from tests.e2e.conftest import Command
from tests.program import main
from tests.waiting import wait_until
from tunebench.core import sealing
from tunebench.domain.windows import Window
from tunebench.store.artefacts import list_artefacts
from tunebench.store.audit import branches
from tunebench.store.audit import trail as audit
from tunebench.store.cycle.records import read_book
from tunebench.store.opening import open_project
from tunebench.store.parts import left_out
from tunebench.store.runs import list_runs

SAR = """Linux 5.14.0 (db09)  07/06/2026  _x86_64_ (4 CPU)

09:00:01 AM     CPU     %user     %nice   %system   %iowait    %steal     %idle
09:10:01 AM     all     {a}.00      0.00      5.00      1.00      0.00     60.00
09:20:01 AM     all     {a}.50      0.00      5.00      1.00      0.00     60.00
09:30:01 AM     all     {a}.25      0.00      5.00      1.00      0.00     60.00
"""


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("demo") / "demo.tune"
    assert main(["demo", str(path), "--lang", "en"]) == 0
    return path


@pytest.fixture
def copies(demo: Path, tmp_path: Path) -> tuple[Path, Path]:
    mine, theirs = tmp_path / "mine.tune", tmp_path / "theirs.tune"
    for path in (mine, theirs):
        path.write_bytes(demo.read_bytes())
    return mine, theirs


def sar(path: Path, user: int) -> Path:
    path.write_text(SAR.format(a=user))
    return path


def window(tunebench: Command, project: Path, name: str, hour: int) -> None:
    span = ("--from", f"2026-08-18T{hour:02}:00", "--to", f"2026-08-18T{hour:02}:50")
    assert tunebench("window", project, "add", name, "--role", "other", *span).code == 0


def windows(project: Path) -> list[str]:
    with open_project(project, read_only=True) as opened:
        return [window.name for window in read_book(opened).all(Window)]


def clean(tunebench: Command, project: Path) -> None:
    answer = tunebench("check", project, "--json")
    assert [each for each in answer.json if each["state"] == "failed"] == []


def test_what_both_did_is_there_and_conflicts_are_named(
    copies: tuple[Path, Path], tmp_path: Path, tunebench: Command
) -> None:
    mine, theirs = copies
    window(tunebench, mine, "mine only", 15)
    window(tunebench, theirs, "theirs only", 16)
    window(tunebench, mine, "peak", 9)
    window(tunebench, theirs, "peak", 10)
    for project, user in ((mine, 10), (theirs, 20)):
        own = sar(tmp_path / f"sar{user}.txt", user)
        assert tunebench("import", project, own, "--run", f"run{user}", "--tz", "Asia/Seoul").code in (0, 4)
    assert tunebench("host", mine, "alias", "db09", "dm-3=/oradata").code == 0
    assert tunebench("host", theirs, "alias", "db09", "dm-4=/backup").code == 0
    before = [path.read_bytes() for path in copies]

    merged = tmp_path / "merged.tune"
    answer = tunebench("merge", mine, theirs, "-o", merged, "--json")
    assert answer.code == 4, answer.err
    (conflict,) = answer.json["conflicts"]
    assert (conflict["subject"], conflict["usual"], conflict["choice"]) == ("window", "both", "")
    assert conflict["mine"]["value"]["name"] == conflict["theirs"]["value"]["name"] == "peak"
    assert conflict["theirs"]["at"] > "2026"
    names = windows(merged)
    assert {"mine only", "theirs only", "peak", "peak (theirs)"} <= set(names)
    with open_project(merged, read_only=True) as opened:
        assert {"run10", "run20"} <= {run.label for run in list_runs(opened)}
        (entry,) = audit.list_audit(opened, "merged")
        (branch,) = branches.list_branches(opened)
        assert entry.facts["branch"] == branch.head == answer.json["theirs"]
        assert branch.entries == answer.json["entries"] > 0
        assert entry.facts["decisions"][0]["decided"] is False  # type: ignore[index]
    clean(tunebench, merged)
    listed = tunebench("host", merged, "alias", "db09").out
    assert "/oradata" in listed and "/backup" in listed
    assert [path.read_bytes() for path in copies] == before
    for language in ("en", "ko"):
        words = tunebench("merge", mine, theirs, "--lang", language).out
        assert "peak" in words and "⟨" not in words


def test_a_plan_decides_and_is_of_these_copies_alone(
    copies: tuple[Path, Path], tmp_path: Path, tunebench: Command
) -> None:
    mine, theirs = copies
    window(tunebench, mine, "peak", 9)
    window(tunebench, theirs, "peak", 10)
    plan = tmp_path / "plan.json"
    assert tunebench("merge", mine, theirs, "--review", plan).code == 0
    document = json.loads(plan.read_text())
    document["conflicts"][0]["choice"] = "mine"
    plan.write_text(json.dumps(document))
    merged = tmp_path / "merged.tune"
    answer = tunebench("merge", mine, theirs, "--plan", plan, "-o", merged, "--json")
    assert (answer.code, answer.json["undecided"]) == (0, [])
    assert windows(merged).count("peak") == 1 and "peak (theirs)" not in windows(merged)
    window(tunebench, theirs, "later", 11)
    refused = tunebench("merge", mine, theirs, "--plan", plan, "-o", tmp_path / "again.tune")
    assert refused.code == 3 and "--review" in refused.err
    for text in ("{", "[]", '{"merge": 1}', json.dumps({**document, "conflicts": 7})):
        plan.write_text(text)
        assert tunebench("merge", mine, theirs, "--plan", plan, "-o", tmp_path / "again.tune").code == 3
    assert not (tmp_path / "again.tune").exists()


def test_a_capture_of_both_with_other_truths_is_a_conflict(
    copies: tuple[Path, Path], tmp_path: Path, tunebench: Command
) -> None:
    mine, theirs = copies
    own = sar(tmp_path / "sar.txt", 33)
    for project, zone in ((mine, "Asia/Seoul"), (theirs, "Europe/Berlin")):
        assert tunebench("import", project, own, "--run", "july", "--tz", zone).code in (0, 4)
    answer = tunebench("merge", mine, theirs, "--json")
    subjects = {conflict["subject"] for conflict in answer.json["conflicts"]}
    assert "capture" in subjects
    (capture,) = [conflict for conflict in answer.json["conflicts"] if conflict["subject"] == "capture"]
    plan, merged = tmp_path / "plan.json", tmp_path / "merged.tune"
    assert tunebench("merge", mine, theirs, "--review", plan).code == 0
    document = json.loads(plan.read_text())
    for conflict in document["conflicts"]:
        conflict["choice"] = "theirs"
    plan.write_text(json.dumps(document))
    assert tunebench("merge", mine, theirs, "--plan", plan, "-o", merged).code == 0
    with open_project(merged, read_only=True) as left, open_project(theirs, read_only=True) as right:
        mine_now, theirs_now = (
            next(info for info in list_artefacts(project) if info.name == "sar.txt") for project in (left, right)
        )
        assert mine_now.given == theirs_now.given == capture["theirs"]["value"]["given"]
        assert mine_now.ledger.first_ns == theirs_now.ledger.first_ns
    clean(tunebench, merged)


def test_bad_input_is_a_sentence_and_writes_nothing(
    copies: tuple[Path, Path], demo: Path, tmp_path: Path, tunebench: Command
) -> None:
    mine, theirs = copies
    window(tunebench, theirs, "w", 15)
    out = tmp_path / "out.tune"
    stranger = tmp_path / "stranger.tune"
    assert tunebench("new", stranger, "--title", "Other", "--customer", "ACME").code == 0
    late = tmp_path / "late.tune"
    late.write_bytes(theirs.read_bytes())
    damaged = tmp_path / "damaged.tune"
    damaged.write_bytes(theirs.read_bytes()[:50_000])
    text = tmp_path / "text.tune"
    text.write_text("no project")
    for words, sentence in (
        ((mine, mine), "the same"),
        ((mine, demo), "the same"),
        ((mine, stranger), "not a copy"),
        ((mine, tmp_path / "none.tune"), "no project file"),
        ((mine, text), "not a TuneBench project"),
        ((mine, damaged), "damaged"),
        ((mine, theirs, "--base", late), "not what both"),
        ((mine, theirs, "--base", stranger), "not what both"),
    ):
        answer = tunebench("merge", *words, "-o", out, "--lang", "en")
        assert answer.code == 3, (words, answer)
        assert sentence in answer.err, answer.err
    assert tunebench("merge", mine, theirs, "-o", mine, "--lang", "en").code == 3
    assert (
        tunebench("merge", mine, theirs, "--base", demo, "-o", tmp_path / "no" / "out.tune", "--lang", "en").code == 3
    )
    assert not out.exists()
    assert [path.name for path in tmp_path.iterdir() if "merging" in path.name] == []


def test_an_open_copy_is_not_merged(copies: tuple[Path, Path], tmp_path: Path, tunebench: Command) -> None:
    mine, theirs = copies
    window(tunebench, theirs, "w", 15)
    holder = subprocess.Popen(
        [sys.executable, "-c", _HOLDING, str(theirs)], stdout=subprocess.PIPE, stdin=subprocess.PIPE, env=_path()
    )
    with holder:  # which closes what it waits for
        assert holder.stdout is not None
        assert holder.stdout.readline().strip() == b"open"
        answer = tunebench("merge", mine, theirs, "-o", tmp_path / "out.tune", "--lang", "en")
        assert answer.code == 3 and "theirs.tune" in answer.err
    assert tunebench("merge", mine, theirs, "-o", tmp_path / "out.tune").code == 0


_HOLDING = """
import sys
from contextlib import closing
from pathlib import Path
from tunebench.store.opening import open_project
from tunebench.store.parts import left_out
from tunebench.store.runs import list_runs
with open_project(Path(sys.argv[1])):
    print("open", flush=True)
    sys.stdin.read()
"""


def _path() -> dict[str, str]:
    root = Path(__file__).parents[2]
    return {**os.environ, "PYTHONPATH": str(root / "app")}


def test_a_merge_that_is_killed_leaves_no_project_and_can_be_done_again(
    copies: tuple[Path, Path], tmp_path: Path, tunebench: Command
) -> None:
    mine, theirs = copies
    own = sar(tmp_path / "sar.txt", 44)
    assert tunebench("import", theirs, own, "--run", "july", "--tz", "Asia/Seoul").code in (0, 4)
    out, draft = tmp_path / "out.tune", tmp_path / "out.tune.merging"
    root = Path(__file__).parents[2]
    merging = subprocess.Popen(
        [sys.executable, str(root / "main.py"), "merge", str(mine), str(theirs), "-o", str(out)],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    wait_until(draft.exists)
    merging.send_signal(signal.SIGKILL)
    merging.wait(30)
    assert not out.exists()
    assert tunebench("merge", mine, theirs, "-o", out).code == 0
    clean(tunebench, out)
    assert not draft.exists()


def test_a_merged_project_is_not_merged_with_the_old_copy_again(
    copies: tuple[Path, Path], tmp_path: Path, tunebench: Command
) -> None:
    mine, theirs = copies
    window(tunebench, mine, "a", 15)
    window(tunebench, theirs, "b", 16)
    out = tmp_path / "out.tune"
    assert tunebench("merge", mine, theirs, "-o", out).code == 0
    window(tunebench, theirs, "c", 9)
    answer = tunebench("merge", out, theirs, "-o", tmp_path / "again.tune", "--lang", "en")
    assert answer.code == 3 and "before" in answer.err
    on, off = tmp_path / "on.tune", tmp_path / "off.tune"  # both go on with what was merged
    for path in (on, off):
        path.write_bytes(out.read_bytes())
    window(tunebench, on, "d", 10)
    window(tunebench, off, "e", 11)
    assert tunebench("merge", on, off, "-o", tmp_path / "third.tune").code == 0
    assert {"a", "b", "d", "e"} <= set(windows(tmp_path / "third.tune"))
    clean(tunebench, tmp_path / "third.tune")


def test_a_part_goes_out_and_comes_back(copies: tuple[Path, Path], tmp_path: Path, tunebench: Command) -> None:
    whole, _ = copies
    part, merged = tmp_path / "part.tune", tmp_path / "merged.tune"
    answer = tunebench("export", whole, "--part", part, "--host", "app01", "--json")
    assert answer.code == 0, answer.err
    assert answer.json["captures"] > 0 < answer.json["left_out"]
    assert part.stat().st_size < whole.stat().st_size
    clean(tunebench, part)
    with open_project(part, read_only=True) as opened, open_project(whole, read_only=True) as source:
        assert audit.chain_head(opened) == audit.chain_head(source)
        hosts = {info.sha256 for info in list_artefacts(opened)} - left_out(opened)
        assert len(hosts) == answer.json["captures"]
    window(tunebench, part, "from the part", 11)
    own = sar(tmp_path / "sar.txt", 55)
    assert tunebench("import", part, own, "--run", "july", "--tz", "Asia/Seoul").code in (0, 4)
    window(tunebench, whole, "meanwhile", 12)
    first = tunebench("merge", part, whole, "-o", merged, "--lang", "en")
    assert first.code == 3 and "whole project first" in first.err
    assert tunebench("export", part, "--part", tmp_path / "p.tune", "--host", "app01").code == 3
    assert tunebench("merge", whole, part, "-o", merged).code == 0
    assert {"from the part", "meanwhile"} <= set(windows(merged))
    with open_project(merged, read_only=True) as opened, open_project(whole, read_only=True) as source:
        there = {info.sha256: info.stored_bytes for info in list_artefacts(opened)}
        assert there.items() >= {info.sha256: info.stored_bytes for info in list_artefacts(source)}.items()
        assert len(there) == len(list_artefacts(source)) + 1
        assert not left_out(opened)
    clean(tunebench, merged)


def test_a_part_of_an_iteration_holds_what_its_records_rest_on(
    copies: tuple[Path, Path], tmp_path: Path, tunebench: Command
) -> None:
    whole, _ = copies
    part = tmp_path / "part.tune"
    assert tunebench("export", whole, "--part", part, "--iteration", 7).code == 3
    assert tunebench("export", whole, "--part", part).code == 3
    assert tunebench("export", whole, "--part", part, "--host", "nobody").code == 3
    assert not part.exists()
    own = sar(tmp_path / "sar.txt", 66)
    assert tunebench("import", whole, own, "--run", "of nobody", "--tz", "Asia/Seoul").code in (0, 4)
    answer = tunebench("export", whole, "--part", part, "--iteration", 1, "--json")
    with open_project(part, read_only=True) as opened:
        (gone,) = [info.name for info in list_artefacts(opened) if info.sha256 in left_out(opened)]
    assert (gone, answer.json["left_out"]) == ("sar.txt", 1)
    figures = [
        {each["check"]: each["facts"] for each in tunebench("check", project, "--json").json}
        for project in (whole, part)
    ]
    for name in ("cycle_figures", "cycle_sources", "cycle_evidence"):
        assert figures[0][name] == figures[1][name]
    clean(tunebench, part)


def test_encrypted_copies_ask_for_their_keys_and_so_does_what_comes_of_them(
    copies: tuple[Path, Path], tmp_path: Path, tunebench: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    mine, theirs = copies
    window(tunebench, theirs, "w", 15)
    key = tmp_path / "words"
    key.write_text("correct horse battery\n")
    with monkeypatch.context() as environment:
        environment.setenv("TUNEBENCH_NEW_PASSPHRASE", "correct horse battery")
        for project in copies:
            assert tunebench("encrypt", project).code == 0
    sealing._held.clear()
    out = tmp_path / "out.tune"
    assert tunebench("merge", mine, theirs, "-o", out, "--lang", "en").code == 3
    assert not out.exists()
    assert tunebench("merge", mine, theirs, "-o", out, "--passphrase-file", key).code == 0
    assert b"SQLite format" not in out.read_bytes()[:100]
    assert "w" in windows(out)
    sealing._held.clear()


def test_a_newer_copy_is_refused_and_a_full_disk_leaves_nothing(
    copies: tuple[Path, Path], tmp_path: Path, tunebench: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    mine, theirs = copies
    window(tunebench, theirs, "w", 15)
    newer = tmp_path / "newer.tune"
    newer.write_bytes(theirs.read_bytes())
    with closing(sqlite3.connect(newer)) as connection:
        connection.execute(f"PRAGMA user_version = {9 << 16}")
    out = tmp_path / "out.tune"
    answer = tunebench("merge", mine, newer, "-o", out, "--lang", "en")
    assert answer.code == 3 and "newer" in answer.err

    def full(*_args: object, **_more: object) -> None:
        error = sqlite3.OperationalError("database or disk is full")
        error.sqlite_errorcode = sqlite3.SQLITE_FULL
        raise error

    monkeypatch.setattr("tunebench.usecases.merging.merge.branches.add_branch", full)
    answer = tunebench("merge", mine, theirs, "-o", out, "--lang", "en")
    assert answer.code == 3 and "full" in answer.err, answer
    assert [path.name for path in tmp_path.iterdir() if path.name.startswith("out")] == []
