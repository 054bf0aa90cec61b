"""What the gate of a comparison says of two windows: ten checks, each with its state and why."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from enum import StrEnum

from tunebench.core.records import record
from tunebench.domain.windows import Window

WindowPair = tuple[Window, Window]
"""The window before and the one after."""


class CheckState(StrEnum):
    PASS = "pass"  # noqa: S105 - a state of a check
    ADJUST = "adjust"  # judged, but with a caution
    REFUSE = "refuse"  # nothing can be judged: every verdict is not_comparable
    UNKNOWN = "unknown"  # no capture tells


class Check(StrEnum):
    """What two windows must have in common before any figure of theirs is compared."""

    CONFIGURATION = "C1"
    CALENDAR = "C2"
    LOAD = "C3"
    SIMILARITY = "C4"
    COVERAGE = "C5"
    STATIONARITY = "C6"
    WARM_UP = "C7"
    ERRORS = "C8"
    SATURATION = "C9"
    SIDE_JOBS = "C10"


@record
class GateCheck:
    """
    Attributes:
        reason: why, a key below ``compare.check.<C1 to C10>.`` filled by `facts`.
        facts: numbers carry their unit in their name (``_ns``, ``_s``, ``_pct``, ``_bytes``); lists hold words.
    """

    check: Check
    state: CheckState
    reason: str
    facts: Mapping[str, object] = field(default_factory=dict)


# -- how sure a figure is ------------------------------------------------------------------------------


@record
class AtLoad:
    """What a comparison says of a figure where the load moved; its ratios are turned so that more than 1 is better.

    Attributes:
        verdict: ``improved``.
        measured: the ratio of the means as they are.
        ratio, ends: at equal load; None of what the load does not concern, and of what cannot be told.
        per_unit: per unit of work; else at the loads that both sides had.
    """

    verdict: str
    measured: float | None = None
    ratio: float | None = None
    ends: tuple[float, float] | None = None
    per_unit: bool = False


@record
class ChangeInterval:
    """From the baseline to a figure, as a comparison judges it: by the occurrences of both.

    Attributes:
        verdict: ``improved``.
        margin: the least change that matters, as a fraction.
        ratio: figure over baseline, None where that cannot be told; `ends` of where it truly lies.
        difference: figure less baseline, in the unit of the figure, where that and not the ratio is judged: at least
            `least` matters.
        at_load: where the verdict is that of a comparison at equal load, and not what ratio and ends say.
    """

    verdict: str
    margin: float
    ratio: float | None = None
    ends: tuple[float, float] | None = None
    difference: tuple[float, float] | None = None
    least: float = 0.0
    at_load: AtLoad | None = None


@record
class FigureInterval:
    """Where the true value of a measured figure lies, by the occurrences that it was measured in.

    Attributes:
        low, high: in the unit of the figure.
        occurrences: of its own side.
        sd, df: the natural variation between occurrences that was reckoned with, as a fraction, and what it is worth.
        source: where that is known from: ``measured``, ``kind`` (series of the same metric), ``project`` (other
            windows) or ``assumed``.
        value: mean of the occurrences, which the interval lies around.
        short: an occurrence is shorter, or has fewer samples, than a verdict needs.
        change: from the baseline to it; None where that has no samples.
        together: how many are judged together, of which this is one: the more, the wider.
        among: of what is judged together with others, the same as one of two, of three, ...
    """

    low: float
    high: float
    confidence: float
    occurrences: int
    sd: float
    df: float
    source: str
    value: float
    short: bool = False
    change: ChangeInterval | None = None
    together: int = 1
    among: tuple[FigureInterval, ...] = ()

    def as_one_of(self, count: int) -> FigureInterval:
        """The widest there is where so many were not reckoned with."""
        if count == 1 or not self.among:
            return self
        return self.among[min(count - 2, len(self.among) - 1)]

    @property
    def assumed(self) -> bool:
        """Nothing repeats: the width is what is assumed of such measurements."""
        return self.occurrences == 1 and self.source == "assumed"
