"""Trials as one approved command, and their results out of a capture, without a host."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from app.bootstrap import compose
from app.capture.policy import CommandPolicy, CommandRefused
from app.capture.wrapper import evaluated
from app.core.errors import UserError
from app.domain.capturing.plan import Approval
from app.domain.connection import HostProfile
from app.domain.engagement import Engagement
from app.domain.experiments.book import ExperimentBook
from app.domain.experiments.records import Experiment, TrialState
from app.store.project import Project
from app.usecases import projects
from app.usecases.experiments import definition as experiment_definition
from app.usecases.experiments import facade as experiments
from app.usecases.experiments import runs as experiment_runs
from app.usecases.importing import imports
from app.usecases.importing.imports import ImportOptions

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
    experiments.apply(project, experiments.add(plan))
    return experiments.read(project)


def refusal(project: Project, plan: Experiment) -> str:
    book = kept(project, plan)
    with pytest.raises(UserError) as caught:
        experiment_runs.draft(project, book, max(book.experiments), HOST, run="r", limit_s=60.0)
    return caught.value.key


def test_every_command_stands_in_the_plan_and_no_other_passes(project: Project) -> None:
    book = kept(project)
    plan, trials = experiment_runs.draft(project, book, 1, HOST, run="r", limit_s=60.0)
    (command,) = (each for each in plan.commands if each.probe == experiment_runs.PROBE)
    assert [trial.id for trial in trials] == [trial.id for trial in book.trials_of(1)]
    for trial in trials:
        assert f"mkfs.{trial.cell[0]} -q /dev/sdb1" in command.tool_line
    assert (command.own_words, command.count, plan.nice, "nice" in command.verbatim.split("sh -c")[0]) == (
        True,
        1,
        0,
        False,
    )
    policy = CommandPolicy(plan, Approval(plan.digest, "lee", "2026-11-21T03:00:00+00:00", "spoken"))
    assert policy.permit(command.verbatim, "db1") == command
    with pytest.raises(CommandRefused):
        policy.permit(command.verbatim.replace("ext3", "ext4"), "db1")
    changed, _trials = experiment_runs.draft(project, book, 1, HOST, run="r", limit_s=60.0, most=1)
    assert changed.digest != plan.digest


def test_as_many_trials_as_fit_into_one_command(project: Project) -> None:
    book = kept(project, replace(PLAN, repetitions=50))
    _plan, trials = experiment_runs.draft(project, book, 1, HOST, run="r", limit_s=60.0)
    assert 10 < len(trials) < 100
    assert [trial.place for trial in trials] == list(range(1, len(trials) + 1))
    assert len(experiment_runs.draft(project, book, 1, HOST, run="r", limit_s=60.0, most=3)[1]) == 3


def test_what_cannot_be_run_is_refused(project: Project) -> None:
    assert refusal(project, replace(PLAN, command="")) == "experiment_run_no_command"
    tps = (experiment_definition.response_of("tps[1/s]:higher"),)
    assert refusal(project, replace(PLAN, responses=tps)) == "experiment_run_not_timed"
    assert refusal(project, replace(PLAN, command="x" * 4000)) == "experiment_run_too_long"


@pytest.mark.parametrize("shell", ["dash", "bash", "ksh", "mksh"])
def test_the_script_in_real_shells(project: Project, tmp_path: Path, shell: str) -> None:
    if shutil.which(shell) is None:
        pytest.skip(f"no {shell} here")
    log = tmp_path / "log"
    plan = replace(
        PLAN,
        repetitions=1,
        setup=f'echo "it\'s up {{fs}}" >> {log}',
        command="test {fs} = ext3",
        teardown=f"echo >> {log}",
    )
    book = kept(project, plan)
    drafted, trials = experiment_runs.draft(project, book, 1, HOST, run="r", limit_s=60.0)
    (command,) = (each for each in drafted.commands if each.probe == experiment_runs.PROBE)
    done = subprocess.run(
        [shell, "-c", evaluated(command.verbatim)],
        capture_output=True,
        text=True,
        timeout=30,
        check=True,
        stdin=subprocess.DEVNULL,
    )
    told = [line for line in done.stdout.splitlines() if line.startswith(("@command", "real", "@exit"))]
    words = [line.split()[0] for line in told]
    assert words == ["@command", "real", "@exit"] * 2
    assert [line for line in told if line.startswith("@command")] == [f"@command trial {trial.id}" for trial in trials]
    statuses = {"ext3": "@exit 0", "xfs": "@exit 1"}
    assert [line for line in told if line.startswith("@exit")] == [statuses[trial.cell[0]] for trial in trials]
    assert log.read_text().count("it's up") == 2 and log.read_text().count("\n\n") == 2


# -- results -------------------------------------------------------------------------------------------


def capture(project: Project, folder: Path, text: str) -> int:
    path = folder / "trials.txt"
    path.write_text(text, encoding="utf-8")
    report = imports.import_captures(project, [path], ImportOptions(run="r", host="db1", zone="Asia/Seoul"))
    return report.files[0].artefact_id or 0


def timed(trial: int, real: float, status: int = 0, minute: int = 0) -> str:
    return (
        f"@tunebench at 2026-11-21T03:{minute:02d}:00Z\n@command trial {trial}\n\nreal\t0m{real:.3f}s\nuser\t0m0.100s\n"
        f"sys\t0m0.200s\n@exit {status}\n"
    )


def test_results_are_found_by_the_numbers_of_their_trials(project: Project, tmp_path: Path) -> None:
    """The connection was lost in trial 4: the plan began again, and what had its result keeps the first one."""
    book = kept(project)
    text = timed(2, 5.0) + timed(1, 6.0, minute=1) + timed(3, 7.0, status=2, minute=2)
    text += (
        "@tunebench at 2026-11-21T03:05:00Z\n@command trial 4\n" + timed(2, 50.0, minute=6) + timed(99, 1.0, minute=7)
    )
    text += "@tunebench at 2026-11-21T03:08:00Z\n@command trial 4\n@command trial 4 set-up failed: 32\n"
    artefact_id = capture(project, tmp_path, text)
    experiments.apply(project, experiment_runs.take_run(project, book, 1, artefact_id))
    trials = experiments.read(project).trials
    assert [trials[id_].value("real_s") for id_ in (1, 2, 3, 4)] == [6.0, 5.0, None, None]
    assert [trials[id_].line for id_ in (1, 2, 3)] == [11, 4, 18]
    assert (trials[3].state, trials[3].reason) == (TrialState.FAILED, "exit_status 2")
    assert (trials[4].state, trials[4].reason) == (TrialState.FAILED, "set-up: exit 32")
    assert {trials[id_].artefact_id for id_ in (1, 2, 3, 4)} == {artefact_id}
    assert not experiment_runs.take_run(project, experiments.read(project), 1, artefact_id).changes  # taken already


def test_a_capture_of_other_trials_is_refused(project: Project, tmp_path: Path) -> None:
    book = kept(project)
    artefact_id = capture(project, tmp_path, timed(99, 1.0) + timed(98, 1.0, minute=1))
    with pytest.raises(UserError, match="experiment_run_no_trials"):
        experiment_runs.take_run(project, book, 1, artefact_id)
