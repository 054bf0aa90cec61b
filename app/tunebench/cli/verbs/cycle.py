"""``cycle``: the six steps, targets, causes, countermeasures with their trade-off worksheets, from start to close."""

from __future__ import annotations

import argparse
from pathlib import Path

from tunebench.cli.acts import Acts, add_acts, do_act
from tunebench.cli.arguments import Translate, argument, flag, moment, optional, several
from tunebench.cli.asked_keys import KEY, SIGNATURE
from tunebench.cli.console import Console
from tunebench.cli.cycle import acts as cycle_acts
from tunebench.cli.cycle import view as cycle_view
from tunebench.core.errors import ExitCode
from tunebench.core.messages import LANGUAGES
from tunebench.domain.cycle.worksheet import Decision
from tunebench.usecases.cycle.gates import GateRefusal

_READING = ("show", "templates", "save-template", "export")


def register(parser: argparse.ArgumentParser, text: Translate) -> None:
    add_acts(parser, text, "cli.cycle.act", _ACTS)


def run(args: argparse.Namespace, console: Console) -> ExitCode | None:
    try:
        return do_act(_ACTS, args, console, args.act in _READING)
    except GateRefusal as refusal:
        cycle_view.say_gates(refusal.gates, console)
        return refusal.exit_code


# -- grammar -------------------------------------------------------------------------------------------

_RECORD = argument("record", "cli.cycle.help.record", "KIND[.ID]")
_ITERATION = argument("--iteration", "cli.cycle.help.iteration", "N", type=int)
_VALUES = argument("values", "cli.cycle.help.values", "FIELD=VALUE", nargs="*")
_BY = argument("--by", "cli.cycle.help.by", "NAME", required=True, default="")
_MAY_BY = optional("--by", "cli.cycle.help.by", "NAME")
_AMENDING = (optional("--reason", "cli.cycle.help.amendment", "TEXT"), _MAY_BY)
_AT = argument("--at", "cli.cycle.help.at", "ISO", type=moment)
_ON = optional("--on", "cli.cycle.help.on", "YYYY-MM-DD")
_LEAVE_STEPS = flag("--leave-steps", "cli.cycle.help.leave_steps")
_FORM = (
    argument("form", "cli.cycle.help.form", choices=("questionnaire", "worksheet")),
    argument("file", "cli.cycle.help.xlsx", "FILE.xlsx", type=Path),
    _ITERATION,
)
_MEASURE = (
    argument("record", "cli.cycle.help.metric", "METRIC"),
    argument("--run", "cli.cycle.help.measured_over", "NAME", required=True),
    argument("--as", "cli.cycle.help.as", dest="side", choices=("baseline", "after")),
    optional("--value", "cli.cycle.help.value", "VALUE"),
    optional("--remark", "cli.cycle.help.remark", "TEXT"),
    *_AMENDING,
    _ITERATION,
)
_APPROVE = (
    _RECORD,
    argument("--name", "cli.cycle.help.name", "NAME", required=True),
    optional("--role", "cli.cycle.help.role", "ROLE"),
    argument(
        "--decision",
        "cli.cycle.help.decision",
        choices=[decision.value for decision in Decision],
        default=Decision.APPROVED.value,
    ),
    optional("--note", "cli.cycle.help.note", "TEXT"),
    SIGNATURE,
    KEY,
    _AT,
    _ITERATION,
)
_PIN = (
    argument("--caption", "cli.cycle.help.caption", "TEXT", required=True),
    several("--to", "cli.cycle.help.to", "KIND.ID"),
    optional("--run", "cli.cycle.help.pin_run", "LABEL"),
    optional("--series", "cli.cycle.help.series", "ID[,ID...]"),
    argument("--from", "cli.cycle.help.from", "ISO", dest="start", type=moment),
    argument("--until", "cli.cycle.help.until", "ISO", dest="end", type=moment),
    argument("--capture", "cli.cycle.help.capture", "ID", type=int),
    optional("--lines", "cli.cycle.help.lines", "A-B"),
    optional("--statement", "cli.cycle.help.statement", "[ENGINE:]ID"),
    optional("--measurement", "cli.cycle.help.measurement", "KEY"),
    optional("--finding", "cli.cycle.help.finding", "KEY"),
    argument("--experiment", "cli.cycle.help.experiment", "ID", type=int),
    _MAY_BY,
    _ITERATION,
)
_ACTS: Acts = {
    "show": (
        cycle_view.show,
        (argument("record", "cli.cycle.help.record", "KIND[.ID]", nargs="?", default=""), _ITERATION),
    ),
    "set": (cycle_acts.set_, (_RECORD, _VALUES, *_AMENDING, _ITERATION)),
    "add": (cycle_acts.add, (argument("kind", "cli.cycle.help.kind", "KIND"), _VALUES, *_AMENDING, _ITERATION)),
    "remove": (
        cycle_acts.remove,
        (_RECORD, flag("--with-dependents", "cli.cycle.help.with_dependents"), *_AMENDING, _ITERATION),
    ),
    "start": (
        cycle_acts.start,
        (
            optional("--title", "cli.cycle.help.title", "TEXT"),
            optional("--template", "cli.cycle.help.template", "ID"),
            flag("--introduction", "cli.cycle.help.introduction"),
            _ON,
        ),
    ),
    "continue": (
        cycle_acts.continue_,
        (argument("--title", "cli.cycle.help.title", "TEXT", required=True), _MAY_BY, _ON, _LEAVE_STEPS),
    ),
    "measure": (cycle_acts.measure, _MEASURE),
    "measure-due": (cycle_acts.measure_due, (_ITERATION,)),
    "approve": (cycle_acts.approve, _APPROVE),
    "execute": (
        cycle_acts.execute,
        (
            _RECORD,
            _BY,
            _AT,
            optional("--commands", "cli.cycle.help.commands", "TEXT"),
            several("--found", "cli.cycle.help.found", "PARAMETER=OLD:NEW"),
            _ITERATION,
        ),
    ),
    "roll-back": (cycle_acts.roll_back, (_RECORD, _BY, _AT, _ITERATION)),
    "effects": (cycle_acts.effects, (_RECORD, optional("--take", "cli.cycle.help.take", "ID"), _ITERATION)),
    "check-changes": (cycle_acts.check_changes, (argument("--run", "cli.cycle.help.run", "LABEL", required=True),)),
    "pin": (cycle_acts.pin, _PIN),
    "attach": (
        cycle_acts.attach,
        (
            argument("file", "cli.cycle.help.file", "FILE", type=Path),
            argument("--step", "cli.cycle.help.step", type=int, choices=range(7), required=True),
            optional("--caption", "cli.cycle.help.caption", "TEXT"),
            _MAY_BY,
            _ITERATION,
        ),
    ),
    "export": (
        cycle_acts.export,
        (*_FORM, argument("--form-language", "cli.cycle.help.form_language", choices=LANGUAGES, default="")),
    ),
    "import": (cycle_acts.import_, (*_FORM, _MAY_BY)),
    "close": (
        cycle_acts.close,
        (
            _BY,
            optional("--reason", "cli.cycle.help.reason", "TEXT"),
            flag("--abandon", "cli.cycle.help.abandon"),
            KEY,
            _ON,
            _LEAVE_STEPS,
            _ITERATION,
        ),
    ),
    "templates": (cycle_view.templates, ()),
    "save-template": (cycle_acts.save_template, (_ITERATION,)),
}
