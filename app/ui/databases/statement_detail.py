"""One statement: its figures, texts and plans side by side, where it stands, and what it is linked with."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QWidget

from app.analysis.databases.record import DatabaseRecord
from app.ui.databases.database_controller import DatabaseController
from app.ui.databases.evidence_tab import EvidenceTab
from app.ui.databases.link_panel import LinkPanel
from app.ui.databases.statement_columns import pair_name
from app.ui.databases.statement_figures import StatementFigures
from app.ui.databases.statement_rows import StatementRows
from app.ui.databases.text_pair import TextPair
from app.ui.look.language import text, translated
from app.ui.look.theme import SPACE_M, SPACE_S, SPACE_XS
from app.ui.widgets.parts import ElidedLabel, column, row, stacked, tab_bar
from app.ui.workspace import Workspace

TABS = ("figures", "text", "plan", "evidence", "link")


class StatementDetail(QWidget):
    """Fills only the tab that is seen."""

    def __init__(self, workspace: Workspace) -> None:
        super().__init__()
        self.setProperty("card", "true")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self._controller = DatabaseController.of(workspace)
        self._rows: StatementRows | None = None
        self._place = -1
        self._filled: set[str] = set()
        self.figures, self.texts, self.plans = StatementFigures(), TextPair(), TextPair()
        self.evidence, self.links = EvidenceTab(workspace), LinkPanel(workspace)
        self.tabs = translated(tab_bar(*TABS), tabText=[f"ui.statements.tab.{name}" for name in TABS])
        self._id = ElidedLabel(role="code")
        self._stack = stacked(self.figures, self.texts, self.plans, self.evidence, self.links)
        self.tabs.currentChanged.connect(self._on_tab)
        head = row(self.tabs, (self._id, 1), spacing=SPACE_M)
        margins = (SPACE_M, SPACE_XS, SPACE_M, SPACE_S)
        column(head, (self._stack, 1), spacing=SPACE_XS, margins=margins, of=self)

    def retranslate(self) -> None:
        self.links.refresh()
        self._show_again()

    def show_statement(self, rows: StatementRows | None, place: int | None) -> None:
        self._rows, self._place = rows, -1 if place is None else place
        self._show_again()

    def show_tab(self, name: str) -> None:
        self.tabs.setCurrentIndex(TABS.index(name))

    def _show_again(self) -> None:
        self._filled.clear()
        rows = self._rows
        known = rows is not None and 0 <= self._place < len(rows)
        self._stack.setVisible(known)
        if rows is None or not known:
            self._id.set_words("")
            return
        pair = rows.pairs[self._place]
        more = len({*pair.before_ids, *pair.after_ids}) > len({*pair.before_ids[:1], *pair.after_ids[:1]})
        self._id.set_words(pair_name(rows, self._place) + (" …" if more else ""))
        self._on_tab(self.tabs.currentIndex())

    def _on_tab(self, at: int) -> None:
        self._stack.setCurrentIndex(at)
        name = TABS[at]
        if self._rows is not None and self._place >= 0 and name not in self._filled:
            self._filled.add(name)
            self._fill(name, self._rows)

    def _fill(self, name: str, rows: StatementRows) -> None:
        pair = rows.pairs[self._place]
        if name == "figures":
            self.figures.show_statement(rows, self._place)
        elif name == "text":
            self._show_texts(rows)
        elif name == "plan":
            self._show_plans(rows)
        elif name == "evidence":
            self.evidence.show_statement(self._controller, pair.before, pair.after)
        else:
            self.links.show_statement(rows, self._place, self._controller.comparison)

    def _show_texts(self, rows: StatementRows) -> None:
        before, after = (
            rows.text_of(side, self._place) if rows.side(side) is not None else None for side in ("before", "after")
        )
        heads = text("ui.statements.text.before"), text("ui.statements.text.after")
        self.texts.show_texts(before, after, heads)

    def _show_plans(self, rows: StatementRows) -> None:
        shown: list[str | None] = []
        heads = []
        for side in ("before", "after"):
            columns = rows.side(side)
            plans = columns.plans[self._place] if columns is not None else ()
            words = ", ".join(plans) or text("ui.databases.not_measured")
            heads.append(text(f"ui.statements.plan_head.{side}", plans=words))
            shown.append(None if columns is None else self._plan_text(side, rows, plans))
        self.plans.show_texts(shown[0], shown[1], (heads[0], heads[1]), sql=False)

    def _plan_text(self, side: str, rows: StatementRows, plans: tuple[str, ...]) -> str:
        found = self._controller.side(side)
        record = found.record if found is not None else None
        pair = rows.pairs[self._place]
        ids = pair.before_ids if side == "before" else pair.after_ids
        without = text("ui.statements.plan.only_id") if plans else text("ui.statements.plan.none")
        return plan_text(record, ids) or without


def plan_text(record: DatabaseRecord | None, ids: tuple[str, ...]) -> str:
    """The plans of these statements as the capture has them, one below the other."""
    if record is None:
        return ""
    table = record.table("plan")
    rows = zip(table.text("statement_id"), table.text("plan"), table.text("text"), strict=True)
    found = [f"{plan}\n{words}" for id_, plan, words in rows if id_ in ids and words]
    return "\n\n".join(found)
