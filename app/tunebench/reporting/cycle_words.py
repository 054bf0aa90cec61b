"""The words of the tuning cycle in the language of a document."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from enum import Enum
from functools import cache
from typing import Any

from tunebench.core.messages import LANGUAGES, catalogue
from tunebench.core.patterns import lazy_pattern
from tunebench.domain.comparability import AtLoad, FigureInterval
from tunebench.domain.cycle.records import Figure, Metric
from tunebench.domain.cycle.seals import Amendment
from tunebench.domain.cycle.worksheet import Impact
from tunebench.reporting.wording import Wording, brief

_HUMP = lazy_pattern(r"(?<=[a-z])(?=[A-Z])")


def word_key(member: Enum) -> str:
    """``cycle.step_state.in_work``: the key of an enum member's word."""
    return f"cycle.{_HUMP.sub('_', type(member).__name__).lower()}.{member.value}"


def word(member: Enum, language: str) -> str:
    return catalogue(language).text(word_key(member))


def with_checks(words: str, checks: Sequence[str]) -> str:
    """``not comparable (C7)``: a state with the checks of comparability that it rests on."""
    return f"{words} ({', '.join(checks)})" if checks else words


def with_subject(words: str, subject: Iterable[str], language: str) -> str:
    """``met (subject to: target amended, first 5 ms)``: a state with what a reader must know beside it, each once."""
    named = "; ".join(dict.fromkeys(subject))
    return catalogue(language).text("report.method.qualified", state=words, words=named) if named else words


def interval_text(interval: FigureInterval, now: Figure | None, metric: Metric, words: Wording) -> str:
    """What a verdict rests on: the interval, how many occurrences, and where their variation is known from; where the
    mean of the occurrences is printed otherwise than the figure, both."""

    def quantity(value: float | None) -> str:
        return words.quantity(value, metric.unit, metric.decimals)

    text = words.words.text
    sentences = [
        text(
            "cycle.interval",
            confidence=f"{round(100 * interval.confidence, 1):g}",
            low=quantity(interval.low),
            high=quantity(interval.high),
            n=interval.occurrences,
            sd=f"{100 * interval.sd:.1f}",
            source=text(f"cycle.interval.{interval.source}"),
        )
    ]
    if now is not None and words.number(interval.value, metric.decimals) != words.number(now.value, metric.decimals):
        sentences.append(text("cycle.interval.mean", mean=quantity(interval.value), figure=quantity(now.value)))
    change = interval.change
    if change is not None and change.difference is not None:
        low, high = map(quantity, change.difference)
        sentences.append(text("cycle.interval.difference", low=low, high=high, least=quantity(change.least)))
    if change is not None and change.at_load is not None:
        sentences.append(text("cycle.interval.load", verdict=text(f"compare.verdict.{change.verdict}")))
        sentences += _at_load(change.at_load, words)
    if interval.together > 1:
        sentences.append(text("cycle.interval.together", n=interval.together))
    if interval.short:
        sentences.append(text("cycle.interval.short"))
    return " ".join(sentences)


def _at_load(change: AtLoad, words: Wording) -> Iterator[str]:
    """The ratio as measured and the one that the verdict is of, each by its name."""
    if change.ratio is not None and change.ends is not None and change.measured is not None:
        key = "cycle.interval.per_unit" if change.per_unit else "cycle.interval.at_load"
        measured, ratio, low, high = (
            words.number(figure, 2) for figure in (change.measured, change.ratio, *change.ends)
        )
        yield words.words.text(key, measured=measured, ratio=ratio, low=low, high=high)


def expected_text(impact: Impact, words: Wording) -> str:
    """``CPU: price · 5 / 10.7 / 15 %``: what is expected of one resource."""
    weight = words.words.text(f"report.weight.{impact.direction + 2}")
    size = _size(impact, words.unit(impact.unit))
    return " · ".join(part for part in (f"{word(impact.resource, words.language)}: {weight}", size) if part)


def _size(impact: Impact, unit: str) -> str:
    figures = [None if value is None else f"{value:,.12g}" for value in (impact.low, impact.expected, impact.high)]
    if all(figure is None for figure in figures):
        return unit
    if figures[0] is None and figures[2] is None:
        return f"{figures[1]} {unit}".strip()
    return " / ".join(figure or "–" for figure in figures) + f" {unit}".rstrip()


def planned_text(impacts: Sequence[Impact], margin_pct: float | None, words: Wording) -> str:
    """What was expected, and by how much it must move to count."""
    expected = [expected_text(impact, words) for impact in impacts]
    margin = [] if margin_pct is None else [words.words.text("cycle.planned.margin", margin=f"{margin_pct:g}")]
    return "; ".join((*expected, *margin)) or "–"


_LONGEST_VALUE = 80


def amendment_text(amendment: Amendment, words: Wording) -> str:
    """What was changed of something sealed, why, by whom, when; that its result was known is a sentence of its own."""
    kind = words.words.text(f"cycle.kind.{amendment.record.partition('.')[0]}")
    sentence = words.words.text(
        "cycle.amendment",
        number=amendment.number,
        kind=kind,
        name=amendment.name,
        field=amended_field(amendment, words),
        old=amended_value(amendment.old),
        new=amended_value(amendment.new),
        reason=amendment.reason,
        by=amendment.amended_by,
        at=words.iso_moment(amendment.amended_at),
    )
    if not amendment.after_result:
        return sentence
    key = "result_known" if amendment.record.startswith("result.") else "after_result"
    return f"{sentence} {words.words.text(f'cycle.amendment.{key}', kind=kind)}"


def amended_field(amendment: Amendment, words: Wording) -> str:
    return field_word(amendment.field or "record", words.language)


def field_word(name: str, language: str) -> str:
    """``담당자`` for ``owner``: what a form or a heading calls the field; its own name where there is no word.
    ``risks.1.text@en`` is the field of that part, in that language."""
    path, _, other = name.partition("@")
    part, _, field = path.rpartition(".")
    sentences = catalogue(language)
    key = f"cycle.field.{field}"
    word = " ".join(filter(None, (part, sentences.text(key) if key in sentences else field)))
    if other not in LANGUAGES:
        return word
    return sentences.text("cycle.field_in", field=word, language=sentences.text(f"language.{other}"))


def amended_value(kept: str) -> str:
    """The value of an amendment as people read it; a figure by its value and where it is from, a list in short."""
    value = json.loads(kept)
    if isinstance(value, dict) and "value" in value and "bound" in value:
        value = _figure(value)
    if value in (None, ""):
        return "–"
    text = f"{value:g}" if isinstance(value, float) else value if isinstance(value, str) else kept
    return brief(text, _LONGEST_VALUE)


def _figure(figure: dict[str, Any]) -> str:
    value = "" if figure["value"] is None else " ".join(filter(None, (figure["bound"], f"{figure['value']:g}")))
    return " ".join(filter(None, (value or "–", f"({figure['over']})" if figure.get("over") else "")))


@cache
def member_called(kind: type[Enum], name: str) -> Enum | None:
    """The member with this word in either language, or with this value; capitals and spaces around do not count."""
    wanted = name.strip().casefold()
    for member in kind:
        names = (str(member.value), *(word(member, language) for language in LANGUAGES))
        if wanted in {called.casefold() for called in names}:
            return member
    return None
