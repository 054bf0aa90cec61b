"""Measures an archive of many engagements: putting one in, checking it, and the answers, in a folder and over S3.

python -m tests.perf.archive_benchmark --engagements 1000 --s3

Engagements are made, not captured: a sixth has findings like a real one's, days of 30 series over four weeks, and one of
five changes whose true effect is in `EFFECTS`. One of them is a real project, which is put in and checked.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import random
import resource
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from math import exp, log
from pathlib import Path

from tests.e2e.conftest import iostat_capture
from tests.waiting import until
from tunebench.archive.archive import Archive
from tunebench.archive.layout import ENGAGEMENTS, TABLES
from tunebench.archive.parts import Row
from tunebench.bootstrap import compose
from tunebench.core.progress import SilentProgress
from tunebench.domain.engagement import Engagement, Phase
from tunebench.usecases import projects
from tunebench.usecases.archiving import experience, facade
from tunebench.usecases.importing import imports
from tunebench.usecases.importing.results import ImportOptions
from tunebench.usecases.projects import Project

EFFECTS = {
    "maxcontig": 1.94,
    "db_cache_size": 3.30,
    "noatime": 1.31,
    "innodb_io_capacity": 1.45,
    "shared_buffers": 0.97,
}
_TITLES = ("Disk busy near saturation", "Run queue longer than processors", "Swap in use", "Log file sync slow")
_FINDINGS, _SERIES, _DAYS = 60, 30, 28
_BUCKET = "benchmark"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--engagements", type=int, default=200)
    parser.add_argument("--s3", action="store_true", help="also over a server like S3's, which moto runs")
    args = parser.parse_args()
    compose()
    with tempfile.TemporaryDirectory(prefix="tunebench-archive-") as name:
        folder = Path(name)
        fill(Archive.begun(folder / "archive"), args.engagements)
        with _real_project(folder) as project:
            measure(str(folder / "archive"), folder / "real.tune", project)
            if args.s3:
                with served() as address:
                    _copied(folder / "archive", address)
                    measure(address, folder / "real.tune", project)


# -- making


def fill(archive: Archive, count: int) -> None:
    source = random.Random(1)
    begin_s, begin_cpu_s = time.perf_counter(), time.process_time()
    for number in range(count):
        id_ = hashlib.sha256(str(number).encode()).hexdigest()[:16]
        archive.put(id_, id_[::-1], tables_of(number, source))
    cpu_s, wall_s = time.process_time() - begin_cpu_s, time.perf_counter() - begin_s
    parts = archive.log.state().parts.values()
    print(f"{count} engagements, {sum(part.rows for part in parts)} rows in {len(parts)} parts, "
          f"{sum(part.size for part in parts) / 2**20:.1f} MiB; put in {cpu_s / count:.3f} cpu-s, {wall_s / count:.3f} s each")  # fmt: skip


def tables_of(number: int, source: random.Random) -> dict[str, list[Row]]:
    product = ("Oracle 19c", "PostgreSQL 16", "MariaDB 11")[number % 3]
    change = list(EFFECTS)[number % len(EFFECTS)]
    title = f"Engagement {number}"
    return {
        ENGAGEMENTS: [_row(ENGAGEMENTS, title=title, customer=f"Customer {number % 80}", added_ns=number)],
        "systems": [_row("systems", kind="database", name=f"DB{number}", product=product)],
        "hosts": [_row("hosts", host=f"db{host}", os=("linux", "aix")[number % 2]) for host in range(2)],
        "findings": [_finding(index, source) for index in source.sample(range(3 * _FINDINGS), _FINDINGS)],
        "causes": [
            _row("causes", iteration=1, domain=("io", "cpu", "memory")[index % 3], title=f"Cause {index}", state="confirmed",
                 text=f"the volume is shared with the log writer {index}")
            for index in range(6)
        ],
        "actions": [
            _row("actions", iteration=1, number="A-1", title=f"Raise {change}", changes=change, effect="",
                 state="rolled_back" if number % 10 == 0 else "executed", hypothesis="expects fewer reads")
        ],
        "effects": [_effect(change, source)] if number % 7 else [],
        "verdicts": [_verdict(index, source) for index in range(_SERIES)],
        "days": [_day(index, day, source) for index in range(_SERIES) for day in range(_DAYS)],
    }  # fmt: skip


def _finding(index: int, source: random.Random) -> Row:
    severity, phase = ("watch", "warning", "critical")[index % 3], ("before", "after")[index % 2]
    return _row("findings", key=f"F{index}", rule=f"X-{index % 73:03}", severity=severity, phase=phase, host=f"db{index % 2}",
                title=f"{_TITLES[index % 4]} {index}", attributes=f"dev=sd{index % 26}", explained_by="", later="",
                figures=f"mean {source.random() * 100:.2f} ms")  # fmt: skip


def _effect(change: str, source: random.Random) -> Row:
    error = 0.05
    ratio = EFFECTS[change] * exp(source.gauss(0, error))
    ends = {"low": exp(log(ratio) - 1.96 * error), "high": exp(log(ratio) + 1.96 * error)}
    return _row("effects", iteration=1, number="A-1", effect="", changes=change, price=False, metric="response time",
                ratio=ratio, state="verification_state.confirmed", **ends)  # fmt: skip


def _verdict(index: int, source: random.Random) -> Row:
    return _row("verdicts", host=f"db{index % 2}", tool="iostat", native=f"m{index}", metric=f"system.m{index}", attributes="",
                unit="ms", ratio=exp(source.gauss(0.1, 0.2)), verdict="improved")  # fmt: skip


def _day(index: int, day: int, source: random.Random) -> Row:
    return _row("days", host=f"db{index % 2}", tool="iostat", native=f"m{index}", metric=f"system.m{index}", attributes="",
                unit="ms", run="before", day=f"2026-11-{1 + day:02}", samples=1440, mean=source.random(),
                p95=source.random(), maximum=source.random())  # fmt: skip


def _row(table: str, **values: object) -> Row:
    return {**dict.fromkeys(TABLES[table]), **values}


@contextmanager
def _real_project(folder: Path) -> Iterator[Project]:
    with projects.create(folder / "real.tune", Engagement("Real", "Customer 1")) as project:
        for label, day, user in (("before", 16, 60), ("after", 17, 30)):
            text = folder / f"{label}.txt"
            text.write_text(iostat_capture(f"2026-11-{day}", 30, user, 100))
            imports.import_captures(project, [text], ImportOptions(run=label, phase=Phase(label)))
        yield project


# -- a store


@contextmanager
def served() -> Iterator[str]:
    """The address of an empty bucket."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = int(probe.getsockname()[1])
    words = [sys.executable, "-m", "moto.server", "-H", "127.0.0.1", "-p", str(port)]
    server = subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    os.environ.update(AWS_ACCESS_KEY_ID="key", AWS_SECRET_ACCESS_KEY="secret", AWS_DEFAULT_REGION="us-east-1",
                      AWS_ENDPOINT_URL=f"http://127.0.0.1:{port}")  # fmt: skip
    try:
        until(lambda: _answers(port))
        yield f"s3://{_BUCKET}/archive"
    finally:
        server.terminate()
        server.wait(timeout=20)


def _answers(port: int) -> bool:
    try:
        socket.create_connection(("127.0.0.1", port), 0.5).close()
    except OSError:
        return False
    return True


def _copied(folder: Path, address: str) -> None:
    import fsspec

    files = fsspec.filesystem("s3", use_listings_cache=False)
    files.mkdir(_BUCKET)
    archive = Archive.existing(folder)
    names = [*archive.log.state().parts, *archive.storage.entries("log"), "archive.json"]
    files.put([str(folder / name) for name in names], [f"{address}/{name}" for name in names])


# -- measuring


def measure(address: str, path: Path, project: Project) -> None:
    """Processor seconds and seconds of one question to an archive that was opened for it, in this process; of the next one
    to the same; and of the verb, in a process of its own."""
    heads = ("opened cpu-s", "s", "again cpu-s", "s", "verb cpu-s", "s")
    print(f"\n{address}\n{'':8}{''.join(f'{head:>13}' for head in heads)}   (best of three)")
    Archive.existing(address)  # libraries of the store are loaded once
    silent, s3 = SilentProgress(), address.startswith("s3:")
    start_cpu_s, start_s = _verb("--version")
    print(f"{'start':8}{'':52}{start_cpu_s:13.3f}{start_s:13.2f}")
    questions: dict[str, tuple[Callable[[Archive], object], tuple[str, ...]]] = {
        "list": (facade.engagements, ("find",)),
        "find": (
            lambda archive: facade.find(archive, ["log file sync", "critical"], system="oracle"),
            ("find", "log file sync", "critical", "--system", "oracle"),
        ),
        "effects": (experience.effects, ("effects",)),
        "seen": (lambda archive: experience.seen(archive, project, silent), ("seen", str(path))),
        "compare": (lambda archive: facade.compare(archive, "system.m7"), ("compare", "--series", "system.m7")),
        "trend": (lambda archive: facade.trend(archive, "db1", "system.m7"), ("trend", "--host", "db1", "--series", "system.m7")),
        "add": (
            lambda archive: facade.add(archive, project, "benchmark", None, silent),
            ("add", str(path), "--consent", "benchmark"),
        ),
        "check": (lambda archive: facade.check(archive, project, None, silent), ("check", str(path))),
        "parts": (lambda archive: archive.reader.verify(), ("check",)),
    }  # fmt: skip
    for name, (question, words) in questions.items():
        rounds = range(1 if s3 else 3)
        opened = min(_timed(partial(_opened, address, question)) for _ in rounds)
        archive = Archive.existing(address)
        question(archive)
        again = min(_timed(partial(question, archive)) for _ in rounds)
        verb = min(_verb("archive", address, *words) for _ in rounds)
        print(f"{name:8}{''.join(f'{value:13.3f}' for value in (*opened, *again, *verb))}")


def _opened(address: str, question: Callable[[Archive], object]) -> object:
    return question(Archive.existing(address))


def _timed(ask: Callable[[], object]) -> tuple[float, float]:
    """Processor seconds of all threads, and seconds."""
    begin_s, begin_cpu_s = time.perf_counter(), time.process_time()
    ask()
    return time.process_time() - begin_cpu_s, time.perf_counter() - begin_s


def _verb(*words: str) -> tuple[float, float]:
    before, begin_s = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    subprocess.run([sys.executable, "main.py", *words], stdout=subprocess.DEVNULL, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu_s = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return cpu_s, time.perf_counter() - begin_s


if __name__ == "__main__":
    main()
