"""Before against after: whether the windows may be compared, and then each series with its uncertainty."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import field, replace

from tunebench.analysis.answering.resources import with_leads
from tunebench.analysis.comparing.comparability import Busy, load_caution
from tunebench.analysis.comparing.comparison import (
    Caution,
    ComparedSeries,
    Comparison,
    Quantiles,
    SplitOffer,
    pair_series,
    ratio_of_means,
)
from tunebench.analysis.comparing.deciding import Kinds, adjusted, with_decisions
from tunebench.analysis.comparing.derived import derived
from tunebench.analysis.comparing.judging import LEAST_S, Prepared, Refusal, prepared, undated
from tunebench.analysis.comparing.window_sides import describe
from tunebench.analysis.inference.verdict import Verdict
from tunebench.analysis.statistics import Statistics
from tunebench.core.alike import alike
from tunebench.core.progress import Progress, SilentProgress
from tunebench.core.records import record
from tunebench.domain.comparability import Check, CheckState, GateCheck
from tunebench.domain.windows import Window, WindowLoad
from tunebench.store.project import Project
from tunebench.usecases.comparing.equal_load import WORK_METRICS, Drivers
from tunebench.usecases.comparing.gate import (
    Evidence,
    GateFacts,
    check_gate,
    gate_facts,
    is_dated,
    is_generated,
    limited_by,
)
from tunebench.usecases.comparing.other_windows import elsewhere
from tunebench.usecases.comparing.sides import Pair, ReadPair, ReadSide, in_blocks, let_go, read_block
from tunebench.usecases.comparing.stretches import TwoSides, series_in, two_sides
from tunebench.usecases.databases.comparison import DatabaseComparison

NEAR_NS = 300_000_000_000
"""Changes of several series within this time are offered as one split."""
_FROM_FIGURES = frozenset({Verdict.IMPROVED, Verdict.REGRESSED, Verdict.EQUIVALENT, Verdict.INCONCLUSIVE})


def compare(
    project: Project,
    before: Window,
    after: Window,
    progress: Progress | None = None,
    database: DatabaseComparison | None = None,
) -> Comparison:
    """All that two windows measured, side by side, captures that continue each other as one.

    Args:
        database: of the two runs, where the caller has it already: the gate would compare their statements again.
    """
    work = Work.of(project, before, after)
    sides = work.sides
    evidence, changes = Evidence(before, after, sides.windows, sides.left_out), _Changes()
    kinds, drivers = Kinds(sides.load, sides.places), Drivers()
    measured: dict[int, _Measured] = {}
    done = work.done(progress or SilentProgress())
    is_placed = is_dated(project, evidence) or not set(evidence.runs(0)).isdisjoint(evidence.runs(1))
    for figures in done if is_placed else map(_undated, done):
        row = _row(work.pairs[figures.index], figures)
        measured[figures.index] = row, figures.prepared
        kinds.take(row.series, figures.prepared)
        drivers.take(figures.index, row, figures.means)
        evidence.take(row, figures.prepared, figures.gate_facts)
        changes.take(row, figures.prepared)
    series = [measured[index] for index in range(len(work.pairs))]
    database = database or evidence.database(project)
    kinds.elsewhere = elsewhere(project, work.pairs, sides.windows, sides.load, sides.calendars[0])
    drivers.choose(is_generated(row for row, _ in series), database)
    captured = [(index, row, ready) for index, (row, ready) in enumerate(series)]
    derivations = derived([(row, ready) for _, row, ready in captured])
    of_derived = [(-number, own.row, ready) for number, (own, ready) in enumerate(derivations, 1)]
    decisions = _decided(work, [*captured, *of_derived], kinds, drivers)
    judged = adjusted(decisions[: len(captured)])
    offers = (*evidence.restart_offers(project), *changes.offers())
    gate = check_gate(project, evidence, judged, offers, database, drivers.load, sides.calendars)
    # a derived series says once more what captured ones say: it is judged among them, they are not among it
    every = [*judged, *(adjusted(decisions, len(captured)) if of_derived else ())]
    ready = [prepared for _, _, prepared in (*captured, *of_derived)]
    rows = _qualified(every, ready, gate, evidence.saturated(), sides.load)
    of_derivations = tuple(
        replace(own, row=row) for (own, _), row in zip(derivations, rows[len(captured) :], strict=True)
    )
    compared = rows[: len(captured)]
    whole = Comparison(before, after, compared, gate, offers, *sides.windows, sides.left_out, of_derivations)
    return with_leads(whole, "" if database is None else database.after.database.label)


# -- one series ----------------------------------------------------------------------------------------


def _undated(figures: PairFigures) -> PairFigures:
    return replace(figures, prepared=undated(figures.prepared))


@record
class PairFigures:
    """What is computed of one pair of series while its samples are in memory.

    Attributes:
        index: of the pair in the list of all.
        statistics, quantiles: of either side.
        means: of each occurrence of either side by its index, in the base unit, of what may tell the load.
    """

    index: int
    statistics: tuple[Statistics | None, Statistics | None]
    quantiles: tuple[Quantiles | None, Quantiles | None]
    prepared: Prepared
    gate_facts: GateFacts
    means: tuple[dict[int, float], dict[int, float]]


_Measured = tuple[ComparedSeries, Prepared]
"""A row that has no verdict yet, and what it is judged by."""


@record
class Work:
    """All pairs of series of two windows, computed in blocks, device by device."""

    project: Project
    pairs: Sequence[Pair]
    sides: TwoSides

    @classmethod
    def of(cls, project: Project, before: Window, after: Window) -> Work:
        listed = [series_in(project, window) for window in (before, after)]
        return cls(project, pair_series(*listed), two_sides(project, before, after, listed))

    def done(self, progress: Progress) -> Iterator[PairFigures]:
        """The figures in the order of the devices."""
        done = 0
        for indexes in in_blocks(self.pairs):
            progress.raise_if_cancelled()
            progress.report(done, len(self.pairs), "progress.comparing")
            yield from self.block(indexes)
            done += len(indexes)

    def block(self, indexes: Sequence[int]) -> list[PairFigures]:
        reads = self.read(indexes)
        describe(own.side for read in reads for own in (read.before, read.after) if own.side)
        block = [_pair_figures(read, ready) for read, ready in zip(reads, _prepared(reads, self.sides), strict=True)]
        let_go(reads)
        return block

    def read(self, indexes: Sequence[int]) -> list[ReadPair]:
        return read_block(self.project, self.pairs, indexes, self.sides.windows)


def _prepared(reads: Sequence[ReadPair], sides: TwoSides) -> Iterator[Prepared]:
    """What each pair is judged by, in the order of `reads`; a refusal where only one side was captured."""
    pairs = [(read.before.side, read.after.side) for read in reads]
    ready = iter(
        prepared([(before, after) for before, after in pairs if before and after], sides.calendars, sides.load)
    )
    for before, after in pairs:
        yield next(ready) if before and after else Prepared(Refusal(Verdict.NOT_COMPARABLE, "one_side_only"))


def _pair_figures(read: ReadPair, ready: Prepared) -> PairFigures:
    sides = read.before.side, read.after.side
    sizes = [sum([one.size.n_eff for one in own.values()]) or None for own in (ready.before, ready.after)]
    before, after = [side.quantiles(size) if side else None for side, size in zip(sides, sizes, strict=True)]
    return PairFigures(
        read.index,
        (read.before.statistics, read.after.statistics),
        (before, after),
        ready,
        gate_facts(read),
        (_means(read.before), _means(read.after)),
    )


def _row(parts: Pair, figures: PairFigures) -> ComparedSeries:
    earlier, later = parts
    ratio, reason = ratio_of_means(*figures.statistics, (later or earlier)[0].direction)
    if figures.prepared.refusal is not None and figures.prepared.refusal.reason == "definition_differs":
        ratio = None
    first, second = figures.quantiles
    sides = earlier, later, *figures.statistics
    return ComparedSeries(*sides, ratio, reason, before_quantiles=first, after_quantiles=second)


def _means(read: ReadSide) -> dict[int, float]:
    """Index of an occurrence -> its mean in the base unit; none where nothing was captured that may tell the load."""
    if read.side is None or read.side.info.metric not in WORK_METRICS:
        return {}
    return {occurrence.place: occurrence.facts.mean * read.side.info.to_base for occurrence in read.side.occurrences}


def _decided(
    work: Work, series: Sequence[tuple[int, ComparedSeries, Prepared]], kinds: Kinds, drivers: Drivers
) -> list[ComparedSeries]:
    """The rows with their verdicts; where the load moved, those of what depends on it are at equal load.

    Args:
        series: with the index of each pair; below 0 where it was not captured as it is.
    """
    at_load = drivers.read_again(work.read, series)
    ready = [at_load.get(index, (prepared, None, None)) for index, _, prepared in series]
    rows = with_decisions([(row, own, per) for (_, row, _), (own, per, _) in zip(series, ready, strict=True)], kinds)
    curves = (curve for _, _, curve in ready)
    return [row if curve is None else alike(row, curve=curve) for row, curve in zip(rows, curves, strict=True)]


# -- all together --------------------------------------------------------------------------------------


_Change = tuple[str, str, int, float, str]
"""(side, host, time, factor, label of the series)"""


@record(frozen=False)
class _Changes:
    """Changes inside the windows, those near each other as one."""

    changes: list[_Change] = field(default_factory=list)

    def take(self, row: ComparedSeries, ready: Prepared) -> None:
        for side, at_ns, change in ready.changes:
            info = row.before if side == "before" else row.after
            self.changes.append((side, info.host if info else "", at_ns, change.factor, row.series.label))

    def offers(self) -> list[SplitOffer]:
        groups: list[list[_Change]] = []
        for change in sorted(self.changes):
            last = groups[-1][-1] if groups else None
            if last and last[:2] == change[:2] and change[2] - last[2] <= NEAR_NS:
                groups[-1].append(change)
            else:
                groups.append([change])
        offers = [_offer(group) for group in groups]
        return sorted(offers, key=lambda offer: (-len(offer.series), offer.side, offer.at_ns))


def _offer(group: Sequence[_Change]) -> SplitOffer:
    """The proposed split, where the series that changed most did."""
    ordered = sorted(group, key=lambda change: -change[3])
    side, host, at_ns, factor, _ = ordered[0]
    return SplitOffer(side, host, at_ns, "change_point", tuple(dict.fromkeys(change[4] for change in ordered)), factor)


def _qualified(
    judged: Sequence[ComparedSeries],
    ready: Sequence[Prepared],
    gate: Sequence[GateCheck],
    saturated: Sequence[Busy],
    load: WindowLoad,
) -> tuple[ComparedSeries, ...]:
    """The rows with what the gate, the length of the windows and renamed devices forbid of their verdicts, or add."""
    refused = [check.check.value for check in gate if check.state is CheckState.REFUSE]
    cautions = list(filter(None, map(_caution, gate)))
    return tuple(
        _of_other_devices(_long_enough(_gated(row, refused, cautions, saturated), own, load))
        for row, own in zip(judged, ready, strict=True)
    )


def _gated(
    row: ComparedSeries, refused: Sequence[str], cautions: Sequence[Caution], saturated: Sequence[Busy]
) -> ComparedSeries:
    """The row as the gate leaves it: a refusal forbids every verdict; a row with a reason of its own keeps that.

    Args:
        refused: checks that forbid every verdict.
        cautions: what the other checks add to every verdict.
    """
    judged = row.verdict in _FROM_FIGURES
    if refused and (judged or row.reason == "neutral"):
        return alike(row, verdict=Verdict.NOT_COMPARABLE, reason="gate", facts={"checks": refused}, statistics=())
    if not judged:
        return row
    if row.verdict is Verdict.IMPROVED and (resource := limited_by(row, saturated)):
        cautions = [*cautions, Caution("lower_bound", {"resource": resource})]
    return alike(row, cautions=(*row.cautions, *cautions)) if cautions else row


def _of_other_devices(row: ComparedSeries) -> ComparedSeries:
    """The row, with a caution where a name that people gave is of one device before and of another after."""
    if row.before is None or row.after is None:
        return row
    before, after = (
        tuple(dict.fromkeys(part.attributes.get("device", "") for part in parts))
        for parts in (row.before_parts, row.after_parts)
    )
    if set(before) == set(after):
        return row
    facts = {"name": row.after.alias or row.before.alias, "before": ", ".join(before), "after": ", ".join(after)}
    return alike(row, cautions=(*row.cautions, Caution("devices_differ", facts)))


def _long_enough(row: ComparedSeries, ready: Prepared, load: WindowLoad) -> ComparedSeries:
    """What minutes of production show is only described: it may be peculiar to them, whatever the interval says."""
    if row.verdict not in _FROM_FIGURES or ready.shortest_s >= LEAST_S[load]:
        return row
    facts = {"length_s": ready.shortest_s, "least_s": LEAST_S[load]}
    return alike(row, verdict=Verdict.DESCRIPTIVE_ONLY, reason="short_window", facts=facts, statistics=())


def _caution(check: GateCheck) -> Caution | None:
    """C6 concerns the series that changed inside, C9 those of the full resource: each row has its own caution then."""
    if check.check is Check.LOAD:
        return load_caution(check)
    adjusted_for = check.state is CheckState.ADJUST and check.check not in (Check.STATIONARITY, Check.SATURATION)
    return Caution(f"check_{check.check.value}") if adjusted_for else None
