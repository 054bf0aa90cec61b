"""``import``: captures into the project, with an account of every line."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

from tunebench.cli import cut_off_import, host_devices, import_plan
from tunebench.cli.arguments import COMMON, PROJECT, Translate, add, argument, day, moment, optional, positive
from tunebench.cli.console import Console
from tunebench.contract import shapes
from tunebench.core.errors import ExitCode
from tunebench.domain.bundle import Bundle, MemberState
from tunebench.domain.engagement import Phase
from tunebench.domain.ledger import ImportState, Ledger
from tunebench.usecases import projects
from tunebench.usecases.importing import import_review, imports, interrupted
from tunebench.usecases.importing.results import ImportedFile, ImportOptions, ImportReport
from tunebench.usecases.projects import Project

if TYPE_CHECKING:
    from tunebench.usecases.workers import Where

MOST_REFUSALS = 100
"""Sentences on stderr; the JSON document and the accounts of the bundles have them all."""
_MOST_NAMED = 20
_LISTED = (MemberState.UNRECOGNISED, MemberState.REFUSED)
"""What became of these is not said by their files' own lines alone: here they stand together."""


def register(parser: argparse.ArgumentParser, text: Translate) -> None:
    add(
        parser,
        text,
        PROJECT,
        argument("paths", "cli.help.paths", "PATH", nargs="*", type=Path),
        optional("--run", "cli.help.run_label", "LABEL"),
        argument("--phase", "cli.help.phase", choices=[p.value for p in Phase]),
        optional("--host", "cli.help.host", "NAME"),
        optional("--tz", "cli.help.tz", "ZONE"),
    )
    add(
        parser.add_mutually_exclusive_group(),
        text,
        argument("--start", "cli.help.start", "ISO", type=moment),
        argument("--date", "cli.help.date", "YYYY-MM-DD", type=day),
    )
    add(
        parser,
        text,
        argument("--interval", "cli.help.interval", "S", type=positive),
        argument("--on", "cli.help.on", "WHERE"),
        argument("--tls", "cli.help.tls", "FOLDER", type=Path),
        argument("--first-measured", "cli.help.first_measured", action="store_true"),
        argument("--go-on", "cli.help.go_on", action="store_true"),
    )
    add(
        parser.add_mutually_exclusive_group(),
        text,
        argument("--day-first", "cli.help.day_first", action="store_true", default=None, dest="day_first"),
        argument("--month-first", "cli.help.month_first", action="store_false", default=None, dest="day_first"),
    )
    add(
        parser,
        text,
        argument("--again", "cli.help.again", "CAPTURE", nargs="*"),
        optional("--to-host", "cli.help.to_host", "NAME"),
        optional("--to-run", "cli.help.to_run", "LABEL"),
        argument("--review", "cli.help.review", "FILE", type=Path),
        argument("--plan", "cli.help.import_plan", "FILE", type=Path),
        argument("--take-back", "cli.help.take_back", "N", type=int),
        *COMMON,
    )
    parser.set_defaults(complain=parser.error)


def run(args: argparse.Namespace, console: Console) -> ExitCode | None:
    reviews = args.review is not None or args.plan is not None
    if args.again is not None or args.take_back is not None or (reviews and not args.paths):
        from tunebench.cli import read_again

        read_again.run(args, console)
        return None
    if args.go_on and args.paths:
        args.complain(console.text("cli.usage.go_on"))
    if not args.paths and not args.go_on:
        args.complain(console.text("cli.usage.required") % "PATH")
    with closing(projects.open_(args.project)) as project:
        if args.go_on:
            begun = interrupted.to_go_on(project)
            cut_off_import.say(begun, args.project, console)
            return _import(args, project, begun.paths, begun.options, console)
        code = _import(args, project, args.paths, _options(args), console)
        cut_off_import.say(interrupted.cut_off(project), args.project, console)
        return code


def _options(args: argparse.Namespace) -> ImportOptions:
    return ImportOptions(
        run=args.run,
        phase=Phase(args.phase) if args.phase else Phase.OTHER if args.run else None,
        host=args.host,
        zone=args.tz,
        start=args.start,
        date=args.date,
        interval_s=args.interval,
        day_first=args.day_first,
        first_measured=args.first_measured,
    )


def _import(
    args: argparse.Namespace, project: Project, paths: Sequence[Path], options: ImportOptions, console: Console
) -> ExitCode:
    at = _where(args) if args.on else None
    with closing(console.progress()) as progress:
        imports.finish_pending(project, progress)
        report = imports.import_captures(project, paths, options, progress, at)
        numbers = import_plan.apply(project, args.plan, console, progress) if args.plan else []
    zone = projects.engagement_zone(project)
    own = {file.artefact_id for file in report.files}
    rows = [row for row in import_review.reviewed(project) if row.artefact and row.artefact.id in own]
    overlaps = [overlap for overlap in host_devices.listed_overlaps(project) if overlap[0] in own]
    review = {entry["capture"]: entry for entry in (import_plan.shape(row, zone, console) for row in rows)}
    console.result(
        {
            "run": report.run or None,
            "overlaps": host_devices.overlap_shapes(overlaps, zone),
            "files": [
                {**shapes.imported_file(file, zone, console.messages), **_known_by(review.get(file.artefact_id))}
                for file in report.files
            ],
            "bundles": [shapes.bundle(account, console.messages) for account in report.bundles],
            "said": numbers,
            "review": list(review.values()),
        }
    )
    _show(report, console)
    host_devices.say_overlaps(overlaps, console)
    import_plan.show(rows, zone, console)
    if args.review:
        import_plan.write(project, args.review, zone, console)
    return _exit_code(report)


def _where(args: argparse.Namespace) -> Where:
    from tunebench.usecases import workers  # most imports are done here

    return workers.where(args.on, args.tls)


def _known_by(reviewed: shapes.Shape | None) -> shapes.Shape:
    """How host and date of a file are known, and its host as it is now: a plan may have said another."""
    return {key: reviewed[key] for key in ("host", "host_from", "date_from", "doubt")} if reviewed else {}


def _exit_code(report: ImportReport) -> ExitCode:
    if report.complete:
        return ExitCode.DONE
    return ExitCode.REFUSED if report.nothing_done else ExitCode.PARTLY


def _show(report: ImportReport, console: Console) -> None:
    refusals = [file.error for file in report.files if file.error is not None]
    for error in refusals[:MOST_REFUSALS]:
        console.refuse(error)
    if len(refusals) > MOST_REFUSALS:
        console.notice("cli.import.more_refusals", more=f"{len(refusals) - MOST_REFUSALS:,}")
    for file in report.files:
        if file.state in (ImportState.IMPORTED, ImportState.DUPLICATE) or file.ledger.lines.total:
            _show_file(file, console)
        elif file.state is ImportState.KEPT:
            console.say("cli.import.kept", path=file.path, host=file.host)
    for account in report.bundles:
        _show_bundle(account, console)
    done = console.text("cli.import.done", run=report.run or "-", done=report.imported, total=len(report.files))
    console.print(" ".join([done, *(console.text(key, count=f"{count:,}") for key, count in report.losses)]))
    if report.unnamed:
        hosts = ", ".join(dict.fromkeys(file.host for file in report.unnamed))
        console.say("cli.import.unnamed", count=len(report.unnamed), hosts=hosts)
    kept = sum(file.state is ImportState.KEPT and not file.ledger.lines.total for file in report.files)
    if kept:
        console.say("cli.import.kept_count", kept=kept)


def _show_file(file: ImportedFile, console: Console) -> None:
    account = file.ledger
    if file.state is ImportState.DUPLICATE:
        console.say("cli.import.duplicate", path=file.path, name=file.duplicate_of)
        return
    if file.state is ImportState.KEPT:
        console.say("cli.import.several", path=file.path, tools=account.tool)
    elif file.facts:
        console.say("cli.import.facts", path=file.path, tool=account.tool, host=file.host, facts=f"{file.facts:,}")
    else:
        console.say(
            "cli.import.file",
            path=file.path,
            tool=account.tool,
            version=account.tool_version,
            host=file.host,
            series=account.series,
            samples=f"{account.samples:,}",
        )
    lines = account.lines
    console.say(
        "cli.import.lines",
        total=f"{lines.total:,}",
        data=f"{lines.data:,}",
        header=f"{lines.header:,}",
        blank=f"{lines.blank:,}",
        skipped=f"{lines.skipped:,}",
    )
    _show_reservations(account, console)


def _show_reservations(account: Ledger, console: Console) -> None:
    for skipped in account.skipped:
        reason = console.text(f"ledger.skipped.{skipped.reason}")
        line = skipped.first_line or "–"
        console.say("cli.import.skipped", count=skipped.count, reason=reason, line=line, example=skipped.example)
    for assumption in account.assumptions:
        console.say(
            "cli.import.assumed",
            subject=console.text(f"ledger.assumption.{assumption.subject}"),
            value=assumption.value,
            source=console.text(f"ledger.source.{assumption.source}"),
        )
    for warning in account.warnings:
        console.print("    " + console.text(f"ledger.warning.{warning}", **account.warning_facts))
    for need in account.needs:
        console.print("    " + console.text(f"ledger.need.{need}"))


# -- bundles ---------------------------------------------------------------------------------------------


def _show_bundle(account: Bundle, console: Console) -> None:
    counts = [
        console.text("bundle.count", state=console.text(f"bundle.state.{state}"), count=f"{count:,}")
        for state, count in account.totals.items()
        if count
    ]
    console.say(
        "cli.import.bundle",
        name=account.name,
        form=_form_words(account, console),
        size=f"{account.size_bytes:,}",
        counts=", ".join(counts),
    )
    if account.sha256:
        console.print(f"    SHA-256 {account.sha256}")
    if account.hosts:
        hosts = ", ".join(_host_words(host, account, console) for host in account.hosts)
        console.say("cli.import.bundle_hosts", hosts=hosts)
    if account.kinds:
        kinds = ", ".join(f"{_kind_words(kind, console)} {count:,}" for kind, count in account.kinds.items())
        console.say("cli.import.bundle_kinds", kinds=kinds)
    for state in _LISTED:
        _show_names(account, state, console)


def _show_names(account: Bundle, state: MemberState, console: Console) -> None:
    names = [member.name or account.name for member in account.members if member.state is state]
    if not names:
        return
    more = len(names) - _MOST_NAMED
    listed = ", ".join(names[:_MOST_NAMED]) + (console.text("bundle.more", count=f"{more:,}") if more > 0 else "")
    console.say("cli.import.bundle_names", state=console.text(f"bundle.state.{state}"), names=listed)


def _host_words(host: str, account: Bundle, console: Console) -> str:
    role = account.roles.get(host)
    return f"{host} ({console.text(f'bundle.role.{role}')})" if role else host


def _form_words(account: Bundle, console: Console) -> str:
    return console.text("bundle.form.folder") if account.form == "folder" else account.form


def _kind_words(kind: str, console: Console) -> str:
    """The layout's own word where the catalogue has none for it."""
    key = f"bundle.kind.{kind}"
    return console.text(key) if key in console.messages else kind
