"""``experiment``: benchmark matrices: factors, repetitions, results, and what they say."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path

from app.cli.arguments import Translate, add_common, add_project, positive
from app.cli.console import Console
from app.cli.experiments import acts as experiment_acts
from app.cli.experiments import run as experiment_run
from app.cli.experiments import view as experiment_view
from app.cli.verbs.host import add_connection
from app.core.errors import ExitCode
from app.domain.experiments.records import CacheState, RunOrder, TrialRole
from app.usecases import projects
from app.usecases.projects import Project

Act = Callable[[argparse.Namespace, Project, Console], ExitCode]
Grammar = Callable[[argparse.ArgumentParser, Translate], None]

_READING = ("list", "show", "analyse", "export")


def register(parser: argparse.ArgumentParser, text: Translate) -> None:
    add_project(parser, text)
    acts = parser.add_subparsers(dest="act", required=True, metavar="ACT", parser_class=type(parser))
    for name, (grammar, _act) in _ACTS.items():
        act = acts.add_parser(
            name, help=text(f"cli.experiment.act.{name}"), description=text(f"cli.experiment.act.{name}")
        )
        grammar(act, text)
        add_common(act, text)


def run(args: argparse.Namespace, console: Console) -> ExitCode:
    reading = args.act in _READING or (args.act == "add-example" and not args.name)
    project = projects.open_(args.project, read_only=reading)
    try:
        if not reading:
            projects.require_writing(project)
        return _ACTS[args.act][1](args, project, console)
    finally:
        projects.close(project)


# -- grammar -------------------------------------------------------------------------------------------


def _experiment(parser: argparse.ArgumentParser, text: Translate) -> None:
    parser.add_argument("experiment", metavar="EXPERIMENT", help=text("cli.experiment.help.experiment"))


def _trial(parser: argparse.ArgumentParser, text: Translate) -> None:
    _experiment(parser, text)
    parser.add_argument("trial", type=int, metavar="TRIAL", help=text("cli.experiment.help.trial"))


def _by(parser: argparse.ArgumentParser, text: Translate, required: bool = False) -> None:
    parser.add_argument("--by", required=required, default="", metavar="NAME", help=text("cli.experiment.help.by"))


def _nothing(_parser: argparse.ArgumentParser, _text: Translate) -> None:
    """No arguments of its own."""


def _new(parser: argparse.ArgumentParser, text: Translate) -> None:
    parser.add_argument("--from", dest="file", type=Path, metavar="FILE.toml", help=text("cli.experiment.help.from"))
    parser.add_argument("--title", default="", metavar="TEXT", help=text("cli.experiment.help.title"))
    for name, metavar in (
        ("factor", "NAME[UNIT]=LEVEL,..."),
        ("response", "NAME[UNIT]:lower|higher|neutral"),
        ("confounder", "TEXT"),
    ):
        parser.add_argument(
            f"--{name}", action="append", default=[], metavar=metavar, help=text(f"cli.experiment.help.{name}")
        )
    parser.add_argument("--repetitions", type=int, metavar="N", help=text("cli.experiment.help.repetitions"))
    parser.add_argument("--aa", type=int, metavar="N", help=text("cli.experiment.help.aa"))
    parser.add_argument("--order", choices=[each.value for each in RunOrder], help=text("cli.experiment.help.order"))
    parser.add_argument("--seed", type=int, metavar="N", help=text("cli.experiment.help.seed"))
    parser.add_argument(
        "--cache",
        action="append",
        default=[],
        choices=[each.value for each in CacheState],
        help=text("cli.experiment.help.caches"),
    )
    parser.add_argument("--baseline", default="", metavar="F=L;F=L", help=text("cli.experiment.help.baseline"))
    parser.add_argument(
        "--cell", action="append", default=[], metavar="F=L;F=L", help=text("cli.experiment.help.cells")
    )
    for name in ("setup", "command", "teardown"):
        parser.add_argument(f"--{name}", default="", metavar="LINE", help=text(f"cli.experiment.help.{name}"))
    parser.add_argument("--notes", default="", metavar="TEXT", help=text("cli.experiment.help.notes"))
    _by(parser, text)


def _add_example(parser: argparse.ArgumentParser, text: Translate) -> None:
    parser.add_argument("name", nargs="?", default="", metavar="NAME", help=text("cli.experiment.help.example"))
    _by(parser, text)


def _plan(parser: argparse.ArgumentParser, text: Translate) -> None:
    _experiment(parser, text)
    parser.add_argument("--repetitions", type=int, metavar="N", help=text("cli.experiment.help.repetitions"))
    parser.add_argument("--aa", type=int, metavar="N", help=text("cli.experiment.help.aa"))
    parser.add_argument("--order", choices=[each.value for each in RunOrder], help=text("cli.experiment.help.order"))
    parser.add_argument("--seed", type=int, metavar="N", help=text("cli.experiment.help.seed"))
    _by(parser, text)


def _of_cell(parser: argparse.ArgumentParser, text: Translate) -> None:
    parser.add_argument("--cell", action="append", default=[], metavar="F=L", help=text("cli.experiment.help.cell"))
    parser.add_argument("--cache", choices=[each.value for each in CacheState], help=text("cli.experiment.help.cache"))
    parser.add_argument(
        "--role",
        choices=[each.value for each in TrialRole],
        default=TrialRole.MEASURE.value,
        help=text("cli.experiment.help.role"),
    )
    parser.add_argument("--beyond-plan", action="store_true", help=text("cli.experiment.help.beyond_plan"))


def _record(parser: argparse.ArgumentParser, text: Translate) -> None:
    _experiment(parser, text)
    parser.add_argument("values", nargs="*", metavar="RESPONSE=VALUE", help=text("cli.experiment.help.values"))
    which = parser.add_mutually_exclusive_group()
    which.add_argument("--trial", type=int, metavar="TRIAL", help=text("cli.experiment.help.trial"))
    _of_cell(parser, text)
    parser.add_argument("--failed", default="", metavar="REASON", help=text("cli.experiment.help.failed"))
    parser.add_argument("--correct", action="store_true", help=text("cli.experiment.help.correct"))
    parser.add_argument("--capture", type=int, metavar="ID", help=text("cli.experiment.help.capture"))
    parser.add_argument("--line", type=int, metavar="N", help=text("cli.experiment.help.line"))
    parser.add_argument("--load-run", default="", metavar="LABEL", help=text("cli.experiment.help.load_run"))
    parser.add_argument("--note", default="", metavar="TEXT", help=text("cli.experiment.help.note"))
    _by(parser, text)


def _import(parser: argparse.ArgumentParser, text: Translate) -> None:
    _experiment(parser, text)
    parser.add_argument("table", nargs="?", type=Path, metavar="TABLE.csv", help=text("cli.experiment.help.table"))
    parser.add_argument(
        "--capture", type=int, action="append", default=[], metavar="ID", help=text("cli.experiment.help.captures")
    )
    parser.add_argument("--run", metavar="L", help=text("cli.experiment.help.inside"))
    _of_cell(parser, text)
    _by(parser, text)
    parser.set_defaults(complain=parser.error)


def _run(parser: argparse.ArgumentParser, text: Translate) -> None:
    _experiment(parser, text)
    parser.add_argument(
        "--host", required=True, metavar="NAME|[user@]host[:port]", help=text("cli.experiment.help.host")
    )
    parser.add_argument("--most", type=int, default=0, metavar="N", help=text("cli.experiment.help.most"))
    parser.add_argument("--limit", type=positive, default=3600.0, metavar="S", help=text("cli.experiment.help.limit"))
    parser.add_argument("--run", default="", metavar="LABEL", help=text("cli.experiment.help.run_label"))
    parser.add_argument("--approved-by", default="", metavar="NAME", help=text("cli.experiment.help.approved_by"))
    add_connection(parser, text)
    _by(parser, text)


def _exclude(parser: argparse.ArgumentParser, text: Translate) -> None:
    _trial(parser, text)
    parser.add_argument("--reason", required=True, metavar="TEXT", help=text("cli.experiment.help.reason"))
    _by(parser, text, required=True)


def _restore(parser: argparse.ArgumentParser, text: Translate) -> None:
    _trial(parser, text)
    _by(parser, text)


def _remove(parser: argparse.ArgumentParser, text: Translate) -> None:
    _experiment(parser, text)
    _by(parser, text)


def _export(parser: argparse.ArgumentParser, text: Translate) -> None:
    _experiment(parser, text)
    parser.add_argument("file", type=Path, metavar="FILE.csv", help=text("cli.experiment.help.csv"))
    parser.add_argument("--figures", action="store_true", help=text("cli.experiment.help.figures"))


_ACTS: dict[str, tuple[Grammar, Act]] = {
    "list": (_nothing, experiment_view.list_),
    "show": (_experiment, experiment_view.show),
    "new": (_new, experiment_acts.new),
    "add-example": (_add_example, experiment_acts.add_example),
    "plan": (_plan, experiment_acts.plan),
    "record": (_record, experiment_acts.record),
    "import": (_import, experiment_acts.import_),
    "run": (_run, experiment_run.run),
    "exclude": (_exclude, experiment_acts.exclude),
    "restore": (_restore, experiment_acts.restore),
    "remove": (_remove, experiment_acts.remove),
    "analyse": (_experiment, experiment_view.analyse),
    "export": (_export, experiment_acts.export),
}
