"""What the pages that conclude something draw beside the answer: courses of the figures that it names."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field

from tunebench.analysis.answering.answer import Answer
from tunebench.analysis.answering.profiles import Profile
from tunebench.analysis.answering.resources import Resource
from tunebench.analysis.comparing.regular_samples import Floats
from tunebench.core.records import record


@record(eq=False)
class Course:
    """What a figure was in one window.

    Attributes:
        window: its name.
        values: float64[n] at equal steps, in the figure's unit; NaN where nothing was measured.
        mean: as the answer has it, by the requests where these are counted.
        start: it is that of the engagement, and not of the two windows.
    """

    window: str
    values: Floats
    mean: float
    start: bool = False


@record(eq=False)
class AnswerCase:
    """
    Attributes:
        courses: of the headline, the start of the engagement first; none where it has no series.
        hours: of the members that are drawn of many of a kind, by the clock.
        levels: mean of each occurrence of either side, of the figures that are named.
    """

    answer: Answer
    courses: tuple[Course, ...] = ()
    hours: Mapping[Resource, Profile] = field(default_factory=dict)
    levels: Mapping[Resource, tuple[tuple[float, ...], tuple[float, ...]]] = field(default_factory=dict)
