"""The demo engagement: a made-up month of a made-up customer, which comes in and is worked on as a real one."""

from __future__ import annotations

import shutil
import tomllib
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, cast
from zoneinfo import ZoneInfo

from tunebench.analysis.exploring.time_range import from_local
from tunebench.core.errors import UserError
from tunebench.core.paths import resources_folder
from tunebench.core.progress import PartOf, Progress, SilentProgress
from tunebench.domain.assembly import Span
from tunebench.domain.engagement import Engagement, Phase, Section
from tunebench.domain.translations import other_language, with_translation
from tunebench.usecases import projects
from tunebench.usecases.demo import captures
from tunebench.usecases.demo.story import Story
from tunebench.usecases.demo.telling import Teller
from tunebench.usecases.demo.world import World
from tunebench.usecases.importing import imports
from tunebench.usecases.importing.results import ImportOptions

_NAMES = ("title", "customer", "site", "firm", "confidentiality")


class StoryClock:
    """Stands where the story is."""

    def __init__(self, zone: str, start: datetime) -> None:
        self._zone = ZoneInfo(zone)
        self._now = start

    def __call__(self) -> datetime:
        return self._now.replace(tzinfo=self._zone).astimezone(UTC)

    def move_to(self, moment: datetime) -> str:
        """Gives the moment as ISO text with its zone; the clock never runs backwards."""
        self._now = max(self._now, moment)
        return moment.replace(tzinfo=self._zone).isoformat()


def build(path: Path, progress: Progress | None = None, language: str = "") -> Path:
    """Writes the demo engagement to a new project file; gives its path.

    Args:
        language: that the engagement is written in, ``"ko"`` or ``"en"``; the story's own where it is empty. The other
            one is its second language.

    Raises:
        UserError: the file exists, cannot be written, or the demo's resources are not there.
    """
    facts, chapters = (_read(resources_folder() / "demo" / f"{name}.toml") for name in ("world", "story"))
    world, path = World(facts), projects.with_suffix(path)
    story = Story(chapters, language or chapters["language"])
    clock = StoryClock(facts["zone"], chapters["engagement"]["at"])
    project = projects.create(path, _engagement(story, facts["zone"]), clock)
    complete = False
    try:
        for section, texts in chapters["narrative"].items():
            for written_in, paragraphs in texts.items():
                projects.write_narrative(project, Section(section), written_in, paragraphs)
        _tell(Teller(project, story, clock.move_to), world, progress or SilentProgress())
        complete = True
    finally:
        projects.close(project)
        if not complete:
            path.unlink()
    return path


def build_whole(path: Path, progress: Progress | None = None, language: str = "") -> Path:
    """As `build`, whole or not at all: what a program that ended left behind is begun anew, never opened."""
    beside = path.with_name(f"{path.stem}-begun")
    shutil.rmtree(beside, ignore_errors=True)
    beside.mkdir()
    try:
        return build(beside / path.name, progress, language).replace(path)
    finally:
        shutil.rmtree(beside)


def copying() -> Span:
    """When, in UTC nanoseconds, the dump is copied that slows the orders of the demo down."""
    facts = _read(resources_folder() / "demo" / "world.toml")
    begin, end = (from_local(moment.replace(tzinfo=ZoneInfo(facts["zone"]))) for moment in facts["copy"])
    return begin, end


def _read(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise UserError("demo_incomplete", path=str(path)) from error


def _engagement(story: Story, zone: str) -> Engagement:
    table = story.facts["engagement"]
    engagement = Engagement(
        consultants=tuple(table["consultants"][story.language]),
        period_start=table["period_start"],
        period_end=table["period_end"],
        zone=zone,
        language=story.language,
        second_language=True,
        **story.texts(table, *_NAMES),
    )
    other = other_language(story.language)
    for name in _NAMES:
        engagement = with_translation(engagement, name, other, table[name][other])
    return cast(
        "Engagement", with_translation(engagement, "consultants", other, "\n".join(table["consultants"][other]))
    )


def _tell(teller: Teller, world: World, progress: Progress) -> None:
    """The acts in the order of their days; captures come in between them."""
    first, second, third, fourth = teller.story.facts["imports"]
    teller.begin()
    teller.confirm_licence()
    _import(teller, world, first, PartOf(progress, 0.0, 0.1))
    teller.set_target()
    teller.find_causes()
    teller.agree()
    teller.amend_target()
    teller.experiment()
    _import(teller, world, second, PartOf(progress, 0.1, 0.6))
    teller.measure_before()
    teller.carry_out()
    _import(teller, world, third, PartOf(progress, 0.6, 0.85))
    teller.lay_window_after()
    _import(teller, world, fourth, PartOf(progress, 0.85, 1.0))
    teller.judge()


def _import(teller: Teller, world: World, wanted: dict[str, Any], progress: Progress) -> None:
    """Captures as files that somebody brought at that time; they are kept in the project and go from the disk."""
    brought_at = datetime.fromisoformat(teller.at(wanted["at"]))
    with _folder_beside(teller.project.path) as folder:
        paths = captures.write(world, wanted, folder, brought_at)
        options = ImportOptions(
            run=teller.story.text(wanted, "run"), phase=Phase(wanted["phase"]), zone=world.facts["zone"]
        )
        report = imports.import_captures(teller.project, paths, options, progress)
    for file in report.files:
        if file.error is not None:
            raise file.error


@contextmanager
def _folder_beside(path: Path) -> Iterator[Path]:
    """A folder of its own: its name stands with every capture, and is the same wherever nothing else is called so."""
    names = (f"{path.stem}-captures{number}" for number in ("", *range(2, 1000)))
    folder = next(free for name in names if not (free := path.with_name(name)).exists())
    folder.mkdir()
    try:
        yield folder
    finally:
        shutil.rmtree(folder)
