"""Links that lead back into an engagement: to series over a stretch of time, to a piece of evidence, to a page."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING
from urllib.parse import parse_qs, urlsplit

from tunebench.core.patterns import lazy_pattern
from tunebench.domain.assembly import Span
from tunebench.domain.cycle.evidence import Evidence

if TYPE_CHECKING:
    from tunebench.ui.workspace import Workspace

SCHEME = "tunebench"
_EVIDENCE = lazy_pattern(r"E-\d+")


def timeline_link(series: Sequence[int], span: Span) -> str:
    """
    Args:
        series: their ids in the engagement.
        span: UTC nanoseconds.
    """
    return f"{SCHEME}:timeline?series={','.join(map(str, series))}&from={span[0]}&to={span[1]}"


def follow(workspace: Workspace, link: str) -> bool:
    """Goes to where a link leads in the open engagement; whether it leads anywhere."""
    from tunebench.ui.cycle.cycle_controller import CycleController
    from tunebench.ui.cycle.evidence_show import show_evidence, show_window

    parts = urlsplit(link.strip())
    if parts.scheme != SCHEME or workspace.project is None:
        return False
    if _EVIDENCE.fullmatch(parts.path):
        pinned = CycleController.of(workspace).book.all(Evidence)
        evidence = next((one for one in pinned if one.code == parts.path), None)
        if evidence is not None:
            show_evidence(workspace, evidence)
        return evidence is not None
    asked = parse_qs(parts.query)
    numbers = [asked.get(name, [""])[0] for name in ("from", "to")]
    ids = [int(part) for part in asked.get("series", [""])[0].split(",") if part.isdecimal()]
    if parts.path != "timeline" or not ids or not all(number.isdecimal() for number in numbers):
        return False
    show_window(workspace, ids, *map(int, numbers))
    return True
