"""Sentences of the method in the language of the reader: gates, advice."""

from __future__ import annotations

from enum import Enum

from tunebench.core.messages import catalogue
from tunebench.diagnosis.cycle.gate import Fact, Gate
from tunebench.reporting.cycle_words import word


def fact_text(value: Fact, language: str) -> str:
    if isinstance(value, Enum):
        return word(value, language)
    if isinstance(value, tuple):
        return ", ".join(fact_text(part, language) for part in value)
    return f"{value:g}" if isinstance(value, float) else str(value)


def sentence(key: str, gate: Gate, language: str) -> str:
    facts = {name: fact_text(value, language) for name, value in gate.facts.items()}
    return catalogue(language).text(key, **facts)


def gate_text(gate: Gate, language: str) -> str:
    """Why it does not go on, and what to do."""
    return sentence(f"gate.{gate.key}", gate, language)


def advice_text(advice: Gate, language: str) -> str:
    """The sentence of something that `tunebench.diagnosis.cycle.worksheet_rules.advice` remarks."""
    return sentence(f"advice.{advice.key}", advice, language)
