"""``check``: is everything in the project whole?"""

from __future__ import annotations

import argparse
from contextlib import closing
from pathlib import Path

from tunebench.cli.arguments import COMMON, PROJECT, Translate, add, argument, optional
from tunebench.cli.console import Console
from tunebench.core.errors import ExitCode
from tunebench.usecases import check, copies, projects, signatures
from tunebench.usecases.cycle.contradicted import found_text


def register(parser: argparse.ArgumentParser, text: Translate) -> None:
    add(
        parser,
        text,
        PROJECT,
        optional("--take-over", "cli.check.help.take_over", "HOST"),
        optional("--against", "cli.check.help.against", "COPY"),
        argument("--verify-signatures", "cli.check.help.verify_signatures", "KEY.pub", type=Path, nargs="*"),
        *COMMON,
    )


def run(args: argparse.Namespace, console: Console) -> ExitCode:
    if args.take_over:
        projects.take_over(args.project, args.take_over)
    with closing(projects.open_(args.project, read_only=True)) as project, closing(console.progress()) as progress:
        results = check.check(project, progress, args.verify_signatures or ())
        keys = signatures.listed(project) if args.verify_signatures is not None else ()
        if args.against:
            results.append(copies.compared(project, Path(args.against)))
    console.result([{"check": r.check, "state": r.state, "facts": r.facts} for r in results])
    for result in results:
        facts = ", ".join(
            console.text(f"cli.check.fact.{name}", value=_fact(value, console)) for name, value in result.facts.items()
        )
        console.say(f"cli.check.{result.state}", check=console.text(f"check.{result.check}"), facts=facts)
    for name, fingerprint in keys:
        console.say("cli.check.key", name=name, fingerprint=fingerprint)
    return ExitCode.REFUSED if any(r.state == "failed" for r in results) else ExitCode.DONE


def _fact(value: object, console: Console) -> str:
    if isinstance(value, list):
        return ", ".join(found_text(finding, console.language) for finding in value)
    return f"{value}"
