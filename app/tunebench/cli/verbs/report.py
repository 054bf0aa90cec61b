"""``report``: the success case as PDF, workbook, HTML and slides."""

from __future__ import annotations

import argparse
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

from tunebench.cli.answering import show_answer
from tunebench.cli.arguments import COMMON, PROJECT, Translate, add, argument, day, several
from tunebench.cli.console import Console
from tunebench.cli.redacting import REDACTION, redaction_of, tell_left
from tunebench.columns.answering.answer_words import answer_text
from tunebench.columns.column import Locale
from tunebench.core.collecting import uncollected
from tunebench.core.errors import ExitCode
from tunebench.domain.translations import Untranslated
from tunebench.reporting.chapters.results import chart_names
from tunebench.reporting.design import Design
from tunebench.reporting.shapes import PRINTED, Shape
from tunebench.reporting.success_case import SECTION_IDS
from tunebench.reporting.wording import Wording
from tunebench.usecases import projects
from tunebench.usecases.comparing import windows
from tunebench.usecases.reports import success_case as reports
from tunebench.usecases.reports.designs import design_of, read_logo, read_template

PLAIN = "success-case"
"""The template that is no file: nothing is moved, left out or coloured."""


def register(parser: argparse.ArgumentParser, text: Translate) -> None:
    add(
        parser,
        text,
        PROJECT,
        argument("--before", "cli.help.report_before", "L"),
        argument("--after", "cli.help.report_after", "L"),
        argument("--pdf", "cli.help.pdf", "FILE", type=Path),
        argument("--xlsx", "cli.help.xlsx", "FILE", type=Path),
        argument("--html", "cli.help.html", "FILE", type=Path),
        argument("--pptx", "cli.help.pptx", "FILE", type=Path),
        argument("--template", "cli.help.template", "FILE"),
        argument("--logo", "cli.help.logo", "FILE", type=Path),
        argument("--both-languages", "cli.help.both_languages", action="store_true"),
        argument("--verify", "cli.help.verify", "FILE", type=Path),
        argument("--redact", "cli.redaction.help.redact", "PROFILE"),
        *REDACTION,
        argument("--shape", "cli.help.shape", choices=PRINTED, type=Shape),
        argument("--issued", "cli.help.issued", "YYYY-MM-DD", type=day),
        several("--without", "cli.help.without", choices=SECTION_IDS),
        argument("--untranslated", "cli.help.untranslated", choices=tuple(Untranslated), type=Untranslated),
        *COMMON,
    )


def run(args: argparse.Namespace, console: Console) -> ExitCode:
    """Writes the report; partly done where the check contradicts what it would say: the files say so in its place."""
    if args.verify is not None:
        return _verify(args, console)
    # to write where possible, so that the project remembers the reports
    with uncollected(), closing(projects.open_(args.project)) as project:
        design = _design(project, args)
        shape = args.shape or design.shape
        language = (
            getattr(args, "lang", "")
            or design.language
            or projects.read_engagement(project).language
            or console.language
        )
        pdf, xlsx = args.pdf, args.xlsx
        if all(named is None for named in (pdf, xlsx, args.html, args.pptx)):
            pdf, xlsx = _named(project.path, shape, language, args.redact)
        issued = (args.issued or projects.today(project)).isoformat()
        sections = frozenset(SECTION_IDS) - {*args.without, *design.without}
        before, after = (windows.chosen(project, name) if name else None for name in (args.before, args.after))
        targets = {"pdf": pdf, "xlsx": xlsx, "html": args.html, "pptx": args.pptx}
        named = {kind: path for kind, path in targets.items() if path is not None}
        chosen: dict[str, Any] = {
            "sections": sections,
            "shape": shape,
            "before": before,
            "after": after,
            "order": design.order,
            "untranslated": args.untranslated or design.untranslated,
            "look": design.look,
        }
        if args.redact:
            from tunebench.usecases.redaction import clean

            redaction = redaction_of(project, args.redact, args, console)
            left, written = clean.write_report(project, redaction, language, issued, named, **chosen)
            tell_left(left, console)
        else:
            written = reports.write(project, language, issued, **named, **chosen)
    if written.case is not None and written.case.answer is not None:
        locale = Locale(language, ZoneInfo(written.case.zone), missing="-")
        show_answer(answer_text(written.case.answer.answer, locale), str(args.project), console)
    for path in written.paths:
        console.say("cli.report.written", path=path)
    points = [f"U+{ord(character):04X}" for character in written.missing_glyphs]
    if points:
        console.notice("cli.report.glyphs", points=", ".join(points))
    if written.contradicted:
        console.notice("cli.report.contradicted")
    for sentence in written.contradicted:
        console.complain(sentence)
    untranslated = written.case.untranslated if written.case is not None else ()
    if untranslated:
        left_out = chosen["untranslated"] is Untranslated.LEAVE_OUT
        console.notice("cli.report.left_out" if left_out else "cli.report.untranslated", count=len(untranslated))
    if written.unknown_charts:
        console.notice("cli.report.unknown_charts", names=", ".join(written.unknown_charts))
    charts = list(chart_names(written.case, Wording(language, written.case.zone))) if written.case is not None else []
    warnings = {
        "unknown_charts": list(written.unknown_charts),
        "missing_glyphs": points,
        "contradicted": list(written.contradicted),
        "untranslated": list(untranslated),
    }
    files = [str(path) for path in written.paths]
    console.result({"language": language, "issued": issued, "files": files, "charts": charts, **warnings})
    return ExitCode.PARTLY if written.contradicted else ExitCode.DONE


def _design(project: projects.Project, args: argparse.Namespace) -> Design:
    """That of the template; without one a plain one that looks as the engagement's reports do."""
    if args.template is None:
        design = Design(look=design_of(project).look)
    else:
        design = Design() if args.template == PLAIN else read_template(Path(args.template))
    look = replace(design.look, logo=read_logo(args.logo)) if args.logo else design.look
    return replace(design, look=replace(look, both=look.both or args.both_languages))


def _verify(args: argparse.Namespace, console: Console) -> ExitCode:
    with closing(projects.open_(args.project, read_only=True)) as project:
        if args.redact:
            from tunebench.usecases.redaction import clean

            verification = clean.verify_report(project, args.verify, redaction_of(project, args.redact, args, console))
        else:
            from tunebench.usecases.reports.verifying import verify  # it reads every kind of document

            verification = verify(project, args.verify)
    for difference in verification.differences:
        console.say(difference.key, place=difference.place, delivered=difference.delivered, made=difference.made)
    console.say(verification.key, path=args.verify, count=len(verification.differences))
    differences = [
        {"place": difference.place, "delivered": difference.delivered, "made": difference.made}
        for difference in verification.differences
    ]
    console.result(
        {
            "file": str(args.verify),
            "same": verification.same,
            "differences": differences,
            "further": verification.further,
        }
    )
    return ExitCode.REFUSED if verification.differences else ExitCode.DONE


def _named(project: Path, shape: Shape, language: str, redacted: str | None) -> tuple[Path, Path | None]:
    """Paths beside the project; a shape of its own is a PDF alone, the workbook has everything anyway.

    The project's name is often the customer's: what is redacted goes without it.
    """
    stem = project.with_name("redacted") if redacted else project.with_suffix("")
    if shape is not Design().shape:
        return Path(f"{stem}-{shape}-{language}.pdf"), None
    return Path(f"{stem}-{language}.pdf"), Path(f"{stem}-{language}.xlsx")
