"""The plan on the table: drafted anew whenever a choice changes, and which approvals it has."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import field
from enum import StrEnum

from PySide6.QtCore import QObject, QTimer, Signal

from tunebench.core import records
from tunebench.core.errors import UserError
from tunebench.domain.capturing.plan import Approval, CaptureMode, CapturePlan, PlanRecord, Schedule
from tunebench.domain.connection import HostProfile
from tunebench.domain.engagement import Phase
from tunebench.ui.workspace import Workspace
from tunebench.usecases.capturing import licences as capture_licences
from tunebench.usecases.capturing import plans as capture_plans
from tunebench.usecases.capturing.licences import LicenceNeed

SETTLE_MS = 150
REMEMBERED = 30
"""Drafts that are kept: what is changed and changed back is the same plan again, with its approval."""


@records.record
class Choices:
    """What is chosen in the window. `words` holds, per host name, the probes as `PlanDraft.probes` spells them."""

    hosts: tuple[HostProfile, ...] = ()
    words: tuple[tuple[str, tuple[str, ...]], ...] = ()
    run: str = ""
    phase: Phase = Phase.OTHER
    interval_s: float = 1.0
    duration_s: float = 600.0
    schedule: Schedule = field(default_factory=Schedule)
    mode: CaptureMode = CaptureMode.LIVE

    def lacks(self) -> str:
        """Key of the sentence that says what is still to be chosen; empty where nothing is."""
        if not self.hosts:
            return "ui.capture.lacks.host"
        if any(not words for _, words in self.words):
            return "ui.capture.lacks.probe"
        return "" if self.run else "ui.capture.lacks.run"


class DraftState(StrEnum):
    INCOMPLETE = "incomplete"
    DRAFTING = "drafting"
    REFUSED = "refused"
    READY = "ready"


class DraftController(QObject):
    """Signals:
    changed: another plan is on the table, or its state is another.
    plans_changed: the project's plans were read again.

    Attributes:
        plan: None while there is none.
        earlier: the plan was taken from the project's list, as it was approved or drafted then.
        dropped: the approval of the plan that was on the table before, where a change has made it void.
    """

    changed = Signal()
    plans_changed = Signal()

    def __init__(self, workspace: Workspace) -> None:
        super().__init__()
        self._workspace = workspace
        self._choices = Choices()
        self._drafts: OrderedDict[Choices, CapturePlan] = OrderedDict()
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(SETTLE_MS)
        self._timer.timeout.connect(self._draft)
        self._forget()

    def _forget(self) -> None:
        self.plan: CapturePlan | None = None
        self.digest = ""
        self.state = DraftState.INCOMPLETE
        self.lack = "ui.capture.lacks.host"
        self.error: UserError | None = None
        self.earlier = False
        self.dropped: Approval | None = None
        self.records: tuple[PlanRecord, ...] = ()
        self._approvals: dict[str, tuple[Approval, ...]] = {}
        self._drafts.clear()

    @property
    def drafting(self) -> bool:
        return self.state is DraftState.DRAFTING

    # --- drafting
    def choose(self, choices: Choices) -> None:
        """Draft a plan from these, a moment after the last change."""
        if choices == self._choices:
            return
        self._choices = choices
        self.draft_again()

    def draft_again(self) -> None:
        """Drafts again from the same choices, coming back from an earlier plan."""
        self._timer.start()
        self.earlier = False
        self.state = DraftState.DRAFTING
        self.changed.emit()

    def _draft(self) -> None:
        choices, project = self._choices, self._workspace.project
        self.lack = choices.lacks()
        if self.lack or project is None:
            self._lay(None, DraftState.INCOMPLETE)
            return
        if choices in self._drafts:
            self._drafts.move_to_end(choices)
            self._lay(self._drafts[choices], DraftState.READY)
            return
        wanted = capture_plans.PlanDraft(
            hosts=choices.hosts,
            probes=dict(choices.words),
            run=choices.run,
            phase=choices.phase,
            interval_s=choices.interval_s,
            duration_s=choices.duration_s,
            schedule=choices.schedule,
            mode=choices.mode,
        )
        self._workspace.jobs.run(
            "cpu",
            lambda _handle: capture_plans.draft(project, wanted),
            owner=self,
            slot="draft",
            on_result=lambda plan: self._drafted(choices, plan),
            on_error=self._refused,
        )

    def _drafted(self, choices: Choices, plan: CapturePlan) -> None:
        self._drafts[choices] = plan
        while len(self._drafts) > REMEMBERED:
            self._drafts.popitem(last=False)
        if choices == self._choices and not self._timer.isActive() and not self.earlier:
            self._lay(plan, DraftState.READY)

    def _refused(self, error: UserError) -> None:
        self.error = error
        self._lay(None, DraftState.REFUSED)

    def _lay(self, plan: CapturePlan | None, state: DraftState, *, earlier: bool = False) -> None:
        before = self.approval
        self.plan, self.state, self.earlier = plan, state, earlier
        self.digest = plan.digest if plan is not None else ""
        stands = self.approval is not None or earlier
        self.dropped = None if stands else before or self.dropped
        self.changed.emit()

    # --- approvals and earlier plans
    @property
    def approval(self) -> Approval | None:
        """The last consent to the plan on the table."""
        given = self._approvals.get(self.digest, ())
        return given[-1] if given and self.digest else None

    def approve(self, approved_by: str, how: str, note: str, signature: str = "", at: str = "") -> bool:
        plan, project = self.plan, self._workspace.project
        if plan is None or project is None:
            return False
        given: list[Approval] = []
        if not self._workspace.attempt(
            lambda: given.append(
                capture_plans.approve(project, plan, approved_by, how, note, signature=signature, at=at)
            )
        ):
            return False
        self._approvals[self.digest] = (*self._approvals.get(self.digest, ()), *given)
        self.dropped = None
        self.changed.emit()
        self.reload_plans()
        return True

    def licence_needs(self) -> tuple[LicenceNeed, ...]:
        """What the plan on the table calls for, and who confirmed it."""
        plan, project = self.plan, self._workspace.project
        if plan is None or project is None or not plan.licences:
            return ()
        return capture_licences.needs(project, plan)

    def confirm_licences(self, by: str, evidence: str) -> bool:
        plan, project = self.plan, self._workspace.project
        if plan is None or project is None:
            return False
        done = self._workspace.attempt(lambda: capture_licences.confirm(project, plan, by, evidence))
        self.changed.emit()
        return done

    def reload(self) -> None:
        """Another project."""
        self._timer.stop()
        self._forget()
        self._choices = Choices()
        self.changed.emit()
        self.reload_plans()

    def reload_plans(self) -> None:
        project = self._workspace.project
        if project is None:
            self._take([])
            return
        self._workspace.jobs.run(
            "cpu", lambda _handle: capture_plans.list_plans(project), owner=self, slot="plans", on_result=self._take
        )

    def _take(self, records: Sequence[PlanRecord]) -> None:
        self.records = tuple(reversed(tuple(records)))
        for record in self.records:
            self._approvals[record.digest] = record.approvals
        self.plans_changed.emit()
        self.changed.emit()

    def show_kept(self, plan: CapturePlan) -> None:
        """Puts a plan on the table that another window has just kept."""
        self._timer.stop()
        self._lay(plan, DraftState.READY, earlier=True)
        self.reload_plans()

    def show_record(self, record: PlanRecord) -> None:
        """Puts an earlier plan on the table, exactly as it is in the project."""
        self._timer.stop()
        self._lay(record.plan, DraftState.READY, earlier=True)
