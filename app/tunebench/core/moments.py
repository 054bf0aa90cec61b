"""Moments as they are written for programs."""

from __future__ import annotations

import os
from datetime import UTC, datetime
from pathlib import Path
from zoneinfo import ZoneInfo, available_timezones

NS_PER_S = 1_000_000_000


def iso(time_ns: int, zone: ZoneInfo) -> str:
    """ISO 8601 with the zone's offset; fractions only where there are any."""
    moment = datetime.fromtimestamp(time_ns // NS_PER_S, tz=UTC).astimezone(zone)
    text = moment.isoformat()
    rest = time_ns % NS_PER_S
    if rest:
        text = f"{text[:19]}.{f'{rest:09d}'.rstrip('0')}{text[19:]}"
    return text


def local_minute(iso: str) -> str:
    """``2026-10-12 09:30`` by this machine's clock; empty where the words are no moment."""
    try:
        return datetime.fromisoformat(iso).astimezone().strftime("%Y-%m-%d %H:%M")
    except ValueError:
        return ""


def machine_zone() -> str:
    """The name of this machine's zone; where the system tells only how far it is from UTC, one that is as far now."""
    link = os.path.realpath("/etc/localtime").partition("zoneinfo/")[2]
    named = Path("/etc/timezone")
    words = (os.environ.get("TZ", "").removeprefix(":"), link, named.read_text().strip() if named.is_file() else "")
    hours = round((datetime.now().astimezone().utcoffset() or UTC.utcoffset(None)).total_seconds() / 3600)
    return next(
        (word for word in words if word in available_timezones()), f"Etc/GMT{-hours:+d}" if hours else "Etc/UTC"
    )
