"""All figures of one statement, and the answer to "more executions, or worse behaviour?"."""

from __future__ import annotations

from math import isnan

from PySide6.QtCore import Qt
from PySide6.QtGui import QColor
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QTableWidget, QTableWidgetItem, QWidget

from tunebench.analysis.databases.statement_comparison import JUDGED, FigureChange, StatementChange, StatementClass
from tunebench.analysis.databases.statement_side import SHOWN
from tunebench.columns.formats import DASH, format_value, rate_text
from tunebench.core.messages import catalogue
from tunebench.reporting.statement_words import basis_text
from tunebench.ui.databases.statement_columns import absence, bound_of, class_words, reason_words
from tunebench.ui.databases.statement_rows import SECONDS, StatementRows, amount, ratio_words, signed
from tunebench.ui.look.language import language, text
from tunebench.ui.look.theme import ROW_HEIGHT_DENSE, SPACE_L, SPACE_S, SPACE_XS, current_theme
from tunebench.ui.widgets.parts import column, label, panel, row, scrolling, selectable

ALWAYS = ("executions", "elapsed_s", "cpu_s", "block_gets", "block_reads", "rows")
COLUMNS = ("figure", "before", "after", "before_each", "after_each", "ratio", "impact")
_COMPARED = ("ratio", "impact")
WORDS_PX = 520


class StatementFigures(QWidget):
    def __init__(self) -> None:
        super().__init__()
        self.verdict = selectable(label(role="strong", wrap=True))
        self.decomposition = selectable(label(wrap=True))
        self.table = QTableWidget()
        self._dress()
        words = panel(column(self.verdict, self.decomposition, 1, margins=(0, SPACE_XS, SPACE_S, 0)))
        self._words = scrolling(words, sideways=False)
        self._words.setMaximumWidth(WORDS_PX)
        row((self._words, 2), (self.table, 5), spacing=SPACE_L, of=self)

    def _dress(self) -> None:
        table = self.table
        table.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        table.setSelectionMode(QAbstractItemView.SelectionMode.ContiguousSelection)
        table.setShowGrid(False)
        table.setWordWrap(False)
        table.setTabKeyNavigation(False)
        table.setFrameShape(QTableWidget.Shape.NoFrame)
        table.verticalHeader().hide()
        table.verticalHeader().setDefaultSectionSize(ROW_HEIGHT_DENSE)
        table.horizontalHeader().setHighlightSections(False)
        table.horizontalHeader().setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)

    def show_statement(self, rows: StatementRows, place: int) -> None:
        change = rows.comparison.row(place) if rows.comparison is not None else None
        self.verdict.setText(verdict_words(change) if change is not None else "")
        self._words.setVisible(change is not None)
        self.decomposition.setText(decomposition_words(change) if change is not None else "")
        self._fill(rows, place, change)

    def _fill(self, rows: StatementRows, place: int, change: StatementChange | None) -> None:
        table = self.table
        table.setAccessibleName(text("ui.statements.tab.figures"))
        columns = [name for name in COLUMNS if _has(name, rows)]
        figures = [name for name in SHOWN if name in ALWAYS or _has_value(rows, place, name)]
        table.setColumnCount(len(columns))
        table.setRowCount(len(figures))
        table.setHorizontalHeaderLabels([text(f"ui.statements.figures.{name}") for name in columns])
        for line, figure in enumerate(figures):
            figure_change = change.changes.get(figure) if change is not None else None
            for at, name in enumerate(columns):
                table.setItem(line, at, _item(_cell(rows, place, figure, name, figure_change), name, figure_change))


def _has(column: str, rows: StatementRows) -> bool:
    if column in _COMPARED:
        return rows.comparison is not None
    side = column.partition("_")[0]
    return side == "figure" or rows.side(side) is not None


def _has_value(rows: StatementRows, place: int, figure: str) -> bool:
    sides = [side for side in (rows.before, rows.after) if side is not None]
    return any(not isnan(float(side.total(figure)[place])) for side in sides)


def _cell(rows: StatementRows, place: int, figure: str, column: str, change: FigureChange | None) -> str:
    if column == "figure":
        return text(f"database.figure.{figure}")
    if column == "ratio":
        if change is None or change.before_each is None or change.after_each is None:
            return DASH if figure not in JUDGED else text("ui.databases.not_computable")
        return ratio_words(change.before_each, change.after_each, change.verdict)
    if column == "impact":
        if change is None or change.impact is None:
            return DASH if figure not in JUDGED else text("ui.databases.not_computable")
        return signed(round(change.impact, 6))
    side, _, basis = column.partition("_")
    if basis and figure == "executions":
        return DASH
    return _amount(rows, place, side, figure, bool(basis))


def _amount(rows: StatementRows, place: int, side: str, figure: str, each: bool) -> str:
    columns = rows.side(side)
    assert columns is not None  # such columns are of sides that are there
    value = float((columns.each(figure) if each else columns.total(figure))[place])
    if isnan(value):
        bound = bound_of(rows, place, side, figure)
        missing = text(f"ui.statements.cell.{absence(rows, place, side, figure)}")
        return f"< {amount(figure, bound)}" if bound is not None and not each else missing
    if figure.endswith("_s"):
        return text("ui.databases.amount.ms", value=format_value(value * 1000)) if each else amount("elapsed_s", value)
    return ("≥ " if columns.partial[place] and not each else "") + amount(figure, value, each)


def _item(words: str, column: str, change: FigureChange | None) -> QTableWidgetItem:
    item = QTableWidgetItem(words)
    side = Qt.AlignmentFlag.AlignLeft if column == "figure" else Qt.AlignmentFlag.AlignRight
    item.setTextAlignment(side | Qt.AlignmentFlag.AlignVCenter)
    colour = _colour(column, change)
    if colour is not None:
        item.setForeground(colour)
    return item


def _colour(column: str, change: FigureChange | None) -> QColor | None:
    theme = current_theme()
    if column != "ratio" or change is None:
        return None
    return {"improved": theme.ok, "regressed": theme.critical}.get(str(change.verdict))


# -- sentences -----------------------------------------------------------------------------------------


def verdict_words(change: StatementChange) -> str:
    """The class, what it means, and whether both sides did the same work."""
    judged = change.changes.get(change.judged_by)
    basis = "" if judged is None else basis_text(judged, catalogue(language().code))
    meaning = reason_words(change.outcome, "" if judged is None else judged.reason)
    words = f"{class_words(change.outcome)} – {basis if basis.startswith(meaning) else f'{meaning} {basis}'.strip()}"
    if change.before_rows is None or change.after_rows is None:
        return f"{words} {text('ui.statements.work.unknown')}"
    key = "same" if change.same_work else "other"
    facts = {"before": format_value(change.before_rows), "after": format_value(change.after_rows)}
    return f"{words} {text(f'ui.statements.work.{key}', **facts)}"


def decomposition_words(change: StatementChange) -> str:
    """Whether more executions or worse behaviour changed the figure that the statement is judged by."""
    figure = change.judged_by or "elapsed_s"
    judged = change.changes[figure]
    if judged.volume is None or judged.impact is None or judged.before_total is None or judged.after_total is None:
        return _one_sided_words(change)
    facts = {
        "figure": text(f"database.figure.{figure}"),
        "executions": _executions_words(change),
        "volume": signed(round(judged.volume, 6)),
        "behaviour": signed(round(judged.impact, 6)),
        "change": signed(round(judged.after_total - judged.before_total, 6)),
        "each": ratio_words(judged.before_each, judged.after_each, judged.verdict),
    }
    words = text("ui.statements.decomposition", **facts)
    if change.workload_pct is not None and figure in SECONDS:
        key = "cheaper" if change.workload_pct >= 0 else "dearer"
        words += " " + text(f"ui.statements.workload.{key}", pct=f"{rate_text(-change.workload_pct).lstrip('+-')} %")
    return words


def _executions_words(change: StatementChange) -> str:
    before, after = change.before_executions, change.after_executions
    if before is None or after is None:
        return text("ui.databases.not_measured")
    facts = {"before": f"{before:,.0f}", "after": f"{after:,.0f}"}
    if before > 0:
        return text("ui.statements.executions.change", pct=f"{rate_text((after / before - 1) * 100)} %", **facts)
    return text("ui.statements.executions.from_none", **facts)


def _one_sided_words(change: StatementChange) -> str:
    elapsed = change.changes["elapsed_s"]
    if change.outcome is StatementClass.UNKNOWN:
        bound = elapsed.before_bound if elapsed.before_bound is not None else elapsed.after_bound
        side = "before" if elapsed.before_total is None else "after"
        if bound is None:
            return text(f"ui.statements.one_sided.no_bound_{side}")
        return text(f"ui.statements.one_sided.bound_{side}", bound=amount("elapsed_s", bound))
    if change.outcome in (StatementClass.NEW, StatementClass.GONE):
        total = elapsed.after_total if change.outcome is StatementClass.NEW else elapsed.before_total
        return text(f"ui.statements.one_sided.{change.outcome}", total=amount("elapsed_s", total))
    return text("ui.statements.decomposition.none")
