"""What a session that has ended left in the project, in words."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING

from tunebench.columns.capturing.live_states import span_words
from tunebench.columns.column import Locale
from tunebench.columns.formats import format_bytes, format_count
from tunebench.domain.capturing.plan import CommandKind
from tunebench.domain.capturing.run import StreamState

if TYPE_CHECKING:
    from tunebench.usecases.capturing.collecting import SessionDetails

_MOST_NAMES = 6


def result_facts(details: SessionDetails, locale: Locale) -> list[tuple[str, str, str]]:
    """(name below ``ui.live.result.``, words, tone)."""
    house = {command.id for command in details.plan.commands if command.kind is CommandKind.HOUSE}
    streams = [one for one in details.streams if one.command_id not in house]
    failed = [one.command_id for one in streams if one.state is StreamState.FAILED or not one.bytes]
    stored = locale.text(
        "ui.live.result.stored.words",
        streams=format_count(len(streams) - len(failed)),
        lines=format_count(sum(one.lines for one in streams)),
        bytes=format_bytes(sum(one.bytes for one in streams)),
    )
    facts = [("stored", stored, "")]
    if failed:
        facts.append(("failed_streams", _names(failed, locale), "critical"))
    facts.append(("gaps", *_gap_words(details, locale)))
    facts.extend(("leftovers", words, tone) for words, tone in _leftover_words(details, locale))
    return facts


def _gap_words(details: SessionDetails, locale: Locale) -> tuple[str, str]:
    if not details.gaps:
        return locale.text("ui.live.result.gaps.none"), "ok"
    seconds = sum((gap.end_ns - gap.start_ns) / 1e9 for gap in details.gaps if gap.end_ns is not None)
    causes = Counter(gap.cause for gap in details.gaps)
    words = ", ".join(f"{locale.text(f'gap_cause.{cause}')} {count}" for cause, count in causes.most_common())
    return locale.text(
        "ui.live.result.gaps.words", count=len(details.gaps), span=span_words(seconds), causes=words
    ), "warning"


def _leftover_words(details: SessionDetails, locale: Locale) -> list[tuple[str, str]]:
    """The proof that nothing runs on any more: per host, the worst of what was found."""
    by_host: dict[str, set[str]] = {}
    hosts = {command.id: command.host for command in details.plan.commands}
    for one in details.streams:
        by_host.setdefault(hosts[one.command_id], set()).add(one.leftovers)
    lines = []
    for proof, tone in (("found", "critical"), ("unknown", "warning"), ("none", "ok")):
        names = [host for host, seen in by_host.items() if _worst(seen) == proof]
        if names:
            lines.append((locale.text(f"ui.live.result.leftovers.{proof}", hosts=_names(names, locale)), tone))
    return lines


def _worst(seen: set[str]) -> str:
    return next((proof for proof in ("found", "unknown", "none") if proof in seen), "unknown")


def _names(names: Sequence[str], locale: Locale) -> str:
    rest = len(names) - _MOST_NAMES
    shown = ", ".join(names[:_MOST_NAMES])
    return f"{shown} {locale.text('ui.live.and_more', count=rest)}" if rest > 0 else shown
