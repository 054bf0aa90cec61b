"""What becomes of one thing that two copies of an engagement changed."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.program import compose
from tests.store import cases, cycle_cases, golden
from tests.unit.usecases import merged_copies as copies
from tunebench.core.errors import UserError
from tunebench.domain.capturing.run import SessionState
from tunebench.domain.cycle.book import CycleBook, CycleEdit, RecordChange
from tunebench.domain.cycle.records import (
    Cause,
    CauseDomain,
    Contact,
    Figure,
    Iteration,
    ManualSource,
    Metric,
    Question,
    Result,
    StepNumber,
    Target,
)
from tunebench.domain.cycle.seals import Amendment, Seal
from tunebench.domain.cycle.worksheet import Action, ActionState, Consent, Decision, ExecutedChange
from tunebench.domain.engagement import Direction, Phase
from tunebench.domain.windows import Window
from tunebench.store import engagements, plans, removal, runs, sessions
from tunebench.store.artefacts import list_artefacts
from tunebench.store.audit import trail as audit
from tunebench.store.audit.trail import ACTIONS
from tunebench.store.check import check_project
from tunebench.store.cycle import records as cycle_records
from tunebench.store.opening import open_project
from tunebench.store.project import Project
from tunebench.usecases.cycle import applying, reading
from tunebench.usecases.merging.actions import BROUGHT, OF_THE_TRAIL
from tunebench.usecases.merging.conflicts import Choice, Conflict
from tunebench.usecases.merging.merge import opened

Edit = Callable[[Project], object]


@pytest.fixture(scope="module")
def golden_base(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return copies.base_project(tmp_path_factory.mktemp("base"))


@pytest.fixture
def base(golden_base: Path, tmp_path: Path) -> Path:
    path = tmp_path / "base.tune"
    path.write_bytes(golden_base.read_bytes())
    return path


class Merging:
    """Edits two copies, merges them and looks at what came of it."""

    def __init__(self, base: Path, mine: list[Edit], theirs: list[Edit]) -> None:
        self._base = base
        self.mine = copies.edited(base, "mine.tune", *mine)
        self.theirs = copies.edited(base, "theirs.tune", *theirs)

    def conflicts(self) -> tuple[Conflict, ...]:
        with opened(self.mine, self.theirs) as merge:
            return merge.conflicts

    def written(self, **choices: Choice) -> Path:
        """The merged project; `choices` by the conflicts' subjects."""
        target = self._base.with_name("merged.tune")
        target.unlink(missing_ok=True)
        with opened(self.mine, self.theirs) as merge:
            decided = {c.key: choices[c.subject] for c in merge.conflicts if c.subject in choices}
            self.merged = merge.apply(decided, target)
        with open_project(target, read_only=True) as project:
            assert [result for result in check_project(project) if result.state == "failed"] == []
        return target

    def book(self, **choices: Choice) -> CycleBook:
        with open_project(self.written(**choices), read_only=True) as project:
            return cycle_records.read_book(project)


def approve(by: str) -> Edit:
    def edit(project: Project) -> None:
        action = cycle_records.read_book(project).all(Action)[0]
        consents = (*action.consents, Consent("DBA", by, Decision.APPROVED, "2026-11-30T10:00:00+09:00"))
        change = RecordChange(action, replace(action, consents=consents))
        applying.apply(project, CycleEdit("approve", (change,)), by, copies.REASON)

    return edit


def base_action(**values: Any) -> Edit:
    return copies.change(Action, **values)


def test_every_action_of_the_trail_is_brought_or_told_by_the_branch() -> None:
    assert set(ACTIONS) == BROUGHT | OF_THE_TRAIL
    assert not BROUGHT & OF_THE_TRAIL


def test_an_entry_of_a_kind_that_is_not_known_is_refused(base: Path) -> None:
    def strange(project: Project) -> None:
        audit.record(project, "licence_confirmed")
        audit.record(project, "of_tomorrow", x=1)

    merging = Merging(base, [], [strange])
    with pytest.raises(UserError) as refused:
        merging.conflicts()
    assert (refused.value.key, refused.value.facts["action"]) == ("merge_action_unknown", "?of_tomorrow")


def test_copies_that_were_each_written_in_a_newer_format_have_the_old_one_as_base(base: Path) -> None:
    """Each is migrated when it is first opened, and its trail says so at its own time."""

    def migrated(project: Project) -> None:
        audit.record(project, "project_migrated", before="2.0", after="2.1")

    added = copies.add(copies.window("of mine"))
    old, mine, theirs = (
        copies.edited(base, f"{name}.tune", migrated, *edits)
        for name, edits in (("old", ()), ("mine", (added,)), ("theirs", ()))
    )
    with opened(mine, theirs, base=old) as merge:
        assert merge.conflicts == ()
    grown = copies.edited(base, "grown.tune", migrated, copies.add(copies.window("of nobody")))
    with pytest.raises(UserError) as refused, opened(mine, theirs, base=grown):
        pass
    assert refused.value.key == "merge_base_outside"


def test_fields_that_each_side_changed_are_both_there(base: Path) -> None:
    book = Merging(base, [copies.change(Question, answer="yes")], [copies.change(Question, owner="Kim")]).book()
    question = book.all(Question)[0]
    assert (question.answer, question.owner) == ("yes", "Kim")


@pytest.mark.parametrize(("choice", "answer"), [(None, "yes"), (Choice.MINE, "yes"), (Choice.THEIRS, "no")])
def test_one_field_that_both_changed_is_a_conflict(base: Path, choice: Choice | None, answer: str) -> None:
    merging = Merging(base, [copies.change(Question, answer="yes")], [copies.change(Question, answer="no")])
    (conflict,) = merging.conflicts()
    assert (conflict.field, conflict.mine.value, conflict.theirs.value) == ("answer", "yes", "no")
    assert (conflict.mine.by, conflict.theirs.by) == ("kim", "kim") and conflict.theirs.at
    book = merging.book(**({"record": choice} if choice else {}))
    assert book.all(Question)[0].answer == answer
    assert (merging.merged.undecided == ()) is (choice is not None)
    with open_project(base.with_name("merged.tune"), read_only=True) as project:
        (*_, entry) = audit.list_audit(project, "merged")
    assert "no" in json.dumps(entry.facts["decisions"])


@pytest.mark.parametrize("removing", ["mine", "theirs"])
def test_what_one_removed_and_the_other_changed_stays_unless_somebody_decides(base: Path, removing: str) -> None:
    edits: list[list[Edit]] = [[copies.remove(Question)], [copies.change(Question, answer="no")]]
    merging = Merging(base, *(edits if removing == "mine" else edits[::-1]))
    (conflict,) = merging.conflicts()
    assert (conflict.mine.value is None) is (removing == "mine")
    assert [question.answer for question in merging.book().all(Question)] == ["no"]
    choice = Choice.MINE if removing == "mine" else Choice.THEIRS
    assert merging.book(record=choice).all(Question) == ()


def test_both_made_record_one_after_the_fork(base: Path) -> None:
    """One id names two records: both are there, and what names them follows."""

    def with_cause(word: str) -> Edit:
        return copies.add(
            Iteration(-1, 2, f"round {word}"),
            Cause(-2, -1, CauseDomain.SYSTEM, f"cause {word}"),
            Question(-3, -1, StepNumber.CAUSES, f"why {word}?"),
        )

    book = Merging(base, [with_cause("a")], [with_cause("b")]).book()
    titles = {iteration.id: (iteration.title, iteration.number) for iteration in book.iterations}
    assert sorted(titles.values())[-2:] == [("round a", 2), ("round b", 3)]
    causes = {cause.title: titles[cause.iteration_id][0] for cause in book.all(Cause) if cause.iteration_id in titles}
    questions = {question.text: titles[question.iteration_id][0] for question in book.all(Question)}
    for word in "ab":
        assert causes[f"cause {word}"] == questions[f"why {word}?"] == f"round {word}"


def test_windows_of_one_name(base: Path) -> None:
    same = Merging(base, [copies.add(copies.window("peak"))], [copies.add(copies.window("peak"))])
    assert same.conflicts() == ()
    assert [window.name for window in same.book().all(Window)].count("peak") == 1
    other = Merging(base, [copies.add(copies.window("peak", 10))], [copies.add(copies.window("peak", 99))])
    (conflict,) = other.conflicts()
    names = {window.name: window.occurrences[0].start_ns for window in other.book().all(Window)}
    assert (names["peak"], names["peak (theirs)"]) == (10, 99)
    names = {window.name: window.occurrences[0].start_ns for window in other.book(window=Choice.THEIRS).all(Window)}
    assert (names["peak"], "peak (theirs)" in names) == (99, False)
    names = {window.name: window.occurrences[0].start_ns for window in other.book(window=Choice.MINE).all(Window)}
    assert (names["peak"], "peak (theirs)" in names) == (10, False)
    assert conflict.choices == (Choice.MINE, Choice.THEIRS, Choice.BOTH)


def test_a_base_window_that_both_changed_stands_twice(base: Path) -> None:
    merging = Merging(base, [copies.change(Window, hosts=("a",))], [copies.change(Window, hosts=("b",))])
    windows = {window.name: window.hosts for window in merging.book().all(Window)}
    assert sorted(windows.values()) == [("a",), ("b",)]
    assert any(name.endswith(" (theirs)") for name in windows)


def test_two_approvals_of_one_countermeasure_are_a_conflict_and_both_stand(base: Path) -> None:
    merging = Merging(base, [approve("Kim")], [approve("Lee")])
    (conflict,) = merging.conflicts()
    assert conflict.field == "consents"
    names = {consent.name for consent in merging.book().all(Action)[0].consents}
    assert {"Kim", "Lee"} <= names
    names = {consent.name for consent in merging.book(approvals=Choice.MINE).all(Action)[0].consents}
    assert "Kim" in names and "Lee" not in names


def test_nobody_approves_what_the_other_changed_meanwhile(base: Path) -> None:
    """With a change of the substance the approvals that there were go, so that mine changed both."""
    merging = Merging(base, [base_action(hypothesis="quite another")], [approve("Lee")])
    assert {conflict.field for conflict in merging.conflicts()} == {"consents", "hypothesis"}
    action = merging.book().all(Action)[0]
    assert action.hypothesis == "quite another" and "Lee" not in {consent.name for consent in action.consents}
    action = merging.book(approvals=Choice.THEIRS).all(Action)[0]
    assert action.hypothesis == cycle_cases.WORKSHEET.hypothesis and "Lee" in {own.name for own in action.consents}


def test_a_seal_of_theirs_comes_with_the_numbers_of_here(base: Path) -> None:
    """Both added metrics under one id; theirs was sealed with theirs."""

    def metric(name: str) -> Edit:
        def edit(project: Project) -> None:
            iteration = cycle_records.read_book(project).iterations[-1]
            new = Metric(-1, iteration.id, name, ManualSource(), "value", "s", Direction.LOWER)
            copies.add(new, Target(-2, iteration.id, -1, None, 7.0))(project)

        return edit

    merging = Merging(base, [metric("a")], [metric("b"), approve("Lee")])
    book = merging.book()
    (seal,) = book.all(Seal)
    sealed = json.loads(seal.content)
    (own,) = [metric for metric in book.all(Metric) if metric.name == "b"]
    assert sealed[f"metric.{own.id}"]["name"] == "b"
    assert {record["name"] for ref, record in sealed.items() if ref.startswith("metric.")} >= {"b"}
    assert "a" not in {record.get("name") for record in sealed.values()}


def test_a_sealed_target_stays_and_theirs_is_an_amendment(base: Path) -> None:
    value = copies.change(Target, value=11.0)
    other = copies.change(Target, value=22.0)
    merging = Merging(base, [value], [other])
    conflicts = merging.conflicts()
    assert [conflict.field for conflict in conflicts] == ["value"]
    book = merging.book()
    assert book.all(Target)[0].value == 11.0
    told = [(json.loads(amendment.old), json.loads(amendment.new)) for amendment in book.all(Amendment)]
    assert told == [(30.0, 11.0), (30.0, 22.0), (22.0, 11.0)]
    assert [amendment.number for amendment in book.all(Amendment)] == [1, 2, 3]
    assert merging.book(record=Choice.THEIRS).all(Target)[0].value == 22.0


def test_results_and_executions_of_one_iteration_are_always_conflicts(base: Path) -> None:
    def executed(by: str) -> Edit:
        def edit(project: Project) -> None:
            action = cycle_records.read_book(project).all(Action)[0]
            copies.add(ExecutedChange(0, action.id, "maxphys", "1", "2", "2026-11-30T01:00:00+09:00", by))(project)

        return edit

    merging = Merging(base, [executed("Kim")], [executed("Lee")])
    (conflict,) = merging.conflicts()
    assert (conflict.subject, conflict.usual) == ("executions", Choice.BOTH)
    assert {"Kim", "Lee"} <= {own.executed_by for own in merging.book().all(ExecutedChange)}
    assert "Lee" not in {own.executed_by for own in merging.book(executions=Choice.MINE).all(ExecutedChange)}
    assert "Kim" not in {own.executed_by for own in merging.book(executions=Choice.THEIRS).all(ExecutedChange)}


def test_two_results_of_one_metric(base: Path) -> None:
    def measured(value: float) -> Edit:
        def edit(project: Project) -> None:
            book = cycle_records.read_book(project)
            iteration = book.iterations[-1]
            metric = next(own for own in book.all(Metric) if own.name == "plain")
            copies.add(Result(0, iteration.id, metric.id, Figure(value)))(project)

        return edit

    def plain(project: Project) -> None:
        iteration = cycle_records.read_book(project).iterations[-1]
        copies.add(Metric(0, iteration.id, "plain", ManualSource(), "value", "s", Direction.LOWER))(project)

    with open_project(base) as project:
        plain(project)
    merging = Merging(base, [measured(1.0)], [measured(2.0)])
    (conflict,) = merging.conflicts()
    assert conflict.subject == "results"

    def of_plain(book: CycleBook) -> list[float | None]:
        metric = next(own for own in book.all(Metric) if own.name == "plain")
        return [result.after.value for result in book.all(Result) if result.metric_id == metric.id]

    assert of_plain(merging.book()) == [1.0]
    assert of_plain(merging.book(results=Choice.THEIRS)) == [2.0]


def test_a_record_that_the_other_still_names_is_kept(base: Path) -> None:
    """Theirs removed a cause that nothing named there; mine took it up in a countermeasure meanwhile."""

    def cause(project: Project) -> None:
        iteration = cycle_records.read_book(project).iterations[-1]
        copies.add(Cause(0, iteration.id, CauseDomain.SYSTEM, "late"))(project)

    with open_project(base) as project:
        cause(project)
        (late,) = [own for own in cycle_records.read_book(project).all(Cause) if own.title == "late"]
    iteration_id = late.iteration_id
    merging = Merging(base, [copies.add(Action(0, iteration_id, "new", cause_ids=(late.id,)))], [copies.remove(Cause)])
    book = merging.book()
    assert late.id in book.records and any("late" in name for name in merging.merged.kept)


def test_captures_with_other_truths_and_the_same(base: Path) -> None:
    alike = Merging(base, [copies.capture(b"x1")], [copies.capture(b"x1")])
    assert alike.conflicts() == ()
    merging = Merging(base, [copies.capture(b"x1", host="db1")], [copies.capture(b"x1", host="web7")])
    (conflict,) = merging.conflicts()
    assert isinstance(conflict.theirs.value, dict) and conflict.theirs.value["host"] == "web7"
    for choice, host in ((None, "db1"), (Choice.THEIRS, "web7")):
        with open_project(merging.written(**({"capture": choice} if choice else {})), read_only=True) as project:
            rows = project.rows(
                "SELECT h.name FROM artefact AS a JOIN host AS h ON h.id = a.host_id WHERE a.name = 'x1.txt'"
            )
        assert rows == [(host,)]


def test_a_capture_that_one_removed_and_the_other_read_anew_stays(base: Path) -> None:
    with open_project(base) as project:
        copies.capture(b"late", "spare")(project)

    def gone(project: Project) -> None:
        (info,) = [own for own in list_artefacts(project) if own.name == "late.txt"]
        removal.remove_artefact(project, info.id)

    def again(project: Project) -> None:
        (info,) = [own for own in list_artefacts(project) if own.name == "late.txt"]
        audit.record(project, "artefact_parsed", artefact_id=info.id, name=info.name, given={}, host_id=info.host_id)

    def names(path: Path) -> set[str]:
        with open_project(path, read_only=True) as project:
            return {info.name for info in list_artefacts(project)}

    assert "late.txt" not in names(Merging(base, [], [gone]).written())
    for mine, theirs in ((gone, again), (again, gone)):
        merging = Merging(base, [mine], [theirs])
        assert [conflict.subject for conflict in merging.conflicts()] == ["capture"]
        assert "late.txt" in names(merging.written())
        choice = Choice.MINE if mine is gone else Choice.THEIRS
        assert "late.txt" not in names(merging.written(capture=choice))


def test_runs_are_known_by_number_where_both_had_them_and_else_by_name(base: Path) -> None:
    def rename(label: str) -> Edit:
        return lambda project: runs.change_run(project, 1, label, Phase.BEFORE)

    def add(label: str, phase: Phase = Phase.AFTER) -> Edit:
        return lambda project: runs.ensure_run(project, label, phase)

    def labels(path: Path) -> list[str]:
        with open_project(path, read_only=True) as project:
            return sorted(run.label for run in runs.list_runs(project))

    assert labels(Merging(base, [], [rename("x")]).written()) == ["x"]
    assert labels(Merging(base, [add("x")], [add("x"), add("y")]).written()) == ["before", "x", "y"]
    clash = Merging(base, [rename("m")], [rename("t")])
    assert [conflict.field for conflict in clash.conflicts()] == ["label"]
    assert labels(clash.written()) == ["m"]
    assert labels(clash.written(run=Choice.THEIRS)) == ["t"]
    phases = Merging(base, [add("x", Phase.AFTER)], [add("x", Phase.BEFORE)])
    assert [conflict.field for conflict in phases.conflicts()] == ["phase"]


def test_plans_and_sessions_come_with_their_consents(base: Path) -> None:
    plan = replace(cases.PLAN, run="second")

    def planned(project: Project) -> None:
        plans.save_plan(project, plan)
        plans.approve(project, golden.APPROVAL)
        session = sessions.begin_session(project, cases.PLAN.digest, 1, "/spool/x", "of theirs")
        sessions.set_session_state(project, session, SessionState.FINISHED, "done")

    with open_project(Merging(base, [], [planned]).written(), read_only=True) as project:
        assert plan.digest in [kept.digest for kept in plans.list_plans(project)]
        assert [session.label for session in sessions.list_sessions(project)] == ["before", "of theirs"]


def test_the_engagement_and_its_texts(base: Path) -> None:
    def engagement(**values: Any) -> Edit:
        return lambda project: engagements.write_engagement(
            project, replace(engagements.read_engagement(project), **values)
        )

    merging = Merging(base, [engagement(title="t1", site="s1")], [engagement(title="t2", firm="f2")])
    (conflict,) = merging.conflicts()
    assert (conflict.subject, conflict.field) == ("engagement", "title")
    with open_project(merging.written(), read_only=True) as project:
        merged = engagements.read_engagement(project)
    assert (merged.title, merged.site, merged.firm) == ("t1", "s1", "f2")


def test_a_choice_that_there_is_not_is_refused(base: Path) -> None:
    merging = Merging(base, [copies.change(Question, answer="yes")], [copies.change(Question, answer="no")])
    with opened(merging.mine, merging.theirs) as merge:
        (conflict,) = merge.conflicts
        for choices, key in (
            ({"x": Choice.MINE}, "merge_choice_unknown"),
            ({conflict.key: Choice.BOTH}, "merge_choice_wrong"),
        ):
            with pytest.raises(UserError) as refused:
                merge.apply(choices, base.with_name("out.tune"))
            assert refused.value.key == key
    assert not base.with_name("out.tune").exists()


def test_contacts_that_both_entered_alike_are_one(base: Path) -> None:
    kim, lee = Contact(0, "Kim", "ACME"), Contact(0, "Lee", "ACME")
    book = Merging(base, [copies.add(kim)], [copies.add(kim), copies.add(lee)]).book()
    assert sorted(contact.name for contact in book.all(Contact)) == sorted(["박과장", "Kim", "Lee"])


def test_an_action_that_both_carried_out_keeps_its_state(base: Path) -> None:
    merging = Merging(base, [], [base_action(state=ActionState.PROPOSED)])
    assert merging.book().all(Action)[0].state is ActionState.PROPOSED


def test_what_theirs_did_keeps_its_order_and_time(base: Path) -> None:
    """A target that was set before its result was known is not told as one that was set afterwards, since somebody
    merged: captures and records come in by entries of that day."""

    def planned(project: Project) -> None:
        iteration = cycle_records.read_book(project).iterations[-1]
        metric = Metric(-1, iteration.id, "late", ManualSource(), "value", "s", Direction.LOWER)
        copies.add(metric, Target(-2, iteration.id, -1, None, 5.0))(project)
        copies.capture(b"x9")(project)
        (late,) = [own for own in cycle_records.read_book(project).all(Metric) if own.name == "late"]
        copies.add(Result(0, iteration.id, late.id, Figure(4.0)))(project)

    merging = Merging(base, [copies.change(Question, answer="yes")], [planned])
    with open_project(merging.theirs, read_only=True) as project:
        entries = {entry.id: entry.time for entry in audit.list_audit(project)}
    with open_project(merging.written(), read_only=True) as project:
        book = reading.read(project)
        (metric,) = [own for own in book.all(Metric) if own.name == "late"]
        (target,) = [own for own in book.all(Target) if own.metric_id == metric.id]
        (result,) = [own for own in book.all(Result) if own.metric_id == metric.id]
        assert book.captures is not None
        (came_in,) = [own for own in book.captures.came_in if own.name == "x9.txt"]
        order = [book.recorded[target.id, "value"], came_in.recorded, book.recorded[result.id, "after"]]
    assert [own.entry for own in order] == sorted({own.entry for own in order})
    assert {own.at for own in order} <= set(entries.values())


def test_a_capture_that_two_readers_read_is_read_again_or_stays_as_mine_has_it(base: Path) -> None:
    """No reader that is installed knows this text: what mine read of it is kept, and told."""
    compose()
    merging = Merging(base, [copies.capture(b"x1", version="1.0")], [copies.capture(b"x1", version="2.0")])
    assert merging.conflicts() == ()
    with open_project(merging.written(), read_only=True) as project:
        (info,) = [own for own in list_artefacts(project) if own.name == "x1.txt"]
        assert (
            info.parser_version,
            project.row("SELECT count(*) FROM clock WHERE artefact_id = ?", (info.id,))[0],
        ) == ("1.0", 1)
    assert merging.merged.unread == ("x1.txt",)


def test_a_newer_reading_of_theirs_is_taken(base: Path) -> None:
    with open_project(base) as project:
        copies.capture(b"x1", version="1.0")(project)

    def again(project: Project) -> None:
        (info,) = [own for own in list_artefacts(project) if own.name == "x1.txt"]
        with project.transaction() as connection:
            connection.execute("UPDATE artefact SET parser_version = '2.0' WHERE id = ?", (info.id,))
        audit.record(project, "artefact_parsed", artefact_id=info.id, name=info.name, given={}, host_id=info.host_id)

    with open_project(Merging(base, [], [again]).written(), read_only=True) as project:
        (info,) = [own for own in list_artefacts(project) if own.name == "x1.txt"]
        rows = project.rows("SELECT id FROM clock WHERE artefact_id = ?", (info.id,))
    assert (info.parser_version, len(rows)) == ("2.0", 1)
