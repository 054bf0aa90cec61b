"""``quick``: two folders, or one that holds both sides, become a project, one page, a workbook and what is in doubt."""

from __future__ import annotations

import argparse
import json
from collections.abc import Mapping, Sequence
from contextlib import closing, suppress
from pathlib import Path

from tunebench.analysis.answering.answer import Answer
from tunebench.cli import prompter
from tunebench.cli.answering import show_answer
from tunebench.cli.arguments import COMMON, Translate, add, argument, flag, optional
from tunebench.cli.console import Console
from tunebench.cli.import_plan import shape as review_shape
from tunebench.columns.answering.answer_words import answer_text
from tunebench.columns.answering.resource_words import change_text, figure_name, figure_values
from tunebench.columns.column import Locale
from tunebench.columns.comparing_words import verdict_text
from tunebench.columns.series_words import host_text
from tunebench.contract import shapes
from tunebench.contract.answering import answer_shape
from tunebench.core.collecting import uncollected
from tunebench.core.errors import ExitCode, UserError
from tunebench.core.grouping import by_key
from tunebench.core.progress import Progress
from tunebench.core.whole_files import make_private_folder, write_whole
from tunebench.reporting.shapes import Shape
from tunebench.usecases import projects
from tunebench.usecases.quick import doubts, gathering
from tunebench.usecases.quick.doubts import Doubt, Doubted
from tunebench.usecases.quick.gathering import Inputs
from tunebench.usecases.quick.settling import Ask, Question, Settled
from tunebench.usecases.reports import success_case as reports
from tunebench.usecases.reports.designs import design_of

REVIEW = "review.json"
"""It is there from the start, and says whether all else is."""
MOST_ASKED = 3
_MOST_NAMED = 3
_NEVER_IN_ORDER = ("quick_reversed", "quick_overlap")


def register(parser: argparse.ArgumentParser, text: Translate) -> None:
    add(
        parser,
        text,
        argument("paths", "cli.quick.help.paths", "FOLDER", nargs="+", type=Path),
        argument("-o", "cli.quick.help.out", "OUT", dest="out", type=Path, required=True),
        flag("--swap", "cli.quick.help.swap"),
        flag("--yes", "cli.quick.help.yes"),
        optional("--tz", "cli.help.tz", "ZONE"),
        *COMMON,
    )


def run(args: argparse.Namespace, console: Console) -> ExitCode:
    """Done where nothing is in doubt, partly where something is, refused where nothing can be compared."""
    inputs = gathering.inputs_of(args.paths, args.swap, args.tz)
    out = args.out.absolute()
    path = out / f"{out.name}.tune"
    _begin(out, inputs)
    with uncollected(), closing(console.progress()) as progress:
        exists = path.exists()
        project = projects.open_(path) if exists else gathering.create(path, inputs, console.language, progress)
        with closing(project):
            try:
                is_asked = prompter.is_attended() and not args.yes
                settled = gathering.gather(project, inputs, progress, _asker(console) if is_asked else None)
            except UserError as error:
                if error.key in _NEVER_IN_ORDER:
                    project.close()
                    _discard(out, path)
                raise
            files = doubts.doubted(project, settled)
            answer = _written(project, out, settled, progress)
            _finish(project, out, inputs, settled, answer, files, console)
    if answer is None:
        return ExitCode.REFUSED
    return ExitCode.DONE if doubts.is_clear(files) else ExitCode.PARTLY


# -- where it goes -------------------------------------------------------------------------------------


def _begin(out: Path, inputs: Inputs) -> None:
    """
    Raises:
        UserError: quick_out_taken where something lies there that is not the cut-off run of the same inputs.
    """
    stated = _stated(inputs)
    try:
        make_private_folder(out)
        is_empty = next(out.iterdir(), None) is None
    except OSError as error:
        raise UserError("file_unwritable", path=str(out), reason=error.strerror or str(error)) from None
    if is_empty:
        _write(out, {"state": "begun", "inputs": stated})
    elif _read(out) != ("begun", stated):
        raise UserError("quick_out_taken", path=str(out))


def _stated(inputs: Inputs) -> shapes.Shape:
    return {"paths": [str(path) for path in inputs.paths], "swap": inputs.swap, "zone": inputs.zone or None}


def _read(out: Path) -> tuple[object, object]:
    with suppress(OSError, ValueError):
        kept = json.loads((out / REVIEW).read_text(encoding="utf-8"))
        if isinstance(kept, dict):
            return kept.get("state"), kept.get("inputs")
    return None, None


def _write(out: Path, document: Mapping[str, object]) -> None:
    write_whole(out / REVIEW, (json.dumps(document, ensure_ascii=False, indent=1) + "\n").encode())


def _discard(out: Path, path: Path) -> None:
    """What this run made: nothing of it is of use, and the folders are as they were."""
    for file in (*out.glob(f"{path.name}*"), out / REVIEW):
        file.unlink(missing_ok=True)
    with suppress(OSError):
        out.rmdir()


# -- asking --------------------------------------------------------------------------------------------


def _asker(console: Console) -> Ask:
    def ask(questions: Sequence[Question]) -> dict[str, str]:
        answers: dict[str, str] = {}
        for question in questions[:MOST_ASKED]:
            first, *_ = question.rows
            words = console.text(
                "cli.quick.ask",
                host=host_text(question.host, console.messages),
                count=len(question.rows),
                samples=f"{question.samples:,}",
                example=first.path,
                proposed=question.proposed or "-",
            )
            if name := console.ask(words).strip():
                answers[question.host] = name
        return answers

    return ask


# -- what comes of it ----------------------------------------------------------------------------------


def _written(project: projects.Project, out: Path, settled: Settled, progress: Progress) -> Answer | None:
    """The answer, with page and workbook; None where nothing can be compared."""
    if settled.windows is None:
        return None
    language = projects.read_engagement(project).language
    written = reports.write(
        project,
        language,
        projects.today(project).isoformat(),
        pdf=out / f"{out.name}.pdf",
        xlsx=out / f"{out.name}.xlsx",
        shape=Shape.RESULT,
        progress=progress,
        look=design_of(project).look,
    )
    answer = written.case.answer.answer if written.case and written.case.answer else None
    return answer if answer is not None and answer.counts.series else None


def _finish(
    project: projects.Project,
    out: Path,
    inputs: Inputs,
    settled: Settled,
    answer: Answer | None,
    files: Sequence[Doubted],
    console: Console,
) -> None:
    zone = projects.engagement_zone(project)
    locale = Locale(console.language, zone, missing="-")
    written = [path for name in (".tune", ".pdf", ".xlsx") if (path := out / f"{out.name}{name}").exists()]
    document: shapes.Shape = {
        "state": "done",
        "inputs": _stated(inputs),
        "written": [str(path) for path in (*written, out / REVIEW)],
        "clear": answer is not None and doubts.is_clear(files),
        "hosts": {
            "compared": list(settled.compared),
            "left_out": [{"host": host, "why": why.value} for host, why in settled.left.items()],
        },
        "files": [
            {
                **review_shape(file.row, zone, console),
                "compared": file.is_compared,
                "doubts": [_doubt(doubt, console) for doubt in file.doubts],
            }
            for file in files
        ],
        "answer": None if answer is None else answer_shape(answer, locale),
    }
    _write(out, document)
    console.result(document)
    if answer is None:
        console.notice("cli.quick.nothing", project=str(out / f"{out.name}.tune"))
    else:
        show_answer(answer_text(answer, locale), str(out / f"{out.name}.tune"), console)
        _show_figures(answer, locale, console)
    _show_left(settled, console)
    _show_doubts(files, console)
    for path in (*written, out / REVIEW):
        console.say("cli.report.written", path=path)


def _doubt(doubt: Doubt, console: Console) -> shapes.Shape:
    why = console.text(doubt.key, assumed=doubt.assumed)
    return {"about": doubt.about, "assumed": doubt.assumed or None, "from": doubt.source or None, "why": why}


def _show_figures(answer: Answer, locale: Locale, console: Console) -> None:
    console.print()
    rows = []
    for figure in answer.tiles:
        before, after, unit = figure_values(figure, locale)
        verdict = verdict_text(figure.lead.verdict, locale.language)
        rows.append(
            [figure_name(figure, locale), before, f"{after} {unit}".strip(), change_text(figure, locale), verdict]
        )
    console.table(console.headings("cli.quick.column", "figure before after change verdict"), rows, frozenset((1, 2)))


def _show_left(settled: Settled, console: Console) -> None:
    for why, names in by_key((why, host) for host, why in settled.left.items()).items():
        hosts = ", ".join(host_text(name, console.messages) for name in names)
        console.say(f"cli.quick.left.{why}", hosts=hosts)


def _show_doubts(files: Sequence[Doubted], console: Console) -> None:
    """One line for all files of which the same is in doubt."""
    groups = by_key((_alike(doubt), (doubt, file.row.path)) for file in files for doubt in file.doubts)
    if not groups:
        console.say("cli.quick.clear")
        return
    console.print()
    console.say("cli.quick.doubts", count=len(files))
    for own in groups.values():
        names = _first_of([Path(path).name for _, path in own], console)
        assumed = _first_of(list(dict.fromkeys(doubt.assumed for doubt, _ in own)), console)
        console.say("cli.quick.doubt", why=console.text(own[0][0].key, assumed=assumed), count=len(own), names=names)


def _alike(doubt: Doubt) -> tuple[str, str]:
    """Days and times are each file's own, hosts and zones are told apart."""
    return doubt.key, doubt.assumed if doubt.about in ("host", "zone") else ""


def _first_of(words: Sequence[str], console: Console) -> str:
    left = len(words) - _MOST_NAMED
    return ", ".join(words[:_MOST_NAMED]) + (console.text("bundle.more", count=f"{left:,}") if left > 0 else "")
