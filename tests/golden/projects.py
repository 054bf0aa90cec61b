"""The projects that the outputs are of: each is built by the command line from captures that are always the same."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable
from pathlib import Path

from tests.golden.program import ROOT, date_files, done

FIXTURES = ROOT / "tests" / "fixtures"


def demo(path: Path) -> None:
    done("demo", path)


def weeks(path: Path) -> None:
    """A week before and a week after as windows of mornings; tools that ran on one side only; rows that are refused."""
    from tests.made import tuned_weeks

    folder = _new(path)
    before, after = tuned_weeks.write(folder)
    _take(path, folder, before, "first week", "before")
    _take(path, folder, after, "second week", "after")
    for name, run_, phase in (
        ("linux/mpstat-PALL.txt", "first week", "before"),
        ("linux/iostat-xt.txt", "second week", "after"),
        ("losses", "second week", "after"),
    ):
        _take(path, folder, [_copy(FIXTURES / name, folder)], run_, phase, "--host", tuned_weeks.HOST)
    hours = ("--days", "mon-fri", "--hours", "09:00-12:00", "--between")
    done("window", path, "add", "Before", "--role", "before", *hours, "2026-08-03", "2026-08-07")
    done("window", path, "add", "After", "--role", "after", *hours, "2026-08-17", "2026-08-21")
    batch = ("--from", "2026-08-05T10:30", "--to", "2026-08-05T10:50", "--reason", "batch")
    done("window", path, "exclude", "Before", *batch)


def capacity(path: Path) -> None:
    from tests.made import capacity_weeks

    folder = _new(path)
    _take(path, folder, capacity_weeks.write(folder, days=35), "weeks", "other")


def experiment(path: Path) -> None:
    """Worked examples, one of them with results; one that a person defined, with its results."""
    folder = _new(path)
    for name in ("fs-copy", "raid-pool-threads"):
        done("experiment", path, "add-example", name, "--by", "Lee")
    factors = ("--factor", "maxcontig[blocks]=6,128", "--response", "real_s", "--repetitions", 4, "--order", "abab")
    done("experiment", path, "new", "--title", "mkfile", *factors, "--aa", 4, "--confounder", "ssd2 busy")
    for role, base in (("a1", 86.0), ("a2", 86.1)):
        for number in range(4):
            value = f"real_s={base + number / 10}"
            done("experiment", path, "record", "mkfile", value, "--cell", "maxcontig=6", "--role", role, "--by", "Lee")
    rows = "".join(f"6,{86 + n / 10}\n128,0m{27 + n / 10}s\n" for n in range(4))
    table = folder / "results.csv"
    table.write_text(f"maxcontig,real_s\n{rows}", encoding="utf-8")
    done("experiment", path, "import", "mkfile", table, "--by", "Lee")


def oracle(path: Path) -> None:
    from tests.made import awr_weeks

    folder = _new(path)
    for side, files in awr_weeks.write(folder).items():
        _take(path, folder, files, side, side)


def postgresql(path: Path) -> None:
    _by_days(path, FIXTURES / "postgresql", lambda text: re.sub(r"2026-11-21", "2026-11-22", text))


def mysql(path: Path) -> None:
    """The second day's slow log says a third of the first's times."""

    def next_day(text: str) -> str:
        moved = re.sub(r"2026-11-21", "2026-11-22", re.sub(r"^(# Time: 26112)1", r"\g<1>2", text, flags=re.MULTILINE))
        return re.sub(r"(Query_time: )([\d.]+)", lambda match: f"{match[1]}{float(match[2]) / 3:.6f}", moved)

    _by_days(path, FIXTURES / "mysql", next_day)


def fixtures(path: Path) -> None:
    """Without its files: their import is an output of its own."""
    folder = _new(path)
    shutil.copytree(FIXTURES, folder / "captures")
    date_files(folder)


BUILDERS: dict[str, Callable[[Path], None]] = {
    builder.__name__: builder for builder in (demo, weeks, capacity, experiment, oracle, postgresql, mysql, fixtures)
}


def _new(path: Path) -> Path:
    """Gives a folder for its captures, beside it."""
    done("new", path, "--customer", "ACME", "--zone", "Asia/Seoul", "--lang", "en")
    folder = Path(path.stem)
    folder.mkdir()
    return folder


def _copy(source: Path, folder: Path) -> Path:
    target = folder / source.name
    if source.is_dir():
        shutil.copytree(source, target)
    else:
        shutil.copy(source, target)
    return target


def _take(path: Path, folder: Path, files: list[Path], run_: str, phase: str, *words: object) -> None:
    date_files(folder)
    done("import", path, *files, "--run", run_, "--phase", phase, *words)


def _by_days(path: Path, captures: Path, next_day: Callable[[str], str]) -> None:
    """The captures as they are before, and of the day after with what that does to their texts."""
    folder = _new(path)
    for side in ("before", "after"):
        (folder / side).mkdir()
        for source in sorted(captures.iterdir()):
            text = source.read_bytes().decode("utf-8", "surrogateescape")
            text = next_day(text) if side == "after" else text
            (folder / side / source.name).write_bytes(text.encode("utf-8", "surrogateescape"))
        _take(path, folder, [folder / side], side, side, "--host", "db01")
