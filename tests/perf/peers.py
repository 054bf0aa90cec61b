"""The same capture read by other programs and by this one, in turn.

python -m tests.perf.peers build/bench/C8-86400.txt [ROUNDS]

* Polars: the script that a consultant who knows it writes today (`POLARS`), in an environment that is made in
  `build/bench/peers` and belongs to the benchmark alone.
* NMONVisualizer: where a JDK is and `TUNEBENCH_NMONVISUALIZER` names its class path; a main of ten lines only parses.

A peer that is not there is "not run". Polars writes Parquet, NMONVisualizer nothing; TuneBench keeps text, line
numbers, account and pyramid beside its samples.
"""

from __future__ import annotations

import os
import shutil
import statistics
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from tests.perf.measure import ROOT, Cost, run_measured, run_program

FOLDER = ROOT / "build" / "bench"
POLARS_VERSION = "2.1.0"
NMONVISUALIZER = "TUNEBENCH_NMONVISUALIZER"
POLARS = """\
import sys
import polars as pl

path, out = sys.argv[1:3]
heading = next(line.split()[1:] for line in open(path) if line.startswith("Device"))
line = pl.col("line")
text = pl.scan_csv(path, has_header=False, separator="\\x01", new_columns=["line"], quote_char=None, infer_schema=False)
stamped = text.filter(line != "").with_columns(time=pl.when(line.str.starts_with("20")).then(line).forward_fill())
rows = stamped.filter(line.str.contains(r"^[a-z]+d?[a-z]* +[0-9]") & ~line.str.starts_with("avg"))
cells = rows.with_columns(cell=line.str.replace_all(" +", " ").str.split_exact(" ", len(heading))).unnest("cell")
numbers = [pl.col(f"field_{n}").cast(pl.Float64, strict=False).alias(name) for n, name in enumerate(heading, 1)]
time = pl.col("time").str.to_datetime("%Y-%m-%dT%H:%M:%S%z")
cells.select(time, pl.col("field_0").alias("device"), *numbers).collect(engine="streaming").write_parquet(out)
"""
PARSE = """\
public class Parse {
    public static void main(String[] words) throws Exception {
        java.io.File file = new java.io.File(words[1]);
        java.util.TimeZone zone = java.util.TimeZone.getTimeZone("UTC");
        com.ibm.nmon.data.DataSet read = words[0].equals("nmon")
            ? new com.ibm.nmon.parser.NMONParser().parse(file, zone, false)
            : new com.ibm.nmon.parser.IOStatParser().parse(file, zone);
        System.out.println(read.getRecordCount());
    }
}
"""

Run = Callable[[Path], Cost]


@dataclass(frozen=True)
class Peer:
    """`run`: None where it is not there."""

    name: str
    run: Run | None


def tunebench(capture: Path) -> Cost:
    project = FOLDER / "peers.tune"
    project.unlink(missing_ok=True)
    run_measured(["main.py", "new", project, "--customer", "Benchmark"])
    return run_measured(["main.py", "import", project, capture, "--json"])


def polars() -> Peer:
    """The script knows iostat alone."""
    folder = FOLDER / "peers"
    python = folder / "bin" / "python"
    if not python.exists():
        subprocess.run([sys.executable, "-m", "venv", folder], check=True)
    installed = subprocess.run([python, "-m", "pip", "install", "-q", f"polars=={POLARS_VERSION}"], check=False)
    if installed.returncode:
        return Peer("Polars", None)
    script = folder / "peer_polars.py"
    script.write_text(POLARS, encoding="utf-8")
    return Peer("Polars", lambda capture: run_program([python, script, capture, folder / "out.parquet"]))


def nmonvisualizer() -> Peer:
    path, java, javac = os.environ.get(NMONVISUALIZER), shutil.which("java"), shutil.which("javac")
    if not (path and java and javac):
        return Peer("NMONVisualizer", None)
    folder = FOLDER / "nmonvisualizer"
    folder.mkdir(parents=True, exist_ok=True)
    source = folder / "Parse.java"
    source.write_text(PARSE, encoding="utf-8")
    subprocess.run([javac, "-cp", path, "-d", folder, source], check=True)
    words = [java, "-Xmx4g", "-cp", f"{folder}:{path}", "Parse"]
    return Peer(
        "NMONVisualizer", lambda capture: run_program([*words, "nmon" if "nmon" in capture.name else "iostat", capture])
    )


def ratios(capture: Path, rounds: int) -> list[str]:
    """A line for each peer: processor seconds of both, medians of the pairs, and the median of their ratios."""
    lines = []
    for peer in (polars(), nmonvisualizer()):
        if peer.run is None or (peer.name == "Polars" and "nmon" in capture.name):
            lines.append(f"| {peer.name} | not run | | |")
            continue
        pairs = [(peer.run(capture), tunebench(capture)) for _ in range(rounds)]
        theirs, ours = ([pair[index].cpu_s for pair in pairs] for index in (0, 1))
        ratio = statistics.median(their / our for their, our in zip(theirs, ours, strict=True))
        lines.append(
            f"| {peer.name} | {statistics.median(theirs):.2f} | {statistics.median(ours):.2f} | {ratio:.2f}x |"
        )
    return lines


def main() -> int:
    capture, rounds = Path(sys.argv[1]).resolve(), int(sys.argv[2]) if len(sys.argv) > 2 else 5
    FOLDER.mkdir(parents=True, exist_ok=True)
    print(f"{capture.name}, {rounds} pairs, load average {os.getloadavg()[0]:.1f} before")
    print("| Peer | Its cpu-s | TuneBench cpu-s | How many times as fast |\n|---|---|---|---|")
    print("\n".join(ratios(capture, rounds)))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
