"""A killed import harms nothing that was stored, and the next one finishes it."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

from tests.e2e.conftest import Command, iostat_capture
from tests.waiting import let_time_pass

ROOT = Path(__file__).resolve().parents[2]


def big_capture(path: Path, blocks: int) -> None:
    """`iostat -dxt` text of one-second blocks of eight disks."""
    heading = "Device            r/s     rkB/s   await  %util\n"
    with path.open("w") as file:
        file.write("Linux 5.10.0-8 (db01) \t2026-07-19 \t_x86_64_\t(4 CPU)\n\n")
        for second in range(blocks):
            stamp = f"2026-07-19T{second // 3600:02d}:{second // 60 % 60:02d}:{second % 60:02d}+0900\n"
            rows = "".join(f"sd{d:<12} {second + 1:8.2f} {second * 8:9.2f} {1.25:7.2f}  10.00\n" for d in "abcdefgh")
            file.write(f"{stamp}{heading}{rows}\n")


def test_kill_during_import_then_import_again(project: Path, tmp_path: Path, tunebench: Command) -> None:
    good, big = tmp_path / "good.txt", tmp_path / "big.txt"
    good.write_text(iostat_capture("2026-07-18", 3, 10.0, 5.0))
    big_capture(big, 40_000)
    assert tunebench("import", project, good, "--run", "good").code == 0
    command = [sys.executable, "main.py", "import", str(project), str(big), "--run", "big"]
    for wait_s in (0.6, 0.9, 1.2):
        with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
            let_time_pass(wait_s, "it is killed at another point each time")
            process.send_signal(signal.SIGKILL)
        assert tunebench("check", project).code == 0
        runs = {run["label"]: run for run in tunebench("info", project, "--json").json["runs"]}
        assert runs["good"]["artefacts"][0]["lines"]["data"] == 6
    answer = tunebench("import", project, big, "--run", "big", "--json")
    assert answer.code == 0, answer.err
    assert tunebench("check", project).code == 0
    series = tunebench("series", project, "--run", "big", "--match", "r/s", "--json").json
    assert len(series) == 8
    # r/s is 1 .. 40000; the first block is since boot
    assert {(one["count"], one["min"], one["max"]) for one in series} == {(39_999, 2.0, 40_000.0)}


def test_a_second_opener_reads_and_is_told_who_writes(project: Path, tmp_path: Path, tunebench: Command) -> None:
    from tunebench.usecases import projects

    holder = projects.open_(project)
    try:
        good = tmp_path / "good.txt"
        good.write_text(iostat_capture("2026-07-18", 3, 10.0, 5.0))
        answer = tunebench("import", project, good, "--lang", "en")
        assert answer.code == 3
        assert answer.err.count("\n") == 1
        assert tunebench("info", project, "--json").json["engagement"]["customer"] == "ACME"
    finally:
        projects.close(holder)
    assert tunebench("import", project, good).code == 0
