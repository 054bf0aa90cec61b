"""Which days an engagement's people do not work: the holidays of its country, and what it adds or takes away itself.

Written as words: ``KR +2026-08-14 -2026-05-01``. Without a country that of the zone counts; ``none`` is no country.
"""

from __future__ import annotations

from datetime import date
from functools import lru_cache
from importlib.resources import files

from tunebench.core.errors import UserError
from tunebench.core.patterns import lazy_pattern
from tunebench.core.records import record
from tunebench.store import engagements
from tunebench.store.project import Project

NO_COUNTRY = "none"
_TOKENS = lazy_pattern(r"[\s,;]+")


@record
class DaysOff:
    """Contains days as ordinals (`date.toordinal`)."""

    country: str
    added: frozenset[date]
    removed: frozenset[date]

    def __contains__(self, day: object) -> bool:
        if not isinstance(day, int):
            return False
        here = date.fromordinal(day)
        return here in self.added or (here not in self.removed and here in _of_year(self.country, here.year))


def days_off(project: Project, zone: str = "") -> DaysOff | None:
    """The days off of the people of a zone; None where neither the zone nor a word of the engagement tells of any.

    Args:
        zone: whose country counts where the engagement names none; empty for the engagement's own.
    """
    engagement = engagements.read_engagement(project)
    return read_days_off(engagement.holidays, zone or engagement.zone)


def read_days_off(words: str, zone: str) -> DaysOff | None:
    """
    Raises:
        UserError: a word is neither a known country nor a day with its sign.
    """
    country, added, removed = "", set[date](), set[date]()
    for word in filter(None, _TOKENS.split(words)):
        sign, day = word[0], _day(word[1:])
        if sign in "+-" and day is not None:
            (added if sign == "+" else removed).add(day)
        elif not country and (word.lower() == NO_COUNTRY or word.upper() in _countries()):
            country = word
        else:
            raise UserError("holidays_unreadable", word=word)
    named = "" if country.lower() == NO_COUNTRY else country.upper() or country_of(zone)
    if not (country or named or added):
        return None
    return DaysOff(named, frozenset(added), frozenset(removed))


def country_of(zone: str) -> str:
    """ISO 3166 code by the zone database, empty where it names no country or its holidays are not known."""
    table = files("tzdata").joinpath("zoneinfo", "zone.tab").read_text(encoding="utf-8")
    rows = (line.split("\t") for line in table.splitlines() if not line.startswith("#"))
    country = next((row[0] for row in rows if row[2] == zone), "")
    return country if country in _countries() else ""


def _day(words: str) -> date | None:
    try:
        return date.fromisoformat(words)
    except ValueError:
        return None


@lru_cache(maxsize=1)
def _countries() -> frozenset[str]:
    from holidays.registry import EntityLoader  # `list_supported_countries` reads the calendars of all 250

    return frozenset(EntityLoader.get_country_codes(include_aliases=False))


@lru_cache(maxsize=64)
def _of_year(country: str, year: int) -> frozenset[date]:
    if not country:
        return frozenset()
    from holidays import country_holidays

    return frozenset(country_holidays(country, years=year, expand=False))
