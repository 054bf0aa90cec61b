"""The answer as lines for people: what changed, how sure, why, what got worse, at what price, what next."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tunebench.columns.answering.answer_words import AnswerText, notes_for
from tunebench.columns.answering.marks import plain
from tunebench.core.messages import Catalogue
from tunebench.domain.visible_text import display_width

MOST_LINES = 14
_LEAST_OF_A_LIST, _MOST_OF_A_LIST = 1, 4
_LABELS = ("sure", "why", "worse", "price", "next", "note")


def answer_lines(answer: AnswerText, project: str, messages: Catalogue) -> list[str]:
    """At most `MOST_LINES` lines, of which the notes are none: no mark stands without its note.

    Args:
        project: the file, as it is typed in a command.
    """
    labels = {name: messages.text(f"answer.label.{name}") for name in _LABELS}
    width = max(map(display_width, labels.values())) + 2
    return [
        f"{label}{' ' * (width - display_width(label))}{words}" if kind else words
        for kind, words in _lines_of(answer, project, messages)
        for label in (labels.get(kind, ""),)
    ]


def _lines_of(answer: AnswerText, project: str, messages: Catalogue) -> list[tuple[str, str]]:
    """(name of the label, words): empty of a headline; what goes on with the line above has ``more``, of which there is
    none."""
    listed = {
        "": list(answer.further),
        "why": [*answer.many[1:], *answer.why] if answer.many else list(answer.why),
        "worse": [worse.text for worse in answer.worse],
    }
    step = answer.next[0]
    fixed = 7 - (
        not answer.bottleneck
    )  # headline, sure, bottleneck, title of what got worse, price, next, counts; windows
    _shorten(listed, MOST_LINES - fixed - 1)
    more = len(answer.worse) - len(listed["worse"])
    lines = [("", plain(answer.headline)), *(("", plain(sentence)) for sentence in listed[""])]
    lines.append(("sure", f"{answer.chip.text}: {answer.sure} {answer.load}"))
    whys = [*([answer.bottleneck] if answer.bottleneck else []), *listed["why"]]
    lines += _labelled("why", whys)
    worse = [answer.worse_title, *listed["worse"]]
    if more > 0:
        worse[-1] = f"{worse[-1]} · {messages.text('answer.worse.more', count=more)}"
    lines += _labelled("worse", worse)
    lines += _labelled("price", answer.price[:1])
    command = step.command.replace("PROJECT", project)
    lines.append(("next", f"{step.sentence}  {command}".rstrip()))
    lines += [("more", answer.counts), ("more", answer.windows)]
    notes = (*answer.disclosed, *notes_for(answer.notes, *(words for _, words in lines)))
    return lines + [("note", note) for note in notes]


def _labelled(label: str, sentences: Sequence[str]) -> Iterator[tuple[str, str]]:
    for index, sentence in enumerate(sentences):
        yield label if index == 0 else "more", plain(sentence)


def _shorten(listed: dict[str, list[str]], room: int) -> None:
    """Takes the last of the longest list until all fit."""
    for sentences in listed.values():
        del sentences[_MOST_OF_A_LIST:]
    while sum(map(len, listed.values())) > room:
        longest = max(listed.values(), key=len)
        if len(longest) <= _LEAST_OF_A_LIST:
            return
        longest.pop()
