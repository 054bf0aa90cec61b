"""``host alias`` and ``host overlaps``: what devices are called, and which of two captures counts."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from zoneinfo import ZoneInfo

from tunebench.cli import shapes
from tunebench.cli.arguments import argument, moment, moment_ns, several
from tunebench.cli.console import Console
from tunebench.core.errors import UserError
from tunebench.domain.assembly import DeviceAlias
from tunebench.usecases import exports
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
    zone = exports.engagement_zone(project)
    known = [each for each in assembly.device_names(project, host.id) if each.source == "user"]
    start_ns, end_ns = (moment_ns(end, zone) for end in (args.start, args.end))
    new = [_alias(words, start_ns, end_ns) for words in args.names]
    if new or args.remove:
        kept = [each for each in known if each.device not in args.remove and not _replaced(each, new)]
        assembly.set_device_names(project, host.id, [*kept, *new])
    found = assembly.device_names(project, host.id)
    console.result(
        {
            "host": host.name,
            "devices": list(assembly.devices_of(project, host.id)),
            "names": [
                shapes.shape(each, "device name from=start_ns to=end_ns source by=author?", zone) for each in found
            ],
        }
    )
    if not found:
        console.say("cli.host.no_names", host=host.name)
    for each in found:
        start, end = (shapes.time(end, zone) or "" for end in (each.start_ns, each.end_ns))
        period = f" [{start} – {end}]" if start or end else ""
        source = console.text(f"ledger.source.{each.source}")
        console.print(f"  {each.device} = {each.name}{period}  {source}")


def _alias(words: str, start_ns: int | None, end_ns: int | None) -> DeviceAlias:
    device, equals, name = words.partition("=")
    if not equals:
        raise UserError("device_name_unreadable", words=words)
    return DeviceAlias(device.strip(), name.strip(), start_ns, end_ns)


def _replaced(old: DeviceAlias, new: list[DeviceAlias]) -> bool:
    """A name for the same period takes the old one's place."""
    return any(each.device == old.device and each.span == old.span for each in new)


def overlaps(args: argparse.Namespace, project: Project, console: Console) -> None:
    """Captures that hold the same stretch; `--count` says which of them counts."""
    if args.count is not None:
        assembly.choose(project, args.count)
    found = listed_overlaps(project)
    console.result(overlap_shapes(found, exports.engagement_zone(project)))
    if not found:
        console.say("cli.host.no_overlaps")
    say_overlaps(found, console)


def listed_overlaps(project: Project) -> list[tuple[int, OverlapView]]:
    """(capture, what it has in common with another), by capture."""
    return [(artefact_id, each) for artefact_id, own in sorted(assembly.overlaps_of(project).items()) for each in own]


def overlap_shapes(found: Sequence[tuple[int, OverlapView]], zone: ZoneInfo) -> list[shapes.Shape]:
    return [
        {
            "capture": artefact_id,
            "other": each.other.id,
            "relation": each.relation.value,
            "shift_s": each.shift_ns // NS_PER_S,
            **shapes.shape(each, "first=start_ns last=end_ns counts", zone),
        }
        for artefact_id, each in found
    ]


def say_overlaps(found: Sequence[tuple[int, OverlapView]], console: Console) -> None:
    for artefact_id, each in found:
        facts = {"other": each.other.name, "number": each.other.id, "shift": assembly.shift_words(each.shift_ns)}
        console.say(f"cli.host.overlap.{each.relation}", id=artefact_id, **facts)
        if each.counts is not None:
            console.say("cli.host.counts" if each.counts else "cli.host.counts_not")
