"""Blocks that say what a page concludes: its claim, what stands in columns below it, and what is to be done next."""

from __future__ import annotations

from enum import StrEnum

from tunebench.core.records import record


class Tone(StrEnum):
    PLAIN = "plain"
    WARNING = "warning"
    BAD = "bad"
    STRONG = "strong"


class Role(StrEnum):
    """What a word or a mark is about, hence its colour: the start, before or after a change, what is bad."""

    PLAIN = "plain"
    MUTED = "muted"
    START = "start"
    BEFORE = "before"
    AFTER = "after"
    BAD = "bad"


@record
class Run:
    """A part of a line in the colour of its role; the spaces between two parts are theirs."""

    text: str
    role: Role = Role.PLAIN


@record
class Chip:
    """A word or two in a rounded field: a verdict, a count."""

    text: str
    tone: Tone = Tone.PLAIN


@record
class Claim:
    """The head of a page.

    Attributes:
        title: what is concluded, in parts that follow each other.
        question: what it answers; may be empty.
        remark: stands beside the chips.
        lines: sentences below.
    """

    title: tuple[Run, ...]
    question: str = ""
    chips: tuple[Chip, ...] = ()
    remark: str = ""
    lines: tuple[str, ...] = ()

    @property
    def text(self) -> str:
        """The title without its colours."""
        return "".join(run.text for run in self.title)


@record
class TextColumn:
    """Paragraphs below a heading; a strong one is about what comes next."""

    heading: str
    paragraphs: tuple[str, ...]
    tone: Tone = Tone.PLAIN


@record
class TextColumns:
    """One to four columns beside each other."""

    columns: tuple[TextColumn, ...]


@record
class NextBox:
    """What is to be done next, and the command that does it, to the letter."""

    sentences: tuple[str, ...]
    command: str = ""
