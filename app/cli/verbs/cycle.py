"""``cycle``: the six steps, targets, causes, countermeasures with their trade-off worksheets, from start to close."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path

from app.cli.arguments import Translate, add_common, add_project, moment
from app.cli.console import Console
from app.cli.cycle import acts as cycle_acts
from app.cli.cycle import view as cycle_view
from app.core.errors import ExitCode
from app.core.messages import LANGUAGES
from app.domain.cycle.worksheet import Decision
from app.usecases import projects
from app.usecases.cycle.facade import GateRefusal
from app.usecases.projects import Project

Act = Callable[[argparse.Namespace, Project, Console], ExitCode]

_ACTS: dict[str, Act] = {
    "show": cycle_view.show,
    "set": cycle_acts.set_,
    "add": cycle_acts.add,
    "remove": cycle_acts.remove,
    "start": cycle_acts.start,
    "continue": cycle_acts.continue_,
    "measure": cycle_acts.measure,
    "approve": cycle_acts.approve,
    "execute": cycle_acts.execute,
    "roll-back": cycle_acts.roll_back,
    "effects": cycle_acts.effects,
    "check-changes": cycle_acts.check_changes,
    "pin": cycle_acts.pin,
    "attach": cycle_acts.attach,
    "export": cycle_acts.export,
    "import": cycle_acts.import_,
    "close": cycle_acts.close,
    "templates": cycle_view.templates,
}


_READING = ("show", "templates", "export")


def register(parser: argparse.ArgumentParser, text: Translate) -> None:
    add_project(parser, text)
    acts = parser.add_subparsers(dest="act", required=True, metavar="ACT", parser_class=type(parser))
    for name in _ACTS:
        act = acts.add_parser(name, help=text(f"cli.cycle.act.{name}"), description=text(f"cli.cycle.act.{name}"))
        _GRAMMAR[name](act, text)
        add_common(act, text)


def run(args: argparse.Namespace, console: Console) -> ExitCode:
    project = projects.open_(args.project, read_only=args.act in _READING)
    try:
        if args.act not in _READING:
            projects.require_writing(project)
        return _ACTS[args.act](args, project, console)
    except GateRefusal as refusal:
        cycle_view.say_gates(refusal.gates, console)
        return refusal.exit_code
    finally:
        projects.close(project)


# -- grammar -------------------------------------------------------------------------------------------

Grammar = Callable[[argparse.ArgumentParser, Translate], None]


def _record(parser: argparse.ArgumentParser, text: Translate, **options: str) -> None:
    parser.add_argument("record", metavar="KIND[.ID]", help=text("cli.cycle.help.record"), **options)  # type: ignore[arg-type]


def _iteration(parser: argparse.ArgumentParser, text: Translate) -> None:
    parser.add_argument("--iteration", type=int, metavar="N", help=text("cli.cycle.help.iteration"))


def _values(parser: argparse.ArgumentParser, text: Translate) -> None:
    parser.add_argument("values", nargs="*", metavar="FIELD=VALUE", help=text("cli.cycle.help.values"))


def _by(parser: argparse.ArgumentParser, text: Translate, required: bool = True) -> None:
    parser.add_argument("--by", required=required, default="", metavar="NAME", help=text("cli.cycle.help.by"))


def _at(parser: argparse.ArgumentParser, text: Translate) -> None:
    parser.add_argument("--at", type=moment, metavar="ISO", help=text("cli.cycle.help.at"))


def _on(parser: argparse.ArgumentParser, text: Translate) -> None:
    parser.add_argument("--on", default="", metavar="YYYY-MM-DD", help=text("cli.cycle.help.on"))


def _leave_steps(parser: argparse.ArgumentParser, text: Translate) -> None:
    parser.add_argument("--leave-steps", action="store_true", help=text("cli.cycle.help.leave_steps"))


def _show(parser: argparse.ArgumentParser, text: Translate) -> None:
    _record(parser, text, nargs="?", default="")
    _iteration(parser, text)


def _set(parser: argparse.ArgumentParser, text: Translate) -> None:
    _record(parser, text)
    _values(parser, text)
    _iteration(parser, text)


def _add(parser: argparse.ArgumentParser, text: Translate) -> None:
    parser.add_argument("kind", metavar="KIND", help=text("cli.cycle.help.kind"))
    _values(parser, text)
    _iteration(parser, text)


def _remove(parser: argparse.ArgumentParser, text: Translate) -> None:
    _record(parser, text)
    parser.add_argument("--with-dependents", action="store_true", help=text("cli.cycle.help.with_dependents"))
    _iteration(parser, text)


def _start(parser: argparse.ArgumentParser, text: Translate) -> None:
    parser.add_argument("--title", default="", metavar="TEXT", help=text("cli.cycle.help.title"))
    parser.add_argument("--template", default="", metavar="ID", help=text("cli.cycle.help.template"))
    parser.add_argument("--introduction", action="store_true", help=text("cli.cycle.help.introduction"))
    _on(parser, text)


def _continue(parser: argparse.ArgumentParser, text: Translate) -> None:
    parser.add_argument("--title", required=True, metavar="TEXT", help=text("cli.cycle.help.title"))
    _by(parser, text, required=False)
    _on(parser, text)
    _leave_steps(parser, text)


def _measure(parser: argparse.ArgumentParser, text: Translate) -> None:
    parser.add_argument("record", metavar="METRIC", help=text("cli.cycle.help.metric"))
    parser.add_argument("--run", required=True, metavar="NAME", help=text("cli.cycle.help.measured_over"))
    parser.add_argument("--as", dest="side", choices=("baseline", "after"), help=text("cli.cycle.help.as"))
    parser.add_argument("--value", default="", metavar="VALUE", help=text("cli.cycle.help.value"))
    parser.add_argument("--remark", default="", metavar="TEXT", help=text("cli.cycle.help.remark"))
    _iteration(parser, text)


def _approve(parser: argparse.ArgumentParser, text: Translate) -> None:
    _record(parser, text)
    parser.add_argument("--name", required=True, metavar="NAME", help=text("cli.cycle.help.name"))
    parser.add_argument("--role", default="", metavar="ROLE", help=text("cli.cycle.help.role"))
    parser.add_argument(
        "--decision",
        choices=[each.value for each in Decision],
        default=Decision.APPROVED.value,
        help=text("cli.cycle.help.decision"),
    )
    parser.add_argument("--note", default="", metavar="TEXT", help=text("cli.cycle.help.note"))
    _at(parser, text)
    _iteration(parser, text)


def _execute(parser: argparse.ArgumentParser, text: Translate) -> None:
    _record(parser, text)
    _by(parser, text)
    _at(parser, text)
    parser.add_argument("--commands", default="", metavar="TEXT", help=text("cli.cycle.help.commands"))
    parser.add_argument(
        "--found", action="append", default=[], metavar="PARAMETER=OLD:NEW", help=text("cli.cycle.help.found")
    )
    _iteration(parser, text)


def _roll_back(parser: argparse.ArgumentParser, text: Translate) -> None:
    _record(parser, text)
    _by(parser, text)
    _at(parser, text)
    _iteration(parser, text)


def _effects(parser: argparse.ArgumentParser, text: Translate) -> None:
    _record(parser, text)
    parser.add_argument("--take", default="", metavar="ID", help=text("cli.cycle.help.take"))
    _iteration(parser, text)


def _check_changes(parser: argparse.ArgumentParser, text: Translate) -> None:
    parser.add_argument("--run", required=True, metavar="LABEL", help=text("cli.cycle.help.run"))


def _pin(parser: argparse.ArgumentParser, text: Translate) -> None:
    parser.add_argument("--caption", required=True, metavar="TEXT", help=text("cli.cycle.help.caption"))
    parser.add_argument("--to", action="append", default=[], metavar="KIND.ID", help=text("cli.cycle.help.to"))
    parser.add_argument("--run", default="", metavar="LABEL", help=text("cli.cycle.help.pin_run"))
    parser.add_argument("--series", default="", metavar="ID[,ID...]", help=text("cli.cycle.help.series"))
    parser.add_argument("--from", dest="start", type=moment, metavar="ISO", help=text("cli.cycle.help.from"))
    parser.add_argument("--until", dest="end", type=moment, metavar="ISO", help=text("cli.cycle.help.until"))
    parser.add_argument("--capture", type=int, metavar="ID", help=text("cli.cycle.help.capture"))
    parser.add_argument("--lines", default="", metavar="A-B", help=text("cli.cycle.help.lines"))
    parser.add_argument("--statement", default="", metavar="[ENGINE:]ID", help=text("cli.cycle.help.statement"))
    parser.add_argument("--measurement", default="", metavar="KEY", help=text("cli.cycle.help.measurement"))
    parser.add_argument("--finding", default="", metavar="KEY", help=text("cli.cycle.help.finding"))
    _by(parser, text, required=False)
    _iteration(parser, text)


def _attach(parser: argparse.ArgumentParser, text: Translate) -> None:
    parser.add_argument("file", type=Path, metavar="FILE", help=text("cli.cycle.help.file"))
    parser.add_argument("--step", type=int, choices=range(7), required=True, help=text("cli.cycle.help.step"))
    parser.add_argument("--caption", default="", metavar="TEXT", help=text("cli.cycle.help.caption"))
    _by(parser, text, required=False)
    _iteration(parser, text)


def _close(parser: argparse.ArgumentParser, text: Translate) -> None:
    _by(parser, text)
    parser.add_argument("--reason", default="", metavar="TEXT", help=text("cli.cycle.help.reason"))
    parser.add_argument("--abandon", action="store_true", help=text("cli.cycle.help.abandon"))
    _on(parser, text)
    _leave_steps(parser, text)
    _iteration(parser, text)


def _form(parser: argparse.ArgumentParser, text: Translate) -> None:
    parser.add_argument("form", choices=("questionnaire", "worksheet"), help=text("cli.cycle.help.form"))
    parser.add_argument("file", type=Path, metavar="FILE.xlsx", help=text("cli.cycle.help.xlsx"))
    _iteration(parser, text)


def _export(parser: argparse.ArgumentParser, text: Translate) -> None:
    _form(parser, text)
    parser.add_argument("--form-language", choices=LANGUAGES, default="", help=text("cli.cycle.help.form_language"))


def _import(parser: argparse.ArgumentParser, text: Translate) -> None:
    _form(parser, text)
    _by(parser, text, required=False)


def _templates(_parser: argparse.ArgumentParser, _text: Translate) -> None:
    """No arguments of its own."""


_GRAMMAR: dict[str, Grammar] = {
    "show": _show,
    "set": _set,
    "add": _add,
    "remove": _remove,
    "start": _start,
    "continue": _continue,
    "measure": _measure,
    "approve": _approve,
    "execute": _execute,
    "roll-back": _roll_back,
    "effects": _effects,
    "check-changes": _check_changes,
    "pin": _pin,
    "attach": _attach,
    "close": _close,
    "templates": _templates,
    "export": _export,
    "import": _import,
}
