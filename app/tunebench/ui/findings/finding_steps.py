"""What may be done from a finding onwards: look at its evidence, take it as a cause, propose an action."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial

from PySide6.QtWidgets import QMenu

from tunebench.analysis.exploring.time_range import TimeRange
from tunebench.domain.cycle.book import CycleEdit
from tunebench.domain.cycle.records import Cause
from tunebench.domain.cycle.worksheet import Action
from tunebench.domain.engagement import Run
from tunebench.domain.finding import Finding, FindingEvidence
from tunebench.domain.windows import Window
from tunebench.sdk.rules import Rule
from tunebench.ui.cycle.cycle_controller import CycleController
from tunebench.ui.cycle.places import go_to, step_of
from tunebench.ui.look.language import text
from tunebench.ui.workspace import Workspace
from tunebench.usecases.cycle import due
from tunebench.usecases.findings import acting

AROUND_NS = 60 * 1_000_000_000
"""A single sample is shown with a minute on either side."""


class FindingSteps:
    """`rules` are those that the findings are of, by id."""

    def __init__(self, workspace: Workspace, controller: CycleController) -> None:
        self._workspace = workspace
        self._controller = controller
        self.rules: Mapping[str, Rule] = {}

    def show_first_evidence(self, finding: Finding) -> None:
        """The first stretch, with everything that is of the same time."""
        if finding.evidence:
            first = finding.evidence[0]
            span = first.start_ns, first.end_ns
            self.show_evidence([one for one in finding.evidence if (one.start_ns, one.end_ns) == span])

    def show_evidence(self, stretch: Sequence[FindingEvidence]) -> None:
        """The stretch on the time line; what has no time (a fact of the configuration) in its capture."""
        series = [one.series_id for one in stretch if one.series_id is not None]
        if not series:
            artefacts = [artefact_id for one in stretch for artefact_id in one.artefact_ids]
            if artefacts:
                self._workspace.show_page("captures", artefacts[0])
            return
        start_ns, end_ns = stretch[0].start_ns, stretch[0].end_ns
        margin = AROUND_NS if end_ns - start_ns < AROUND_NS else 0
        for series_id in series:
            self._workspace.selection.add_series(series_id)
        self._workspace.show_page("timeline")
        self._workspace.selection.set_range(TimeRange(start_ns - margin, end_ns + margin))

    def take_as_cause(self, finding: Finding) -> None:
        """It, or the cause that it is."""
        if not self._is_shown(acting.cause_of(self._controller.book, finding)):
            self._keep(finding, acting.take_as_cause, "ui.findings.taken.said")

    def propose_action(self, finding: Finding) -> None:
        """The row that answers it, proposed where there is none."""
        if not self._is_shown(acting.action_of(self._controller.book, finding)):
            self._keep(finding, partial(acting.propose_action, over=self._before()), "ui.findings.proposed.said")

    def make_target(self, finding: Finding) -> None:
        over = self._before()
        if over is not None:
            project, book = self._workspace.opened, self._controller.book
            self._controller.written(
                lambda code: acting.make_target(project, book, finding, over, code), "ui.series.target.made"
            )

    def fill_menu(self, menu: QMenu, finding: Finding) -> None:
        menu.addAction(text("ui.series.show"), lambda: self.show_first_evidence(finding))
        if self._workspace.writable:
            menu.addAction(text("ui.series.target"), lambda: self.make_target(finding))
            menu.addAction(text("ui.findings.take"), lambda: self.take_as_cause(finding))
            menu.addAction(text("ui.findings.propose"), lambda: self.propose_action(finding))

    def _is_shown(self, record: Cause | Action | None) -> bool:
        if record is not None:
            go_to(self._workspace, step_of(record), (record.id,))
        return record is not None

    def _before(self) -> Window | Run | None:
        """What a baseline is measured over."""
        chosen = self._workspace.selection
        return due.sides(self._workspace.opened, chosen.before, chosen.after)[0]

    def _keep(self, finding: Finding, build: Callable[..., CycleEdit], said: str) -> None:
        rule = self.rules.get(finding.rule)
        if rule is not None:
            project, book = self._workspace.opened, self._controller.book
            self._controller.written(lambda code: build(project, book, finding, rule, code), said)
