"""``host alias`` and ``host overlaps``: what devices are called, and which of two captures counts."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from zoneinfo import ZoneInfo

from tunebench.cli.arguments import argument, moment, moment_ns, several
from tunebench.cli.console import Console
from tunebench.contract import shapes
from tunebench.core.errors import UserError
from tunebench.domain.assembly import DeviceAlias
from tunebench.usecases import projects
from tunebench.usecases.importing import assembly
from tunebench.usecases.importing.assembly import OverlapView
from tunebench.usecases.projects import Project

NS_PER_S = 1_000_000_000


ALIAS = (
    argument("name", "cli.host.help.captured", "HOST"),
    argument("names", "cli.host.help.names", "DEVICE=NAME", nargs="*"),
    argument("--from", "cli.host.help.names_from", "ISO", dest="start", type=moment),
    argument("--to", "cli.host.help.names_to", "ISO", dest="end", type=moment),
    several("--remove", "cli.host.help.unname", "DEVICE"),
)
OVERLAPS = (argument("--count", "cli.host.help.count", "CAPTURE", type=int),)


def alias(args: argparse.Namespace, project: Project, console: Console) -> None:
    """Gives names, takes them away, and lists what the host's devices are called."""
    host = assembly.find_host(project, args.name)
    zone = projects.engagement_zone(project)
    existing = [name for name in assembly.device_names(project, host.id) if name.source == "user"]
    start_ns, end_ns = (moment_ns(end, zone) for end in (args.start, args.end))
    new = [_alias(words, start_ns, end_ns) for words in args.names]
    if new or args.remove:
        kept = [name for name in existing if name.device not in args.remove and not _replaced(name, new)]
        assembly.set_device_names(project, host.id, [*kept, *new])
    names = assembly.device_names(project, host.id)
    console.result(
        {
            "host": host.name,
            "devices": list(assembly.devices_of(project, host.id)),
            "names": [
                shapes.shape(name, "device name from=start_ns to=end_ns source by=author?", zone) for name in names
            ],
        }
    )
    if not names:
        console.say("cli.host.no_names", host=host.name)
    for name in names:
        start, end = (shapes.time(end, zone) or "" for end in (name.start_ns, name.end_ns))
        period = f" [{start} – {end}]" if start or end else ""
        source = console.text(f"ledger.source.{name.source}")
        console.print(f"  {name.device} = {name.name}{period}  {source}")


def _alias(words: str, start_ns: int | None, end_ns: int | None) -> DeviceAlias:
    device, equals, name = words.partition("=")
    if not equals:
        raise UserError("device_name_unreadable", words=words)
    return DeviceAlias(device.strip(), name.strip(), start_ns, end_ns)


def _replaced(old: DeviceAlias, new: list[DeviceAlias]) -> bool:
    """Whether a new name for the same device and period takes the old one's place."""
    return any(alias.device == old.device and alias.span == old.span for alias in new)


def overlaps(args: argparse.Namespace, project: Project, console: Console) -> None:
    """Lists captures that hold the same stretch; `--count` says which of them counts."""
    if args.count is not None:
        assembly.choose(project, args.count)
    listed = listed_overlaps(project)
    console.result(overlap_shapes(listed, projects.engagement_zone(project)))
    if not listed:
        console.say("cli.host.no_overlaps")
    say_overlaps(listed, console)


def listed_overlaps(project: Project) -> list[tuple[int, OverlapView]]:
    """(capture, what it has in common with another), by capture."""
    return [
        (artefact_id, overlap) for artefact_id, own in sorted(assembly.overlaps_of(project).items()) for overlap in own
    ]


def overlap_shapes(listed: Sequence[tuple[int, OverlapView]], zone: ZoneInfo) -> list[shapes.Shape]:
    return [
        {
            "capture": artefact_id,
            "other": overlap.other.id,
            "relation": overlap.relation.value,
            "shift_s": overlap.shift_ns // NS_PER_S,
            **shapes.shape(overlap, "first=start_ns last=end_ns counts", zone),
        }
        for artefact_id, overlap in listed
    ]


def say_overlaps(listed: Sequence[tuple[int, OverlapView]], console: Console) -> None:
    for artefact_id, overlap in listed:
        facts = {
            "other": overlap.other.name,
            "number": overlap.other.id,
            "shift": assembly.shift_words(overlap.shift_ns),
        }
        console.say(f"cli.host.overlap.{overlap.relation}", id=artefact_id, **facts)
        if overlap.counts is not None:
            console.say("cli.host.counts" if overlap.counts else "cli.host.counts_not")
