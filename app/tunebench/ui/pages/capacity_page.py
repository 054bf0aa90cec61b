"""Capacity: when a limit is reached, what more load would need, how long a growth rate lasts."""

from __future__ import annotations

from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QWidget

from tunebench.core.errors import UserError
from tunebench.domain.windows import Window
from tunebench.ui.capacity.forecast_chart import ChartPoint, ForecastChart
from tunebench.ui.capacity.load_card import GrowthCard, LoadCard
from tunebench.ui.capacity.number_card import AnswerCard, NumberCard, copied
from tunebench.ui.capacity.subject_picker import NumberField, SubjectPicker
from tunebench.ui.commands import Command
from tunebench.ui.comparing.window_book import WindowBook
from tunebench.ui.look.formats import unit_text
from tunebench.ui.look.language import error_text, language, text, translated
from tunebench.ui.look.theme import SPACE_S
from tunebench.ui.pages.base import CAPTURED, Page
from tunebench.ui.widgets.answering import Answering
from tunebench.ui.widgets.parts import button, caption, card, column, label, panel, row
from tunebench.ui.widgets.window_picker import WindowPicker
from tunebench.ui.workspace import Change, Workspace
from tunebench.usecases.capacity import outlook as capacity
from tunebench.usecases.capacity import series
from tunebench.usecases.capacity.outlook import Outlook
from tunebench.usecases.capacity.series import Subject, list_subjects
from tunebench.usecases.capacity.words import day_text, figure, limit_text, quantity

NUMBERS_PX, WINDOW_PX = 312, 280


class CapacityPage(Page):
    page_id = "capacity"
    title_key = "ui.page.capacity"
    icon = "capacity"

    def __init__(self, workspace: Workspace, parent: QWidget | None = None) -> None:
        super().__init__(workspace, parent)
        self._subjects: list[Subject] = []
        self._limits: dict[int, float] = {}
        self._wanted: int | None = None
        self._window: Window | None = None
        self.book = WindowBook.of(workspace)
        self.outlook: Outlook | None = None
        self.picker = SubjectPicker("ui.capacity.pick")
        self.window_box = translated(WindowPicker(), accessibleName="ui.capacity.window")
        self.window_box.setFixedWidth(WINDOW_PX)
        self.limit_field = translated(
            NumberField(84), accessibleName="ui.capacity.limit", toolTip="ui.capacity.limit.tip"
        )
        self.answer, self.chart, self.numbers = AnswerCard(), ForecastChart(), NumberCard(self.copy)
        self.load, self.growth = LoadCard(), GrowthCard()
        self._lay_out()
        self._connect()
        self.workspace.commands.add(
            Command("forecast.copy", "analyse", 6, page_id="capacity", text_key="ui.capacity.copy"), self.copy
        )
        self.start()

    # --- building
    def _lay_out(self) -> None:
        self._limit_unit, self._limit_source = label(role="small"), label(role="small")
        self.propose_button = translated(button("", "link", self._propose), "ui.capacity.limit.propose")
        self._under = label(role="small")
        self.numbers.setFixedWidth(NUMBERS_PX)
        picture = card(column((self.chart, 1), self._under, spacing=2, margins=(SPACE_S, SPACE_S)))
        body = column(
            (row((column(self.answer, self._limit_source, (picture, 1)), 1), self.numbers), 1),
            row((self.load, 1), (self.growth, 1)),
        )
        self.answering = Answering(panel(body), self.icon, self.enter)
        self._pages = self.stack_parts(
            row(
                self.title(),
                (self.picker, 1),
                self.window_box,
                caption("ui.capacity.limit"),
                self.limit_field,
                self._limit_unit,
                self.propose_button,
            ),
            (self.answering, 1),
            empty=self.captures_wanted("ui.capacity.empty"),
        )

    def _connect(self) -> None:
        self.picker.picked.connect(lambda _series_id: self._ask())
        self.window_box.picked.connect(self._on_window)
        self.book.changed.connect(self._on_windows)
        self.limit_field.taken.connect(self._on_limit)
        self.chart.pointed.connect(self._on_pointed)
        self.load.asked.connect(self._ask_load)

    # --- the page's life
    def enter(self) -> None:
        self._fill_windows()
        super().enter()

    def fill(self) -> None:
        project, window = self.workspace.opened, self._window
        self.answering.run(
            self.workspace.jobs,
            "db",
            lambda _handle: list_subjects(project, window),
            owner=self,
            slot="subjects",
            on_result=self._show_subjects,
            on_stopped=self._forget,
        )

    def project_changed(self, change: Change) -> None:
        if change in (Change.OPENED, Change.CLOSED):
            self._limits, self._wanted, self._window, self.outlook = {}, None, None, None
            self._subjects = []
            self.picker.fill([], None)
        if change in CAPTURED:
            self.outdate()

    # --- the window
    def _fill_windows(self) -> None:
        runs = [view.run for view in self.workspace.run_views if view.artefacts]
        self._window = self.book.now(self._window, runs)
        self.window_box.show_windows(self.book.windows, runs, self._window, text("ui.capacity.window.all"))

    def _on_window(self, window: Window | None) -> None:
        self._window = window
        self.outdate()

    def _on_windows(self) -> None:
        """Windows were edited, or that was undone; of one that is gone nothing is shown any more."""
        now = self.book.now(self._window)
        self.outdated = self.outdated or now != self._window
        self._window = now
        if self.isVisible() and self.workspace.project is not None:
            self.enter()

    def show_argument(self, argument: object) -> None:
        """The id of a series to look at, of any run."""
        if isinstance(argument, int):
            self._wanted = argument
            self._choose_wanted()

    def _choose_wanted(self) -> None:
        """Chooses the series that was asked for, once it is listed."""
        wanted = next(
            (subject for subject in self._subjects if self._wanted in {part.id for part in subject.parts}), None
        )
        if wanted is not None:
            self._wanted = None
            self.picker.show_chosen(wanted.id)
            self._ask()

    def _forget(self) -> None:
        self.outdated = True

    def _show_subjects(self, subjects: list[Subject]) -> None:
        self._subjects = subjects
        self._pages.setCurrentIndex(1 if not subjects and self._window is None else 0)
        ids = {subject.id for subject in subjects}
        chosen = self.picker.chosen()
        chosen = chosen if chosen in ids else next((subject.id for subject in subjects), None)
        self.picker.fill(subjects, chosen)
        loads = series.loads(subjects)
        load = self.load.picker.chosen()
        likely = _busiest(loads)
        self.load.fill(loads, load if load in ids else likely.id if likely is not None else None)
        if subjects:
            self._ask()
            self._choose_wanted()
        else:
            self._show_nothing(text("ui.capacity.window.nothing"))

    # --- the forecast
    def _on_limit(self, limit: float) -> None:
        chosen = self.picker.chosen()
        if chosen is not None:
            self._limits[chosen] = limit
            self._ask()

    def _propose(self) -> None:
        chosen = self.picker.chosen()
        if chosen is not None and self._limits.pop(chosen, None) is not None:
            self._ask()

    def _ask(self) -> None:
        project, chosen = self.workspace.project, self.picker.chosen()
        if project is None or chosen is None:
            return
        limit, window = self._limits.get(chosen), self._window
        self.answering.run(
            self.workspace.jobs,
            "cpu",
            lambda _handle: capacity.outlook(project, chosen, limit, window=window),
            owner=self,
            slot="outlook",
            on_result=self._show_outlook,
            on_error=self._show_refusal,
            on_stopped=self._forget,
            title_key="ui.capacity.job",
        )

    def _show_outlook(self, outlook: Outlook) -> None:
        if not self._subjects:  # of a window that nobody looks at any more
            return
        self.outlook = outlook
        self.limit_field.show_number(figure(outlook.limit.value))
        self._limit_unit.setText(unit_text(outlook.subject.info.unit))
        self.growth.show_series(outlook.now, outlook.limit.value, outlook.subject.info.unit)
        self.growth.setEnabled(not outlook.forecast.falling)
        self._say()
        self._ask_load()

    def _show_refusal(self, refused: UserError) -> None:
        """No limit can be proposed: the field asks for one."""
        if not self._subjects:
            return
        self._show_nothing(error_text(refused))
        self.chart.ask_limit()
        self.limit_field.setFocus()

    def _show_nothing(self, why: str) -> None:
        self.outlook = None
        self.limit_field.show_number("")
        self._limit_unit.setText("")
        self._say()
        self.answer.show_words(why)
        self.load.show_found(None)
        self.growth.forget_series()

    def _say(self) -> None:
        outlook = self.outlook
        self.chart.show_outlook(outlook)
        self.numbers.show_outlook(outlook)
        self._on_pointed(None)
        if outlook is None:
            self._limit_source.setText("")
            self.propose_button.hide()
            return
        self.answer.show_outlook(outlook)
        self.chart.setAccessibleName(text("ui.capacity.chart"))
        self.chart.setAccessibleDescription(self.answer.accessibleDescription())
        source = limit_text(outlook.limit, language().code)
        self._limit_source.setText(text("ui.capacity.limit.source", source=source))
        self.propose_button.setVisible(outlook.limit.proposed is None and outlook.subject.id in self._limits)

    def _on_pointed(self, point: ChartPoint | None) -> None:
        if self.outlook is None:
            self._under.setText(" ")
            return
        unit = self.outlook.subject.info.unit
        self._under.setText(text("ui.capacity.chart.legend") if point is None else _point_words(point, unit))

    # --- what if
    def _ask_load(self) -> None:
        project, outlook, load = self.workspace.project, self.outlook, self.load.picker.chosen()
        if project is None or outlook is None:
            return
        if not outlook.subject.works or load is None:
            why = "none" if outlook.subject.works else "no_ceiling"
            self.load.show_found(None, text(f"ui.capacity.load.{why}"))
            return
        resource, limit, factor = outlook.subject.id, outlook.limit.value, self.load.factor
        window = self._window
        self.workspace.jobs.run(
            "cpu",
            lambda _handle: capacity.what_if(project, load, resource, [factor], limit, window),
            owner=self,
            slot="load",
            on_result=lambda answers: self.load.show_found(answers if self.outlook is not None else None),
            on_error=lambda refused: self.load.show_found(None, error_text(refused)),
        )

    # --- words
    def copy(self) -> None:
        if self.outlook is not None:
            QGuiApplication.clipboard().setText(copied(self.outlook))
            self.workspace.say(text("ui.capacity.copied"))

    def retranslate(self, code: str) -> None:
        self._fill_windows()
        self._say()
        if not self.outdated and not self._subjects:
            self.answer.show_words(text("ui.capacity.window.nothing"))


def _point_words(point: ChartPoint, unit: str) -> str:
    words = [day_text(point.day)]
    if point.value is not None:
        words.append(text("ui.capacity.chart.measured", value=quantity(point.value, unit, language().code)))
    if point.centre is not None:
        words.append(text("ui.capacity.chart.centre", value=quantity(point.centre, unit, language().code)))
    if point.low is not None and point.high is not None:
        low, high = figure(max(point.low, 0.0)), quantity(point.high, unit, language().code)
        words.append(text("ui.capacity.chart.band", low=low, high=high))
    if point.value is None and point.centre is None:
        words.append(text("ui.capacity.chart.nothing"))
    return " · ".join(words)


def _busiest(loads: list[Subject]) -> Subject | None:
    """Transactions where there are any, else the load with most samples."""
    if not loads:
        return None
    first = loads[0]
    if first.info.metric.startswith("db."):
        return first
    transfers = [subject for subject in loads if subject.info.metric == "system.disk.operations"]
    return max(transfers or loads, key=lambda subject: sum(part.count for part in subject.parts))
