"""``experiment run``: the next trials as one approved command on a host, and their results."""

from __future__ import annotations

import argparse

from app.cli import capture_shapes
from app.cli.console import Console
from app.cli.experiments import acts as experiment_acts
from app.cli.prompter import TerminalPrompter
from app.cli.verbs.host import profile_of
from app.core.errors import ExitCode
from app.domain.capturing.plan import CapturePlan
from app.domain.experiments.records import Experiment, Trial
from app.usecases import projects
from app.usecases.capturing import approval_sheets, collecting
from app.usecases.capturing import plans as capture_plans
from app.usecases.capturing.collecting import Capture
from app.usecases.experiments import facade as experiments
from app.usecases.experiments import runs as experiment_runs
from app.usecases.projects import Project

_LOOK_S = 0.25
_STOPPED_WITHIN_S = 120.0


def run(args: argparse.Namespace, project: Project, console: Console) -> ExitCode:
    """Without an approval the plan is kept and printed, and nothing is connected to."""
    book, found = experiment_acts.asked(args, project)
    profile = profile_of(args, project, args.host)
    label = args.run or found.title
    plan, trials = experiment_runs.draft(
        project, book, found.id, profile, run=label, limit_s=float(round(args.limit)), most=args.most
    )
    capture_plans.keep(project, plan, (profile,))
    if not args.approved_by:
        return _show_plan(project, plan, trials, console)
    capture_plans.approve(project, plan, args.approved_by, "spoken")
    console.notice("cli.capture.begins", digest=plan.digest[:12], hosts=1, commands=len(plan.commands))
    capture = collecting.start(project, plan.digest, TerminalPrompter(console, args.accept_host_key))
    _watch(capture, console)
    return _take(args, project, found, capture.session_id, trials, console)


def _show_plan(project: Project, plan: CapturePlan, trials: tuple[Trial, ...], console: Console) -> ExitCode:
    console.print(approval_sheets.as_text(plan, console.language, projects.read_engagement(project), project))
    console.say("cli.experiment.run.kept", digest=plan.digest[:12], count=len(trials))
    console.result({**capture_shapes.plan(plan), "trials": [trial.id for trial in trials]})
    return ExitCode.DONE


def _watch(capture: Capture, console: Console) -> None:
    """Until its end; Ctrl+C stops it, the tear-down of the trial that runs included."""
    told = ""
    try:
        while not capture.wait(_LOOK_S):
            for host in capture.snapshot().hosts:
                words = console.text(f"host_state.{host.state}")
                if host.reason_key:
                    words += ": " + console.text(f"error.{host.reason_key}", **host.facts)
                if words != told:
                    told = words
                    console.notice("cli.capture.host", host=host.name, words=words)
    except KeyboardInterrupt:
        console.notice("cli.capture.stopping")
        capture.stop()
        capture.wait(_STOPPED_WITHIN_S)
    finally:
        capture.close()


def _take(
    args: argparse.Namespace,
    project: Project,
    found: Experiment,
    session_id: int,
    trials: tuple[Trial, ...],
    console: Console,
) -> ExitCode:
    """The results that came; the trials that have none stay planned, and the next run goes on with them."""
    book = experiments.read(project)
    captures = experiment_runs.captures_of(project, session_id)
    edits = [experiment_runs.take_run(project, book, found.id, each) for each in captures]
    if edits:
        experiment_acts.do(project, experiments.together(edits), args, console)
    else:
        console.result({"edit": "", "experiments": [], "trials": []})
    book = experiments.read(project)
    left = sum(1 for trial in trials if not book.trials[trial.id].is_recorded)
    if left:
        console.notice("cli.experiment.run.left", count=left)
    return ExitCode.DONE if not left else ExitCode.PARTLY
