"""Where to draw the line: not at 100 %, but where waiting begins to take as long as the work."""

from __future__ import annotations

from enum import StrEnum

from tunebench.analysis.queueing.stations import knee
from tunebench.core.records import record

SPACE_PCT = 90.0
_GRID_PCT = 5.0
_MARGIN_PCT = 5.0
MOST_SERVERS = 4096


class LimitSource(StrEnum):
    KNEE = "knee"
    SPACE = "space"


@record
class ProposedLimit:
    """`knee_pct` and `servers` where the source is the knee."""

    limit_pct: float
    source: LimitSource
    knee_pct: float | None = None
    servers: int | None = None


def knee_limit(servers: int) -> ProposedLimit:
    """5 to 10 points below the utilisation at which a request takes twice its service time, a multiple of 5."""
    knee_pct = 100 * knee(min(servers, MOST_SERVERS))
    steps = round(knee_pct - _MARGIN_PCT, 6) // _GRID_PCT  # the knee of one server is 50 % but for its last bit
    return ProposedLimit(steps * _GRID_PCT, LimitSource.KNEE, knee_pct, servers)


def space_limit() -> ProposedLimit:
    return ProposedLimit(SPACE_PCT, LimitSource.SPACE)
