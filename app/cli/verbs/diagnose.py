"""``diagnose``: the rules over a run: findings with evidence, the USE table, what could not be judged."""

from __future__ import annotations

import argparse

from app.cli.arguments import COMMON, PROJECT, Translate, add, argument
from app.cli.console import Console
from app.cli.findings.lines import show_diagnosis
from app.cli.findings.shapes import diagnosis_shape
from app.core.errors import ExitCode
from app.usecases import exports, projects
from app.usecases.comparing import windows
from app.usecases.findings import diagnose
from app.usecases.findings.words import RuleWords


def register(parser: argparse.ArgumentParser, text: Translate) -> None:
    add(parser, text, PROJECT, argument("--run", "cli.help.diagnose_run", "L", required=True), *COMMON)


def run(args: argparse.Namespace, console: Console) -> ExitCode:
    project = projects.open_(args.project, read_only=True)
    try:
        asked = windows.chosen(project, args.run)
        progress = console.progress()
        found = diagnose.diagnose(project, asked, progress)
        progress.close()
        zone = exports.engagement_zone(project)
    finally:
        projects.close(project)
    words = RuleWords(found.rules, console.language)
    console.result(diagnosis_shape(found, words, zone))
    if not console.json_wanted:
        show_diagnosis(found, words, zone, console)
    return ExitCode.DONE
