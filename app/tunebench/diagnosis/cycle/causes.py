"""Causes in the order in which they deserve work."""

from __future__ import annotations

from tunebench.domain.cycle.book import CycleBook
from tunebench.domain.cycle.records import Cause, CauseState, Confidence

_CONFIDENCE = {Confidence.HIGH: 0, Confidence.MEDIUM: 1, Confidence.LOW: 2}


def ranked_causes(book: CycleBook, iteration_id: int) -> tuple[Cause, ...]:
    """By their share of the response time where it is known, then by confidence; what was refuted comes last.

    Nobody gains more than a cause's share by removing it, so that the largest share comes first.
    """
    return tuple(sorted(book.in_iteration(Cause, iteration_id), key=_rank))


def _rank(cause: Cause) -> tuple[bool, bool, float, int, int]:
    share = cause.share_pct
    refuted = cause.state is CauseState.REFUTED
    return refuted, share is None, -(share or 0.0), _CONFIDENCE[cause.confidence], cause.id
