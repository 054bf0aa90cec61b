"""The UCUM units that captures use, and the factors between them.

UCUM writes binary prefixes as ``Ki``, ``Mi`` and what is counted in braces (``{page}``), which is a
dimension of its own here: pages cannot be turned into bytes without knowing the page's size.
"""

from __future__ import annotations

import re
from functools import cache

from tunebench.core.patterns import lazy_pattern

_ATOMS: dict[str, tuple[float, str]] = {
    "1": (1.0, ""),
    "%": (0.01, ""),
    "s": (1.0, "s"),
    "ms": (1e-3, "s"),
    "us": (1e-6, "s"),
    "ns": (1e-9, "s"),
    "min": (60.0, "s"),
    "h": (3600.0, "s"),
    "d": (86400.0, "s"),
    "By": (1.0, "By"),
    "kBy": (1e3, "By"),
    "MBy": (1e6, "By"),
    "KiBy": (1024.0, "By"),
    "MiBy": (1024.0**2, "By"),
    "GiBy": (1024.0**3, "By"),
    "bit": (0.125, "By"),
    "Kibit": (128.0, "By"),
    "{sector}": (512.0, "By"),  # the kernel's sectors and sar's blocks are 512 bytes on every device
    "Hz": (1.0, "Hz"),
    "MHz": (1e6, "Hz"),
    "Cel": (1.0, "Cel"),
    "V": (1.0, "V"),
    "A": (1.0, "A"),
    "mA": (1e-3, "A"),
}
_THINGS = lazy_pattern(r"\{[a-z_]+\}")
_UNIT_OF_HEADING = (  # what a heading that no map knows says of its unit
    (lazy_pattern(r"^%|%$|_pct$|^pct_|[\\ ]%[ \w]|[(\[]%[)\]]$"), "%"),
    (lazy_pattern(r"\bBytes[ \w]*/sec$"), "By/s"),
    (lazy_pattern(r"kB(_\w+|\w*)?/s$|^kb\w*/s$|^k[rw]/s$", re.IGNORECASE), "KiBy/s"),
    (lazy_pattern(r"MB(_\w+|\w*)?/s$|^M[rw]/s$"), "MiBy/s"),
    (lazy_pattern(r"(/s|_per_s|/sec)$"), "1/s"),
    (lazy_pattern(r"(/min|_per_min)$"), "1/min"),
    (lazy_pattern(r"_ms$|[(\[]ms[)\]]$"), "ms"),
    (lazy_pattern(r"_us$|\(us\)$"), "us"),
    (lazy_pattern(r"_s$|\(s\)$"), "s"),
    (lazy_pattern(r"_bytes$"), "By"),
    (lazy_pattern(r"^kb[a-z]+$"), "KiBy"),
)


@cache
def _measure(unit: str) -> tuple[float, str, str] | None:
    """(factor to base units, dimension above the line, below the line)."""
    above, _, below = unit.partition("/")
    parts = [_atom(above), _atom(below or "1")]
    if parts[0] is None or parts[1] is None:
        return None
    return parts[0][0] / parts[1][0], parts[0][1], parts[1][1]


def _atom(name: str) -> tuple[float, str] | None:
    if name in _ATOMS:
        return _ATOMS[name]
    if _THINGS.fullmatch(name):
        return 1.0, name
    return None


@cache
def factor_between(unit: str, base: str) -> float | None:
    """The factor from `unit` to `base`; None where they measure different things."""
    one, other = _measure(unit), _measure(base)
    if one is None or other is None or one[1:] != other[1:]:
        return None
    return one[0] / other[0]


@cache
def unit_of_heading(heading: str) -> str:
    """The unit that a heading itself names: ``rkB/s`` KiBy/s, ``%util`` %, ``fault/s`` 1/s, else ``1``."""
    for pattern, unit in _UNIT_OF_HEADING:
        if pattern.search(heading):
            return unit
    return "1"


@cache
def base_unit_of(unit: str) -> str:
    """The base unit of what `unit` measures: ``KiBy/s`` -> ``By/s``, ``%`` -> ``1``."""
    measure = _measure(unit)
    if measure is None:
        return unit
    above, below = measure[1] or "1", measure[2]
    return f"{above}/{below}" if below else above
