"""Day-long captures for the benchmarks, tiled from real short ones by the tool that lies beside the project.

The shapes that it does not make come from `tiled_days`.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from tests.perf import database_inputs, tiled_days

ROOT = Path(__file__).resolve().parents[2]
TILER = ROOT.parent / "shared" / "bench" / "tile.py"
SAR_SOURCE = TILER.parent / "real_sarA.txt"
IOSTAT_SOURCE = TILER.parent / "iostat_real.txt"
SA_SOURCE = TILER.parent / "real_snap.sa"
MADE = TILER.parents[1] / "corpus" / "made"
NMON_SOURCE = ROOT / "tests" / "fixtures" / "nmon" / "linux.nmon"
MANY = "many"
"""Before and after of two servers; what it costs to compare them is measured too."""
# Headings of the sections that the clean subset keeps: CPU, memory, disk, transfer totals, queue.
CLEAN_SECTIONS = ("CPU      %usr", "kbmemfree", "DEV       tps", "tps      rtps", "runq-sz")


@dataclass(frozen=True)
class Capture:
    """One benchmark input."""

    name: str
    what: str
    path: Path

    @property
    def megabytes(self) -> float:
        files = [self.path] if self.path.is_file() else [path for path in self.path.rglob("*") if path.is_file()]
        return sum(path.stat().st_size for path in files) / 1e6


def make_inputs(folder: Path, share: float) -> list[Capture]:
    """All captures but the long one, each `share` of its full length; made once and kept in `folder`."""
    folder.mkdir(parents=True, exist_ok=True)
    day, sar_day = round(86_400 * share), round(36_000 * share)
    clean = folder / "sar-clean-source.txt"
    clean.write_text(clean_subset(SAR_SOURCE.read_text(encoding="utf-8")), encoding="utf-8")
    return [
        _tile(folder, "C1", "iostat -xt, 1 s, 1 disk", "iostat", IOSTAT_SOURCE, day, ["1"]),
        _tile(folder, "C8", "iostat -xt, 1 s, 8 disks", "iostat", IOSTAT_SOURCE, day, ["8"]),
        _tile(folder, "A'", "sar: CPU, memory, disk, queue", "text", clean, sar_day),
        _tile(folder, "A", "sar -A text", "text", SAR_SOURCE, sar_day),
        *_of_sadf(folder, sar_day),
        *_of_days(folder, share, day),
        *_of_databases(folder, share),
    ]


def days_input(folder: Path, days: int, share: float) -> Capture:
    """Several days in one file: how much memory does that take?"""
    samples = round(days * 86_400 * share)
    return _tile(
        folder, f"C8x{days}", f"iostat -xt, 1 s, 8 disks, {days} days", "iostat", IOSTAT_SOURCE, samples, ["8"]
    )


def _of_sadf(folder: Path, samples: int) -> list[Capture]:
    """B is binary; what `sadf` prints of it is measured. It reads the file again for each activity to print -d."""
    if shutil.which("sadf") is None:
        return []
    captures = []
    for form, part in (("-j", 1), ("-d", 4)):
        binary = _tile(folder, f"B{part}", "", "bin", SA_SOURCE, samples // part).path
        path = binary.with_suffix(f".sadf{form}")
        if not path.exists():
            with path.open("wb") as out:
                subprocess.run(["sadf", form, str(binary), "--", "-A"], check=True, stdout=out)
        what = f"sadf {form} of B, all activities" + (f", {part}th part" if part > 1 else "")
        captures.append(Capture(f"B{form}", what, path))
    return captures


def _of_days(folder: Path, share: float, day: int) -> list[Capture]:
    """Shapes of `tiled_days`."""
    days, hosts, snapshots = max(1, round(30 * share)), max(1, round(20 * share)), max(4, round(1440 * share))
    return [
        _made(
            folder,
            "nmon",
            "nmon, every minute, 1,000 disks",
            lambda to: tiled_days.nmon(NMON_SOURCE, to, snapshots, 1000),
        ),
        _made(
            folder,
            "mpstat",
            "mpstat -P ALL, 2 s, 16 processors",
            lambda to: tiled_days.stamped_rounds(MADE / "mpstat" / "mpstat-PALL.txt", to, day // 2, 2, 8),
        ),
        _made(
            folder, "vmstat", "vmstat -t, 1 s", lambda to: tiled_days.vmstat(MADE / "vmstat" / "vmstat-t.txt", to, day)
        ),
        _made(
            folder,
            "wide",
            "iostat -xt, 1 s, 1,000 disks, 500 times",
            lambda to: tiled_days.wide_iostat(IOSTAT_SOURCE, to, max(2, round(500 * share)), 1000),
        ),
        _made(
            folder,
            "month",
            f"sar -u -r -d -n DEV, every minute, {days} days of {hosts} hosts",
            lambda to: tiled_days.month(SAR_SOURCE, to, hosts, days),
            suffix="",
        ),
    ]


def _of_databases(folder: Path, share: float) -> list[Capture]:
    """Reports, a slow log and exports of `database_inputs`."""
    reports, log_mb = max(2, round(300 * share)), max(1, round(500 * share))
    statements = max(1000, round(100_000 * share))
    return [
        _made(folder, "AWR", "one AWR report of 2 MB", lambda to: database_inputs.large_awr(to, 2_000_000), ".html"),
        _made(
            folder,
            "AWR-month",
            f"{reports} AWR reports of 350 KB",
            lambda to: database_inputs.awr_month(to, reports),
            "",
        ),
        _made(
            folder,
            "slow",
            f"slow log of MariaDB, {log_mb} MB",
            lambda to: database_inputs.slow_log(to, log_mb * 1_000_000),
            ".log",
        ),
        _made(
            folder,
            MANY,
            f"pg_stat_statements, {statements} statements, 4 times",
            lambda to: database_inputs.many_statements(to, statements),
            "",
        ),
    ]


def _made(folder: Path, name: str, what: str, make: Callable[[Path], Path], suffix: str = ".txt") -> Capture:
    """Made under another name first: one that was interrupted is made again."""
    path = folder / f"{name}-{'-'.join(re.findall('[0-9]+', what))}{suffix}"
    if not path.exists():
        make(path.with_name("unfinished"))
        path.with_name("unfinished").rename(path)
    return Capture(name, what, path)


def _tile(
    folder: Path, name: str, what: str, mode: str, source: Path, samples: int, more: list[str] | None = None
) -> Capture:
    path = folder / f"{name.replace(chr(39), '-clean')}-{samples}.txt"
    if not path.exists():
        command = [sys.executable, str(TILER), mode, str(source), str(samples), str(path), *(more or [])]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return Capture(name, what, path)


def clean_subset(text: str) -> str:
    """The banner and the sections with one of the `CLEAN_SECTIONS` headings; a section ends with its averages."""
    banner, _, rest = text.partition("\n")
    sections = re.findall(r"\n\d\d:\d\d:\d\d.*?(?:^Average:[^\n]*\n)+", rest, flags=re.DOTALL | re.MULTILINE)
    kept = [section for section in sections if any(heading in section[:200] for heading in CLEAN_SECTIONS)]
    return banner + "\n" + "\n".join(section.rstrip("\n") for section in kept) + "\n"
