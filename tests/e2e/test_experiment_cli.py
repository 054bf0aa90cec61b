"""Experiments on the command line: from a plan to a verdict, out of captures and tables, and what is refused."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import ROOT
from tests.e2e.conftest import Answer, Command

TIMED = ROOT / "tests" / "fixtures" / "house_formats" / "timed-nm-ksyms.txt"


class Desk:
    """A consultant at the command line of one project, in one language."""

    def __init__(self, project: Path, tunebench: Command, language: str) -> None:
        self.project, self.tunebench, self.language = project, tunebench, language

    def __call__(self, act: str, *words: object) -> Answer:
        answer = self.tunebench("experiment", self.project, act, *words, "--lang", self.language)
        assert answer.code == 0, answer.err
        assert "⟨" not in answer.out, answer.out
        return answer

    def refused(self, act: str, *words: object) -> str:
        answer = self.tunebench("experiment", self.project, act, *words, "--lang", self.language)
        assert answer.code == 3, answer.out
        assert "⟨" not in answer.err and answer.err.count("\n") == 1, answer.err
        return answer.err

    def json(self, act: str, *words: object) -> Any:
        answer = self.tunebench("experiment", self.project, act, *words, "--json")
        assert answer.code == 0, answer.err
        return answer.json


def seated(folder: Path, tunebench: Command, language: str) -> Desk:
    path = folder / "acme.tune"
    assert tunebench("new", path, "--customer", "ACME", "--zone", "Asia/Seoul", "--lang", language).code == 0
    return Desk(path, tunebench, language)


@pytest.fixture(params=("ko", "en"))
def desk(request: pytest.FixtureRequest, tmp_path: Path, tunebench: Command) -> Desk:
    return seated(tmp_path, tunebench, request.param)


@pytest.fixture
def korean_desk(tmp_path: Path, tunebench: Command) -> Desk:
    return seated(tmp_path, tunebench, "ko")


def test_an_experiment_from_its_plan_to_its_verdict(desk: Desk, tmp_path: Path) -> None:
    desk(
        "new",
        "--title",
        "mkfile",
        "--factor",
        "maxcontig[blocks]=6,128",
        "--response",
        "real_s",
        "--repetitions",
        "4",
        "--aa",
        "4",
        "--order",
        "abab",
        "--command",
        "mkfile 500m f{maxcontig}; sync",
        "--confounder",
        "ssd2 busy",
    )
    (head,) = desk.json("list")
    assert head["trials"] == {"planned": 16, "done": 0, "failed": 0, "excluded": 0}
    following = desk.json("show", "mkfile")["next"]
    assert (following["cell"], following["command"]) == ({"maxcontig": "6"}, "mkfile 500m f6; sync")
    assert "mkfile 500m f6; sync" in desk("show", "mkfile").out
    for role, base in (("a1", 86.0), ("a2", 86.1)):
        for number in range(4):
            desk("record", "mkfile", f"real_s={base + number / 10}", "--cell", "maxcontig=6", "--role", role)
    rows = "".join(f"6,{86 + n / 10}\n128,0m{27 + n / 10}s\n" for n in range(4))
    table = tmp_path / "results.csv"
    table.write_text(f"maxcontig,real_s\n{rows}", encoding="utf-8")
    desk("import", "1", table, "--by", "이영진")
    found = desk.json("analyse", "1")
    (part,) = found["parts"]
    (compared,) = part["comparisons"]
    assert (found["verdict"], part["best"], compared["verdict"]) == ("improved", {"maxcontig": "128"}, "improved")
    slow, fast = (sum(math.log(base + n / 10) for n in range(4)) / 4 for base in (86, 27))
    assert math.sqrt(math.prod(compared["ci95"])) == pytest.approx(math.exp(slow - fast)) == compared["ratio"]
    assert (part["noise"]["runs"], part["noise"]["margin"]) == ([4, 4], 0.05)
    assert compared["natural_variation"]["source"] in ("measured", "kind") and compared["would_settle"] is None
    assert part["ranking"][0] == {"place": 1, "cells": [{"maxcontig": "128"}]}
    assert {each["key"] for each in found["cautions"]} == {"cache_unknown", "load_unrecorded"}
    trial = next(each["id"] for each in desk.json("show", "1")["plan"] if each["cell"] == {"maxcontig": "128"})
    desk("exclude", "1", trial, "--reason", "backup", "--by", "lee")
    assert desk.json("analyse", "1")["parts"][0]["comparisons"][0]["n"] == [4, 3]
    text = desk("analyse", "1").out
    assert "ssd2 busy" in text and "lee" in text
    desk("restore", "1", trial)
    exported = tmp_path / "out.csv"
    desk("export", "1", exported)
    desk("export", "1", tmp_path / "figures.csv", "--figures")
    assert exported.read_text(encoding="utf-8-sig").count("\n") == 17
    assert desk.tunebench("check", desk.project).code == 0


def test_every_example_can_be_added_shown_and_analysed(korean_desk: Desk) -> None:
    desk = korean_desk
    names = [each["name"] for each in desk.json("add-example")]
    assert names[0] == "fs-copy" and len(names) == 10
    assert names[0] in desk("add-example").out
    for number, name in enumerate(names, start=1):
        desk("add-example", name)
        desk("show", number)
        desk("analyse", number)
    assert len(desk.json("list")) == len(names)
    assert len(desk("list").out.splitlines()) == len(names)
    desk("remove", len(names))
    assert len(desk.json("list")) == len(names) - 1


def test_timed_commands_of_a_capture_are_results(korean_desk: Desk) -> None:
    desk = korean_desk
    answer = desk.tunebench("import", desk.project, TIMED, "--run", "load", "--host", "sun1", "--json")
    assert answer.code == 0
    (run,) = desk.tunebench("info", desk.project, "--json").json["runs"]
    (capture,) = run["artefacts"]
    desk(
        "new",
        "--title",
        "nm",
        "--factor",
        "step=1,2",
        "--response",
        "real_s",
        "--response",
        "user_s",
        "--response",
        "sys_s",
        "--repetitions",
        "7",
    )
    desk("import", "nm", "--capture", capture["id"], "--cell", "step=1")
    done = [each for each in desk.json("show", "nm")["plan"] if each["state"] == "done"]
    assert sorted(each["values"]["real_s"] for each in done) == [0.763, 0.775, 0.799, 0.803, 0.837, 47.474, 48.465]
    assert {each["artefact"] for each in done} == {capture["id"]} and all(each["line"] for each in done)
    refused = desk.tunebench("remove", desk.project, "--run", "load", "--yes", "--lang", desk.language)
    assert refused.code == 3 and "nm" in refused.err

    desk("new", "--title", "part", "--factor", "step=1,2", "--response", "real_s", "--repetitions", "3")
    taken = ("import", "part", "--capture", capture["id"], "--cell", "step=1", "--run")
    span = ("--from", "2026-11-21T08:59", "--to", "2026-11-21T09:02:30")
    desk.tunebench("window", desk.project, "add", "Start", "--role", "other", *span)
    desk.refused(*taken, "Peak")
    desk(*taken, "Start")
    done = [each["values"]["real_s"] for each in desk.json("show", "part")["plan"] if each["state"] == "done"]
    assert done == [0.803, 0.799, 0.775]


def test_a_file_defines_an_experiment(korean_desk: Desk) -> None:
    desk = korean_desk
    shipped = next((ROOT / "resources" / "experiments").glob("*raid*.toml"))
    desk("new", "--from", shipped, "--repetitions", "1", "--title", "우리 RAID")
    (head,) = desk.json("list")
    assert (head["title"], head["cells"], head["trials"]["planned"]) == ("우리 RAID", 168, 168)
    desk("plan", "1", "--repetitions", "3", "--seed", "5")
    assert desk.json("list")[0]["trials"]["planned"] == 504


def test_refusals_are_one_sentence(desk: Desk, tmp_path: Path) -> None:
    desk("new", "--title", "copy", "--factor", "fs=ext3,xfs", "--repetitions", "1")
    desk("record", "copy", "real_s=20m54.124s", "--cell", "fs=xfs")
    wrong: tuple[tuple[object, ...], ...] = (
        ("new", "--factor", "fs=ext3"), ("new", "--title", "x"), ("new", "--title", "x", "--factor", "fs"),
        ("new", "--title", "x", "--factor", "fs=a,a"), ("new", "--title", "x", "--factor", "f=a", "--repetitions", "0"),
        ("new", "--title", "x", "--factor", "f=a", "--command", "run {g}"), ("new", "--from", tmp_path / "none.toml"),
        ("show", "nothing"), ("add-example", "nothing"), ("record", "copy", "real_s=fast", "--cell", "fs=ext3"),
        ("record", "copy", "real_s=1", "--cell", "fs=zfs"), ("record", "copy", "real_s=1"),
        ("record", "copy", "real_s=1", "--cell", "fs=xfs"), ("record", "copy", "--cell", "fs=ext3"),
        ("record", "copy", "tps=1", "--cell", "fs=ext3"), ("record", "copy", "real_s=1", "--trial", "99"),
        ("record", "copy", "real_s=nan", "--cell", "fs=ext3"), ("exclude", "copy", "99", "--reason", "x", "--by", "y"),
        ("exclude", "copy", "1", "--reason", " ", "--by", "y"), ("import", "copy", tmp_path / "none.csv"),
        ("import", "copy", "--capture", "99", "--cell", "fs=ext3"), ("export", "copy", tmp_path),
    )  # fmt: skip
    before = desk.json("show", "copy")
    for words in wrong:
        desk.refused(str(words[0]), *words[1:])
    assert desk.json("show", "copy") == before
    assert desk.tunebench("experiment", desk.project, "import", "copy").code == 2
