"""Moments as they are written for programs."""

from __future__ import annotations

from datetime import UTC, datetime
from zoneinfo import ZoneInfo

NS_PER_S = 1_000_000_000


def iso(time_ns: int, zone: ZoneInfo) -> str:
    """ISO 8601 with the zone's offset; fractions only where there are any."""
    moment = datetime.fromtimestamp(time_ns // NS_PER_S, tz=UTC).astimezone(zone)
    text = moment.isoformat()
    rest = time_ns % NS_PER_S
    if rest:
        text = f"{text[:19]}.{f'{rest:09d}'.rstrip('0')}{text[19:]}"
    return text
