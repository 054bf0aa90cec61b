"""Measures how often verdicts are right where the truth is known, and writes RESULTS.md beside itself.

python -m tests.calibration                     everything, fixed seeds
python -m tests.calibration --share 0.1         a tenth of the projects, a quick look; RESULTS.md stays as it is
python -m tests.calibration --only AR           generators whose names hold that; RESULTS.md stays as it is
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from math import ceil
from pathlib import Path

import numpy as np

from tests.calibration.generators import BEFORE, CHANGED, LOADS, STATEMENTS, UNCHANGED, WORKLOADS, Generator
from tests.calibration.measuring import GENERATORS, SEED, Job, Rate, Seen, called, coverage, measure, share_judged

RESULTS = Path(__file__).with_name("RESULTS.md")
DAYS = (1, 3, 5)
MANY, FEW, LOADED, SHARED = 40, 2, 10, (10, 1)
"""Disks of a project: a wide and a narrow table of rows, those of another load, and those whose days are their host's."""
MOST_OF_DAYS = 0.2
"""From here on the days differ by more than what is demanded of all else allows."""

HEADING_LINES = 2
STATISTICS = ("mean", "p95", "p99")
WORDS = ("improved", "regressed")

Results = dict[Job, list[Seen]]


@dataclass(frozen=True)
class Demand:
    """What is asked of a rate, of each name and statistic by itself.

    Attributes:
        bounds: least and most with 1 + 1, 3 + 3 and 5 + 5 days; None where nothing is asked.
        rate: of what was seen, by the name.
    """

    title: str
    names: Sequence[str]
    bounds: tuple[tuple[float, float] | None, ...]
    rate: Callable[[Sequence[Seen], str], Rate]
    statistics: tuple[str, ...] = STATISTICS


def jobs(share: float, only: str) -> list[Job]:
    """The longest first."""
    found = [
        Job(name, days, size, number)
        for name in (*GENERATORS, *LOADS, *WORKLOADS)
        if only in name
        for size, projects in _sizes(name)
        for days in DAYS
        for number in range(ceil(share * projects))
    ]
    return sorted(found, key=lambda job: -job.days * job.disks)


def _sizes(name: str) -> tuple[tuple[int, int], ...]:
    """(disks or statements, projects)"""
    if name in GENERATORS:
        return tuple((disks, 100) for disks in SHARED) if GENERATORS[name].shared else ((MANY, 2), (FEW, 15))
    return ((LOADED, 3),) if name in LOADS else ((STATEMENTS, 4),)


def measured(wanted: Sequence[Job]) -> Results:
    found: Results = {}
    with ProcessPoolExecutor(os.cpu_count()) as pool:
        for job, seen in zip(wanted, pool.map(measure, wanted), strict=True):
            found[job] = seen
            print(f"\r{len(found)} of {len(wanted)} projects", end="", file=sys.stderr, flush=True)
    print(file=sys.stderr)
    return found


def of(results: Results, name: str, days: int, disks: int | None = None, statistic: str = "") -> list[Seen]:
    return [
        each
        for job, seen in results.items()
        if job.name == name and job.days == days and disks in (None, job.disks)
        for each in seen
        if statistic in ("", each.statistic)
    ]


# -- what is demanded ----------------------------------------------------------------------------------


def _false(seen: Sequence[Seen], _: str) -> Rate:
    return called(seen, *WORDS)


def _covered(seen: Sequence[Seen], name: str) -> Rate:
    return coverage(seen, GENERATORS[name].ratio)


def _improved(seen: Sequence[Seen], _: str) -> Rate:
    """Of all rows, those without a verdict as well."""
    return Rate(sum(each.verdict == "improved" for each in seen), len(seen))


_CALM = [
    *(each.name for each in UNCHANGED if each.days < MOST_OF_DAYS),
    *(name for name, (_, days, _) in WORKLOADS.items() if days < MOST_OF_DAYS),
]
_RESTLESS = [
    *(each.name for each in UNCHANGED if each.days >= MOST_OF_DAYS),
    *(name for name, (_, days, _) in WORKLOADS.items() if days >= MOST_OF_DAYS),
]
_DAYS_DIFFER = [each.name for each in (*UNCHANGED, *CHANGED) if each.days]
_FIVE, _NONE, _ALL = (0, 0.05), (0, 0), (1, 1)
_COVERED_TITLE, _FOUND_TITLE = "coverage of the 95 % interval, days differing", "x0.5 found"
_COVERAGE = ((0.9, 1), (0.92, 0.98), (0.92, 0.98))

DEMANDS = (
    Demand("false verdicts, days within 10 %", _CALM, (_FIVE, _FIVE, _FIVE), _false),
    Demand("false verdicts, days differing by 20 %", _RESTLESS, ((0, 0.15), (0, 0.08), _FIVE), _false),
    Demand(_COVERED_TITLE, _DAYS_DIFFER, _COVERAGE, _covered),
    Demand(_FOUND_TITLE, [CHANGED[0].name], ((0.9, 1), _ALL, _ALL), _improved, ("mean",)),
    Demand(
        "rows called improved",
        [name for name, (load, _) in LOADS.items() if load < 1],
        (_NONE, _NONE, _NONE),
        _improved,
    ),
    Demand("p99 improved", ["stalls removed"], (None, (0.9, 1), (0.95, 1)), _improved, ("p99",)),
)


_ONE_DAY_A_SIDE = (
    "10 % is assumed of one day a side. No interval that is as wide for each difference both holds in 90 % here and finds "
    "90 % of the halves where days differ by 10 %: on logarithms it would have to reach at least 1.645 sqrt(2 (0.2^2 + "
    "0.018^2)) = 0.467 and at most ln 2 - ln 1.05 - 1.282 sqrt(2 (0.1^2 + 0.018^2)) = 0.460, 0.018 being what varies "
    "inside a day. It takes a second day on either side, or some days that are not compared."
)
_THREE_PAIRS = (
    "Three pairs of days have two degrees of freedom, however many series follow them, and the assumed 10 % counts for one "
    "more: simulated 91 (forty series) to 94 % (one). It takes five days a side, or no assumption: then three pairs hold "
    "in 95 %, and 95 instead of 99.8 % of the halves are found where days differ by 10 %."
)
WHY = {
    (_COVERED_TITLE, "days differ by 20 %", 1): _ONE_DAY_A_SIDE,
    (_COVERED_TITLE, "days of the host differ by 20 %", 1): _ONE_DAY_A_SIDE,
    (_FOUND_TITLE, CHANGED[0].name, 1): _ONE_DAY_A_SIDE,
    (_COVERED_TITLE, "days of the host differ by 20 %", 3): _THREE_PAIRS,
    (_FOUND_TITLE, CHANGED[0].name, 3): _THREE_PAIRS,
}
"""(demand, generator, days a side) -> why it is not met, and what it would take."""


def met(rate: Rate, bounds: tuple[float, float]) -> str:
    """Not met only where chance does not explain it."""
    least, most = bounds
    if not rate.count:
        return "not measured"
    if least <= rate.value <= most:
        return "met"
    low, high = rate.interval
    return "undecided" if low <= most and high >= least and most > 0 and least < 1 else "not met"


# -- tables --------------------------------------------------------------------------------------------


def _demand_lines(results: Results) -> Iterator[str]:
    yield "| Demand | Generator | Of | 1+1 | 3+3 | 5+5 |"
    yield "|---|---|---|---|---|---|"
    for demand in DEMANDS:
        for name in demand.names:
            for statistic in demand.statistics:
                cells = list(_demand_cells(results, demand, name, statistic))
                own = statistic == demand.statistics[0]
                if any(cell != "-" for cell in cells) and (
                    own or not all(cell.endswith((" met", "-")) for cell in cells)
                ):
                    yield f"| {demand.title} | {name} | {statistic} | {' | '.join(cells)} |"


def unmet_lines(results: Results) -> Iterator[str]:
    """Each with its rate, why, and what it would take; of what chance explains those alone whose cause is known."""
    yield "| Demand | Generator | Days | Rate | Why, and what it would take |"
    yield "|---|---|---|---|---|"
    for demand in DEMANDS:
        for name in demand.names:
            rates = {
                statistic: list(_demand_cells(results, demand, name, statistic)) for statistic in demand.statistics
            }
            for place, days in enumerate(DAYS):
                missed = {
                    each: cells[place] for each, cells in rates.items() if not cells[place].endswith((" met", "-"))
                }
                why = WHY.get((demand.title, name, days), "")
                if why or any("not met" in cell for cell in missed.values()):
                    told = ", ".join(f"{each} {cell}" for each, cell in missed.items())
                    if told:
                        yield f"| {demand.title} | {name} | {days}+{days} | {told} | {why or 'Not known.'} |"


def _demand_cells(results: Results, demand: Demand, name: str, statistic: str) -> Iterator[str]:
    for days, bounds in zip(DAYS, demand.bounds, strict=True):
        seen = of(results, name, days, statistic=statistic)
        rate = demand.rate(seen, name)
        yield f"{rate} {_marked(met(rate, bounds))}" if seen and bounds else "-"


def _marked(word: str) -> str:
    return f"**{word}**" if word == "not met" else word


def _generator_lines(
    results: Results, generators: Sequence[Generator], rate: str, disks: int, statistic: str = STATISTICS[0]
) -> Iterator[str]:
    yield f"| Generator | Days differ by, % | {' | '.join(f'{days}+{days}: n | judged % | {rate} | covered' for days in DAYS)} |"
    yield f"|---|---|{'---|' * 4 * len(DAYS)}"
    for each in generators:
        if not of(results, each.name, DAYS[0], disks):
            continue
        cells = []
        for days in DAYS:
            seen = of(results, each.name, days, disks, statistic)
            wanted = (
                called(seen, *WORDS)
                if each in UNCHANGED
                else called(seen, "improved" if each.ratio > 1 else "regressed")
            )
            covered = str(coverage(seen, each.ratio)) if statistic == STATISTICS[0] or each.days else "-"
            cells += [str(len(seen)), f"{100 * share_judged(seen).value:.0f}" if seen else "-", str(wanted), covered]
        yield f"| {each.name} | {_differ_pct(each):.0f} | {' | '.join(cells)} |"


def _differ_pct(generator: Generator) -> float:
    """Standard deviation of the logarithm of a day's mean, as the generator makes them."""
    random = np.random.default_rng(SEED)
    days = generator.side(random, BEFORE, generator.factors(random, 400))
    return 100 * float(np.log(days.mean(axis=1)).std())


def _column_lines(results: Results, names: Iterable[str]) -> Iterator[str]:
    """By column, better and worse apart."""
    yield f"| | Column | {' | '.join(f'{days}+{days}: judged | improved | regressed' for days in DAYS)} |"
    yield f"|---|---|{'---|' * 3 * len(DAYS)}"
    for name in names:
        seen = [of(results, name, days) for days in DAYS]
        for column in sorted({each.column for one in seen for each in one}):
            cells = []
            for one in seen:
                rates = [
                    called((each for each in one if (each.column, each.statistic) == (column, STATISTICS[0])), word)
                    for word in WORDS
                ]
                cells += [str(rates[0].count), *map(str, rates)]
            yield f"| {name} | {column} | {' | '.join(cells)} |"


def document(results: Results, command: str, took_s: float) -> str:
    sections = [
        ("Demands", _demand_lines(results)),
        ("Not met, and why", unmet_lines(results)),
        *(
            (f"{title}, {disks} disks, {statistic}", _generator_lines(results, generators, rate, disks, statistic))
            for title, generators, rate in (("Nothing changed", UNCHANGED, "false"), ("A change", CHANGED, "found"))
            for disks, statistics in ((MANY, STATISTICS), *((few, STATISTICS[:1]) for few in (FEW, *SHARED)))
            for statistic in statistics
        ),
        ("Another load, the same disks: mean", _column_lines(results, LOADS)),
        ("Statements, the same workload", _column_lines(results, WORKLOADS)),
    ]
    listed = [(title, list(lines)) for title, lines in sections]
    text = "\n\n".join(f"## {title}\n\n" + "\n".join(lines) for title, lines in listed if len(lines) > HEADING_LINES)
    return (
        f"# Calibration\n\n`{command}`, seed {SEED}, {len(results)} projects in {took_s / 60:.0f} min on "
        f"{os.cpu_count()} processors.\n\n{EXPLANATION}\n{text}\n"
    )


EXPLANATION = """\
Each project is the text of `sar -d` (under another load `iostat -xdt`, for statements `pg_stat_statements` each hour), three
hours a day every 30 seconds, imported and compared through the command line; what is counted is the verdicts and intervals of
its JSON. Two columns of every disk (queue, response time) are series of their own, independent of all others: Benjamini and
Hochberg's procedure over the rows, and the variation that is taken from other series, are part of what is measured. Where the
days are those of the host both columns share them, and one of them is counted. Disks under another load are simulated request
by request; what they are asked for is their host's. "Days differ by" is the standard deviation of
the logarithm of a day's mean. "False" are rows called improved or regressed, in per cent of those judged (improved, regressed,
equivalent, inconclusive), with Wilson's 95 % interval; "found" those with the right verdict, likewise; "covered" are intervals
of the ratio that hold the true one. "Not met" is said only where that interval excludes what is demanded, "undecided" where it
does not. Of p95 and p99 the demands' table shows the lines that are not met throughout.
"""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--share", type=float, default=1.0, help="of the projects")
    parser.add_argument("--only", default="", help="generators whose names hold this")
    args = parser.parse_args()
    asked = f' ARGS="{" ".join(sys.argv[1:])}"' if sys.argv[1:] else ""
    begin_s = time.perf_counter()
    results = measured(jobs(args.share, args.only))
    text = document(results, f"make calibrate{asked}", time.perf_counter() - begin_s)
    if not asked:
        RESULTS.write_text(text, encoding="utf-8")
    print(text)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
