"""A project, and what a test of the cycle's builders does to it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from tunebench.core.errors import UserError
from tunebench.core.messages import catalogue
from tunebench.domain.cycle.book import CycleBook, CycleEdit, RecordChange
from tunebench.domain.cycle.records import Figure, Iteration, ManualSource, Metric, Target
from tunebench.domain.cycle.worksheet import Action, Consent, Decision, ParameterChange, Rollback, Verification
from tunebench.domain.engagement import Direction, Phase
from tunebench.store import runs
from tunebench.store.project import Project
from tunebench.usecases.cycle import applying, comparable, edits, reading
from tunebench.usecases.cycle.acts import approve_action, execute_action, record_result, set_baseline
from tunebench.usecases.cycle.edits import add_typed, open_iteration
from tunebench.usecases.cycle.lookup import iteration_of

AT = "2026-07-20T22:00:00+09:00"
YES = Consent("DBA", "박과장", Decision.APPROVED, AT)


class Bench:
    """A project and what a test does to it."""

    def __init__(self, project: Project) -> None:
        self.project = project
        self.before, self.after = (runs.ensure_run(project, p.value, p) for p in (Phase.BEFORE, Phase.AFTER))

    @property
    def book(self) -> CycleBook:
        return comparable.asked(self.project, reading.read(self.project))

    def do(self, edit: CycleEdit) -> CycleEdit:
        """With a reason, in case the edit changes what is sealed."""
        return applying.apply(self.project, edit, "이영진", "고객 요청")

    def one(self, kind: type[Any]) -> Any:
        return self.book.all(kind)[-1]

    def start(self) -> Iteration:
        self.do(open_iteration(self.book, f"{len(self.book.iterations) + 1}차", on="2026-07-19"))
        return self.book.iterations[-1]

    def metric(self, name: str = "응답") -> Metric:
        here = iteration_of(self.book, None)
        self.do(
            edits.add(self.book, Metric(0, here.id, name, ManualSource("stop watch"), "value", "s", Direction.LOWER))
        )
        found = self.one(Metric)
        assert isinstance(found, Metric)
        return found

    def baseline(self, metric: Metric, value: float = 100.0) -> None:
        self.do(set_baseline(self.book, metric.id, Figure(value, run_id=self.before.id)))

    def lay_baseline(self, metric: Metric, figure: Figure, value: float | None = None, priority: int = 2) -> None:
        """Past the gates, as earlier releases took it."""
        laid = Target(0, metric.iteration_id, metric.id, figure, value, priority)
        self.do(CycleEdit("set_baseline", (RecordChange(None, laid),)))

    def target(self, value: float = 20.0) -> Target:
        self.do(edits.change(self.book, replace(self.one(Target), value=value)))
        found = self.one(Target)
        assert isinstance(found, Target)
        return found

    def action(self, metric: Metric, **more: Any) -> Action:
        made = Action(
            0,
            metric.iteration_id,
            "maxcontig",
            (ParameterChange("maxcontig", "6", "128"),),
            no_price_reason="읽기 전용",
            rollback=Rollback("tunefs -a 6"),
            verifications=(Verification(metric.id),),
        )
        self.do(edits.add(self.book, replace(made, **more)))
        found = self.one(Action)
        assert isinstance(found, Action)
        return found

    def executed(self) -> Action:
        """An iteration up to an executed action."""
        self.start()
        metric = self.metric()
        self.baseline(metric)
        self.target()
        action = self.action(metric)
        self.do(approve_action(self.book, action.id, YES))
        self.do(execute_action(self.book, action.id, "이영진", AT, "tunefs -a 128"))
        found = self.one(Action)
        assert isinstance(found, Action)
        return found


def refused(build: Callable[[], object]) -> UserError:
    """A refusal, whose sentence is there in both languages with its facts filled."""
    with pytest.raises(UserError) as caught:
        build()
    for language in ("ko", "en"):
        sentence = catalogue(language).error(caught.value)
        assert "⟨" not in sentence and "{" not in sentence, sentence
    return caught.value


def sign_results(bench: Bench) -> None:
    """Nothing to compare, and somebody says so."""
    signed = {"equality": "not_applicable", "equality_by": "박과장", "equality_basis": "조회만 함"}
    bench.do(add_typed(bench.book, "summary", signed))


def with_result(bench: Bench, value: float) -> Iteration:
    bench.executed()
    bench.do(record_result(bench.book, bench.one(Metric).id, Figure(value, run_id=bench.after.id)))
    return bench.book.iterations[-1]
