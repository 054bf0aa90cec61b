"""The word of a verdict with its marks: what is marked on a page has its note on that page, or nothing is written."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import field
from types import TracebackType
from typing import Self

from tunebench.columns.column import Locale
from tunebench.core.records import record
from tunebench.domain.provenance import Judgement, Weight

SUBJECT = "subject"
"""A disclosure that is part of the word itself, as an amended target is."""
_MARKS = "⁰¹²³⁴⁵⁶⁷⁸⁹"


@record
class Said:
    """A word that cannot be written without its notes: `Notes.mark` writes it.

    Attributes:
        notes: sentences that have to stand on the same page.
    """

    _word: str
    notes: tuple[str, ...] = ()

    def __str__(self) -> str:
        raise TypeError("a verdict's word is written with its marks: Notes.mark")

    def __format__(self, spec: str) -> str:
        return str(self)


def said(judgement: Judgement, locale: Locale) -> Said:
    """The word for a verdict: its state, or what its disclosures leave of that; with what it is subject to in the word
    and all others as notes."""
    word = locale.text(f"{judgement.kind}.{judgement.state}")
    if judgement.weight is Weight.FORBIDS:
        word = locale.text("answer.not_established")
    elif judgement.weight is Weight.STATED:
        word = locale.text("answer.as_stated", word=word)
    subject = [own.texts[locale.language] for own in judgement.disclosures if own.key == SUBJECT]
    if subject:
        word = locale.text("answer.subject_to", word=word, subject="; ".join(subject))
    return Said(word, tuple(own.texts[locale.language] for own in judgement.disclosures if own.key != SUBJECT))


@record(frozen=False)
class Notes:
    """The notes of one page, sheet or screen, numbered in the order in which their marks are met.

    As a context it refuses to end while marks stand without their notes.
    """

    _numbers: dict[str, int] = field(default_factory=dict)
    _written: int = 0

    def mark(self, word: Said) -> str:
        """The word with the marks of its notes."""
        return f"{word._word}{''.join(self._marks(word.notes))}"  # noqa: SLF001 - the only writer

    def _marks(self, notes: Sequence[str]) -> Iterator[str]:
        for note in notes:
            self._numbers.setdefault(note, len(self._numbers) + 1)
        numbers = sorted(self._numbers[note] for note in notes)
        for index, number in enumerate(numbers):
            yield f"{'' if index == 0 else ','}{raised(number)}"

    def lines(self) -> tuple[str, ...]:
        """``¹ The target was entered after the result.``, all there are up to now."""
        self._written = len(self._numbers)
        return tuple(f"{raised(number)} {note}" for note, number in self._numbers.items())

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if error is None and self._written < len(self._numbers):
            raise RuntimeError("marks without their notes")


def raised(number: int) -> str:
    return "".join(_MARKS[int(digit)] for digit in str(number))
