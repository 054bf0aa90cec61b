"""What a change may be called: better or worse only where its verdict says so, else by its direction alone.

Every word and colour of the documents follows from the change given here, so that none is stronger than the verdict.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from tunebench.analysis.comparing.improvement import Change, Improvement, improvement
from tunebench.analysis.databases.statement_comparison import FigureChange, StatementChange, StatementClass
from tunebench.analysis.inference.verdict import Verdict
from tunebench.domain.engagement import Direction
from tunebench.domain.provenance import ASSUMED
from tunebench.reporting.document import Tone

_CHANGES = {Verdict.IMPROVED: Change.IMPROVED, Verdict.REGRESSED: Change.REGRESSED}
_TONES: Mapping[str, Tone] = MappingProxyType(
    {
        "improved": Tone.STRONG,
        "met": Tone.STRONG,
        "regressed": Tone.BAD,
        "missed": Tone.BAD,
        "exceeded": Tone.BAD,
        "worse": Tone.BAD,
        "paid": Tone.WARNING,
    }
)


def called(
    before: float | None,
    after: float | None,
    direction: Direction,
    verdict: Verdict | None = None,
    *,
    before_bound: str = "",
    after_bound: str = "",
    percentage: bool = False,
) -> Improvement:
    """The change from `before` to `after`.

    Args:
        verdict: what was found of it; None where nobody judged. A verdict that points the other way than these two
            figures (it may be of other statistics) does not count for them.
    """

    def change(way: Direction) -> Improvement:
        return improvement(
            before, after, way, before_bound=before_bound, after_bound=after_bound, percentage=percentage
        )

    directed = change(direction)
    decided = verdict is not None and directed.change is _CHANGES.get(verdict)
    return directed if decided or directed.change is Change.UNCHANGED else change(Direction.NEUTRAL)


def tone_of(state: str | None) -> Tone:
    """The colour of a change, a verdict, the class of a statement or a state of the cycle; plain where nothing is
    decided."""
    return Tone.PLAIN if state is None else _TONES.get(state.removesuffix(ASSUMED), Tone.PLAIN)


_JUDGED = frozenset({StatementClass.IMPROVED, StatementClass.REGRESSED, StatementClass.EQUIVALENT})


def class_of(row: StatementChange, refused: bool) -> StatementClass | None:
    """The class by which a statement may be called; None where the windows may not be compared (`refused`)."""
    return None if refused and row.outcome in _JUDGED else row.outcome


def called_each(change: FigureChange, refused: bool) -> Improvement:
    """The change of a figure per execution."""
    return called(change.before_each, change.after_each, Direction.LOWER, None if refused else change.verdict)
