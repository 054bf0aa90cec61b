"""Words for the fields of records and the standing of targets, and refusals that are about one field."""

from __future__ import annotations

from zoneinfo import ZoneInfo

from app.core.errors import UserError
from app.core.messages import catalogue
from app.diagnosis.cycle.results import TargetStanding
from app.reporting.cycle_words import with_checks, word
from app.usecases.comparing.words import check_text


def field_word(name: str, language: str) -> str:
    """``담당자`` for ``owner``: what a form or a heading calls the field; its own name where there is no word."""
    key = f"cycle.field.{name}"
    sentences = catalogue(language)
    return sentences.text(key) if key in sentences else name


def state_text(standing: TargetStanding, language: str) -> str:
    """``met``; ``not comparable (C7)`` with the checks that refuse it."""
    return with_checks(word(standing.state, language), [refusal.check.value for refusal in standing.refusals])


def refusal_texts(standing: TargetStanding, language: str, zone: ZoneInfo) -> tuple[str, ...]:
    """What each of these checks found: ``C7: Less than ten minutes after ...``."""
    return tuple(f"{each.check.value}: {check_text(each, language, zone)}" for each in standing.refusals)


class FieldRefusal(UserError):
    """Its fact `field` is a field's name, which the sentence says in the reader's words and as it is typed (`name`)."""

    def facts_in(self, language: str) -> dict[str, object]:
        name = str(self.facts.get("field", ""))
        word = field_word(name, language)
        return {**self.facts, "name": name, "field": word if word == name else f"{word} ({name})"}
