"""``archive``: engagements of a firm in one place, and what they tell together."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from tunebench.archive.archive import Archive
from tunebench.archive.layout import TABLES
from tunebench.archive.reading import Answer
from tunebench.cli import archive_folder
from tunebench.cli.arguments import COMMON, Argument, Translate, add, argument, optional
from tunebench.cli.console import Console
from tunebench.cli.redacting import REDACTION, redaction_of
from tunebench.core.errors import ExitCode, UserError
from tunebench.usecases.archiving import experience, words
from tunebench.usecases.archiving import facade as archiving

if TYPE_CHECKING:
    from tunebench.usecases.projects import Project
    from tunebench.usecases.redaction.clean import Redaction


def register(parser: argparse.ArgumentParser, text: Translate) -> None:
    add(parser, text, argument("place", "archive.help.place", "PLACE"))
    subparsers = parser.add_subparsers(dest="act", required=True, metavar="ACT", parser_class=type(parser))
    for name, (_act, arguments) in _ACTS.items():
        about = text(f"archive.act.{name}")
        add(subparsers.add_parser(name, help=about, description=about), text, *arguments, *COMMON)


def run(args: argparse.Namespace, console: Console) -> ExitCode | None:
    archive = archiving.opened(args.place, make=args.act in ("add", "import"))
    code = _ACTS[args.act][0](archive, args, console)
    for sentence in words.notices(archive, console.language):
        console.complain(sentence)
    unreadable = archive.unreadable()
    for sentence in words.unreadable_texts(unreadable, console.language):
        console.complain(sentence)
    return ExitCode.PARTLY if unreadable and not code else code


# -- acts ----------------------------------------------------------------------------------------------


def _add(archive: Archive, args: argparse.Namespace, console: Console) -> ExitCode:
    """Adds each file by itself: one that is refused leaves the others in."""
    additions = []
    for path in args.files:
        with _refusals_told(path, console), _asked(path, args, console) as (project, redaction):
            with closing(console.progress()) as progress:
                added = archiving.add(archive, project, args.consent, redaction, progress)
            additions.append({"file": str(path), **asdict(added)})
            key = "archive.unchanged" if added.rows is None else "archive.added"
            console.say(key, title=added.title, engagement=added.engagement, rows=added.rows)
    console.result(additions)
    return ExitCode.DONE if len(additions) == len(args.files) else ExitCode.PARTLY if additions else ExitCode.REFUSED


def _check(archive: Archive, args: argparse.Namespace, console: Console) -> ExitCode:
    if not args.files:
        return _check_parts(archive, console)
    checked, differs = [], False
    for path in args.files:
        with _asked(path, args, console) as (project, redaction), closing(console.progress()) as progress:
            check = archiving.check(archive, project, redaction, progress)
        differences = None if check.differences is None else [asdict(difference) for difference in check.differences]
        checked.append({"file": str(path), **asdict(check), "differences": differences})
        differs = differs or differences != []
        for difference in check.differences or ():
            console.say(
                "archive.differs",
                path=path,
                table=difference.table,
                surplus=difference.surplus,
                missing=difference.missing,
            )
        if not differences:
            state = "same" if differences == [] else "outdated" if check.outdated else "absent"
            console.say(f"archive.check.{state}", path=path)
    console.result(checked)
    return ExitCode.REFUSED if differs else ExitCode.DONE


def _check_parts(archive: Archive, console: Console) -> ExitCode:
    """All parts against the log, without any project; the parts themselves are named with the answer."""
    archive.reader.verify()
    unreadable = archive.unreadable()
    console.result(asdict(unreadable))
    for name in (*unreadable.parts, *unreadable.commits):
        console.print(name)
    if not unreadable:
        console.say("archive.whole", parts=unreadable.of)
    return ExitCode.PARTLY if unreadable else ExitCode.DONE


def _compact(archive: Archive, _args: argparse.Namespace, console: Console) -> None:
    fewer = archive.compact()
    console.result({"fewer": fewer})
    console.say("archive.compacted", fewer=fewer)


def _repair(archive: Archive, args: argparse.Namespace, console: Console) -> ExitCode:
    """Gives back what the archive and the projects can, and names the engagements that are still incomplete."""
    archive.repair()
    results = []
    for path in args.files:
        with _refusals_told(path, console), _asked(path, args, console) as (project, redaction):
            with closing(console.progress()) as progress:
                state = archiving.mend(archive, project, redaction, progress)
            results.append({"file": str(path), "state": state.value})
            console.say(f"archive.mended.{state}", path=path)
    titles = archiving.titles(archive)
    rest = [
        {"engagement": engagement, "title": titles.get(engagement), "tables": sorted(tables)}
        for engagement, tables in archive.lost().items()
    ]
    console.result({"projects": results, "incomplete": rest})
    for sentence in words.incomplete_texts(archive, console.language):
        console.print(sentence)
    return ExitCode.PARTLY if rest or len(results) < len(args.files) else ExitCode.DONE


def _find(archive: Archive, args: argparse.Namespace, console: Console) -> None:
    if not (args.words or args.system or args.change or args.state):
        _tell(archiving.engagements(archive), console)
        return
    hits = archiving.find(archive, args.words, system=args.system, change=args.change, state=args.state)
    console.result([asdict(hit) for hit in hits])
    if not hits:
        console.say("archive.nothing")
        return
    console.table(
        console.headings("archive.column", "title kind text state detail"), [_hit_row(hit, console) for hit in hits]
    )


def _hit_row(hit: archiving.Hit, console: Console) -> list[str]:
    state = words.state_text(hit, console.language)
    return [hit.title, console.text(f"archive.kind.{hit.kind}"), hit.text, state, hit.detail]


def _facets(archive: Archive, _args: argparse.Namespace, console: Console) -> None:
    facets = archiving.facets(archive)
    console.result([asdict(facet) for facet in facets])
    rows = [
        [console.text(f"archive.facet.{facet.facet}"), facet.value, words.facet_text(facet, console.language)]
        + [str(facet.engagements)]
        for facet in facets
    ]
    console.table(console.headings("archive.column", "facet value text cases"), rows, frozenset({3}))


def _seen(archive: Archive, args: argparse.Namespace, console: Console) -> None:
    from tunebench.usecases import projects

    with closing(projects.open_(args.file, read_only=True)) as project, closing(console.progress()) as progress:
        alike = experience.seen(archive, project, progress)[: args.most]
    console.result([asdict(likeness) for likeness in alike])
    if not alike:
        console.say("archive.nothing")
    for likeness in alike:
        console.print(f"{likeness.score:4.0%}  {likeness.title} ({likeness.engagement})")
        console.print(f"      {words.shared_text(likeness, console.language)}")
        for done in likeness.done:
            console.print(f"      - {words.done_text(done, console.language)}")


def _effects(archive: Archive, args: argparse.Namespace, console: Console) -> None:
    effects = experience.effects(archive, " ".join(args.words))
    console.result([asdict(effect) for effect in effects])
    if not effects:
        console.say("archive.nothing")
        return
    columns = "change metric price cases rolled_back measured median mean states"
    rows = [_effect_row(effect, console) for effect in effects]
    console.table(console.headings("archive.column", columns), rows, frozenset({3, 4, 5, 6}))
    for effect in effects:
        if sentence := words.unmeasured_text(effect, console.language):
            console.print(sentence)
    console.say("archive.effects_note")


def _effect_row(effect: experience.Effect, console: Console) -> list[str]:
    return [
        effect.change,
        effect.metric or words.NOTHING,
        words.side_text(effect, console.language),
        str(effect.cases),
        str(effect.rolled_back),
        str(effect.measured),
        words.ratio_text(effect.median),
        words.mean_text(effect),
        words.states_text(effect, console.language),
    ]


def _compare(archive: Archive, args: argparse.Namespace, console: Console) -> None:
    _tell(archiving.compare(archive, args.series, args.host), console)


def _trend(archive: Archive, args: argparse.Namespace, console: Console) -> None:
    _tell(archiving.trend(archive, args.host, args.series), console)


def _sql(archive: Archive, args: argparse.Namespace, console: Console) -> None:
    _tell(archive.ask(args.query), console)


def _files(archive: Archive, args: argparse.Namespace, console: Console) -> ExitCode:
    """Where the parts of a table lie that count: for tools that do not read the log."""
    parts = archive.log.state().of(args.table)
    located = [
        {"file": archive.storage.location(part.name), "rows": part.rows, "without": part.without} for part in parts
    ]
    console.result(located)
    for part in located:
        console.print(str(part["file"]))
    if not any(part.without for part in parts):
        return ExitCode.DONE
    console.notice("archive.files_without")
    return ExitCode.PARTLY


def _remove(archive: Archive, args: argparse.Namespace, console: Console) -> None:
    title = archiving.remove(archive, args.engagement)
    console.result({"engagement": args.engagement, "title": title})
    console.say("archive.removed", title=title)


# -- what they share -----------------------------------------------------------------------------------


@contextmanager
def _asked(path: Path, args: argparse.Namespace, console: Console) -> Iterator[tuple[Project, Redaction | None]]:
    from tunebench.usecases import projects

    with closing(projects.open_(path, read_only=True)) as project:
        yield project, redaction_of(project, args.redact, args, console) if args.redact else None


@contextmanager
def _refusals_told(path: Path, console: Console) -> Iterator[None]:
    try:
        yield
    except UserError as error:
        console.complain(f"{path}: {console.messages.error(error)}")


def _tell(answer: Answer, console: Console) -> None:
    console.result(answer.as_records())
    if not answer.rows:
        console.say("archive.nothing")
        return
    numbers = {index for index, value in enumerate(answer.rows[0]) if isinstance(value, int | float)}
    rows = [[_cell(name, value) for name, value in zip(answer.columns, row, strict=True)] for row in answer.rows]
    console.table(answer.columns, rows, frozenset(numbers))


def _cell(name: str, value: object) -> str:
    if value is None:
        return "-"
    if isinstance(value, float):
        return f"{value:.6g}"
    if name.endswith("_ns") and isinstance(value, int):
        return datetime.fromtimestamp(value // 10**9, UTC).isoformat(timespec="seconds").replace("+00:00", "Z")
    return " ".join(str(value).split())


_FILES = argument("files", "archive.help.files", "FILE", nargs="+", type=Path)
_PROJECTS = argument("files", "archive.help.projects", "FILE", nargs="*", type=Path)
_REDACT = (optional("--redact", "cli.redaction.help.redact", "PROFILE"), *REDACTION)
_SERIES = argument("--series", "archive.help.series", "GLOB", required=True)
_ACTS: Mapping[str, tuple[Callable[[Archive, argparse.Namespace, Console], ExitCode | None], tuple[Argument, ...]]] = {
    "add": (_add, (_FILES, argument("--consent", "archive.help.consent", "WHO", required=True), *_REDACT)),
    "import": (archive_folder.run, archive_folder.ARGUMENTS),
    "check": (_check, (_PROJECTS, *_REDACT)),
    "repair": (_repair, (_PROJECTS, *_REDACT)),
    "compact": (_compact, ()),
    "find": (
        _find,
        (
            argument("words", "archive.help.words", "WORD", nargs="*"),
            optional("--system", "archive.help.system", "NAME"),
            optional("--change", "archive.help.change", "PARAMETER"),
            optional("--state", "archive.help.state", "KIND.STATE"),
        ),
    ),
    "facets": (_facets, ()),
    "seen": (
        _seen,
        (
            argument("file", "archive.help.seen", "FILE", type=Path),
            argument("--most", "archive.help.most", "N", type=int, default=10),
        ),
    ),
    "effects": (_effects, (argument("words", "archive.help.effects", "CHANGE", nargs="*"),)),
    "compare": (_compare, (_SERIES, argument("--host", "archive.help.host", "GLOB", default="*"))),
    "trend": (_trend, (argument("--host", "archive.help.host", "GLOB", required=True), _SERIES)),
    "files": (_files, (argument("table", "archive.help.table", "TABLE", choices=tuple(TABLES)),)),
    "sql": (_sql, (argument("query", "archive.help.query", "SELECT"),)),
    "remove": (_remove, (argument("engagement", "archive.help.engagement", "ENGAGEMENT"),)),
}
