"""What is a moment that somebody typed, and what is none in some zone of the world."""

from __future__ import annotations

from datetime import UTC, timedelta, timezone
from zoneinfo import ZoneInfo

import pytest

from tunebench.domain.cycle.moments import typed_moment


@pytest.mark.parametrize(
    ("text", "iso"),
    [
        ("2026-07-20 22:00", "2026-07-20T22:00:00+09:00"),
        (" 2026-07-20T22:00:05+02:00 ", "2026-07-20T22:00:05+02:00"),
        ("2026-07-20", "2026-07-20T00:00:00+09:00"),
    ],
)
def test_a_moment_has_a_zone(text: str, iso: str) -> None:
    assert typed_moment(text, ZoneInfo("Asia/Seoul")).isoformat() == iso


@pytest.mark.parametrize("text", ["", "soon", "2026-02-30", "0001-01-01 00:00", "9999-12-31 23:59-12:00", "2026-13-01"])
def test_what_is_none_is_refused(text: str) -> None:
    with pytest.raises(ValueError):
        typed_moment(text, UTC)


def test_without_a_zone_there_is_no_moment() -> None:
    with pytest.raises(ValueError):
        typed_moment("2026-07-20 22:00")


@pytest.mark.parametrize("text", ["0002-01-01 00:00", "9998-12-31 23:59"])
def test_every_zone_can_say_it(text: str) -> None:
    for hours in (-14, 14):
        moment = typed_moment(text, UTC)
        assert moment.astimezone(timezone(timedelta(hours=hours))) == moment
