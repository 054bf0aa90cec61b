"""What a reader of an inventory gives."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Reading:
    """One fact of a section; `volatile` ones change by themselves and are left out of comparisons."""

    name: str
    value: str
    volatile: bool = False


def squeezed(text: str) -> str:
    """Without padding: columns are as wide as their widest value, which says nothing of this one."""
    return " ".join(text.split())
