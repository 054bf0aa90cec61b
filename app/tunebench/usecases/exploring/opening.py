"""What is looked at first: the windows that are compared, else suggested ones, else the fullest days."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from datetime import date
from zoneinfo import ZoneInfo

from tunebench.core.records import record
from tunebench.domain.assembly import Span
from tunebench.domain.capturing.times import deciding
from tunebench.domain.windows import Window, WindowRole, last_kept
from tunebench.store.artefacts import ArtefactInfo, list_artefacts
from tunebench.store.project import Project
from tunebench.store.runs import list_runs
from tunebench.usecases.comparing.captured import Captured, between, cut, day_of
from tunebench.usecases.comparing.windows import list_windows, proposals

MOST_DAYS = 5


@record
class Opening:
    """
    Attributes:
        measured: in which stretches anything was measured, in the order of time; they may overlap.
        before, after: the pair that the captures suggest where nobody kept one; None where there is none.
        days: what was measured on the days with the most samples, in the order of time.
    """

    measured: tuple[Span, ...]
    before: Window | None
    after: Window | None
    days: tuple[Span, ...]


def opening(project: Project, zone: ZoneInfo) -> Opening:
    """
    Args:
        zone: by whose clock days begin.
    """
    captured = Captured(project)
    captures = list_artefacts(project)
    # What only a file's date puts somewhere is seen there by whoever looks so far.
    guessed = {span for capture in captures if capture.ledger.dated_by_file for span in between(capture, ())}
    pieces = sorted({*guessed, *(span for run in list_runs(project) for span, _host in captured.pieces(run.id))})
    suggested = () if list_windows(project) else proposals(project)
    before, after = last_kept(suggested, WindowRole.BEFORE), last_kept(suggested, WindowRole.AFTER)
    if before is None or after is None:
        before = after = None
    return Opening(tuple(pieces), before, after, _fullest(captures, pieces, zone))


def _fullest(captures: Sequence[ArtefactInfo], pieces: Sequence[Span], zone: ZoneInfo) -> tuple[Span, ...]:
    """The samples of a capture of several days are taken as spread evenly over them."""
    samples: Counter[date] = Counter()
    for capture in deciding(captures):
        first_ns, last_ns = capture.ledger.first_ns, capture.ledger.last_ns
        if first_ns is None or last_ns is None:
            continue
        length_ns = max(last_ns - first_ns, 1)
        for start, end in cut((first_ns, last_ns), zone):
            samples[day_of(start, zone)] += round(capture.ledger.samples * (end - start) / length_ns)
    fullest = {day for day, _count in samples.most_common(MOST_DAYS)}
    by_day = [part for span in pieces for part in cut(span, zone) if day_of(part[0], zone) in fullest]
    return tuple(by_day)
