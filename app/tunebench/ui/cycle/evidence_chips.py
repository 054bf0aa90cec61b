"""The evidence of a record as a row of small links: ``E-3  E-12 ▲``; a click goes back to the window."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from PySide6.QtWidgets import QBoxLayout, QPushButton, QSizePolicy, QWidget

from tunebench.domain.cycle.evidence import Evidence
from tunebench.ui.cycle.cycle_controller import CycleController
from tunebench.ui.cycle.evidence_show import show_evidence
from tunebench.ui.widgets.parts import ElidedLink, button, clear_layout, column, label, row
from tunebench.ui.workspace import Workspace


class EvidenceChips(QWidget):
    """`show_for` the ids of the records that it supports; `none_words` stand there where nothing is pinned.

    Of more than `most` the rest is one link to the list of all.
    """

    def __init__(self, workspace: Workspace, captions: bool = False, most: int = 4) -> None:
        super().__init__()
        self._workspace, self._captions, self._most = workspace, captions, most
        self._ids: tuple[int, ...] = ()
        self._none_words = ""
        self._shown: tuple[tuple[Evidence, str], ...] | None = None
        self._line: QBoxLayout = column() if captions else row()
        self.setLayout(self._line)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Maximum)
        controller = CycleController.of(workspace)
        controller.changed.connect(self._fill)
        controller.broken_changed.connect(self._fill)

    def show_for(self, record_ids: Iterable[int], none_words: str = "") -> None:
        self._ids, self._none_words = tuple(record_ids), none_words
        self._shown = None
        self._fill()

    def chips(self) -> list[QPushButton]:
        return [each for each in self.findChildren(QPushButton) if not each.isHidden()]

    def _fill(self) -> None:
        controller = CycleController.of(self._workspace)
        found = {each.id: each for id_ in self._ids for each in controller.book.evidence_of(id_)}
        wanted = tuple(
            (each, controller.why_broken(each.id)) for each in sorted(found.values(), key=lambda each: each.number)
        )
        if wanted == self._shown:
            return
        self._shown = wanted
        clear_layout(self._line)
        for evidence, why in wanted[: self._most]:
            self._line.addWidget(self._chip(evidence, why))
        if len(wanted) > self._most:
            self._line.addWidget(self._rest([each for each, _why in wanted[self._most :]]))
        if not wanted and self._none_words:
            none = label(self._none_words, "small", wrap=self._captions)
            none.setMinimumWidth(1)
            self._line.addWidget(none)
        self._line.addStretch(1)

    def _rest(self, others: Sequence[Evidence]) -> QPushButton:
        made = button(f"+{len(others)}", "link", lambda: self._workspace.show_page("board", others[0]))
        made.setToolTip("\n".join(f"{each.code} {each.caption}" for each in others))
        made.setAccessibleName(made.toolTip())
        return made

    def _chip(self, evidence: Evidence, why: str) -> QPushButton:
        words = f"{evidence.code} {evidence.caption}" if self._captions else evidence.code
        if why:
            words = f"▲ {words}" if self._captions else f"{words} ▲"  # a caption may be cut at its end
        made: QPushButton
        if self._captions:
            made = ElidedLink(lambda: show_evidence(self._workspace, evidence))
            made.set_words(words)
        else:
            made = button(words, "link", lambda: show_evidence(self._workspace, evidence))
        made.setToolTip("\n".join(part for part in (f"{evidence.code} {evidence.caption}", why) if part))
        made.setAccessibleName(made.toolTip())
        return made
