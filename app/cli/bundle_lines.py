"""The account of a bundle as lines of text."""

from __future__ import annotations

from app.cli.console import Console
from app.domain.bundle import Bundle, MemberState

_MOST_NAMED = 20
_LISTED = (MemberState.UNRECOGNISED, MemberState.REFUSED)
"""What became of these is not said by their files' own lines alone: here they stand together."""


def show_bundle(account: Bundle, console: Console) -> None:
    counts = [
        console.text("bundle.count", state=console.text(f"bundle.state.{state}"), count=f"{count:,}")
        for state, count in account.totals.items()
        if count
    ]
    console.say(
        "cli.import.bundle",
        name=account.name,
        form=form_words(account, console),
        size=f"{account.size_bytes:,}",
        counts=", ".join(counts),
    )
    if account.sha256:
        console.print(f"    SHA-256 {account.sha256}")
    if account.hosts:
        hosts = ", ".join(_host_words(host, account, console) for host in account.hosts)
        console.say("cli.import.bundle_hosts", hosts=hosts)
    if account.kinds:
        kinds = ", ".join(f"{kind_words(kind, console)} {count:,}" for kind, count in account.kinds.items())
        console.say("cli.import.bundle_kinds", kinds=kinds)
    for state in _LISTED:
        _show_names(account, state, console)


def _show_names(account: Bundle, state: MemberState, console: Console) -> None:
    names = [member.name or account.name for member in account.members if member.state is state]
    if not names:
        return
    more = len(names) - _MOST_NAMED
    listed = ", ".join(names[:_MOST_NAMED]) + (console.text("bundle.more", count=f"{more:,}") if more > 0 else "")
    console.say("cli.import.bundle_names", state=console.text(f"bundle.state.{state}"), names=listed)


def _host_words(host: str, account: Bundle, console: Console) -> str:
    role = account.roles.get(host)
    return f"{host} ({console.text(f'bundle.role.{role}')})" if role else host


def form_words(account: Bundle, console: Console) -> str:
    return console.text("bundle.form.folder") if account.form == "folder" else account.form


def kind_words(kind: str, console: Console) -> str:
    """The layout's own word where the catalogue has none for it."""
    key = f"bundle.kind.{kind}"
    return console.text(key) if key in console.messages else kind
