"""The answer at a terminal."""

from __future__ import annotations

from tunebench.cli.console import Console
from tunebench.columns.answering.answer_lines import answer_lines
from tunebench.columns.answering.answer_words import AnswerText


def show_answer(answer: AnswerText, project: str, console: Console) -> None:
    """
    Args:
        project: the file, as it is typed in a command.
    """
    if not console.json_wanted:
        for line in answer_lines(answer, project, console.messages):
            console.print(line)
