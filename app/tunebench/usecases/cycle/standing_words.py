"""What an iteration comes to, in sentences: what is disclosed of it, and what to do next."""

from __future__ import annotations

from zoneinfo import ZoneInfo

from tunebench.diagnosis.cycle.board import Standing
from tunebench.diagnosis.words import gate_text
from tunebench.usecases.cycle.contradicted import found_text
from tunebench.usecases.cycle.words import disclosure_text, next_text


def disclosure_sentences(standing: Standing, language: str, zone: ZoneInfo) -> list[str]:
    """What the check contradicts, and what an auditor asks first."""
    wrong = [found_text(contradiction, language) for contradiction in standing.contradicted]
    return [*wrong, *(disclosure_text(disclosure, language, zone) for disclosure in standing.disclosures)]


def next_sentence(standing: Standing, language: str) -> str:
    """What to do next; of an open gate its own sentence, which says more."""
    action = standing.next_action
    if action.key == "open_gate" and standing.gates:
        return gate_text(standing.gates[0], language)
    return next_text(action, language)
