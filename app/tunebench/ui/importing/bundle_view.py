"""The ledger of a bundle: how many members became what, what was left out and why."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable
from functools import partial
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QVBoxLayout

from tunebench.columns.formats import DASH, format_bytes, format_count, short_hash
from tunebench.core.errors import UserError
from tunebench.domain.bundle import MEMBER_CANCELLED, REST_CANCELLED, Bundle, BundleMember, MemberState
from tunebench.ui.look.formats import host_words
from tunebench.ui.look.language import error_text, has_text, text
from tunebench.ui.look.theme import SPACE_L
from tunebench.ui.widgets.notice import notice
from tunebench.ui.widgets.parts import ElidedLabel, FactTable, button, label

_MOST_LISTED = 60
_TONES = {
    MemberState.IMPORTED: "ok",
    MemberState.UNRECOGNISED: "watch",
    MemberState.FAILED: "critical",
    MemberState.REFUSED: "critical",
}
_WRONG = (MemberState.REFUSED, MemberState.FAILED, MemberState.UNRECOGNISED)


def form_words(bundle: Bundle) -> str:
    return text("bundle.form.folder") if bundle.form == "folder" else bundle.form


def kind_words(kind: str) -> str:
    """The layout's own word where the catalogues have none."""
    key = f"bundle.kind.{kind}"
    return text(key) if has_text(key) else kind


def add_bundle(column: QVBoxLayout, bundle: Bundle, on_describe: Callable[[Bundle, str], object]) -> None:
    """`on_describe` is told the name of a member whose form a person wants to describe."""
    size = format_bytes(bundle.size_bytes)
    what = text("ui.bundle.what", form=form_words(bundle), size=size, count=format_count(len(bundle.members)))
    column.addWidget(label(what, "muted", wrap=True))
    _add_cut_short(column, bundle)
    _add_totals(column, bundle)
    _add_wrong(column, bundle, on_describe)
    _add_unknown_sections(column, bundle)
    _add_left_out(column, bundle)
    _add_facts(column, bundle)


def _add_cut_short(column: QVBoxLayout, bundle: Bundle) -> None:
    """That the import was cancelled before everything was looked at."""
    rest = next((member for member in bundle.members if member.reason == REST_CANCELLED), None)
    if rest is not None:
        column.addWidget(notice(_sentence(rest, bundle), "watch", "▲"))


def _add_totals(column: QVBoxLayout, bundle: Bundle) -> None:
    column.addWidget(label(text("ui.bundle.totals"), "strong"))
    table = FactTable(right=False)
    unread = Counter(member.reason for member in bundle.members if member.cancelled)
    for state, count in bundle.totals.items():
        own = count - unread.total() if state is MemberState.REFUSED else count
        if own:
            table.add(text(f"ui.state.{state}"), format_count(own), _TONES.get(state, ""))
    if unread[MEMBER_CANCELLED]:
        table.add(text("ui.state.cancelled"), format_count(unread[MEMBER_CANCELLED]), "watch")
    column.addWidget(table)


def _add_wrong(column: QVBoxLayout, bundle: Bundle, on_describe: Callable[[Bundle, str], object]) -> None:
    """Sentence by sentence, each with the members it is about."""
    wrong = [
        member
        for member in bundle.members
        if (member.state in _WRONG or _is_torn(member)) and member.reason != REST_CANCELLED
    ]
    if not wrong:
        return
    column.addWidget(label(text("ui.bundle.reasons"), "strong"))
    there = Path(bundle.path).exists()
    for member in wrong[:_MOST_LISTED]:
        tone = "watch" if _is_torn(member) or member.cancelled else _TONES[member.state]
        column.addWidget(label(_sentence(member, bundle), tone=tone, wrap=True))
        if member.state is MemberState.UNRECOGNISED and there:
            describe = button(text("ui.tables.describe"), "link", partial(on_describe, bundle, member.name))
            describe.setObjectName("describe-member")
            describe.setAccessibleName(f"{text('ui.tables.describe')} {member.name}")
            column.addWidget(describe, 0, Qt.AlignmentFlag.AlignLeft)
    _add_more(column, len(wrong) - _MOST_LISTED)


def _add_unknown_sections(column: QVBoxLayout, bundle: Bundle) -> None:
    """Lists the sections that no reader knows in texts of several tools."""
    sections = [
        (member.name or bundle.name, *section) for member in bundle.members for section in member.unknown_sections
    ]
    if not sections:
        return
    column.addWidget(label(text("ui.bundle.unknown_sections"), "strong"))
    for name, line, first_words in sections[:_MOST_LISTED]:
        words = text("ui.bundle.unknown_section", name=name, line=format_count(line), words=first_words)
        column.addWidget(label(words, tone="watch", wrap=True))
    _add_more(column, len(sections) - _MOST_LISTED)


def _is_torn(member: BundleMember) -> bool:
    return member.state in (MemberState.IMPORTED, MemberState.KEPT) and bool(member.reason)


def _sentence(member: BundleMember, bundle: Bundle) -> str:
    """The path in it is that inside the bundle: the bundle itself is named above."""
    if not member.reason:
        return member.name
    return error_text(UserError(member.reason, **{**member.facts, "path": member.name or bundle.name}))


def _add_left_out(column: QVBoxLayout, bundle: Bundle) -> None:
    if not bundle.kinds:
        return
    column.addWidget(label(text("ui.bundle.kinds"), "strong"))
    names: dict[str, list[str]] = defaultdict(list)
    for member in bundle.members:
        if member.state is MemberState.NOT_CAPTURE:
            names[member.kind].append(member.name)
    for kind, count in bundle.kinds.items():
        column.addWidget(label(f"{kind_words(kind) or DASH} {format_count(count)}"))
        listed = ", ".join(names[kind][:_MOST_LISTED])
        shown = ElidedLabel(listed, "small", Qt.TextElideMode.ElideRight)
        shown.setContentsMargins(SPACE_L, 0, 0, 0)
        shown.setToolTip("\n".join(names[kind][:_MOST_LISTED]))
        column.addWidget(shown)


def _add_more(column: QVBoxLayout, count: int) -> None:
    if count > 0:
        column.addWidget(label(text("ui.bundle.more", count=format_count(count)), "muted"))


def _add_facts(column: QVBoxLayout, bundle: Bundle) -> None:
    column.addWidget(label(text("ui.ledger.evidence"), "strong"))
    table = FactTable(right=False)
    table.add(text("ui.evidence.file"), bundle.path, elide=True)
    if bundle.sha256:
        table.add("SHA-256", short_hash(bundle.sha256), tip=bundle.sha256)
    if bundle.hosts:
        table.add(text("ui.bundle.hosts"), ", ".join(_host_words(host, bundle) for host in bundle.hosts))
    if bundle.layouts:
        table.add(text("ui.bundle.layouts"), ", ".join(bundle.layouts))
    column.addWidget(table)


def _host_words(host: str, bundle: Bundle) -> str:
    role = bundle.roles.get(host)
    return f"{host} ({text(f'bundle.role.{role}')})" if role else host_words(host)


def add_origin(column: QVBoxLayout, bundle: Bundle, artefact_id: int) -> None:
    """Which bundle a capture came in, and what made its text where it was converted."""
    table = FactTable(right=False)
    digest = f" · SHA-256 {short_hash(bundle.sha256)}" if bundle.sha256 else ""
    size = format_bytes(bundle.size_bytes)
    table.add(text("ui.bundle.of"), f"{bundle.name} · {size}{digest}", tip=f"{bundle.path}\n{bundle.sha256}")
    member = next((member for member in bundle.members if member.artefact_id == artefact_id), None)
    facts = member.facts if member is not None else {}
    for key, fact in (("ui.bundle.same_as", "same_as"), ("ui.bundle.command", "command")):
        if fact in facts:
            origin = text("ui.bundle.made_of", sha256=short_hash(str(facts.get("of", ""))))
            table.add(text(key), f"{facts[fact]} · {origin}", tip=str(facts.get("of", "")))
    column.addWidget(table)
