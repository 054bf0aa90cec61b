"""Compare: whether two windows may be compared, what changed between them, and the chosen pair on one axis."""

from __future__ import annotations

from collections.abc import Sequence
from zoneinfo import ZoneInfo

from PySide6.QtGui import QGuiApplication, QResizeEvent
from PySide6.QtWidgets import QMenu, QWidget

from tunebench.analysis.answering.answer import Answer, NextStep
from tunebench.analysis.answering.profiles import Profile
from tunebench.analysis.comparing.comparison import ComparedSeries, Comparison, SplitOffer
from tunebench.analysis.exploring.time_range import TimeRange, whole_seconds
from tunebench.columns.column import Locale
from tunebench.core.progress import Progress
from tunebench.domain.comparability import Check
from tunebench.domain.engagement import Phase
from tunebench.domain.windows import Window, WindowRole, ends_of
from tunebench.ui.charts.lines import Mark
from tunebench.ui.charts.time_axis import event_marks, note_marks
from tunebench.ui.comparing.changed_view import PAGES, ChangedView
from tunebench.ui.comparing.compare_head import CompareHead, ProposalLine
from tunebench.ui.comparing.comparison_list import ComparisonList
from tunebench.ui.comparing.gate_bar import GateBar
from tunebench.ui.comparing.row_charts import RowCharts
from tunebench.ui.comparing.window_book import SIDES, WindowBook
from tunebench.ui.comparing.window_editor import WindowEditor
from tunebench.ui.cycle.cycle_controller import CycleController
from tunebench.ui.cycle.evidence_menu import offer_menu, offer_pin
from tunebench.ui.cycle.evidence_show import show_window
from tunebench.ui.cycle.series_menu import add_series_acts
from tunebench.ui.inspected import InspectedComparison
from tunebench.ui.look.language import language, text, translated, window_locale
from tunebench.ui.look.theme import Theme
from tunebench.ui.pages.base import CAPTURED, Page
from tunebench.ui.widgets.answering import Answering
from tunebench.ui.widgets.parts import EmptyState, column, panel, splitter, stacked, tab_bar
from tunebench.ui.workspace import Change, Workspace
from tunebench.usecases import browse, projects
from tunebench.usecases.answering.chosen import windows_to_answer
from tunebench.usecases.cycle.pinning import Offer, of_comparison
from tunebench.usecases.exploring.window_ranges import (
    cut_at,
    occurrence_ranges,
    only_run_of,
    same_clock,
    whole_of,
    window_at,
    window_range,
)
from tunebench.usecases.projects import Project

Windows = tuple[Window, Window]
HOURLESS = ("generated", "dated", "no_window")
"""What the calendar's reasons begin with where the hour does not matter or is not known."""
ROOMY_PX = 760
"""From this height on there is room to say on what the verdicts rest."""
PROFILE_STEPS = 96
"""Of the small courses of a figure."""
CHANGED, ROWS = "changed", "rows"
_JUDGED_BY = (Change.NOTES, Change.CYCLE, Change.STATEMENTS)
"""Side jobs that notes tell of, changes that were carried out, statements that a person linked."""


class ComparePage(Page):
    page_id = "compare"
    title_key = "ui.page.compare"
    icon = "compare"

    def __init__(self, workspace: Workspace, parent: QWidget | None = None) -> None:
        super().__init__(workspace, parent)
        self.book = WindowBook.of(workspace)
        self._project: Project | None = None
        self._asked: Windows | None = None
        self._marks: list[Mark] = []
        self._split_from: tuple[Windows, Windows] | None = None
        self._changed_by = Change.OPENED
        self.comparison: Comparison | None = None
        self.head = CompareHead()
        self.offer = ProposalLine(self.book)
        self.gate = GateBar()
        self.list = ComparisonList()
        self.table = self.list.table
        self.charts = RowCharts(workspace.jobs)
        self.changed = ChangedView()
        self.views = translated(tab_bar(CHANGED, ROWS), tabText=[f"ui.compare.tab.{name}" for name in (CHANGED, ROWS)])
        self.chart = self.charts.over_time
        self._lay_out()
        self._connect()
        self.add_commands(
            "analyse",
            4,
            "ui.compare.command",
            ("find", ("Ctrl+F",), self._find),
            ("copy", (), self.list.copy),
            ("copy_answer", (), self._copy_answer),
            ("gate", (), lambda: self.gate.fold(not self.gate.folded)),
        )
        self.start()

    # --- building
    def _lay_out(self) -> None:
        self._no_windows = EmptyState(
            "compare",
            "ui.compare.choose",
            (
                ("ui.compare.choose.timeline", lambda: self.workspace.show_page("timeline")),
                ("ui.timeline.empty.import", lambda: self.workspace.ask_import()),
            ),
        )
        rows = splitter(self.list, self.charts, down=True, sizes=(320, 280))
        self.concluding = Answering(self.changed, self.icon, self._compare)
        self._shown = stacked(self.concluding, rows)
        shown = panel(column(self.views, (self._shown, 1), spacing=0))
        self.answering = Answering(shown, self.icon, self._compare)
        self._middle = stacked(self.answering, self._no_windows)
        self._pages = self.stack_parts(
            self.head, self.offer, self.gate, (self._middle, 1), empty=self.captures_wanted("ui.compare.empty")
        )

    def _connect(self) -> None:
        self.workspace.selection.windows_changed.connect(lambda _b, _a: self._on_windows())
        self.book.changed.connect(self._on_windows)
        self.head.editor_asked.connect(self._ask_editor)
        self.head.chosen.connect(lambda side, window: self.workspace.selection.set_window(Phase(side), window))
        self.head.aligned.connect(lambda: self._show_row(self.chart.row))
        self.gate.split_asked.connect(self._on_split)
        self.gate.undo_asked.connect(self._undo_split)
        self.views.currentChanged.connect(self._on_view)
        self.changed.series_asked.connect(self._show_series)
        self.changed.asked.connect(lambda step: _do(self.workspace, step))
        self.list.chosen.connect(self._on_row)
        self.table.opened.connect(self._explore)
        self.list.copied.connect(lambda: self.workspace.say(text("ui.compare.copied")))
        self.chart.window_dragged.connect(self._on_dragged)
        offer_menu(self.table, self.workspace, self._fill_menu)
        offer_pin(self.chart, self.workspace)

    # --- the page's life
    def enter(self) -> None:
        super().enter()
        self._on_windows()
        self.offer.look()
        (self.table if self.views.currentIndex() else self.changed).setFocus()

    def fill(self) -> None:
        self._project = self.workspace.opened
        self._asked = None
        self.charts.use(self._project, self.workspace.zone)
        self._load_marks()
        self._propose_windows()

    def project_changed(self, change: Change) -> None:
        if change is Change.NOTES and not self.outdated and self._project is not None:
            self._load_marks()
            self._show_moments()
        if change in _JUDGED_BY:
            self._asked, self._changed_by = None, change
            if self.isVisible() and self._project is not None:
                self._propose_windows()
                self._on_windows()
        if change in CAPTURED:
            self._changed_by = change
            if change in (Change.OPENED, Change.CLOSED):
                self._show_comparison(None)
                self.answering.forget()
                self._project = None
                self.charts.use(None, self.workspace.zone)
            self.outdate()

    def _load_marks(self) -> None:
        overview, zone = self.workspace.overview, self.workspace.zone
        names = {host.id: host.name for host in overview.hosts} if overview else {}
        assert self._project is not None
        self._marks = event_marks(browse.events(self._project), names, zone)
        self._marks += note_marks(projects.list_notes(self._project), zone)

    def _propose_windows(self) -> None:
        """Chooses the windows that a report would take, where the user has chosen none."""
        chosen = self.workspace.selection
        assert self._project is not None
        before, after = self._measured(chosen.before), self._measured(chosen.after)
        proposed = windows_to_answer(self._project, before, after)
        sides = ((Phase.BEFORE, chosen.before, before), (Phase.AFTER, chosen.after, after))
        for (phase, now, valid), window in zip(sides, map(self._measured, proposed), strict=True):
            if valid is None and (window is not None or now is not None):
                chosen.set_window(phase, window)

    def _measured(self, window: Window | None) -> Window | None:
        """None of a window in which nothing was measured."""
        return window if window is not None and window_range(window, self.workspace.runs) is not None else None

    def _on_windows(self) -> None:
        chosen = self.workspace.selection
        self.head.show_windows(
            self.book.windows,
            self.workspace.runs,
            chosen.before,
            chosen.after,
            self.workspace.zone,
            self.workspace.writable,
        )
        self._show_moments()
        self.gate.offer_undo(self._split_from is not None and self._split_from[1] == (chosen.before, chosen.after))
        self._pages.setCurrentIndex(0 if any(run.first_ns is not None for run in self.workspace.runs) else 1)
        both = chosen.before is not None and chosen.after is not None
        self._middle.setCurrentIndex(0 if both else 1)
        if not both:
            self._asked = None
            self._show_comparison(None)
        elif self.isVisible() and (chosen.before, chosen.after) != self._asked:
            self._compare_anew()

    def _ranges(self) -> tuple[TimeRange | None, TimeRange | None]:
        chosen = self.workspace.selection
        return window_range(chosen.before, self.workspace.runs), window_range(chosen.after, self.workspace.runs)

    def _show_moments(self) -> None:
        self.head.show_moments(self._marks, *self._ranges(), self.workspace.zone)

    # --- comparing
    def _compare_anew(self) -> None:
        """By itself, but where it took long and only what it rests on has changed."""
        chosen = self.workspace.selection
        if not self.answering.outlives((chosen.before, chosen.after), self._changed_by):
            self._compare()

    def _compare(self) -> None:
        chosen, project = self.workspace.selection, self._project
        if project is None or chosen.before is None or chosen.after is None:
            return
        self._asked = asked = (chosen.before, chosen.after)
        before, after = asked

        def compared(handle: Progress) -> Comparison:
            from tunebench.usecases.comparing import windows
            from tunebench.usecases.comparing.compare import compare

            return compare(project, windows.ready(project, before), windows.ready(project, after), handle)

        self._show_gate(None)  # what is said of the windows before is not said of these
        self.answering.run(
            self.workspace.jobs,
            "cpu",
            compared,
            owner=self,
            slot="compare",
            on_result=lambda comparison: self._take(asked, comparison),
            on_stopped=self._on_stopped,
            title_key="ui.compare.job",
            question=asked,
        )

    def _on_stopped(self) -> None:
        self._forget_question()
        if self.answering.stands:
            self._show_gate(self.comparison)

    def _take(self, asked: Windows, comparison: Comparison) -> None:
        if asked is self._asked:  # else what was compared has changed since
            self._show_comparison(comparison)

    def _answer(self, comparison: Comparison) -> None:
        """Asks what changed: the sentence, the figures and their courses."""
        project = self._project
        if project is None:
            return

        def answered(handle: Progress) -> tuple[Answer, list[Profile | None]]:
            from tunebench.usecases.answering.answer import answer_of
            from tunebench.usecases.answering.databases import every_database
            from tunebench.usecases.answering.profiles import profiles
            from tunebench.usecases.findings.diagnose import shift

            windows = comparison.before, comparison.after
            moved = shift(project, *windows, handle)
            answer = answer_of(project, comparison, every_database(project, *windows), moved)
            return answer, profiles(project, comparison, answer.tiles, PROFILE_STEPS, handle)

        self.concluding.run(
            self.workspace.jobs,
            "cpu",
            answered,
            owner=self,
            slot="answer",
            on_result=lambda answered: self._take_answer(comparison, *answered),
            on_stopped=self._forget_question,
            title_key="ui.compare.job",
        )

    def _take_answer(self, comparison: Comparison, answer: Answer, courses: Sequence[Profile | None]) -> None:
        if comparison is self.comparison:
            self.changed.show_answer(answer, courses, self._locale())
            self._show_counts()

    def _show_counts(self) -> None:
        self.head.show_counts(self.changed.words.counts if self.changed.words is not None else "")

    def _locale(self) -> Locale:
        return Locale(language().code, self.workspace.zone)

    def _show_series(self, series: ComparedSeries) -> None:
        """Its row among all, with its chart."""
        self.views.setCurrentIndex(1)
        self.list.show_series(series)

    def _explore(self, compared: ComparedSeries) -> None:
        """Both sides of the row on the time line, over both windows."""
        ends = [end for window in self._asked or () for end in ends_of(window.occurrences) if end is not None]
        shown = [info.id for info in (*compared.before_parts, *compared.after_parts)]
        show_window(self.workspace, shown, min(ends, default=None), max(ends, default=None))

    def show_argument(self, argument: object) -> None:
        """Words that narrow the list of all series."""
        if isinstance(argument, str):
            self.views.setCurrentIndex(1)
            self.list.filter_field.setText(argument)

    def _find(self) -> None:
        self.views.setCurrentIndex(1)
        self.list.filter_field.setFocus()

    def _copy_answer(self) -> None:
        QGuiApplication.clipboard().setText(self.changed.copied())
        self.workspace.say(text("ui.compare.copied"))

    def _forget_question(self) -> None:
        self._asked = None

    def _show_comparison(self, comparison: Comparison | None) -> None:
        kept = self.chart.row.series.label if self.chart.row else None
        self.comparison = comparison
        self._show_gate(comparison)
        self.list.show_comparison(comparison, self.workspace.zone, kept)
        self.changed.show_answer(None, (), self._locale())
        self._show_counts()
        if comparison is not None:
            self._answer(comparison)

    def _show_gate(self, comparison: Comparison | None) -> None:
        self.head.show_found(comparison, self.workspace.zone)
        gate, offers = (comparison.gate, comparison.split_offers) if comparison and comparison.gate else ((), ())
        self.gate.show_gate(gate, offers, self.workspace.zone)

    # --- keeping
    def _ask_editor(self, side: str) -> None:
        """Opens the window of that side; what is kept is compared."""
        now, other = self.book.side(side), self.book.side("after" if side == "before" else "before")
        if now is None:
            return
        editor = WindowEditor(self.workspace, now if now.id else self.book.proposed(now, side), other, parent=self)
        editor.kept.connect(lambda window: self.workspace.selection.set_window(Phase(side), window))
        editor.open()

    # --- splits
    def _on_split(self, offer: SplitOffer, kept: str) -> None:
        """Keeps what lies after the moment (or before it) of the window in which it lies, and of the other side where
        hours are compared with their like: the rest would have none."""
        chosen = self.workspace.selection
        if chosen.before is None or chosen.after is None:
            return
        earlier = (chosen.before, chosen.after)
        moments = [self._moment_of(offer, side) for side in SIDES]
        later = tuple(
            window if at_ns is None else cut_at(window, at_ns, keep_later=kept == "after")
            for window, at_ns in zip(earlier, moments, strict=True)
        )
        self._split_from = (earlier, (later[0], later[1]))
        if None not in moments:
            self.workspace.say(text("ui.compare.split.both"))
        chosen.set_windows(*later)

    def _moment_of(self, offer: SplitOffer, side: str) -> int | None:
        """The split's moment on that side; on the other one the same time of day, where hours matter in one stretch."""
        if side == offer.side:
            return offer.at_ns
        gate, ranges = self.comparison.gate if self.comparison else (), self._compared(side)
        by_hour = any(check.check is Check.CALENDAR and not check.reason.startswith(HOURLESS) for check in gate)
        return (
            same_clock(offer.at_ns, ranges[0], self._clock(offer.side), self._clock(side))
            if by_hour and len(ranges) == 1
            else None
        )

    def _undo_split(self) -> None:
        if self._split_from is not None:
            earlier, self._split_from = self._split_from[0], None
            self.workspace.selection.set_windows(*earlier)

    # --- the chosen row
    def _on_view(self, index: int) -> None:
        self._shown.setCurrentIndex(index)
        self._inspect(self.chart.row)

    def _on_row(self, chosen: ComparedSeries | None) -> None:
        self._show_row(chosen)
        self._inspect(chosen)

    def _inspect(self, chosen: ComparedSeries | None) -> None:
        """Beside the answer no single series is told: its verdict is not that of its resource."""
        if chosen is not None and self._shown.currentIndex() == 1:
            self.workspace.inspect(InspectedComparison(chosen))

    def _show_row(self, chosen: ComparedSeries | None) -> None:
        sides = {side: self._compared(side) for side in SIDES}
        before, after = (whole_of(ranges) for ranges in sides.values())
        alignment = self.head.alignment(before, after, *map(self._clock, SIDES))
        self.chart.show_pair(chosen, alignment, sides)
        self.charts.show_row(chosen, self.comparison)

    def _clock(self, side: str) -> ZoneInfo:
        window = self.book.side(side)
        return window.clock(self.workspace.zone) if window is not None else self.workspace.zone

    def _compared(self, side: str) -> list[TimeRange]:
        """The occurrences of a side, without those that are in no figure."""
        left_out = self.comparison.left_out[SIDES[side] is WindowRole.AFTER] if self.comparison else ()
        gone = {occurrence.span for occurrence in left_out}
        ranges = occurrence_ranges(self.book.side(side), self.workspace.runs)
        return [span for span in ranges if (span.start_ns, span.end_ns) not in gone]

    def _on_dragged(self, side: str, moved: TimeRange, finished: bool) -> None:
        picker = self.head.before if side == "before" else self.head.after
        moved = whole_seconds(moved, moved)
        picker.preview(moved)
        if not finished:
            return
        chosen = self.workspace.selection
        now = chosen.before if side == "before" else chosen.after
        window = window_at(moved, self.workspace.run_views, prefer=only_run_of(now))
        if window is None:
            self.workspace.say(text("ui.timeline.range.no_run"), "warning")
        else:
            chosen.set_window(Phase(side), window)
        self._show_row(self.chart.row)

    def _fill_menu(self, menu: QMenu) -> None:
        chosen, ranges = self.chart.row, self._ranges()
        span = next((own.ends for own in ranges if own is not None), None)
        if chosen is not None and span is not None:
            series = chosen.before_parts or chosen.after_parts
            menu.addAction(text("ui.series.show"), lambda: self.workspace.show_page("timeline", series[0]))
            add_series_acts(menu, self.workspace, series, span, self.book.side("before"))

    def panes(self) -> tuple[QWidget, ...]:
        return (self, self.head, self.gate, self._middle, *super().panes()[1:])

    def to_pin(self) -> Offer | None:
        """The chosen row, over the windows that were compared."""
        chosen = self.chart.row
        return (
            of_comparison(chosen, *self._asked, window_locale(self.workspace.zone)) if chosen and self._asked else None
        )

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.head.honest.setVisible(event.size().height() >= ROOMY_PX)

    # --- words and colours
    def retranslate(self, language: str) -> None:
        self.head.retranslate()
        self.offer.look()
        self.head.show_found(self.comparison, self.workspace.zone)
        self._show_moments()
        self.gate.refresh()
        self.list.retranslate()
        self.changed.use_language(self._locale())
        self._show_counts()
        self.chart.refresh()
        self.charts.refresh()

    def apply_theme(self, theme: Theme) -> None:
        self.changed.refresh()
        self.gate.refresh()
        self.chart.refresh()
        self.charts.refresh()


def _do(workspace: Workspace, step: NextStep) -> None:
    """What the answer says is next: done at once where the cycle can, else on its page."""
    controller = CycleController.of(workspace)
    if step.action == "measure" and controller.due_next():
        controller.measure_due()
    elif step.action == "price":
        from tunebench.usecases.answering.pricing import take_price

        project, chosen = workspace.opened, workspace.selection
        controller.written(
            lambda code: take_price(project, controller.book, step, chosen.before, chosen.after, code),
            "ui.changed.price.taken",
        )
    else:
        workspace.show_page(PAGES.get(step.action, "board"))
