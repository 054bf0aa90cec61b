"""Have we seen this before, and what did it bring: similar engagements, and the measured effects of a change."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from math import exp, log
from statistics import median
from typing import TYPE_CHECKING

from tunebench.archive import queries
from tunebench.archive.archive import Archive
from tunebench.archive.parts import Row
from tunebench.core.grouping import by_key
from tunebench.core.progress import Progress
from tunebench.core.records import record
from tunebench.domain.cycle.worksheet import Action, ActionState
from tunebench.usecases.archiving import facade

if TYPE_CHECKING:
    from tunebench.store.project import Project

_REACH = 2 * 1.959963984540054
"""Standard errors that a 95 % interval spans."""

Trait = tuple[str, str]
"""Kind and name of what engagements may have in common: ``("rule", "X-DSK-05")``, ``("change", "shared_buffers")``."""


@record
class Done:
    """A countermeasure that was carried out; `measured`: metric, state (its word is ``cycle.<state>``) and ratio."""

    title: str
    state: str
    measured: tuple[tuple[str, str, float | None], ...]


@record
class Similar:
    """
    Attributes:
        score: of what the asked one has, how much this one has too (0 to 1), the rarer the more; `shared` says what.
        done: countermeasures there that were carried out, with what was measured.
    """

    engagement: str
    title: str
    score: float
    shared: tuple[Trait, ...]
    done: tuple[Done, ...]


@record
class MeasuredRatio:
    """What one engagement measured; more than 1 is better. `low` and `high`: 95 %, None where none was to be had."""

    engagement: str
    title: str
    ratio: float
    low: float | None
    high: float | None
    rolled_back: bool


@record
class Effect:
    """What a change did to a metric, over all engagements that carried it out, rolled back or not.

    Attributes:
        parameters: that it set, in any engagement.
        cases: engagements that carried it out, `rolled_back` of them took it back; `measured`: how many `ratios`.
        unmeasured: titles of those that carried it out and measured nothing of this metric.
        median: ratio, more than 1 is better; None where nothing was measured.
        mean, low, high: over cases that differ (random effects), of those with an interval; None of fewer than two.
        states: how often its targets and guards were met, missed, paid ..., by their words' keys.
    """

    change: str
    parameters: tuple[str, ...]
    metric: str
    price: bool
    cases: int
    rolled_back: int
    measured: int
    unmeasured: tuple[str, ...]
    median: float | None
    mean: float | None
    low: float | None
    high: float | None
    states: Mapping[str, int]
    ratios: tuple[MeasuredRatio, ...]


def seen(archive: Archive, project: Project, progress: Progress) -> list[Similar]:
    """`similar` of a project, whether or not the archive has it."""
    engagement = facade.engagement_id(project)
    if archive.content_of(engagement) == facade.content_of(project):
        return similar(archive, engagement)
    from tunebench.usecases.archiving.rows import records_of

    with facade.case_of(project, None, progress) as (_project, case):
        return similar(archive, engagement, _traits_of(records_of(case)))


def similar(archive: Archive, engagement: str, traits: frozenset[Trait] | None = None) -> list[Similar]:
    """Other engagements that have findings, causes, systems or changes in common with it, the most alike first.

    Args:
        traits: of the engagement itself, where the archive has none of them, or older ones.
    """
    traits_by_engagement = _traits(archive)
    archived = traits_by_engagement.pop(engagement, frozenset())
    own = archived if traits is None else traits
    if not own:
        return []
    everywhere = Counter(trait for theirs in traits_by_engagement.values() for trait in theirs & own)
    weight = {trait: log(1 + (len(traits_by_engagement) + 1) / (everywhere[trait] + 1)) for trait in own}
    titles = facade.titles(archive)
    done = _done(archive)
    alike = []
    for other, theirs in traits_by_engagement.items():
        if shared := sorted(own & theirs, key=lambda trait: (-weight[trait], trait)):
            score = sum(weight[trait] for trait in shared) / sum(weight.values())
            alike.append(Similar(other, titles.get(other, other), score, tuple(shared), tuple(done.get(other, ()))))
    return sorted(alike, key=lambda other: (-other.score, other.title, other.engagement))


def _traits_of(tables: Mapping[str, Sequence[Row]]) -> frozenset[Trait]:
    """What `queries.TRAITS` selects, of one engagement's own rows."""
    findings = (
        finding
        for finding in tables["findings"]
        if finding["severity"] in ("warning", "critical")
        and finding["phase"] != "after"
        and not finding["explained_by"]
    )
    changes = (name.strip() for action in tables["actions"] for name in str(action["changes"] or "").split(","))
    by_kind = {
        "rule": (finding["rule"] for finding in findings),
        "os": (host["os"] for host in tables["hosts"]),
        "domain": (cause["domain"] for cause in tables["causes"]),
        "change": changes,
        "effect": (action["effect"] for action in tables["actions"]),
    }
    return frozenset((kind, str(value)) for kind, values in by_kind.items() for value in values if value)


def _done(archive: Archive) -> dict[str, list[Done]]:
    rows = by_key((tuple(row[:5]), tuple(row[5:])) for row in archive.ask(queries.DONE).rows)
    return by_key(
        (str(engagement), Done(str(title), str(state), tuple(figure for figure in measured if figure[0])))
        for (engagement, _iteration, _number, title, state), measured in rows.items()
    )


def _traits(archive: Archive) -> dict[str, frozenset[Trait]]:
    rows = archive.ask(queries.TRAITS).rows
    by_engagement = by_key((str(engagement), (str(kind), str(value))) for engagement, kind, value in rows)
    return {engagement: frozenset(traits) for engagement, traits in by_engagement.items()}


def effects(archive: Archive, wanted: str = "") -> list[Effect]:
    """Effects of each change (or of those whose name holds `wanted`), metric by metric, gains and prices apart."""
    titles = facade.titles(archive)
    by_change = by_key(
        (str(change or ""), _Case(*rest)) for change, *rest in archive.ask(queries.EFFECTS, [wanted.lower()]).rows
    )
    every = (
        _effect(change, metric, price, cases, titles)
        for change, cases in by_change.items()
        for metric, price in _metrics(cases)
    )
    return sorted(every, key=lambda effect: (-effect.cases, effect.change, effect.price, effect.metric))


def effects_of(archive: Archive, action: Action) -> list[Effect]:
    """Effects of what a countermeasure is to change: of the same known effect, or of a parameter that it sets too."""
    parameters = {change.parameter.lower() for change in action.changes}
    return [
        effect
        for effect in effects(archive)
        if (action.known_effect and effect.change == action.known_effect)
        or parameters.intersection(name.lower() for name in effect.parameters)
    ]


@record
class _Case:
    """One execution of a change, with one of the figures that were to tell of it; without, where nobody named any."""

    engagement: str
    changes: str | None
    metric: str | None
    price: bool | None
    ratio: float | None
    low: float | None
    high: float | None
    state: str | None
    action: str

    @property
    def log_and_error(self) -> tuple[float, float] | None:
        if self.low is None or self.high is None or not 0 < self.low < self.high:
            return None
        return (log(self.low) + log(self.high)) / 2, (log(self.high) - log(self.low)) / _REACH


def _metrics(cases: Iterable[_Case]) -> Iterable[tuple[str, bool]]:
    """What anybody watched; nothing, once, where nobody did."""
    watched = dict.fromkeys((case.metric, bool(case.price)) for case in cases if case.metric)
    return watched or [("", False)]


def _effect(change: str, metric: str, price: bool, cases: list[_Case], titles: Mapping[str, str]) -> Effect:
    from tunebench.analysis.inference.pooling import pooled

    own = [case for case in cases if (case.metric or "", bool(case.price)) == (metric, price)]
    ratios = [
        MeasuredRatio(
            case.engagement,
            titles.get(case.engagement, case.engagement),
            case.ratio,
            case.low,
            case.high,
            case.action == ActionState.ROLLED_BACK,
        )
        for case in own
        if case.ratio
    ]
    with_figure = {measured.engagement for measured in ratios}
    intervals = [pair for case in own if (pair := case.log_and_error) is not None]
    mean = pooled(*zip(*intervals, strict=True)) if len(intervals) > 1 else None
    carried_out = {case.engagement for case in cases}
    parameters = {name.strip() for case in cases for name in (case.changes or "").split(",")}
    return Effect(
        change,
        tuple(sorted(parameters - {""})),
        metric,
        price,
        len(carried_out),
        len({case.engagement for case in cases if case.action == ActionState.ROLLED_BACK}),
        len(ratios),
        tuple(sorted(titles.get(engagement, engagement) for engagement in carried_out - with_figure)),
        median(measured.ratio for measured in ratios) if ratios else None,
        exp(mean.estimate) if mean else None,
        exp(mean.low) if mean and mean.low is not None else None,
        exp(mean.high) if mean and mean.high is not None else None,
        dict(Counter(case.state for case in own if case.state)),  # as `asdict` wants it
        tuple(sorted(ratios, key=lambda measured: (-measured.ratio, measured.title))),
    )
