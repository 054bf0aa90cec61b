"""``experiment``: benchmark matrices: factors, repetitions, results, and what they say."""

from __future__ import annotations

import argparse
from pathlib import Path

from tunebench.cli.acts import Acts, add_acts, do_act
from tunebench.cli.arguments import Translate, argument, flag, optional, positive, several
from tunebench.cli.asked_keys import KEY
from tunebench.cli.console import Console
from tunebench.cli.experiments import acts as experiment_acts
from tunebench.cli.experiments import run as experiment_run
from tunebench.cli.experiments import view as experiment_view
from tunebench.cli.experiments.plan_options import plan_arguments
from tunebench.cli.verbs.host import CONNECTION
from tunebench.core.errors import ExitCode
from tunebench.domain.experiments.records import CacheState, RunOrder, TrialRole

_READING = ("list", "show", "analyse", "export")


def register(parser: argparse.ArgumentParser, text: Translate) -> None:
    add_acts(parser, text, "cli.experiment.act", _ACTS)


def run(args: argparse.Namespace, console: Console) -> ExitCode | None:
    reading = args.act in _READING or (args.act in ("add-example", "add-matrix") and not args.name)
    return do_act(_ACTS, args, console, reading)


# -- grammar -------------------------------------------------------------------------------------------

_EXPERIMENT = argument("experiment", "cli.experiment.help.experiment", "EXPERIMENT")
_TRIAL = (_EXPERIMENT, argument("trial", "cli.experiment.help.trial", "TRIAL", type=int))
_BY = optional("--by", "cli.experiment.help.by", "NAME")
_NUMBERS = (
    *plan_arguments("numbers"),
    argument("--order", "cli.experiment.help.order", choices=[order.value for order in RunOrder]),
)
_CACHES = [state.value for state in CacheState]
_NEW = (
    argument("--from", "cli.experiment.help.from", "FILE.toml", dest="file", type=Path),
    optional("--title", "cli.experiment.help.title", "TEXT"),
    several("--factor", "cli.experiment.help.factor", "NAME[UNIT]=LEVEL,..."),
    several("--response", "cli.experiment.help.response", "NAME[UNIT]:lower|higher|neutral"),
    *_NUMBERS,
    several("--cache", "cli.experiment.help.caches", choices=_CACHES),
    optional("--baseline", "cli.experiment.help.baseline", "F=L;F=L"),
    several("--cell", "cli.experiment.help.cells", "F=L;F=L"),
    *plan_arguments("commands", "around", "seconds", "remarks"),
    _BY,
)
_CELL = (
    several("--cell", "cli.experiment.help.cell", "F=L"),
    argument("--cache", "cli.experiment.help.cache", choices=_CACHES),
    argument(
        "--role",
        "cli.experiment.help.role",
        choices=[role.value for role in TrialRole],
        default=TrialRole.MEASURE.value,
    ),
    flag("--beyond-plan", "cli.experiment.help.beyond_plan"),
)
_RECORD = (
    _EXPERIMENT,
    argument("values", "cli.experiment.help.values", "RESPONSE=VALUE", nargs="*"),
    argument("--trial", "cli.experiment.help.trial", "TRIAL", type=int),
    *_CELL,
    optional("--failed", "cli.experiment.help.failed", "REASON"),
    flag("--correct", "cli.experiment.help.correct"),
    argument("--capture", "cli.experiment.help.capture", "ID", type=int),
    argument("--line", "cli.experiment.help.line", "N", type=int),
    optional("--load-run", "cli.experiment.help.load_run", "LABEL"),
    optional("--note", "cli.experiment.help.note", "TEXT"),
    _BY,
)
_IMPORT = (
    _EXPERIMENT,
    argument("table", "cli.experiment.help.table", "TABLE.csv", nargs="?", type=Path),
    several("--capture", "cli.experiment.help.captures", "ID", type=int),
    argument("--run", "cli.experiment.help.inside", "L"),
    *_CELL,
    _BY,
)
_RUN = (
    _EXPERIMENT,
    argument("--host", "cli.experiment.help.host", "NAME|[user@]host[:port]", default=""),
    argument("--most", "cli.experiment.help.most", "N", type=int, default=0),
    argument("--limit", "cli.experiment.help.limit", "S", type=positive),
    flag("--go-on", "cli.experiment.help.go_on"),
    flag("--detached", "cli.experiment.help.detached"),
    flag("--leave", "cli.experiment.help.leave"),
    flag("--fetch", "cli.experiment.help.fetch"),
    optional("--run", "cli.experiment.help.run_label", "LABEL"),
    optional("--approved-by", "cli.experiment.help.approved_by", "NAME"),
    KEY,
    *CONNECTION,
    _BY,
)
_EXCLUDE = (
    *_TRIAL,
    argument("--reason", "cli.experiment.help.reason", "TEXT", required=True),
    argument("--by", "cli.experiment.help.by", "NAME", required=True, default=""),
)
_EXPORT = (
    _EXPERIMENT,
    argument("file", "cli.experiment.help.csv", "FILE.csv", type=Path),
    flag("--figures", "cli.experiment.help.figures"),
)
_ACTS: Acts = {
    "list": (experiment_view.list_, ()),
    "show": (experiment_view.show, (_EXPERIMENT,)),
    "new": (experiment_acts.new, _NEW),
    "add-example": (
        experiment_acts.add_example,
        (argument("name", "cli.experiment.help.example", "NAME", nargs="?", default=""), _BY),
    ),
    "add-matrix": (
        experiment_acts.add_matrix,
        (
            argument("name", "cli.experiment.help.matrix", "NAME", nargs="?", default=""),
            several("--set", "cli.experiment.help.set", "NAME=VALUE"),
            several("--only", "cli.experiment.help.only", "FACTOR=LEVEL,..."),
            argument("--repetitions", "cli.experiment.help.repetitions", "N", type=int),
            argument("--limit", "cli.experiment.help.limit", "S", dest="limit_s", type=positive),
            _BY,
        ),
    ),
    "plan": (
        experiment_acts.plan,
        (_EXPERIMENT, *_NUMBERS, several("--level", "cli.experiment.help.level", "FACTOR=LEVEL"), _BY),
    ),
    "set": (
        experiment_acts.set_,
        (_EXPERIMENT, argument("values", "cli.experiment.help.texts", "FIELD@ko|en=TEXT", nargs="+"), _BY),
    ),
    "record": (experiment_acts.record, _RECORD),
    "import": (experiment_acts.import_, _IMPORT),
    "run": (experiment_run.run, _RUN),
    "exclude": (experiment_acts.exclude, _EXCLUDE),
    "restore": (experiment_acts.restore, (*_TRIAL, _BY)),
    "remove": (experiment_acts.remove, (_EXPERIMENT, _BY)),
    "analyse": (experiment_view.analyse, (_EXPERIMENT,)),
    "export": (experiment_acts.export, _EXPORT),
}
