"""Day-long captures for the benchmarks, tiled from real short ones by the tool that lies beside the project."""

from __future__ import annotations

import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
TILER = ROOT.parent / "shared" / "bench" / "tile.py"
SAR_SOURCE = TILER.parent / "real_sarA.txt"
IOSTAT_SOURCE = TILER.parent / "iostat_real.txt"
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
        return self.path.stat().st_size / 1e6


def make_inputs(folder: Path, share: float) -> list[Capture]:
    """The captures A, A', C1 and C8, each `share` of its full length; made once and kept in `folder`."""
    folder.mkdir(parents=True, exist_ok=True)
    day, sar_day = round(86_400 * share), round(36_000 * share)
    clean = folder / "sar-clean-source.txt"
    clean.write_text(clean_subset(SAR_SOURCE.read_text(encoding="utf-8")), encoding="utf-8")
    return [
        _tile(folder, "C1", "iostat -xt, 1 s, 1 disk", "iostat", IOSTAT_SOURCE, day, ["1"]),
        _tile(folder, "C8", "iostat -xt, 1 s, 8 disks", "iostat", IOSTAT_SOURCE, day, ["8"]),
        _tile(folder, "A'", "sar: CPU, memory, disk, queue", "text", clean, sar_day),
        _tile(folder, "A", "sar -A text", "text", SAR_SOURCE, sar_day),
    ]


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
