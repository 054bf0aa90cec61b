"""The lines of a profile: what a comparison of two profiles says."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum

from tunebench.analysis.databases.side_by_side import CounterLine, TwoSided
from tunebench.core.records import record


class Basis(StrEnum):
    """What times are divided by, so that periods of different lengths compare."""

    TOTAL = "total"
    PER_SECOND = "per_second"  # average active sessions
    PER_TRANSACTION = "per_transaction"


class LineKind(StrEnum):
    CPU = "cpu"
    WAIT = "wait"
    SAMPLED = "sampled"  # a class that nothing timed, by its share of the samples of active sessions
    UNACCOUNTED = "unaccounted"  # DB time that no line explains: waiting for a processor, waits not listed
    TIME_MODEL = "time_model"


@record
class Portion:
    """One line on one side; None is not reported.

    Attributes:
        time_s: in samples where the capture counts samples instead of time.
        share_pct: of DB time, or of all lines where it is not known.
        mean_s: per call.
        amount: `time_s` by the basis of the comparison.
        line: of the capture.
    """

    time_s: float | None = None
    share_pct: float | None = None
    calls: float | None = None
    mean_s: float | None = None
    amount: float | None = None
    line: int = 0

    @property
    def is_listed(self) -> bool:
        """Whether its side has the line; one that has not is accounted nothing of it."""
        return any(value is not None for value in (self.time_s, self.share_pct, self.calls))


@record
class ProfileLine:
    """`contribution_pct`: its share of the total change by the comparison's basis; what is not listed on a side
    counts as not accounted to this line there, so that the contributions of a profile add up to 100."""

    kind: LineKind
    name: str
    group: str
    before: Portion
    after: Portion
    contribution_pct: float | None


@record
class Profile:
    """Lines that add up to the whole, the greatest contribution first.

    Attributes:
        unit: ``s`` or ``{sample}``.
        before, after: the whole by the basis; DB time, or the sum of the lines where it is not known.
    """

    lines: tuple[ProfileLine, ...]
    unit: str
    before: float | None
    after: float | None


@record
class LoadLine:
    """A row of the load profile; `before` and `after` by column (``total``, ``per_second`` ...)."""

    name: str
    unit: str
    before: Mapping[str, float]
    after: Mapping[str, float]

    def ratio(self, column: str = "per_second") -> float | None:
        """After / before; load is neither good nor bad by itself."""
        old, new = self.before.get(column), self.after.get(column)
        return new / old if old and new is not None else None


@record
class ParameterChange:
    """A parameter that differs between the sides, or between the ends of one; None is not listed.

    Attributes:
        before, after: (at the begin, at the end) of either period.
    """

    name: str
    scope: str
    unit: str
    before: tuple[str, str] | None
    after: tuple[str, str] | None

    @property
    def between(self) -> bool:
        """Whether it differs from the end of the one period to the begin of the other."""
        return self.before is None or self.after is None or not same_value(self.before[1], self.after[0])

    @property
    def inside(self) -> bool:
        return any(ends is not None and not same_value(*ends) for ends in (self.before, self.after))


@record
class HostLine(TwoSided):
    """A statistic of the host as the database sees it: a state's end, or a counter per second (`per_second`)."""

    name: str
    unit: str
    per_second: bool
    before: float | None
    after: float | None


@record
class ProfileComparison:
    """Attributes:
    lengths_s, db_times_s: of the periods.
    events, classes: the same time by wait event and by wait class; empty where the captures have none.
    time_model: its lines hold each other; contributions are of the change of DB time.
    counters: by table, what either side lists of segments, files and statistics.
    times_statements: whether DB time is the sum of the statements' times.
    """

    basis: Basis
    lengths_s: tuple[float | None, float | None]
    db_times_s: tuple[float | None, float | None]
    events: Profile
    classes: Profile
    time_model: tuple[ProfileLine, ...]
    load: tuple[LoadLine, ...]
    parameters: tuple[ParameterChange, ...]
    host: tuple[HostLine, ...]
    counters: Mapping[str, tuple[CounterLine, ...]]
    times_statements: bool = False


def same_value(one: str, other: str) -> bool:
    return one.strip().casefold() == other.strip().casefold()
