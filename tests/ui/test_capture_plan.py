"""The plan of the capture page: chosen, costed, shown verbatim, written as a sheet, approved, and void when changed."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Callable
from datetime import datetime
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest

from tests.ui.plan_controller import Controller, facts, press, type_into
from tunebench.core.errors import UserError
from tunebench.domain.capturing import budget
from tunebench.domain.capturing.plan import CaptureMode, CapturePlan, CommandKind, ScheduleKind
from tunebench.domain.connection import HostProfile
from tunebench.domain.engagement import Phase
from tunebench.store.audit import trail as audit
from tunebench.ui.capturing.approval_panel import ApprovalPanel
from tunebench.ui.capturing.draft_controller import DraftState
from tunebench.ui.capturing.plan_editor import PlanEditor
from tunebench.ui.capturing.plan_settings import MODES, PHASES, SCHEDULES
from tunebench.usecases.capturing import plans as capture_plans

pytest_plugins = ("tests.ui.plan_fixtures",)

DB01 = HostProfile("db01", "10.20.30.41", user="oracle", os="linux", use_config=False)
SUN = HostProfile("sun9", "10.20.30.49", user="root", os="sunos", use_config=False, weak_algorithms=("aes128-cbc",))
TIMED = "generic.timed_command"


@pytest.fixture
def linux(controller: Controller) -> Controller:
    """One Linux host, chosen, and the default set on the table."""
    controller.save(DB01)
    return controller


def plan_of(controller: Controller) -> CapturePlan:
    controller.settle()
    assert controller.tab.draft.plan is not None, controller.tab.draft.error
    return controller.tab.draft.plan


def editor(controller: Controller) -> PlanEditor:
    return controller.tab.editor


def panel(controller: Controller) -> ApprovalPanel:
    return controller.tab.approval


def check(controller: Controller, probe_id: str, on: bool = True) -> None:
    model = editor(controller).model
    row = model.row_of(probe_id)
    assert row is not None
    state = Qt.CheckState.Checked if on else Qt.CheckState.Unchecked
    model.setData(model.index(row, 0), state, Qt.ItemDataRole.CheckStateRole)
    controller.settle()


def approve(controller: Controller, who: str = "Kim", note: str = "") -> None:
    form = panel(controller).form
    type_into(form.who, who)
    type_into(form.note, note)
    press(form.record)
    controller.settle()


def audited(controller: Controller, kind: str) -> list[dict[str, object]]:
    return [entry.facts for entry in audit.list_audit(controller.project) if entry.action == kind]


# --- what is chosen
def test_nothing_is_planned_without_a_host(controller: Controller) -> None:
    assert controller.tab.draft.state is DraftState.INCOMPLETE
    assert "Choose at least one server" in facts(panel(controller))
    for button in (
        panel(controller).sheet,
        panel(controller).script,
        panel(controller).start,
        panel(controller).form.record,
    ):
        assert not button.isEnabled()


def test_a_chosen_linux_host_gets_the_default_set(linux: Controller) -> None:
    plan = plan_of(linux)
    wanted = {probe.id for probe in capture_plans.available_probes("linux") if probe.default}
    assert {command.probe for command in plan.commands if command.kind is not CommandKind.HOUSE} == wanted
    assert (plan.interval_s, plan.duration_s, plan.mode) == (1.0, 600.0, CaptureMode.LIVE)
    assert plan.hosts[0].address == "10.20.30.41"


def test_every_choice_is_in_the_plan(linux: Controller) -> None:
    settings = editor(linux).settings
    type_into(settings.run, "before index")
    settings.phase.setCurrentIndex(PHASES.index(Phase.AFTER))
    settings.interval.setValue(5)
    settings.duration.amount.setValue(2)
    settings.duration.unit.setCurrentIndex(2)
    settings.mode.setCurrentIndex(MODES.index(CaptureMode.DETACHED))
    check(linux, "linux.free")
    plan = plan_of(linux)
    assert (plan.run, plan.phase, plan.interval_s, plan.duration_s) == ("before index", "after", 5.0, 7200.0)
    assert plan.mode is CaptureMode.DETACHED
    assert "linux.free" in {command.probe for command in plan.commands}
    assert any("vmstat" in command.tool_line and " 5 " in command.tool_line for command in plan.commands)


def test_a_schedule_is_in_the_zone_of_the_engagement(linux: Controller) -> None:
    settings = editor(linux).settings
    settings.kind.setCurrentIndex(SCHEDULES.index(ScheduleKind.EVERY))
    settings.set_start(datetime(2027, 1, 5, 14, 30))
    settings.times.setValue(3)
    schedule = plan_of(linux).schedule
    assert (schedule.kind, schedule.at) == (ScheduleKind.EVERY, "2027-01-05T14:30:00+09:00")
    assert (schedule.every_s, schedule.times) == (3600, 3)
    settings.kind.setCurrentIndex(SCHEDULES.index(ScheduleKind.NOW))
    assert plan_of(linux).schedule.at == ""
    assert not settings.at.isVisible()


def test_hosts_of_two_systems_each_get_their_own_commands(linux: Controller) -> None:
    linux.save(SUN)
    plan = plan_of(linux)
    assert any("prstat" in command.tool_line or "iostat -xn" in command.tool_line for command in plan.on("sun9"))
    assert all("-t -w" not in command.tool_line for command in plan.on("sun9"))
    names = [editor(linux).model.index(row, 0).data() for row in range(editor(linux).model.rowCount())]
    assert len(names) == len(set(names))
    assert any(name.startswith("Solaris · ") for name in names)
    linux.tab.hosts.model.setData(
        linux.tab.hosts.model.index(0, 0), Qt.CheckState.Unchecked, Qt.ItemDataRole.CheckStateRole
    )
    assert [host.name for host in plan_of(linux).hosts] == ["sun9"]


def test_a_command_of_ones_own_needs_its_words_and_is_marked(linux: Controller) -> None:
    check(linux, TIMED)
    assert linux.tab.draft.plan is None
    assert isinstance(linux.tab.draft.error, UserError)
    details = editor(linux).details
    field = details.fields["command"]
    QTest.keyClicks(field, "nm /dev/ksyms")
    plan = plan_of(linux)
    assert [command.own_words for command in plan.commands if command.probe == TIMED] == [True]
    assert "typed" in editor(linux).cost.words.text()
    assert "A command in your own words" in facts(details)


def test_space_toggles_a_probe_from_the_keyboard(linux: Controller) -> None:
    table = editor(linux).table
    assert editor(linux).table.currentIndex().row() == 0
    first = editor(linux).model.rows[0].id
    assert first in {command.probe for command in plan_of(linux).commands}
    table.setFocus()
    QTest.keyClick(table, Qt.Key.Key_Space)
    assert first not in {command.probe for command in plan_of(linux).commands}


def test_words_find_a_probe(linux: Controller) -> None:
    type_into(editor(linux).filter, "iostat disk")
    found = [editor(linux).filtered.index(row, 0).data() for row in range(editor(linux).filtered.rowCount())]
    assert any(name.startswith("iostat") for name in found)
    assert 0 < len(found) < editor(linux).model.rowCount()
    assert not any(name.startswith("vmstat") for name in found)


def test_no_probe_at_all_is_said_in_one_sentence(linux: Controller) -> None:
    press(editor(linux).none)
    linux.settle()
    assert "Choose at least one probe" in facts(panel(linux))
    assert linux.tab.draft.plan is None


def test_a_host_that_cannot_be_resolved_is_said_in_one_sentence(linux: Controller) -> None:
    linux.save(HostProfile("loop", "loop.example", jump=("loop",), use_config=False, os="linux"))
    assert linux.tab.draft.state is DraftState.REFUSED
    shown = facts(panel(linux))
    assert "No plan can be made of this" in shown
    assert "loop" in shown
    assert not panel(linux).sheet.isEnabled()


# --- what it costs
def test_costs_are_those_of_the_plan_against_the_promise(linux: Controller) -> None:
    plan = plan_of(linux)
    cost = budget.totals(plan, "db01")
    assert cost.cpu_pct is not None
    assert editor(linux).cost.cpu.text().startswith(f"{cost.cpu_pct:.3g} % of a core")
    assert editor(linux).cost.bars["cpu"].value() == round(cost.cpu_pct * 1000)
    assert editor(linux).cost.words.isHidden()


def test_what_costs_more_than_promised_is_warned_of(linux: Controller) -> None:
    check(linux, "linux.pidstat")
    cost = editor(linux).cost
    assert "1 %" in cost.words.text()
    assert cost.cpu.property("tone") == "warning"
    assert cost.bars["cpu"].value() == cost.bars["cpu"].maximum()


def test_weak_algorithms_and_a_guessed_system_are_warned_of(controller: Controller) -> None:
    controller.save(SUN, HostProfile("x", "10.0.0.1", use_config=False))
    words = editor(controller).cost.words.text()
    assert "aes128-cbc" in words
    assert "x: " in words


# --- what is shown and written
def test_every_command_is_shown_and_copied_verbatim(linux: Controller) -> None:
    plan = plan_of(linux)
    shown = panel(linux).text.toPlainText()
    for command in plan.commands:
        assert command.verbatim in shown
        assert command.stop_by_hand in shown
    press(panel(linux).copy)
    copied = QGuiApplication.clipboard().text().split("\n")
    assert sorted(copied) == sorted(command.verbatim for command in plan.commands)
    press(panel(linux).copy_hash)  # type: ignore[arg-type]
    assert QGuiApplication.clipboard().text() == plan.digest


def test_each_host_has_its_own_commands_to_read(linux: Controller) -> None:
    linux.save(SUN)
    plan = plan_of(linux)
    panel(linux).host.setCurrentText("sun9")
    shown = panel(linux).text.toPlainText()
    assert all(command.verbatim in shown for command in plan.on("sun9"))
    assert not any(command.verbatim in shown for command in plan.on("db01") if command.kind is CommandKind.STREAM)
    assert "aes128-cbc" in shown


def test_the_sheet_is_written_in_the_language_that_is_asked_for_and_audited(linux: Controller, tmp_path: Path) -> None:
    for code in ("ko", "en"):
        panel(linux).choose_language(code)
        path = tmp_path / f"sheet-{code}.pdf"
        panel(linux).write_sheet(path)
        linux.settle()
        assert path.read_bytes().startswith(b"%PDF")
        assert str(path) in linux.said[-1]
    entries = [(entry["digest"], entry["language"]) for entry in audited(linux, "sheet_written")]
    assert entries == [(plan_of(linux).digest, "ko"), (plan_of(linux).digest, "en")]


def test_a_sheet_that_cannot_be_written_is_one_sentence(linux: Controller, tmp_path: Path) -> None:
    panel(linux).write_sheet(tmp_path / "none" / "sheet.pdf")
    linux.settle()
    assert len(linux.said) == 1
    assert audited(linux, "sheet_written") == []


def test_the_script_is_one_per_host_and_a_shell_can_read_it(linux: Controller, tmp_path: Path) -> None:
    linux.save(SUN)
    plan_of(linux)
    panel(linux).write_script(tmp_path / "collect.sh")
    linux.settle()
    written = sorted(tmp_path.glob("collect*.sh"))
    assert [path.name for path in written] == ["collect-db01.sh", "collect-sun9.sh"]
    shell = shutil.which("sh")
    assert shell is not None
    for path in written:
        subprocess.run([shell, "-n", str(path)], check=True, timeout=20)
    assert len(audited(linux, "script_written")) == 2
    assert "2 scripts" in linux.said[-1]


# --- consent
def test_only_a_named_consent_counts(linux: Controller) -> None:
    plan_of(linux)
    assert not panel(linux).start.isEnabled()
    press(panel(linux).form.record)
    assert panel(linux).form.who.property("state") == "wrong"
    assert capture_plans.list_plans(linux.project) == ()
    approve(linux, "Kim Min-su", "sheet 118")
    (record,) = capture_plans.list_plans(linux.project)
    assert record.digest == plan_of(linux).digest
    (approval,) = record.approvals
    assert (approval.approved_by, approval.how, approval.note) == ("Kim Min-su", "signed_sheet", "sheet 118")
    assert "Approved by Kim Min-su" in facts(panel(linux))


def test_an_approved_plan_starts_and_no_other(linux: Controller) -> None:
    plan = plan_of(linux)
    assert linux.started == []
    approve(linux)
    press(panel(linux).start)
    assert linux.started == [plan]


def test_a_change_voids_the_approval_and_taking_it_back_restores_it(linux: Controller) -> None:
    settings, run, book = editor(linux).settings, editor(linux).settings.run, linux.tab.book
    linux.save(SUN)
    book.choose("sun9", False)
    digest, name = plan_of(linux).digest, run.text()
    approve(linux, "Kim")
    for alter, take_back in (
        (lambda: settings.interval.setValue(7), lambda: settings.interval.setValue(1)),
        (lambda: check(linux, "linux.free"), lambda: check(linux, "linux.free", False)),
        (lambda: book.choose("sun9", True), lambda: book.choose("sun9", False)),
        (lambda: type_into(run, "another"), lambda: type_into(run, name)),
    ):
        alter()
        assert plan_of(linux).digest != digest
        assert linux.tab.draft.approval is None
        assert not panel(linux).start.isEnabled()
        assert "Kim" in panel(linux).why.text()
        assert "no longer" in panel(linux).why.text()
        take_back()
        assert plan_of(linux).digest == digest
        assert panel(linux).start.isEnabled()


def test_a_changed_address_voids_the_approval(linux: Controller) -> None:
    plan_of(linux)
    approve(linux)
    linux.tab.edit_host("db01")
    type_into(linux.tab.host_page.form.address, "10.20.30.99")
    press(linux.tab.host_page.form.save)
    assert plan_of(linux).hosts[0].address == "10.20.30.99"
    assert not panel(linux).start.isEnabled()


def test_an_earlier_plan_runs_again_as_it_was_approved(linux: Controller) -> None:
    first = plan_of(linux)
    approve(linux)
    editor(linux).settings.interval.setValue(9)
    assert plan_of(linux).digest != first.digest
    panel(linux).tabs.setCurrentIndex(1)
    plans = panel(linux).plans
    assert plans.model.rowCount() == 1
    press(plans.take)
    assert linux.tab.draft.plan == first
    assert panel(linux).tabs.currentIndex() == 0
    press(panel(linux).start)
    assert linux.started == [first]
    press(panel(linux).back)
    assert plan_of(linux).interval_s == 9.0


def test_an_offline_plan_is_handed_over_and_never_started_here(linux: Controller) -> None:
    editor(linux).settings.mode.setCurrentIndex(MODES.index(CaptureMode.OFFLINE))
    plan_of(linux)
    approve(linux)
    assert not panel(linux).start.isEnabled()
    assert panel(linux).script.isEnabled()


def test_read_only_plans_can_be_made_and_read_but_not_approved(read_only: Controller) -> None:
    read_only.tab.book.choose("db01", True)
    plan = plan_of(read_only)
    assert plan.commands[0].verbatim in panel(read_only).text.toPlainText()
    assert "read-only" in panel(read_only).why.text()
    assert not panel(read_only).form.record.isEnabled()
    assert not panel(read_only).start.isEnabled()
    assert panel(read_only).sheet.isEnabled()


def test_a_busy_hand_makes_one_plan(linux: Controller) -> None:
    """Typing does not draft a plan for each letter: the last words count."""
    plan_of(linux)
    type_into(editor(linux).settings.run, "after the index was created")
    assert linux.tab.draft.drafting
    assert not panel(linux).start.isEnabled()
    assert plan_of(linux).run == "after the index was created"


def test_both_languages_say_everything(linux: Controller, look: Callable[..., None]) -> None:
    plan_of(linux)
    look("ko", "dark")
    linux.tab.retranslate()
    linux.tab.apply_theme()
    shown = facts(linux.tab)
    assert "아직 승인되지 않았습니다" in shown
    assert "ui.capture" not in shown
    assert editor(linux).model.headerData(0, Qt.Orientation.Horizontal) == "수집 항목"
