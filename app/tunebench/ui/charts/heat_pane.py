"""Devices over time, and the hours of days: what stands out is said first, then all cells are shown."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime, time, timedelta

import numpy as np
from PySide6.QtCore import Signal
from PySide6.QtWidgets import QMenu, QWidget

from tunebench.analysis.exploring.day_hours import HOURS, DayHours, busy_hours, hours_within, nightly_hours
from tunebench.analysis.exploring.time_range import SECOND_NS, TimeRange, from_local
from tunebench.analysis.exploring.time_scale import folded
from tunebench.columns.formats import format_value
from tunebench.columns.time_ticks import day_text, scale_ticks, stamp_text
from tunebench.domain.series import SeriesInfo
from tunebench.domain.windows import Occurrence
from tunebench.ui.charts.heat_cells import Cells, HeatCells, HeatPicture
from tunebench.ui.charts.lines import ChartWindow
from tunebench.ui.look.formats import host_words, unit_text
from tunebench.ui.look.language import language, text
from tunebench.ui.widgets.parts import button, column, label, row
from tunebench.ui.workspace import Workspace
from tunebench.usecases.exploring import heat
from tunebench.usecases.exploring.heat import DeviceHeat, Kind
from tunebench.usecases.exploring.strands import Strand

MOST_KINDS = 40


class HeatPane(QWidget):
    """
    Signals:
        strand_chosen: the `Strand` of a row, or that of all the hours.
        range_dragged: a `TimeRange`.
        hours_dragged: the occurrences of the hours of days that were dragged over.
    """

    strand_chosen = Signal(object)
    range_dragged = Signal(object)
    hours_dragged = Signal(object)

    def __init__(self, workspace: Workspace) -> None:
        super().__init__()
        self._workspace = workspace
        self.by_hours = False
        self._series: Sequence[SeriesInfo] = ()
        self._pieces: Sequence[TimeRange] = ()
        self._kind: str = ""
        self._windows: Sequence[ChartWindow] = ()
        self._drawn: DeviceHeat | tuple[Strand, DayHours] | None = None
        self.says = label(role="strong", wrap=True)
        self.hint = label(role="small")
        self.chooser = button()
        self.chooser.setMenu(QMenu(self.chooser))
        self.cells = HeatCells()
        self.cells.row_chosen.connect(self._on_row)
        self.cells.dragged.connect(self._on_dragged)
        head = row((self.says, 1), self.chooser)
        self.setLayout(column(head, (self.cells, 1), self.hint, margins=4))

    def ask(self, series: Sequence[SeriesInfo], pieces: Sequence[TimeRange], *, by_hours: bool) -> None:
        """Reads what of these series is drawn over these stretches."""
        self.by_hours, self._series, self._pieces = by_hours, series, pieces
        self._read()

    def show_windows(self, windows: Sequence[ChartWindow]) -> None:
        """What is compared is framed among the hours of days."""
        self._windows = windows
        if self.by_hours and self.isVisible():
            self.refresh()

    def _read(self) -> None:
        project, series, pieces = self._workspace.project, self._series, self._pieces
        if project is None or not pieces:
            self._show(None, [])
            return
        spans = [piece.ends for piece in pieces]
        whole = (spans[0][0], spans[-1][1])
        if self.by_hours:
            strands = heat.busy_candidates(series)
            strand = self._wanted({_strand_name(one): one for one in strands})
            self._run(
                lambda _handle: None if strand is None else (strand, heat.hours_of_days(project, strand, whole)),
                [_strand_name(one) for one in strands],
            )
        else:
            kinds = {_kind_name(kind): kind for kind in heat.kinds_of(series, whole)[:MOST_KINDS]}
            chosen = kinds.get(self._kind)
            wanted = [chosen] if chosen is not None else list(kinds.values())
            self._run(lambda handle: heat.telling_heat(project, wanted, spans, handle), list(kinds))

    def _wanted(self, strands: dict[str, Strand]) -> Strand | None:
        return strands.get(self._kind) or next(iter(strands.values()), None)

    def _run(self, work: Callable[..., object], names: list[str]) -> None:
        self._workspace.jobs.run("cpu", work, owner=self, slot="heat", on_result=lambda drawn: self._show(drawn, names))

    def _choose(self, name: str) -> None:
        self._kind = name
        self._read()

    # --- showing
    def _show(self, drawn: object, names: Sequence[str]) -> None:
        self._drawn = (
            drawn
            if isinstance(drawn, DeviceHeat | tuple) and (drawn[1] if isinstance(drawn, tuple) else True)
            else None
        )
        menu = self.chooser.menu()
        menu.clear()
        for name in names:
            menu.addAction(name, lambda one=name: self._choose(one))
        self.chooser.setVisible(len(names) > 1)
        self.refresh()

    def refresh(self) -> None:
        """After language, theme, size or what is drawn changed."""
        drawn = self._drawn
        if drawn is None:
            self.says.setText(text("ui.heat.hours.none" if self.by_hours else "ui.heat.devices.none"))
            self.cells.show_picture(None)
        elif isinstance(drawn, DeviceHeat):
            self.chooser.setText(_kind_name(drawn.kind))
            self.says.setText(self._say_devices(drawn))
            self.cells.show_picture(self._device_picture(drawn))
        else:
            self.chooser.setText(_strand_name(drawn[0]))
            self.says.setText(_say_hours(drawn[1]))
            self.cells.show_picture(self._hours_picture(*drawn))
        self.hint.setText(
            "" if drawn is None else text("ui.heat.hours.hint" if self.by_hours else "ui.heat.devices.hint")
        )
        self.cells.setAccessibleName(self.says.text())

    def _say_devices(self, drawn: DeviceHeat) -> str:
        ranked, first = drawn.peers, drawn.first
        name, others = _thing(drawn.kind.strands[first]), len(drawn.kind.strands) - 1
        usual = ranked.usual(first)
        if not ranked.score[first] >= 1 or not usual:
            return text("ui.heat.devices.alike", n=others + 1)
        unit, values = unit_text(drawn.kind.info.unit), drawn.values[first]
        if drawn.since is not None:
            level = float(np.nanmedian(values[drawn.since :]))
            return text(
                "ui.heat.devices.since" if drawn.since else "ui.heat.devices.lasting",
                name=name,
                value=format_value(level, 3),
                unit=unit,
                ratio=f"{level / usual:.1f}",
                n=others,
                when=self._stamp(drawn.cells[drawn.since][0]),
            )
        cell = int(ranked.surge[first])
        return text(
            "ui.heat.devices.surge",
            name=name,
            when=self._stamp(drawn.cells[cell][0]),
            value=format_value(float(values[cell]), 3),
            unit=unit,
            usual=format_value(float(ranked.level[first]), 3),
        )

    def _stamp(self, time_ns: int) -> str:
        return stamp_text(time_ns // (60 * SECOND_NS) * 60 * SECOND_NS, self._workspace.zone, with_zone=False)[:-3]

    def _device_picture(self, drawn: DeviceHeat) -> HeatPicture:
        order = drawn.peers.order
        view = TimeRange(self._pieces[0].start_ns, self._pieces[-1].end_ns)
        width = self.cells.area.width()
        scale = folded(view, self._pieces, width)
        ticks = scale_ticks(scale, self._workspace.zone, language().code, width)
        unit, names = unit_text(drawn.kind.info.unit), [_thing(drawn.kind.strands[at]) for at in order]
        values = drawn.values[order]

        def tip(number: int, cell: int) -> str:
            shown = format_value(None if np.isnan(values[number, cell]) else float(values[number, cell]), 3)
            return f"{names[number]}\n{self._stamp(drawn.cells[cell][0])}\n{shown} {unit}".rstrip()

        return HeatPicture(
            names,
            values,
            [(scale.share_of(a), scale.share_of(b)) for a, b in drawn.cells],
            [(scale.share_of(tick.time_ns), tick.text) for tick in ticks],
            drawn.peers.level[order],
            frozenset(np.flatnonzero(drawn.peers.score[order] >= 1).tolist()),
            frozenset(),
            unit,
            [self._stamp(cell[0]) for cell in drawn.cells],
            tip,
        )

    def _hours_picture(self, strand: Strand, drawn: DayHours) -> HeatPicture:
        unit, code = unit_text(strand.info.unit), language().code
        names = [day_text(day, code) for day in drawn.days]

        def tip(day: int, hour: int) -> str:
            value = drawn.values[day, hour]
            shown = format_value(None if np.isnan(value) else float(value), 3)
            return f"{names[day]} {hour:02d}–{hour + 1:02d}\n{shown} {unit}".rstrip()

        busiest = [float(np.nanmax(values)) if not np.isnan(values).all() else float("nan") for values in drawn.values]
        return HeatPicture(
            names,
            drawn.values,
            [(hour / HOURS, (hour + 1) / HOURS) for hour in range(HOURS)],
            [((hour + 0.5) / HOURS, f"{hour:02d}") for hour in range(0, HOURS, 2)],
            np.array(busiest),
            frozenset(),
            frozenset(np.flatnonzero(~drawn.works).tolist()),
            unit,
            [f"{hour:02d}" for hour in range(HOURS)],
            tip,
            [
                (window.side, row, hours[0] / HOURS, hours[1] / HOURS)
                for window in self._windows
                for row, day in enumerate(drawn.days)
                if (hours := hours_within(day, window.range.ends, self._workspace.zone))
            ],
        )

    # --- acting
    def _on_row(self, number: int) -> None:
        drawn = self._drawn
        if isinstance(drawn, DeviceHeat):
            self.strand_chosen.emit(drawn.kind.strands[int(drawn.peers.order[number])])
        elif drawn is not None:
            self.strand_chosen.emit(drawn[0])

    def _on_dragged(self, cells: Cells) -> None:
        first_row, last_row, first, last = cells
        drawn = self._drawn
        if isinstance(drawn, DeviceHeat):
            self.range_dragged.emit(TimeRange(drawn.cells[first][0], drawn.cells[last][1]))
        elif drawn is not None:
            self.hours_dragged.emit(self._occurrences(drawn[1], range(first_row, last_row + 1), first, last + 1))

    def _occurrences(self, drawn: DayHours, rows: Sequence[int], begin: int, end: int) -> list[Occurrence]:
        """Those hours of the days, without those on which nobody works unless there are only such."""
        measured = [at for at in rows if not np.isnan(drawn.values[at, begin:end]).all()]
        days = [drawn.days[at] for at in measured if drawn.works[at]] or [drawn.days[at] for at in measured]
        zone = self._workspace.zone
        return [
            Occurrence(
                *(
                    from_local(datetime.combine(day + timedelta(days=hour // HOURS), time(hour % HOURS), zone))
                    for hour in (begin, end)
                )
            )
            for day in days
        ]


def _say_hours(drawn: DayHours) -> str:
    busy = ", ".join(f"{begin:02d}–{end:02d}" for begin, end in busy_hours(drawn.workday))
    nightly = ", ".join(f"{hour:02d}" for hour in nightly_hours(drawn.values))
    parts = [text("ui.heat.hours.busy", hours=busy) if busy else text("ui.heat.hours.even")]
    return " ".join([*parts, *([text("ui.heat.hours.nightly", hours=nightly)] if nightly else [])])


def _thing(strand: Strand) -> str:
    """What tells it from its peers: the device, else the host."""
    info = strand.info
    return (
        info.device
        or " ".join(info.attributes.get(name, "") for name in ("interface", "cpu")).strip()
        or host_words(info.host)
    )


def _kind_name(kind: Kind) -> str:
    hosts = {strand.info.host for strand in kind.strands}
    where = host_words(kind.info.host) if len(hosts) == 1 else ""
    return " · ".join(filter(None, (kind.info.native, kind.info.tool, where, f"{len(kind.strands)}")))


def _strand_name(strand: Strand) -> str:
    return f"{host_words(strand.info.host)} {strand.info.label} · {strand.info.tool}"
