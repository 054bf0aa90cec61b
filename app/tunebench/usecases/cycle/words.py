"""Words for the fields of records and the standing of targets, and refusals that are about one field."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from zoneinfo import ZoneInfo

from tunebench.columns.comparing_words import check_text
from tunebench.core.errors import UserError
from tunebench.core.messages import catalogue
from tunebench.diagnosis.cycle.board import Standing
from tunebench.diagnosis.cycle.choices import PROVENANCE
from tunebench.diagnosis.cycle.disclosures import MOMENTS
from tunebench.diagnosis.cycle.gate import Gate
from tunebench.diagnosis.cycle.next_step import NextAction
from tunebench.diagnosis.cycle.results import GuardStanding, TargetStanding, VerificationStanding
from tunebench.diagnosis.words import gate_text, sentence
from tunebench.domain.cycle.records import Target
from tunebench.domain.cycle.seals import Amendment
from tunebench.domain.record_labels import reference_of
from tunebench.reporting.cycle_words import field_word, interval_text, with_checks, with_subject, word, word_key
from tunebench.reporting.wording import Wording


def state_text(standing: GuardStanding | VerificationStanding, language: str) -> str:
    """``kept``; of a target `target_text` says it."""
    return _called(standing, language)


def target_text(
    standing: TargetStanding, amendments: Sequence[Amendment], disclosures: Sequence[Gate], language: str
) -> str:
    """``met``; ``met (one window, variation assumed)``; ``not comparable (C7)`` with the checks that refuse it; ``met
    (subject to: target amended, first 5 ms)``: no state stands without what it is subject to (`qualifications`)."""
    state = with_checks(_called(standing, language), [check.check.value for check in standing.refusals])
    return with_subject(state, qualified_texts(standing, amendments, disclosures, language), language)


def outcome_text(board: Standing, language: str) -> str:
    """How the iteration ended, with what its targets are subject to, as `target_text` says it of each."""
    subject = (
        text
        for standing in board.targets
        for text in qualified_texts(standing, board.amendments, board.disclosures, language)
    )
    return with_subject(word(board.outcome, language), subject, language)


def _called(standing: TargetStanding | GuardStanding | VerificationStanding, language: str) -> str:
    kind = word_key(standing.state).rpartition(".")[0]
    return catalogue(language).text(f"{kind}.{standing.called}")


def qualifications(
    standing: TargetStanding, amendments: Sequence[Amendment], disclosures: Sequence[Gate]
) -> Iterator[tuple[str, Mapping[str, str]]]:
    """(key, facts) of what the state of a target is subject to: it was amended, or dated by hand, or restated.

    Args:
        amendments, disclosures: of its iteration.
    """
    metric, target, result = standing.metric, standing.target, standing.result
    sealed = {reference_of(target), reference_of(metric)}
    amended = [amendment for amendment in amendments if amendment.record in sealed]
    values = _former_values(target, amendments)
    if values and values[0] is not None:
        yield "target_amended", {"first": f"{values[0]:g} {metric.unit}".strip()}
    elif values:
        yield "target_amended", {}
    elif amended:
        yield "amended", {}
    for key in PROVENANCE:
        if result is not None and any(
            disclosure.key == key and result.id in disclosure.record_ids for disclosure in disclosures
        ):
            yield key, {}


def first_goal(target: Target, amendments: Sequence[Amendment]) -> float | None:
    """The value that the target had at first; None where it was never amended, or had none then."""
    return next(iter(_former_values(target, amendments)), None)


def _former_values(target: Target, amendments: Sequence[Amendment]) -> list[float | None]:
    reference = reference_of(target)
    return [
        json.loads(amendment.old)
        for amendment in amendments
        if amendment.record == reference and amendment.field == "value"
    ]


def qualified_texts(
    standing: TargetStanding, amendments: Sequence[Amendment], disclosures: Sequence[Gate], language: str
) -> tuple[str, ...]:
    words = catalogue(language)
    without = {"target_amended": {"first": words.text("cycle.qualified.no_target")}}
    return tuple(
        words.text(f"cycle.qualified.{key}", **(facts or without.get(key, {})))
        for key, facts in qualifications(standing, amendments, disclosures)
    )


def basis_text(standing: TargetStanding | GuardStanding, language: str, zone: ZoneInfo) -> str:
    """What the state rests on; empty where nothing tells how sure the figure is."""
    if standing.interval is None:
        return ""
    return interval_text(standing.interval, standing.now, standing.metric, Wording(language, zone.key))


def refusal_texts(standing: TargetStanding, language: str, zone: ZoneInfo) -> tuple[str, ...]:
    """What each of these checks found: ``C7: Less than ten minutes after ...``."""
    return tuple(f"{check.check.value}: {check_text(check, language, zone)}" for check in standing.refusals)


def disclosure_text(disclosure: Gate, language: str, zone: ZoneInfo) -> str:
    """The sentence of something that `diagnosis.cycle.disclosures` found, its moments on the engagement's clock."""
    words = Wording(language, zone.key)
    moments = {
        name: words.iso_moment(str(disclosure.facts[name])) or "–" for name in MOMENTS if name in disclosure.facts
    }
    return sentence(
        f"disclosure.{disclosure.key}", replace(disclosure, facts={**disclosure.facts, **moments}), language
    )


class FieldRefusal(UserError):
    """Its fact `field` is a field's name, which the sentence says in the reader's words and as it is typed (`name`)."""

    def facts_in(self, language: str) -> dict[str, object]:
        name = str(self.facts.get("field", ""))
        word = field_word(name, language)
        return {**self.facts, "name": name, "field": word if word == name else f"{word} ({name})"}


def next_text(action: NextAction, language: str) -> str:
    """The one thing to do next, as a sentence."""
    return sentence(f"cycle.next.{action.key}", Gate(action.key, action.facts), language)


def next_sentence(standing: Standing, language: str) -> str:
    """`next_text` of an iteration; of an open gate its own sentence, which says more."""
    action = standing.next_action
    if action.key == "open_gate" and standing.gates:
        return gate_text(standing.gates[0], language)
    return next_text(action, language)
