"""Days off: Korea's as its government announced them, and an engagement's own."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import pytest

from tunebench.core.errors import UserError
from tunebench.domain.engagement import Engagement
from tunebench.usecases import projects
from tunebench.usecases.days_off import country_of, days_off, read_days_off

SEOUL = "Asia/Seoul"


@pytest.mark.parametrize(
    ("day", "free"),
    [
        (date(2026, 8, 15), True),  # Liberation Day, a Saturday
        (date(2026, 8, 17), True),  # its substitute
        (date(2026, 8, 18), False),
        (date(2026, 3, 2), True),  # substitute of 1 March, a Sunday
        (date(2025, 1, 27), True),  # temporary, before the lunar new year
        (date(2025, 10, 8), True),  # substitute of Chuseok
        (date(2024, 2, 12), True),  # substitute of the lunar new year
        (date(2024, 2, 13), False),
    ],
)
def test_the_zone_tells_the_country_and_korea_has_substitutes(day: date, free: bool) -> None:
    found = read_days_off("", SEOUL)
    assert found is not None
    assert (day.toordinal() in found) is free


def test_zones_without_a_country_tell_of_no_holidays() -> None:
    assert [country_of(zone) for zone in (SEOUL, "Europe/Berlin", "UTC", "Etc/GMT-9")] == ["KR", "DE", "", ""]
    assert read_days_off("", "UTC") is None
    named = read_days_off("kr", "UTC")
    assert named is not None
    assert date(2026, 8, 17).toordinal() in named


def test_an_engagement_adds_and_takes_away() -> None:
    found = read_days_off("+2026-08-14, -2026-08-17", SEOUL)
    assert found is not None
    assert [date(2026, 8, day).toordinal() in found for day in (14, 15, 17)] == [True, True, False]
    none = read_days_off("none +2026-08-14", SEOUL)
    assert none is not None
    assert [date(2026, 8, day).toordinal() in none for day in (14, 15)] == [True, False]


@pytest.mark.parametrize("words", ["XX", "2026-08-14", "+2026-02-30", "+", "KR US", "Korea"])
def test_words_that_say_no_holiday_are_refused_and_nothing_is_written(words: str, tmp_path: Path) -> None:
    with projects.create(tmp_path / "a.tune", Engagement("T", "C", holidays="KR")) as project:
        with pytest.raises(UserError) as refused:
            projects.update_engagement(project, Engagement("T", "C", holidays=words))
        assert refused.value.key == "holidays_unreadable"
        assert projects.read_engagement(project).holidays == "KR"


def test_they_are_kept_with_the_engagement(tmp_path: Path) -> None:
    path = tmp_path / "a.tune"
    with projects.create(path, Engagement("T", "C", holidays="+2026-08-14")):
        pass
    with projects.open_(path) as project:
        found = days_off(project)
        assert found is not None
        assert date(2026, 8, 14).toordinal() in found
        projects.update_engagement(project, Engagement("T", "C"))
        assert projects.read_engagement(project) == Engagement("T", "C")
