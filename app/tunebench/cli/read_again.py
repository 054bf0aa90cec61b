"""``import --again``: what a person says of captures that are in the project already."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from contextlib import closing
from fnmatch import fnmatchcase
from zoneinfo import ZoneInfo

from tunebench.cli import import_plan
from tunebench.cli.console import Console
from tunebench.contract import shapes
from tunebench.core.errors import UserError
from tunebench.core.progress import Progress
from tunebench.domain.capturing.times import Correction
from tunebench.domain.engagement import Phase
from tunebench.usecases import projects
from tunebench.usecases.importing import resolution
from tunebench.usecases.importing.resolution import OpenCapture, OpenHost
from tunebench.usecases.projects import ArtefactInfo


def run(args: argparse.Namespace, console: Console) -> None:
    """Reads stored captures again under what is said; without a word, lists what they leave open."""
    with closing(projects.open_(args.project)) as project:
        zone = projects.engagement_zone(project)
        with closing(console.progress()) as progress:
            if args.take_back is not None:
                resolution.take_back(project, args.take_back, progress)
                console.say("cli.again.taken_back", number=args.take_back)
            numbers = _say(args, project, console, progress)
            if args.plan is not None:
                numbers += import_plan.apply(project, args.plan, console, progress)
        every = resolution.open_hosts(project)
        for number, host, count in (
            (s.id, host_view.host.name, len(s.changes)) for host_view in every for s in host_view.said
        ):
            if number in numbers:
                console.say("cli.again.said", number=number, host=host, count=count)
        shown = [host for host in every if args.host in ("", host.host.name)]
        console.result({"said": numbers, "hosts": [_host(host, zone) for host in shown]})
        _show(shown, zone, console)
        if args.review is not None:
            import_plan.write(project, args.review, zone, console)


def _say(args: argparse.Namespace, project: projects.Project, console: Console, progress: Progress) -> list[int]:
    phase = Phase(args.phase or Phase.OTHER)
    correction = Correction(
        args.tz,
        args.date,
        args.day_first,
        args.start,
        args.interval,
        first_measured=args.first_measured,
        host=args.to_host,
        run=args.to_run,
        phase=phase,
    )
    if correction == Correction(phase=phase):
        return []
    names = [*(args.again or ()), *map(str, args.paths)]
    if (args.to_host or args.to_run) and not (names or args.host):
        args.complain(console.text("cli.usage.required") % "CAPTURE, --host")
    wanted = _wanted(args.host, project, names)
    numbers = resolution.correct(project, [artefact.id for artefact in wanted], correction, progress)
    if not numbers:
        console.say("cli.again.nothing")
    return numbers


def _wanted(host: str, project: projects.Project, names: Sequence[str]) -> list[ArtefactInfo]:
    """The captures of those numbers, names or paths, which may be patterns; all of the host where none is said.

    Raises:
        UserError: capture_not_known where one of them means no capture.
    """
    overview = projects.overview(project)
    hosts = {host_info.id: host_info.name for host_info in overview.hosts}
    every = (artefact for view in overview.runs for artefact in view.artefacts)
    own = [artefact for artefact in every if host in ("", hosts.get(artefact.host_id or 0))]
    left = [name for name in names if not any(_is_named(artefact, name) for artefact in own)]
    if left or not own:
        raise UserError("capture_not_known", names=", ".join(left) or "-")
    return [artefact for artefact in own if not names or any(_is_named(artefact, name) for name in names)]


def _is_named(artefact: ArtefactInfo, name: str) -> bool:
    return name == str(artefact.id) or any(
        fnmatchcase(own, name) or own == name for own in (artefact.name, artefact.source_path)
    )


def _host(host: OpenHost, zone: ZoneInfo) -> shapes.Shape:
    return {
        "host": host.host.name,
        "captures": [_capture(capture, zone) for capture in host.captures],
        "said": [
            {
                "number": statement.id,
                "at": shapes.stamp(statement.said_at, zone),
                **shapes.shape(statement, "by=said_by said"),
                "captures": [change.artefact_id for change in statement.changes],
                "in_force": statement.in_force,
            }
            for statement in host.said
        ],
    }


def _capture(capture: OpenCapture, zone: ZoneInfo) -> shapes.Shape:
    return {
        **shapes.shape(capture.artefact, "id name"),
        "open": list(capture.times.open_subjects),
        "doubtful": list(capture.doubtful),
        **shapes.shape(capture.times, "first=first_ns last=last_ns", zone),
        "given": dict(capture.artefact.given),
    }


def _show(hosts: Sequence[OpenHost], zone: ZoneInfo, console: Console) -> None:
    for host in hosts:
        console.say("cli.again.host", host=host.host.name, count=len(host.captures), doubtful=host.doubtful)
        console.table(
            console.headings("cli.again.column", "id file first last open"),
            [
                [
                    str(capture.artefact.id),
                    capture.artefact.name,
                    shapes.time(capture.times.first_ns, zone) or "-",
                    shapes.time(capture.times.last_ns, zone) or "-",
                    ", ".join(console.text(f"ledger.assumption.{subject}") for subject in capture.doubtful) or "-",
                ]
                for capture in host.captures
            ],
            right=frozenset({0}),
        )
        for statement in host.said:
            key = "cli.again.was_said" if statement.in_force else "cli.again.was_taken_back"
            words = ", ".join(f"{subject} {value}" for subject, value in statement.said.items())
            console.say(
                key, number=statement.id, by=statement.said_by, at=shapes.stamp(statement.said_at, zone), said=words
            )
