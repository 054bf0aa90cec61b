"""Words for the fields of records and the standing of targets, and refusals that are about one field."""

from __future__ import annotations

from dataclasses import replace
from zoneinfo import ZoneInfo

from app.core.errors import UserError
from app.core.messages import catalogue
from app.diagnosis.cycle.disclosures import MOMENTS
from app.diagnosis.cycle.gate import Gate
from app.diagnosis.cycle.results import GuardStanding, TargetStanding, VerificationStanding
from app.diagnosis.words import sentence
from app.reporting.cycle_words import interval_text, with_checks, word_key
from app.reporting.wording import Wording
from app.usecases.comparing.words import check_text


def field_word(name: str, language: str) -> str:
    """``담당자`` for ``owner``: what a form or a heading calls the field; its own name where there is no word."""
    key = f"cycle.field.{name}"
    sentences = catalogue(language)
    return sentences.text(key) if key in sentences else name


def state_text(standing: TargetStanding | GuardStanding | VerificationStanding, language: str) -> str:
    """``met``; ``met (one window, variation assumed)``; ``not comparable (C7)`` with the checks that refuse it."""
    kind = word_key(standing.state).rpartition(".")[0]
    checks = [refusal.check.value for refusal in standing.refusals] if isinstance(standing, TargetStanding) else []
    return with_checks(catalogue(language).text(f"{kind}.{standing.called}"), checks)


def basis_text(standing: TargetStanding | GuardStanding, language: str, zone: ZoneInfo) -> str:
    """What the state rests on; empty where nothing tells how sure the figure is."""
    if standing.interval is None:
        return ""
    return interval_text(standing.interval, standing.now, standing.metric, Wording(language, zone.key))


def refusal_texts(standing: TargetStanding, language: str, zone: ZoneInfo) -> tuple[str, ...]:
    """What each of these checks found: ``C7: Less than ten minutes after ...``."""
    return tuple(f"{each.check.value}: {check_text(each, language, zone)}" for each in standing.refusals)


def disclosure_text(each: Gate, language: str, zone: ZoneInfo) -> str:
    """The sentence of something that `app.diagnosis.cycle.disclosures` found, its moments on the engagement's clock."""
    words = Wording(language, zone.key)
    moments = {name: words.iso_moment(str(each.facts[name])) or "–" for name in MOMENTS if name in each.facts}
    return sentence(f"disclosure.{each.key}", replace(each, facts={**each.facts, **moments}), language)


class FieldRefusal(UserError):
    """Its fact `field` is a field's name, which the sentence says in the reader's words and as it is typed (`name`)."""

    def facts_in(self, language: str) -> dict[str, object]:
        name = str(self.facts.get("field", ""))
        word = field_word(name, language)
        return {**self.facts, "name": name, "field": word if word == name else f"{word} ({name})"}
