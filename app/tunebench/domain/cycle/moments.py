"""Moments as people type them."""

from __future__ import annotations

from datetime import datetime, tzinfo


def typed_moment(text: str, zone: tzinfo | None = None) -> datetime:
    """The moment of an ISO text, with its zone; `zone` where the text says none.

    Raises:
        ValueError: it is no moment, or no zone is known; or it is at the end of all years, where another zone has no
            date for it.
    """
    moment = datetime.fromisoformat(text.strip())
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=zone)
    if moment.tzinfo is None or not 1 < moment.year < 9999:
        raise ValueError(text)
    return moment
