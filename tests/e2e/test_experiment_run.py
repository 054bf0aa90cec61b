"""Trials on a real sshd: approved to the letter, timed one after the other, torn down, taken as results, gone on with."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.conftest import Answer, Command
from tests.e2e.sshd_rig import Sshd
from tests.waiting import let_time_pass, until
from tunebench.capture import detached_session
from tunebench.store.opening import open_project
from tunebench.usecases.capturing import collecting, connections
from tunebench.usecases.capturing import plans as capture_plans
from tunebench.usecases.experiments import applying, reading
from tunebench.usecases.experiments import runs as experiment_runs

ROOT = Path(__file__).parents[2]


@pytest.fixture
def place(sshd: Sshd) -> list[str]:
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


def plan_of(project: Path, tunebench: Command) -> Any:
    return tunebench("experiment", project, "show", "1", "--json").json["plan"]


def test_trials_are_run_as_approved_and_gone_on_with(
    project: Path, tunebench: Command, place: list[str], tmp_path: Path
) -> None:
    log = tmp_path / "log"
    made = tunebench(
        "experiment",
        project,
        "new",
        "--title",
        "sleeping",
        "--factor",
        "nap=0.1,0.4",
        "--repetitions",
        2,
        "--order",
        "abab",
        "--response",
        "real_s",
        "--response",
        "user_s",
        "--response",
        "sys_s",
        "--setup",
        f"echo 'up {{nap}}' >> {log}",
        "--command",
        "sleep {nap}",
        "--teardown",
        f"echo down >> {log}",
    )
    assert made.code == 0, made.err
    shown = tunebench("experiment", project, "run", 1, *place, "--limit", 60, "--lang", "ko")
    assert shown.code == 0, shown.err
    assert "sleep 0.4" in shown.out and "up 0.1" in shown.out and not log.exists()  # printed, nothing was run
    first = tunebench(
        "experiment", project, "run", 1, *place, "--limit", 60, "--most", 3, "--approved-by", "박과장", "--json"
    )
    assert first.code == 0, first.err
    assert len(first.json["trials"]) == 3
    states = [each["state"] for each in plan_of(project, tunebench)]
    assert states == ["done", "done", "done", "planned"]
    refused = tunebench("experiment", project, "run", 1, *place, "--go-on", "--lang", "en")
    assert refused.code == 3 and "no approved plan" in refused.err  # the approved one had three of the four
    second = tunebench("experiment", project, "run", 1, *place, "--limit", 60, "--approved-by", "박과장", "--json")
    assert second.code == 0, second.err
    plan = plan_of(project, tunebench)
    assert {each["state"] for each in plan} == {"done"}
    assert all(
        float(each["cell"]["nap"]) <= each["values"]["real_s"] < float(each["cell"]["nap"]) + 0.3 for each in plan
    )
    assert all(each["artefact"] and each["line"] and each["at"] and each["load_run"] for each in plan)
    assert len({each["artefact"] for each in plan}) == 4
    assert log.read_text().splitlines() == ["up 0.1", "down", "up 0.4", "down"] * 2
    again = tunebench("experiment", project, "run", 1, *place, "--approved-by", "박과장", "--lang", "en")
    assert again.code == 3 and "no trial waiting" in again.err
    assert tunebench("check", project).code == 0


def test_failures_are_kept_and_torn_down(project: Path, tunebench: Command, place: list[str], tmp_path: Path) -> None:
    log = tmp_path / "log"
    tunebench(
        "experiment",
        project,
        "new",
        "--title",
        "failing",
        "--factor",
        "what=ok,setup,command",
        "--repetitions",
        1,
        "--order",
        "listed",
        "--setup",
        "test {what} != setup",
        "--command",
        "test {what} != command",
        "--teardown",
        f"echo {{what}} >> {log}",
    )
    answer = tunebench("experiment", project, "run", 1, *place, "--limit", 60, "--approved-by", "lee", "--json")
    assert answer.code == 0, answer.err
    found = {each["cell"]["what"]: each for each in plan_of(project, tunebench)}
    assert {name: each["state"] for name, each in found.items()} == {
        "ok": "done",
        "setup": "failed",
        "command": "failed",
    }
    assert "prepare" in found["setup"]["reason"] and "1" in found["command"]["reason"]
    assert log.read_text().split() == ["ok", "setup", "command"]


def test_a_stopped_run_is_torn_down_and_leaves_the_rest_planned(
    project: Path, tunebench: Command, sshd: Sshd, place: list[str], tmp_path: Path
) -> None:
    log = tmp_path / "log"
    tunebench(
        "experiment",
        project,
        "new",
        "--title",
        "stopping",
        "--factor",
        "nap=0.1,30",
        "--repetitions",
        1,
        "--order",
        "listed",
        "--command",
        "sleep {nap}",
        "--teardown",
        f"echo {{nap}} >> {log}",
    )
    profile = connections.profile_of(place[1], identity=place[3], known_hosts=place[5])
    with open_project(project) as opened:
        book = reading.read(opened)
        plan, trials = experiment_runs.draft(opened, book, 1, profile, run="x")
        assert len(trials) == 2 and plan.nice == 0
        capture_plans.keep(opened, plan, (profile,))
        capture_plans.approve(opened, plan, "lee", "spoken")
        capture = collecting.start(opened, plan.digest, _nobody())
        second = f"trial.{trials[1].id}"

        def far() -> experiment_runs.Progress:
            return experiment_runs.progress(capture.snapshot(), plan, frozenset(), time.time_ns())

        until(lambda: far().now == second and far().done == 1)
        let_time_pass(2.0, "what undoes it is known to it by now")
        assert (far().done, far().total) == (1, 2) and far().left_s
        threading.Thread(target=capture.stop).start()
        assert capture.wait(60)
        capture.close()
        applying.apply(opened, experiment_runs.take_session(opened, book, 1, capture.session_id))
        states = [trial.state for trial in reading.read(opened).trials_of(1)]
    assert states == ["done", "planned"]
    assert log.read_text().split() == ["0.1", "30"]


def test_a_trial_that_takes_too_long_is_stopped_undone_and_said(
    project: Path, tunebench: Command, place: list[str], tmp_path: Path
) -> None:
    log = tmp_path / "log"
    words = ["--title", "long", "--factor", "nap=30,0.1", "--repetitions", 1, "--order", "listed", "--limit", 5]
    tunebench("experiment", project, "new", *words, "--command", "sleep {nap}", "--teardown", f"echo {{nap}} >> {log}")
    answer = tunebench("experiment", project, "run", 1, *place, "--approved-by", "lee", "--json")
    assert answer.code == 0, answer.err
    states = {each["cell"]["nap"]: (each["state"], each["reason"]) for each in plan_of(project, tunebench)}
    assert states["0.1"][0] == "done" and states["30"][0] == "failed" and " 5 s" in states["30"][1]
    assert log.read_text().split() == ["30", "0.1"]


def test_trials_run_on_the_host_alone_while_the_project_is_free(
    project: Path, tunebench: Command, place: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(detached_session, "_LOOK_S", 0.5)
    log, go_on = tmp_path / "log", tmp_path / "go on"
    words = ["--title", "alone", "--factor", "nap=0.2,0.4", "--repetitions", 2, "--order", "abab", "--limit", 60]
    wait = f"test `wc -l <{log}` -ne 2 || while ! test -e '{go_on}'; do sleep 0.1; done"
    log.touch()
    commands = ["--command", f"{wait}; sleep {{nap}}; echo slept", "--teardown", f"echo {{nap}} >> {log}"]
    assert tunebench("experiment", project, "new", *words, *commands).code == 0
    how = ["--detached", "--leave", "--approved-by", "lee", "--json"]
    begun = time.monotonic()
    started = tunebench("experiment", project, "run", 1, *place, *how)
    assert started.code == 0 and started.json["session"] == 1, started.err
    with open_project(project) as free:
        assert not free.read_only
    until(lambda: len(log.read_text().split()) == 2)

    def far() -> Answer:
        return tunebench("experiment", project, "run", 1, "--fetch", "--leave", "--json")

    until(lambda: far().json["done"] == 2)  # the script looks once a second
    held = far()
    assert (held.code, held.json["done"], held.json["trials"]) == (0, 2, 4) and held.json["left_s"] > 0, held.err
    told = tunebench("experiment", project, "run", 1, "--fetch", "--leave", "--lang", "ko")
    assert "4회 중 2회" in told.err + told.out
    go_on.touch()
    until(lambda: len(log.read_text().split()) == 4)
    until(lambda: "session" not in tunebench("experiment", project, "run", 1, "--fetch", "--leave", "--json").json)
    plan = plan_of(project, tunebench)
    assert [each["state"] for each in plan] == ["done"] * 4
    assert all(float(trial["cell"]["nap"]) <= trial["values"]["real_s"] for trial in plan)
    assert sum(trial["values"]["real_s"] for trial in plan) < time.monotonic() - begun  # one after the other
    assert log.read_text().split() == ["0.2", "0.4"] * 2
    again = tunebench("experiment", project, "run", 1, "--fetch", "--lang", "en")
    assert again.code == 3 and "nothing was left" in again.err


def test_others_read_and_write_while_trials_run_live(
    project: Path, tunebench: Command, place: list[str], tmp_path: Path
) -> None:
    """Another process works in the project from the first trial to the last; nothing of either is lost."""
    log = tmp_path / "log"
    words = ["--title", "napping", "--factor", "nap=3,4", "--repetitions", 1, "--order", "listed", "--limit", 60]
    commands = ["--command", f"echo {{nap}} >> {log}; sleep {{nap}}"]
    assert tunebench("experiment", project, "new", *words, *commands).code == 0
    line = [
        sys.executable,
        str(ROOT / "main.py"),
        "experiment",
        str(project),
        "run",
        "1",
        *place,
        "--approved-by",
        "lee",
    ]
    with subprocess.Popen(line, cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True) as runner:
        until(lambda: log.exists() or runner.poll() is not None)
        made = 0
        while runner.poll() is None and made < 6:
            other = ("--title", f"beside {made}", "--factor", "f=1,2", "--repetitions", 1)
            answer = tunebench("experiment", project, "new", *other, "--lang", "en")
            assert answer.code == 0, answer.err
            assert f"beside {made}" in tunebench("experiment", project, "list").out
            made += 1
        assert runner.wait(60) == 0, runner.stderr
    assert made >= 3 and log.read_text().split() == ["3", "4"]
    assert [each["state"] for each in plan_of(project, tunebench)] == ["done", "done"]
    titles = tunebench("experiment", project, "list").out
    assert all(f"beside {number}" in titles for number in range(made))
    assert tunebench("check", project).code == 0
    assert not [each.name for each in project.parent.glob("acme.tune?*")]


def test_a_trial_on_the_host_alone_is_ended_at_its_limit_and_undone(
    project: Path, tunebench: Command, place: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also what a child of its command goes on with; the trial behind it is run all the same."""
    monkeypatch.setattr(detached_session, "_LOOK_S", 0.5)
    log, left = tmp_path / "log", tmp_path / "left"
    words = ["--title", "long", "--factor", "nap=60,0.1", "--repetitions", 1, "--order", "listed", "--limit", 3]
    command = f"sh -c 'sleep {{nap}}; echo went on >> {left}'; true"
    commands = ["--command", command, "--teardown", f"echo {{nap}} >> {log}"]
    assert tunebench("experiment", project, "new", *words, *commands).code == 0
    began = time.monotonic()
    answer = tunebench("experiment", project, "run", 1, *place, "--detached", "--approved-by", "lee", "--json")
    assert answer.code == 0, answer.err
    assert time.monotonic() - began < 45
    states = {each["cell"]["nap"]: (each["state"], each["reason"]) for each in plan_of(project, tunebench)}
    assert states["0.1"] == ("done", "") and states["60"][0] == "failed" and " 3 s" in states["60"][1]
    assert log.read_text().split() == ["60", "0.1"]
    assert left.read_text() == "went on\n"  # of the short one


STUDIES = (
    # ready experiment, what is set, levels, what every trial has to have measured
    (
        "fs-time",
        {"tree": "{tmp}/tree", "image": "{tmp}/disk", "size": "320M", "dir": "{tmp}/fs", "cold": "{tmp}/cold"},
        {"filesystem": "ext3 4K,ext4 4K", "mount": "default"},
        ("real_s", "user_s", "sys_s"),
    ),
    (
        "fio-depth-block",
        {"file": "{tmp}/fio", "size": "8M", "seconds": "1", "direct": "0"},
        {"block": "4k,64k", "depth": "1,8"},
        ("read_iops", "read", "read_p99_ms"),
    ),
    (
        "bonnie-records",
        {"local": "{tmp}/local", "shared": "{tmp}/shared", "size": "1024", "memory": "512", "files": "0"},
        {"place": "local", "record": "4096,65536"},
        ("write",),
    ),
    (
        "bonnie-clusters",
        {
            "image": "{tmp}/disk",
            "disk": "2500M",
            "dir": "{tmp}/clusters",
            "size": "1024",
            "memory": "512",
            "home": "1:131072:1024:2",
        },
        {"cluster": "4,128", "files": "home"},
        ("write",),
    ),
    (
        "memory-steps",
        {"group": "{tmp.name}", "cold": "{tmp}/cold", "work": "cat {tmp}/tree/0.h {tmp}/tree/0.h >/dev/null"},
        {"limit": "64,32"},
        ("real_s",),
    ),
)
TOOLS = {
    "fs-time": ("mkfs.ext3", "mkfs.xfs"),
    "fio-depth-block": ("fio",),
    "bonnie-records": ("bonnie++",),
    "bonnie-clusters": ("bonnie++", "mkfs.ext4"),
    "memory-steps": ("cat",),
}
MOUNTING = ("fs-time", "bonnie-clusters")


def _is_there(tool: str) -> bool:
    return shutil.which(tool, path=f"{os.environ['PATH']}:/usr/sbin:/sbin") is not None


def why_not(name: str) -> str:
    """What a study needs and does not find here; empty where it can be run."""
    tool, may = TOOLS[name][0], name not in MOUNTING or _mounts_here()
    if name == "memory-steps":
        places = [Path(f"/sys/fs/cgroup/{each}") for each in ("memory", "cgroup.subtree_control")]
        may = _mounts_here() and any(os.access(place, os.W_OK) for place in places)
    return "" if may and _is_there(tool) else f"no {tool}, or no right to do what it needs here"


def _mounts_here() -> bool:
    return os.geteuid() == 0 and Path("/proc/sys/vm/drop_caches").exists() and Path("/dev/loop-control").exists()


@pytest.mark.parametrize(("name", "settings", "levels", "measured"), STUDIES, ids=[each[0] for each in STUDIES])
def test_a_founding_study_is_run_again(
    project: Path,
    tunebench: Command,
    place: list[str],
    tmp_path: Path,
    name: str,
    settings: dict[str, str],
    levels: dict[str, str],
    measured: tuple[str, ...],
) -> None:
    """From the ready experiment to the report, with real tools over a real sshd."""
    if reason := why_not(name):
        pytest.skip(reason)
    if name == "fs-time" and all(map(_is_there, TOOLS[name])):
        levels = {**levels, "filesystem": "ext3 4K,ext4 4K,xfs"}
    (tmp_path / "tree").mkdir()
    for number in range(40):
        (tmp_path / "tree" / f"{number}.h").write_bytes(os.urandom(20_000))
    (tmp_path / "cold").write_bytes(os.urandom(1 << 20))
    said = [word for key, value in settings.items() for word in ("--set", f"{key}={value.format(tmp=tmp_path)}")]
    said += [word for factor, wanted in levels.items() for word in ("--only", f"{factor}={wanted}")]
    made = tunebench("experiment", project, "add-matrix", name, *said, "--repetitions", 1, "--limit", 60)
    assert made.code == 0, made.err
    ran = tunebench("experiment", project, "run", 1, *place, "--approved-by", "lee", "--lang", "en")
    assert ran.code == 0, ran.err
    plan = plan_of(project, tunebench)
    assert {each["state"] for each in plan} == {"done"}, plan
    for trial in plan:
        assert all(trial["values"][each] > 0 for each in measured)
        assert trial["note"] == ""  # cold, where it was to be, and undone
    analysed = tunebench("experiment", project, "analyse", 1, "--json").json
    assert len(analysed["parts"][0]["cells"]) == len(plan)
    report = tmp_path / "report.pdf"
    assert tunebench("report", project, "--pdf", report).code == 0
    assert report.stat().st_size > 10_000
    assert not (tmp_path / "fio").exists() and not (tmp_path / "disk").exists()
    assert tunebench("check", project).code == 0


class _Silent:
    def accepts_host_key(self, _question: object) -> bool:
        return False

    def secret(self, _question: object) -> str | None:
        return None

    def answers(self, _question: object) -> list[str] | None:
        return None


def _nobody() -> Any:
    return _Silent()
