"""What must be known to read the figures: periods, coverage, sources, and in words what is wrong with them."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QMenu, QSizePolicy, QWidget

from tunebench.analysis.databases.statement_comparison import Coverage
from tunebench.columns.formats import DASH, format_short_span
from tunebench.ui.databases.database_controller import DatabaseController
from tunebench.ui.look.language import error_text, language, text, window_locale
from tunebench.ui.look.theme import SPACE_XS
from tunebench.ui.widgets.parts import ElidedLabel, button, clear_layout, column, label, panel, row
from tunebench.ui.workspace import Workspace
from tunebench.usecases.databases.sides import Caution, Side
from tunebench.usecases.databases.statement_words import percent
from tunebench.usecases.databases.words import caution_text, length_text, source_text

SIDES = ("before", "after")
MOST_LINES = 3
"""Sentences that are shown before the rest is folded behind a link."""
_MARKS = {"critical": "✕", "warning": "!", "muted": "·"}
INVALID = frozenset({"period_left_out"})


class SideFacts(QWidget):
    """Follows the controller: a line per side, and below every caution as a sentence with a mark before it."""

    def __init__(self, workspace: Workspace) -> None:
        super().__init__()
        self._workspace = workspace
        self._controller = DatabaseController.of(workspace)
        self._all = False
        self._note = ""
        self._names = {side: label(role="strong", tone=side) for side in SIDES}
        self._lines = {side: ElidedLabel(role="muted", mode=Qt.TextElideMode.ElideRight) for side in SIDES}
        self._sources = {side: button(kind="link", on_click=partial(self._open, side)) for side in SIDES}
        self._sentence_column = column(spacing=SPACE_XS)
        self._sentences = panel(self._sentence_column)
        self.more = button(kind="link", on_click=self._unfold)
        lines = [row(self._names[side], (self._lines[side], 1), self._sources[side]) for side in SIDES]
        whole = column(*lines, self._sentences, self.more, spacing=SPACE_XS, of=self)
        whole.setAlignment(self.more, Qt.AlignmentFlag.AlignLeft)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Maximum)
        self._controller.changed.connect(self.refresh)

    def show_note(self, words: str) -> None:
        """Something more that must be known; empty takes it away."""
        if words != self._note:
            self._note = words
            self.refresh()

    def refresh(self) -> None:
        comparison = self._controller.comparison
        coverage = comparison.statements.coverage if comparison else None
        for side in SIDES:
            shown = self._controller.side(side)
            self._names[side].setVisible(shown is not None)
            self._lines[side].setVisible(shown is not None)
            self._sources[side].setVisible(shown is not None and bool(captures_of(shown)))
            if shown is not None:
                self._names[side].setText(text(f"ui.databases.side.{side}"))
                self._names[side].setToolTip(_periods_tip(shown, self._workspace))
                self._lines[side].set_words(self._words(side, shown, coverage))
                self._sources[side].setText(_sources_words(shown))
        self._say(self._toned_sentences())

    def _words(self, side: str, shown: Side, coverage: Coverage | None) -> str:
        record = shown.record
        facts = [] if self._controller.choice.after_database == "" else [shown.database.label]
        if record is None:
            facts.append(text("ui.databases.no_period", count=len(shown.left_out)))
        else:
            begin = record.begin.time_ns if record.begin else None
            facts.append(format_short_span(begin, record.end.time_ns, self._workspace.zone, with_year=True))
            facts.append(_length_words(record.elapsed_s, len(shown.used)))
            facts.append(_db_time(record.db_time_s))
        if coverage is not None:
            explained = coverage.before_pct if side == "before" else coverage.after_pct
            compared = coverage.compared_before_pct if side == "before" else coverage.compared_after_pct
            key = "coverage" if explained is not None else "coverage.no_db_time"
            share = {"explained": percent(explained, window_locale())} if explained is not None else {}
            facts.append(text(f"ui.databases.{key}", compared=percent(compared, window_locale()), **share))
        return " · ".join(fact for fact in facts if fact and fact != DASH)

    # --- sentences
    def _toned_sentences(self) -> list[tuple[str, str]]:
        """(tone, sentence), those that invalidate the figures first."""
        comparison, refusal = self._controller.comparison, self._controller.refusal
        sentences = [("critical", error_text(refusal))] if refusal is not None else []
        sentences += self._of_sides()
        sentences += [self._sentence(caution) for caution in (comparison.cautions if comparison else ())]
        similarity = comparison.statements.similarity if comparison else None
        if similarity is not None and similarity < 0.8:
            sentences.append(
                ("warning", text("ui.databases.mix_differs", alike=percent(similarity * 100, window_locale())))
            )
        if self._note:
            sentences.append(("muted", self._note))
        return sorted(dict.fromkeys(sentences), key=lambda sentence: sentence[0] != "critical")

    def _of_sides(self) -> list[tuple[str, str]]:
        """(tone, sentence) of the sides; one that both share stands once."""
        shared: dict[tuple[str, str], list[str]] = {}
        for side, shown in self._controller.sides.items():
            for caution in shown.cautions:
                if caution.key == "no_valid_period":
                    continue  # stands in the side's own line
                shared.setdefault(self._sentence(caution), []).append(text(f"ui.databases.side.{side}"))
        return [(tone, f"{' · '.join(dict.fromkeys(names))}: {words}") for (tone, words), names in shared.items()]

    def _sentence(self, caution: Caution) -> tuple[str, str]:
        words = caution_text(caution, language().code, self._workspace.zone)
        return ("critical" if caution.key in INVALID else "warning"), words

    def _say(self, sentences: Sequence[tuple[str, str]]) -> None:
        clear_layout(self._sentence_column)
        shown = sentences if self._all or len(sentences) <= MOST_LINES else sentences[: MOST_LINES - 1]
        for tone, words in shown:
            self._sentence_column.addWidget(_sentence_line(tone, words))
        self._sentences.setVisible(bool(shown))
        self.more.setVisible(len(sentences) > MOST_LINES)
        key = "ui.databases.fewer" if self._all else "ui.databases.more"
        self.more.setText(text(key, count=len(sentences) - len(shown) or len(sentences)))

    def _unfold(self) -> None:
        self._all = not self._all
        self.refresh()

    # --- sources
    def _open(self, side: str) -> None:
        """Opens the capture; where there are several, a list to choose from."""
        shown = self._controller.side(side)
        ids = captures_of(shown) if shown is not None else []
        if len(ids) == 1:
            self._workspace.show_page("captures", ids[0])
            return
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        names = {capture.id: capture.name for view in self._workspace.run_views for capture in view.artefacts}
        for id_ in ids:
            menu.addAction(names.get(id_, str(id_)), partial(self._workspace.show_page, "captures", id_))
        below = self._sources[side]
        menu.popup(below.mapToGlobal(below.rect().bottomLeft()))


def captures_of(side: Side | None) -> list[int]:
    """Artefact ids of everything that was used; of what was left out where nothing was."""
    if side is None:
        return []
    periods = side.used or side.left_out
    return list(dict.fromkeys(part.artefact_id for period in periods for part in period.parts))


def _sources_words(side: Side) -> str:
    kinds = dict.fromkeys(period.record.source for period in side.used or side.left_out)
    names = ", ".join(source_text(kind, language().code) for kind in kinds)
    return text("ui.databases.sources", sources=names, count=len(captures_of(side)))


def _length_words(elapsed_s: float | None, count: int) -> str:
    if elapsed_s is None:
        return text("ui.databases.length.unknown", count=count)
    return text("ui.databases.length", length=length_text(elapsed_s), count=count)


def _db_time(seconds: float | None) -> str:
    if seconds is None:
        return text("ui.databases.db_time.not_measured")
    return text("ui.databases.db_time", seconds=f"{seconds:,.1f}")


def _periods_tip(side: Side, workspace: Workspace) -> str:
    spans = [format_short_span(period.begin_ns, period.end_ns, workspace.zone, with_year=True) for period in side.used]
    return "\n".join(spans[:40])


def _sentence_line(tone: str, words: str) -> QWidget:
    mark = label(_MARKS[tone], "strong", tone)
    sentence = label(words, tone if tone == "muted" else "", tone if tone == "critical" else "", wrap=True)
    line = row(mark, (sentence, 1))
    line.setAlignment(mark, Qt.AlignmentFlag.AlignTop)
    return panel(line)
