"""``import --again``: what a person says of captures that are in the project already."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from contextlib import closing
from zoneinfo import ZoneInfo

from app.cli import shapes
from app.cli.console import Console
from app.core.errors import UserError
from app.core.progress import Progress
from app.usecases import exports, projects
from app.usecases.importing import resolution
from app.usecases.importing.resolution import Correction, OpenCapture, OpenHost


def run(args: argparse.Namespace, console: Console) -> None:
    """Reads stored captures again under what is said; without a word, lists what they leave open."""
    with closing(projects.open_(args.project)) as project:
        zone = exports.engagement_zone(project)
        with closing(console.progress()) as progress:
            if args.take_back is not None:
                resolution.take_back(project, args.take_back, progress)
                console.say("cli.again.taken_back", number=args.take_back)
            said = _say(args, project, console, progress)
        found = [each for each in resolution.open_hosts(project) if args.host in ("", each.host.name)]
        console.result({"said": said, "hosts": [_host(each, zone) for each in found]})
        _show(found, zone, console)


def _say(args: argparse.Namespace, project: projects.Project, console: Console, progress: Progress) -> list[int]:
    correction = Correction(args.tz, args.date, args.day_first, args.start, args.interval)
    if correction == Correction():
        return []
    known = [each for each in resolution.open_hosts(project) if args.host in ("", each.host.name)]
    wanted = _wanted(known, [*(args.again or ()), *map(str, args.paths)])
    said = []
    for host, captures in wanted:
        number = resolution.resolve(
            project, host.host.id, [each.artefact.id for each in captures], correction, progress
        )
        if number is not None:
            said.append(number)
            console.say("cli.again.said", number=number, host=host.host.name, count=len(captures))
    if not said:
        console.say("cli.again.nothing")
    return said


def _wanted(known: Sequence[OpenHost], names: Sequence[str]) -> list[tuple[OpenHost, list[OpenCapture]]]:
    """The captures of those numbers or names, all where none is said.

    Raises:
        UserError: capture_not_open where one of them is unknown or leaves nothing open.
    """
    left, found = dict.fromkeys(names), []
    for host in known:
        own = [each for each in host.captures if not names or not _names_of(each).isdisjoint(names)]
        for each in own:
            left = {name: None for name in left if name not in _names_of(each)}
        if own:
            found.append((host, own))
    if left or not found:
        raise UserError("capture_not_open", names=", ".join(left) or "-")
    return found


def _names_of(each: OpenCapture) -> set[str]:
    return {str(each.artefact.id), each.artefact.name, each.artefact.source_path}


def _host(host: OpenHost, zone: ZoneInfo) -> shapes.Shape:
    return {
        "host": host.host.name,
        "captures": [_capture(each, zone) for each in host.captures],
        "said": [
            {
                "number": each.id,
                "at": shapes.stamp(each.said_at, zone),
                **shapes.shape(each, "by=said_by said"),
                "captures": [change.artefact_id for change in each.changes],
                "in_force": each.in_force,
            }
            for each in host.said
        ],
    }


def _capture(each: OpenCapture, zone: ZoneInfo) -> shapes.Shape:
    return {
        **shapes.shape(each.artefact, "id name"),
        "open": list(each.times.open_subjects),
        "doubtful": list(each.doubtful),
        **shapes.shape(each.times, "first=first_ns last=last_ns", zone),
        "given": dict(each.artefact.given),
    }


def _show(found: Sequence[OpenHost], zone: ZoneInfo, console: Console) -> None:
    for host in found:
        console.say("cli.again.host", host=host.host.name, count=len(host.captures), doubtful=host.doubtful)
        console.table(
            console.headings("cli.again.column", "id file first last open"),
            [
                [
                    str(each.artefact.id),
                    each.artefact.name,
                    shapes.time(each.times.first_ns, zone) or "-",
                    shapes.time(each.times.last_ns, zone) or "-",
                    ", ".join(console.text(f"ledger.assumption.{subject}") for subject in each.doubtful) or "-",
                ]
                for each in host.captures
            ],
            right=frozenset({0}),
        )
        for said in host.said:
            key = "cli.again.was_said" if said.in_force else "cli.again.was_taken_back"
            words = ", ".join(f"{subject} {value}" for subject, value in said.said.items())
            console.say(key, number=said.id, by=said.said_by, at=shapes.stamp(said.said_at, zone), said=words)
