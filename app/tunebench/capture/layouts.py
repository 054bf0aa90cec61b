"""What collectors call the files they leave behind: which are captures, of which host, and which never are.

A layout is a file in ``resources/layouts``: rules with a pattern each, tried in order on a member's place (see
`Member.place`). Groups of a pattern: ``host``, ``kind`` (overrides the rule's own), ``root`` (the part that all
members of one report share).
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Sequence
from dataclasses import replace
from enum import StrEnum
from functools import cache
from pathlib import Path

from tunebench.core.paths import resources_folder
from tunebench.core.patterns import lazy_pattern
from tunebench.core.records import record

_HOST_NAME = lazy_pattern(r"[A-Za-z0-9](?:[A-Za-z0-9._-]{0,251}[A-Za-z0-9])?$")
_NO_HOSTS = frozenset({"localhost", "localhost.localdomain", "unknown", "none"})


class Expected(StrEnum):
    """Whether a file of this kind is a capture."""

    YES = "yes"  # one that no parser knows is a loss
    PERHAPS = "perhaps"  # one that no parser knows is of no use here
    NO = "no"  # no parser is asked
    UNKNOWN = "unknown"  # the layout tells the host, not what the file is


@record
class Sighting:
    """What the layouts say of one member; `layout` is empty where none knows it.

    Attributes:
        root: prefix of the places of all members that belong together; empty where there is none.
        tells_host: whether the file's text is the host's name, for everything below `root`.
        interval_s: between the samples of one run of the tool, where its collector always takes the same.
    """

    layout: str = ""
    kind: str = ""
    expected: Expected = Expected.UNKNOWN
    host: str = ""
    root: str = ""
    tells_host: bool = False
    interval_s: float | None = None


@record
class _Rule:
    """`sighting`: what the rule says of every member whose place its pattern matches."""

    pattern: re.Pattern[str]
    sighting: Sighting

    def sight(self, place: str) -> Sighting | None:
        match = self.pattern.search(place)
        if match is None:
            return None
        groups = match.groupdict()
        return replace(
            self.sighting,
            kind=(groups.get("kind") or self.sighting.kind).lower(),
            host=host_name(groups.get("host") or ""),
            root=groups.get("root") or "",
        )


class Layouts:
    """The rules of all layouts, one file after the other, and what hosts' names say of their roles."""

    def __init__(self, rules: Sequence[_Rule], roles: Sequence[tuple[str, re.Pattern[str]]] = ()) -> None:
        self._rules = tuple(rules)
        self._roles = tuple(roles)

    def sight(self, place: str) -> Sighting:
        return next((seen for rule in self._rules if (seen := rule.sight(place)) is not None), Sighting())

    def role(self, host: str) -> str:
        """``storage_server`` or ``database_server`` where the host's name says so, else empty."""
        short = short_name(host)
        return next((role for role, pattern in self._roles if pattern.match(short)), "")


def place_of(path: str) -> str:
    """The place of a member (see `Member.place`) out of the path that its artefact has."""
    outer, *inner = path.replace("\\", "/").split("!/")
    place = outer
    for name in inner:
        last = place.rpartition("/")[2]
        single = "/" not in name and last.startswith(f"{name}.")  # what a compressed file held
        place = place[: len(place) - len(last)] + name if single else f"{place}/{name}"
    return place


def host_name(text: str) -> str:
    """The text where it can be a host's name and names one; else empty."""
    return text if _HOST_NAME.match(text) and text.lower() not in _NO_HOSTS else ""


def short_name(host: str) -> str:
    """``db01`` of ``DB01.corp``: by this two names are of one machine."""
    return host.partition(".")[0].lower()


def told_host(head: bytes) -> str:
    """The host that a file of ``hostname`` names: one line with one word."""
    lines = [line for line in head[:4096].decode("utf-8", "replace").splitlines() if not line.startswith("#")]
    words = " ".join(lines).split()
    return host_name(words[0]) if len(words) == 1 else ""


def read_layout(path: Path) -> list[_Rule]:
    """Raises tomllib.TOMLDecodeError, KeyError or ValueError: the file is not what it should be."""
    with path.open("rb") as file:
        layout = tomllib.load(file)
    return [
        _Rule(
            lazy_pattern(rule["match"]),
            Sighting(
                layout["id"],
                rule["kind"],
                Expected(rule["capture"]),
                tells_host=bool(rule.get("tells_host", False)),
                interval_s=rule.get("interval_s"),
            ),
        )
        for rule in layout["rules"]
    ]


_ORDER = ("oswatcher", "exawatcher", "sosreport", "pt_stalk", "nmon", "collectl", "sa_folder", "daily_folders")
"""The surest first."""


@cache
def shipped_layouts() -> Layouts:
    folder = resources_folder() / "layouts"
    with (folder / "roles.toml").open("rb") as file:
        roles = [(role["role"], lazy_pattern(role["match"])) for role in tomllib.load(file)["roles"]]
    return Layouts([rule for name in _ORDER for rule in read_layout(folder / f"{name}.toml")], roles)
