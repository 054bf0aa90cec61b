"""``window``: named windows listed, added, excluded from and removed."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from datetime import datetime
from zoneinfo import ZoneInfo

from app.cli import shapes
from app.cli.arguments import Translate, add_common, add_project, day, moment
from app.cli.console import Console
from app.core.errors import ExitCode, UserError
from app.domain.cycle.book import CycleEdit
from app.domain.cycle.records import DailyWindow, Metric
from app.domain.schema import schema
from app.domain.windows import Exclusion, Occurrence, Window, WindowLoad, WindowRole, stretch_text
from app.usecases import exports, projects
from app.usecases.comparing import windows
from app.usecases.cycle import facade as cycle
from app.usecases.cycle.values import parse
from app.usecases.projects import Project

_NS_PER_S = 1_000_000_000

Act = Callable[[argparse.Namespace, Project, ZoneInfo, Console], None]


# -- grammar -------------------------------------------------------------------------------------------


def register(parser: argparse.ArgumentParser, text: Translate) -> None:
    add_project(parser, text)
    acts = parser.add_subparsers(dest="act", required=True, metavar="ACT", parser_class=type(parser))
    for name in _ACTS:
        act = acts.add_parser(name, help=text(f"cli.window.act.{name}"), description=text(f"cli.window.act.{name}"))
        if name != "list":
            act.add_argument("name", metavar="NAME", help=text("cli.window.help.name"))
        if name == "add":
            _add_arguments(act, text)
        if name == "exclude":
            act.add_argument(
                "--from", dest="start", type=moment, required=True, metavar="T", help=text("cli.help.from")
            )
            act.add_argument("--to", dest="end", type=moment, required=True, metavar="T", help=text("cli.help.to"))
            act.add_argument("--reason", required=True, metavar="TEXT", help=text("cli.window.help.reason"))
        add_common(act, text)


def _add_arguments(parser: argparse.ArgumentParser, text: Translate) -> None:
    roles, loads = ([each.value for each in kind] for kind in (WindowRole, WindowLoad))
    parser.add_argument("--role", choices=roles, required=True, help=text("cli.window.help.role"))
    parser.add_argument("--kind", choices=loads, default=loads[0], help=text("cli.window.help.kind"))
    parser.add_argument("--host", action="append", default=[], metavar="H", help=text("cli.window.help.host"))
    parser.add_argument("--run", default="", metavar="L", help=text("cli.window.help.run"))
    for end, dest in (("from", "start"), ("to", "end")):
        parser.add_argument(
            f"--{end}", dest=dest, action="append", type=moment, metavar="T", help=text(f"cli.window.help.{end}")
        )
    parser.add_argument("--days", default="", metavar="mon-fri", help=text("cli.window.help.days"))
    parser.add_argument("--hours", default="", metavar="09:00-12:00", help=text("cli.window.help.hours"))
    parser.add_argument("--between", nargs=2, type=day, metavar=("D1", "D2"), help=text("cli.window.help.between"))


def run(args: argparse.Namespace, console: Console) -> ExitCode:
    project = projects.open_(args.project, read_only=args.act == "list")
    try:
        if args.act != "list":
            projects.require_writing(project)
        _ACTS[args.act](args, project, exports.engagement_zone(project), console)
    finally:
        projects.close(project)
    return ExitCode.DONE


# -- acts ----------------------------------------------------------------------------------------------


def _list(_args: argparse.Namespace, project: Project, zone: ZoneInfo, console: Console) -> None:
    known, labels = windows.list_windows(project), _labels(project)
    console.result([_shape(each, labels, zone) for each in known])
    if not known:
        console.say("cli.window.none")
        return
    columns = ("name", "role", "kind", "hosts", "occurrences", "first", "last", "excluded")
    console.table(
        [console.text(f"cli.window.column.{name}") for name in columns],
        [_row(each, zone, console) for each in known],
        right=frozenset({4, 7}),
    )


def _add(args: argparse.Namespace, project: Project, zone: ZoneInfo, console: Console) -> None:
    occurrences, by_days = _asked(args, project, zone)
    role, load = WindowRole(args.role), WindowLoad(args.kind)
    window = Window(0, args.name, role, load, tuple(dict.fromkeys(args.host)), tuple(sorted(occurrences, key=_start)))
    made = _do(project, windows.add(project, window))
    console.result(
        {
            **_shape(made, _labels(project), zone),
            "empty_days": [each.isoformat() for each in (by_days.empty if by_days else ())],
            "skipped_days": [each.isoformat() for each in (by_days.skipped if by_days else ())],
            "other_clocks": list(by_days.clocks if by_days else ()),
        }
    )
    count, first, last = len(made.occurrences), made.occurrences[0], made.occurrences[-1]
    stretch = stretch_text((first.span[0], last.span[1]), zone)
    console.say("cli.window.added", window=made.name, count=count, stretch=stretch)
    for key, facts in by_days.remarks if by_days else ():
        console.notice(key, **facts)


def _asked(
    args: argparse.Namespace, project: Project, zone: ZoneInfo
) -> tuple[Sequence[Occurrence], windows.DailyOccurrences | None]:
    """What was said, one way of the three, and what is to be known of days and hours."""
    by_days = [args.days, args.hours, args.between]
    ways = [bool(args.run), bool(args.start or args.end), any(by_days)]
    if sum(ways) != 1 or (ways[2] and not all(by_days)):
        raise UserError("window_unsaid")
    if args.run:
        return windows.of_run(project, projects.find_run(project, args.run), args.host), None
    if ways[2]:
        hours = parse(DailyWindow, schema(Metric)["window"], args.hours)
        assert isinstance(hours, DailyWindow)
        first, last = args.between
        found = windows.of_days(project, windows.weekdays(args.days), hours, first, last, args.host)
        return found.occurrences, found
    starts, ends = args.start or [], args.end or []
    if len(starts) != len(ends):
        raise UserError("window_ends_unpaired", starts=len(starts), ends=len(ends))
    return [Occurrence(_ns(start, zone), _ns(end, zone)) for start, end in zip(starts, ends, strict=True)], None


def _exclude(args: argparse.Namespace, project: Project, zone: ZoneInfo, console: Console) -> None:
    exclusion = Exclusion(_ns(args.start, zone), _ns(args.end, zone), args.reason)
    made = _do(project, windows.exclude(project, windows.kept_window(project, args.name), exclusion))
    console.result(_shape(made, _labels(project), zone))
    console.say("cli.window.excluded", window=made.name, stretch=stretch_text(exclusion.span, zone))


def _remove(args: argparse.Namespace, project: Project, zone: ZoneInfo, console: Console) -> None:
    window = windows.kept_window(project, args.name)
    cycle.apply(project, windows.remove(window))
    console.result(_shape(window, _labels(project), zone))
    console.say("cli.window.removed", window=window.name)


_ACTS: dict[str, Act] = {"list": _list, "add": _add, "exclude": _exclude, "remove": _remove}


def _do(project: Project, edit: CycleEdit) -> Window:
    (done,) = cycle.apply(project, edit).changes
    assert isinstance(done.after, Window)
    return done.after


def _start(occurrence: Occurrence) -> int:
    return occurrence.span[0]


def _ns(when: datetime, zone: ZoneInfo) -> int:
    """A moment without a zone is of the engagement's."""
    aware = when if when.tzinfo else when.replace(tzinfo=zone)
    return int(aware.timestamp()) * _NS_PER_S + aware.microsecond * 1000


# -- output --------------------------------------------------------------------------------------------


def _labels(project: Project) -> dict[int, str]:
    return {each.run.id: each.run.label for each in projects.overview(project).runs}


def _shape(window: Window, labels: dict[int, str], zone: ZoneInfo) -> shapes.Shape:
    return {
        **shapes.shape(window, "name role kind=load hosts"),
        "occurrences": [
            {**shapes.shape(each, "from=start_ns to=end_ns", zone), "run": labels.get(each.run_id or 0)}
            for each in window.occurrences
        ],
        "exclusions": [shapes.shape(each, "from=start_ns to=end_ns reason", zone) for each in window.exclusions],
    }


def _row(window: Window, zone: ZoneInfo, console: Console) -> list[str]:
    first, last = (stretch_text(window.occurrences[place].span, zone) for place in (0, -1))
    return [
        window.name,
        console.text(f"window.role.{window.role.value}"),
        console.text(f"window.load.{window.load.value}"),
        ", ".join(window.hosts) or "-",
        str(len(window.occurrences)),
        first,
        last,
        str(len(window.exclusions)),
    ]
