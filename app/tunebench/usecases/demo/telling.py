"""Tells the demo's story act by act, each by the use case that a person would go through, at its own time."""

from __future__ import annotations

from dataclasses import replace

from tunebench.domain.cycle.book import CycleEdit, Record, RecordChange
from tunebench.domain.cycle.records import (
    Cause,
    CauseDomain,
    CauseState,
    Confidence,
    Contact,
    CustomerIssue,
    Equality,
    IssueState,
    Metric,
    Question,
    ResultSummary,
    Severity,
    StepNumber,
    StepState,
    SystemInScope,
    SystemKind,
    Term,
)
from tunebench.domain.cycle.worksheet import (
    Action,
    Basis,
    Consent,
    Decision,
    ExecutedChange,
    Impact,
    InForce,
    Level,
    ParameterChange,
    Resource,
    Risk,
    Rollback,
    Verification,
)
from tunebench.domain.databases.choices import LicenceConfirmation
from tunebench.usecases.comparing import windows
from tunebench.usecases.cycle import acts, comparable, edits
from tunebench.usecases.cycle import evidence as cycle_evidence
from tunebench.usecases.databases import choices
from tunebench.usecases.demo import trials
from tunebench.usecases.demo.clerk import Clerk
from tunebench.usecases.demo.story import Table
from tunebench.usecases.experiments import reading as experiment_reading

_ORDER_QUERY, _STOCK_SUMMARY = "5kxw0h3q7cd2a", "9d1f6s0muz4yt"
_ENGINE = "oracle"


class Teller(Clerk):
    """What is done and said, in the order of its days."""

    def begin(self) -> None:
        """Who and what the engagement is about, and the iteration's beginning."""
        facts, text = self.story.facts, self.story.texts
        records: list[Record] = [Contact(0, **text(row, "name", "organisation", "role")) for row in facts["contacts"]]
        records += [
            SystemInScope(0, SystemKind(row["kind"]), **text(row, "name", "role", "product", "detail", "host"))
            for row in facts["systems"]
        ]
        records += [Term(0, **text(row, "korean", "english", "meaning")) for row in facts["terms"]]
        self._do(CycleEdit("import_questionnaire", tuple(RecordChange(None, record) for record in records)))
        for row in facts["issues"]:
            issue = CustomerIssue(
                0,
                row["number"],
                severity=Severity(row["severity"]),
                reported_on=row["reported_on"],
                **text(row, "title", "text"),
            )
            self._add(issue, f"issue {row['number']}")
        opened = facts["iteration"]
        self._do(edits.open_iteration(self._book(), self.story.text(opened, "title"), on=opened["opened_on"]))
        current = self._book().current
        assert current is not None
        self._iteration_id = current.id
        self._finish_step(0)

    def confirm_licence(self) -> None:
        """Without the customer's word the workload repository is not read."""
        table = self.story.facts["licence"]
        self.at(table["at"])
        given = LicenceConfirmation(
            0,
            "oracle.diagnostics_pack",
            "",
            "",
            **self.story.texts(table, "evidence"),
            confirmed_by=self.story.text(table, "by"),
        )
        choices.confirm_licence(self.project, given)

    def set_target(self) -> None:
        """The first target, with what the first days say as its baseline."""
        table = self.story.facts["response"]
        self.at(table["set_at"])
        metric = self._metric(table, "response")
        self._take_baseline(metric, self._run(0))
        self._change_target("response", value=float(table["first_target"]), priority=1, due_on=table["due_on"])

    def find_causes(self) -> None:
        for row in self.story.facts["causes"]:
            self.at(row["found_at"])
            issue_ids = tuple(self._ids[f"issue {number}"] for number in row["issues"])
            cause = Cause(
                0,
                self._iteration_id,
                CauseDomain(row["domain"]),
                confidence=Confidence(row["confidence"]),
                issue_ids=issue_ids,
                **self.story.texts(row, "title", "text"),
            )
            self._add(cause, row["key"])

    def agree(self) -> None:
        """The countermeasure with its worksheet and the guards of what pays, and the customer's approval."""
        table = self.story.facts["action"]
        self.at(table["proposed_at"])
        guards = [
            self._new_metric(guard, guards=-1, resource=guard["resource"]) for guard in self.story.facts["guards"]
        ]
        records: tuple[Record, ...] = (self._action(table), *guards)
        added = self._do(CycleEdit("add_action", tuple(RecordChange(None, record) for record in records))).changes
        for key, change in zip(("action", *(guard.resource for guard in guards)), added, strict=True):
            assert change.after is not None
            self._ids[key] = change.after.id
        at, approver = self.at(table["approved_at"]), table["approver"]
        consent = Consent(
            decision=Decision.APPROVED, decided_at=at, **self.story.texts(approver, "role", "name", "note")
        )
        self._do(acts.approve_action(self._book(), self._ids["action"], consent), consent.name)

    def amend_target(self) -> None:
        table = self.story.facts["response"]
        self.at(table["amended_at"])
        by, reason = self.story.text(table, "amended_by"), self.story.text(table, "amended_because")
        self._change_target("response", by, reason, value=float(table["target"]))

    def experiment(self) -> None:
        table, question = self.story.facts["experiment"], self.story.facts["questions"][0]
        experiment_id = trials.run(self.project, self.story, table, self.at)
        self.at(question["at"])
        question_id = self._question(question)
        target = cycle_evidence.experiment(self.project, experiment_id)
        self._pin("experiment", target, question_id, self._ids["action"])
        assert experiment_reading.read(self.project).trials_of(experiment_id)

    def measure_before(self) -> None:
        """The window before the change, what the metrics are in it, and the evidence of the causes."""
        before, response = self._lay_window("before"), self.story.facts["response"]
        self._take_baseline(self._find(Metric, "response"), before, self.story.text(response, "baseline_because"))
        for row in self.story.facts["metrics"]:
            self._take_baseline(self._metric(row, row["key"]), before)
            self._change_target(row["key"], value=float(row["target"]))
        for guard in self.story.facts["guards"]:
            self._take_baseline(self._find(Metric, guard["resource"]), before)
            self._change_target(guard["resource"], value=float(guard["limit"]))
        first, last = before.occurrences[0].start_ns, before.occurrences[-1].end_ns
        run, copied = self._run(1), map(self._ns, self.story.facts["copy"]["span"])
        disk = self._series(run, "sar", ("await", "%util"), "sdb")
        self._pin(
            "disk", cycle_evidence.window(self.project, disk, first, last), self._ids["disk"], self._ids["action"]
        )
        self._pin("statement", cycle_evidence.statement(self.project, run, _ENGINE, _ORDER_QUERY), self._ids["index"])
        both = [*self._series(run, "iostat", ("wkB/s",), "sdc"), *self._series(run, "iostat", ("r_await",), "sdb")]
        during = cycle_evidence.window(self.project, both, *copied)
        self._pin("copy", during, self._ids["issue 3"])
        for key in ("disk", "index"):
            confirmed = replace(self._find(Cause, key), state=CauseState.CONFIRMED)
            self._do(edits.change(self._book(), confirmed))
        for number in (1, 2, 3):
            self._finish_step(number)

    def carry_out(self) -> None:
        table = self.story.facts["action"]
        at, by = self.at(table["executed_at"]), self.story.text(table, "executor")
        action = self._find(Action, "action")
        tested = replace(action.rollback, tested_on=table["tested_on"], tested_by=by)
        self._do(edits.change(self._book(), replace(action, rollback=tested)), by)
        self._do(acts.execute_action(self._book(), self._ids["action"], by, at, table["commands"].strip()), by)
        self._finish_step(4)

    def lay_window_after(self) -> None:
        self._lay_window("after")

    def judge(self) -> None:
        """The results over the window after the change, what became of them, and the customer's decision."""
        after = windows.kept_window(self.project, self._window_name("after"))
        metrics = ("response", *(row["key"] for row in self.story.facts["metrics"]))
        remarks = {guard["resource"]: self.story.text(guard, "remark") for guard in self.story.facts["guards"]}
        for key in (*metrics, *remarks):
            self._record_result(self._find(Metric, key), after, remarks.get(key, ""))
        self._say_what_holds()
        self._sum_up(self.story.facts["summary"])
        stock = cycle_evidence.statement(self.project, self._run(2), _ENGINE, _STOCK_SUMMARY)
        self._pin("plan", stock, self._ids["summary"])
        for key in ("disk", "index"):
            self._do(edits.change(self._book(), replace(self._find(Cause, key), state=CauseState.SOLVED)))
        for row in self.story.facts["issues"]:
            settled = replace(self._find(CustomerIssue, f"issue {row['number']}"), state=IssueState(row["state"]))
            self._do(edits.change(self._book(), settled))
        self._finish_step(5)
        last = self.story.facts["questions"][1]
        self.at(last["at"])
        self._question(last)
        closing = self.story.facts["iteration"]
        by, reason = self.story.text(closing, "closed_by"), self.story.text(closing, "reason")
        book = comparable.asked(self.project, self._book())
        self._do(acts.close_iteration(book, self._iteration_id, by=by, on=closing["closed_on"], reason=reason), by)

    # -- the worksheet

    def _action(self, table: Table) -> Action:
        text, back = self.story.texts, table["rollback"]
        return Action(
            id=-1,
            iteration_id=self._iteration_id,
            changes=tuple(ParameterChange(**text(row, "parameter", "old", "new", "scope")) for row in table["changes"]),
            cause_ids=(self._ids["disk"], self._ids["index"]),
            impacts=tuple(self._impact(row) for row in table["impacts"]),
            risks=tuple(
                Risk(
                    likelihood=Level(row["likelihood"]),
                    severity=Level(row["severity"]),
                    **text(row, "text", "detection"),
                )
                for row in table["risks"]
            ),
            rollback=Rollback(duration_min=back["duration_min"], **text(back, "command", "precondition")),
            verifications=(Verification(self._ids["response"]),),
            known_effect=table["known_effect"],
            **text(table, "title", "hypothesis"),
        )

    def _impact(self, row: Table) -> Impact:
        return Impact(
            Resource(row["resource"]),
            row["direction"],
            expected=row.get("expected"),
            unit=row.get("unit", ""),
            basis=Basis(row["basis"]),
            note=self.story.text(row, "note"),
        )

    def _say_what_holds(self) -> None:
        basis = self.story.text(self.story.facts["action"], "in_force_basis")
        for line in self._book().all(ExecutedChange):
            held = replace(line, in_force=InForce.YES, in_force_basis=basis)
            self._do(edits.change(self._book(), held))

    # -- steps, questions, the summary

    def _finish_step(self, number: int) -> None:
        table = next(row for row in self.story.facts["steps"] if row["number"] == number)
        step = acts.step_of(self._book(), self._iteration_id, StepNumber(number))
        dates = {name: table[name] for name in ("started_on", "ended_on")}
        after = replace(step, state=StepState.DONE, **dates, **self.story.texts(table, "owner", "notes"))
        self._do(edits.change(self._book(), after))

    def _question(self, table: Table) -> int:
        dates = {name: table[name] for name in ("asked_on", "answered_on")}
        texts = self.story.texts(table, "text", "asked_by", "answer", "answered_by")
        return self._add(Question(0, self._iteration_id, StepNumber(table["step"]), **dates, **texts))

    def _sum_up(self, table: Table) -> None:
        """The customer has compared the answers before and after, and lays the comparison beside the step."""
        rows = "".join(f"{number},12,{480 + number % 37}000,12,{480 + number % 37}000\n" for number in range(3000))
        data = f"order_group,rows_before,amount_before,rows_after,amount_after\n{rows}".encode()
        step, caption = StepNumber.RESULT, self.story.text(table, "file_caption")
        by = self.story.text(table, "equality_by")
        self._do(
            cycle_evidence.attach_bytes(self.project, self._iteration_id, step, table["file_name"], data, caption, by),
            by,
        )
        names = ("basis", "side_effects", "conclusion", "equality_by", "equality_basis")
        summary = ResultSummary(
            0,
            self._iteration_id,
            bottleneck_before=table["bottleneck_before"],
            equality=Equality.SAME,
            equality_on=table["equality_on"],
            **self.story.texts(table, *names),
        )
        self._add(summary, "summary")
