"""JSON of named windows: a public contract."""

from __future__ import annotations

from collections.abc import Mapping
from zoneinfo import ZoneInfo

from tunebench.contract.shapes import Shape, shape
from tunebench.domain.windows import Window


def window_shape(window: Window, labels: Mapping[int, str], usual: ZoneInfo) -> Shape:
    """
    Args:
        labels: of runs, by id.
        usual: the engagement's zone, where the window has no clock of its own.
    """
    zone = window.clock(usual)
    return {
        **shape(window, "name role kind=load hosts"),
        "zone": zone.key,
        "occurrences": [
            {**shape(occurrence, "from=start_ns to=end_ns", zone), "run": labels.get(occurrence.run_id or 0)}
            for occurrence in window.occurrences
        ],
        "exclusions": [shape(exclusion, "from=start_ns to=end_ns reason", zone) for exclusion in window.exclusions],
    }
