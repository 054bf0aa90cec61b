"""Right side of the plan: what the administrator approves, verbatim; the sheet, the script, the consent, the start."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QSignalBlocker, QSize, Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QComboBox, QFileDialog, QWidget

from tunebench.columns.column import Column
from tunebench.columns.formats import format_stamp, short_hash
from tunebench.core.messages import LANGUAGES
from tunebench.core.paths import documents_folder
from tunebench.domain.capturing.plan import CaptureMode, CapturePlan, PlanRecord
from tunebench.ui.capturing.approval_forms import ApprovalForm, LicenceForm
from tunebench.ui.capturing.draft_controller import DraftController, DraftState
from tunebench.ui.capturing.plan_text import PlanText
from tunebench.ui.look.language import error_text, text, translated
from tunebench.ui.look.theme import SPACE_XS
from tunebench.ui.tables.model import TableModel
from tunebench.ui.typing import mark_stored
from tunebench.ui.widgets.key_dialog import ask_signature
from tunebench.ui.widgets.parts import (
    EmptyState,
    IconButton,
    button,
    column,
    label,
    panel,
    row,
    selectable,
    set_tone,
    stacked,
    tab_bar,
)
from tunebench.ui.widgets.row_list import RowList
from tunebench.ui.workspace import Workspace
from tunebench.usecases import signatures
from tunebench.usecases.capturing import plans as capture_plans

HOST_WIDTH = 180


def _words(record: PlanRecord, workspace: Workspace) -> list[str]:
    plan, approvals = record.plan, record.approvals
    mark = text("ui.capture.plans.approved", by=approvals[-1].approved_by) if approvals else ""
    created = format_stamp(plan.created_at, workspace.zone)[:16]
    hosts = ", ".join(host.name for host in plan.hosts[:3]) + ("…" if len(plan.hosts) > 3 else "")
    return [f"{'✓' if approvals else '○'} {plan.run}", mark or text("ui.capture.plans.draft"), hosts, created]


class PlanList(QWidget):
    """`used` after an earlier plan was put on the table."""

    used = Signal()

    def __init__(self, workspace: Workspace, draft: DraftController) -> None:
        super().__init__()
        self._draft = draft
        shown: Column[PlanRecord] = Column(
            "plan",
            "",
            lambda it: " · ".join(_words(it, workspace)),
            tone=lambda it: "" if it.approvals else "muted",
            tip=lambda it, _: "\n".join([*_words(it, workspace), it.digest]),
        )
        self.model = TableModel([shown])
        self.view = translated(RowList(self.model), accessibleName="ui.capture.plans")
        self.view.opened.connect(self.use)
        words = translated(label(role="muted", wrap=True), "ui.capture.plans.words")
        self.take = translated(button(on_click=self.use), "ui.capture.plans.use")
        self._parts = stacked(EmptyState("run", "ui.capture.plans.empty", width=280), self.view)
        self.setLayout(column(words, (self._parts, 1), row(self.take, 1)))
        draft.plans_changed.connect(self._on_plans)
        self._on_plans()

    def use(self) -> None:
        index = self.view.currentIndex()
        if index.isValid():
            self._draft.show_record(self.model.row_at(index))
            self.used.emit()

    def _on_plans(self) -> None:
        self.model.show_rows(self._draft.records)
        count = len(self._draft.records)
        self._parts.setCurrentIndex(1 if count else 0)
        self.take.setEnabled(count > 0)
        if count:
            self.view.setCurrentIndex(self.model.index(0, 0))


class ApprovalPanel(QWidget):
    """`start_asked`: the plan on the table is approved and is to run."""

    start_asked = Signal(object)

    def __init__(self, workspace: Workspace, draft: DraftController) -> None:
        super().__init__()
        self._workspace, self._draft = workspace, draft
        self._folder = documents_folder()
        self._make_parts()
        self._lay_out()
        draft.changed.connect(self.refresh)
        draft.plans_changed.connect(self._count_plans)

    def _make_parts(self) -> None:
        self.tabs = translated(
            tab_bar("approval", "plans"), tabText=("ui.capture.approval",), accessibleName="ui.capture.approval"
        )
        self.state = label(role="strong", wrap=True)
        self.why = label(role="small", wrap=True)
        self.hash = selectable(label(role="code"))
        self.copy_hash = IconButton("copy", lambda: _copy(self._draft.digest), key="ui.capture.approval.copy_hash")
        self._commands = translated(label(role="strong"), "ui.capture.approval.commands")
        self.host = translated(QComboBox(), accessibleName="ui.capture.approval.host")
        self.host.currentIndexChanged.connect(self._show_host)
        self.copy = translated(
            button(kind="quiet", on_click=lambda: _copy(self.text.commands_text())), "ui.capture.approval.copy"
        )
        self.text = translated(PlanText(), accessibleName="ui.capture.approval.commands")
        self.back = translated(button(kind="link", on_click=self._draft.draft_again), "ui.capture.approval.back")
        self.language = translated(QComboBox(), accessibleName="ui.capture.approval.language")
        self.language.addItems(list(LANGUAGES))
        translated(self.language, itemText=[f"ui.language.{code}" for code in LANGUAGES])
        sheet, script = "ui.capture.approval.sheet", "ui.capture.approval.script"
        self.sheet = translated(button(on_click=lambda: self._ask(sheet, ".pdf", self.write_sheet)), sheet)
        self.script = translated(button(on_click=lambda: self._ask(script, ".sh", self.write_script)), script)
        self.licence = LicenceForm()
        self.licence.submitted.connect(self._confirm_licences)
        self.form = ApprovalForm()
        self.form.submitted.connect(self._approve)
        self.form.sign_asked.connect(self._sign)
        self.ask_signature = ask_signature
        self.start = button(kind="primary", on_click=self._start)
        self.plans = PlanList(self._workspace, self._draft)
        self.plans.used.connect(lambda: self.tabs.setCurrentIndex(0))

    def _lay_out(self) -> None:
        plan = column(
            self.state,
            self.why,
            self.back,
            row(self.hash, self.copy_hash, 1, spacing=SPACE_XS),
            row(self._commands, self.host, 1, self.copy),
            (self.text, 1),
            row(self.language, self.sheet, self.script, 1),
            self.licence,
            self.form,
            self.start,
        )
        self.host.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToContents)
        self.host.setMinimumContentsLength(6)
        self.host.setMaximumWidth(HOST_WIDTH)
        parts = stacked(panel(plan), self.plans)
        self.tabs.currentChanged.connect(parts.setCurrentIndex)
        self.setLayout(column(self.tabs, (parts, 1)))

    def minimumSizeHint(self) -> QSize:
        return QSize(300, 200)

    # --- what is shown
    def retranslate(self) -> None:
        self._count_plans()
        self.text.rewrite()
        self.refresh()

    def choose_language(self, code: str) -> None:
        self.language.setCurrentIndex(LANGUAGES.index(code) if code in LANGUAGES else 0)

    def _count_plans(self) -> None:
        self.tabs.setTabText(1, text("ui.capture.plans.tab", count=len(self._draft.records)))

    def refresh(self) -> None:
        draft, plan = self._draft, self._draft.plan
        self._say_state()
        self.hash.setText(f"SHA-256 {short_hash(draft.digest)}" if plan else "")
        self.hash.setToolTip(draft.digest)
        self.copy_hash.setVisible(plan is not None)
        self._fill_hosts(plan)
        self._show_host()
        ready = plan is not None and draft.state is DraftState.READY
        writable = self._workspace.writable
        for part in (self.sheet, self.script, self.copy, self.copy_hash, self.language):
            part.setEnabled(ready)
        needs = draft.licence_needs() if ready else ()
        self.licence.show_needs(plan, needs, self._workspace.zone, writable)
        licensed = all(need.confirmation is not None for need in needs)
        self.script.setEnabled(ready and licensed)
        self.form.setEnabled(ready and writable and licensed)
        self.form.setVisible(draft.approval is None)
        self.back.setVisible(draft.earlier)
        offline = plan is not None and plan.mode is CaptureMode.OFFLINE
        self.start.setEnabled(ready and writable and draft.approval is not None and not offline)
        self.start.setText(text("ui.capture.start.offline" if offline else "ui.capture.start"))

    def _say_state(self) -> None:
        draft = self._draft
        approval = draft.approval
        words, why, tone = "", "", ""
        if draft.drafting:
            words = text("ui.capture.approval.drafting")
        elif draft.state is DraftState.REFUSED and draft.error is not None:
            words, why, tone = text("ui.capture.approval.refused"), error_text(draft.error), "critical"
        elif draft.plan is None:
            words, why = text("ui.capture.approval.none"), text(draft.lack or "ui.capture.lacks.host")
        elif approval is not None:
            tone = "ok"
            words = "✓ " + text(
                "ui.capture.approval.given",
                by=approval.approved_by,
                at=format_stamp(approval.approved_at, self._workspace.zone),
                how=text(f"ui.capture.approval.{approval.how}"),
            )
            why = approval.note
        else:
            words, why, tone = "○ " + text("ui.capture.approval.missing"), text("ui.capture.approval.how_to"), "watch"
        if draft.dropped is not None and approval is None:
            why = text("ui.capture.approval.dropped", by=draft.dropped.approved_by)
            tone = "warning"
        if not self._workspace.writable and draft.plan is not None:
            why = text("ui.capture.read_only")
        self.state.setText(words)
        set_tone(self.state, tone)
        self.why.setText(why)
        set_tone(self.why, tone if tone in ("critical", "warning") else "")
        self.why.setVisible(bool(why))

    def _fill_hosts(self, plan: CapturePlan | None) -> None:
        names = [host.name for host in plan.hosts] if plan is not None else []
        shown = [self.host.itemText(index) for index in range(self.host.count())]
        if names != shown:
            current = self.host.currentText()
            with QSignalBlocker(self.host):
                self.host.clear()
                self.host.addItems(names)
                self.host.setCurrentIndex(names.index(current) if current in names else 0)
        self.host.setVisible(len(names) > 1)

    def _show_host(self) -> None:
        self.text.show_plan(self._draft.plan, self.host.currentText())

    # --- actions
    def _sign(self, who: str, how: str, note: str) -> None:
        at = signatures.now()
        signature = self.ask_signature(signatures.plan_to_sign(self._draft.digest, who, at))
        if signature is not None:
            self._approve(who, how, note, signature, at)

    def _approve(self, who: str, how: str, note: str, signature: str = "", at: str = "") -> None:
        if self._draft.approve(who, how, note, signature, at):
            self.form.note.clear()
            mark_stored(self.form)
            self.start.setFocus()

    def _confirm_licences(self, by: str, evidence: str) -> None:
        if self._draft.confirm_licences(by, evidence):
            mark_stored(self.licence)
            self.form.who.setFocus()

    def _start(self) -> None:
        plan = self._draft.plan
        if plan is not None and self._draft.approval is not None:
            self.start_asked.emit(plan)

    def _code(self) -> str:
        return LANGUAGES[self.language.currentIndex()]

    def _ask(self, title_key: str, suffix: str, write: Callable[[Path], None]) -> None:
        """Writes where a person says."""
        plan = self._draft.plan
        if plan is None:
            return
        proposed = self._folder / f"{_file_stem(plan)}-{self._draft.digest[:8]}-{self._code()}{suffix}"
        name, _ = QFileDialog.getSaveFileName(self, text(title_key), str(proposed), f"*{suffix}")
        if name:
            self._folder = Path(name).parent
            write(Path(name))

    def write_sheet(self, path: Path) -> None:
        from tunebench.usecases.capturing import approval_sheets

        plan, overview, code = self._draft.plan, self._workspace.overview, self._code()
        if plan is None or overview is None:
            return
        engagement, project = overview.engagement, self._workspace.project
        self._workspace.jobs.run(
            "db",
            lambda _handle: approval_sheets.write_pdf(plan, code, path, engagement, project=project),
            owner=self,
            slot="sheet",
            on_result=self._written,
            title_key="ui.job.sheet",
        )

    def write_script(self, path: Path) -> None:
        plan, project, code = self._draft.plan, self._workspace.project, self._code()
        if plan is not None and project is not None:
            self._workspace.jobs.run(
                "db",
                lambda _handle: capture_plans.write_scripts(project, plan, path, code),
                owner=self,
                slot="script",
                on_result=self._scripts_written,
                title_key="ui.job.script",
            )

    def _written(self, path: Path) -> None:
        self._workspace.say(text("ui.capture.approval.written", path=str(path)))

    def _scripts_written(self, paths: tuple[Path, ...]) -> None:
        """Says where the scripts were written, one for each host."""
        if len(paths) == 1:
            self._written(paths[0])
        else:
            folder = str(paths[0].parent)
            self._workspace.say(text("ui.capture.approval.scripts_written", count=len(paths), folder=folder))
        self._draft.reload_plans()


def _copy(words: str) -> None:
    QGuiApplication.clipboard().setText(words)


def _file_stem(plan: CapturePlan) -> str:
    kept = "".join(sign if sign.isalnum() or sign in "-_ " else "-" for sign in plan.run).strip()
    return kept or "plan"
