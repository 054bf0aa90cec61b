"""Measures what `RESULTS.md` says, and writes its table anew.

python -m tests.perf.benchmark                    all of it, five rounds in turn; an hour and a half
python -m tests.perf.benchmark --rounds 1 --share 0.02    two per cent of it, a quick look; RESULTS.md stays as it is
python -m tests.perf.benchmark --only imports     one part: imports, days, files, commands, threads, peers, devices

Processor time of all processes together, medians. Nothing passes or fails by a figure.
"""

from __future__ import annotations

import argparse
import os
import re
import statistics
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

from tests.perf import compare_benchmark, peers
from tests.perf.inputs import TILER, Capture, days_input, make_inputs
from tests.perf.measure import ROOT, Cost, machine, run_measured

RESULTS = Path(__file__).with_name("RESULTS.md")
FOLDER = ROOT / "build" / "bench"
READ = ("C8", "A", "wide", "nmon")
"""The captures that are read in turn."""
START_BYTES = 200_000
"""What is read of a capture where the start of the command is measured."""
SMALL_BYTES = 2_000_000
BEGIN, END = "<!-- table -->", "<!-- end of table -->"


@dataclass(frozen=True)
class Row:
    """One line of the table; `asked` is what is to be reached at least."""

    what: str
    before: str
    asked: str
    measured: str

    def line(self) -> str:
        return f"| {self.what} | {self.before} | {self.asked} | {self.measured} |"


@dataclass(frozen=True)
class Asked:
    """What a part of the benchmark is given."""

    captures: dict[str, Capture]
    share: float
    rounds: int

    def in_turn(self, runs: dict[str, Callable[[], Cost]]) -> dict[str, list[Cost]]:
        """Each run as often as there are rounds, one after the other in every round."""
        costs: dict[str, list[Cost]] = {name: [] for name in runs}
        for _ in range(self.rounds):
            for name, run in runs.items():
                costs[name].append(run())
        return costs


def median_cpu_s(costs: list[Cost]) -> float:
    return statistics.median(cost.cpu_s for cost in costs)


def new_project(name: str) -> Path:
    project = FOLDER / f"{name}.tune"
    project.unlink(missing_ok=True)
    run_measured(["main.py", "new", project, "--customer", "Benchmark"])
    return project


def import_of(path: Path, name: str) -> Cost:
    return run_measured(["main.py", "import", new_project(name), path, "--json"])


def beginning_of(path: Path, size: int) -> Path:
    """Whole lines from the file's beginning, about so many bytes."""
    part = FOLDER / f"{path.stem}-{size}{path.suffix}"
    with path.open("rb") as file:
        head = file.read(size)
    part.write_bytes(head[: head.rfind(b"\n") + 1])
    return part


def imports(asked: Asked) -> Iterator[Row]:
    runs: dict[str, Callable[[], Cost]] = {}
    for name in READ:
        path = asked.captures[name].path
        start = beginning_of(path, START_BYTES)
        runs[name] = partial(import_of, path, "bench")
        runs[f"{name} start"] = partial(import_of, start, "bench-start")
    costs = asked.in_turn(runs)
    whole, work = [], []
    for name in READ:
        megabytes, cpu_s = asked.captures[name].megabytes, median_cpu_s(costs[name])
        whole.append(f"{megabytes / cpu_s:.0f}")
        work.append(f"{megabytes / (cpu_s - median_cpu_s(costs[f'{name} start'])):.0f}")
    yield Row(
        "C8 / A / wide / nmon, MB per processor second", "36 / 45 / 18 / 12", "95 / 100 / 50 / 36", " / ".join(whole)
    )
    yield Row("the same without start", "", "130 / 130 / 70 / 60", " / ".join(work))


def days(asked: Asked) -> Iterator[Row]:
    capture = days_input(FOLDER, 4, asked.share)
    cost = import_of(capture.path, "bench-days")
    figure = f"{capture.megabytes / cost.cpu_s:.0f}; {cost.max_rss_mb:.0f} MB"
    yield Row("C8 of four days, whole, MB per processor second; memory", "", "120", figure)


def files(asked: Asked) -> Iterator[Row]:
    month, reports = (import_of(asked.captures[name].path, "bench-files") for name in ("month", "AWR-month"))
    figure = f"{month.cpu_s:.1f} cpu-s, {month.wall_s:.1f} s, {month.max_rss_mb:.0f} MB"
    yield Row("month of 20 hosts, 600 files", "71 cpu-s, 577 MB", "20 cpu-s, 250 MB", figure)
    yield Row("300 AWR reports", "45 cpu-s", "25 cpu-s", f"{reports.cpu_s:.1f} cpu-s, {reports.wall_s:.1f} s")


def commands(asked: Asked) -> Iterator[Row]:
    small = beginning_of(asked.captures["C8"].path, SMALL_BYTES)
    project = new_project("bench-info")
    run_measured(["main.py", "import", project, small, "--json"])
    costs = asked.in_turn(
        {
            "import": partial(import_of, small, "bench-small"),
            "info": partial(run_measured, ["main.py", "info", project]),
            "version": partial(run_measured, ["main.py", "--version"]),
        }
    )
    figures = " / ".join(f"{median_cpu_s(cost):.2f}" for cost in costs.values())
    yield Row("import of 2 MB / `info` / `--version`, cpu-s", "1.64 / 1.8 / 0.09", "0.5 / 0.4 / 0.09", figures)


def threads(asked: Asked) -> Iterator[Row]:
    """The environment of a run is its parent's."""
    path = asked.captures["C8"].path

    def alone() -> Cost:
        os.environ["TUNEBENCH_ONE_THREAD"] = "1"
        try:
            return import_of(path, "bench-one")
        finally:
            del os.environ["TUNEBENCH_ONE_THREAD"]

    costs = asked.in_turn({"one": alone, "two": partial(import_of, path, "bench-two")})
    one_s, two_s = (statistics.median(cost.wall_s for cost in costs[name]) for name in ("one", "two"))
    yield Row(
        "C8, two threads: elapsed of that with one", "1", "0.6", f"{two_s / one_s:.2f} ({one_s:.2f} → {two_s:.2f} s)"
    )


def beside_peers(asked: Asked) -> Iterator[Row]:
    asked_for = {"Polars": ("0.64x", "1.5x"), "NMONVisualizer": ("1.49x", "3.5x")}
    for line in peers.ratios(asked.captures["C8"].path, asked.rounds):
        peer, theirs, ours, ratio = (cell.strip() for cell in line.strip("| ").split("|"))
        figure = f"{ratio} ({theirs} and {ours} cpu-s)" if ratio else theirs
        yield Row(f"C8 against {peer}", *asked_for[peer], figure)


def devices(_: Asked) -> Iterator[Row]:
    many = compare_benchmark.Captured(60, devices=1000, hours=9)
    long = compare_benchmark.Captured(1, days=5, hours=3)
    project = compare_benchmark.project_of(many)
    words: list[str | Path] = [project, "--before", "before", "--after", "after"]
    compared = run_measured(["main.py", "compare", *words, "--json"])
    yield Row("compare of 22,000 series, cpu-s", "31", "8", f"{compared.cpu_s:.1f}")
    report = run_measured(["main.py", "report", *words, "--pdf", FOLDER / "bench.pdf"])
    yield Row("report of 1,000 devices, cpu-s", "67", "12", f"{report.cpu_s:.1f}, {report.max_rss_mb:.0f} MB")
    one = compare_benchmark.measured(compare_benchmark.project_of(long))
    figure = f"{one['first_s']:.1f} / {one['moved_s']:.1f} s"
    yield Row("484 series, five days of seconds: first / one end moved", "3.8 / 0.9 s", "2 / 0.5 s", figure)


PARTS = {
    "imports": imports,
    "days": days,
    "files": files,
    "commands": commands,
    "threads": threads,
    "peers": beside_peers,
    "devices": devices,
}


def table(rows: list[Row]) -> str:
    head = "| | Before | Asked | Measured |\n|---|---|---|---|"
    said = f"{datetime.now(UTC):%Y-%m-%d}, {machine()}; load average {os.getloadavg()[0]:.1f} at the end."
    return "\n".join([BEGIN, said, "", head, *(row.line() for row in rows), END])


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--share", type=float, default=1.0, help="length of the inputs, 1 is a day")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--only", action="append", default=[], choices=list(PARTS))
    args = parser.parse_args()
    if not TILER.exists():
        print(f"The tool that makes the inputs is not there: {TILER}")
        return 3
    captures = {capture.name: capture for capture in make_inputs(FOLDER, args.share)}
    asked, rows = Asked(captures, args.share, args.rounds), []
    for name in args.only or PARTS:
        for row in PARTS[name](asked):
            print(row.line(), flush=True)
            rows.append(row)
    if args.share == 1.0 and not args.only:
        text = RESULTS.read_text(encoding="utf-8")
        written = re.sub(f"{BEGIN}.*{END}", lambda _: table(rows), text, flags=re.DOTALL)
        RESULTS.write_text(written, encoding="utf-8")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
