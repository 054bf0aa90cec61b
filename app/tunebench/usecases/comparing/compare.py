"""Before against after: whether the windows may be compared, and then each series with its uncertainty."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Protocol

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
from tunebench.analysis.comparing.judging import LEAST_S, Prepared, Refusal, describe, prepared
from tunebench.analysis.inference.verdict import Verdict
from tunebench.analysis.statistics import Statistics
from tunebench.core.progress import Progress, SilentProgress
from tunebench.domain.comparability import Check, CheckState, GateCheck
from tunebench.domain.windows import Window, WindowLoad
from tunebench.store.project import Project
from tunebench.usecases.comparing.equal_load import Drivers
from tunebench.usecases.comparing.gate import Gathered, Noticed, check_gate, is_generated, limited_by, notice
from tunebench.usecases.comparing.other_windows import elsewhere
from tunebench.usecases.comparing.sides import Pair, ReadPair, in_blocks, let_go, read_block
from tunebench.usecases.comparing.stretches import TwoSides, series_in, two_sides
from tunebench.usecases.databases.comparison import DatabaseComparison

NEAR_NS = 300_000_000_000
"""Changes of several series within this time are offered as one split."""
_FROM_FIGURES = frozenset({Verdict.IMPROVED, Verdict.REGRESSED, Verdict.EQUIVALENT, Verdict.INCONCLUSIVE})


class Helper(Protocol):
    """Somebody who compares blocks of series at the same time."""

    def compared(self, places: Sequence[int]) -> list[Compared] | None:
        """None where there is no answer: whoever asked compares them then."""

    def no_more(self) -> None:
        """Nothing is left to compare."""


def compare(
    project: Project,
    before: Window,
    after: Window,
    progress: Progress | None = None,
    database: DatabaseComparison | None = None,
    helper: Helper | None = None,
) -> Comparison:
    """All that two windows measured, side by side, captures that continue each other as one.

    Args:
        database: of the two runs, where the caller has it already: the gate would compare their statements again.
    """
    work = Work.of(project, before, after)
    sides = work.sides
    gathered, changes = Gathered(before, after, sides.windows, sides.left_out), _Changes()
    kinds, drivers = Kinds(sides.load, sides.places), Drivers()
    found: dict[int, _Told] = {}
    for one in work.done(progress or SilentProgress(), helper):
        row = _row(work.pairs[one.place], one)
        found[one.place] = row, one
        kinds.take(row.series, one.prepared)
        drivers.take(one.place, row, one.means)
        gathered.take(row, one.prepared, one.noticed)
        changes.take(row, one.prepared)
    told = [found[place] for place in range(len(work.pairs))]
    database = database or gathered.database(project)
    kinds.elsewhere = elsewhere(project, work.pairs, sides.windows, sides.load, sides.calendars[0])
    drivers.choose(is_generated(row for row, _ in told), database)
    judged = adjusted(_decided(work, told, kinds, drivers))
    offers = (*gathered.restart_offers(project), *changes.offers())
    gate = check_gate(project, gathered, judged, offers, database, drivers.load, sides.calendars)
    saturated = gathered.saturated()
    refused = [check.check.value for check in gate if check.state is CheckState.REFUSE]
    cautions = list(filter(None, map(_caution, gate)))
    rows = tuple(
        _of_other_devices(_long_enough(_gated(row, refused, cautions, saturated), one.prepared, sides.load))
        for row, (_, one) in zip(judged, told, strict=True)
    )
    return Comparison(before, after, rows, gate, offers, *sides.windows, sides.left_out)


# -- one series ----------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Compared:
    """One series; its samples are let go.

    Attributes:
        place: of the pair in the list of all.
        statistics, quantiles: of either side.
        means: of each occurrence of either side by its place, in the base unit, of what may tell the load.
    """

    place: int
    statistics: tuple[Statistics | None, Statistics | None]
    quantiles: tuple[Quantiles | None, Quantiles | None]
    prepared: Prepared
    noticed: Noticed
    means: tuple[dict[int, float], dict[int, float]]


_Told = tuple[ComparedSeries, Compared]
_Blocks = deque[tuple[int, Sequence[int]]]
"""With the number of each."""


@dataclass(frozen=True, slots=True)
class Work:
    """All series, device by device."""

    project: Project
    pairs: Sequence[Pair]
    sides: TwoSides

    @classmethod
    def of(cls, project: Project, before: Window, after: Window) -> Work:
        listed = [series_in(project, window) for window in (before, after)]
        return cls(project, pair_series(*listed), two_sides(project, before, after, listed))

    def done(self, progress: Progress, helper: Helper | None) -> Iterator[Compared]:
        """In the order of the devices; a helper takes the last block that is left, time and again."""
        blocks: list[tuple[int, Sequence[int]]] = list(enumerate(in_blocks(self.pairs)))
        left, found = deque(blocks), dict[int, list[Compared]]()
        helping = threading.Thread(target=_help, args=(helper, left, found), daemon=True)
        if helper is not None:
            helping.start()
        self._do(left, found, progress)
        if helper is not None:
            helping.join()
            self._do(deque(each for each in blocks if each[0] not in found), found, progress)
        return (one for _, own in sorted(found.items()) for one in own)

    def _do(self, left: _Blocks, found: dict[int, list[Compared]], progress: Progress) -> None:
        while left:
            progress.raise_if_cancelled()
            progress.report(sum(map(len, list(found.values()))), len(self.pairs), "progress.comparing")
            try:
                number, places = left.popleft()
            except IndexError:  # the helper was quicker
                return
            found[number] = self.block(places)

    def block(self, places: Sequence[int]) -> list[Compared]:
        reads = self.read(places)
        describe(own.side for read in reads for own in (read.before, read.after) if own.side)
        found = [_compared(read, made) for read, made in zip(reads, _prepared(reads, self.sides), strict=True)]
        let_go(reads)
        return found

    def read(self, places: Sequence[int]) -> list[ReadPair]:
        return read_block(self.project, self.pairs, places, self.sides.windows)


def _help(helper: Helper, left: _Blocks, found: dict[int, list[Compared]]) -> None:
    """Until nothing is left, or no answer comes."""
    while left:
        try:
            number, places = left.pop()
        except IndexError:
            break
        told = helper.compared(places)
        if told is None:
            return
        found[number] = told
    helper.no_more()


def _prepared(reads: Sequence[ReadPair], sides: TwoSides) -> Iterator[Prepared]:
    told = ((read.before.side, read.after.side) for read in reads)
    made = iter(prepared([(one, other) for one, other in told if one and other], sides.calendars, sides.load))
    for read in reads:
        both = read.before.side is not None and read.after.side is not None
        yield next(made) if both else Prepared(Refusal(Verdict.NOT_COMPARABLE, "one_side_only"))


def _compared(read: ReadPair, made: Prepared) -> Compared:
    sides = read.before.side, read.after.side
    sizes = [sum(each.size.n_eff for each in own.values()) or None for own in (made.before, made.after)]
    before, after = (side.quantiles(size) if side else None for side, size in zip(sides, sizes, strict=True))
    statistics = read.before.statistics, read.after.statistics
    return Compared(read.place, statistics, (before, after), made, notice(read), _means_of(read))


def _row(parts: Pair, one: Compared) -> ComparedSeries:
    earlier, later = parts
    ratio, reason = ratio_of_means(*one.statistics, (later or earlier)[0].direction)
    if one.prepared.refusal is not None and one.prepared.refusal.reason == "definition_differs":
        ratio = None
    first, second = one.quantiles
    row = earlier, later, *one.statistics, ratio, reason
    return ComparedSeries(*row, before_quantiles=first, after_quantiles=second)


def _means_of(read: ReadPair) -> tuple[dict[int, float], dict[int, float]]:
    found = []
    for own in (read.before, read.after):
        measured = own.side.occurrences if own.side else ()
        factor = own.side.info.to_base if own.side else 1.0
        found.append({each.place: each.facts.mean * factor for each in measured})
    return found[0], found[1]


def _decided(work: Work, told: Sequence[_Told], kinds: Kinds, drivers: Drivers) -> list[ComparedSeries]:
    """The verdicts; where the load moved, of what depends on it those at equal load."""
    at_load = drivers.read_again(work.read, [(one.place, row, one.prepared) for row, one in told])
    ready = [at_load.get(one.place, (one.prepared, None, None)) for _, one in told]
    rows = with_decisions([(row, made, per) for (row, _), (made, per, _) in zip(told, ready, strict=True)], kinds)
    curves = (curve for _, _, curve in ready)
    return [row if curve is None else replace(row, curve=curve) for row, curve in zip(rows, curves, strict=True)]


# -- all together --------------------------------------------------------------------------------------


@dataclass(slots=True)
class _Changes:
    """Changes inside the windows, those near each other as one."""

    found: list[tuple[str, str, int, float, str]] = field(default_factory=list)
    """(side, host, time, factor, label)"""

    def take(self, row: ComparedSeries, made: Prepared) -> None:
        for side, at_ns, change in made.changes:
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


def _gated(
    row: ComparedSeries, refused: Sequence[str], cautions: Sequence[Caution], saturated: Sequence[Busy]
) -> ComparedSeries:
    """A refusal of the gate forbids every verdict; what had a reason of its own keeps it.

    Args:
        refused: checks that forbid every verdict.
        cautions: that the others give every one.
    """
    judged = row.verdict in _FROM_FIGURES
    if refused and (judged or row.reason == "neutral"):
        return replace(row, verdict=Verdict.NOT_COMPARABLE, reason="gate", facts={"checks": refused}, statistics=())
    if not judged:
        return row
    if row.verdict is Verdict.IMPROVED and (resource := limited_by(row, saturated)):
        cautions = [*cautions, Caution("lower_bound", {"resource": resource})]
    return replace(row, cautions=(*row.cautions, *cautions)) if cautions else row


def _of_other_devices(row: ComparedSeries) -> ComparedSeries:
    """A name that people gave may be of one device before and of another after."""
    if row.before is None or row.after is None:
        return row
    before, after = (
        tuple(dict.fromkeys(part.attributes.get("device", "") for part in parts))
        for parts in (row.before_parts, row.after_parts)
    )
    if set(before) == set(after):
        return row
    facts = {"name": row.after.alias or row.before.alias, "before": ", ".join(before), "after": ", ".join(after)}
    return replace(row, cautions=(*row.cautions, Caution("devices_differ", facts)))


def _long_enough(row: ComparedSeries, made: Prepared, load: WindowLoad) -> ComparedSeries:
    """What minutes of production show is described: it may be their own, whatever the interval says."""
    if row.verdict not in _FROM_FIGURES or made.shortest_s >= LEAST_S[load]:
        return row
    facts = {"length_s": made.shortest_s, "least_s": LEAST_S[load]}
    return replace(row, verdict=Verdict.DESCRIPTIVE_ONLY, reason="short_window", facts=facts, statistics=())


def _caution(found: GateCheck) -> Caution | None:
    """C6 concerns the series that changed inside, C9 those of the full resource: each row has its own caution then."""
    if found.check is Check.LOAD:
        return load_caution(found)
    adjusted_for = found.state is CheckState.ADJUST and found.check not in (Check.STATIONARITY, Check.SATURATION)
    return Caution(f"check_{found.check.value}") if adjusted_for else None
