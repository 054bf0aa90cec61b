"""Measures diagnosing a day of 500 series: every series that a rule names read once, every rule on every device.

python -m tests.perf.diagnose_benchmark              a sample each minute, every 10 seconds
"""

from __future__ import annotations

import argparse
import json
import time
from pathlib import Path

from tests.perf.compare_benchmark import Captured, project_of
from tests.perf.measure import run_measured


def measure(path: Path) -> dict[str, float]:
    from tunebench.bootstrap import compose
    from tunebench.domain.windows import run_window
    from tunebench.usecases import projects
    from tunebench.usecases.findings import diagnose

    compose()
    with projects.open_(path, read_only=True) as project:
        run = projects.find_run(project, "before")
        begin_s = time.perf_counter()
        found = diagnose.diagnose(project, run_window(run.id))
        first_s = time.perf_counter() - begin_s
        begin_s = time.perf_counter()
        diagnose.diagnose(project, run_window(run.id))
        again_s = time.perf_counter() - begin_s
    judged = len(found.findings) + len(found.passed)
    return {"rules": len(found.rules), "judged": judged, "first_s": first_s, "again_s": again_s}


def table(steps: list[int]) -> str:
    lines = ["| Samples every | Rules | Judgements | First s | Again s |", "|---|---|---|---|---|"]
    for step_s in steps:
        words: list[str | Path] = ["-m", "tests.perf.diagnose_benchmark", "--project", project_of(Captured(step_s))]
        one = json.loads(run_measured(words).output.splitlines()[-1])
        lines.append(
            f"| {step_s} s | {one['rules']:.0f} | {one['judged']:.0f} | {one['first_s']:.2f} | {one['again_s']:.2f} |"
        )
    return "\n".join(lines)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", action="append", type=int, default=[], help="seconds between samples")
    parser.add_argument("--project", type=Path, help="measure this project only, print JSON")
    args = parser.parse_args()
    print(json.dumps(measure(args.project)) if args.project else table(args.seconds or [60, 10]))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
