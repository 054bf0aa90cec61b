"""Whether the tests notice: small mutations of a copy of the program, a sample of them, each against the tests it concerns.

    make mutants ARGS="--sample 200 --seed 7"

Which tests call which function is recorded once and again for test files that have changed (`build/mutants`). A mutant gets
those of its function, the nearest and most specific first, up to a minute of them. What no test calls has survived.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import zlib
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from queue import SimpleQueue

from tests.mutants.operators import Mutant, is_another_program, mutants_of

ROOT = Path(__file__).resolve().parents[2]
RECORD = ROOT / "build" / "mutants" / "reach.jsonl"
EQUIVALENT = Path(__file__).with_name("equivalent.txt")
ROOMS = {
    "analysis": ["app/tunebench/analysis/**/*.py"],
    "diagnosis": ["app/tunebench/diagnosis/**/*.py"],
    "capture": ["app/tunebench/capture/**/*.py"],
    "times": ["app/tunebench/sdk/times.py"],
    "store": ["app/tunebench/store/**/*.py"],
    "figures": [f"app/tunebench/reporting/**/{name}.py" for name in ("axis", "calling", "figures", "wording")],
}
TESTS = ["tests/unit", "tests/store", "tests/reports"]
COPIED = ["app", "plugins", "resources", "tests", "packaging", "main.py", "pyproject.toml", "Makefile"]
_MOST_SECONDS, _MOST_TESTS = 60.0, 400
_PYTEST = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"]


@dataclass(frozen=True, slots=True)
class Reached:
    """A test that passed, the seconds it took and the functions it called, by file."""

    test: str
    seconds: float
    calls: dict[str, frozenset[str]]


def copy_tree(folder: Path) -> Path:
    """The program and its tests in a folder of their own, beside the documents that some tests read."""
    tree = folder / "tree"
    tree.mkdir(parents=True)
    for name in COPIED:
        kind = shutil.copytree if (ROOT / name).is_dir() else shutil.copy2
        kind(ROOT / name, tree / name)  # with their times: what is compiled stays valid
    if (ROOT.parent / "shared").is_dir():
        (folder / "shared").symlink_to(ROOT.parent / "shared")
    return tree


def record(tree: Path, tests: Sequence[str], jobs: int) -> None:
    """Adds to the record what tests call whose file is not in it as it is now."""
    RECORD.parent.mkdir(parents=True, exist_ok=True)
    known = {(line["test"].partition("::")[0], line["checksum"]) for line in _lines()}
    files = [path for folder in tests for path in (ROOT / folder).rglob("test_*.py")]
    new = [path for path in files if (_name(path), zlib.crc32(path.read_bytes())) not in known]
    if new:
        spread = ["-n", str(jobs), "--dist", "loadfile", "-p", "tests.mutants.reach"]
        subprocess.run([*_PYTEST, *spread, *map(_name, new)], cwd=tree, env=os.environ | {"MUTANTS_REACH": str(RECORD)})


def _lines() -> Iterator[dict]:
    if RECORD.exists():
        yield from map(json.loads, RECORD.read_text("utf-8").splitlines())


def _name(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def recorded() -> list[Reached]:
    """The newest record of each test whose file is as it was."""
    sums = {
        name: zlib.crc32((ROOT / name).read_bytes())
        for name in {line["test"].partition("::")[0] for line in _lines()}
        if (ROOT / name).exists()
    }
    newest = {line["test"]: line for line in _lines() if line["checksum"] == sums.get(line["test"].partition("::")[0])}
    return [
        Reached(line["test"], line["seconds"], {path: frozenset(names) for path, names in line["calls"].items()})
        for line in newest.values()
    ]


def concerned(mutant: Mutant, tests: Sequence[Reached]) -> list[Reached]:
    """The tests that call the mutant's function; of what runs at import those that call anything in the file or, where a
    value is only used elsewhere, in a file that names its module."""
    found = [test for test in tests if mutant.owner in test.calls.get(mutant.path, ())]
    if not mutant.owner:
        found = [test for test in tests if mutant.path in test.calls] or _of_importers(mutant.path, tests)
    stem = Path(mutant.path).stem.strip("_")
    found.sort(key=lambda test: (stem not in test.test, sum(map(len, test.calls.values())), test.seconds))
    chosen, seconds = [], 0.0
    for test in found[:_MOST_TESTS]:
        seconds += test.seconds
        if chosen and seconds > _MOST_SECONDS:
            break
        chosen.append(test)
    return chosen


def _of_importers(path: str, tests: Sequence[Reached]) -> list[Reached]:
    module = re.compile(rf"\b{re.escape(Path(path).stem)}\b")
    using = {_name(each) for each in (ROOT / "app/tunebench").rglob("*.py") if module.search(each.read_text("utf-8"))}
    return [test for test in tests if not using.isdisjoint(test.calls)]


class Judge:
    """Runs mutants against their tests; one tree per thread."""

    def __init__(self, trees: Sequence[Path], tests: Sequence[Reached]) -> None:
        self._trees: SimpleQueue[Path] = SimpleQueue()
        for tree in trees:
            self._trees.put(tree)
        self._tests = tests
        self._sound: set[str] = set()

    def fate(self, mutant: Mutant) -> str:
        """``caught``, ``timeout``, ``survived`` or ``unreached``."""
        tree = self._trees.get()
        try:
            return self._fate(mutant, tree, concerned(mutant, self._tests))
        finally:
            self._trees.put(tree)

    def _fate(self, mutant: Mutant, tree: Path, tests: Sequence[Reached]) -> str:
        if not tests:
            return "unreached"
        path = tree / mutant.path
        source, was = path.read_bytes(), path.stat()
        path.write_bytes(mutant.applied(source))
        try:
            code, failed = _run(tree, tests)
        finally:
            path.write_bytes(source)
            os.utime(path, ns=(was.st_atime_ns, was.st_mtime_ns))  # what is compiled is valid again
        if code is None:
            return "timeout"
        if code == 0:
            return "survived"
        blamed = [test for test in tests if test.test in failed] or tests
        if not self._sound.issuperset(test.test for test in blamed):
            if _run(tree, blamed)[0] != 0:  # fails without the mutant as well
                return self._fate(mutant, tree, [test for test in tests if test not in blamed])
            self._sound.update(test.test for test in blamed)
        return "caught"


def _run(tree: Path, tests: Sequence[Reached]) -> tuple[int | None, set[str]]:
    """The exit code, None beyond the time, and what failed."""
    command = [*_PYTEST, "-x", "--tb=no", "-rfE", *(test.test for test in tests)]
    environment = os.environ | {"PYTHONDONTWRITEBYTECODE": "1"}
    with tempfile.TemporaryFile("w+") as out:
        process = subprocess.Popen(command, cwd=tree, env=environment, stdout=out, stderr=out, start_new_session=True)
        try:
            process.wait(60 + 2 * sum(test.seconds for test in tests))  # recorded while calls were followed
        except subprocess.TimeoutExpired:
            return None, set()
        finally:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()
        out.seek(0)
        said = out.read()
    return process.returncode, {
        test.test for test in tests if re.search(rf"^(FAILED|ERROR) {re.escape(test.test)}( |$)", said, re.MULTILINE)
    }


def sample(rooms: Sequence[str], size: int, seed: int) -> Iterator[tuple[str, Mutant]]:
    """Mutants of the rooms by room, each as likely as any other; none that is known to be the same program."""
    same = {line for line in EQUIVALENT.read_text("utf-8").splitlines() if line and not line.startswith("#")}
    paths = [(room, path) for room in rooms for pattern in ROOMS[room] for path in sorted(ROOT.glob(pattern))]
    every = [(room, mutant) for room, path in paths for mutant in mutants_of(_name(path), _source(_name(path)))]
    random.Random(seed).shuffle(every)
    for room, mutant in every:
        source = _source(mutant.path)
        if size and is_another_program(mutant, source) and told(mutant).partition(": ")[2] not in same:
            yield room, mutant
            size -= 1


@cache
def _source(path: str) -> bytes:
    return (ROOT / path).read_bytes()


def told(mutant: Mutant) -> str:
    """The mutant in one line: where, what is there, what it becomes."""
    was, becomes = mutant.difference(_source(mutant.path))
    return f"{mutant.path}:{mutant.line}: {mutant.owner or 'module'}: {was}  ->  {becomes}"


def main() -> None:
    parser = argparse.ArgumentParser(prog="make mutants", description=__doc__)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--sample", type=int, default=200)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--e2e", action="store_true", help="ask tests/e2e too: takes servers and an idle machine")
    parser.add_argument("--again", action="store_true", help="record anew which tests call what")
    parser.add_argument("rooms", nargs="*", default=list(ROOMS), help=f"of {', '.join(ROOMS)}; all unless told")
    options = parser.parse_args()
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    if options.again:
        RECORD.unlink(missing_ok=True)
    with tempfile.TemporaryDirectory(prefix="tunebench-mutants-") as folder:
        trees = [copy_tree(Path(folder) / str(job)) for job in range(options.jobs)]
        record(trees[0], [*TESTS, "tests/e2e"] if options.e2e else TESTS, options.jobs)
        judge = Judge(trees, recorded())
        fates: Counter[tuple[str, str]] = Counter()
        drawn = list(sample(options.rooms, options.sample, options.seed))
        pool = ThreadPoolExecutor(options.jobs)
        try:
            for (room, mutant), fate in zip(drawn, pool.map(judge.fate, [mutant for _, mutant in drawn]), strict=True):
                fates[room, fate] += 1
                print(f"{fate:9}  {told(mutant)}", flush=True)
        finally:  # who interrupts it has the rates so far
            pool.shutdown(cancel_futures=True)
            print_fates(fates, options.rooms)


def print_fates(fates: Counter[tuple[str, str]], rooms: Sequence[str]) -> None:
    kinds = ("caught", "timeout", "survived", "unreached")
    print(f"\n{'room':10}{'n':>6}" + "".join(f"{kind:>11}" for kind in kinds) + f"{'noticed':>10}")
    for title, some in [*((room, [room]) for room in rooms), ("all", rooms)]:
        counts = [sum(fates[room, kind] for room in some) for kind in kinds]
        if total := sum(counts):
            noticed = f"{(counts[0] + counts[1]) / total:10.1%}"
            print(f"{title:10}{total:6}" + "".join(f"{count:11}" for count in counts) + noticed)


if __name__ == "__main__":
    main()
