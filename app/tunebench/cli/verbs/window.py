"""``window``: named windows listed, added, excluded from and removed."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from zoneinfo import ZoneInfo

from tunebench.cli.acts import Acts, add_acts, do_act
from tunebench.cli.arguments import Translate, argument, day, moment, optional, several
from tunebench.cli.console import Console
from tunebench.contract.windows import window_shape
from tunebench.core.errors import UserError
from tunebench.domain.capturing.times import to_ns
from tunebench.domain.cycle.book import CycleEdit
from tunebench.domain.cycle.records import DailyWindow, Metric
from tunebench.domain.schema import schema
from tunebench.domain.windows import Exclusion, Occurrence, Window, WindowLoad, WindowRole, stretch_text
from tunebench.usecases import projects
from tunebench.usecases.comparing import windows
from tunebench.usecases.cycle import applying
from tunebench.usecases.cycle.values import parse
from tunebench.usecases.projects import Project


def register(parser: argparse.ArgumentParser, text: Translate) -> None:
    add_acts(parser, text, "cli.window.act", _ACTS)


def run(args: argparse.Namespace, console: Console) -> None:
    do_act(_ACTS, args, console, args.act == "list")


# -- acts ----------------------------------------------------------------------------------------------


def _list(_args: argparse.Namespace, project: Project, console: Console) -> None:
    kept, labels, zone = windows.list_windows(project), _labels(project), projects.engagement_zone(project)
    console.result([window_shape(window, labels, zone) for window in kept])
    if not kept:
        console.say("cli.window.none")
        return
    console.table(
        console.headings("cli.window.column", "name role kind hosts occurrences first last clock excluded"),
        [_row(window, zone, console) for window in kept],
        right=frozenset({4, 8}),
    )


def _add(args: argparse.Namespace, project: Project, console: Console) -> None:
    zone = windows.zone_named(project, args.clock) if args.clock else ""
    occurrences, by_days = _asked(args, project, zone)
    window = Window(
        0,
        args.name,
        WindowRole(args.role),
        WindowLoad(args.kind),
        tuple(dict.fromkeys(args.host)),
        tuple(sorted(occurrences, key=lambda occurrence: occurrence.span[0])),
        zone=zone,
    )
    added, usual = _do(project, windows.add(project, window)), projects.engagement_zone(project)
    console.result(
        {
            **window_shape(added, _labels(project), usual),
            "empty_days": [day.isoformat() for day in (by_days.empty if by_days else ())],
            "skipped_days": [day.isoformat() for day in (by_days.skipped if by_days else ())],
            "holidays": [day.isoformat() for day in (by_days.holidays if by_days else ())],
            "other_clocks": list(by_days.clocks if by_days else ()),
        }
    )
    count, first, last = len(added.occurrences), added.occurrences[0], added.occurrences[-1]
    stretch = stretch_text((first.span[0], last.span[1]), added.clock(usual))
    console.say("cli.window.added", window=added.name, count=count, stretch=stretch)
    for key, facts in by_days.remarks if by_days else ():
        console.notice(key, **facts)


def _asked(
    args: argparse.Namespace, project: Project, zone: str
) -> tuple[Sequence[Occurrence], windows.DailyOccurrences | None]:
    """The occurrences that were said in one of the three ways; with days and hours also what is to be known of them."""
    by_days = [args.days, args.hours, args.between]
    ways = [bool(args.run), bool(args.start or args.end), any(by_days)]
    if sum(ways) != 1 or (ways[2] and not all(by_days)):
        raise UserError("window_unsaid")
    if args.run:
        return windows.of_run(project, projects.find_run(project, args.run), args.host, zone), None
    if ways[2]:
        hours = parse(DailyWindow, schema(Metric)["window"], args.hours)
        assert isinstance(hours, DailyWindow)
        first, last = args.between
        daily = windows.of_days(project, windows.weekdays(args.days), hours, first, last, args.host, zone)
        return daily.occurrences, daily
    starts, ends = args.start or [], args.end or []
    if len(starts) != len(ends):
        raise UserError("window_ends_unpaired", starts=len(starts), ends=len(ends))
    clock = zone or projects.engagement_zone(project).key
    ends_ns = ([to_ns(moment, clock) for moment in side] for side in (starts, ends))
    return [Occurrence(start, end) for start, end in zip(*ends_ns, strict=True)], None


def _exclude(args: argparse.Namespace, project: Project, console: Console) -> None:
    window, zone = windows.kept_window(project, args.name), projects.engagement_zone(project)
    clock = window.clock(zone)
    exclusion = Exclusion(to_ns(args.start, clock.key), to_ns(args.end, clock.key), args.reason)
    changed = _do(project, windows.exclude(project, window, exclusion), args.reason)
    console.result(window_shape(changed, _labels(project), zone))
    console.say("cli.window.excluded", window=changed.name, stretch=stretch_text(exclusion.span, clock))


def _remove(args: argparse.Namespace, project: Project, console: Console) -> None:
    window = windows.kept_window(project, args.name)
    applying.apply(project, windows.remove(window))
    console.result(window_shape(window, _labels(project), projects.engagement_zone(project)))
    console.say("cli.window.removed", window=window.name)


_NAME = argument("name", "cli.window.help.name", "NAME")
_LOADS = [load.value for load in WindowLoad]
_ACTS: Acts = {
    "list": (_list, ()),
    "add": (
        _add,
        (
            _NAME,
            argument("--role", "cli.window.help.role", choices=[role.value for role in WindowRole], required=True),
            argument("--kind", "cli.window.help.kind", choices=_LOADS, default=_LOADS[0]),
            several("--host", "cli.window.help.host", "H"),
            optional("--clock", "cli.window.help.clock", "Z"),
            optional("--run", "cli.window.help.run", "L"),
            argument("--from", "cli.window.help.from", "T", dest="start", action="append", type=moment),
            argument("--to", "cli.window.help.to", "T", dest="end", action="append", type=moment),
            optional("--days", "cli.window.help.days", "mon-fri"),
            optional("--hours", "cli.window.help.hours", "09:00-12:00"),
            argument("--between", "cli.window.help.between", ("D1", "D2"), nargs=2, type=day),
        ),
    ),
    "exclude": (
        _exclude,
        (
            _NAME,
            argument("--from", "cli.help.from", "T", dest="start", type=moment, required=True),
            argument("--to", "cli.help.to", "T", dest="end", type=moment, required=True),
            argument("--reason", "cli.window.help.reason", "TEXT", required=True),
        ),
    ),
    "remove": (_remove, (_NAME,)),
}


def _do(project: Project, edit: CycleEdit, reason: str = "") -> Window:
    """Applies the edit; of a window that a settled figure was measured over, `reason` becomes that of an amendment."""
    done, *_ = applying.apply(project, edit, reason=reason).changes
    assert isinstance(done.after, Window)
    return done.after


# -- output --------------------------------------------------------------------------------------------


def _labels(project: Project) -> dict[int, str]:
    return {view.run.id: view.run.label for view in projects.overview(project).runs}


def _row(window: Window, usual: ZoneInfo, console: Console) -> list[str]:
    zone = window.clock(usual)
    first, last = (stretch_text(window.occurrences[index].span, zone) for index in (0, -1))
    return [
        window.name,
        console.text(f"window.role.{window.role.value}"),
        console.text(f"window.load.{window.load.value}"),
        ", ".join(window.hosts) or "-",
        str(len(window.occurrences)),
        first,
        last,
        zone.key,
        str(len(window.exclusions)),
    ]
