"""One finding in full: what held, where and for how long, whose rule it is, what speaks against it, what to do."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from zoneinfo import ZoneInfo

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QFrame, QScrollArea, QWidget

from tunebench.domain.finding import Finding, FindingEvidence, UseAspect, UseRow
from tunebench.ui.look.language import language, text, window_locale
from tunebench.ui.look.theme import SPACE_M, SPACE_S, SPACE_XS, tone_colour
from tunebench.ui.widgets.parts import ElidedLink, button, column, label, panel, row, selectable
from tunebench.usecases.findings.finding_columns import TONES, severity_words
from tunebench.usecases.findings.words import (
    RuleWords,
    aspect_text,
    caution_text,
    cell_text,
    figures_text,
    probe_name,
    queue_text,
    resource_text,
    share_text,
    stretch_text,
    thing_text,
    unit_of,
    value_text,
)

MOST_STRETCHES = 12


class FindingDetail(QScrollArea):
    """Signals:
    evidence_asked: the series of a stretch, `FindingEvidence`s, to show on the time line.
    cause_asked, action_asked: take the finding into the cycle.
    plan_asked: open the plan of captures, where probes would fill what is missing.
    """

    evidence_asked = Signal(object)
    cause_asked = Signal(object)
    action_asked = Signal(object)
    plan_asked = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.finding: Finding | None = None
        self.setWidgetResizable(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.cause_button = button(kind="primary", on_click=lambda: self.cause_asked.emit(self.finding))
        self.action_button = button(on_click=lambda: self.action_asked.emit(self.finding))
        self._fill(())

    # --- what is shown
    def show_nothing(self) -> None:
        self.finding = None
        self._fill((label(text("ui.findings.detail.none"), role="muted", wrap=True),))

    def show_finding(
        self,
        finding: Finding,
        words: RuleWords,
        zone: ZoneInfo,
        taken: str,
        answered: str,
        writable: bool,
        related: str = "",
    ) -> None:
        """`taken`, `answered`: the labels of the cause and the worksheet row that it has become, or empty; `related`:
        what explains it, or what it explains."""
        self.finding = finding
        code = language().code
        head = label(severity_words(finding.severity, window_locale()))
        head.setStyleSheet(f"font-weight: 600; color: {tone_colour(TONES[finding.severity]).name()};")
        parts: list[QWidget] = [
            head,
            _words(words.title(finding.rule), "section"),
            _words(thing_text(finding, code), "muted"),
            _words(figures_text(finding, code)),
            _words(queue_text(finding.lock_queue, code)),
            _words(share_text(finding, code), "small"),
            _words(related, "strong"),
        ]
        parts += self._steps(finding, words, taken, answered, writable)
        parts += [_caution(caution_text(caution, code)) for caution in finding.cautions]
        parts += _section("ui.findings.detail.condition", words.condition(finding.rule))
        parts += self._evidence(finding.evidence, zone)
        action, tradeoff = words.advice(finding)
        parts += _section("ui.findings.detail.action", action)
        parts += _section("ui.findings.detail.confirm", words.confirm(finding.rule))
        parts += _section("ui.findings.detail.tradeoff", tradeoff)
        parts += _section("ui.findings.detail.caveat", words.caveat(finding.rule))
        parts += _section("ui.findings.detail.source", f"{finding.rule} · {words.source(finding.rule)}")
        self._fill(parts)

    def show_use_row(self, use_row: UseRow, zone: ZoneInfo) -> None:
        self.finding = None
        code = language().code
        name = f"{use_row.name} ({use_row.alias})" if use_row.alias and use_row.alias != use_row.name else use_row.name
        parts: list[QWidget] = [
            _words(f"{resource_text(use_row.resource, code)} {name}".strip(), "section"),
            _words(use_row.host, "muted"),
        ]
        for aspect in UseAspect:
            cell = use_row.cell(aspect)
            parts += _section_text(aspect_text(aspect, code), cell_text(cell, code))
            if cell.measured and cell.threshold is not None and cell.share_above is not None:
                parts.append(
                    _words(
                        text(
                            "ui.findings.use.above",
                            threshold=value_text(cell.threshold, unit_of(cell.signal, language().code)),
                            share=f"{100 * cell.share_above:.0f}",
                            n=cell.n,
                        ),
                        "small",
                    )
                )
            if not cell.measured and cell.probes:
                names = ", ".join(dict.fromkeys(probe_name(probe, code) for probe in cell.probes))
                parts.append(_words(text("ui.findings.use.fill", probes=names), "small"))
                parts.append(_link(text("ui.findings.use.plan"), self.plan_asked.emit))
            parts += self._evidence(cell.evidence, zone, titled=False)
        self._fill(parts)

    # --- parts
    def _steps(
        self, finding: Finding, words: RuleWords, taken: str, answered: str, writable: bool
    ) -> Iterable[QWidget]:
        self.cause_button.setText(text("ui.findings.taken" if taken else "ui.findings.take"))
        self.cause_button.setToolTip(taken)
        self.cause_button.setEnabled(writable or bool(taken))
        advised = bool(words.advice(finding)[0])
        self.action_button.setText(text("ui.findings.proposed" if answered else "ui.findings.propose"))
        self.action_button.setToolTip(answered)
        self.action_button.setEnabled((writable and advised) or bool(answered))
        steps = panel(row(self.cause_button, self.action_button, 1))
        for kept in (self.cause_button, self.action_button):  # hidden since they lost their last place
            kept.setVisible(True)
        return (steps,)

    def _evidence(
        self, evidence: tuple[FindingEvidence, ...], zone: ZoneInfo, titled: bool = True
    ) -> Iterable[QWidget]:
        if not evidence:
            return
        if titled:
            yield _words(text("ui.findings.detail.evidence"), "strong")
        stretches = _stretches(evidence)
        for stretch in stretches[:MOST_STRETCHES]:
            yield _link(stretch_text(stretch, zone), lambda pieces=stretch: self.evidence_asked.emit(pieces))
        left = len(stretches) - MOST_STRETCHES
        if left > 0:
            yield _words(text("ui.findings.detail.more", n=left), "small")

    def _fill(self, parts: Iterable[QWidget]) -> None:
        for kept in (self.cause_button, self.action_button):
            if self.isAncestorOf(kept):  # what was shown until now goes, these do not
                kept.setParent(None)
        holder = panel(column(*parts, 1, spacing=SPACE_XS, margins=(SPACE_M, SPACE_S)))
        self.setWidget(holder)
        holder.setAutoFillBackground(False)
        self.viewport().setAutoFillBackground(False)


def _stretches(evidence: tuple[FindingEvidence, ...]) -> list[tuple[FindingEvidence, ...]]:
    """The series that a rule looked at together, one entry a stretch of time."""
    by_stretch: dict[tuple[int, int], list[FindingEvidence]] = {}
    for piece in evidence:
        by_stretch.setdefault((piece.start_ns, piece.end_ns), []).append(piece)
    return [tuple(together) for together in by_stretch.values()]


def _words(sentence: str, role: str = "") -> QWidget:
    shown = selectable(label(sentence, role=role, wrap=True))
    if not sentence:  # shown before it has its place it would be a window
        shown.hide()
    return shown


def _caution(sentence: str) -> QWidget:
    shown = selectable(label(f"⚠ {sentence}", tone="watch", wrap=True))
    shown.setProperty("role", "small")
    return shown


def _section(title_key: str, sentence: str) -> list[QWidget]:
    return _section_text(text(title_key), sentence)


def _section_text(title: str, sentence: str) -> list[QWidget]:
    return [_words(title, "strong"), _words(sentence)] if sentence else []


def _link(words: str, on_click: Callable[[], object]) -> QWidget:
    link = ElidedLink(on_click)
    link.set_words(words)
    return link
