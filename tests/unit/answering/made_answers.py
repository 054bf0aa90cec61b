"""Projects whose truth is known, and their answers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import closing
from pathlib import Path
from zoneinfo import ZoneInfo

from tests.made import awr_weeks, many_hosts
from tests.made.many_hosts import Truth
from tests.program import compose
from tunebench.analysis.answering.answer import Answer
from tunebench.columns.answering.answer_words import AnswerText, answer_text
from tunebench.columns.column import Locale
from tunebench.domain.engagement import Engagement, Phase
from tunebench.usecases import projects
from tunebench.usecases.answering.chosen import answer_for
from tunebench.usecases.importing import imports
from tunebench.usecases.importing.results import ImportOptions

ZONE = "Asia/Seoul"


def imported(path: Path, folder: Path, order: Sequence[str] = ("before", "after")) -> Path:
    """A project of the captures of both sides.

    Args:
        order: which of the folders is called before, and which after.
    """
    compose()
    with closing(projects.create(path, Engagement("tuning", "ACME", zone=ZONE))) as project:
        for name, phase in zip(order, (Phase.BEFORE, Phase.AFTER), strict=True):
            files = sorted(file for file in (folder / name).rglob("*") if file.is_file())
            assert imports.import_captures(project, files, ImportOptions(run=phase.value, phase=phase)).complete
    return path


def answered(path: Path) -> Answer:
    with closing(projects.open_(path, read_only=True)) as project:
        answer = answer_for(project)
    assert answer is not None
    return answer


def words(answer: Answer, language: str = "en") -> AnswerText:
    return answer_text(answer, Locale(language, ZoneInfo(ZONE), missing="-"))


def forty(folder: Path, factors: Mapping[int, float], **more: float) -> tuple[Path, Truth]:
    truth = many_hosts.write(folder / "captures", factors, **more)  # type: ignore[arg-type]
    return imported(folder / "forty.tune", folder / "captures"), truth


def awr_project(folder: Path) -> Path:
    awr_weeks.write(folder / "captures")
    return imported(folder / "awr.tune", folder / "captures")
