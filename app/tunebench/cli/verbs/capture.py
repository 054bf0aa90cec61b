"""``capture``: run a plan on hosts, or print it, its approval sheet, or the script for the customer."""

from __future__ import annotations

import argparse
import queue
import time
from contextlib import closing
from datetime import datetime
from pathlib import Path
from zoneinfo import ZoneInfo

from tunebench.capture.scheduling import ScheduledRuns
from tunebench.cli.arguments import COMMON, PROJECT, Translate, add, argument, flag, moment, optional, positive, several
from tunebench.cli.asked_keys import KEY, SIGNATURE, given_key, given_signature
from tunebench.cli.console import Console
from tunebench.cli.prompter import TerminalPrompter
from tunebench.cli.verbs.host import CONNECTION, profile_of
from tunebench.contract import capturing as capture_shapes
from tunebench.core.errors import ExitCode, UserError
from tunebench.domain.capturing.plan import CaptureMode, CapturePlan, CommandKind, Schedule, ScheduleKind
from tunebench.domain.capturing.run import HostState, SessionState, StreamState
from tunebench.domain.capturing.views import SessionView
from tunebench.domain.connection import HostProfile
from tunebench.domain.engagement import Phase
from tunebench.usecases import projects
from tunebench.usecases.capturing import approval_sheets, collecting
from tunebench.usecases.capturing import licences as capture_licences
from tunebench.usecases.capturing import plans as capture_plans
from tunebench.usecases.capturing.collecting import Capture, SessionDetails
from tunebench.usecases.capturing.plans import PlanDraft
from tunebench.usecases.projects import Project

_LOOK_S = 0.25
_TELL_S = 10.0


def register(parser: argparse.ArgumentParser, text: Translate) -> None:
    add(parser, text, PROJECT)
    add(
        parser.add_argument_group(text("cli.capture.heading.what")),
        text,
        several("--host", "cli.capture.help.host", "NAME|[user@]host[:port]"),
        argument("--probe", "cli.capture.help.probe", "ID", nargs="+", action="extend", default=[]),
        argument("--interval", "cli.capture.help.interval", "S", type=positive, default=1.0),
        argument("--duration", "cli.capture.help.duration", "S", type=positive, default=600.0),
        optional("--run", "cli.help.run_label", "LABEL"),
        argument("--phase", "cli.help.phase", choices=[p.value for p in Phase], default="other"),
        argument("--at", "cli.capture.help.at", "ISO", type=moment),
        argument("--every", "cli.capture.help.every", "S", type=positive),
        argument("--times", "cli.capture.help.times", "N", type=int, default=1),
        flag("--detached", "cli.capture.help.detached"),
    )
    add(
        parser.add_argument_group(text("cli.capture.heading.how")),
        text,
        *CONNECTION,
        optional("--approved-by", "cli.capture.help.approved_by", "NAME"),
        optional("--approved-at", "cli.capture.help.approved_at", "ISO"),
        KEY,
        SIGNATURE,
        optional("--licence-confirmed-by", "cli.capture.help.licence_confirmed_by", "NAME"),
        optional("--licence-evidence", "cli.capture.help.licence_evidence", "TEXT"),
    )
    add(
        parser.add_argument_group(text("cli.capture.heading.instead")),
        text,
        flag("--plan", "cli.capture.help.plan"),
        argument("--sheet", "cli.capture.help.sheet", "FILE.pdf", type=Path),
        argument("--script", "cli.capture.help.script", "FILE.sh", type=Path),
        flag("--probes", "cli.capture.help.probes"),
        optional("--approved-plan", "cli.capture.help.approved_plan", "DIGEST"),
        flag("--resume", "cli.capture.help.resume"),
        flag("--finish", "cli.capture.help.finish"),
    )
    add(parser, text, *COMMON)


def run(args: argparse.Namespace, console: Console) -> ExitCode:
    with closing(projects.open_(args.project)) as project:
        if args.probes:
            return _list_probes(console)
        if args.resume or args.finish:
            return _after_interruption(args, project, console)
        if args.approved_plan:
            plan = _kept_plan(project, args.approved_plan)
            _confirm_licences(args, project, plan)
            return _run_plan(args, project, plan, (), console)
        profiles = _profiles(args, project)
        plan = capture_plans.draft(project, _draft(args, project, profiles))
        _confirm_licences(args, project, plan)
        if args.plan or args.sheet or args.script:
            return _print_plan(args, project, plan, profiles, console)
        return _run_plan(args, project, plan, profiles, console)


# --- the plan


def _profiles(args: argparse.Namespace, project: Project) -> tuple[HostProfile, ...]:
    if not args.host:
        raise UserError("capture_without_host")
    return tuple(profile_of(args, project, words) for words in args.host)


def _draft(args: argparse.Namespace, project: Project, profiles: tuple[HostProfile, ...]) -> PlanDraft:
    return PlanDraft(
        hosts=profiles,
        probes={"": tuple(args.probe)},
        run=args.run or (args.phase if args.phase != "other" else "capture"),
        phase=Phase(args.phase),
        interval_s=args.interval,
        duration_s=args.duration,
        schedule=_schedule(args, projects.engagement_zone(project)),
        mode=CaptureMode.OFFLINE if args.script else CaptureMode.DETACHED if args.detached else CaptureMode.LIVE,
    )


def _schedule(args: argparse.Namespace, zone: ZoneInfo) -> Schedule:
    at = ""
    if args.at is not None:
        named: datetime = args.at
        at = (named if named.tzinfo else named.replace(tzinfo=zone)).isoformat()
    if args.every:
        return Schedule(ScheduleKind.EVERY, at, round(args.every), args.times)
    return Schedule(ScheduleKind.AT, at) if at else Schedule()


def _kept_plan(project: Project, digest: str) -> CapturePlan:
    matching = [record.plan for record in capture_plans.list_plans(project) if record.digest.startswith(digest.lower())]
    if len(matching) != 1:
        raise UserError("plan_missing", digest=digest)
    return matching[0]


def _print_plan(
    args: argparse.Namespace, project: Project, plan: CapturePlan, profiles: tuple[HostProfile, ...], console: Console
) -> ExitCode:
    written: list[str] = []
    if args.sheet or args.script:
        capture_plans.keep(project, plan, profiles)
    if args.sheet:
        approval_sheets.write_pdf(
            plan, console.language, args.sheet, projects.read_engagement(project), project=project
        )
        written.append(str(args.sheet))
    if args.script:
        written += map(str, capture_plans.write_scripts(project, plan, args.script, console.language))
    if args.plan:
        console.print(approval_sheets.as_text(plan, console.language, projects.read_engagement(project), project))
    for path in written:
        console.say("cli.capture.written", path=path)
    console.result({**capture_shapes.plan(plan), "files": written})
    return ExitCode.DONE


def _list_probes(console: Console) -> ExitCode:
    probes = capture_plans.available_probes()
    console.table(
        console.headings("cli.capture.column", "probe os kind purpose"),
        [
            [probe.id, " ".join(probe.os) or "*", str(probe.kind), probe.purpose.get(console.language, "")]
            for probe in probes
        ],
    )
    console.result([capture_shapes.probe(probe) for probe in probes])
    return ExitCode.DONE


def _confirm_licences(args: argparse.Namespace, project: Project, plan: CapturePlan) -> None:
    """Records the confirmation on the command line, where there is one."""
    if args.licence_confirmed_by or args.licence_evidence:
        capture_licences.confirm(project, plan, args.licence_confirmed_by, args.licence_evidence)


# --- the run


def _run_plan(
    args: argparse.Namespace, project: Project, plan: CapturePlan, profiles: tuple[HostProfile, ...], console: Console
) -> ExitCode:
    capture_plans.keep(project, plan, profiles)
    if plan.own_intervals:
        own = ", ".join(f"{probe} {every_s:g} s" for probe, every_s in plan.own_intervals.items())
        console.notice("cli.capture.own_intervals", interval=f"{plan.interval_s:g}", probes=own)
    if args.approved_by or not args.approved_plan:
        by, how = args.approved_by or collecting.who(), "spoken" if args.approved_by else "command_line"
        key, signature = given_key(args, console), given_signature(args)
        capture_plans.approve(project, plan, by, how, key=key, signature=signature, at=args.approved_at)
    prompter = TerminalPrompter(console, args.accept_host_key)
    console.notice("cli.capture.begins", digest=plan.digest[:12], hosts=len(plan.hosts), commands=len(plan.commands))
    finished: list[SessionDetails] = []
    begun: queue.Queue[Capture] = queue.Queue()
    schedule = collecting.schedule(project, plan.digest, prompter, begun=begun.put, failed=console.refuse)
    try:
        _tell_wait(schedule, console)
        while not schedule.wait(0) or not begun.empty():
            try:
                capture = begun.get(timeout=_LOOK_S)
            except queue.Empty:
                continue
            stopped = _watch(capture, console)
            finished.append(collecting.details(project, capture.session_id))
            if stopped:
                break
            _tell_wait(schedule, console)
    except KeyboardInterrupt:  # while waiting for the next time
        console.notice("cli.cancelled")
    finally:
        schedule.cancel()
    return _tell_result(finished, project, console)


def _after_interruption(args: argparse.Namespace, project: Project, console: Console) -> ExitCode:
    waiting = collecting.unfinished(project)
    if not waiting:
        console.say("cli.capture.nothing_unfinished")
        console.result([])
        return ExitCode.DONE
    finished: list[SessionDetails] = []
    for one in waiting:
        if args.resume and one.can_resume:
            capture = collecting.resume(project, one.session.id, TerminalPrompter(console, args.accept_host_key))
            _watch(capture, console)
        else:
            collecting.finish(project, one.session.id)
        finished.append(collecting.details(project, one.session.id))
    return _tell_result(finished, project, console)


def _tell_wait(schedule: ScheduledRuns, console: Console) -> None:
    window = schedule.next_window
    if window is not None and window.start_ns > time.time_ns() + 1_000_000_000:
        at = datetime.fromtimestamp(window.start_ns / 1e9).astimezone()
        console.notice("cli.capture.waits", at=at.isoformat(sep=" ", timespec="seconds"))


def _watch(capture: Capture, console: Console) -> bool:
    """Watches the capture to its end, and gives whether it was stopped.

    Ctrl+C stops it in good order, a second one leaves at once (the bytes stay for `--finish`).
    """
    shown: dict[str, str] = {}
    next_words_s = time.monotonic() + _TELL_S
    given_up = False
    try:
        while not capture.wait(_LOOK_S):
            view = capture.snapshot()
            _tell_changes(view, shown, console)
            if not given_up and _nobody_can_go_on(view):
                given_up = True
                capture.stop(reason="nobody_to_ask")
            if time.monotonic() >= next_words_s:
                next_words_s += _TELL_S
                _tell_progress(view, console)
        return False
    except KeyboardInterrupt:
        console.notice("cli.capture.stopping")
        capture.stop()
        capture.wait(120)
        return True
    finally:
        _tell_changes(capture.snapshot(), shown, console)
        capture.close()


def _nobody_can_go_on(view: SessionView) -> bool:
    """Whether every host that is not done waits for a person: here nobody can tell it to try again."""
    left = [host for host in view.hosts if host.state is not HostState.DONE]
    return bool(left) and all(host.needs_person for host in left)


def _tell_changes(view: SessionView, shown: dict[str, str], console: Console) -> None:
    if view.message_key and shown.get("") != view.message_key:
        shown[""] = view.message_key
        console.refuse(UserError(view.message_key, **view.message_facts))
    for host in view.hosts:
        words = console.text(f"host_state.{host.state}")
        if host.reason_key:
            words += ": " + console.text(f"error.{host.reason_key}", **host.facts)
        if shown.get(host.name) != words:
            shown[host.name] = words
            console.notice("cli.capture.host", host=host.name, words=words)
        for stream in host.streams:
            if stream.error_key and shown.get(stream.id) != stream.error_key:
                shown[stream.id] = stream.error_key
                words = console.text(f"error.{stream.error_key}", **stream.error_facts)
                console.notice("cli.capture.host", host=stream.id, words=words)


def _tell_progress(view: SessionView, console: Console) -> None:
    streams = [stream for host in view.hosts for stream in host.streams]
    left_s = max(0, (view.planned_end_ns - time.time_ns()) // 1_000_000_000)
    console.notice(
        "cli.capture.progress",
        running=sum(stream.state is StreamState.CAPTURING for stream in streams),
        streams=len(streams),
        lines=f"{sum(stream.lines for stream in streams):,}",
        left=left_s,
    )


def _tell_result(finished: list[SessionDetails], project: Project, console: Console) -> ExitCode:
    zone = projects.engagement_zone(project)
    shapes = [capture_shapes.session(project, details, zone) for details in finished]
    for details in finished:
        for stream in details.streams:
            gaps = sum(gap.stream == stream.command_id for gap in details.gaps)
            console.say(
                "cli.capture.stream",
                id=stream.command_id,
                state=console.text(f"stream_state.{stream.state}"),
                lines=f"{stream.lines:,}",
                bytes=f"{stream.bytes:,}",
                gaps=gaps,
            )
        for host, used in details.overheads.items():
            console.say(
                "cli.capture.overhead",
                host=host,
                share=f"{used.cpu_pct:.2f}",
                cpu=f"{used.cpu_s:.2f}",
                span=f"{used.measured_s:.0f}",
            )
        if details.shorter:
            streams = ", ".join(f"{name} {seconds:.0f} s" for name, seconds in details.shorter.items())
            console.say("cli.capture.shorter", approved=f"{details.plan.duration_s:g}", streams=streams)
        console.say("cli.capture.done", run=details.plan.run, session=details.session.id)
    console.result(shapes[0] if len(shapes) == 1 else shapes)
    return _exit_code(finished)


def _exit_code(finished: list[SessionDetails]) -> ExitCode:
    streams = [
        stream
        for details in finished
        for stream in details.streams
        if details.plan.command(stream.command_id).kind is not CommandKind.HOUSE
    ]
    failed = [stream for stream in streams if stream.state is StreamState.FAILED or not stream.bytes]
    whole = all(details.session.state is SessionState.FINISHED for details in finished)
    if streams and not failed and whole:
        return ExitCode.DONE
    return ExitCode.PARTLY if len(failed) < len(streams) or any(stream.lines for stream in failed) else ExitCode.REFUSED
