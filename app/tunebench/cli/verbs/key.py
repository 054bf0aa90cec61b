"""``key``: keys of approvers, the policy on approvals, and the signature of the audit trail."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping
from contextlib import closing
from dataclasses import replace
from pathlib import Path

from tunebench.cli.arguments import COMMON, PROJECT, Argument, Parser, Translate, add, argument, optional
from tunebench.cli.asked_keys import KEY, new_passphrase, read_key
from tunebench.cli.console import Console
from tunebench.core import signing
from tunebench.core.errors import ExitCode, UserError
from tunebench.core.signing import make_key, read_public
from tunebench.core.whole_files import write_whole
from tunebench.domain.cycle.worksheet import Action
from tunebench.domain.engagement import Approvals
from tunebench.reporting import cycle_words
from tunebench.usecases import projects, signatures
from tunebench.usecases.capturing import plans as capture_plans
from tunebench.usecases.cycle import approving, reading
from tunebench.usecases.cycle.lookup import look_up


def register(parser: argparse.ArgumentParser, text: Translate) -> None:
    acts = parser.add_subparsers(
        dest="act", required=True, metavar="ACT", title=text("cli.heading.verbs"), parser_class=Parser
    )
    for name, (_act, arguments) in _ACTS.items():
        about = text(f"cli.key.act.{name}")
        add(acts.add_parser(name, help=about, description=about), text, *arguments, *COMMON)


def run(args: argparse.Namespace, console: Console) -> ExitCode | None:
    return _ACTS[args.act][0](args, console)


def _new(args: argparse.Namespace, console: Console) -> None:
    line = make_key(args.file, new_passphrase(args.file, console), args.comment)
    _tell_key(line, console)
    console.say("cli.key.made", path=args.file, public=f"{args.file}.pub")


def _show(args: argparse.Namespace, console: Console) -> None:
    try:
        line = read_public(args.file)
    except UserError:
        line = read_key(args.file, console).public
    _tell_key(line, console)


def _tell_key(line: str, console: Console) -> None:
    console.result({"public": line, "fingerprint": signing.fingerprint(line)})
    console.print(line)
    console.say("cli.key.fingerprint", fingerprint=signing.fingerprint(line))


def _text(args: argparse.Namespace, console: Console) -> None:
    """Writes the exact text that is to be signed elsewhere; nothing is recorded."""
    at = args.at or signatures.now()
    with closing(projects.open_(args.project, read_only=True)) as project:
        kind, _, rest = args.what.partition(":")
        if kind == "plan" and rest:
            digests = [
                plan.digest for plan in capture_plans.list_plans(project) if plan.digest.startswith(rest.lower())
            ]
            if len(digests) != 1:
                raise UserError("plan_missing", digest=rest)
            text = signatures.plan_to_sign(digests[0], args.name, at)
        else:
            book = reading.read(project)
            record = look_up(book, args.what, book.current)
            if not isinstance(record, Action):
                raise UserError("cycle_reference_unknown", words=args.what)
            text = approving.text_to_sign(project, book, record, args.name, at)
    if args.out is not None:
        write_whole(args.out, text.encode())
        console.say("cli.key.text_written", path=args.out, at=at)
    else:
        console.print(text.rstrip("\n"))
    console.result({"text": text, "at": at})


def _trust(args: argparse.Namespace, console: Console) -> None:
    with closing(projects.open_(args.project, read_only=True)) as project:
        _tell_listed(signatures.trust(project), projects.read_engagement(project).approvals, console)
    console.say("cli.key.trusted")


def _list(args: argparse.Namespace, console: Console) -> None:
    with closing(projects.open_(args.project, read_only=True)) as project:
        _tell_listed(signatures.listed(project), projects.read_engagement(project).approvals, console)


def _tell_listed(listed: tuple[tuple[str, str], ...], policy: Approvals, console: Console) -> None:
    console.say("cli.key.policy", policy=cycle_words.word(policy, console.language))
    for name, fingerprint in listed:
        console.print(f"{name}  {fingerprint}")
    keys = [{"name": name, "fingerprint": fingerprint} for name, fingerprint in listed]
    console.result({"policy": policy.value, "keys": keys})


def _sign(args: argparse.Namespace, console: Console) -> None:
    with closing(projects.open_(args.project)) as project:
        projects.require_writing(project)
        entry = signatures.sign_trail(project, args.name, read_key(args.key, console))
    console.say("cli.key.trail_signed", entry=entry, name=args.name)
    console.result({"entry": entry})


def _request(args: argparse.Namespace, console: Console) -> None:
    with closing(projects.open_(args.project, read_only=True)) as project:
        entry, digest = signatures.write_time_stamp_request(project, args.file)
    console.say("cli.key.request", path=args.file, entry=entry, digest=digest)
    console.result({"file": str(args.file), "entry": entry, "digest": digest})


_FILE = argument("file", "cli.key.help.file", "FILE", type=Path)
_NAME = argument("--name", "cli.key.help.name", "NAME", required=True)
_ACTS: Mapping[str, tuple[Callable[[argparse.Namespace, Console], None], tuple[Argument, ...]]] = {
    "new": (_new, (_FILE, optional("--comment", "cli.key.help.comment", "TEXT"))),
    "show": (_show, (_FILE,)),
    "text": (
        _text,
        (
            PROJECT,
            argument("what", "cli.key.help.what", "plan:DIGEST|action.ID"),
            _NAME,
            optional("--at", "cli.key.help.at", "ISO"),
            argument("--out", "cli.key.help.out", "FILE", type=Path),
        ),
    ),
    "list": (_list, (PROJECT,)),
    "trust": (_trust, (PROJECT,)),
    "sign-trail": (_sign, (PROJECT, _NAME, replace(KEY, options={**KEY.options, "required": True}))),
    "request": (_request, (PROJECT, argument("file", "cli.key.help.request", "FILE.tsq", type=Path))),
}
