"""The door to an archive: engagements put in, proven, found and taken out."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import tunebench
from tunebench.archive import queries
from tunebench.archive.layout import ENGAGEMENTS, LAYOUT
from tunebench.archive.place import Answer, Difference, Place, Tables
from tunebench.core.errors import UserError
from tunebench.core.patterns import lazy_pattern
from tunebench.core.progress import Progress
from tunebench.core.records import record
from tunebench.reporting.cases.case import SuccessCase
from tunebench.store.audit import trail
from tunebench.store.project import Project
from tunebench.usecases.archiving.rows import engagement_row, tables_of

if TYPE_CHECKING:
    from tunebench.usecases.redaction import clean

LEAST_CONSENT = 3
_SCHEME = lazy_pattern(r"[A-Za-z][A-Za-z0-9+.-]+:")  # one letter is a drive


@record
class Added:
    """What adding an engagement did; `rows` of all tables, None where the archive held it as it is already."""

    engagement: str
    title: str
    rows: int | None


@record
class Checked:
    """What a check found; `differences` is None where the archive has not got the engagement, or another state of it
    (`outdated`)."""

    engagement: str
    outdated: bool
    differences: tuple[Difference, ...] | None


@record
class Hit:
    """A record that says what was looked for: a ``finding`` (`state`: its severity), a ``cause`` or an ``action``."""

    engagement: str
    title: str
    kind: str
    text: str
    state: str
    detail: str


def add(place: Place, project: Project, consent: str, redaction: clean.Redaction | None, progress: Progress) -> Added:
    """Puts an engagement in, unless it is there as it is now, with every row; what was lost of it is written again.

    Args:
        consent: who allowed that it is kept beside others' engagements; a redacted one names nobody.

    Raises:
        UserError: archive_consent_missing; as `clean.cleaned`.
    """
    if len(consent.strip()) < LEAST_CONSENT:
        raise UserError("archive_consent_missing")
    profile = redaction.profile.name if redaction else ""
    engagement, content = engagement_id(project), _content(project, profile)
    with _case_of(project, redaction, progress) as (shown, case):
        title = case.engagement.title
        tables = tables_of(shown, case, progress)
    if place.content_of(engagement) == content and not _differences(place, engagement, tables):
        return Added(engagement, title, None)
    kept: Tables = {**tables, ENGAGEMENTS: [engagement_row(case, consent.strip(), profile, time.time_ns())]}
    place.put(engagement, content, kept)
    return Added(engagement, title, sum(map(len, kept.values())))


def check(place: Place, project: Project, redaction: clean.Redaction | None, progress: Progress) -> Checked:
    """Whether every row of the archive is what the project says now, to the bit."""
    engagement = engagement_id(project)
    there = place.content_of(engagement)
    if there is None:
        return Checked(engagement, False, None)
    if there != _content(project, redaction.profile.name if redaction else ""):
        return Checked(engagement, True, None)
    with _case_of(project, redaction, progress) as (shown, case):
        tables = tables_of(shown, case, progress)
    return Checked(engagement, False, _differences(place, engagement, tables))


def _differences(place: Place, engagement: str, tables: Tables) -> tuple[Difference, ...]:
    """The differences of the rows, but for the row that names who put the engagement in and when."""
    return tuple(difference for difference in place.differences(engagement, tables) if difference.table != ENGAGEMENTS)


def remove(place: Place, engagement: str) -> str:
    """Takes an engagement out for good; gives its title.

    Raises:
        UserError: archive_unknown.
    """
    rows = place.ask(queries.BEGINNING, [engagement]).rows
    if len(rows) != 1 or not engagement:
        raise UserError("archive_unknown", engagement=engagement)
    id_, title = rows[0]
    place.drop(str(id_))
    return str(title)


def engagement_id(project: Project) -> str:
    """The same of all copies of a project, redacted ones too, and of no other; it tells nothing of it."""
    return hashlib.sha256(f"archived {trail.first_digest(project)}".encode()).hexdigest()[:16]


def engagements(place: Place) -> Answer:
    return place.ask(queries.ENGAGEMENTS)


def find(place: Place, words: Sequence[str], *, system: str = "", change: str = "") -> list[Hit]:
    """Findings, causes and countermeasures that hold every word, in any of their texts.

    Args:
        system: operating system or database, or a part of its name; `change` of a parameter's.
    """
    wanted = {"words": [word.lower() for word in words], "system": system.lower(), "change": change.lower()}
    return [Hit(*(str(value or "") for value in row)) for row in place.ask(queries.FIND, wanted).rows]


def compare(place: Place, metric: str, host: str = "*") -> Answer:
    """What the same metric became in every engagement: rows of `verdicts`."""
    return place.ask(queries.COMPARE, {"metric": metric, "host": host})


def trend(place: Place, host: str, metric: str) -> Answer:
    """Each day of a host's series, over all engagements that it is in: rows of `days`."""
    return place.ask(queries.TREND, {"metric": metric, "host": host})


def _content(project: Project, profile: str) -> str:
    """The digest of what the rows are made of: the project as its trail tells it, the program, the layout."""
    _last, head = trail.chain_head(project)
    return hashlib.sha256(f"{head} {tunebench.__version__} {LAYOUT} {profile}".encode()).hexdigest()[:16]


@contextmanager
def _case_of(
    project: Project, redaction: clean.Redaction | None, progress: Progress
) -> Iterator[tuple[Project, SuccessCase]]:
    """The project whose rows are taken, a private clean copy where it is redacted, and what the report says of it."""
    from tunebench.usecases.redaction import clean
    from tunebench.usecases.reports.success_case import build_case

    if redaction is None:
        yield project, build_case(project, "en", progress=progress, as_written=True)
        return
    with clean.cleaned(project, redaction, progress) as copy:
        yield copy.project, build_case(copy.project, "en", progress=progress, as_written=True)


def opened(folder: Path, *, make: bool = False) -> Place:
    """
    Raises:
        UserError: as `Place.existing` and `Place.made`; archive_not_a_folder for an address (``s3://bucket/name``).
    """
    if folder.parts and _SCHEME.fullmatch(folder.parts[0]):
        raise UserError("archive_not_a_folder", place=folder.as_posix().replace(":/", "://", 1))
    return Place.made(folder) if make else Place.existing(folder)
