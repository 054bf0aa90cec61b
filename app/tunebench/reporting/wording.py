"""Numbers, dates and units as each language prints them. Rounding is half up from the stored value."""

from __future__ import annotations

from datetime import UTC, date, datetime
from decimal import Decimal
from math import isfinite
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from tunebench.analysis.comparing.improvement import Change, Improvement, exact, half_up, towards_zero
from tunebench.analysis.inference.verdict import Verdict
from tunebench.columns.column import Locale
from tunebench.columns.comparing_words import verdict_text
from tunebench.columns.formats import MOST_RATE, MOST_TIMES, is_beyond, rate_decimals, ratio_text
from tunebench.columns.series_words import host_text, unit_text
from tunebench.core.messages import Catalogue, catalogue

NS_PER_S = 1_000_000_000
_DIGITS = 12
"""Decimals of an inverse: 1 / (20 / 95) is 4.75 again, not a little less."""


def grouped(value: float | Decimal, decimals: int) -> str:
    """``37,539,159``: thousands separated by commas in both languages."""
    return f"{half_up(value, decimals):,f}"


def decimals_of_rate(change: Improvement) -> int:
    """Of its rate; an improvement that is a fall is told by its size, and leaves something all the same."""
    rate, ratio = change.rate_pct or Decimal(0), change.ratio or Decimal(1)
    fell = change.change is Change.IMPROVED and ratio > 2 * (1 + rate / 100)
    return rate_decimals(-rate if fell else rate)


def ratio_figure(ratio: float) -> str:
    """Two decimals; from a hundred on as every ratio is written."""
    return grouped(ratio, 2) if ratio < 100 else ratio_text(ratio)


def recorded(value: float, decimals: int) -> str:
    """A figure taken from a source: rounded to `decimals`, but never with more digits than it was recorded with."""
    exponent = exact(value).normalize().as_tuple().exponent
    digits = -exponent if isinstance(exponent, int) and exponent < 0 else 0
    return grouped(value, min(decimals, digits))


def brief(text: str, most: int) -> str:
    """`text` with at most so many characters, the last one of a longer one being an ellipsis."""
    return text if len(text) <= most else text[: most - 1] + "…"


def in_parts(text: str, most: int) -> str:
    """`text` with about so many characters: of a longer one the sentences that fit, else the items of its list, else
    its words. No date, figure or verdict is cut in two."""
    if len(text) <= most:
        return text
    for end in (". ", "; ", ", ", " "):
        cut = text.rfind(end, most // 2, most)
        if cut >= 0:
            return f"{text[: cut + len(end)].rstrip()} …"
    return brief(text, most)


def times_decimals(change: Change, size: Decimal) -> int:
    """Decimals of how many times: one for an improvement, two for a regression and for what is small; none from a
    hundred on."""
    if size >= 100:
        return 0
    return 1 if change is Change.IMPROVED or (change is Change.CHANGED and size >= 10) else 2


class Wording:
    """The sentences of one language and its ways to print quantities."""

    def __init__(self, language: str, zone: str) -> None:
        self.language = language
        self.words: Catalogue = catalogue(language)
        self.zoneinfo = _zone(zone)
        self.zone = self.zoneinfo.key

    @property
    def locale(self) -> Locale:
        """What the columns of tables are written in."""
        return Locale(self.language, self.zoneinfo, unmeasured=self.missing)

    def text(self, key: str, **facts: object) -> str:
        return self.words.text(f"report.{key}", **facts)

    def host(self, name: str) -> str:
        """A host's name; one that no capture names is called so."""
        return host_text(name, self.words, "report.host_unnamed")

    def verdict(self, verdict: Verdict) -> str:
        return verdict_text(verdict, self.language)

    def known(self, key: str, otherwise: str, **facts: object) -> str:
        """The sentence of a whole `key`, or `otherwise` where no catalogue has it."""
        return self.words.text(key, **facts) if key in self.words else otherwise

    @property
    def missing(self) -> str:
        return self.text("missing")

    def unit(self, unit: str) -> str:
        """A UCUM unit as the reader writes it: ``{block}/s`` is blocks/s."""
        return unit_text(unit, self.words)

    def label_with_unit(self, label: str, unit: str) -> str:
        name = self.unit(unit)
        return f"{label} ({name})" if name else label

    def number(self, value: float | None, decimals: int) -> str:
        return self.missing if value is None or not isfinite(value) else grouped(value, decimals)

    def quantity(self, value: float | None, unit: str, decimals: int, bound: str = "") -> str:
        """``590.997 s``, ``under 20 %``; missing is said, never left blank."""
        if value is None or not isfinite(value):
            return self.missing
        figure = f"{recorded(value, decimals)} {self.unit(unit)}".rstrip()
        if bound not in ("<", ">"):
            return figure
        return self.text("bound.below" if bound == "<" else "bound.above", figure=figure)

    def ratio(self, change: Improvement) -> str:
        """The first of the two columns: how many times, with its interval where that is known; where that is of
        another estimate, both are told."""
        ratio = self._times(change)
        if change.interval is None or change.change is Change.UNCHANGED:
            return ratio
        (low, high), estimate = change.interval, change.estimate
        if change.ratio is not None and change.ratio < 1:  # it is told how many times lower
            low, high, estimate = 1 / high, 1 / low, estimate and 1 / estimate
        interval = f"[{ratio_figure(low)}, {ratio_figure(high)}]"
        size = self._size(change)
        if estimate is None or size is None or grouped(estimate, 2) == grouped(size, 2):
            return f"{ratio} {interval}"
        return self.text("change.of_occurrences", told=ratio, estimate=ratio_figure(estimate), interval=interval)

    def _size(self, change: Improvement) -> Decimal | None:
        """How many times, always 1 or more."""
        if change.ratio is None:
            return None
        return change.ratio if change.ratio >= 1 else half_up(1 / change.ratio, _DIGITS)

    def _times(self, change: Improvement) -> str:
        size = self._size(change)
        if change.change is Change.NOT_COMPUTABLE or change.ratio is None or size is None:
            return self.text("change.not_computable")
        if change.change is Change.UNCHANGED:
            return self.text("change.unchanged")
        key = f"change.{change.change.value}"
        if change.change is Change.CHANGED:
            key = "change.lower" if change.ratio < 1 else "change.higher"
        if is_beyond(size):
            return self.text(f"{key}_beyond", figure=f"{MOST_TIMES:,}")
        if change.at_least:
            return self.text(f"{key}_at_least", figure=f"{towards_zero(size, 2 if size < 100 else 0):,f}")
        return self.text(key, figure=grouped(size, times_decimals(change.change, size)))

    def rate(self, change: Improvement, decimals: int = 1) -> str:
        """The second column: per cent, or percentage points where the figure is itself a percentage.

        Args:
            decimals: those of percentage points; a rate always has one.
        """
        if change.change is Change.NOT_COMPUTABLE or change.rate_pct is None:
            return self.text(f"reason.{change.reason}") if change.reason else self.missing
        if change.points is not None:
            return self._points(change, decimals)
        improved = change.change is Change.IMPROVED
        if change.at_least:
            way = "" if improved else "fall_" if change.rate_pct < 0 else "rise_"
            return self.text(f"rate.{way}at_least", figure=f"{towards_zero(abs(change.rate_pct), 1):,f}")
        beyond = is_beyond(change.rate_pct / 100 + 1)
        figure = f"{MOST_RATE:,}" if beyond else grouped(change.rate_pct, decimals_of_rate(change))
        if improved or not change.rate_pct:
            return self.text("rate.plain", figure=f"> {figure}" if beyond else figure)
        return f"({'> ' if beyond else ''}{'+' if change.rate_pct > 0 else ''}{figure} %)"

    def _points(self, change: Improvement, decimals: int) -> str:
        points = change.points or Decimal(0)
        figure = grouped(abs(points), min(decimals, 1 if abs(points) >= 10 else 2))
        if change.change in (Change.REGRESSED, Change.CHANGED) and not change.at_least:
            return self.text("points.signed", figure=("+" if points > 0 else "-") + figure)
        if points == 0:
            return self.text("points.none", figure=figure)
        key = "points.fall" if points < 0 else "points.rise"
        return self.text(key + ("_at_least" if change.at_least else ""), figure=figure)

    def headline(self, change: Improvement, decimals: int = 1) -> str:
        """One phrase: the ratio from twice upwards, the rate below, both for a regression."""
        if change.change in (Change.REGRESSED, Change.CHANGED):
            return f"{self.ratio(change)} {self.rate(change, decimals)}"
        if change.change is Change.IMPROVED and change.ratio is not None:
            if change.points is not None:
                return self.rate(change, decimals)
            if change.ratio < 2:
                return self.text("headline.rate", figure=self.rate(change, decimals))
            return self.text("headline.ratio", figure=self.ratio(change))
        if change.change is Change.NOT_COMPUTABLE:
            return f"{self.ratio(change)} ({self.rate(change, decimals)})"
        return self.ratio(change)

    def date(self, iso: str) -> str:
        """``2007.07.19`` in Korean, ``2007-07-19`` in English; anything that is no ISO date stays as it is."""
        try:
            day = date.fromisoformat(iso)
        except ValueError:
            return iso
        return self.text("format.date", year=f"{day.year:04}", month=f"{day.month:02}", day=f"{day.day:02}")

    def period(self, start: str, end: str) -> str:
        if not start and not end:
            return self.text("cover.not_given")
        return (
            f"{self.date(start)} ~ {self.date(end)}"
            if self.language == "ko"
            else (f"{self.date(start)} to {self.date(end)}")
        )

    def moment(self, time_ns: int | None) -> str:
        """Local time of the engagement's zone, to the second."""
        if time_ns is None:
            return self.missing
        local = datetime.fromtimestamp(time_ns // NS_PER_S, UTC).astimezone(self.zoneinfo)
        return f"{self.date(local.date().isoformat())} {local:%H:%M:%S}"

    def iso_moment(self, iso: str) -> str:
        """An ISO moment with zone in the engagement's zone; anything else stays as it is."""
        try:
            moment = datetime.fromisoformat(iso)
        except ValueError:
            return iso
        return iso if moment.tzinfo is None else self.moment(int(moment.timestamp()) * NS_PER_S)

    def span(self, start_ns: int | None, end_ns: int | None) -> str:
        """A window; the day is printed once where both ends share it."""
        if start_ns is None or end_ns is None:
            return self.missing
        first, last = self.moment(start_ns), self.moment(end_ns)
        same_day = first.split(" ")[0] == last.split(" ")[0]
        return f"{first} – {last.split(' ')[1] if same_day else last}"

    def interval(self, seconds: float | None) -> str:
        if seconds is None or not isfinite(seconds):
            return self.text("interval.unknown")
        if seconds >= 60 and seconds % 60 == 0:
            return self.text("interval.minutes", figure=grouped(seconds / 60, 0))
        return self.text("interval.seconds", figure=recorded(seconds, 3))

    def count(self, value: int | None) -> str:
        return self.text("unknown") if value is None else f"{value:,}"


def _zone(name: str) -> ZoneInfo:
    """The zone, or UTC where this system does not know it; the document prints the one that was used."""
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError):
        return ZoneInfo("UTC")
