"""The pages of the rail, in order. Each is imported and made on first use, so that the window opens quickly."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

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


def _board(workspace: Workspace) -> Page:
    from app.ui.pages.board_page import BoardPage

    return BoardPage(workspace)


def _cycle(workspace: Workspace) -> Page:
    from app.ui.pages.cycle_page import CyclePage

    return CyclePage(workspace)


def _tradeoffs(workspace: Workspace) -> Page:
    from app.ui.pages.tradeoff_page import TradeoffPage

    return TradeoffPage(workspace)


def _engagement(workspace: Workspace) -> Page:
    from app.ui.pages.engagement_page import EngagementPage

    return EngagementPage(workspace)


def _collect(workspace: Workspace) -> Page:
    from app.ui.pages.capture_page import CapturePage

    return CapturePage(workspace)


def _captures(workspace: Workspace) -> Page:
    from app.ui.pages.captures_page import CapturesPage

    return CapturesPage(workspace)


def _timeline(workspace: Workspace) -> Page:
    from app.ui.pages.timeline_page import TimelinePage

    return TimelinePage(workspace)


def _compare(workspace: Workspace) -> Page:
    from app.ui.pages.compare_page import ComparePage

    return ComparePage(workspace)


def _statements(workspace: Workspace) -> Page:
    from app.ui.pages.statements_page import StatementsPage

    return StatementsPage(workspace)


def _database(workspace: Workspace) -> Page:
    from app.ui.pages.profile_page import ProfilePage

    return ProfilePage(workspace)


def _findings(workspace: Workspace) -> Page:
    from app.ui.pages.findings_page import FindingsPage

    return FindingsPage(workspace)


def _capacity(workspace: Workspace) -> Page:
    from app.ui.pages.capacity_page import CapacityPage

    return CapacityPage(workspace)


def _experiments(workspace: Workspace) -> Page:
    from app.ui.pages.experiments_page import ExperimentsPage

    return ExperimentsPage(workspace)


def _report(workspace: Workspace) -> Page:
    from app.ui.pages.report_page import ReportPage

    return ReportPage(workspace)


def _reference(workspace: Workspace) -> Page:
    from app.ui.pages.reference_page import ReferencePage

    return ReferencePage(workspace)


PAGES = (
    PageEntry("board", "ui.page.board", "board", _board, inspector=False, navigator=False),
    PageEntry("engagement", "ui.page.engagement", "engagement", _engagement, navigator=False),
    PageEntry("collect", "ui.page.collect", "collect", _collect, tree=False, inspector=False, navigator=False),
    PageEntry("captures", "ui.page.captures", "captures", _captures),
    PageEntry("timeline", "ui.page.timeline", "timeline", _timeline),
    PageEntry("compare", "ui.page.compare", "compare", _compare),
    PageEntry("statements", "ui.page.statements", "statements", _statements, False, False, False),
    PageEntry("database", "ui.page.database", "database", _database, False, False),
    PageEntry("findings", "ui.page.findings", "findings", _findings, inspector=False, navigator=False),
    PageEntry("cycle", "ui.page.cycle", "cycle", _cycle, inspector=False, navigator=False),
    PageEntry("tradeoffs", "ui.page.tradeoffs", "tradeoffs", _tradeoffs, inspector=False, navigator=False),
    PageEntry("capacity", "ui.page.capacity", "capacity", _capacity, False, False, False),
    PageEntry("experiments", "ui.page.experiments", "experiments", _experiments, False, False, False),
    PageEntry("report", "ui.page.report", "report", _report, inspector=False, navigator=False),
    PageEntry("reference", "ui.page.reference", "reference", _reference, False, False, False),
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
