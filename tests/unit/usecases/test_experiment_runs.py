"""Trials as commands of one approved plan, and their results out of their captures, without a host."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from tests.program import compose
from tunebench.capture import ingest
from tunebench.capture.policy import CommandPolicy, CommandRefused
from tunebench.capture.wrapper import evaluated, running
from tunebench.core.errors import UserError
from tunebench.domain.capturing.plan import Approval, CapturePlan, CommandKind, PlannedCommand
from tunebench.domain.connection import HostProfile
from tunebench.domain.engagement import Engagement, Phase
from tunebench.domain.experiments.book import ExperimentBook
from tunebench.domain.experiments.records import CacheState, Experiment, Inserted, Trial, TrialState
from tunebench.store import runs
from tunebench.store.project import Project
from tunebench.usecases import projects
from tunebench.usecases.capturing import plans as capture_plans
from tunebench.usecases.experiments import applying, planning, reading, recording
from tunebench.usecases.experiments import definition as experiment_definition
from tunebench.usecases.experiments import runs as experiment_runs
from tunebench.usecases.experiments import words as experiment_words

HOST = HostProfile("db1", "127.0.0.1", 1, "oracle", os="linux")
PLAN = Experiment(
    0,
    "copy",
    (experiment_definition.factor_of("fs=ext3,xfs"),),
    (experiment_definition.response_of("real_s"),),
    repetitions=2,
    setup="mkfs.{fs} -q /dev/sdb1",
    command="tar xf 'a b.tar'; sync",
    teardown="umount /mnt",
)


@pytest.fixture(scope="module", autouse=True)
def services() -> None:
    compose()


@pytest.fixture
def project(tmp_path: Path) -> Iterator[Project]:
    with projects.create(tmp_path / "case.tune", Engagement("tuning", "ACME", zone="Asia/Seoul")) as made:
        yield made


def kept(project: Project, plan: Experiment = PLAN) -> ExperimentBook:
    applying.apply(project, planning.add(plan))
    return reading.read(project)


def refusal(project: Project, plan: Experiment) -> str:
    book = kept(project, plan)
    with pytest.raises(UserError) as caught:
        experiment_runs.draft(project, book, max(book.experiments), HOST, run="r")
    return caught.value.key


def drafted(project: Project, book: ExperimentBook, **how: object) -> tuple[CapturePlan, list[PlannedCommand]]:
    plan, _ = experiment_runs.draft(project, book, 1, HOST, run="r", **how)  # type: ignore[arg-type]
    return plan, [each for each in plan.commands if experiment_runs.trial_of(each) is not None]


def test_every_trial_is_a_command_of_the_plan_and_no_other_passes(project: Project) -> None:
    book = kept(project)
    plan, commands = drafted(project, book)
    trials = book.trials_of(1)
    assert [experiment_runs.trial_of(each) for each in commands] == [trial.id for trial in trials]
    for trial, command in zip(trials, commands, strict=True):
        assert command.tool_line == (
            f'trial {trial.id}; finally "umount /mnt"; prepare "mkfs.{trial.cell[0]} -q /dev/sdb1";'
            " measure \"tar xf 'a b.tar'; sync\""
        )
        assert trial.cell[0] in command.purpose_ko and trial.cell[0] in command.purpose_en
        assert command.own_words and command.limit_s == 3600.0 and "nice" not in command.verbatim.split("sh -c")[0]
    policy = CommandPolicy(plan, Approval(plan.digest, "lee", "2026-11-21T03:00:00+00:00", "spoken"))
    assert policy.permit(commands[0].verbatim, "db1") == commands[0]
    with pytest.raises(CommandRefused):
        policy.permit(commands[0].verbatim.replace("mkfs", "rm"), "db1")
    assert CapturePlan.from_json(plan.to_json()) == plan


def test_files_statements_caches_and_probes_stand_in_the_plan(project: Project) -> None:
    plan = replace(
        PLAN,
        repetitions=1,
        caches=(CacheState.COLD,),
        drop="sync; echo 3 > /proc/sys/vm/drop_caches",
        cold_file="/data/f",
        collect="cat /tmp/{fs}.json",
        inserts=(Inserted("/etc/my.cnf", "[mysqld]\nx={fs}"), Inserted("| mysql -N", "SET GLOBAL x='{fs}';")),
        beside=("vmstat",),
        limit_s=30.0,
    )
    made, commands = drafted(project, kept(project, plan))
    (line,) = (each.tool_line for each in commands if "mkfs.xfs" in each.tool_line)
    steps = [each.strip() for each in line.split("; ") if not each.startswith("echo")]
    assert steps[1:] == [
        'finally "umount /mnt"',
        'file "/etc/my.cnf" "[mysqld]" "x=xfs"',
        'prepare "mkfs.xfs -q /dev/sdb1"',
        'feed "mysql -N" "SET GLOBAL x=\'xfs\';"',
        'cold "sync',
        "measure \"tar xf 'a b.tar'",
        'sync"',
        'collect "cat /tmp/xfs.json"',
    ]
    assert commands[0].files == ("/etc/my.cnf, /etc/my.cnf.tunebench",)
    assert [each.probe for each in made.commands if each.interval_s == 1.0] == ["linux.vmstat"]
    assert made.duration_s == 2 * 30.0 + 60.0


def test_what_cannot_be_run_is_refused(project: Project) -> None:
    assert refusal(project, replace(PLAN, command="")) == "experiment_run_no_command"
    assert refusal(project, replace(PLAN, caches=(CacheState.COLD,))) == "experiment_run_not_cold"
    for place in ("relative/file", "/it's", "|"):
        with pytest.raises(UserError, match="experiment_place"):
            planning.add(replace(PLAN, inserts=(Inserted(place, "x"),)))
    with pytest.raises(UserError, match="experiment_limit"):
        planning.add(replace(PLAN, limit_s=0.5))


def said_in(shell: str, command: PlannedCommand, folder: Path) -> subprocess.CompletedProcess[str]:
    """What a trial says, run by the wrapper's words in a real shell."""
    script = "u(){ date -u +%Y-%m-%dT%H:%M:%SZ;};" + running(CommandKind.TRIAL, "linux", None, None)
    return subprocess.run(
        [shell, "-c", script, "cap", "", evaluated(command.verbatim)],
        capture_output=True,
        text=True,
        timeout=30,
        check=False,
        stdin=subprocess.DEVNULL,
        cwd=folder,
    )


SHELLS = ("dash", "bash", "ksh", "mksh", "yash", "posh")


@pytest.mark.parametrize("shell", SHELLS)
def test_a_trial_in_real_shells(project: Project, tmp_path: Path, shell: str) -> None:
    if shutil.which(shell) is None:
        pytest.skip(f"no {shell} here")
    settings, log = tmp_path / "settings", tmp_path / "log"
    settings.write_text("before\n")
    plan = replace(
        PLAN,
        repetitions=1,
        setup=f'echo "it\'s up {{fs}}" >> {log}; echo noise',
        command=f"cat {settings} {tmp_path}/new; test {{fs}} = ext3",
        collect="echo left {fs}",
        teardown=f"echo down >> {log}",
        inserts=(
            Inserted(str(settings), "a={fs}\nb='1 2'"),
            Inserted(f"{tmp_path}/new", "n"),
            Inserted(f"| cat >> {log}", "SET x = {fs};\nCOMMIT;"),
        ),
    )
    _made, commands = drafted(project, kept(project, plan))
    for command in commands:
        fs = "ext3" if "up ext3" in command.tool_line else "xfs"
        done = said_in(shell, command, tmp_path)
        told = [line for line in done.stdout.splitlines() if line.startswith("@trial")]
        marks = [line.split()[1] for line in told]
        output = done.stdout.partition("@trial measures")[2].partition("@trial timed")[0].split("\n", 1)[1]
        assert output.strip().splitlines() == [f"a={fs}", "b='1 2'", "n"], done.stderr
        collects = ["collects", "collected"] if fs == "ext3" else []
        assert marks == ["begins", "measures", "timed", "measured", *collects, "undone"]
        assert told[-1] == "@trial undone 0" and told[3].split()[2] == ("0" if fs == "ext3" else "1")
        assert "real" in done.stdout and "noise" in done.stderr
        assert not (tmp_path / "new").exists() and not list(tmp_path.glob("*.tunebench"))
        assert settings.read_text() == "before\n"
    assert log.read_text().splitlines().count("down") == 2
    assert log.read_text().count("it's up") == log.read_text().count("COMMIT;") == 2


@pytest.mark.parametrize("shell", SHELLS)
def test_what_fails_before_the_command_is_undone(project: Project, tmp_path: Path, shell: str) -> None:
    if shutil.which(shell) is None:
        pytest.skip(f"no {shell} here")
    plan = replace(PLAN, repetitions=1, setup="exit 3", command="echo ran", teardown=f"echo x >> {tmp_path}/log")
    _made, commands = drafted(project, kept(project, plan))
    done = said_in(shell, commands[0], tmp_path)
    told = [line for line in done.stdout.splitlines() if line.startswith("@trial")]
    assert told[1:] == ["@trial failed prepare 3", "@trial undone 0"] and "ran" not in done.stdout
    assert (tmp_path / "log").read_text() == "x\n"


# -- results -------------------------------------------------------------------------------------------

SYSBENCH = """sysbench 1.0.20 (using system LuaJIT 2.1.0-beta3)

Running the test with following options:
Number of threads: 8
Initializing random number generator from current time


SQL statistics:
    transactions:                        10876  (724.08 per sec.)
    queries:                             217520 (14481.54 per sec.)

General statistics:
    total time:                          15.0179s
    total number of events:              10876

Latency (ms):
         min:                                    3.06
         avg:                                   11.04
         max:                                   98.27
         95th percentile:                       16.41
"""


def capture(project: Project, folder: Path, trial: int, text: str, name: str) -> int:
    path = folder / name
    path.write_text(f"@tunebench at 2026-11-21T03:00:00Z\n@trial begins {trial}\n{text}", encoding="utf-8")
    run = runs.ensure_run(project, "r", Phase.OTHER)
    return ingest.store_pieces(project, run.id, name, str(path), 0, [path.read_bytes()]).artefact_id


def measured(output: str, status: int = 0, cold: str = "") -> str:
    time = f"real\t0m15.020s\nuser\t0m1.500s\nsys\t0m0.250s\n@exit {status}\n"
    began, ended = "@trial measures 2026-11-21T03:00:01.500Z\n", "2026-11-21T03:00:16.520Z\n@trial undone 0\n"
    return f"{cold}{began}{output}@trial timed\n{time}@trial measured {status} {ended}"


RESPONSES = ("tps[1/s]:higher", "p95[ms]=latency_p95_s", "real_s", "sys_s")


def matrix(**what: object) -> Experiment:
    responses = tuple(experiment_definition.response_of(each) for each in RESPONSES)
    factors = (experiment_definition.factor_of("threads=8,16"),)
    return replace(PLAN, factors=factors, responses=responses, repetitions=1, setup="", **what)  # type: ignore[arg-type]


def test_any_reader_s_figures_are_results_with_their_lines(project: Project, tmp_path: Path) -> None:
    """The values are those of sysbench's text: 724.08 per sec., 16.41 ms; and of time: 15.020 s, 0.250 s."""
    book = kept(project, matrix(expected=("Number of threads: {threads}",)))
    by_threads = {trial.cell[0]: trial for trial in book.trials_of(1)}
    ids = [
        capture(project, tmp_path, by_threads["8"].id, measured(SYSBENCH), "8.txt"),
        capture(project, tmp_path, by_threads["16"].id, measured(SYSBENCH + "\n"), "16.txt"),  # it ran with 8 threads
    ]
    applying.apply(project, experiment_runs.take_captures(project, book, 1, ids))
    found = {trial.cell[0]: trial for trial in reading.read(project).trials_of(1)}
    values = [found["8"].value(name) for name in ("tps", "p95", "real_s", "sys_s")]
    assert values == pytest.approx([724.08, 16.41, 15.020, 0.250])
    text = (tmp_path / "8.txt").read_text().splitlines()
    assert found["8"].line and "transactions:" in text[found["8"].line - 1]
    assert (found["8"].artefact_id, found["8"].at) == (ids[0], "2026-11-21T03:00:01+00:00")
    assert found["16"].state is TrialState.FAILED and "Number of threads: 16" in found["16"].reason
    assert not experiment_runs.take_captures(project, reading.read(project), 1, ids).changes  # taken already


@pytest.mark.parametrize(
    ("text", "state", "words"),
    [
        (measured(SYSBENCH, status=2), TrialState.FAILED, "2"),
        ("@trial failed prepare 32\n@trial undone 0\n", TrialState.FAILED, "prepare"),
        ("@trial measures 2026-11-21T03:00:01.500Z\nhalf of it", TrialState.PLANNED, ""),
        (measured(SYSBENCH, cold="@trial cold 1000 10\n"), TrialState.FAILED, "1,000"),
        (measured(SYSBENCH, cold="@trial cold 1000 1024\n"), TrialState.DONE, ""),
        (measured(SYSBENCH, cold="@trial cold 1000\n"), TrialState.DONE, ""),
        (measured("nothing known\n"), TrialState.DONE, ""),  # what time says is there
        ("@trial measures 2026-11-21T03:00:01Z\n" + measured(SYSBENCH), TrialState.DONE, ""),  # begun again
    ],
)
def test_what_becomes_of_a_trial(project: Project, tmp_path: Path, text: str, state: TrialState, words: str) -> None:
    book = kept(project, matrix(caches=(CacheState.COLD,), drop="x"))
    trial = book.trials_of(1)[0]
    id_ = capture(project, tmp_path, trial.id, text, "t.txt")
    applying.apply(project, experiment_runs.take_captures(project, book, 1, [id_]))
    after = reading.read(project).trials[trial.id]
    assert (after.state, words in after.reason) == (state, True)
    assert bool(after.note) is (state is TrialState.DONE and "@trial cold 1000 1024" not in text)


TIME = ("real_s", "sys_s")


@pytest.mark.parametrize(
    ("responses", "missing"),
    [(("tps", *TIME), ("tps",)), (("tps", "p95", *TIME), ("tps", "p95")), (TIME, ()), (("tps", "p95"), None)],
)
@pytest.mark.parametrize("language", ["en", "ko"])
def test_what_was_not_measured_is_told(
    project: Project, tmp_path: Path, responses: tuple[str, ...], missing: tuple[str, ...] | None, language: str
) -> None:
    """Only what `time` said can be read. None: nothing at all was measured, and the trial has failed."""
    wanted = tuple(each for each in matrix().responses if each.name in responses)
    book = kept(project, replace(matrix(), responses=wanted))
    trial = book.trials_of(1)[0]
    id_ = capture(project, tmp_path, trial.id, measured("nothing known\n"), "t.txt")
    applying.apply(project, experiment_runs.take_captures(project, book, 1, [id_]))
    book = reading.read(project)
    after, found = book.trials[trial.id], reading.analyse(book, 1)
    said = [experiment_words.caution_text(each, language) for each in found.cautions]
    told = experiment_words.unmeasured_text(found.experiment, after, language)
    if missing is None:
        assert after.state is TrialState.FAILED and all(name in after.reason for name in responses)
        assert told == ""
        return
    assert (after.state, after.reason) == (TrialState.DONE, "")
    assert [name for name in responses if re.search(rf"\b{name}\b", told)] == list(missing)
    for name in missing:
        assert any(name in each and "1" in each for each in said), said
    assert not any("real_s" in each and "1" in each for each in said)


def test_an_approval_holds_for_the_trials_that_wait(project: Project) -> None:
    book = kept(project)
    plan, commands = drafted(project, book)
    capture_plans.keep(project, plan, (HOST,))
    assert experiment_runs.going_on(project, book, 1, "db1") is None
    capture_plans.approve(project, plan, "lee", "spoken")
    found = experiment_runs.going_on(project, book, 1, "db1")
    assert found is not None and (found[0], found[1].approved_by) == (plan, "lee")
    assert experiment_runs.going_on(project, book, 1, "db2") is None
    assert not experiment_runs.recorded_of(plan, book)
    first: Trial = book.trials_of(1)[0]
    applying.apply(project, recording.record(book, first.id, {"real_s": 1.0}))
    book = reading.read(project)
    assert experiment_runs.recorded_of(plan, book) == {commands[0].id}
    applying.apply(project, planning.change(book, replace(book.experiments[1], command="tar xf other.tar")))
    assert experiment_runs.going_on(project, reading.read(project), 1, "db1") is None  # it was not approved
