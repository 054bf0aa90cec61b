"""The pages of the rail, in order. Each is imported and made on first use, so that the window opens quickly."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module

from app.ui.pages.base import Page
from app.ui.workspace import Workspace


@dataclass(frozen=True, slots=True)
class PageEntry:
    """`tree`, `inspector` and `navigator` say whether these have anything to do with the page."""

    page_id: str
    title_key: str
    icon: str
    make: Callable[[Workspace], Page]
    tree: bool = True
    inspector: bool = True
    navigator: bool = True


def _entry(page_id: str, name: str, tree: bool = True, inspector: bool = True, navigator: bool = True) -> PageEntry:
    """The page of a class in `app.ui.pages`, its module before it: ``board_page.BoardPage``."""
    module, _, page = name.partition(".")

    def make(workspace: Workspace) -> Page:
        made: Page = getattr(import_module(f"app.ui.pages.{module}"), page)(workspace)
        return made

    return PageEntry(page_id, f"ui.page.{page_id}", page_id, make, tree, inspector, navigator)


PAGES = (
    _entry("board", "board_page.BoardPage", inspector=False, navigator=False),
    _entry("engagement", "engagement_page.EngagementPage", navigator=False),
    _entry("collect", "capture_page.CapturePage", tree=False, inspector=False, navigator=False),
    _entry("captures", "captures_page.CapturesPage"),
    _entry("timeline", "timeline_page.TimelinePage"),
    _entry("compare", "compare_page.ComparePage"),
    _entry("statements", "statements_page.StatementsPage", tree=False, inspector=False, navigator=False),
    _entry("database", "profile_page.ProfilePage", tree=False, inspector=False),
    _entry("findings", "findings_page.FindingsPage", inspector=False, navigator=False),
    _entry("cycle", "cycle_page.CyclePage", inspector=False, navigator=False),
    _entry("tradeoffs", "tradeoff_page.TradeoffPage", inspector=False, navigator=False),
    _entry("capacity", "capacity_page.CapacityPage", tree=False, inspector=False, navigator=False),
    _entry("experiments", "experiments_page.ExperimentsPage", tree=False, inspector=False, navigator=False),
    _entry("report", "report_page.ReportPage", inspector=False, navigator=False),
    _entry("reference", "reference_page.ReferencePage", tree=False, inspector=False, navigator=False),
)

BEGIN_GROUPS = frozenset({"collect", "compare", "cycle", "report"})
"""Pages of the rail with a line above them: what is asked, what was captured, what it says, what is done about it, what
is handed over."""

KEYS = {
    "board": "Ctrl+1", "engagement": "Ctrl+2", "collect": "Ctrl+3", "captures": "Ctrl+4", "timeline": "Ctrl+5",
    "compare": "Ctrl+6", "statements": "Ctrl+7", "database": "Ctrl+8", "cycle": "Ctrl+9", "tradeoffs": "Ctrl+0",
    "findings": "Alt+1", "capacity": "Alt+2", "experiments": "Alt+3", "report": "Alt+4", "reference": "Alt+5",
}  # fmt: skip
"""A page keeps its key whatever pages come between."""
