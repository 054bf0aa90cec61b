"""What is said about a capture beside what stands in it."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date, datetime

from tunebench.core.records import record


@record
class Truths:
    """What the user said about a capture; empty means not said."""

    zone: str = ""
    start: datetime | None = None
    date: date | None = None
    interval_s: float | None = None
    day_first: bool | None = None
    first_measured: bool = False

    def as_text(self) -> dict[str, str]:
        """Name -> text of what the user gave, for the record beside the parse result."""
        texts = {
            "zone": self.zone,
            "start": self.start.isoformat() if self.start else "",
            "date": self.date.isoformat() if self.date else "",
            "interval_s": "" if self.interval_s is None else f"{self.interval_s:.15g}",
            "day_first": "" if self.day_first is None else str(self.day_first).lower(),
            "first_measured": "true" if self.first_measured else "",
        }
        return {name: text for name, text in texts.items() if text}

    @classmethod
    def from_text(cls, said: Mapping[str, str]) -> Truths:
        return cls(
            zone=said.get("zone", ""),
            start=datetime.fromisoformat(said["start"]) if "start" in said else None,
            date=date.fromisoformat(said["date"]) if "date" in said else None,
            interval_s=float(said["interval_s"]) if "interval_s" in said else None,
            day_first=said["day_first"] == "true" if "day_first" in said else None,
            first_measured="first_measured" in said,
        )


@record
class Told(Truths):
    """What others than the user tell of a capture, where the user says nothing.

    Attributes:
        interval_s: by the layout of its bundle.
        day_first: by another capture of the host, whose name is `order_of`.
    """

    order_of: str = ""
