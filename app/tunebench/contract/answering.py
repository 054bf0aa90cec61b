"""JSON shape of the answer: part of the command line's public contract."""

from __future__ import annotations

from math import exp
from zoneinfo import ZoneInfo

from tunebench.analysis.answering.answer import (
    Answer,
    CauseAnswer,
    DatabaseAnswer,
    KindAnswer,
    MeasuredIn,
    PriceAnswer,
    TargetAnswer,
)
from tunebench.analysis.answering.groups import Group
from tunebench.analysis.answering.ranking import change_of
from tunebench.analysis.answering.resources import Figure
from tunebench.columns.answering.answer_words import AnswerText, answer_text
from tunebench.columns.answering.database_words import cause_name
from tunebench.columns.answering.kind_words import member_name
from tunebench.columns.answering.marks import plain
from tunebench.columns.column import Locale
from tunebench.contract import shapes
from tunebench.contract.shapes import Shape, shape
from tunebench.domain.provenance import Judgement


def answer_shape(answer: Answer, locale: Locale) -> Shape:
    """The answer as values, and in the words of every front (`text`)."""
    words = answer_text(answer, locale)
    return {
        "windows": {name: _window(own, locale) for name, own in zip(("before", "after"), answer.windows, strict=True)},
        "certainty": {"chip": answer.certainty.chip.value, "reason": answer.certainty.reason},
        "targets": [_target(target, locale) for target in answer.targets],
        "tiles": [_figure(figure) for figure in answer.tiles],
        "resources": [_figure(figure) for figure in answer.figures],
        "many_of_a_kind": [_kind(kind) for kind in answer.kinds],
        "databases": [_database(database, locale) for database in answer.databases],
        "price": [_price(price, locale) for price in answer.price],
        "counts": {
            **shape(answer.counts, "hosts series resources"),
            "verdicts": {verdict.value: count for verdict, count in answer.counts.verdicts.items()},
        },
        "text": _text(words),
    }


def _text(words: AnswerText) -> Shape:
    return {
        "question": words.question,
        "headline": plain(words.headline),
        "further": [plain(sentence) for sentence in words.further],
        "chip": words.chip.text,
        **shape(words, "sure load bottleneck"),
        "why": [plain(sentence) for sentence in words.why],
        "many_of_a_kind": [plain(sentence) for sentence in words.many],
        "worse_title": words.worse_title,
        "worse": [{"text": plain(worse.text), "judged": worse.judged} for worse in words.worse],
        "price": [plain(sentence) for sentence in words.price],
        "next": [{"sentence": step.sentence, "command": step.command or None} for step in words.next],
        **shape(words, "counts windows"),
        "notes": list(words.notes),
        "disclosed": list(words.disclosed),
    }


def _window(own: MeasuredIn | None, locale: Locale) -> Shape | None:
    zone = ZoneInfo(str(locale.zone))
    return None if own is None else shape(own, "name from=start_ns to=end_ns occurrences", zone)


def _judgement(judgement: Judgement, locale: Locale) -> Shape:
    """A state never comes without what it is not told without."""
    disclosures = [
        {"key": own.key, "weight": own.weight.value, "text": own.texts[locale.language]}
        for own in judgement.disclosures
    ]
    return {"state": judgement.state, "disclosures": disclosures}


def _target(target: TargetAnswer, locale: Locale) -> Shape:
    return {
        "scope": target.scope.value,
        "metric": target.metric.name,
        "unit": target.metric.unit,
        "statistic": "weighted_mean" if target.weighted else target.metric.statistic,
        "before": None if target.before is None else shapes.number(target.before.value),
        "after": None if target.now is None else shapes.number(target.now.value),
        "target": target.goal,
        **_judgement(target.judgement, locale),
        **shape(target, "descriptive met_before priority"),
        "windows": [_window(own, locale) for own in target.windows],
    }


def _figure(figure: Figure) -> Shape:
    row = figure.lead
    sides = row.side_statistics
    change = change_of(row)
    return {
        **shape(figure.resource, "family host name?"),
        **shape(row.series, "tool native metric unit"),
        **{name: side and side.mean for name, side in zip(("before", "after"), sides, strict=True)},
        "after_over_before": None if change is None else exp(change),
        **shape(row, "estimate ci95=interval verdict reason? per_unit_of?"),
        "use": figure.use,
        "folded": [f"{other.series.tool} {other.series.label}" for other in figure.folded],
        "made_of": None if figure.derived is None else [part.native for part in figure.derived.parts],
    }


def _kind(kind: KindAnswer) -> Shape:
    return {
        "kind": kind.kind.value,
        "family": kind.family.value,
        "host": kind.host or None,
        "count": kind.parts.count,
        "groups": [_group(kind, group) for group in kind.parts.groups],
        "apart": [
            {"name": member_name(kind, member), "change_pct": _per_cent(member.change)} for member in kind.parts.apart
        ],
    }


def _group(kind: KindAnswer, group: Group) -> Shape:
    relative = None
    if group.relative is not None:
        difference, interval = group.relative
        ends = [_per_cent(end) for end in (interval.low, interval.high)]
        relative = {"change_pct": _per_cent(difference), "ci95_pct": ends}
    return {
        "count": len(group.members),
        "members": sorted(member_name(kind, member) for member in group.members),
        "change_pct": _per_cent(group.change),
        "low_pct": _per_cent(group.low),
        "high_pct": _per_cent(group.high),
        "verdict": group.verdict.value,
        "relative": relative,
    }


def _per_cent(change: float) -> float:
    return 100 * (exp(change) - 1)


def _database(database: DatabaseAnswer, locale: Locale) -> Shape:
    sessions = database.sessions or (None, None)
    totals = database.totals
    return {
        "label": database.label,
        "sessions": {"before": sessions[0], "after": sessions[1]},
        "at_equal_work": None if totals is None else shape(totals, "ratio=fisher ci95=interval"),
        "verdict": database.verdict.value,
        "causes": [_cause(cause, locale) for cause in database.causes],
        "others": {"count": database.others[0], "amount": database.others[1]},
    }


def _cause(cause: CauseAnswer, locale: Locale) -> Shape:
    change = cause.statement.changes["elapsed_s"]
    return {
        "kind": cause.kind.value,
        "statement": cause_name(cause, locale),
        "text": cause.text or None,
        "container": cause.container or None,
        "ids": list(dict.fromkeys((*cause.statement.pair.before_ids, *cause.statement.pair.after_ids))),
        "amount": cause.amount,
        **shape(change, "before_each after_each verdict"),
    }


def _price(price: PriceAnswer, locale: Locale) -> Shape:
    return {
        "metric": price.metric.name,
        "before": None if price.before is None else shapes.number(price.before.value),
        "before_bound": "" if price.before is None else price.before.bound,
        "after": None if price.now is None else shapes.number(price.now.value),
        "after_bound": "" if price.now is None else price.now.bound,
        "limit": price.limit,
        "iteration": price.iteration,
        **_judgement(price.judgement, locale),
    }
