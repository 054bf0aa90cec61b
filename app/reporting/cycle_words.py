"""The words of the tuning cycle in the language of a document."""

from __future__ import annotations

import re
from collections.abc import Sequence
from enum import Enum
from functools import cache

from app.core.messages import LANGUAGES, catalogue

_HUMP = re.compile(r"(?<=[a-z])(?=[A-Z])")


def word_key(member: Enum) -> str:
    """``cycle.step_state.in_work``: the key of an enum member's word."""
    return f"cycle.{_HUMP.sub('_', type(member).__name__).lower()}.{member.value}"


def word(member: Enum, language: str) -> str:
    return catalogue(language).text(word_key(member))


def with_checks(words: str, checks: Sequence[str]) -> str:
    """``not comparable (C7)``: a state with the checks of comparability that it rests on."""
    return f"{words} ({', '.join(checks)})" if checks else words


@cache
def member_called(kind: type[Enum], name: str) -> Enum | None:
    """The member with this word in either language, or with this value; capitals and spaces around do not count."""
    wanted = name.strip().casefold()
    for member in kind:
        names = (str(member.value), *(word(member, language) for language in LANGUAGES))
        if wanted in {each.casefold() for each in names}:
            return member
    return None
