"""Settling times and naming devices as a person does it: see, type, look at the effect, read again, take back."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import QPointF, Qt
from PySide6.QtWidgets import QLabel, QPushButton

from tests.unit.usecases import daily_captures as made
from tunebench.domain.assembly import DeviceAlias
from tunebench.domain.engagement import Engagement
from tunebench.ui.frame.main_window import MainWindow
from tunebench.ui.inspected import InspectedHost
from tunebench.ui.pages.captures_page import CapturesPage
from tunebench.ui.pages.resolution_page import ResolutionPage
from tunebench.usecases import projects
from tunebench.usecases.importing import assembly, imports, resolution
from tunebench.usecases.importing.results import ImportOptions

Idle = Callable[[], None]
DAY = datetime(2026, 7, 19)
S = 1_000_000_000


@pytest.fixture(scope="module")
def prepared(tmp_path_factory: pytest.TempPathFactory, services: None) -> Path:
    """Three days of sar, the second of them again in UTC, and two vmstat files without any time."""
    folder = tmp_path_factory.mktemp("captures")
    for day in range(3):
        made.sar_day(folder, DAY + timedelta(days=day), day * 144, disks=("dev253-3",))
    made.sar_day(folder, DAY + timedelta(days=1), 144, name="utc.txt", offset=-timedelta(hours=9))
    for number in range(2):
        path = made.vmstat(folder, f"vm{number}.txt", 60, first_row=100 * number, spike_at=30)
        os.utime(path, (1_784_600_000 + 7200 * number,) * 2)
    path = tmp_path_factory.mktemp("project") / "acme.tune"
    with projects.create(path, Engagement("tuning", "ACME")) as project:
        imports.import_captures(project, [folder], ImportOptions(run="week", host="db1"))
    return path


@pytest.fixture
def assembled(window: MainWindow, prepared: Path, tmp_path: Path, idle: Idle) -> MainWindow:
    path = Path(shutil.copy(prepared, tmp_path))
    assert window.controller.open(path)
    idle()
    return window


def page_of(window: MainWindow) -> ResolutionPage:
    page = window.page("resolution")
    assert isinstance(page, ResolutionPage)
    return page


def vmstats(page: ResolutionPage) -> list[int]:
    return [each.artefact.id for each in page.table._captures if each.artefact.name.startswith("vm")]


def stored_in(window: MainWindow) -> dict[int, Any]:
    overview = window.workspace.overview
    assert overview is not None
    return {artefact.id: artefact for view in overview.runs for artefact in view.artefacts}


def words(widget: Any) -> str:
    return "\n".join(each.text() for each in widget.findChildren(QLabel))


def test_the_badge_leads_to_the_page(assembled: MainWindow, qtbot: Any, idle: Idle) -> None:
    assembled.show_page("captures")
    idle()
    captures = assembled.page("captures")
    assert isinstance(captures, CapturesPage)
    assert "(6)" in captures.times.text()
    qtbot.mouseClick(captures.times, Qt.MouseButton.LeftButton)
    page = page_of(assembled)
    assert assembled.current_page == "resolution"
    assert page.hosts.count() == 1
    assert page.table.rowCount() == 6
    assert len(page.table.chosen()) == 6
    assert page.table.cell(0, "found").toolTip().startswith("Linux")
    qtbot.mouseClick(page.back, Qt.MouseButton.LeftButton)
    assert assembled.current_page == "captures"


def test_the_effect_is_shown_while_typing_and_said_in_one_act(assembled: MainWindow, qtbot: Any, idle: Idle) -> None:
    assembled.show_page("resolution")
    page = page_of(assembled)
    ids = vmstats(page)
    page.table.choose(ids)
    assert not page.form.first_day.isEnabled(), "a file without times takes its day from its start"
    assert not page.apply.isEnabled()
    qtbot.keyClicks(page.form.start, "2026-07-20 0")
    assert not page.apply.isEnabled(), "half a time is none"
    assert "2007-07-19 09:00:00" in page._effect.words(), "what is wrong is said, not only coloured"
    qtbot.keyClicks(page.form.start, "9:00:00")
    qtbot.keyClicks(page.form.interval, "5")
    moved = {bar.key: bar for bar in page.strip.bars if bar.changed}
    assert set(moved) == set(ids)
    expected = [bar.after for bar in moved.values()]
    assert expected[0][0] == int(datetime.fromisoformat("2026-07-20T09:00:00+09:00").timestamp()) * S
    assert page.table.cell(page.table.rowCount() - 1, "then").text() != ""
    qtbot.mouseClick(page.apply, Qt.MouseButton.LeftButton)
    idle()
    stored = stored_in(assembled)
    assert [(stored[id_].ledger.first_ns, stored[id_].ledger.last_ns) for id_ in ids] == expected
    assert "2 captures" in assembled.messages.sentence()
    assembled.workspace.undo.undo()
    idle()
    stored = stored_in(assembled)
    assert [stored[id_].given for id_ in ids] == [{}, {}]
    assembled.workspace.undo.redo()
    idle()
    assert "interval (s) 5" in words(page.said)
    take_back = page.said.findChild(QPushButton, "said-1")
    qtbot.mouseClick(take_back, Qt.MouseButton.LeftButton)
    idle()
    assert "taken back" in words(page.said)


def test_aligning_by_a_spike(assembled: MainWindow, qtbot: Any, idle: Idle) -> None:
    assembled.show_page("resolution")
    page = page_of(assembled)
    first = vmstats(page)[0]
    page.table.choose([first])
    assert page.align.seen.count() == 2, "the spike of the chosen capture"
    page.align.seen.setCurrentIndex(1)
    page.align.seen.activated.emit(1)
    qtbot.keyClicks(page.align.really, "2026-07-20 14:32:05")
    qtbot.mouseClick(page.align.use, Qt.MouseButton.LeftButton)
    (bar,) = [bar for bar in page.strip.bars if bar.changed]
    spike = page.align._seen_of[0].time_ns
    really = int(datetime.fromisoformat("2026-07-20T14:32:05+09:00").timestamp()) * S
    assert bar.after[0] - bar.before[0] == really - spike
    qtbot.keyClicks(page.form.interval, "5")
    assert page.form.shift_ns == 0, "what is typed replaces what was aligned"


def test_half_a_zone_is_said_to_be_none(assembled: MainWindow) -> None:
    assembled.show_page("resolution")
    page = page_of(assembled)
    page.form.zone.setCurrentText("Asia/Se")
    assert "Asia/Seoul" in page._effect.words() and page._effect.property("tone") == "critical"
    page.form.zone.setCurrentText("UTC")
    assert "captures" in page._effect.words() and page._effect.property("tone") == ""


def test_a_refused_alignment_says_why(assembled: MainWindow, qtbot: Any, idle: Idle) -> None:
    assembled.show_page("resolution")
    page = page_of(assembled)
    page.align.aligned.emit(0, 61 * S)
    assert "cannot be moved" in assembled.messages.sentence()


def test_the_strip_tells_and_picks(assembled: MainWindow, qtbot: Any) -> None:
    assembled.show_page("resolution")
    page = page_of(assembled)
    page.strip.grab()
    box, bar, _later = page.strip._boxes[0]
    assert page.strip.bar_at(QPointF(box.center())) is not None
    qtbot.mouseClick(page.strip, Qt.MouseButton.LeftButton, pos=box.center().toPoint())
    assert page.table.cell(page.table.currentRow(), "name").text() == bar.name


def test_naming_a_device_shows_on_the_time_line_and_can_be_undone(
    assembled: MainWindow, qtbot: Any, idle: Idle
) -> None:
    workspace = assembled.workspace
    host = assembly.find_host(workspace.opened, "db1")
    assembled.show_page("captures")
    workspace.inspect(InspectedHost(host))
    link = assembled.inspector.findChild(QPushButton, "host-devices")
    qtbot.mouseClick(link, Qt.MouseButton.LeftButton)
    page = page_of(assembled)
    assert page.tabs.currentIndex() == 1
    table = page.devices.table
    assert [page.devices.cell(row, "device").text() for row in range(table.rowCount())] == ["dev253-3"]
    page.devices.cell(0, "name").setText("/oradata")
    page.devices.cell(0, "from").setText("2026-07-20 00:00")
    qtbot.mouseClick(page.devices.save, Qt.MouseButton.LeftButton)
    idle()
    (name,) = assembly.device_names(workspace.opened, host.id)
    assert (name.device, name.name, name.end_ns) == ("dev253-3", "/oradata", None)
    assert name.start_ns == int(datetime.fromisoformat("2026-07-20T00:00:00+09:00").timestamp()) * S
    assert page.devices.cell(0, "source").text() == name.author
    qtbot.mouseClick(page.devices.add, Qt.MouseButton.LeftButton)
    page.devices.cell(1, "name").setText("/old")
    page.devices.cell(1, "to").setText("yesterday")
    qtbot.mouseClick(page.devices.save, Qt.MouseButton.LeftButton)
    assert "2026-11-21 09:00" in assembled.messages.sentence()
    workspace.undo.undo()
    assert assembly.device_names(workspace.opened, host.id) == ()


def test_a_capture_that_another_holds_too_says_so_and_can_count(assembled: MainWindow, qtbot: Any, idle: Idle) -> None:
    assembled.show_page("captures")
    idle()
    page = assembled.page("captures")
    assert isinstance(page, CapturesPage)
    twin = next(entry for entry in page.entries() if entry.name == "utc.txt")
    page._choose(twin.key)
    assert "+9:00" in words(page.ledger)
    button = page.ledger.findChild(QPushButton, f"count-{twin.key}")
    qtbot.mouseClick(button, Qt.MouseButton.LeftButton)
    idle()
    assert assembly.choices(assembled.workspace.opened) == (twin.key,)
    assert page.ledger.findChild(QPushButton, f"count-{twin.key}") is None
    assembled.workspace.undo.undo()
    assert assembly.choices(assembled.workspace.opened) == ()


@pytest.mark.parametrize(("code", "mode"), [("ko", "dark"), ("en", "light")])
def test_the_page_speaks_both_languages(assembled: MainWindow, look: Any, code: str, mode: str, idle: Idle) -> None:
    assembled.show_page("resolution")
    look(code, mode)
    page = page_of(assembled)
    page.retranslate(code)
    assert page.tabs.tabText(1) == ("장치" if code == "ko" else "Devices")
    page.grab()
    assert sum(host.doubtful for host in resolution.open_hosts(assembled.workspace.opened)) == 6


def test_names_that_overlap_are_refused_in_words(assembled: MainWindow, idle: Idle) -> None:
    assembled.show_page("resolution")
    page = page_of(assembled)
    page.tabs.setCurrentIndex(1)
    page.devices.cell(0, "name").setText("/a")
    page.devices._add_row("dev253-3", DeviceAlias("dev253-3", "/b"))
    page.devices.submit()
    assert "same time" in assembled.messages.sentence()
