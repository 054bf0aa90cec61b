"""Before against after: whether the windows may be compared, and then each series with its uncertainty."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from zoneinfo import ZoneInfo

from app.analysis.comparing.calendar_slots import Calendar
from app.analysis.comparing.comparability import load_caution
from app.analysis.comparing.comparison import (
    Caution,
    ComparedSeries,
    Comparison,
    Quantiles,
    SplitOffer,
    Window,
    pair_series,
    ratio_of_means,
)
from app.analysis.comparing.judging import LEAST_WINDOW_S, Judgement, adjusted, judge_sides, quantiles_of
from app.analysis.inference.verdict import Verdict
from app.core.progress import Progress, SilentProgress
from app.domain.comparability import Check, CheckState, GateCheck
from app.store import engagements, merged_series
from app.store.project import Project
from app.usecases.comparing.gate import Gathered, Noticed, check_gate, is_generated, notice
from app.usecases.comparing.sides import Pair, ReadPair, ReadSide, by_device, joined_samples, read_device
from app.usecases.databases.comparison import DatabaseComparison

__all__ = ["ComparedSeries", "Comparison", "Window", "joined_samples"]

NEAR_NS = 300_000_000_000
"""Changes of several series within this time are offered as one split."""
LEAST_GENERATED_S = 600.0
"""A load generator asks for the same all the time, so that less of it tells as much."""
MOST_THREADS = 4
WORTH_THREADS = 4_000_000
"""Samples of all series together."""
_FROM_FIGURES = frozenset({Verdict.IMPROVED, Verdict.REGRESSED, Verdict.EQUIVALENT, Verdict.INCONCLUSIVE})


def compare(
    project: Project,
    before: Window,
    after: Window,
    progress: Progress | None = None,
    database: DatabaseComparison | None = None,
) -> Comparison:
    """All that two windows measured, side by side, a run of many captures as one.

    Args:
        database: of the two runs, where the caller has it already: the gate would compare their statements again.
    """
    progress = progress or SilentProgress()
    pairs = pair_series(
        merged_series.list_merged(project, before.run_id), merged_series.list_merged(project, after.run_id)
    )
    zone = ZoneInfo(engagements.read_engagement(project).zone)
    work = _Work(project, pairs, before, after, Calendar(zone))
    rows: list[ComparedSeries | None] = [None] * len(pairs)
    gathered, changes = Gathered(before, after), _Changes()
    for one in work.done(progress):
        rows[one.place] = one.row
        gathered.take(one.row, one.noticed)
        changes.take(one.row, one.judgement)
    judged = adjusted([row for row in rows if row is not None])
    offers = (*gathered.restart_offers(project), *changes.offers())
    gate = check_gate(project, gathered, judged, offers, database)
    least_s = LEAST_GENERATED_S if is_generated(judged) else LEAST_WINDOW_S
    rows_gated = tuple(_long_enough(_gated(row, gate, gathered), least_s) for row in judged)
    return Comparison(before, after, rows_gated, gate, offers)


# -- one series ----------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Compared:
    """One series; its samples are let go."""

    place: int
    row: ComparedSeries
    judgement: Judgement
    noticed: Noticed


@dataclass(frozen=True, slots=True)
class _Work:
    """All series, device by device."""

    project: Project
    pairs: Sequence[Pair]
    before: Window
    after: Window
    calendar: Calendar

    def done(self, progress: Progress) -> Iterator[_Compared]:
        """In the order of the devices."""
        count = 0
        for found in self._by_device():
            progress.raise_if_cancelled()
            progress.report(count, len(self.pairs), "progress.comparing")
            count += len(found)
            yield from found

    def _by_device(self) -> Iterator[list[_Compared]]:
        """Long series by several threads, each of which reads for itself."""
        threads = self._threads()
        if threads == 1:
            yield from map(self._device, by_device(self.pairs))
            return
        pool = ThreadPoolExecutor(threads, "compare")
        try:
            yield from pool.map(self._device, by_device(self.pairs))
        finally:
            pool.shutdown(wait=True, cancel_futures=True)

    def _threads(self) -> int:
        """Short series are mostly Python's own work, which threads would only hinder."""
        samples = sum(info.count for sides in self.pairs for parts in sides for info in parts)
        return min(os.cpu_count() or 1, MOST_THREADS) if samples >= WORTH_THREADS else 1

    def _device(self, places: Sequence[int]) -> list[_Compared]:
        found = []
        for read in read_device(self.project, self.pairs, places, self.before, self.after):
            judgement = _judge(read, self.calendar)
            found.append(_Compared(read.place, _row(read, judgement), judgement, notice(read)))
        return found


def _judge(read: ReadPair, calendar: Calendar) -> Judgement:
    if read.before.side is None or read.after.side is None:
        return Judgement(Verdict.NOT_COMPARABLE, "one_side_only")
    return judge_sides(read.before.side, read.after.side, calendar)


def _row(read: ReadPair, judgement: Judgement) -> ComparedSeries:
    earlier, later = read.parts
    ratio, reason = ratio_of_means(read.before.statistics, read.after.statistics, (later or earlier)[0].direction)
    if judgement.reason == "definition_differs":
        ratio = None
    row = ComparedSeries(
        earlier,
        later,
        read.before.statistics,
        read.after.statistics,
        ratio,
        judgement.reason or ("" if judgement.estimate else reason),
        judgement.verdict,
        judgement.facts,
        judgement.cautions,
        margin=judgement.margin,
    )
    found = judgement.estimate
    sizes = (found.before, found.after) if found else (None, None)
    row = replace(
        row, before_quantiles=_quantiles(read.before, sizes[0]), after_quantiles=_quantiles(read.after, sizes[1])
    )
    if found is None:
        return row
    cautions = (*row.cautions, Caution("weighted_by_requests")) if found.weighted else row.cautions
    return replace(
        row,
        cautions=cautions,
        method=found.method,
        estimate=found.ratio if found.interval else None,
        interval=found.interval,
        difference=found.difference,
        difference_interval=found.difference_interval,
        p=found.p,
        n_eff_before=found.before,
        n_eff_after=found.after,
        lag1_before=found.lag1_before,
        lag1_after=found.lag1_after,
    )


def _quantiles(read: ReadSide, n_eff: float | None) -> Quantiles | None:
    return quantiles_of(read.side.samples, n_eff) if read.side else None


# -- all together --------------------------------------------------------------------------------------


@dataclass(slots=True)
class _Changes:
    """Changes inside the windows, those near each other as one."""

    found: list[tuple[str, str, int, float, str]] = field(default_factory=list)
    """(side, host, time, factor, label)"""

    def take(self, row: ComparedSeries, judgement: Judgement) -> None:
        for side, at_ns, change in judgement.changes:
            info = row.before if side == "before" else row.after
            self.found.append((side, info.host if info else "", at_ns, change.factor, row.series.label))

    def offers(self) -> list[SplitOffer]:
        groups: list[list[tuple[str, str, int, float, str]]] = []
        for one in sorted(self.found):
            last = groups[-1][-1] if groups else None
            if last and last[:2] == one[:2] and one[2] - last[2] <= NEAR_NS:
                groups[-1].append(one)
            else:
                groups.append([one])
        offers = [_offer(group) for group in groups]
        return sorted(offers, key=lambda offer: (-len(offer.series), offer.side, offer.at_ns))


def _offer(group: Sequence[tuple[str, str, int, float, str]]) -> SplitOffer:
    ordered = sorted(group, key=lambda one: -one[3])
    side, host, at_ns, factor, _ = ordered[0]
    return SplitOffer(side, host, at_ns, "change_point", tuple(dict.fromkeys(one[4] for one in ordered)), factor)


def _gated(row: ComparedSeries, gate: Iterable[GateCheck], gathered: Gathered) -> ComparedSeries:
    """A refusal of the gate forbids every verdict; what had a reason of its own keeps it."""
    refused = [check.check.value for check in gate if check.state.value == "refuse"]
    judged = row.verdict in _FROM_FIGURES
    if refused and (judged or row.reason == "neutral"):
        return replace(row, verdict=Verdict.NOT_COMPARABLE, reason="gate", facts={"checks": refused})
    if not judged:
        return row
    cautions = [*row.cautions, *filter(None, map(_caution, gate))]
    resource = gathered.saturated_for(row)
    if resource and row.verdict is Verdict.IMPROVED:
        cautions.append(Caution("lower_bound", {"resource": resource}))
    return replace(row, cautions=tuple(cautions))


def _long_enough(row: ComparedSeries, least_s: float) -> ComparedSeries:
    """What minutes of production show is described: it may be their own, whatever the interval says."""
    short = next((caution for caution in row.cautions if caution.key == "short_window"), None)
    if short is None or row.verdict not in _FROM_FIGURES or float(str(short.facts["length_s"])) >= least_s:
        return row
    facts = {"length_s": short.facts["length_s"], "least_s": least_s}
    cautions = tuple(caution for caution in row.cautions if caution is not short)
    return replace(row, verdict=Verdict.DESCRIPTIVE_ONLY, reason="short_window", facts=facts, cautions=cautions)


def _caution(found: GateCheck) -> Caution | None:
    """C6 concerns the series that changed inside, C9 those of the full resource: each row has its own caution then."""
    if found.check is Check.LOAD:
        return load_caution(found)
    adjusted_for = found.state is CheckState.ADJUST and found.check not in (Check.STATIONARITY, Check.SATURATION)
    return Caution(f"check_{found.check.value}") if adjusted_for else None
