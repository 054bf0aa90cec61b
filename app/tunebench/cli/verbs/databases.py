"""``databases``: which databases the captures tell of, their snapshots and periods; what people decided about them."""

from __future__ import annotations

import argparse
from contextlib import closing
from zoneinfo import ZoneInfo

from tunebench.cli.arguments import COMMON, PROJECT, Translate, add, argument, optional
from tunebench.cli.console import Console
from tunebench.cli.session_tables import show_sessions
from tunebench.contract import databases as database_shapes
from tunebench.contract import shapes
from tunebench.domain.windows import Window, run_window
from tunebench.usecases import projects
from tunebench.usecases.comparing import windows
from tunebench.usecases.databases import periods as database_periods
from tunebench.usecases.databases import snapshots
from tunebench.usecases.databases.choices import link_statements, list_confirmations, list_links, remove_link
from tunebench.usecases.databases.periods import Period
from tunebench.usecases.databases.sessions import session_history
from tunebench.usecases.databases.snapshots import Database, Snapshot, by_stretch
from tunebench.usecases.databases.words import length_text, moment_text, source_text
from tunebench.usecases.projects import Project

_DB_TIME_TABLES = ("time_model", "load")
Found = tuple[str, Database, list[Snapshot], list[Period]]


def register(parser: argparse.ArgumentParser, text: Translate) -> None:
    run, database = argument("--run", "cli.help.window_or_run", "L"), optional("--database", "cli.help.database", "D")
    add(parser, text, PROJECT, run, database)
    add(
        parser.add_mutually_exclusive_group(),
        text,
        argument("--link", "cli.databases.help.link", ("ENGINE", "BEFORE", "AFTER"), nargs=3),
        argument("--unlink", "cli.databases.help.unlink", "N", type=int),
    )
    add(parser, text, argument("--sessions", "cli.databases.help.sessions", action="store_true"))
    by, note = optional("--by", "cli.databases.help.by", "NAME"), optional("--note", "cli.databases.help.note", "TEXT")
    add(parser, text, by, note, *COMMON)


def run(args: argparse.Namespace, console: Console) -> None:
    changes = args.link is not None or args.unlink is not None
    with closing(projects.open_(args.project, read_only=not changes)) as project:
        if changes:
            projects.require_writing(project)
            _change(project, args)
        runs = [view.run for view in projects.overview(project).runs]
        asked = [run_window(run.id) for run in runs] if args.run is None else [windows.find_window(project, args.run)]
        databases = [database for one in asked for database in _of_window(project, one, args.database)]
        links = list_links(project)
        licences = list_confirmations(project)
        zone = projects.engagement_zone(project)
        histories = [session_history(project, database[1]) for database in databases] if args.sessions else []
        listed = [session_history(project, database[1], statements=True) for database in databases] if histories else []
    sessions = [
        {"sessions": None if over is None else database_shapes.sessions(over, by_statement, zone)}
        for over, by_statement in zip(histories, listed, strict=True)
    ]
    console.result(
        {
            "databases": [
                {**database_shapes.database(database, title, taken, periods, zone), **more}
                for (title, database, taken, periods), more in zip(
                    databases, sessions or [{}] * len(databases), strict=True
                )
            ],
            "links": [database_shapes.link(link) for link in links],
            "licences": [database_shapes.licence(licence) for licence in licences],
        }
    )
    for index, database in enumerate(databases):
        _show(database, zone, console)
        if histories:
            show_sessions(histories[index], listed[index], zone, console)
    if not databases:
        console.say("cli.databases.none")
    for link in links:
        console.say(
            "cli.databases.link",
            number=link.id,
            engine=link.engine,
            before=link.before_id,
            after=link.after_id,
            author=link.author,
            note=link.note,
        )
    for given in licences:
        console.say(
            "cli.databases.licence",
            subject=given.subject,
            database=given.database or "*",
            host=given.host or "*",
            by=given.confirmed_by,
            at=shapes.stamp(given.confirmed_at, zone),
            evidence=given.evidence,
        )


def _change(project: Project, args: argparse.Namespace) -> None:
    if args.link is not None:
        engine, before_id, after_id = args.link
        link_statements(project, engine, before_id, after_id, args.by, args.note)
    else:
        remove_link(project, args.unlink)


def _of_window(project: Project, one: Window, wanted: str) -> list[Found]:
    title = windows.title_of(project, one)
    return [
        (
            title,
            database,
            [taken for stretch in by_stretch(project, database) for taken in stretch],
            database_periods.periods(project, database, _DB_TIME_TABLES),
        )
        for database in snapshots.databases(project, one)
        if not wanted or database.answers_to(wanted)
    ]


def _show(listed: Found, zone: ZoneInfo, console: Console) -> None:
    title, database, taken, periods = listed
    sources = ", ".join(source_text(source, console.language) for source in database.sources)
    label = f"{database.label} {database.identity.version}".strip()
    console.say(
        "cli.databases.head", run=title, id=database.id, label=label, host=database.host or "-", sources=sources
    )
    if taken:
        console.say("cli.databases.snapshots", count=len(taken))
    rows = [
        [
            moment_text(period.begin_ns, zone),
            moment_text(period.end_ns, zone),
            length_text(period.record.elapsed_s),
            "-" if period.record.db_time_s is None else f"{period.record.db_time_s:,.1f}",
            source_text(period.record.source, console.language),
            " ".join(console.text(f"database.fault.{fault}") for fault in period.record.faults),
        ]
        for period in periods
    ]
    if rows:
        headings = console.headings("cli.databases.column", "begin end elapsed db_time source faults")
        console.table(headings, rows, right=frozenset({2, 3}))
