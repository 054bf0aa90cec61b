"""Measures import, reopening, start-up, comparing and capture over SSH, and writes RESULTS.md beside itself.

python -m tests.perf.benchmark                  full length (about 1.9 GB of text)
python -m tests.perf.benchmark --share 0.02     two per cent of it, a quick look; RESULTS.md stays as it is
python -m tests.perf.benchmark --only C8        one input, nothing else
python -m tests.perf.benchmark --long           one file of 2 GB too; a hundred hosts captured for ten minutes
"""

from __future__ import annotations

import argparse
import json
import re
import statistics
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from tests.perf.inputs import MANY, TILER, Capture, long_input, make_inputs
from tests.perf.measure import ROOT, Cost, machine, run_measured

AIMS_MB_PER_CPU_S = {"C8": 150, "A": 160, "B-j": 120, "wide": 60}
"""Per core; parsing and storing together."""
RESULTS = Path(__file__).with_name("RESULTS.md")
FOLDER = ROOT / "build" / "bench"

PEERS = """\
| Program and job | Wall (CPU) s | Max RSS | MB/s | Sample times/s |
|---|---|---|---|---|
| kSar 6, parse A | 24.4 (14.6) | 4,466 MB | 9.2 | 1,480 |
| kSar 6, parse A' | 16.3 (5.1) on a busy machine | 1,471 MB | 1.7 (5.6 per CPU-s) | 2,200 |
| NMONVisualizer, parse C1 | 2.14 (1.8) | 510 MB | 21.6 | 40,400 |
| NMONVisualizer, parse C8 | 5.3 (3.7) | 1,619 MB | 31.2 | 16,200 |
| sar2pcp, XML of A' | 57.4 (27.7) on a busy machine | 50 MB | 1.0 | 630 |

NMONVisualizer takes in 1.1 to 2.9 million numbers a second. kSar lost half of A's lines. These figures were
measured on two shared cores with inputs tiled in the same way; the programs only read, TuneBench also keeps the
capture verbatim, stores every number with its line, and accounts for every line.
"""


@dataclass(frozen=True)
class Imported:
    capture: Capture
    cost: Cost
    files: int
    numbers: int
    series: int
    skipped: int
    lines: int
    project_mb: float
    reopened: dict[str, float]

    def row(self, start_s: float) -> str:
        """`start_s`: what the program takes to start, taken off for the figures of the work itself."""
        c, k = self.cost, self.capture
        work_s = c.wall_s - start_s
        cells = [
            f"{k.name}: {k.what}",
            f"{k.megabytes:.0f}",
            f"{c.wall_s:.1f} ({c.cpu_s:.1f})",
            f"{c.max_rss_mb:.0f} MB",
            f"{work_s:.1f}",
            f"{k.megabytes / work_s:.1f}",
            f"{k.megabytes / (c.cpu_s - start_s):.1f}",
            str(AIMS_MB_PER_CPU_S.get(k.name, "")),
            f"{self.reopened['points'] / work_s:,.0f}" if self.files == 1 and self.reopened else "",
            f"{self.numbers / work_s:,.0f}",
            f"{self.skipped:,} of {self.lines:,}",
            f"{self.project_mb:.1f}",
        ]
        return f"| {' | '.join(cells)} |"

    def reopen_row(self) -> str:
        r = self.reopened
        cells = [
            self.capture.name,
            f"{r['series']:,.0f}",
            f"{r['points']:,.0f}",
            f"{r['load_ms']:.0f}",
            f"{r['open_ms']:.0f}",
            f"{r['first_chart_ms']:.1f}",
            f"{r['ten_charts_ms']:.1f}",
        ]
        return f"| {' | '.join(cells)} |"


def import_capture(capture: Capture) -> Imported:
    project = new_project(capture.path.stem)
    cost = run_measured(["main.py", "import", project, capture.path, "--run", capture.name, "--json"])
    files = json.loads(cost.output)["files"]
    series = sum(file["series"] for file in files)
    reopened = median_of_three(["-m", "tests.perf.reopen", project]) if series else {}
    return Imported(
        capture,
        cost,
        len(files),
        sum(file["samples"] for file in files),
        sum(file["series"] for file in files),
        sum(file["lines"]["skipped"] for file in files),
        sum(file["lines"]["total"] for file in files),
        project.stat().st_size / 1e6,
        reopened,
    )


def new_project(name: str) -> Path:
    project = FOLDER / f"{name}.tune"
    project.unlink(missing_ok=True)
    run_measured(["main.py", "new", project, "--customer", "Benchmark"])
    return project


def databases(folder: Path) -> dict[str, float]:
    """What comparing statements costs that are known again by their texts alone."""
    project = new_project("many-compared")
    for server in ("old", "new"):
        run_measured(
            ["main.py", "import", project, *sorted(folder.glob(f"{server}-*.csv")), "--run", server, "--host", server]
        )
    return median_of_three(["-m", "tests.perf.statements", project])


def databases_part(captures: list[Capture]) -> str:
    """The part on statements; empty where they were not asked for."""
    many = next((each for each in captures if each.name == MANY), None)
    if many is None:
        return ""
    found = databases(many.path)
    return f"""\
## Statements of databases
{found["statements"]:,.0f} statements on either side, no id the same, medians of three in a process of its own: reading both sides
{found["read_s"]:.1f} s, matching by text {found["match_s"]:.1f} s, matching and comparing {found["compare_s"]:.1f} s, \
{found["rss_mb"]:.0f} MB.

"""


def median_of_three(words: list[str | Path]) -> dict[str, float]:
    """Each figure's median over three runs of a script that prints a JSON object of numbers."""
    found = [json.loads(run_measured(words).output.splitlines()[-1]) for _ in range(3)]
    return {name: statistics.median(one[name] for one in found) for name in found[0]}


def start_up() -> dict[str, float]:
    """Seconds from the command to a painted window, and to the end of ``--version``."""
    version = [run_measured(["main.py", "--version"]) for _ in range(3)]
    window = [run_measured(["-m", "tests.perf.window_start"]) for _ in range(3)]
    return {
        "version_s": statistics.median(cost.wall_s for cost in version),
        "window_s": statistics.median(json.loads(cost.output.splitlines()[-1])["usable_s"] for cost in window),
        "window_rss_mb": statistics.median(cost.max_rss_mb for cost in window),
    }


def panning() -> str:
    """The table that `pan_benchmark` prints."""
    return run_measured(["-m", "tests.perf.pan_benchmark"]).output.rstrip()


def comparing(long: bool) -> str:
    """The table that `compare_benchmark` prints."""
    words: list[str | Path] = ["-m", "tests.perf.compare_benchmark"]
    steps = ["--seconds", "60", "--seconds", "10", "--seconds", "1"] if long else []
    return run_measured([*words, *steps]).output.rstrip()


def capturing(long: bool) -> str:
    """The part that `capture_benchmark` prints."""
    words: list[str | Path] = ["-m", "tests.perf.capture_benchmark"]
    return run_measured([*words, "--long"] if long else words).output.rstrip()


def kept_part(title: str) -> str:
    """A part of the page that people write."""
    found = re.search(rf"^## {title}\n.*?(?=^## )", RESULTS.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE)
    return found.group() if found else ""


def page(
    imports: list[Imported], started: dict[str, float], panned: str, compared: str, captured: str, statements: str
) -> str:
    rows = "\n".join(one.row(started["version_s"]) for one in imports)
    reopen_rows = "\n".join(one.reopen_row() for one in imports if one.reopened)
    return f"""\
# Measured speed

`make bench`, {datetime.now(UTC):%Y-%m-%d}, {machine()}.
One import each in a fresh process through the command line; reopening and start-up are medians of three.

## Import
Wall and CPU are the whole process; "work" is wall less start-up (`main.py --version`), and the rates are of the work:
reading, keeping verbatim, parsing and storing. "Per CPU s" is the rate for each second of processor time, all processes
together. Memory is that of the largest process.

| Input | MB | Wall (CPU) s | Max RSS | Work s | MB/s | Per CPU s | Aim | Sample times/s | Numbers/s | Lines skipped | Project MB |
|---|---|---|---|---|---|---|---|---|---|---|---|
{rows}

## Reopening
Milliseconds: loading the program without a window, opening the project with its list of series, the envelope of its
longest series at 1,200 pixels, and the envelopes of ten series.

| Project | Series | Longest series | Load | Open | First chart | Ten charts |
|---|---|---|---|---|---|---|
{reopen_rows}

{statements}## Start-up
From the command to a painted window that takes input (off screen): {started["window_s"]:.2f} s, \
{started["window_rss_mb"]:.0f} MB. `main.py --version`: {started["version_s"]:.2f} s.

## Panning
The time line, off screen, samples in a real project; a step of 1 % of the view, every row painted with its cross-hair.

```
{panned}
```

## Comparing
Two days of one host with some five hundred series: every series read, prepared and judged with its interval, and the
ten checks of comparability. The first time includes loading SciPy's special functions.

{compared}

{captured}

{kept_part("Where the time goes")}## Comparable programs
{PEERS}"""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--share", type=float, default=1.0, help="length of the inputs, 1 is a day")
    parser.add_argument("--long", action="store_true", help="one file of 2 GB; capture over SSH for ten minutes")
    parser.add_argument("--only", action="append", default=[], metavar="NAME", help="an input: C1, C8, A', A ...")
    args = parser.parse_args()
    if not TILER.exists():
        print(f"The tool that makes the inputs is not there: {TILER}")
        return 3
    made = make_inputs(FOLDER, args.share) + ([long_input(FOLDER)] if args.long else [])
    captures = [c for c in made if not args.only or c.name in args.only]
    imports = []
    for capture in captures:
        imports.append(import_capture(capture))
        print(imports[-1].row(0.0), flush=True)
    statements = databases_part(captures)
    if args.only:
        print(statements)
        return 0
    text = page(imports, start_up(), panning(), comparing(args.long), capturing(args.long), statements)
    print(text)
    if args.share == 1.0:
        RESULTS.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
