"""Whether a rule applies at all: the system, its version, the medium, the kind of database."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tunebench.core.records import record
from tunebench.domain.operating_systems import os_word
from tunebench.sdk.rules import Guard, VersionRange


@record
class Subject:
    """The system that a rule is judged on; ``""`` for what is not known.

    Attributes:
        os: any spelling, ``sunos`` or ``Solaris``; `os_version` as ``uname -r`` prints it (``5.9``).
        media: of a disk: ``hdd``, ``array``, ``ssd``, ``nvme``.
        database: ``oracle``, ``postgresql``, ``mysql``; ``""`` also for what is no database.
    """

    os: str = ""
    os_version: str = ""
    media: str = ""
    database: str = ""
    database_version: str = ""


@record
class Applies:
    """`refusal` is ``other_system``, ``other_media`` or empty; `cautions` name what is not known and was let pass."""

    refusal: str = ""
    cautions: tuple[str, ...] = ()


def applies(guard: Guard, subject: Subject) -> Applies:
    checks = tuple(_checks(guard, subject))
    refusal = next((name for name, passed in checks if passed is False), "")
    if refusal:
        return Applies("other_media" if refusal == "media" else "other_system")
    return Applies(cautions=tuple(f"{name}_unknown" for name, passed in checks if passed is None))


def _checks(guard: Guard, subject: Subject) -> Iterator[tuple[str, bool | None]]:
    """Each condition and whether it holds; None where that is not known."""
    system = os_word(subject.os)
    if guard.os:
        yield "os", system in guard.os if system else None
    if guard.databases:
        yield "database", subject.database in guard.databases if subject.database else None
    if system in guard.versions:
        yield "version", within(guard.versions[system], subject.os_version)
    if subject.database in guard.versions:
        yield "version", within(guard.versions[subject.database], subject.database_version)
    if guard.media:
        yield "media", subject.media in guard.media if subject.media else None


def within(bounds: VersionRange, version: str) -> bool | None:
    """Whether a version lies in the range; None where it has no number. ``5.10.1`` lies within a highest ``5.10``."""
    numbers = _numbers(version)
    if not numbers:
        return None
    lowest, highest = _numbers(bounds.lowest), _numbers(bounds.highest)
    return numbers[: len(lowest)] >= lowest and (not highest or numbers[: len(highest)] <= highest)


def _numbers(version: str) -> tuple[int, ...]:
    match = re.search(r"\d+(?:\.\d+)*", version)
    return tuple(int(part) for part in match.group().split(".")) if match else ()
