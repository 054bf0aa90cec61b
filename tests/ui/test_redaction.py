"""Redaction in the window: the dialog, an exported report, and a clean copy."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtWidgets import QDialog, QFileDialog

from tunebench.ui.frame.main_window import MainWindow
from tunebench.ui.look.language import language
from tunebench.ui.pages.report_page import ReportPage
from tunebench.ui.reports import redaction_dialog
from tunebench.ui.reports.redaction_dialog import RedactionDialog
from tunebench.usecases import projects
from tunebench.usecases.redaction.clean import is_clean
from tunebench.usecases.redaction.names_file import names_path, write_names

PASSPHRASE = "the names stay here"


def _answer(monkeypatch: pytest.MonkeyPatch, passphrase: str = PASSPHRASE) -> None:
    """Types the passphrase, and again where it seals for the first time."""

    def type_it(dialog: RedactionDialog) -> int:
        dialog.passphrase.setText(passphrase)
        dialog.again.setText(passphrase)
        dialog.take()
        return int(QDialog.DialogCode.Accepted if dialog.redaction else QDialog.DialogCode.Rejected)

    monkeypatch.setattr(redaction_dialog.RedactionDialog, "exec", type_it)


@pytest.fixture
def page(opened: MainWindow, idle: Callable[[], None]) -> ReportPage:
    opened.show_page("report")
    idle()
    shown = opened.stack.currentWidget()
    assert isinstance(shown, ReportPage)
    return shown


def test_an_exported_report_holds_stand_ins(
    page: ReportPage, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, idle: Callable[[], None]
) -> None:
    project = page.workspace.opened
    names = [host.name for host in projects.overview(project).hosts]
    assert names
    page.export("html", tmp_path / "plain.html")
    idle()
    assert names[0] in (tmp_path / "plain.html").read_text(encoding="utf-8")
    _answer(monkeypatch)
    page.options.redaction.setCurrentIndex(page.options.redaction.findData("strict"))
    assert projects.read_engagement(project).customer not in page.file_name()
    page.export("html", tmp_path / "redacted.html")
    idle()
    told = (tmp_path / "redacted.html").read_text(encoding="utf-8")
    words = re.sub(r"<[^>]*>", " ", told.partition("<body")[2])
    assert not [name for name in names if re.search(rf"(?<![\w.]){re.escape(name)}(?![\w.])", words)]
    assert "HOST-001" in told
    assert "redacted.html.manifest.json" in page.options.result.text()
    assert (tmp_path / "redacted.html.manifest.json").exists()


def test_a_clean_copy_is_a_project_that_says_so(
    opened: MainWindow, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, idle: Callable[[], None]
) -> None:
    target = tmp_path / "elsewhere.tune"
    _answer(monkeypatch)
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_args, **_more: (str(target), ""))
    opened.controller.export_clean()
    idle()
    with projects.open_(target, read_only=True) as copy:
        assert is_clean(copy)
        assert "strict" in projects.read_engagement(copy).confidentiality


def test_a_wrong_passphrase_is_told_in_the_dialog(page: ReportPage) -> None:
    project = page.workspace.opened
    first = RedactionDialog(project)
    first.passphrase.setText(PASSPHRASE)
    assert not first.ok.isEnabled()  # it seals for the first time: typed twice
    first.again.setText(PASSPHRASE)
    first.take()
    assert first.redaction is not None
    write_names(names_path(project), {}, PASSPHRASE)
    again = RedactionDialog(project, "names-only")
    again.passphrase.setText("something else")
    again.take()
    assert again.redaction is None
    assert again.told.text()
    assert again.profile.currentData() == "names-only"
    for dialog in (first, again):
        dialog.deleteLater()


@pytest.mark.skipif("REDACTION_PICTURES" not in os.environ, reason="only where somebody wants to look")
@pytest.mark.parametrize("code", ["ko", "en"])
def test_pictures(page: ReportPage, opened: MainWindow, idle: Callable[[], None], code: str) -> None:
    folder = Path(os.environ["REDACTION_PICTURES"])
    language().switch(code)
    opened.resize(1280, 800)
    page.options.redaction.setCurrentIndex(1)
    idle()
    opened.grab().save(str(folder / f"report-{code}.png"))
    dialog = RedactionDialog(page.workspace.opened, "strict", opened)
    dialog.show()
    idle()
    dialog.grab().save(str(folder / f"dialog-{code}.png"))
    dialog.close()
