"""A first definition of an unknown text table, worked out from a sample; its author corrects it.

The answer is a table as `[[tables]]` of a manifest has it (`sdk.table_definition`), so that it can be written,
shown and checked as one that a person wrote.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence

from tunebench.core.messages import LANGUAGES, catalogue
from tunebench.core.patterns import lazy_pattern
from tunebench.core.records import record
from tunebench.plughost.time_guess import TimeGuess, date_line_of, guess_stamp_line, guess_time, is_stamp_line
from tunebench.sdk.simple_cells import CellSplitter, plain_number
from tunebench.sdk.table_definition import SEPARATORS, Suffix, TableColumn
from tunebench.sdk.text import decode_text
from tunebench.sdk.units import unit_of_heading

Draft = dict[str, object]
"""One table of ``[[tables]]``."""

_LOOKED_AT_BYTES = 128 << 10
_MOST_LINES = 600
_MOST_ROWS = 200
_COMMENTS = ("#", "Average", "평균", "---", "===", "+--", "***", "//")
_HOST = lazy_pattern(r"\s*((?:host|hostname|host name|node|server|호스트)\s*[:=]\s*)[\w.-]+\s*$", re.IGNORECASE)
_VERSION = lazy_pattern(r"([A-Za-z][\w.-]*(?: version)? )v?\d+(?:\.\d+)+(?=[\s,(]|$)", re.IGNORECASE)
_ATTRIBUTES = (
    ("cpu", lazy_pattern(r"^(cpu|core|processor|프로세서)s?(_?(id|no|name))?$", re.IGNORECASE)),
    ("interface", lazy_pattern(r"^(if|iface|interface|nic|port|netif)(_?(id|no|name))?$", re.IGNORECASE)),
    ("mountpoint", lazy_pattern(r"mount|^file ?system$|^path$|^dir", re.IGNORECASE)),
    (
        "process",
        lazy_pattern(r"^(pid|process|proc|command|cmd|comm|program|thread|task)(_?(id|no|name))?$", re.IGNORECASE),
    ),
    (
        "device",
        lazy_pattern(
            r"^(dev|device|disk|volume|vol|lun|queue|pool|name|instance|tablespace|datafile|slot|node|topic|table)"
            r"(_?(id|no|name))?$",
            re.IGNORECASE,
        ),
    ),
)
_UNITS = {
    "s": "s", "ms": "ms", "us": "us", "ns": "ns", "sec": "s", "%": "%", "byte": "By", "bytes": "By",
    "kb": "KiBy", "mb": "MiBy", "gb": "GiBy", "kib": "KiBy", "mib": "MiBy", "gib": "GiBy",
    "kb/s": "KiBy/s", "mb/s": "MiBy/s", "gb/s": "GiBy/s", "kib/s": "KiBy/s", "mib/s": "MiBy/s", "gib/s": "GiBy/s",
    "1/s": "1/s", "/s": "1/s", "mhz": "MHz", "hz": "Hz",
}  # fmt: skip
"""What stands in brackets at the end of a heading, in small letters -> UCUM."""
_UNIT_IN_BRACKETS = lazy_pattern(rf"[(\[]\s*({'|'.join(map(re.escape, _UNITS))})\s*[)\]]$", re.IGNORECASE)
_WITH_COMMA, _WITH_POINT = (lazy_pattern(rf"[-+]?\d+{sign}(?:\d\d?|\d{{4,}})") for sign in (",", r"\."))
_HOST_COLUMN = lazy_pattern(r"^(host|hostname|host ?name|server|node|서버|서버명|호스트|호스트명)$", re.IGNORECASE)
_NAME_COLUMN = lazy_pattern(
    r"^(key|key_|metric|item|counter|name|series|parameter|지표|항목|지표명|항목명)$", re.IGNORECASE
)
_VALUE_COLUMN = lazy_pattern(r"^(value|val|reading|avg|average|값|측정값|수치)$", re.IGNORECASE)
_SUMMARY = lazy_pattern(
    r"(전체|총|grand|sub-?)? *(평 ?균|합 ?계|총 ?계|총 ?합|소 ?계|누 ?계|합|계|최대|최소|최[댓솟]값|표준 ?편차"
    r"|average|avg|mean|totals?|sum|min(imum)?|max(imum)?|std\.? ?(dev\.?)?)( ?값)? *([(\[].*)?[:：]?",
    re.IGNORECASE,
)
"""What stands first in a row that sums up the others."""
_SUFFIXED = lazy_pattern(r"\d[\d.,]*\s*[kKMGTP](i?B)?$")


@record
class _Shape:
    """The sample under one separator; `rows` are the cells of the data lines, `lines` where they stand."""

    name: str
    splitter: CellSplitter
    decimal: str
    rows: list[list[str]]
    lines: list[int]
    score: float


def guess_table(data: bytes, file_name: str, name: str) -> Draft:
    """The likeliest definition; always one, be the sample what it may.

    Args:
        name: of the tool, and last part of the definition's id.
    """
    text = decode_text(_as_utf8(data[:_LOOKED_AT_BYTES]))
    lines = [line.rstrip("\r") for line in text.split("\n")][:_MOST_LINES]
    shape = max((_shape(lines, name) for name in SEPARATORS), key=lambda shape: shape.score)
    time = guess_time(shape.rows, shape.splitter.blanks)
    heading, names, time, above = _heading(lines, shape, time)
    if time is None:
        time = guess_stamp_line(lines, set(shape.lines)) or TimeGuess("start")
    draft: Draft = {
        "id": f"local.{name}",
        "tool": name,
        "name": {"en": name, "ko": name},
        "os": [],
        "files": [_file_pattern(file_name)],
        "separator": shape.name,
        "decimal": shape.decimal,
        "skip": [mark for mark in _COMMENTS if any(line.lstrip().startswith(mark) for line in lines)],
    }
    host = next((match for line in lines[:30] if (match := _HOST.match(line))), None)
    if host:
        draft["host_line"] = host[1].strip() + " {host}"
    version = next((match for line in lines[:5] if (match := _VERSION.match(line))), None)
    if version:
        draft["version_line"] = version[1].strip() + " {version}"
    draft["time"] = _time_table(time, lines, shape)
    draft["sections"] = [_section(name, heading, names, time, shape, above)]
    return draft


def _as_utf8(data: bytes) -> bytes:
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        return data.decode("utf-16", "replace").encode()
    return data.removeprefix(b"\xef\xbb\xbf")


# -- separator ---------------------------------------------------------------------------------------


def _shape(lines: Sequence[str], name: str) -> _Shape:
    """How much of the sample is rows of numbers under this separator."""
    splitter = CellSplitter(SEPARATORS[name])
    cells = [(at, splitter.cells(line)) for at, line in enumerate(lines) if line.strip() and not is_stamp_line(line)]
    decimal = _decimal([cell for _, row in cells for cell in row], name)
    votes = _without_summaries([(at, row) for at, row in cells if len(row) > 1])
    numeric = [(at, row, sum(_is_number(cell, decimal) for cell in row)) for at, row in votes]
    widths = Counter(len(row) for _, row, numbers in numeric if numbers)
    if not widths:
        return _Shape(name, splitter, decimal, [], [], 0.0)
    width = max(widths, key=lambda width: (widths[width], width))
    rows = [(at, row, numbers) for at, row, numbers in numeric if len(row) == width and numbers]
    score = sum(numbers for _, _, numbers in rows) * (1.0 if splitter.blanks else 1.2)
    return _Shape(name, splitter, decimal, [row for _, row, _ in rows], [at for at, _, _ in rows], score)


def _without_summaries(rows: list[tuple[int, list[str]]]) -> list[tuple[int, list[str]]]:
    """An average at the foot has words where the rows above have their time: it says nothing of the columns."""
    return [(at, row) for at, row in rows if not _SUMMARY.fullmatch(next((cell for cell in row if cell), "").strip())]


def _decimal(cells: Sequence[str], separator: str) -> str:
    """Three digits behind a sign may be thousands, and say nothing."""
    commas = any(map(_WITH_COMMA.fullmatch, cells))
    if not commas:
        return "."
    points = separator == "comma" or any(map(_WITH_POINT.fullmatch, cells))
    return "either" if points else ","


def _is_number(cell: str, decimal: str) -> bool:
    return plain_number(cell, decimal, TableColumn("", suffix=Suffix.BINARY)) is not None


# -- heading -----------------------------------------------------------------------------------------


def _heading(
    lines: Sequence[str], shape: _Shape, time: TimeGuess | None
) -> tuple[list[str], list[str], TimeGuess | None, int]:
    """The heading's cells (none: the text has no heading), the columns' names, the time with its names, and how many
    lines above the heading belong to it."""
    width = len(shape.rows[0]) if shape.rows else 0
    before = [line for line in lines[: shape.lines[0] if shape.lines else 0] if line.strip()]
    for at, line in reversed([*enumerate(before)][-4:]):
        cells = shape.splitter.cells(line)
        named = [cell or f"c{number}" for number, cell in enumerate(cells, 1)]
        fitting = _fitting_names(named, width, shape, time)
        if fitting is None:
            continue
        names, time = fitting
        above = shape.splitter.cells(before[at - 1]) if at else []
        if _belongs_above(above, cells, shape):
            fixed = time.columns if time else ()
            named = [
                name if not word or word in (name, cell) or name in fixed else f"{word} {cell}".strip()
                for word, name, cell in zip(above, names, cells, strict=True)
            ]
            return [cell for cell in cells if cell], named, time, 1
        return [cell for cell in cells if cell], names, time, 0
    names = [f"c{number}" for number in range(1, width + 1)]
    if time is not None:
        first = time.cells[0]
        names = [name for at, name in enumerate(names) if at not in time.cells[1:]] if time.together else names
        time = time.named([names[first]] if time.together else [names[at] for at in time.cells])
    return [], names, time, 0


def _belongs_above(above: list[str], cells: list[str], shape: _Shape) -> bool:
    """A line of words that stand over several columns each, or again over the same one."""
    if shape.splitter.blanks or len(above) != len(cells) or any(_is_number(cell, shape.decimal) for cell in above):
        return False
    words = [word for word in above if word]
    spread = len(set(words)) < len(words) or len(set(cells)) < len(cells)
    return len(set(words)) > 1 and spread


def _fitting_names(
    cells: list[str], width: int, shape: _Shape, time: TimeGuess | None
) -> tuple[list[str], TimeGuess | None] | None:
    if len(cells) < 2 or sum(_is_number(cell, shape.decimal) for cell in cells) > len(cells) / 3:
        return None
    if time is None:
        return (cells, None) if len(cells) == width else None
    words = len(time.cells)
    if len(cells) == width:
        return cells, time.named([cells[at] for at in time.cells])
    if time.together and len(cells) == width - words + 1:
        return cells, time.named([cells[time.cells[0]]])
    if time.cells[0] == 0 and len(cells) == width - words:
        return cells, time.at_the_beginning()
    return None


# -- sections ----------------------------------------------------------------------------------------


def _time_table(time: TimeGuess, lines: Sequence[str], shape: _Shape) -> Draft:
    table = time.as_table()
    if time.columns:
        table["columns"] = [_as_pattern(column) for column in time.columns]
    if time.rule != "start" and not time.has_date:
        line = date_line_of(lines[: shape.lines[0] if shape.lines else 20])
        if line:
            table["date_line"] = line
    return table


def _section(tool: str, heading: list[str], names: list[str], time: TimeGuess, shape: _Shape, above: int) -> Draft:
    section: Draft = {"table": tool}
    values = _values_by_name(names, time, shape)
    host = next((name for name in values if _HOST_COLUMN.match(name) and _mostly_text(values[name], shape.decimal)), "")
    series = _series(values, shape) if heading and not above else {}
    others = {name: cells for name, cells in values.items() if name not in (host, *series.values())}
    keys = {} if series else _keys(others, time, shape)
    needed = dict.fromkeys([*series.values(), *keys.values(), *([host] if host else [])])
    if heading:
        section["heading"] = _telling_words(heading, time, list(needed))
    if above:
        section["above"] = above
    elif not set(names) <= set(heading):
        section["names"] = names  # there is no heading, or it leaves a column without a name
    if keys:
        section["key"] = keys
    if host:
        section["host"] = host
    if series:
        section["series"] = series
        return section
    columns = dict(_columns(others, set(keys.values()), shape))
    if columns:
        section["columns"] = columns
    return section


def _series(values: dict[str, list[str]], shape: _Shape) -> dict[str, str]:
    """The columns of name and number, where each row has one number only."""
    name = next((head for head in values if _NAME_COLUMN.match(head) and _mostly_text(values[head], shape.decimal)), "")
    value = next(
        (head for head in values if _VALUE_COLUMN.match(head) and not _mostly_text(values[head], shape.decimal)), ""
    )
    return {"name": name, "value": value} if name and value else {}


def _telling_words(heading: list[str], time: TimeGuess, columns: list[str]) -> list[str]:
    """The words the heading must have: the columns that the definition needs, and a few more to know it by."""
    needed = dict.fromkeys([*time.columns, *columns])
    others = [word for word in heading if word not in needed and word]
    return [_as_pattern(word) for word in dict.fromkeys(heading) if word in needed or word in others[:4]]


def _as_pattern(word: str) -> str:
    """Braces have a meaning where a definition names a heading."""
    return word.replace("{", "{{").replace("}", "}}")


def _values_by_name(names: Sequence[str], time: TimeGuess, shape: _Shape) -> dict[str, list[str]]:
    """The cells below each heading; a stamp of several words takes several cells."""
    values: dict[str, list[str]] = {}
    skipped = len(time.cells) if time.rule == "first" else 0
    at = skipped
    for name in names:
        if name not in time.columns:
            values.setdefault(name, [row[at] for row in shape.rows[:_MOST_ROWS] if at < len(row)])
        at += len(time.cells) if time.together and name in time.columns else 1
    return values


def _keys(values: dict[str, list[str]], time: TimeGuess, shape: _Shape) -> dict[str, str]:
    """Which columns say what a row is about: words, or numbers under a heading such as CPU."""
    stamps = [tuple(row[at] for at in time.cells) for row in shape.rows[:_MOST_ROWS]]
    repeated = len(set(stamps)) < len(stamps)
    keys: dict[str, str] = {}
    for name, cells in values.items():
        words = _mostly_text(cells, shape.decimal)
        attribute = next((attribute for attribute, form in _ATTRIBUTES if form.search(name)), "")
        if attribute and (words or repeated) and attribute not in keys:
            keys[attribute] = name
    if not keys and repeated:
        telling = next((name for name, cells in values.items() if _tells_apart(stamps, cells, shape.decimal)), "")
        if telling:
            keys["device"] = telling
    return keys


def _tells_apart(stamps: Sequence[tuple[str, ...]], cells: list[str], decimal: str) -> bool:
    return _mostly_text(cells, decimal) and len(set(zip(stamps, cells, strict=False))) == len(cells)


def _mostly_text(cells: Sequence[str], decimal: str) -> bool:
    filled = [cell for cell in cells if cell not in ("", "-")]
    return bool(filled) and sum(not _is_number(cell, decimal) for cell in filled) > len(filled) / 2


def _columns(values: dict[str, list[str]], keys: set[str], shape: _Shape) -> Iterator[tuple[str, Draft]]:
    """Properties of the columns: units from their headings, suffixes, and text that cannot be read."""
    for name, cells in values.items():
        if name in keys or not name:
            continue
        if _mostly_text(cells, shape.decimal):
            yield name, {"ignored": {code: catalogue(code).text("plughost.table.text_column") for code in LANGUAGES}}
            continue
        column: Draft = {}
        unit = _unit(name)
        if any(_SUFFIXED.search(cell) for cell in cells):
            column["suffix"] = "binary"
            unit = unit or "By"
        if unit:
            column["unit"] = unit
            yield name, column


def _unit(heading: str) -> str:
    if bracketed := _UNIT_IN_BRACKETS.search(heading):
        return _UNITS[bracketed[1].lower()]
    unit = unit_of_heading(heading)
    return "" if unit == "1" else unit


def _file_pattern(file_name: str) -> str:
    """``queue_20261121.log`` -> ``queue_*.log``."""
    return re.sub(r"\*[-_.*]*\*", "*", re.sub(r"\d+", "*", file_name)) or "*"
