"""All that a person can see of some projects, told in digests; `python -m tests.golden.outputs` makes and compares them.

The outputs are made in parts, each by a process of its own: the program is run there on a day that never changes, in a
folder, a language and a time zone that are none of this machine's.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from tests.golden import document_units, projects, table_units, verb_units
from tests.golden.program import ROOT, environment, run, stop_the_clock
from tests.golden.units import Units, coarse, digests, under

SEEN = Path(__file__).with_name("seen.toml")
CHEAP = "demo"
"""The part that `make test` looks at."""
_NAMED = 40
_AT_ONCE = 2
_HEAD = """\
# What a person sees of some projects, in digests: `make golden` compares, `make golden-write` writes. See README.md.
"""
Digests = dict[str, dict[str, str]]
"""Part -> unit -> digest."""


def _built(name: str) -> Path:
    path = Path(f"{name}.tune")
    projects.BUILDERS[name](path)
    return path


def _demo() -> Units:
    """What is cheap: the documents for programs, the cells of the workbook, the tables of the window."""
    project = _built("demo")
    units = verb_units.documents(project) | document_units.reported(project, "ko", ["success-case"], ["xlsx"])
    return units | under("window.en", table_units.shown(project, "en"))


def _demo_documents() -> Units:
    project = _built("demo")
    units = verb_units.stored(project) | verb_units.texts(project)
    for language in verb_units.LANGUAGES:
        units |= document_units.reported(project, language)
    return coarse({name: lines for name, lines in units.items() if not name.startswith("report.success-case.ko.xlsx")})


def _fixtures() -> Units:
    project = _built("fixtures")
    return verb_units.imported(project, Path("fixtures") / "captures") | verb_units.stored(project)


def _of(name: str) -> Callable[[], Units]:
    def project_units() -> Units:
        project = _built(name)
        units = verb_units.stored(project) | verb_units.documents(project) | verb_units.texts(project)
        for language in verb_units.LANGUAGES:
            units |= document_units.reported(project, language, ["success-case"])
        return coarse(units | under("window.en", table_units.shown(project, "en")))

    return project_units


def _demo_in_korean() -> Units:
    return under("window.ko", table_units.shown(_built("demo"), "ko"))


PARTS: dict[str, Callable[[], Units]] = {
    CHEAP: _demo,
    "demo_documents": _demo_documents,
    "demo_korean": _demo_in_korean,
    "fixtures": _fixtures,
    **{name: _of(name) for name in ("weeks", "capacity", "experiment", "oracle", "postgresql", "mysql")},
}


def outputs(parts: Sequence[str], folder: Path, tree: Path = ROOT) -> dict[str, Units]:
    """The outputs of a tree of the program by part, two parts at a time; their files stay in the folder.

    Raises:
        RuntimeError: a part could not be made.
    """
    with ThreadPoolExecutor(_AT_ONCE) as workers:
        results = workers.map(lambda part: _made_apart(part, folder / part, tree), parts)
        return dict(zip(parts, results, strict=True))


def _made_apart(part: str, folder: Path, tree: Path) -> Units:
    folder.mkdir(parents=True)
    target = folder / "units.json"
    command = [sys.executable, "-m", "tests.golden.outputs", "--make", part, "--into", str(target)]
    home = {**environment(folder / "home"), "PYTHONPATH": str(tree)}
    ended = subprocess.run(command, cwd=tree, env=home, capture_output=True, encoding="utf-8", check=False)
    if ended.returncode or not target.exists():
        raise RuntimeError(f"{part} could not be made:\n{ended.stdout}{ended.stderr}")
    units: Units = json.loads(target.read_text(encoding="utf-8"))
    return units


def _make(part: str, target: Path) -> None:
    """Makes one part in this process, beside its target."""
    os.chdir(target.parent)
    stop_the_clock()
    run("--version")  # the program says how NumPy is to compute before anybody here imports that
    target.write_text(json.dumps(PARTS[part](), ensure_ascii=False), encoding="utf-8")


def read_seen() -> Digests:
    return tomllib.loads(SEEN.read_text(encoding="utf-8"))


def write_seen(seen: Digests) -> None:
    sections = [
        f"[{part}]\n"
        + "".join(f"{json.dumps(name, ensure_ascii=False)} = {json.dumps(value)}\n" for name, value in rows)
        for part, rows in ((part, sorted(units.items())) for part, units in sorted(seen.items()))
    ]
    SEEN.write_text(_HEAD + "\n" + "\n".join(sections), encoding="utf-8")


def differences(part: str, seen: Mapping[str, str], now: Mapping[str, str]) -> list[str]:
    """A line for each unit that differs, is new or gone."""
    lines = []
    for name in sorted(seen.keys() | now.keys()):
        if seen.get(name) != now.get(name):
            how = "new" if name not in seen else "gone" if name not in now else "differs"
            lines.append(f"{how:8} {part}.{name}")
    return lines


def complaint(lines: Sequence[str]) -> str:
    """What a person is told of differences; empty where there are none."""
    if not lines:
        return ""
    more = [f"... and {len(lines) - _NAMED} more"] if len(lines) > _NAMED else []
    count = f"{len(lines)} of the golden outputs are not as in tests/golden/seen.toml:"
    how = "`make golden-diff BASE=HEAD` shows old and new; `make golden-write` where it is meant (tests/golden/README.md)."
    return "\n".join([count, *lines[:_NAMED], *more, how])


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("parts", nargs="*", help="all where none is named")
    parser.add_argument("--write", action="store_true", help="write seen.toml anew")
    parser.add_argument("--make", metavar="PART", help=argparse.SUPPRESS)
    parser.add_argument("--into", type=Path, help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.make:
        _make(args.make, args.into.resolve())
        return 0
    with tempfile.TemporaryDirectory(prefix="tunebench-golden-") as name:
        now = {part: digests(units) for part, units in outputs(args.parts or list(PARTS), Path(name)).items()}
    seen = read_seen() if SEEN.exists() else {}
    lines = [line for part, units in now.items() for line in differences(part, seen.get(part, {}), units)]
    if args.write:
        write_seen({**seen, **now})
        print(f"{sum(map(len, now.values()))} outputs, {len(lines)} other than before")
        return 0
    print(complaint(lines) or f"{sum(map(len, now.values()))} golden outputs are as they were")
    return 1 if lines else 0


if __name__ == "__main__":
    raise SystemExit(main())
