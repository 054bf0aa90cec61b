"""Causes are worked on in the order of what they can give back."""

from __future__ import annotations

from tunebench.diagnosis.cycle.causes import ranked_causes
from tunebench.domain.cycle.book import CycleBook
from tunebench.domain.cycle.records import Cause, CauseDomain, CauseState, Confidence


def test_the_largest_share_of_the_response_time_comes_first():
    def cause(id_: int, share: float | None, confidence=Confidence.LOW, state=CauseState.OPEN, iteration=1) -> Cause:
        return Cause(id_, iteration, CauseDomain.DATABASE, str(id_), "", confidence, state, share)

    book = CycleBook.of(
        [
            cause(2, None),
            cause(3, None, Confidence.HIGH),
            cause(4, 12.5),
            cause(5, 60.0),
            cause(6, 0.0),
            cause(7, 90.0, state=CauseState.REFUTED),
            cause(8, 99.0, iteration=9),
            cause(9, None, Confidence.MEDIUM),
        ]
    )
    assert [cause.id for cause in ranked_causes(book, 1)] == [5, 4, 6, 3, 9, 2, 7]
