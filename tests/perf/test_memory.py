"""Memory does not grow with the length of a capture."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from tests.perf.measure import run_measured

BOUND_MB = 300
ROWS = """\
{stamp}
avg-cpu:  %user   %nice %system %iowait  %steal   %idle
          37.90    0.00   16.73    0.63    0.26   44.92

Device            r/s     rkB/s   rrqm/s  %rrqm r_await rareq-sz     w/s     wkB/s   wrqm/s  %wrqm w_await wareq-sz
"""


def iostat(path: Path, blocks: int) -> Path:
    with path.open("w", encoding="utf-8") as out:
        out.write("Linux 6.1.0 (db1) \t11/20/26 \t_x86_64_\t(2 CPU)\n\n")
        for number in range(blocks):
            stamp = (
                f"11/{20 + number // 86400:02}/2026 {number // 3600 % 24:02}:{number // 60 % 60:02}:{number % 60:02}"
            )
            out.write(ROWS.format(stamp=stamp))
            for device in range(12):  # shares of requests stay below 100 %
                value = (number * 7 + device * 13) % 877
                out.write(f"dm-{device:<8}" + "".join(f"{value / 10 + k:10.2f}" for k in range(12)) + "\n")
            out.write("\n")
    return path


@pytest.mark.skipif(sys.platform == "win32", reason="the largest size of a process is not told there")
def test_a_long_capture_takes_no_more_than_a_short_one(tmp_path: Path) -> None:
    """The import's own memory: eight times as long a capture may take a little more, and never the bound."""
    sizes = []
    for blocks in (2_500, 20_000):
        capture = iostat(tmp_path / f"iostat{blocks}.txt", blocks)
        project = tmp_path / f"{blocks}.tune"
        run_measured(["main.py", "new", project, "--customer", "Benchmark"])
        cost = run_measured(["main.py", "import", project, capture, "--json"])
        (file,) = json.loads(cost.output)["files"]
        assert file["samples"] == blocks * (12 * 12 + 6)
        sizes.append(cost.max_rss_mb)
    short, long = sizes
    assert long < BOUND_MB
    assert long < short + 60, "of a capture that is 22 MB longer"
