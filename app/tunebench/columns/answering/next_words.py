"""What to do next in words, and the command that does it."""

from __future__ import annotations

from tunebench.analysis.answering.answer import CauseAnswer, NextStep, WorseAnswer
from tunebench.analysis.answering.groups import Group
from tunebench.columns import comparing_words
from tunebench.columns.answering.database_words import cause_name
from tunebench.columns.answering.kind_words import names_text
from tunebench.columns.answering.resource_words import figure_name
from tunebench.columns.column import Locale
from tunebench.domain.comparability import GateCheck


def next_sentence(step: NextStep, locale: Locale) -> str:
    if step.texts:
        return step.texts[locale.language]
    facts = dict(step.facts)
    check, worse = facts.get("check"), facts.get("worse")
    if step.key == "mend_check":
        assert isinstance(check, GateCheck)
        sentence = comparing_words.check_text(check, locale.language, locale.zone)
        return locale.text("answer.next.mend_check", check=sentence)
    if isinstance(worse, WorseAnswer):
        facts = {**facts, "name": _worse_name(worse, locale)}
    if "change_pct" in facts:
        facts["change_pct"] = f"{facts['change_pct']:.0f}"
    return locale.text(f"answer.next.{step.key}", **facts)


def _worse_name(worse: WorseAnswer, locale: Locale) -> str:
    subject = worse.subject
    if isinstance(subject, CauseAnswer):
        return cause_name(subject, locale)
    if isinstance(subject, Group):
        assert worse.kind is not None
        return names_text(worse.kind, subject.members, locale, most=3)
    return figure_name(subject, locale)


def command_text(step: NextStep) -> str:
    """``main.py diagnose PROJECT --run after``, quoted where a word has blanks; empty where no command does it."""
    if not step.command:
        return ""
    verb, *rest = step.command
    words = [f'"{word}"' if " " in word else word for word in rest]
    return " ".join(("main.py", verb, "PROJECT", *words))
