"""``diagnose``: the rules over a run: findings with evidence, the USE table, what could not be judged."""

from __future__ import annotations

import argparse
from contextlib import closing

from tunebench.cli.arguments import COMMON, PROJECT, Translate, add, argument
from tunebench.cli.console import Console
from tunebench.cli.findings.lines import show_diagnosis
from tunebench.contract.findings import diagnosis_shape
from tunebench.usecases import projects
from tunebench.usecases.comparing import windows
from tunebench.usecases.findings import diagnose
from tunebench.usecases.findings.words import RuleWords


def register(parser: argparse.ArgumentParser, text: Translate) -> None:
    add(parser, text, PROJECT, argument("--run", "cli.help.diagnose_run", "L", required=True), *COMMON)


def run(args: argparse.Namespace, console: Console) -> None:
    with closing(projects.open_(args.project, read_only=True)) as project, closing(console.progress()) as progress:
        asked = windows.chosen(project, args.run)
        diagnosis = diagnose.diagnose(project, asked, progress)
        zone = projects.engagement_zone(project)
    words = RuleWords(diagnosis.rules, console.language)
    console.result(diagnosis_shape(diagnosis, words, zone))
    if not console.json_wanted:
        show_diagnosis(diagnosis, words, zone, console)
