"""``merge``: two copies of one engagement become one project again; without a place for it, what they differ in."""

from __future__ import annotations

import argparse
from contextlib import closing
from pathlib import Path

from tunebench.cli import merge_plan
from tunebench.cli.arguments import COMMON, Translate, add, argument
from tunebench.cli.console import Console
from tunebench.contract.merging import merge_shape
from tunebench.core.errors import ExitCode
from tunebench.usecases.merging.conflicts import Choices, Conflict
from tunebench.usecases.merging.merge import Merge, Merged, opened
from tunebench.usecases.merging.words import choice_word, side_texts, subject_text


def register(parser: argparse.ArgumentParser, text: Translate) -> None:
    add(
        parser,
        text,
        argument("project", "cli.merge.help.mine", "MINE", type=Path),
        argument("theirs", "cli.merge.help.theirs", "THEIRS", type=Path),
        argument("--base", "cli.merge.help.base", "COPY", type=Path),
        argument("-o", "cli.merge.help.out", "PROJECT", dest="out", type=Path),
        argument("--review", "cli.merge.help.review", "FILE", type=Path),
        argument("--plan", "cli.merge.help.plan", "FILE", type=Path),
        *COMMON,
    )


def run(args: argparse.Namespace, console: Console) -> ExitCode:
    """Partly where it was written and something is left that nobody decided."""
    with opened(args.project, args.theirs, args.base) as merge:
        choices = merge.checked_choices(merge_plan.read(merge, args.plan) if args.plan is not None else {})
        if args.review is not None:
            merge_plan.write(merge, choices, args.review)
        merged = _write(merge, choices, args, console)
        _show(merge, choices, merged, console)
        console.result(merge_shape(merge, choices, merged))
    if args.review is not None:
        console.say("cli.merge.reviewed", path=args.review)
    return ExitCode.PARTLY if merged is not None and merged.undecided else ExitCode.DONE


def _write(merge: Merge, choices: Choices, args: argparse.Namespace, console: Console) -> Merged | None:
    if args.out is None:
        return None
    with closing(console.progress()) as progress:
        return merge.apply(choices, args.out, progress)


def _show(merge: Merge, choices: Choices, merged: Merged | None, console: Console) -> None:
    fork = merge.fork
    console.say("cli.merge.from", base=fork.base, mine=fork.mine.head, theirs=fork.theirs.head)
    for conflict in merge.conflicts:
        _show_conflict(conflict, choices, console)
    if merged is None:
        console.say("cli.merge.compared", count=len(merge.conflicts))
        return
    for name in merged.kept:
        console.say("cli.merge.kept", name=name)
    for name in merged.unread:
        console.say("cli.merge.unread", name=name)
    console.say("cli.merge.done", path=merged.path, entries=merged.entries, undecided=len(merged.undecided))


def _show_conflict(conflict: Conflict, choices: Choices, console: Console) -> None:
    choice = choices.get(conflict.key)
    console.print(f"{conflict.key}: {subject_text(conflict, console.language)}")
    mine, theirs = side_texts(conflict, console.language)
    console.say("cli.merge.mine", side=mine)
    console.say("cli.merge.theirs", side=theirs)
    word = choice_word(choice or conflict.usual, console.language)
    console.say("cli.merge.decided" if choice is not None else "cli.merge.undecided", choice=word)
