"""When something was measured: named windows made of occurrences, which everything that compares speaks of."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Annotated

from app.domain.schema import Filled, Lines, Outside


class WindowRole(StrEnum):
    BEFORE = "before"
    AFTER = "after"
    OTHER = "other"


class WindowLoad(StrEnum):
    """What asked for the work: how much days differ from each other depends on it."""

    PRODUCTION = "production"
    CONTROLLED = "controlled"  # a load generator, or one job that is run again


@dataclass(frozen=True, slots=True)
class Occurrence:
    """One contiguous stretch of time, UTC nanoseconds, both ends included.

    Attributes:
        start_ns, end_ns: None leaves that end where the samples of the run end.
        run_id: None for the captures of all runs.
    """

    start_ns: int | None = None
    end_ns: int | None = None
    run_id: Annotated[int | None, Outside("run")] = None


@dataclass(frozen=True, slots=True)
class Exclusion:
    """A stretch inside a window that does not count: a batch job, a restart. UTC nanoseconds, both ends included."""

    start_ns: int
    end_ns: int
    reason: Annotated[Lines, Filled()]


@dataclass(frozen=True, slots=True)
class Window:
    """
    Attributes:
        id, name: 0 and empty for one that is not kept, as that of a whole run.
        hosts: names of the hosts it speaks of, none for all.
        occurrences: in the order of time; the unit that repeats: a day, a test run, the period of two snapshots.
    """

    id: int
    name: Annotated[str, Filled()]
    role: WindowRole = WindowRole.OTHER
    load: WindowLoad = WindowLoad.PRODUCTION
    hosts: tuple[str, ...] = ()
    occurrences: tuple[Occurrence, ...] = ()
    exclusions: tuple[Exclusion, ...] = ()

    @property
    def run_ids(self) -> tuple[int, ...]:
        """Of the runs that are named, each once."""
        return tuple(dict.fromkeys(each.run_id for each in self.occurrences if each.run_id is not None))


def run_window(run_id: int, start_ns: int | None = None, end_ns: int | None = None) -> Window:
    """A run, or a stretch of it, as the window that one click means."""
    return Window(0, "", occurrences=(Occurrence(start_ns, end_ns, run_id),))


def ends_of(occurrences: Sequence[Occurrence]) -> tuple[int | None, int | None]:
    """First start and last end; None where one is open."""
    starts, ends = [each.start_ns for each in occurrences], [each.end_ns for each in occurrences]
    return (
        None if None in starts or not starts else min(each for each in starts if each is not None),
        None if None in ends or not ends else max(each for each in ends if each is not None),
    )
