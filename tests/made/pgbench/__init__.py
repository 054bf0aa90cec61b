"""An engagement with a published success case, and with real recordings of pgbench before and after changes.

What pgbench said of itself is known, 363.490, 0.939 and 0.433 ms: tests hold means of means against it.
"""

from __future__ import annotations

import tomllib
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, cast

from tests.made.pgbench.story import tell_cycles
from tunebench.core.progress import Progress, SilentProgress
from tunebench.domain.engagement import Direction, Engagement, Measurement, Phase, Section
from tunebench.domain.translations import other_language, with_translation
from tunebench.store.project import Project
from tunebench.usecases import projects
from tunebench.usecases.importing import imports
from tunebench.usecases.importing.results import ImportOptions

FOLDER = Path(__file__).parent
RECORDINGS = FOLDER / "recordings"
CAPTURES = (
    "iostat.txt",
    "vmstat.txt",
    "mpstat.txt",
    "sar.txt",
    "pgbench_log.1",
    "pgbench_log.2",
    "pgbench-progress.txt",
)
FULL_LOAD_CAPTURES = ("iostat.txt", "vmstat.txt", "pgbench-progress.txt", "pg_activity.txt", "pg_snapshots.txt")
STATEMENTS = "pg_stat_statements.csv"


def build(path: Path, progress: Progress | None = None, language: str = "") -> Path:
    """Writes it to a new project file; gives its path. Without a `language` it is written in Korean."""
    progress = progress or SilentProgress()
    story = tomllib.loads((FOLDER / "engagement.toml").read_text(encoding="utf-8"))
    path = projects.with_suffix(path)
    language = language or story["language"]
    project = projects.create(path, _engagement(story, language))
    try:
        _tell(project, story, language)
        for run in story["runs"]:
            _import_run(project, run, story["recorded_on"], progress)
        tell_cycles(project, FOLDER / "cycle.toml", language)
    finally:
        projects.close(project)
    return path


def _engagement(story: dict[str, Any], language: str) -> Engagement:
    names = ("customer", "firm", "period_start", "period_end", "zone")
    engagement = Engagement(
        title=story["title"][language],
        consultants=tuple(story["consultants"][language]),
        language=language,
        second_language=True,
        **{name: story[name] for name in names},
    )
    other = other_language(language)
    consultants = with_translation(engagement, "consultants", other, "\n".join(story["consultants"][other]))
    return cast("Engagement", with_translation(consultants, "title", other, story["title"][other]))


def _tell(project: Project, story: dict[str, Any], language: str) -> None:
    for section, texts in story["narrative"].items():
        for written_in, paragraphs in texts.items():
            projects.write_narrative(project, Section(section), written_in, paragraphs)
    source, other = story["measurement_source"]["text"], other_language(language)
    measurements = [_measurement(entry, source[language]) for entry in story["measurements"]]
    translated = [with_translation(measured, "source", other, source[other]) for measured in measurements]
    projects.write_measurements(project, translated)


def _measurement(entry: dict[str, Any], source: str) -> Measurement:
    values = {**entry, "direction": Direction(entry["direction"]), "source": source}
    return Measurement(**values)


def _import_run(project: Project, run: dict[str, Any], host: str, progress: Progress) -> None:
    full_load = Phase(run["phase"]) is Phase.OTHER
    names = FULL_LOAD_CAPTURES if full_load else (*CAPTURES, STATEMENTS)
    captures = [FOLDER / run["folder"] / name for name in names]
    options = ImportOptions(run=run["label"], phase=Phase(run["phase"]), host=host, zone="Asia/Seoul")
    if full_load:
        _import(project, captures, options, progress)
        return
    *measured, statements = captures
    _import(project, measured, options, progress)
    # The statistics tell no time of their own: they were read when the load had ended.
    end_ns = projects.find_run(project, run["label"]).last_ns
    assert end_ns is not None
    end = datetime.fromtimestamp(end_ns / 1e9, tz=UTC)
    _import(project, [statements], replace(options, start=end), progress)


def _import(project: Project, captures: Sequence[Path], options: ImportOptions, progress: Progress) -> None:
    report = imports.import_captures(project, captures, options, progress)
    for file in report.files:
        if file.error is not None:
            raise file.error
