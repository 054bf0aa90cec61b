"""Figures as people type or paste them: ``1,254.5``, ``28.55 s``, ``20m54.124s``, ``1:26.18``."""

from __future__ import annotations

import re
from math import isfinite

from tunebench.core.patterns import lazy_pattern

_PLAIN = lazy_pattern(r"[+-]?(?:\d{1,3}(?:,\d{3})+|\d+)?(?:\.\d+)?(?:[eE][+-]?\d{1,3})?")
_WHOLE = lazy_pattern(r"\d{1,3}(?:,\d{3})+|\d+", re.ASCII)
_SPAN = lazy_pattern(r"(?:(?:(?P<h>\d{1,6})[h:]\s?)?(?P<m>\d{1,6})[m:]\s?)(?P<s>\d{1,9}(?:[.,]\d{1,9})?)\s?s?")
_SECONDS = {"s": 1.0, "ms": 1e-3, "us": 1e-6, "µs": 1e-6, "ns": 1e-9, "min": 60.0}
_LONGEST, _MOST_DIGITS = 60, 15


def typed_number(text: str, unit: str = "") -> float | None:
    """The figure in `unit`; None where the text is none.

    The unit may stand behind it. Where it is one of time, minutes and seconds in the words of any shell are understood
    too. A comma parts thousands; one that could also be a decimal sign (``1,5``) is refused.
    """
    text = " ".join(text.split())
    if not text or len(text) > _LONGEST:
        return None
    if unit in _SECONDS:
        span = _SPAN.fullmatch(text)
        if span is not None:
            minutes = int(span["h"] or 0) * 60 + int(span["m"])
            return (minutes * 60 + float(span["s"].replace(",", "."))) / _SECONDS[unit]
    body = text.removesuffix(unit).rstrip() if unit else text
    if not any(letter.isdigit() for letter in body) or not body.isascii() or _PLAIN.fullmatch(body) is None:
        return None
    value = float(body.replace(",", ""))
    return value if isfinite(value) else None


def whole_number(text: str) -> int | None:
    """The count; None where the text is none, or has more digits than a `float` holds. A comma parts thousands."""
    digits = text.strip()
    if _WHOLE.fullmatch(digits) is None:
        return None
    plain = digits.replace(",", "")
    return int(plain) if len(plain) <= _MOST_DIGITS else None
