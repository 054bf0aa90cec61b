"""What a series can be made in the cycle, wherever it is shown: a target, a cause."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtWidgets import QMenu

from tunebench.domain.assembly import Span
from tunebench.domain.cycle.book import CycleEdit
from tunebench.domain.engagement import Run
from tunebench.domain.series import SeriesInfo
from tunebench.domain.windows import Window
from tunebench.ui.cycle.cycle_controller import CycleController
from tunebench.ui.look.language import text
from tunebench.ui.workspace import Workspace
from tunebench.usecases.cycle import from_series


def add_series_acts(
    menu: QMenu, workspace: Workspace, series: Sequence[SeriesInfo], span: Span, before: Window | None
) -> None:
    """
    Args:
        series: the captures of one thing, or several things of one run; a target is for one thing.
        span: what a cause is to show.
        before: over which a target's baseline is measured, where it is a kept window; else over the series' run.
    """
    if not series or not workspace.writable:
        return
    own = [info for info in series if info.run_id == series[0].run_id]
    over = before if before is not None and before.id else _run_of(workspace, series[0])
    menu.addSeparator()
    if len({info.label for info in series}) == 1 and over is not None:
        menu.addAction(text("ui.series.target"), lambda: make_target(workspace, series[0], over))
    menu.addAction(text("ui.series.cause"), lambda: make_cause(workspace, own, span))


def make_target(workspace: Workspace, info: SeriesInfo, over: Run | Window) -> None:
    project, controller = workspace.opened, CycleController.of(workspace)
    controller.written(
        lambda code: from_series.make_target(project, controller.book, info, over, code), "ui.series.target.made"
    )


def make_cause(workspace: Workspace, series: Sequence[SeriesInfo], span: Span) -> None:
    project, controller = workspace.opened, CycleController.of(workspace)
    controller.written(
        lambda code: from_series.make_cause(project, controller.book, series, span, code), "ui.series.cause.made"
    )


def add_statement_acts(menu: QMenu, workspace: Workspace, run: Run, engine: str, reference: str) -> None:
    """
    Args:
        run: whose statement it is; the baseline is measured over the window before, where one is kept.
        reference: as `StatementKey.reference`.
    """
    if not workspace.writable:
        return
    project, controller, over = workspace.opened, CycleController.of(workspace), workspace.selection.before
    before = over if over is not None and over.id else run

    def target(code: str) -> CycleEdit:
        return from_series.make_statement_target(project, controller.book, engine, reference, before, code)

    def cause(code: str) -> CycleEdit:
        return from_series.make_statement_cause(project, controller.book, run, engine, reference, code)

    menu.addSeparator()
    menu.addAction(text("ui.series.target"), lambda: controller.written(target, "ui.series.target.made"))
    menu.addAction(text("ui.series.cause"), lambda: controller.written(cause, "ui.series.cause.made"))


def _run_of(workspace: Workspace, info: SeriesInfo) -> Run | None:
    return next((run for run in workspace.runs if run.id == info.run_id), None)
