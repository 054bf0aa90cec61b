"""What a house puts its stamp on: colours, logo, who signs, and which versions of the document there were."""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Callable, Mapping
from dataclasses import field
from datetime import date
from io import BytesIO
from math import floor
from typing import Any

from tunebench.core.errors import UserError
from tunebench.core.patterns import lazy_pattern
from tunebench.core.records import record

ROLES = ("author", "review", "approval", "customer")
"""Who signs where nobody says otherwise; a role of other words is printed as it is."""
WINDOWS = ("before", "after")
LEAST_CONTRAST = 4.5
"""Of text on white, by WCAG 2.2, 1.4.3."""
LARGEST_LOGO = 1 << 20
MOST_PIXELS = 16_000_000
MOST_SIGNERS, MOST_VERSIONS, MOST_CHARTS, LONGEST = 6, 40, 400, 300
_COLOUR = lazy_pattern(r"#[0-9A-Fa-f]{6}")
_DIGEST = lazy_pattern(r"[0-9a-f]{64}")
_STARTS = (b"\x89PNG\r\n\x1a\n", b"\xff\xd8\xff")


@record
class Signer:
    """
    Attributes:
        role: one of `ROLES`, or words of the house.
        name: of the person, printed where it is to be signed; empty where it is left to be written.
    """

    role: str
    name: str = ""


@record
class Version:
    """A line of the version table; `date` is ISO or empty."""

    number: str
    date: str = ""
    author: str = ""
    change: str = ""


@record
class Chart:
    """A series of the chapters on resources, as it is drawn.

    Attributes:
        series: its stable name, ``cpu_busy@db1`` (figure and host).
        windows: of `WINDOWS`, those that are drawn; none leaves the series out.
    """

    series: str
    windows: tuple[str, ...]


@record
class Look:
    """
    Attributes:
        accent: ``#rrggbb`` of small heads and rules; empty for that of TuneBench.
        second: of headings; empty for that of the text.
        logo: PNG or JPEG; empty for none.
        signers: from left to right; none for no boxes.
        versions: the oldest first.
        both: the other language follows in the same PDF or page.
        charts: of series that are not drawn whole.
    """

    accent: str = ""
    second: str = ""
    logo: bytes = field(default=b"", repr=False)
    signers: tuple[Signer, ...] = tuple(map(Signer, ROLES))
    versions: tuple[Version, ...] = ()
    both: bool = False
    charts: tuple[Chart, ...] = ()

    def windows_of(self, series: str) -> tuple[str, ...]:
        """Which windows of a series are drawn."""
        return next((chart.windows for chart in self.charts if chart.series == series), WINDOWS)

    @property
    def logo_digest(self) -> str:
        return hashlib.sha256(self.logo).hexdigest() if self.logo else ""

    @property
    def edition(self) -> str:
        """The number of the last version; empty where none was recorded."""
        return self.versions[-1].number if self.versions else ""

    def facts(self, *, with_logo: bool = False) -> dict[str, object]:
        """What is not as usual, for JSON; the logo by its SHA-256, or whole in base64."""
        logo = base64.b64encode(self.logo).decode() if with_logo else self.logo_digest
        facts: dict[str, object] = {"accent": self.accent, "second": self.second, "logo": logo}
        if self.signers != PLAIN_LOOK.signers:
            facts["signers"] = [[signer.role, signer.name] for signer in self.signers]
        if self.versions:
            facts["versions"] = [[line.number, line.date, line.author, line.change] for line in self.versions]
        if self.both:
            facts["both"] = True
        if self.charts:
            facts["charts"] = {chart.series: list(chart.windows) for chart in self.charts}
        return {name: value for name, value in facts.items() if value != ""}

    @property
    def words(self) -> str:
        """JSON of the facts in one line, for the recipe of a document; empty where all is as usual."""
        facts = self.facts()
        return json.dumps(facts, ensure_ascii=False, separators=(",", ":")) if facts else ""


PLAIN_LOOK = Look()


def look_in(facts: object, logo_of: Callable[[str], bytes]) -> Look:
    """
    Args:
        logo_of: the picture of a SHA-256.

    Raises:
        ValueError: it has other fields, or values that none of them can have.
        UserError: report_colour, report_colour_pale, report_logo_broken, report_logo_large.
    """
    if not isinstance(facts, dict) or not facts.keys() <= Look.__dataclass_fields__.keys():
        raise ValueError("another look")
    return Look(
        checked_colour(_text(facts.get("accent", ""))),
        checked_colour(_text(facts.get("second", ""))),
        _logo(_text(facts.get("logo", ""), LARGEST_LOGO * 2), logo_of),
        tuple(Signer(*row) for row in _rows(facts, "signers", 2, MOST_SIGNERS))
        if "signers" in facts
        else PLAIN_LOOK.signers,
        tuple(_version(row) for row in _rows(facts, "versions", 4, MOST_VERSIONS)),
        facts.get("both") is True,
        _charts(facts.get("charts", {})),
    )


def _text(value: object, longest: int = LONGEST) -> str:
    if not isinstance(value, str) or len(value) > longest:
        raise ValueError("no text")
    return value


def _rows(facts: Mapping[str, Any], name: str, most: int, count: int) -> list[list[str]]:
    rows = facts.get(name, [])
    if not isinstance(rows, list) or len(rows) > count:
        raise ValueError(name)
    for row in rows:
        if not isinstance(row, list) or not 1 <= len(row) <= most or not _text(row[0]).strip():
            raise ValueError(name)
        for value in row:
            _text(value)
    return rows


def _charts(charts: object) -> tuple[Chart, ...]:
    if not isinstance(charts, dict) or len(charts) > MOST_CHARTS:
        raise ValueError("charts")
    if not all(isinstance(windows, list) and set(windows) <= set(WINDOWS) for windows in charts.values()):
        raise ValueError("another window")
    chosen = {_text(series): tuple(name for name in WINDOWS if name in windows) for series, windows in charts.items()}
    return tuple(Chart(series, windows) for series, windows in sorted(chosen.items()) if windows != WINDOWS)


def _version(row: list[str]) -> Version:
    version = Version(*row)
    if version.date:
        date.fromisoformat(version.date)
    return version


def _logo(value: str, logo_of: Callable[[str], bytes]) -> bytes:
    if not value:
        return b""
    return logo_of(value) if _DIGEST.fullmatch(value) else checked_logo(base64.b64decode(value, validate=True))


def checked_colour(colour: str) -> str:
    """The colour in capitals, or empty.

    Raises:
        UserError: report_colour where it is none; report_colour_pale where text of it cannot be read on white.
    """
    if not colour:
        return ""
    if not _COLOUR.fullmatch(colour):
        raise UserError("report_colour", colour=colour)
    contrast = contrast_on_white(colour)
    if contrast < LEAST_CONTRAST:
        raise UserError(
            "report_colour_pale", colour=colour, contrast=f"{floor(contrast * 100) / 100}", least=LEAST_CONTRAST
        )
    return colour.upper()


def contrast_on_white(colour: str) -> float:
    """Contrast ratio by WCAG 2.2, from 1 to 21."""
    parts = [int(colour[start : start + 2], 16) / 255 for start in (1, 3, 5)]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    luminance = sum(weight * part for weight, part in zip((0.2126, 0.7152, 0.0722), linear, strict=True))
    return 1.05 / (luminance + 0.05)


def checked_logo(data: bytes) -> bytes:
    """The same bytes, of a PNG or JPEG that can be drawn.

    Raises:
        UserError: report_logo_large, report_logo_broken.
    """
    from reportlab.lib.utils import ImageReader  # what prints is not loaded before it is needed

    if len(data) > LARGEST_LOGO:
        raise UserError("report_logo_large", most=f"{LARGEST_LOGO >> 20} MB")
    if not data.startswith(_STARTS):
        raise UserError("report_logo_broken")
    try:
        picture = ImageReader(BytesIO(data))
        across, down = picture.getSize()
        if across * down <= MOST_PIXELS:
            picture.getRGBData()
    except Exception as error:  # of every kind, in a torn picture
        raise UserError("report_logo_broken") from error
    if across * down > MOST_PIXELS:
        raise UserError("report_logo_large", most=f"{MOST_PIXELS:,} px")
    return data


def fitted_size(data: bytes, across: float, down: float) -> tuple[float, float]:
    """(width, height) of a logo in its own proportions, as large as the room allows."""
    from reportlab.lib.utils import ImageReader

    width, height = ImageReader(BytesIO(data)).getSize()
    scale = min(across / width, down / height)
    return width * scale, height * scale
