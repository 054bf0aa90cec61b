"""File-size distributions as people type or paste them, and as the program's probe counts them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from tunebench.analysis.calculators.calculator import read_number
from tunebench.analysis.cluster_sizes import SizeBucket
from tunebench.core.errors import UserError
from tunebench.core.patterns import lazy_pattern

MOST_LINES = 10_000
_BUCKET = lazy_pattern(r"(?:(?P<tree>.+) )?(?P<low>\d+)-(?P<high>\d*) (?P<what>files|bytes)")
_COLUMNS = (2, 3, 4)
_THOUSANDS = lazy_pattern(r"(?<=\d),(?=\d{3}(?:\D|$))")


def read_list(words: str) -> tuple[SizeBucket, ...]:
    """One bucket a line: size and files; or from, to, files; or from, to, files, bytes. A line of headings is left out.

    Columns are parted by comma, semicolon, tab or blanks; sizes may be written 4K or 1M; ``-`` as "to" is no limit.

    Raises:
        UserError: file_sizes_empty, file_sizes_line, file_sizes_too_long.
    """
    lines = [(number, line.strip()) for number, line in enumerate(words.splitlines(), 1)]
    lines = [(number, line) for number, line in lines if line and not line.startswith("#")]
    if lines and read_number(_cells(lines[0][1])[0], sized=True) is None:
        lines = lines[1:]
    if not lines:
        raise UserError("file_sizes_empty")
    if len(lines) > MOST_LINES:
        raise UserError("file_sizes_too_long", most=f"{MOST_LINES:,}")
    return tuple(_bucket(number, line) for number, line in lines)


def _cells(line: str) -> list[str]:
    parted = line if re.search(r"[\t;]", line) else _parted(line)
    return [cell.strip() for cell in re.split(r"[\t;]", parted)]


def _parted(line: str) -> str:
    """Commas and blanks as tabs; where blanks part the columns, commas are within numbers."""
    if " " in line and "," not in _THOUSANDS.sub("", line):
        line = _THOUSANDS.sub("", line)
    return re.sub(r"\s*,\s*|\s+", "\t", line)


def _bucket(number: int, line: str) -> SizeBucket:
    cells = _cells(line)
    if len(cells) not in _COLUMNS:
        raise UserError("file_sizes_line", line=number, text=line[:60])
    figures = [None if cell in ("-", "") else _whole(cell, number, line) for cell in cells]
    if len(cells) == 2:
        size, files = figures
        if size is not None and files is not None:
            return SizeBucket(size, size + 1, files, size * files)
    else:
        low, high, files, *size_bytes = figures
        total = size_bytes[0] if size_bytes else None
        if low is not None and files is not None and _possible(low, high, files, total):
            return SizeBucket(low, high, files, total)
    raise UserError("file_sizes_line", line=number, text=line[:60])


def _whole(cell: str, number: int, line: str) -> int:
    value = read_number(cell, sized=True)
    if value is None or value < 0 or value != int(value):
        raise UserError("file_sizes_line", line=number, text=line[:60])
    return int(value)


def _possible(low: int, high: int | None, files: int, total: int | None) -> bool:
    """Whether so many files of these sizes can have so many bytes; files without a limit need their bytes."""
    if high is not None and high <= low:
        return False
    if total is None:
        return high is not None
    return low * files <= total and (high is None or total <= (high - 1) * files)


def distributions(facts: Iterable[tuple[str, str]]) -> Mapping[str, tuple[SizeBucket, ...]]:
    """Tree -> buckets, from name and value of the facts that a capture of file sizes holds; others are left out."""
    counted: dict[str, dict[tuple[int, int | None], dict[str, int]]] = {}
    for name, value in facts:
        match = _BUCKET.fullmatch(name)
        if match is not None and value.isdigit():
            edges = (int(match["low"]), int(match["high"]) if match["high"] else None)
            counted.setdefault(match["tree"] or "", {}).setdefault(edges, {})[match["what"]] = int(value)
    return {tree: _in_order(buckets) for tree, buckets in counted.items()}


def _in_order(buckets: Mapping[tuple[int, int | None], Mapping[str, int]]) -> tuple[SizeBucket, ...]:
    whole = [(edges, one) for edges, one in buckets.items() if "files" in one]
    sizes = [SizeBucket(low, high, one["files"], one.get("bytes")) for (low, high), one in whole]
    return tuple(sorted(sizes, key=lambda bucket: bucket.low_bytes))
