"""Guard metrics: a resource that pays is watched by a metric of its own, without anybody having to think of it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from tunebench.core.messages import catalogue
from tunebench.core.records import record
from tunebench.domain.cycle.book import CycleBook, CycleEdit, Record, RecordChange
from tunebench.domain.cycle.records import ManualSource, Metric, MetricSource, SeriesSource, SystemInScope, SystemKind
from tunebench.domain.cycle.worksheet import Action, ActionState, Resource
from tunebench.domain.engagement import Direction
from tunebench.domain.record_ids import book_after
from tunebench.domain.translations import in_language


@record
class GuardForm:
    """How a resource is watched where the consultant says nothing else; without `metric` by hand."""

    statistic: str
    unit: str
    direction: Direction
    metric: str = ""
    decimals: int = 1
    attributes: tuple[tuple[str, str], ...] = ()


FORMS: Mapping[Resource, GuardForm] = {
    # Idle and not busy: every tool prints it as one column.
    Resource.CPU: GuardForm("mean", "%", Direction.HIGHER, "system.cpu.utilization", attributes=(("state", "idle"),)),
    Resource.MEMORY: GuardForm("min", "MB", Direction.HIGHER, "system.memory.available", 0),
    Resource.DISK_LATENCY: GuardForm("p95", "ms", Direction.LOWER, "system.disk.response_time"),
    Resource.DISK_THROUGHPUT: GuardForm("mean", "kB/s", Direction.HIGHER, "system.disk.io", 0),
    Resource.SPACE: GuardForm("max", "%", Direction.LOWER, "system.filesystem.utilization"),
    Resource.NETWORK: GuardForm("p95", "%", Direction.LOWER, "system.network.utilization"),
    Resource.CONCURRENCY: GuardForm("p95", "{thread}", Direction.LOWER, "system.cpu.run_queue_length"),
    Resource.DURABILITY: GuardForm("value", "min", Direction.LOWER),
    Resource.AVAILABILITY: GuardForm("value", "min", Direction.LOWER),
    Resource.COST: GuardForm("value", "", Direction.LOWER, decimals=0),
    Resource.MANAGEABILITY: GuardForm("value", "h", Direction.LOWER),
}
_STANDING = (ActionState.DRAFT, ActionState.PROPOSED, ActionState.EXECUTED)


def paid_resources(action: Action) -> tuple[Resource, ...]:
    """The resources that pay, each once, in the order of the worksheet's columns."""
    paid = {impact.resource for impact in action.prices}
    return tuple(resource for resource in Resource if resource in paid)


def guards_of(book: CycleBook, action: Action) -> tuple[Metric, ...]:
    metrics = book.in_iteration(Metric, action.iteration_id)
    return tuple(metric for metric in metrics if metric.guards == action.id)


def missing_guards(book: CycleBook, action: Action) -> tuple[Resource, ...]:
    """The resources that pay without a guard metric."""
    watched = {metric.resource for metric in guards_of(book, action)}
    return tuple(resource for resource in paid_resources(action) if resource.value not in watched)


def guard_metric(book: CycleBook, action: Action, resource: Resource, language: str) -> Metric:
    """A metric that watches `resource`, as a consultant would begin it; everything about it may be changed."""
    form = FORMS[resource]
    say = catalogue(language).text
    resource_name = say(f"cycle.resource.{resource.value}")
    return Metric(
        id=0,
        iteration_id=action.iteration_id,
        name=say("cycle.guard.name", resource=resource_name, action=in_language(action, "title", language)),
        source=_source(book, action, resource, form, language),
        statistic=form.statistic,
        unit=form.unit,
        direction=form.direction,
        definition=say(f"cycle.guard.definition.{resource.value}"),
        decimals=form.decimals,
        guards=action.id,
        resource=resource.value,
    )


def guard_changes(book: CycleBook, action: Action, language: str) -> tuple[RecordChange, ...]:
    """The guard metrics to add so that every resource that pays is watched."""
    if action.state not in _STANDING:
        return ()
    missing = missing_guards(book, action)
    return tuple(RecordChange(None, guard_metric(book, action, resource, language)) for resource in missing)


def with_guards(book: CycleBook, edit: CycleEdit, language: str) -> CycleEdit:
    """The edit, and the guard metrics that its actions need: one step of undo takes both back."""
    numbered = CycleEdit(edit.name, tuple(_with_own_ids(edit)))
    after = book_after(book, numbered)
    actions = [change.after for change in numbered.changes if isinstance(change.after, Action)]
    added = [change for action in actions for change in guard_changes(after, action, language)]
    return CycleEdit(edit.name, (*numbered.changes, *added)) if added else edit


def _with_own_ids(edit: CycleEdit) -> Iterator[RecordChange]:
    """A new action is named by its guards: it needs a number of its own before it is kept."""
    free = min((change.after.id for change in edit.changes if change.after is not None), default=0)
    free = min(free, 0)
    for change in edit.changes:
        after: Record | None = change.after
        if after is not None and after.id == 0:
            free -= 1
            after = replace(after, id=free)
        yield RecordChange(change.before, after)


def _source(book: CycleBook, action: Action, resource: Resource, form: GuardForm, language: str) -> MetricSource:
    if not form.metric:
        return ManualSource(catalogue(language).text(f"cycle.guard.how.{resource.value}"))
    return SeriesSource(host=_host(book, action), tool="", native="", metric=form.metric, attributes=form.attributes)


def _host(book: CycleBook, action: Action) -> str:
    """The host that the iteration measures, where it is one; empty where somebody has to choose."""
    metrics = book.in_iteration(Metric, action.iteration_id)
    hosts = {metric.source.host for metric in metrics if isinstance(metric.source, SeriesSource)} - {""}
    hosts = hosts or {system.host for system in book.all(SystemInScope) if system.kind is SystemKind.HOST} - {""}
    return next(iter(hosts)) if len(hosts) == 1 else ""
