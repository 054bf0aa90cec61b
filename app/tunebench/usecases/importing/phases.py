"""Before or after the change, as people name the folders and files of their captures."""

from __future__ import annotations

import re
from collections.abc import Sequence
from unicodedata import normalize

from tunebench.capture.layouts import place_of
from tunebench.core.patterns import lazy_pattern
from tunebench.domain.engagement import Phase

_OF_A_CHANGE = r"(?:튜닝|개선|변경|조치|작업|적용)[ _-]*"
_ROUND = r"(?:\d+\s*차[ _-]*)?"


def _words(english: str, korean: str) -> re.Pattern[str]:
    """Whole words: neither ``October`` (to be) nor ``오후`` (p.m.) says after."""
    whole = rf"(?<![a-z])(?:{english})(?![a-z])(?:[ _-]?\d{{1,2}}(?!\d))?"
    return lazy_pattern(rf"{whole}|{_ROUND}(?:{_OF_A_CHANGE}|(?<![가-힣])){korean}(?![가-힣])", re.IGNORECASE)


_WORDS = {Phase.BEFORE: _words("before|baseline|as-?is", "전"), Phase.AFTER: _words("after|tuned|to-?be", "후")}


def said_phase(names: Sequence[str]) -> tuple[Phase, str]:
    """What the last of these names says that says one of the two, and its words; OTHER and none where none does."""
    for name in reversed(names):
        matches = {phase: match for phase, words in _WORDS.items() if (match := words.search(normalize("NFC", name)))}
        if len(matches) == 1:
            [(phase, match)] = matches.items()
            return phase, match.group().strip()
    return Phase.OTHER, ""


def without_phase(name: str) -> str:
    """``web01`` of ``web01_before``; empty where a name says nothing else."""
    _, words = said_phase([name])
    return normalize("NFC", name).replace(words, "").strip(" _-.,()[]") if words else name


def folder_of(path: str) -> str:
    """The folder of a capture without before and after: by it machines are told apart whose names nobody knows."""
    names = map(without_phase, place_of(path).split("/")[:-1])
    return "/".join(name for index, name in enumerate(names) if name or not index)
