"""Ways to turn a missed target into one that was met, tried on both fronts: each is refused, or kept as an amendment.

The engagement is that of `tests.ui.made_cycle`: an order took 50 s, is to take 20 s and took 25 s after the change.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime, timedelta, tzinfo
from typing import Any, Self

from tests.ui import made_cycle
from tunebench.domain.cycle.book import CycleBook, CycleEdit
from tunebench.domain.cycle.records import Equality, Figure, Metric, Result, ResultSummary, Target
from tunebench.domain.cycle.worksheet import ExecutedChange
from tunebench.usecases.cycle import edits, reading
from tunebench.usecases.cycle.edits import change_typed

CHEATS: Mapping[str, tuple[str, ...]] = {
    "the target is made easier": ("target.{top}", "value=30"),
    "the top priority is another": ("target.{top}", "priority=2"),
    "the target is of another metric": ("target.{top}", "metric_id={gets}"),
    "the baseline is made worse": ("target.{top}", "baseline.value=500"),
    "the day is put off": ("target.{top}", "due_on=2027-08-01"),
    "a target is set after its result": ("target.{seen}", "value=6"),
    "the target is removed": ("target.{top}",),
    "the direction is turned round": ("metric.{time}", "direction=higher"),
    "the statistic is another": ("metric.{time}", "statistic=min"),
    "the unit is another": ("metric.{time}", "unit=ms"),
    "other hours of the day count": ("metric.{time}", "window=09:00-10:00"),
    "something else is measured": ("metric.{time}", "definition=without the commit"),
    "the source is another": ("metric.{time}", "source=manual:guessed"),
    "the metric is called otherwise": ("metric.{time}", "name=Queue time"),
    "the title is another": ("action.{action}", "title=Drop all tables"),
    "the hypothesis is another": ("action.{action}", "hypothesis=It was the network"),
    "the new value is another": ("action.{action}", "changes.1.new=64"),
    "the price is talked down": ("action.{action}", "impacts.2.direction=0"),
    "no price is owed": ("action.{action}", "no_price_reason=free of charge"),
    "the way back is another": ("action.{action}", "rollback.command=restore"),
    "the margin is another": ("action.{action}", "verifications.1.margin_pct=1"),
    "the execution is dated otherwise": ("executed.{line}", "executed_at=2026-07-21T06:00:00+09:00"),
    "somebody else executed it": ("executed.{line}", "executed_by=Park"),
    "something else was set": ("executed.{line}", "new=64"),
    "the result is measured again": ("result.{result}", "after=19 @ the second try"),
    "the result is of another metric": ("result.{result}", "metric_id={gets}"),
    "the result is taken away": ("result.{result}",),
    "an easier target of a twin metric": ("target.{twin}", "value=30"),
    "other answers are called the same": ("summary.{summary}", "equality=same"),
    "somebody else compared the answers": ("summary.{summary}", "equality_by=Lee"),
    "something else was compared": ("summary.{summary}", "equality_basis=only the first page"),
    "the sign-off is taken away": ("summary.{summary}",),
}
"""What is wrong -> the record and the value that is typed for a field of it; without a value it is removed."""
REFUSED: Mapping[str, tuple[str, ...]] = {
    "a result is typed over captures": ("measure", "metric.{gets}", "--run", "after", "--value", "1 @ trust me"),
    "its run alone makes no figure": ("measure", "metric.{gets}", "--run", "after", "--value", "1"),
    "a baseline is typed over captures": ("set", "target.{second}", "baseline=9000 @ trust me"),
    "a part of it is typed": ("set", "target.{second}", "baseline.value=9000"),
    "a result is added by hand": ("add", "result", "metric=metric.{gets}", "after=1 @ trust me"),
    "an after-run is the baseline": ("measure", "metric.{time}", "--run", "after", "--as", "baseline", "--value", "9"),
    "a miss is accepted for nothing": ("close", "--by", "Lee", "--reason", "."),
    "it is given up for nothing": ("close", "--by", "Lee", "--abandon", "--reason", "x"),
    "the execution is dated before its approval": ("set", "executed.{line}", "executed_at=2026-07-20T05:00:00+09:00"),
    "a step is skipped for nothing": ("set", "step:3", "state=skipped", "skip_reason=-"),
    "the approver is said to have carried it out": ("set", "executed.{line}", "executed_by=PARK."),
    "who carried it out approves it": ("approve", "action.{action}", "--name", " k im"),
}
"""What no reason makes right, in an engagement that wants two persons."""
REASON = "the customer asked for it in writing"
EMPTY_REASONS = ("", "   ", ".", "x", "...", "xxx", "\u200b")


class DaysAgo(datetime):
    """The clock of a computer that was set back by three days."""

    @classmethod
    def now(cls, tz: tzinfo | None = None) -> Self:
        return super().now(tz) - timedelta(days=3)


def fill(project: Any) -> dict[str, int]:
    ids = made_cycle.fill(project)
    book = reading.read(project)
    (line,) = book.all(ExecutedChange)
    result = next(each for each in book.all(Result) if each.metric_id == ids["time"])
    differing = ResultSummary(0, ids["iteration"], equality=Equality.DIFFERENT)
    signed = replace(differing, equality_by="Park", equality_basis="all orders of the night")
    summary = made_cycle.CycleMaker(project).add(signed)
    return {**ids, "summary": summary.id, "line": line.id, "result": result.id, "twin": _twin_of(project, ids["time"])}


def _twin_of(project: Any, metric_id: int) -> int:
    """The target, still without a value, of a metric that measures the same under the same name."""
    maker = made_cycle.CycleMaker(project)
    metric = made_cycle.the(maker.book, Metric, metric_id)
    twin = maker.add(replace(metric, id=0, statistic="min"))
    made: Target = maker.add(Target(0, metric.iteration_id, twin.id, Figure(50.0, source=made_cycle.SOURCE)))
    return made.id


def words_of(cheat: tuple[str, ...], ids: Mapping[str, int]) -> list[str]:
    """As the verb cycle takes it."""
    return ["set" if cheat[1:] else "remove", *(each.format_map(ids) for each in cheat)]


def edit_of(book: CycleBook, cheat: tuple[str, ...], ids: Mapping[str, int]) -> CycleEdit:
    """As the window makes it."""
    _act, reference, *values = words_of(cheat, ids)
    id_ = int(reference.partition(".")[2])
    pairs = [(name, text) for name, _, text in (each.partition("=") for each in values)]
    return change_typed(book, id_, pairs) if pairs else edits.remove(book, id_)


def amended_of(cheat: tuple[str, ...], ids: Mapping[str, int]) -> tuple[str, str]:
    """The record and field that the amendment is to name."""
    _act, reference, *values = words_of(cheat, ids)
    return reference, values[0].partition("=")[0].partition(".")[0] if values else ""
