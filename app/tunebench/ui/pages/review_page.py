"""The import review: every file that came in, the most doubtful first, and one word for as many as are chosen."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from operator import attrgetter
from pathlib import Path
from zoneinfo import ZoneInfo

from PySide6.QtCore import QItemSelection, QItemSelectionModel
from PySide6.QtWidgets import QWidget

from tunebench.columns.column import Column, Locale
from tunebench.columns.formats import DASH, format_count, format_short_span, format_span
from tunebench.core.progress import Progress
from tunebench.domain.capturing.times import Correction
from tunebench.domain.engagement import is_unnamed
from tunebench.ui.importing.capture_table import assumed_words
from tunebench.ui.importing.correction_form import CorrectCaptures, CorrectionForm, PlaceFields
from tunebench.ui.look.formats import format_interval, host_words
from tunebench.ui.look.language import text, translated
from tunebench.ui.look.theme import SPACE_L, SPACE_M, SPACE_S
from tunebench.ui.pages.base import ACCEPT, CAPTURED, Page
from tunebench.ui.tables.view import FigureTable
from tunebench.ui.widgets.parts import ElidedLabel, button, caption, card, column, label, row, search_field, set_tone
from tunebench.ui.workspace import Change, Workspace
from tunebench.usecases.importing import import_review, resolution
from tunebench.usecases.importing.import_review import Reviewed
from tunebench.usecases.projects import Project

_OF_TIME = frozenset({"start", "date", "date_order"})


def columns(zone: ZoneInfo, common: str) -> list[Column[Reviewed]]:
    """`common`: the folder that all paths begin with, which says nothing here."""

    def column(
        id_: str,
        words: Callable[[Reviewed], str],
        tone: Callable[[Reviewed], str] | None = None,
        tip: Callable[[Reviewed], str] | None = None,
    ) -> Column[Reviewed]:
        shown = None if tip is None else lambda row, _: tip(row)
        return Column(id_, f"ui.review.column.{id_}", words, tone=tone, tip=shown)

    doubt: Column[Reviewed] = Column(
        "doubt",
        "ui.review.column.doubt",
        attrgetter("doubt"),
        text=_doubt,
        tone=lambda row: "watch" if row.questions else "ok",
    )

    def watched(*questions: str) -> Callable[[Reviewed], str]:
        return lambda row: "watch" if set(questions) & {*row.questions} else ""

    return [
        doubt,
        column("file", lambda row: row.path.removeprefix(common).lstrip("/\\"), tip=lambda row: row.path),
        column("tool", lambda row: row.ledger.tool or DASH),
        column(
            "host", lambda row: host_words(row.host) or DASH, tone=watched("host", "system", "overlap"), tip=_host_tip
        ),
        column("proposed", _proposed, tone=lambda _: "accent"),
        column("questions", _questions, tone=lambda _: "watch", tip=_questions),
        column("run", lambda row: row.run or DASH),
        column("phase", lambda row: text(f"ui.phase.{row.phase}") if row.phase else DASH, tone=watched("phase")),
        column("span", _span(zone), tone=watched(*_OF_TIME), tip=_whole_span(zone)),
        column("zone", lambda row: row.times.zone if row.times else DASH, tone=watched("zone")),
        column("interval", _interval, tone=watched("interval_s", "since_boot")),
        column("assumed", _assumed(", "), tone=lambda _: "muted", tip=_assumed("\n")),
    ]


def _doubt(row: Reviewed, _locale: Locale) -> str:
    return f"? {row.doubt * 100:.0f} %" if row.questions else "✓"


def _proposed(row: Reviewed) -> str:
    if row.proposal is None:
        return ""
    by = text(f"review.proposed_by.{row.proposal.by}")
    return text("ui.review.proposed", host=row.proposal.host, by=by)


def _host_tip(row: Reviewed) -> str:
    return text(f"ui.review.host_from.{row.host_from}")


def _span(zone: ZoneInfo) -> Callable[[Reviewed], str]:
    return lambda row: format_short_span(row.ledger.first_ns, row.ledger.last_ns, zone, with_year=True)


def _whole_span(zone: ZoneInfo) -> Callable[[Reviewed], str]:
    return lambda row: format_span(row.ledger.first_ns, row.ledger.last_ns, zone)


def _interval(row: Reviewed) -> str:
    return format_interval(row.times.interval_s if row.times else None)


def _questions(row: Reviewed) -> str:
    return ", ".join(text(f"review.question.{question}") for question in row.questions) or DASH


def _assumed(between: str) -> Callable[[Reviewed], str]:
    return lambda row: (assumed_words(row.times, between) if row.times else "") or DASH


class ReviewPage(Page):
    page_id = "review"
    title_key = "ui.page.review"
    icon = "captures"

    def __init__(self, workspace: Workspace) -> None:
        super().__init__(workspace)
        self._wanted: set[int] = set()
        self._accepts = False
        self._make_parts()
        self._lay_out()
        self.start()

    # --- building
    def _make_parts(self) -> None:
        self.summary, self._effect = label(role="muted"), ElidedLabel(role="muted")
        self.words = search_field("ui.review.search", least=220)
        self.back = translated(button(kind="quiet", on_click=self._go_back), "ui.resolution.back")
        self.table = translated(FigureTable(), accessibleName="ui.page.review")
        self.places, self.times = PlaceFields(), CorrectionForm()
        self.take = button(kind="quiet", on_click=lambda: self._say_each(self._proved()))
        self.take_alike = button(kind="quiet", on_click=lambda: self._say_each(self._alike()))
        self.confirm = button(kind="quiet", on_click=self.confirm_assumed)
        self.describe = translated(button(kind="quiet", on_click=self._describe), "ui.tables.describe")
        self.apply = translated(button(kind="primary", on_click=self.submit), "ui.review.apply")
        self.words.textChanged.connect(self._narrow)
        self.table.selectionModel().selectionChanged.connect(lambda _now, _then: self._on_chosen())
        self.places.changed.connect(self._show_effect)
        self.times.changed.connect(self._show_effect)

    def _lay_out(self) -> None:
        head = row(self.title(), (self.summary, 1), self.words, self.back, spacing=SPACE_L)
        foot = row(
            (self._effect, 1), self.describe, self.take, self.take_alike, self.confirm, self.apply, spacing=SPACE_M
        )
        say: QWidget = card(
            column(
                caption("ui.review.say", "strong"),
                self.places,
                self.times,
                foot,
                spacing=SPACE_S,
                margins=(SPACE_M, SPACE_S),
            )
        )
        column(head, (self.table, 1), say, spacing=SPACE_M, margins=(SPACE_L, SPACE_M), of=self)

    # --- page
    def show_argument(self, argument: object) -> None:
        """The id of a capture, which is chosen; `ACCEPT`: what is proposed for all files is taken once it is read."""
        if argument == ACCEPT:
            self._accepts = True
            self.outdate()
        elif isinstance(argument, int):
            self._wanted = {argument}
            if not self.outdated:
                self._choose(self._wanted)

    def project_changed(self, change: Change) -> None:
        if change in CAPTURED:
            self.outdate()

    def retranslate(self, code: str) -> None:
        self.outdate()

    # --- content
    def fill(self) -> None:
        project = self.workspace.opened
        self.workspace.jobs.run(
            "db",
            lambda _handle: import_review.reviewed(project),
            owner=self,
            slot="review",
            on_result=self.show_rows,
            title_key="ui.job.review",
        )

    def show_rows(self, rows: Sequence[Reviewed]) -> None:
        chosen = {entry.artefact.id for entry in self.chosen() if entry.artefact}
        folders = [Path(entry.path).parent for entry in rows]
        drives = {folder.anchor for folder in folders}
        common = os.path.commonpath(folders) if len(drives) == 1 and all(drives) else ""
        self.table.show_rows(columns(self.workspace.zone, common), rows)
        self._choose(self._wanted or chosen)
        self._wanted = set()
        hosts = sorted({entry.host for entry in rows if entry.host and not is_unnamed(entry.host)})
        self.places.offer(hosts, [view.run for view in self.workspace.run_views])
        self.times.clear_fields()
        asked = sum(bool(entry.questions) for entry in rows)
        counts = {"files": format_count(len(rows)), "asked": format_count(asked)}
        self.summary.setText(text("ui.review.summary" if asked else "ui.review.settled", **counts))
        self._on_chosen()
        if self._accepts:
            self._accepts = False
            self._say_each(import_review.proposed(rows))

    def _choose(self, ids: set[int]) -> None:
        wanted, filter_ = QItemSelection(), self.table.filter
        for position in range(filter_.rowCount()):
            index = filter_.index(position, 0)
            artefact = filter_.row_at(index).artefact
            if artefact is not None and artefact.id in ids:
                wanted.select(index, index)
        how = QItemSelectionModel.SelectionFlag.ClearAndSelect | QItemSelectionModel.SelectionFlag.Rows
        self.table.selectionModel().select(wanted, how)

    def _narrow(self, words: str) -> None:
        """What is chosen stays so, as far as it is still listed."""
        chosen = set(self._ids())
        self.table.narrow(words)
        self._choose(chosen)
        self._on_chosen()

    def chosen(self) -> list[Reviewed]:
        return [self.table.filter.row_at(index) for index in self.table.selectionModel().selectedRows()]

    def _on_chosen(self) -> None:
        chosen = self.chosen()
        self.times.offer([entry.times for entry in chosen if entry.times])
        refused = [entry for entry in chosen if entry.refusal is not None]
        is_read = bool(self.table.figures.rows)
        for act, key, decisions in (
            (self.take, "take", self._proved()),
            (self.take_alike, "take_alike", self._alike()),
            (self.confirm, "confirm", import_review.confirmed(chosen)),
        ):
            act.setText(text(f"ui.review.{key}", count=format_count(len(decisions)) if is_read else DASH))
            act.setEnabled(bool(decisions) and self.workspace.writable)
        may_describe = len(refused) == len(chosen) == 1 and Path(refused[0].path.partition("!/")[0]).is_file()
        self.describe.setEnabled(may_describe)
        self._show_effect()

    def _show_effect(self) -> None:
        count, correction = len(self._ids()), self.correction()
        words = text("ui.review.chosen", count=format_count(count)) if count else text("ui.review.choose")
        if self.times.wrong:
            words = text(self.times.wrong)
        self._effect.set_words(words if self.workspace.writable else text("ui.resolution.read_only"))
        set_tone(self._effect, "critical" if self.times.wrong else "")
        stated = correction is not None and correction != Correction(phase=correction.phase)
        self.apply.setEnabled(bool(count) and stated and self.workspace.writable)

    def _ids(self) -> list[int]:
        return [entry.artefact.id for entry in self.chosen() if entry.artefact]

    def correction(self) -> Correction | None:
        """The correction; None while a field cannot be read."""
        times = self.times.correction()
        return None if times is None else self.places.added_to(times)

    # --- acting
    def submit(self) -> None:
        ids, correction = self._ids(), self.correction()
        if ids and correction is not None:
            self._say(len(ids), lambda project, handle: resolution.correct(project, ids, correction, handle))

    def confirm_assumed(self) -> None:
        self._say_each(import_review.confirmed(self.chosen()))

    def _say_each(self, decisions: dict[int, Correction]) -> None:
        self._say(len(decisions), lambda project, handle: import_review.correct_each(project, decisions, handle))

    def _say(self, count: int, say: Callable[[Project, Progress], list[int]]) -> None:
        if not count:
            self.workspace.say(text("ui.resolution.no_change"))
            return
        done = text("ui.review.applied", count=format_count(count))
        self.workspace.undo.push(CorrectCaptures(self.workspace, say, done))

    def _proved(self) -> dict[int, Correction]:
        return import_review.proposed(self.table.figures.rows)

    def _alike(self) -> dict[int, Correction]:
        """Of all files whose names propose what those of the chosen ones do."""
        return import_review.proposed_alike(self.table.figures.rows, self.chosen())

    def _describe(self) -> None:
        [refused] = self.chosen()
        self.workspace.show_page("captures", Path(refused.path))

    def _go_back(self) -> None:
        self.workspace.show_page("captures")
