"""Many of a kind in words: how many of them did what, and who they are."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tunebench.analysis.answering.answer import KindAnswer
from tunebench.analysis.answering.groups import Group, Member
from tunebench.analysis.inference.verdict import Verdict
from tunebench.columns.answering.changes import per_cent
from tunebench.columns.answering.resource_words import measure_of
from tunebench.columns.column import Locale
from tunebench.columns.formats import rate_text
from tunebench.columns.series_words import host_text

_NAMED_MEMBERS = 20


def kind_text(kind: KindAnswer, locale: Locale) -> str:
    """``14 of 40 hosts: CPU 36 to 43 % lower; the other 26 not shown to have changed.``"""
    parts = [group_text(kind, group, locale) for group in kind.changed]
    rest = sum(len(group.members) for group in kind.rest)
    if rest:
        state = "unchanged" if all(group.verdict is Verdict.EQUIVALENT for group in kind.rest) else "unproven"
        facts = {"kind": _kind_name(kind, locale), "figure": _figure_name(kind, locale)}
        if parts:
            parts.append(locale.text(f"answer.rest.{state}", count=_counted(kind, rest, locale)))
        else:
            parts.append(locale.text(f"answer.kind_rest.{state}", of=_counted(kind, rest, locale), **facts))
    if kind.parts.apart:
        parts.append(locale.text("answer.apart", names=", ".join(_apart_text(kind, own) for own in kind.parts.apart)))
    return "; ".join(parts) + "."


def _kind_name(kind: KindAnswer, locale: Locale) -> str:
    return locale.text(f"answer.kind.{kind.kind}", host=host_text(kind.host, locale.messages))


def _figure_name(kind: KindAnswer, locale: Locale) -> str:
    return locale.text(f"answer.kind_figure.{kind.family}.{measure_of(kind.figures[0])}")


def kind_texts(kind: KindAnswer, locale: Locale) -> Iterator[str]:
    """The groups, and who belongs to those that changed."""
    yield kind_text(kind, locale)
    for group in kind.changed:
        yield locale.text("answer.members", names=names_text(kind, group.members, locale))


def _counted(kind: KindAnswer, count: int, locale: Locale) -> str:
    """With the counter of the kind, where the language has one."""
    return locale.text(f"answer.counted.{kind.kind}", count=f"{count:,}")


def names_text(kind: KindAnswer, members: Sequence[Member], locale: Locale, most: int = _NAMED_MEMBERS) -> str:
    """The names, the first of many."""
    names = sorted(member_name(kind, member) for member in members)
    if len(names) <= most:
        return ", ".join(names)
    return locale.text("answer.and_more", names=", ".join(names[:most]), count=len(names) - most)


def member_name(kind: KindAnswer, member: Member) -> str:
    resource = kind.of(member).resource
    several = len({figure.resource.host for figure in kind.figures}) > 1
    return " ".join(filter(None, (resource.host if several or not resource.name else "", resource.name)))


def group_text(kind: KindAnswer, group: Group, locale: Locale) -> str:
    fell = group.change < 0
    ends = sorted(abs(per_cent(end)) for end in (group.low, group.high))
    low, high = (f"{end:.0f}" for end in ends)
    facts = {
        "count": _counted(kind, len(group.members), locale),
        "of": _counted(kind, kind.parts.count, locale),
        "kind": _kind_name(kind, locale),
        "figure": _figure_name(kind, locale),
        "range": low if low == high else locale.text("answer.range", low=low, high=high),
    }
    return locale.text(f"answer.group.{'lower' if fell else 'higher'}", **facts)


def _apart_text(kind: KindAnswer, member: Member) -> str:
    return f"{member_name(kind, member)} {rate_text(per_cent(member.change), 0)} %"
