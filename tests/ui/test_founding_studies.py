"""Founding studies in the window from the ready experiment to the report: its own dialog, sheet and buttons, a real sshd."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from pypdfium2 import PdfDocument

from tests.e2e.test_experiment_run import STUDIES, why_not
from tests.ui.plan_controller import press
from tunebench.domain.connection import HostProfile
from tunebench.domain.experiments.records import TrialState
from tunebench.ui.capturing.capture_controller import CaptureController
from tunebench.ui.experiments.dialogs import MatrixDialog
from tunebench.ui.frame.main_window import MainWindow
from tunebench.ui.look.language import language
from tunebench.ui.pages.capture_page import CapturePage
from tunebench.ui.pages.experiments_page import TABS, ExperimentsPage
from tunebench.usecases.capturing import connections
from tunebench.usecases.experiments.matrices import find_matrix
from tunebench.usecases.reports import success_case as reports

FOUNDING = [each for each in STUDIES if each[0] in ("fs-time", "memory-steps", "bonnie-clusters")]


@pytest.mark.parametrize(("name", "typed", "levels", "measured"), FOUNDING, ids=[each[0] for each in FOUNDING])
def test_a_study_goes_from_plan_to_report(
    name: str,
    typed: dict[str, str],
    levels: dict[str, str],
    measured: tuple[str, ...],
    qtbot: Any,
    window: MainWindow,
    live_controller: CaptureController,
    db01: HostProfile,
    tmp_path: Path,
    idle: Callable[[], None],
) -> None:
    if reason := why_not(name):
        pytest.skip(reason)
    project = window.workspace.opened
    host = connections.save_profile(project, db01)
    (tmp_path / "tree").mkdir()
    for file in ("cold", "tree/0.h"):
        (tmp_path / file).write_bytes(os.urandom(1 << 20))
    window.show_page("experiments")
    idle()
    page = window.page("experiments")
    assert isinstance(page, ExperimentsPage)

    dialog = MatrixDialog(find_matrix(name, language().code), window)
    for setting, words in typed.items():
        dialog.settings[setting].setText(words.format(tmp=tmp_path))
    for factor, wanted in levels.items():
        dialog.levels[factor].setText(wanted.replace(",", " | "))
    page.add_matrix(name, dialog.values, dialog.only)
    dialog.deleteLater()
    page.plan.fields["repetitions"].setText("1")  # type: ignore[union-attr]
    page.plan._on_field("repetitions")
    idle()
    page.runs.run_on(host, 0, 60.0)
    idle()
    collect = window.findChild(CapturePage)
    assert collect is not None
    sheet = collect.plan.approval
    sheet.form.who.setText("박과장")
    press(sheet.form.record)
    idle()
    with qtbot.waitSignal(live_controller.finished, timeout=240_000):
        press(sheet.start)
    qtbot.waitUntil(lambda: all(each.is_recorded for each in page.controller.trials), timeout=60_000)

    assert {(each.state, each.reason) for each in page.controller.trials} == {(TrialState.DONE, "")}
    assert all((each.value(figure) or 0) > 0 for each in page.controller.trials for figure in measured)
    window.show_page("experiments")
    page.tabs.setCurrentIndex(TABS.index("results"))
    idle()
    assert page.results.part is not None
    assert len(page.results.part.cells) == len(page.controller.trials) > 1
    reports.write(project, language().code, "2026-11-24", pdf=tmp_path / "report.pdf")
    with PdfDocument(tmp_path / "report.pdf") as document:
        printed = "".join(each.get_textpage().get_text_bounded() for each in document)
    assert page.controller.experiment is not None and page.controller.experiment.title[:12] in printed
