"""What may be done from a finding onwards: look at its evidence, take it as a cause, propose an action."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from tunebench.analysis.exploring.time_range import TimeRange
from tunebench.domain.finding import Finding, FindingEvidence
from tunebench.domain.translations import in_both_languages
from tunebench.sdk.rules import Rule
from tunebench.ui.cycle.cycle_controller import CycleController
from tunebench.ui.look.language import language, text
from tunebench.ui.workspace import Workspace
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
        rule = self.rules.get(finding.rule)
        if rule is not None and self._controller.attempt(
            lambda: in_both_languages(
                lambda code: acting.take_as_cause(self._workspace.opened, self._controller.book, finding, rule, code),
                self._language(),
            )
        ):
            self._workspace.say_done(text("ui.findings.taken.said"))

    def propose_action(self, finding: Finding) -> None:
        rule = self.rules.get(finding.rule)
        if rule is not None and self._controller.attempt(
            lambda: in_both_languages(
                lambda code: acting.propose_action(self._workspace.opened, self._controller.book, finding, rule, code),
                self._language(),
            )
        ):
            self._workspace.say_done(text("ui.findings.proposed.said"))

    def _language(self) -> str:
        """What is written into the project is in the engagement's language."""
        overview = self._workspace.overview
        return overview.engagement.language if overview else language().code
