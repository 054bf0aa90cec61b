"""``experiment run``: the trials that wait as one approved plan on a host, and their results."""

from __future__ import annotations

import argparse
import time

from tunebench.cli.asked_keys import given_key
from tunebench.cli.console import Console
from tunebench.cli.experiments import acts as experiment_acts
from tunebench.cli.prompter import TerminalPrompter
from tunebench.cli.verbs.host import profile_of
from tunebench.contract import capturing as capture_shapes
from tunebench.core.errors import ExitCode, UserError
from tunebench.domain.capturing.plan import CaptureMode, CapturePlan
from tunebench.domain.capturing.run import HostState
from tunebench.domain.connection import HostProfile
from tunebench.domain.experiments.book import ExperimentBook
from tunebench.domain.experiments.records import Experiment
from tunebench.usecases import projects
from tunebench.usecases.capturing import approval_sheets, collecting
from tunebench.usecases.capturing import plans as capture_plans
from tunebench.usecases.capturing.collecting import Capture
from tunebench.usecases.experiments import reading
from tunebench.usecases.experiments import runs as experiment_runs
from tunebench.usecases.projects import Project

_LOOK_S = 0.25
_STOPPED_WITHIN_S = 120.0


def run(args: argparse.Namespace, project: Project, console: Console) -> ExitCode:
    """Runs an experiment; without an approval the plan is kept and printed, and nothing is connected to."""
    book, experiment = experiment_acts.asked(args, project)
    prompter = TerminalPrompter(console, args.accept_host_key)
    if args.fetch:
        return _fetch(args, project, book, experiment, prompter, console)
    if not args.host:
        args.complain(console.text("cli.usage.one_of") % "--host --fetch")
    profile = profile_of(args, project, args.host)
    plan = (
        _approved(project, book, experiment, profile)
        if args.go_on
        else _drafted(args, project, book, experiment, profile)
    )
    if not (args.go_on or args.approved_by):
        return _show_plan(project, plan, console)
    if not args.go_on:
        capture_plans.approve(project, plan, args.approved_by, "spoken", key=given_key(args, console))
    leave_out = experiment_runs.recorded_of(plan, book)
    trials = sum(experiment_runs.trial_of(command) is not None for command in plan.commands) - len(leave_out)
    console.notice("cli.experiment.run.begins", digest=plan.digest[:12], count=trials)
    capture = collecting.start(project, plan.digest, prompter, leave_out=leave_out)
    if args.leave and plan.mode is CaptureMode.DETACHED and _leave(capture, leave_out, console):
        return ExitCode.DONE
    _watch(capture, leave_out, console)
    return _take(args, project, experiment, capture, console)


def _leave(capture: Capture, leave_out: frozenset[str], console: Console) -> bool:
    """The trials run on the host by themselves, as far as is told; the project is free for others.

    False: they are over and their captures were fetched, so that their results can be taken.
    """
    while not any(host.state is HostState.CAPTURING or host.needs_person for host in capture.snapshot().hosts):
        if capture.wait(_LOOK_S):
            return False
    view = capture.snapshot()
    refused = next((host for host in view.hosts if host.needs_person), None)
    capture.close()
    if refused is not None:
        raise UserError(refused.reason_key, **refused.facts)
    far = experiment_runs.progress(view, capture.plan, leave_out, time.time_ns())
    _tell_far(set(), far, console)
    left_s = None if far.left_s is None else round(far.left_s)
    console.result({"session": capture.session_id, "done": far.done, "trials": far.total, "left_s": left_s})
    console.say("cli.experiment.run.left_there")
    return True


def _fetch(
    args: argparse.Namespace,
    project: Project,
    book: ExperimentBook,
    experiment: Experiment,
    prompter: TerminalPrompter,
    console: Console,
) -> ExitCode:
    """Goes on with what an earlier start left running, or cut off, and takes its results."""
    waiting = [session for session in collecting.unfinished(project) if session.can_resume]
    own = [session for session in waiting if experiment_runs.experiment_of(session.plan, book) == experiment]
    if not own:
        raise UserError("experiment_run_nothing_left", title=experiment.title)
    leave_out = experiment_runs.recorded_of(own[-1].plan, book)
    capture = collecting.resume(project, own[-1].session.id, prompter)
    if args.leave and own[-1].plan.mode is CaptureMode.DETACHED and _leave(capture, leave_out, console):
        return ExitCode.DONE
    _watch(capture, leave_out, console)
    return _take(args, project, experiment, capture, console)


def _approved(project: Project, book: ExperimentBook, experiment: Experiment, profile: HostProfile) -> CapturePlan:
    going_on = experiment_runs.going_on(project, book, experiment.id, profile.name)
    if going_on is None:
        raise UserError("experiment_run_not_approved", title=experiment.title, host=profile.name)
    return going_on[0]


def _drafted(
    args: argparse.Namespace, project: Project, book: ExperimentBook, experiment: Experiment, profile: HostProfile
) -> CapturePlan:
    plan, _ = experiment_runs.draft(
        project,
        book,
        experiment.id,
        profile,
        run=args.run or experiment.title,
        most=args.most,
        limit_s=args.limit,
        mode=CaptureMode.DETACHED if args.detached else CaptureMode.LIVE,
    )
    capture_plans.keep(project, plan, (profile,))
    return plan


def _show_plan(project: Project, plan: CapturePlan, console: Console) -> ExitCode:
    trials = [id_ for command in plan.commands if (id_ := experiment_runs.trial_of(command)) is not None]
    console.print(approval_sheets.as_text(plan, console.language, projects.read_engagement(project), project))
    console.say("cli.experiment.run.kept", digest=plan.digest[:12], count=len(trials))
    console.result({**capture_shapes.plan(plan), "trials": trials})
    return ExitCode.DONE


def _watch(capture: Capture, leave_out: frozenset[str], console: Console) -> None:
    """Watches the capture to its end; Ctrl+C stops it, and what the running trial prepared is undone.

    Others may work in the project meanwhile.
    """
    capture.project.share()
    shown: set[str] = set()
    try:
        while not capture.wait(_LOOK_S):
            view = capture.snapshot()
            for host in view.hosts:
                words = console.text(f"host_state.{host.state}")
                if host.reason_key:
                    words += ": " + console.text(f"error.{host.reason_key}", **host.facts)
                _tell(shown, words, console, "cli.capture.host", host=host.name, words=words)
            _tell_far(shown, experiment_runs.progress(view, capture.plan, leave_out, time.time_ns()), console)
    except KeyboardInterrupt:
        console.notice("cli.capture.stopping")
        capture.stop()
        capture.wait(_STOPPED_WITHIN_S)
    finally:
        capture.close()


def _tell_far(shown: set[str], far: experiment_runs.Progress, console: Console) -> None:
    if far.left_s is not None and far.done < far.total:
        left = f"{far.left_s:.0f}"
        _tell(shown, f"{far.done}", console, "cli.experiment.run.far", done=far.done, total=far.total, left=left)


def _tell(shown: set[str], once: str, console: Console, key: str, **facts: object) -> None:
    if once not in shown:
        shown.add(once)
        console.notice(key, **facts)


def _take(
    args: argparse.Namespace, project: Project, experiment: Experiment, capture: Capture, console: Console
) -> ExitCode:
    """Takes the results that came; the trials that have none stay planned, and the next run goes on with them."""
    book = reading.read(project)
    edit = experiment_runs.take_session(project, book, experiment.id, capture.session_id)
    experiment_acts.do(project, edit, args, console)
    done = experiment_runs.recorded_of(capture.plan, reading.read(project))
    left = sum(experiment_runs.trial_of(command) is not None for command in capture.plan.commands) - len(done)
    if left:
        console.notice("cli.experiment.run.left", count=left)
    return ExitCode.DONE if not left else ExitCode.PARTLY
