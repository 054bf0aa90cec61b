"""The chosen row drawn: over time, its days over each other by time of day, and at equal load where it is judged so."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from zoneinfo import ZoneInfo

from PySide6.QtCore import QSignalBlocker
from PySide6.QtWidgets import QWidget

from tunebench.analysis.comparing.comparison import ComparedSeries, Comparison, Parts
from tunebench.analysis.comparing.fold import Fold, folded
from tunebench.analysis.series import SeriesData
from tunebench.columns import comparing_words
from tunebench.columns.formats import format_value
from tunebench.domain.windows import Stretch
from tunebench.ui.charts.pair_chart import PairChart, headed_column
from tunebench.ui.charts.pair_plot import SIDES, PairPlot, Point, clock_text, picture_of_days, picture_of_load
from tunebench.ui.jobs_bridge import JobsBridge
from tunebench.ui.look.formats import host_words, unit_text
from tunebench.ui.look.language import language, text, translated
from tunebench.ui.widgets.parts import Card, ElidedLabel, column, label, show_tab, stacked, tab_bar
from tunebench.usecases.comparing.captured import day_of
from tunebench.usecases.projects import Project

TIME, DAYS, LOAD = "time", "days", "load"


class PlotCard(Card):
    """A plot with its title and what is under the cursor."""

    def __init__(self) -> None:
        super().__init__()
        self.plot = PairPlot()
        self.title = ElidedLabel(role="strong")
        self._when = label(role="small")
        self._values = {side: label(tone=side) for side in SIDES}
        headed_column(self, self.title, self._when, *self._values.values()).addWidget(self.plot, 1)
        self.plot.pointed.connect(self.show_point)

    def show_point(self, points: Mapping[str, Point]) -> None:
        """Shows the points of either side that are under the cursor."""
        x = next((point.x for point in points.values()), None)
        clock = self.plot.picture is not None and self.plot.picture.clock
        self._when.setText("" if x is None else clock_text(x) if clock else format_value(x))
        for side, reading in self._values.items():
            point = points.get(side)
            ends = f" ({format_value(point.lowest)} – {format_value(point.highest)})" if point else ""
            value = f"{format_value(point.value)}{ends}" if point else ""
            reading.setText(
                text(f"ui.compare.reading.{side}", value=value) if point else text(f"ui.compare.side.{side}")
            )


class RowCharts(QWidget):
    """`over_time` is the chart over time; the tabs show where there is another."""

    def __init__(self, jobs: JobsBridge) -> None:
        super().__init__()
        self._jobs = jobs
        self._project: Project | None = None
        self._zone = ZoneInfo("UTC")
        self._clocks: list[ZoneInfo] = []
        self._row: ComparedSeries | None = None
        self._stretches: tuple[Sequence[Stretch], Sequence[Stretch]] = ((), ())
        self._folds: tuple[Fold, ...] | None = None
        self._wanted = TIME
        self.over_time, self.card = PairChart(jobs), PlotCard()
        keys = [f"ui.compare.view.{name}" for name in (TIME, DAYS, LOAD)]
        tips = [f"{key}.tip" for key in keys]
        self.tabs = translated(tab_bar(TIME, DAYS, LOAD), tabText=keys, tabToolTip=tips)
        self._stack = stacked(self.over_time, self.card)
        column(self.tabs, (self._stack, 1), spacing=0, of=self)
        self._offer()
        self.tabs.tabBarClicked.connect(self._choose)
        self.tabs.currentChanged.connect(self._choose)

    def use(self, project: Project | None, zone: ZoneInfo) -> None:
        self._project, self._zone = project, zone
        self.over_time.use(project)

    def show_row(self, row: ComparedSeries | None, comparison: Comparison | None) -> None:
        """Offers the views of the row beside the chart over time."""
        self._row, self._folds = row, None
        self._stretches = (
            (comparison.occurrences_before, comparison.occurrences_after) if comparison is not None else ((), ())
        )
        windows = (comparison.before, comparison.after) if comparison is not None else ()
        self._clocks = [window.clock(self._zone) for window in windows]
        self._offer()
        self.refresh()

    @property
    def views(self) -> tuple[str, ...]:
        """What there is to see of the row."""
        row = self._row
        days = row is not None and any(map(_several_days, self._stretches, self._clocks)) and row.before and row.after
        load = row is not None and row.curve is not None
        return (TIME, *([DAYS] if days else []), *([LOAD] if load else []))

    def _offer(self) -> None:
        """Keeps the view that was chosen last, where the row has it."""
        views = self.views
        self.tabs.setVisible(len(views) > 1)
        shown = self._wanted if self._wanted in views else TIME
        with QSignalBlocker(self.tabs):
            for index in range(self.tabs.count()):
                show_tab(self.tabs, index, self.tabs.tabData(index) in views)
            self.tabs.setCurrentIndex((TIME, DAYS, LOAD).index(shown))

    @property
    def view(self) -> str:
        return str(self.tabs.tabData(self.tabs.currentIndex()))

    def _choose(self, index: int) -> None:
        if index >= 0:
            self._wanted = str(self.tabs.tabData(index))
            self._offer()
            self.refresh()

    def refresh(self) -> None:
        """After row, tab, language or theme changed."""
        self._stack.setCurrentIndex(0 if self.view == TIME else 1)
        if self.view == TIME or self._row is None:
            return
        unit = unit_text(self._row.unit)
        named = f"{self._row.series.label}{f' ({unit})' if unit else ''} · {host_words(self._row.series.host)}"
        self.card.title.set_words(named)
        self.card.plot.setAccessibleName(f"{named}: {text(f'ui.compare.view.{self.view}')}")
        if self.view == LOAD and self._row.curve is not None:
            across = comparing_words.measure_text(self._row.curve.measure, language().code)
            self.card.plot.show_picture(picture_of_load(self._row.curve, unit, across))
        elif self._folds is None:
            self._ask_days()
        else:
            self._show_days(self._folds)
        self.card.show_point({})

    # --- days over each other
    def _ask_days(self) -> None:
        row, project, stretches, clocks = self._row, self._project, self._stretches, self._clocks
        self.card.plot.show_picture(None)
        if row is None or project is None:
            return
        sides = zip((row.before_parts, row.after_parts), stretches, strict=True)
        wanted = [(parts, list(own)) for parts, own in sides]
        self._jobs.run(
            "db",
            lambda _handle: folded([_samples(project, parts, own) for parts, own in wanted], clocks),
            owner=self,
            slot="days",
            on_result=lambda folds: self._take(row, folds),
        )

    def _take(self, row: ComparedSeries, folds: tuple[Fold, ...] | None) -> None:
        if row is self._row and self.view == DAYS:
            self._folds = folds
            self._show_days(folds)

    def _show_days(self, folds: tuple[Fold, ...] | None) -> None:
        if folds is None or self._row is None:
            self.card.plot.show_picture(None, text("ui.compare.view.days.none"))
            return
        counts = {side: fold.occurrences for side, fold in zip(SIDES, folds, strict=True)}
        across = text(
            "ui.compare.view.days.across", zone=", ".join(dict.fromkeys(clock.key for clock in self._clocks)), **counts
        )
        self.card.plot.show_picture(picture_of_days(folds, unit_text(self._row.unit), across))


def _several_days(side: Sequence[Stretch], clock: ZoneInfo) -> bool:
    return len({day_of(stretch.start_ns, clock) for stretch in side}) > 1


def _samples(project: Project, parts: Parts, stretches: Sequence[Stretch]) -> list[SeriesData]:
    from tunebench.usecases.comparing.sides import samples_in

    return [samples_in(project, parts, stretch) for stretch in stretches]
