"""Around a running session: plans whose time has not come yet, sessions that were cut off, and what one that has ended
left in the project."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QFrame, QWidget

from tunebench.analysis.exploring.time_range import TimeRange
from tunebench.columns.capturing.live_states import span_words
from tunebench.columns.formats import format_stamp, format_time
from tunebench.domain.capturing.plan import CaptureMode
from tunebench.domain.capturing.run import SessionState
from tunebench.ui.capturing.capture_controller import Awaited, CaptureController
from tunebench.ui.look.language import language, text, translated, window_locale
from tunebench.ui.look.theme import SPACE_L, SPACE_M, SPACE_S
from tunebench.ui.widgets.layouts import refill
from tunebench.ui.widgets.parts import ElidedLabel, button, column, fact_table, label, row, set_tone
from tunebench.ui.workspace import Workspace
from tunebench.usecases.capturing.captured import result_facts

if TYPE_CHECKING:
    from tunebench.domain.capturing.views import SessionView
    from tunebench.usecases.capturing.collecting import SessionDetails, Unfinished


class WaitingCard(QFrame):
    def __init__(self, workspace: Workspace, controller: CaptureController, awaited_id: int) -> None:
        super().__init__()
        self.setProperty("card", "true")
        self._workspace, self.awaited_id = workspace, awaited_id
        self.title = label(role="strong")
        self.words = ElidedLabel(role="muted")
        self.cancel = translated(button(on_click=lambda: controller.cancel(awaited_id)), "ui.live.waiting.cancel")
        line = row(self.title, (self.words, 1), self.cancel)
        line.setContentsMargins(SPACE_L, SPACE_S, SPACE_L, SPACE_S)
        self.setLayout(line)

    def show_one(self, one: Awaited) -> None:
        self.title.setText(f"◷ {text('ui.live.waiting.title', label=one.label)}")
        left_s = (one.next_ns - time.time_ns()) / 1e9
        when = format_time(one.next_ns, self._workspace.zone)
        words = text("ui.live.waiting.words", when=when, left=span_words(left_s))
        if one.left > 1:
            words += " " + text("ui.live.waiting.times", count=one.left)
        if words != self.words.words():
            self.words.set_words(words)


class WaitingList(QWidget):
    """Follows controller and language."""

    def __init__(self, workspace: Workspace, controller: CaptureController) -> None:
        super().__init__()
        self._workspace, self._controller = workspace, controller
        self.cards: list[WaitingCard] = []
        self._column = column()
        self.setLayout(self._column)
        controller.changed.connect(self.refresh)
        language().follow(self.refresh)

    def refresh(self) -> None:
        wanted = self._controller.awaited
        if [card.awaited_id for card in self.cards] != [one.id for one in wanted]:
            self.cards = [WaitingCard(self._workspace, self._controller, one.id) for one in wanted]
            refill(self._column, *self.cards)
        for card, one in zip(self.cards, wanted, strict=True):
            card.show_one(one)
        self.setVisible(bool(self.cards))


class UnfinishedCard(QFrame):
    """`later` carries the session's id."""

    later = Signal(int)

    def __init__(self, workspace: Workspace, controller: CaptureController, one: Unfinished) -> None:
        super().__init__()
        self.setProperty("card", "true")
        self._workspace, self._one, self._detached = workspace, one, one.plan.mode is CaptureMode.DETACHED
        self.session_id = session_id = one.session.id
        self.title = label(role="strong", tone="warning")
        self.words = label(role="muted", wrap=True)
        self.resume = translated(
            button(kind="primary" if one.can_resume else "", on_click=lambda: controller.resume(session_id)),
            "ui.live.unfinished.fetch" if self._detached else "ui.live.unfinished.resume",
        )
        self.finish = translated(
            button(kind="" if one.can_resume else "primary", on_click=lambda: controller.unfinished.finish(session_id)),
            "ui.live.unfinished.finish",
        )
        self.leave = translated(
            button(kind="quiet", on_click=lambda: self.later.emit(session_id)), "ui.live.unfinished.later"
        )
        acts = row(self.resume, self.finish, self.leave, 1)
        self.setLayout(column(self.title, self.words, acts, margins=(SPACE_L, SPACE_M, SPACE_L, SPACE_M)))
        self.resume.setVisible(one.can_resume)
        self.finish.setVisible(not self._detached)
        self.retranslate()

    def retranslate(self) -> None:
        one = self._one
        hosts = ", ".join(host.name for host in one.plan.hosts[:3]) + ("…" if len(one.plan.hosts) > 3 else "")
        began = format_stamp(one.session.started_at, self._workspace.zone)
        self.title.setText(f"✕ {text('ui.live.unfinished.title', label=one.session.label)}")
        kind = "detached" if self._detached else "open" if one.can_resume else "over"
        self.words.setText(
            f"{text('ui.live.unfinished.facts', hosts=hosts, began=began)} {text(f'ui.live.unfinished.{kind}')}"
        )


class UnfinishedOffers(QWidget):
    """Follows controller and language. What is put off stays away until the project is opened again."""

    def __init__(self, workspace: Workspace, controller: CaptureController) -> None:
        super().__init__()
        self._workspace, self._controller = workspace, controller
        self._put_off: set[int] = set()
        self.cards: list[UnfinishedCard] = []
        self._column = column()
        self.setLayout(self._column)
        controller.unfinished.changed.connect(self.refresh)
        language().changed.connect(self.retranslate)
        self.refresh()

    def forget(self) -> None:
        """Another project."""
        self._put_off.clear()
        self.refresh()

    def refresh(self) -> None:
        wanted = [one for one in self._controller.unfinished.sessions if one.session.id not in self._put_off]
        if [card.session_id for card in self.cards] != [one.session.id for one in wanted]:
            self.cards = [UnfinishedCard(self._workspace, self._controller, one) for one in wanted]
            refill(self._column, *self.cards)
            for card in self.cards:
                card.later.connect(self._put_off_one)
        self.setVisible(bool(self.cards))

    def retranslate(self) -> None:
        for card in self.cards:
            card.retranslate()

    def _put_off_one(self, session_id: int) -> None:
        self._put_off.add(session_id)
        self.refresh()


class SessionResult(QFrame):
    """`dismissed` when it has been seen."""

    dismissed = Signal(int)

    def __init__(self, workspace: Workspace) -> None:
        super().__init__()
        self.setProperty("card", "true")
        self._workspace = workspace
        self._view: SessionView | None = None
        self._details: SessionDetails | None = None
        self.title = label(role="section")
        self._facts = column()
        self.timeline = translated(button(kind="primary", on_click=self._show_timeline), "ui.live.result.timeline")
        self.record = translated(
            button(on_click=lambda: workspace.show_page("collect", "sessions")), "ui.live.result.record"
        )
        self.close_button = translated(button(kind="quiet", on_click=self._dismiss), "ui.live.result.close")
        acts = row(self.timeline, self.record, 1, self.close_button)
        self.setLayout(
            column(self.title, self._facts, acts, spacing=SPACE_M, margins=(SPACE_L, SPACE_M, SPACE_L, SPACE_M))
        )

    def show_view(self, view: SessionView) -> None:
        """Reads what was stored, once per session."""
        if self._view is not None and self._view.session_id == view.session_id:
            return
        from tunebench.usecases.capturing import collecting

        self._view, self._details = view, None
        project = self._workspace.opened
        self._workspace.jobs.run(
            "cpu",
            lambda _handle: collecting.details(project, view.session_id),
            owner=self,
            slot="details",
            on_result=self._take,
        )
        self.retranslate()

    def _take(self, details: SessionDetails) -> None:
        self._details = details
        self.retranslate()

    def retranslate(self) -> None:
        view = self._view
        if view is None:
            return
        whole = view.state is SessionState.FINISHED
        self.title.setText(f"{'✓' if whole else '✕'} {text(f'ui.live.result.{view.state}', label=view.label)}")
        set_tone(self.title, "ok" if whole else "warning")
        facts: list[tuple[str, str, str]] = []
        if view.message_key:
            facts.append(("why", text(f"error.{view.message_key}", **view.message_facts), "critical"))
        if self._details is not None:
            facts += result_facts(self._details, window_locale())
        refill(self._facts, fact_table(*((text(f"ui.live.result.{name}"), words, tone) for name, words, tone in facts)))

    def _show_timeline(self) -> None:
        view = self._view
        self._workspace.show_page("timeline")
        if view is not None and self._details is not None:
            segments = (segment for parts in self._details.segments.values() for segment in parts)
            ends = (segment.ended_ns for segment in segments if segment.ended_ns is not None)
            end_ns = max(ends, default=view.planned_end_ns)
            if end_ns > view.started_ns:
                self._workspace.selection.set_range(TimeRange(view.started_ns, end_ns))

    def _dismiss(self) -> None:
        if self._view is not None:
            session_id, self._view = self._view.session_id, None
            self.dismissed.emit(session_id)
