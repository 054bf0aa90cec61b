"""Runs a program and reads off what it cost; each child is measured for itself."""

from __future__ import annotations

import json
import os
import platform
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import tunebench  # noqa: F401  children have its settings of NumPy, in whatever order they import

ROOT = Path(__file__).resolve().parents[2]


# Until its own program begins, a process counts as large as the one that started it: a small one starts it.
_STARTER = """
import json, os, sys, time
begin_s = time.perf_counter()
child = os.posix_spawn(sys.argv[2], sys.argv[2:], os.environ)
_, status, usage = os.wait4(child, 0)
with open(sys.argv[1], "w") as costs:
    json.dump([time.perf_counter() - begin_s, status, usage.ru_utime + usage.ru_stime, usage.ru_maxrss], costs)
"""


@dataclass(frozen=True)
class Cost:
    """What one run took; `output` is its stdout."""

    wall_s: float
    cpu_s: float
    max_rss_mb: float
    output: str


def run_measured(words: Sequence[str | Path]) -> Cost:
    """Runs ``python WORDS`` from the project's folder; see `run_program`."""
    return run_program([sys.executable, *words])


def run_program(words: Sequence[str | Path]) -> Cost:
    """Runs a program from the project's folder.

    Raises:
        SystemExit: it failed; its own words are passed on.
    """
    command = list(map(str, words))
    # one thread of BLAS, as the program has: a benchmark that loads NumPy before it would get one for each processor
    # and what is compiled is kept, as everywhere: else each start would compile hundreds of modules again
    kept = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    environment = {**kept, "QT_QPA_PLATFORM": "offscreen", "OPENBLAS_NUM_THREADS": "1"}
    with tempfile.TemporaryFile("w+", encoding="utf-8") as out, tempfile.NamedTemporaryFile("r") as costs:
        starter = [sys.executable, "-S", "-c", _STARTER, costs.name, *command]
        subprocess.run(starter, cwd=ROOT, stdout=out, env=environment, check=True)
        wall_s, status, cpu_s, max_rss = json.load(costs)
        code = os.waitstatus_to_exitcode(status)
        if code:
            raise SystemExit(f"{' '.join(command)} ended with {code}")
        out.seek(0)
        output = out.read()
    # ru_maxrss is in KiB on Linux, in bytes on macOS.
    unit = 1 if sys.platform == "darwin" else 1024
    return Cost(wall_s, cpu_s, max_rss * unit / 1e6, output)


def machine() -> str:
    """Processor, cores, memory, system and Python, in one line."""
    return (
        f"{_processor()}, {os.cpu_count()} cores, {_memory_gb():.0f} GB; {platform.platform(terse=True)}; "
        f"Python {platform.python_version()}"
    )


def _processor() -> str:
    cpuinfo = Path("/proc/cpuinfo")
    lines = cpuinfo.read_text(encoding="utf-8").splitlines() if cpuinfo.exists() else []
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.machine()


def _memory_gb() -> float:
    return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") / 1e9
