"""Measures an archive of many engagements: putting them in, and the first answers.

python -m tests.perf.archive_benchmark --engagements 200
"""

from __future__ import annotations

import argparse
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from tests.e2e.conftest import iostat_capture
from tunebench.archive.archive import Archive
from tunebench.bootstrap import compose
from tunebench.core.progress import SilentProgress
from tunebench.domain.engagement import Engagement, Phase
from tunebench.usecases import projects
from tunebench.usecases.archiving import experience, facade
from tunebench.usecases.importing import imports
from tunebench.usecases.importing.results import ImportOptions


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--engagements", type=int, default=200)
    count = parser.parse_args().engagements
    compose()
    with tempfile.TemporaryDirectory(prefix="tunebench-archive-") as folder:
        archive = facade.opened(Path(folder) / "archive", make=True)
        adding_s = sum(_added(archive, Path(folder), number) for number in range(count))
        size = sum(file.stat().st_size for file in (Path(folder) / "archive").rglob("*.parquet"))
        print(f"{count} engagements, {size / count / 1024:.0f} KiB each; put in {adding_s / count:.2f} s each")
        first = str(archive.ask("SELECT min(engagement) FROM engagements").rows[0][0])
        for name, ask in (
            ("list", lambda: facade.engagements(archive)),
            ("find", lambda: facade.find(archive, ["cpu"])),
            ("compare", lambda: facade.compare(archive, "%user")),
            ("trend", lambda: facade.trend(archive, "db01", "%user")),
            ("similar", lambda: experience.similar(archive, first)),
            ("effects", lambda: experience.effects(archive)),
        ):
            print(f"{name}: {_timed(ask):.2f} s, again {_timed(ask):.2f} s")


def _added(archive: Archive, folder: Path, number: int) -> float:
    """Seconds for one; making the project is not counted."""
    path = folder / f"{number}.tune"
    with projects.create(path, Engagement(f"Case {number}", f"Customer {number % 20}")) as project:
        for label, day, user in (("before", 16, 30 + number % 40), ("after", 17, 15 + number % 20)):
            text = folder / f"{label}.txt"
            text.write_text(iostat_capture(f"2026-11-{day}", 30, user, 100))
            imports.import_captures(project, [text], ImportOptions(run=label, phase=Phase(label)))
        begin_s = time.perf_counter()
        facade.add(archive, project, "benchmark", None, SilentProgress())
        took_s = time.perf_counter() - begin_s
    path.unlink()
    return took_s


def _timed(ask: Callable[[], object]) -> float:
    begin_s = time.perf_counter()
    ask()
    return time.perf_counter() - begin_s


if __name__ == "__main__":
    main()
