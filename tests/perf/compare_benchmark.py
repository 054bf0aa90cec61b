"""Measures comparing two days of many series: every series read, prepared, judged, and the gate's ten checks.

python -m tests.perf.compare_benchmark              500 series each minute, every 10 seconds
python -m tests.perf.compare_benchmark --seconds 1 --days 5 --hours 3    of every second, three hours of five days a side
python -m tests.perf.compare_benchmark --seconds 60 --devices 1000 --hours 9    a host of a thousand devices, each minute
"""

from __future__ import annotations

import argparse
import json
import time
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

from tests.perf.measure import ROOT, run_measured

if TYPE_CHECKING:
    import numpy as np

FOLDER = ROOT / "build" / "bench"
DEVICES = 22
HEADING = (
    "Device r/s rkB/s rrqm/s %rrqm r_await rareq-sz w/s wkB/s wrqm/s %wrqm w_await wareq-sz"
    " d/s dkB/s drqm/s %drqm d_await dareq-sz f/s f_await aqu-sz %util"
)
DAY_S = 86_400
MOVED_NS = 300 * 10**9


@dataclass(frozen=True, slots=True)
class Captured:
    """What one side is made of: `days` captures of `hours` of one host."""

    step_s: int
    devices: int = DEVICES
    days: int = 1
    hours: int = 24

    @property
    def name(self) -> str:
        return f"{self.step_s}s-{self.devices}x{self.days}x{self.hours}"


def capture(path: Path, day: int, size: Captured, faster: float) -> Path:
    """Hours of ``iostat -xdt``: first-order series, with the hours of an office, `faster` times as quick."""
    if path.exists():
        return path
    import numpy as np  # where it is measured the program imports it, and says before how many threads multiply

    random = np.random.default_rng(20261100 + day)
    rounds = size.hours * 3600 // size.step_s
    start = datetime(2026, 11, day, 0 if size.hours == 24 else 9, tzinfo=UTC)
    office = 1 + 0.5 * np.sin(2 * np.pi * (np.arange(rounds) * size.step_s / DAY_S - 0.375))
    state = random.standard_normal((size.devices, 4))
    unfinished = path.with_suffix(".unfinished")
    with unfinished.open("w", encoding="utf-8") as out:
        out.write(f"Linux 5.14.0-362.el9.x86_64 (db1) \t2026-11-{day:02d} \t_x86_64_\t(8 CPU)\n\n")
        for number in range(rounds):
            state = 0.6 * state + 0.8 * random.standard_normal((size.devices, 4))
            level = np.exp(0.25 * state)
            now = start + timedelta(seconds=number * size.step_s)
            out.write(f"{now:%Y-%m-%dT%H:%M:%S}+0000\n{HEADING}\n")
            out.writelines(_row(device, level[device], float(office[number]), faster) for device in range(size.devices))
            out.write("\n")
    return unfinished.rename(path)


def _row(device: int, level: np.ndarray, load: float, faster: float) -> str:
    reads, writes = 120 * level[0] * load, 60 * level[1] * load
    wait, busy = 4 * level[2] / faster, min(99.9, 25 * level[3] * load / faster)
    return (
        f"dm-{device} {reads:.2f} {16 * reads:.2f} {2 * level[2]:.2f} {level[3]:.2f} {wait:.2f} 16.00"
        f" {writes:.2f} {8 * writes:.2f} {3 * level[1]:.2f} {2 * level[0]:.2f} {1.5 * wait:.2f} 8.00"
        f" 0.00 0.00 0.00 0.00 0.00 0.00 {level[0]:.2f} {level[1]:.2f} {reads * wait / 1000:.2f} {busy:.2f}\n"
    )


def project_of(size: Captured) -> Path:
    """The same days of two weeks, imported as before and after."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    project = FOLDER / f"compare-{size.name}.tune"
    if project.exists():
        return project
    unfinished = project.with_suffix(".unfinished.tune")
    unfinished.unlink(missing_ok=True)
    run_measured(["main.py", "new", unfinished, "--customer", "Benchmark"])
    for run, monday, faster in (("before", 9, 1.0), ("after", 16, 1.6)):
        days = [
            capture(FOLDER / f"compare-{run}-{size.name}-{day}.txt", monday + day, size, faster)
            for day in range(size.days)
        ]
        run_measured(["main.py", "import", unfinished, *days, "--run", run, "--phase", run, "--json"])
    return unfinished.rename(project)


def measure(path: Path) -> dict[str, float]:
    """Seconds, elapsed and of the processor, for the windows at first, once more, and with the end of one occurrence
    five minutes earlier."""
    from tunebench.bootstrap import compose
    from tunebench.domain.windows import Window
    from tunebench.usecases import projects
    from tunebench.usecases.comparing import compare, windows

    compose()
    with projects.open_(path, read_only=True) as project:
        before, after = (
            Window(0, label, occurrences=windows.of_run(project, projects.find_run(project, label)))
            for label in ("before", "after")
        )
        *others, last = after.occurrences
        assert last.end_ns is not None
        moved = replace(after, occurrences=(*others, replace(last, end_ns=last.end_ns - MOVED_NS)))
        took = {}
        for name, wanted in (("first", after), ("again", after), ("moved", moved)):
            begin_s, begin_cpu_s = time.perf_counter(), time.process_time()
            found = compare.compare(project, before, wanted)
            took[f"{name}_s"] = time.perf_counter() - begin_s
            took[f"{name}_cpu_s"] = time.process_time() - begin_cpu_s
    numbers = sum(s.n for row in found.rows for s in (row.before_statistics, row.after_statistics) if s)
    return {"series": len(found.rows), "numbers": numbers, **took}


def measured(project: Path) -> dict[str, float]:
    """`measure` in a process of its own."""
    words: list[str | Path] = ["-m", "tests.perf.compare_benchmark", "--project", project]
    one: dict[str, float] = json.loads(run_measured(words).output.splitlines()[-1])
    return one


def table(sizes: list[Captured]) -> str:
    lines = [
        "| Samples every | Days a side | Hours | Series | Numbers | First s | Again s | One end moved s | Command s |",
        "|---|---|---|---|---|---|---|---|---|",
    ]
    for size in sizes:
        project = project_of(size)
        one = measured(project)
        whole = run_measured(["main.py", "compare", project, "--before", "before", "--after", "after", "--json"])
        took = [f"{one[f'{name}_s']:.2f} ({one[f'{name}_cpu_s']:.2f})" for name in ("first", "again", "moved")]
        lines.append(
            f"| {size.step_s} s | {size.days} | {size.hours} | {one['series']:.0f} | {one['numbers']:,.0f}"
            f" | {' | '.join(took)} | {whole.wall_s:.2f} ({whole.cpu_s:.2f}) |"
        )
    return "\n".join(lines)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", action="append", type=int, default=[], help="seconds between samples")
    parser.add_argument("--devices", type=int, default=DEVICES)
    parser.add_argument("--days", type=int, default=1, help="of either side")
    parser.add_argument("--hours", type=int, default=24, help="of each day")
    parser.add_argument("--project", type=Path, help="measure this project only, print JSON")
    args = parser.parse_args()
    if args.project:
        print(json.dumps(measure(args.project)))
    else:
        print(table([Captured(each, args.devices, args.days, args.hours) for each in args.seconds or [60, 10]]))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
