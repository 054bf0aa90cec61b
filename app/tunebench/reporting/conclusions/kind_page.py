"""Many of a kind: how many of them did what, each as a dot, and hour by hour."""

from __future__ import annotations

from collections.abc import Iterator
from math import exp

import numpy as np

from tunebench.analysis.answering.answer import KindAnswer
from tunebench.analysis.answering.groups import Group, Member
from tunebench.analysis.answering.profiles import Profile
from tunebench.analysis.comparing.deciding import margin_of
from tunebench.analysis.inference.verdict import Verdict
from tunebench.columns.answering.changes import per_cent
from tunebench.columns.answering.kind_words import group_text, kind_text, member_name, names_text
from tunebench.columns.answering.resource_words import figure_values
from tunebench.columns.formats import rate_text
from tunebench.reporting.chapters.context import Context
from tunebench.reporting.conclusions.page import ConclusionPage
from tunebench.reporting.conclusions.parts import foot
from tunebench.reporting.document import (
    Block,
    Chip,
    Claim,
    MemberGroup,
    RatioGroup,
    RatioMap,
    RatioRow,
    Role,
    Run,
    Strip,
    TextColumn,
    TextColumns,
    Tone,
)
from tunebench.reporting.document import Member as Dot

_HOUR_S = 3600.0
_ROLES = {Verdict.IMPROVED: Role.AFTER, Verdict.REGRESSED: Role.BAD}
_MOST_ROWS = 40


def has_kinds(context: Context) -> bool:
    return bool(_shown(context))


def _shown(context: Context) -> list[KindAnswer]:
    """Those of which some changed; where none did, the first."""
    kinds = context.case.answer.answer.kinds if context.case.answer is not None else ()
    return [kind for kind in kinds if kind.changed or kind.parts.apart] or list(kinds[:1])


def kinds(context: Context) -> Iterator[ConclusionPage]:
    for kind in _shown(context):
        yield ConclusionPage(context.text("section.kinds"), tuple(_blocks(context, kind)))


def _blocks(context: Context, kind: KindAnswer) -> Iterator[Block]:
    locale = context.words.locale
    yield Claim((Run(kind_text(kind, locale)),), chips=tuple(_chips(context, kind)))
    yield strip(context, kind)
    hours = _hours(context, kind)
    if hours is not None:
        yield hours
    columns = [
        TextColumn(group_text(kind, group, locale), (names_text(kind, group.members, locale),))
        for group in kind.changed
    ]
    if columns:
        yield TextColumns((*columns[:2], TextColumn(context.text("kinds.why"), (context.text("kinds.judged"),))))
    yield from foot(context, context.answer)


def _chips(context: Context, kind: KindAnswer) -> Iterator[Chip]:
    for group in kind.parts.groups:
        tone = {Verdict.IMPROVED: Tone.STRONG, Verdict.REGRESSED: Tone.BAD}.get(group.verdict, Tone.PLAIN)
        facts = {"count": f"{len(group.members):,}", "verdict": context.words.verdict(group.verdict)}
        key = "kinds.relative" if group.relative is not None else "kinds.own"
        yield Chip(context.text(key, **facts), tone)


# -- a dot for each ------------------------------------------------------------------------------------


def strip(context: Context, kind: KindAnswer) -> Strip:
    text, apart = context.text, kind.parts.apart
    margin = max(margin_of(figure.lead.series) for figure in kind.figures)
    groups = [_dots(context, kind, group) for group in kind.parts.groups]
    if apart:
        dots = tuple(Dot(exp(member.change), member_name(kind, member)) for member in apart)
        groups.append(MemberGroup("", dots, Role.BAD))
    facts = {"count": f"{kind.parts.count:,}", "kind": text(f"kinds.name.{kind.kind}")}
    return Strip(
        text("kinds.strip", **facts),
        tuple(groups),
        text("kinds.strip_caption", **facts),
        (1 / (1 + margin), 1 + margin),
        text("kinds.band", margin=f"{100 * margin:.0f}"),
    )


def _dots(context: Context, kind: KindAnswer, group: Group) -> MemberGroup:
    judged = group.verdict in _ROLES
    label = (
        group_text(kind, group, context.words.locale)
        if judged
        else context.text("kinds.rest", count=len(group.members))
    )
    return MemberGroup(
        label, tuple(Dot(exp(own.change)) for own in group.members), _ROLES.get(group.verdict, Role.MUTED)
    )


# -- hour by hour --------------------------------------------------------------------------------------


def _hours(context: Context, kind: KindAnswer) -> RatioMap | None:
    """Those whose hours are at hand, by group; None where they are of no clock."""
    assert context.case.answer is not None
    profiles = context.case.answer.hours
    groups = [
        RatioGroup(
            tuple(
                _row(context, kind, member, profiles[kind.of(member).resource])
                for member in members
                if kind.of(member).resource in profiles
            ),
            role,
        )
        for members, role in _parts(kind)
    ]
    shown = [group for group in groups if group.rows]
    profile = next(iter(profiles.values()), None)
    if not shown or profile is None:
        return None
    count = sum(len(group.rows) for group in shown)
    legend = (context.text("kinds.half"), context.text("kinds.same"), context.text("kinds.double"))
    facts = {"shown": count, "count": f"{kind.parts.count:,}"}
    caption = context.text("kinds.hours_caption", **facts)
    if any("†" in row.change for group in shown for row in group.rows):
        caption = f"{caption} {context.text('kinds.per_unit')}"
    return RatioMap(context.text("kinds.hours"), _names(profile), tuple(shown), legend, caption)


def _parts(kind: KindAnswer) -> Iterator[tuple[tuple[Member, ...], Role]]:
    for group in kind.parts.groups:
        yield group.members, _ROLES.get(group.verdict, Role.MUTED)
    yield kind.parts.apart, Role.BAD


def _names(profile: Profile) -> tuple[str, ...]:
    """The hour of each step of the clock, else its minute from the start."""
    starts = [profile.first_s + step * profile.step_s for step in range(len(profile.before))]
    if profile.clock:
        return tuple(f"{int(start // _HOUR_S) % 24:02d}" for start in starts)
    return tuple(f"{start / 60:.0f}" for start in starts)


def _row(context: Context, kind: KindAnswer, member: Member, profile: Profile) -> RatioRow:
    before, after, unit = figure_values(kind.of(member), context.words.locale)
    ratios = tuple(None if np.isnan(ratio) else float(ratio) for ratio in profile.ratios)
    mark = "†" if kind.of(member).lead.per_unit_of else ""
    change = f"{rate_text(per_cent(member.change), 0)} %{mark}"
    return RatioRow(member_name(kind, member), ratios, f"{before} → {after} {unit}".strip(), change)
