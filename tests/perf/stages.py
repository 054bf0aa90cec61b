"""Where the processor time of an import goes: each stage of one capture by itself, the best of three runs.

python -m tests.perf.stages build/bench/C8-86400.txt linux.iostat [MB]
"""

from __future__ import annotations

import hashlib
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from app.capture.sections import Watched, whole_lines
from app.core import zstd
from app.plughost.host import ParserEntry, PluginHost
from app.sdk import ParseContext, SampleBatch
from app.store.sample_packing import SamplePacker
from tests.perf.measure import run_measured

PIECE_BYTES = 1 << 20
LITTLE_BYTES = 200_000
LEVEL = 3


def best_s(work: Callable[[], object]) -> float:
    times = []
    for _ in range(3):
        begin_s = time.process_time()
        work()
        times.append(time.process_time() - begin_s)
    return min(times)


def parse(entry: ParserEntry, pieces: list[bytes]) -> list[SampleBatch]:
    parser = entry.create(ParseContext())
    batches = [batch for piece in pieces for batch in parser.feed(piece)]
    return [*batches, *parser.finish()]


def pack(batches: list[SampleBatch]) -> None:
    packer = SamplePacker()
    for batch in batches:
        packer.append(batch)
    for _ in packer.finish():
        continue


def best_s_of_process(words: list[str | Path]) -> float:
    return min(run_measured(words).cpu_s for _ in range(3))


def import_of_little_s(data: bytes) -> float:
    """The whole command for hardly anything: start, modules, recognising, transactions, what is said."""
    with tempfile.TemporaryDirectory() as folder:
        project, capture = Path(folder) / "little.tune", Path(folder) / "little.txt"
        capture.write_bytes(data[: data.rfind(b"\n", 0, LITTLE_BYTES) + 1])
        found = []
        for _ in range(3):
            project.unlink(missing_ok=True)
            run_measured(["main.py", "new", project, "--customer", "Benchmark"])
            found.append(run_measured(["main.py", "import", project, capture, "--json"]).cpu_s)
        return min(found)


def main() -> int:
    path, parser_id, *rest = sys.argv[1:]
    entry = PluginHost().parser(parser_id)
    assert entry is not None
    with Path(path).open("rb") as file:
        data = file.read(int(float(rest[0] if rest else 60) * 1e6))
    pieces = [data[at : at + PIECE_BYTES] for at in range(0, len(data), PIECE_BYTES)]
    packed = [zstd.compress(piece, LEVEL) for piece in pieces]
    batches = parse(entry, pieces)
    stages = {
        "other tools' lines": best_s(lambda: list(Watched(whole_lines(pieces)))),
        "SHA-256": best_s(lambda: hashlib.sha256(data)),
        "keeping (zstd)": best_s(lambda: [zstd.compress(piece, LEVEL) for piece in pieces]),
        "reading back": best_s(lambda: [zstd.decompress(blob, PIECE_BYTES) for blob in packed]),
        "parsing": best_s(lambda: parse(entry, pieces)),
        "packing and pyramid": best_s(lambda: pack(batches)),
    }
    start_s = best_s_of_process(["main.py", "--version"])
    small_s = import_of_little_s(data)
    megabytes = len(data) / 1e6
    values = sum(batch.values.size for batch in batches)
    print(f"{path}: {megabytes:.0f} MB, {values / megabytes:,.0f} values per MB; milliseconds per MB:")
    for name, seconds in stages.items():
        print(f"  {name:20s} {1000 * seconds / megabytes:6.2f}")
    print(f"  {'together':20s} {1000 * sum(stages.values()) / megabytes:6.2f}")
    print(f"  a start {start_s:.2f} s; the command for {LITTLE_BYTES / 1e6:.1f} MB of it {small_s:.2f} s")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
