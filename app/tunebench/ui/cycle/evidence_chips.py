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
        return [chip for chip in self.findChildren(QPushButton) if not chip.isHidden()]

    def _fill(self) -> None:
        controller = CycleController.of(self._workspace)
        by_id = {evidence.id: evidence for id_ in self._ids for evidence in controller.book.evidence_of(id_)}
        wanted = tuple(
            (evidence, controller.why_broken(evidence.id))
            for evidence in sorted(by_id.values(), key=lambda evidence: evidence.number)
        )
        if wanted == self._shown:
            return
        self._shown = wanted
        clear_layout(self._line)
        for evidence, why in wanted[: self._most]:
            self._line.addWidget(self._chip(evidence, why))
        if len(wanted) > self._most:
            self._line.addWidget(self._rest([evidence for evidence, _why in wanted[self._most :]]))
        if not wanted and self._none_words:
            none = label(self._none_words, "small", wrap=self._captions)
            none.setMinimumWidth(1)
            self._line.addWidget(none)
        self._line.addStretch(1)

    def _rest(self, others: Sequence[Evidence]) -> QPushButton:
        link = button(f"+{len(others)}", "link", lambda: self._workspace.show_page("board", others[0]))
        link.setToolTip("\n".join(f"{evidence.code} {evidence.caption}" for evidence in others))
        link.setAccessibleName(link.toolTip())
        return link

    def _chip(self, evidence: Evidence, why: str) -> QPushButton:
        words = f"{evidence.code} {evidence.caption}" if self._captions else evidence.code
        if why:
            words = f"▲ {words}" if self._captions else f"{words} ▲"  # a caption may be cut at its end
        chip: QPushButton
        if self._captions:
            chip = ElidedLink(lambda: show_evidence(self._workspace, evidence))
            chip.set_words(words)
        else:
            chip = button(words, "link", lambda: show_evidence(self._workspace, evidence))
        chip.setToolTip("\n".join(part for part in (f"{evidence.code} {evidence.caption}", why) if part))
        chip.setAccessibleName(chip.toolTip())
        return chip
