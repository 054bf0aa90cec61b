"""The door to an archive: engagements put in, proven, found and taken out."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING

import tunebench
from tunebench.archive import queries
from tunebench.archive.archive import Archive
from tunebench.archive.layout import ENGAGEMENTS, LAYOUT
from tunebench.archive.parts import Tables
from tunebench.archive.reading import Answer, Difference
from tunebench.core.errors import UserError
from tunebench.core.progress import Progress
from tunebench.core.records import record

if TYPE_CHECKING:
    from tunebench.reporting.cases.case import SuccessCase
    from tunebench.store.project import Project
    from tunebench.usecases.redaction import clean

LEAST_CONSENT = 3


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


@record
class Facet:
    """A ``system``, a ``change`` or a ``state`` (`value`: ``finding.critical``) that so many `engagements` have."""

    facet: str
    value: str
    engagements: int


def add(
    archive: Archive, project: Project, consent: str, redaction: clean.Redaction | None, progress: Progress
) -> Added:
    """Puts an engagement in, unless it is there as it is now, with every row; what was lost of it is written again.

    Args:
        consent: who allowed that it is kept beside others' engagements; a redacted one names nobody.

    Raises:
        UserError: archive_consent_missing; as `clean.cleaned`.
    """
    if len(consent.strip()) < LEAST_CONSENT:
        raise UserError("archive_consent_missing")
    profile = redaction.profile.name if redaction else ""
    engagement, content = engagement_id(project), content_of(project, profile)
    from tunebench.usecases.archiving.rows import engagement_row, tables_of

    with case_of(project, redaction, progress) as (shown, case):
        title = case.engagement.title
        tables = tables_of(shown, case, progress)
    if archive.content_of(engagement) == content and not _differences(archive, engagement, tables):
        return Added(engagement, title, None)
    kept: Tables = {**tables, ENGAGEMENTS: [engagement_row(case, consent.strip(), profile, time.time_ns())]}
    archive.put(engagement, content, kept)
    return Added(engagement, title, sum(map(len, kept.values())))


def check(archive: Archive, project: Project, redaction: clean.Redaction | None, progress: Progress) -> Checked:
    """Whether every row of the archive is what the project says now, to the bit."""
    engagement = engagement_id(project)
    there = archive.content_of(engagement)
    if there is None:
        return Checked(engagement, False, None)
    if there != content_of(project, redaction.profile.name if redaction else ""):
        return Checked(engagement, True, None)
    from tunebench.usecases.archiving.rows import tables_of

    with case_of(project, redaction, progress) as (shown, case):
        tables = tables_of(shown, case, progress)
    return Checked(engagement, False, _differences(archive, engagement, tables))


def _differences(archive: Archive, engagement: str, tables: Tables) -> tuple[Difference, ...]:
    """The differences of the rows, but for the row that names who put the engagement in and when."""
    return tuple(
        difference for difference in archive.differences(engagement, tables) if difference.table != ENGAGEMENTS
    )


def remove(archive: Archive, engagement: str) -> str:
    """Takes an engagement out for good, by the beginning of its id; gives its title, its id where that is lost.

    Raises:
        UserError: archive_unknown.
    """
    matches = [id_ for id_ in archive.contents() if id_.startswith(engagement)]
    if len(matches) != 1 or not engagement:
        raise UserError("archive_unknown", engagement=engagement)
    title = titles(archive).get(matches[0], matches[0])
    archive.drop(matches[0])
    return title


def titles(archive: Archive) -> dict[str, str]:
    """Title of each engagement whose own row can be read."""
    return {str(engagement): str(title) for engagement, title in archive.ask(queries.TITLES).rows}


class Mended(StrEnum):
    """What became of one project's engagement by a repair."""

    MENDED = "mended"
    WHOLE = "whole"  # nothing of it was lost
    OUTDATED = "outdated"  # the archive has another state of it
    CONSENT = "consent"  # who allowed it is lost too, and cannot be made up
    ABSENT = "absent"


def mend(archive: Archive, project: Project, redaction: clean.Redaction | None, progress: Progress) -> Mended:
    """Writes what `Archive.repair` found to be lost of an engagement again, from its project."""
    engagement, content = engagement_id(project), content_of(project, redaction.profile.name if redaction else "")
    damaged = archive.lost().get(engagement)
    if archive.content_of(engagement) is None:
        return Mended.ABSENT
    if damaged is None:
        return Mended.WHOLE
    if archive.content_of(engagement) != content:
        return Mended.OUTDATED
    if ENGAGEMENTS in damaged:
        return Mended.CONSENT
    from tunebench.usecases.archiving.rows import tables_of

    with case_of(project, redaction, progress) as (shown, case):
        archive.mend(engagement, content, tables_of(shown, case, progress), damaged)
    return Mended.MENDED


def engagement_id(project: Project) -> str:
    """The same of all copies of a project, redacted ones too, and of no other; it tells nothing of it."""
    from tunebench.store.audit import trail

    return hashlib.sha256(f"archived {trail.first_digest(project)}".encode()).hexdigest()[:16]


def engagements(archive: Archive) -> Answer:
    return archive.ask(queries.ENGAGEMENTS)


def find(archive: Archive, words: Sequence[str], *, system: str = "", change: str = "", state: str = "") -> list[Hit]:
    """Findings, causes and countermeasures that hold every word, in any of their texts.

    Args:
        system: operating system, database or product, or a part of its name; `change` of a parameter's.
        state: kind and state of a record: ``finding.critical``.
    """
    wanted = {f"word{number}": word.lower() for number, word in enumerate(words)}
    query = queries.FIND.format(words=" AND ".join(queries.WORD.format(name=name) for name in wanted) or "true")
    answer = archive.ask(query, {**wanted, "system": system.lower(), "change": change.lower(), "state": state})
    return [Hit(*(str(value or "") for value in row)) for row in answer.rows]


def facets(archive: Archive) -> list[Facet]:
    """What `find` may be narrowed by, what most engagements have first."""
    return [Facet(str(facet), str(value), int(count)) for facet, value, count in archive.ask(queries.FACETS).rows]


def compare(archive: Archive, metric: str, host: str = "*") -> Answer:
    """What the same metric became in every engagement: rows of `verdicts`."""
    return archive.ask(queries.COMPARE, {"metric": metric, "host": host})


def trend(archive: Archive, host: str, metric: str) -> Answer:
    """Each day of a host's series, over all engagements that it is in: rows of `days`."""
    return archive.ask(queries.TREND, {"metric": metric, "host": host})


def content_of(project: Project, profile: str = "") -> str:
    """The digest of what the rows are made of: the project as its trail tells it, the program, the layout."""
    from tunebench.store.audit import trail

    _last, head = trail.chain_head(project)
    return hashlib.sha256(f"{head} {tunebench.__version__} {LAYOUT} {profile}".encode()).hexdigest()[:16]


@contextmanager
def case_of(
    project: Project, redaction: clean.Redaction | None, progress: Progress
) -> Iterator[tuple[Project, SuccessCase]]:
    """The project whose rows are taken, a private clean copy where it is redacted, and what the report says of it."""
    from tunebench.usecases.reports.success_case import build_case

    if redaction is None:
        yield project, build_case(project, "en", progress=progress, as_written=True)
        return
    from tunebench.usecases.redaction import clean  # with it all writers of documents

    with clean.cleaned(project, redaction, progress) as copy:
        yield copy.project, build_case(copy.project, "en", progress=progress, as_written=True)


def opened(address: str | Path, *, make: bool = False) -> Archive:
    """The archive in a folder, or at an address (``s3://bucket/firm``).

    Raises:
        UserError: as `Archive.existing` and `Archive.begun`.
    """
    return Archive.begun(address) if make else Archive.existing(address)
