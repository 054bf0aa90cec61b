"""A simple text table described in words: what `[[tables]]` of a manifest says (read by `tunebench.sdk.table_reading`).

[[tables]]
id = "local.queue_stat"            # the parser's id
tool = "queue_stat"
os = ["linux"]                     # empty: any
name = { en = "Queues of the broker", ko = "브로커 큐" }
files = ["queue_stat*.log"]        # file names, a weak hint
separator = "blanks"               # blanks, comma, semicolon, tab, bar, the text itself, or several of them
decimal = "."                      # or ","; "either" where the tool puts nothing between thousands
skip = ["#", "Average"]            # lines that begin so are left out as comments
since_boot = false                 # true: the first block is an average since the machine started
short_rows = false                 # true: a row may end early, its last cells are missing values
host_line = "Host: {host}"         # patterns: `tunebench.sdk.line_patterns`
version_line = "queue_stat {version}"

[tables.time]
rule = "columns"                   # columns, first, line, start
columns = ["date", "time"]         # rule columns: they are put together with a blank; patterns where they have braces
format = "%Y-%m-%d %H:%M:%S"       # `sdk.stamp_formats`, or several: the first that reads a heading's first row
zone = "({any})({bias})"           # how the heading of the time tells the minutes from local time to UTC
line = "zzz ***{stamp}"            # rule line: the stamp stands above the rows
date_line = "Report of {date}"     # where the format has no date
date_format = "%d.%m.%Y"           # left out: any usual date
interval_s = 5                     # rules start and line: between rows that have no stamp of their own

[[tables.sections]]                # one for each heading
table = "queue"                    # series of one table share a clock
heading = ["queue", "depth"]       # words of the heading line, or a pattern
above = 1                          # a line right above the heading with as many cells: its words come before them
names = ["date", "time", "queue"]  # the columns where the text has no heading of its own
key = { device = "queue" }         # which thing a row is about; none: the table has one row a time
host = "server"                    # the column that names the host; one capture is made of each
series = { name = "item", value = "reading" }    # a row for each value: the columns of its name and of the number;
                                   # keys may lack then, and other columns tell series apart

[[tables.sections.parts]]          # headings, or the names in a column, that tell more than one thing
heading = '\\\\{host}\\Disk({device})\\{name}'
name = 'Disk\\{name}'               # what the column is called then

[tables.sections.columns]          # what is not listed is kept under its heading's name
"depth" = { unit = "{request}", direction = "lower", name = {...}, meaning = {...} }   # a metric of its own
"wait" = { unit = "ms", metric = "system.disk.response_time", attributes = { direction = "read" } }
"size" = { unit = "By", suffix = "binary" }      # 5.7M; none, binary (1024), decimal (1000)
"state" = { ignored = { en = "the state is a word", ko = "상태는 숫자가 아님" } }
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import field
from enum import StrEnum
from fnmatch import fnmatch

from tunebench.core.messages import LANGUAGES, catalogue
from tunebench.core.records import record
from tunebench.domain.engagement import Direction, Kind
from tunebench.domain.series import ATTRIBUTE_NAMES
from tunebench.sdk.line_patterns import LinePattern, line_pattern
from tunebench.sdk.metrics import ColumnMap, MetricDefinition
from tunebench.sdk.stamp_formats import StampFormat
from tunebench.sdk.units import base_unit_of

SEPARATORS = {"blanks": "", "comma": ",", "semicolon": ";", "tab": "\t", "bar": "|"}
"""Names of separators; ``""`` is any number of blanks."""
DECIMALS = (".", ",", "either")
KNOWN_BY_HEADING, MORE_FOR_ROWS, MORE_FOR_FILE = 0.6, 0.25, 0.05
"""How sure a heading makes the reader of a definition, rows below it that can be read, and the file's name."""


class TimeRule(StrEnum):
    """Where a row's time stands."""

    COLUMNS = "columns"
    FIRST = "first"
    """The row begins with it; the heading does not name it."""
    LINE = "line"
    """On a line above the rows."""
    START = "start"
    """Nowhere: the capture's start and an interval."""


class Suffix(StrEnum):
    """What K, M, G behind a number mean."""

    NONE = "none"
    BINARY = "binary"
    DECIMAL = "decimal"


@record
class TableColumn:
    """One column.

    Attributes:
        unit: UCUM; empty: what the heading itself says.
        metric: canonical metric; empty with a unit: a metric of the definition's own.
        attributes: that the column's series have (``direction=read``), sorted.
        ignored: per language, why the column is left out; empty where it is read.
        kind, direction, name, meaning: of a metric of its own.
    """

    native: str
    unit: str = ""
    metric: str = ""
    suffix: Suffix = Suffix.NONE
    attributes: tuple[tuple[str, str], ...] = ()
    ignored: Mapping[str, str] = field(default_factory=dict)
    kind: Kind = Kind.GAUGE
    direction: Direction = Direction.NEUTRAL
    name: Mapping[str, str] = field(default_factory=dict)
    meaning: Mapping[str, str] = field(default_factory=dict)


@record
class NamePart:
    """How a name that says several things is taken apart; `name` is a text with the places of `heading`."""

    heading: LinePattern
    name: str

    def read(self, text: str) -> NameRead | None:
        """What the name says; None where it is not of this form."""
        words = self.heading.read_whole(text)
        if words is None:
            return None
        name = self.name
        for part in ("object", "name"):
            name = name.replace(f"{{{part}}}", words.get(part, ""))
        attributes = ((part, word) for part, word in words.items() if part in ATTRIBUTE_NAMES and word)
        return NameRead(name or text, tuple(sorted(attributes)), words.get("host", ""))


@record
class NameRead:
    """What the heading of a column says; `native` is the name of the column."""

    native: str
    attributes: tuple[tuple[str, str], ...] = ()
    host: str = ""


@record
class TableSection:
    """One heading and its rows; `keys` are (attribute, column).

    Attributes:
        above: how many lines right above the heading belong to it.
        host: the column that names the host of a row; empty where none does.
        value: the column of the numbers where each row has one of them, whose name stands in `name`.
    """

    table: str
    words: tuple[str, ...] = ()
    pattern: LinePattern | None = None
    names: tuple[str, ...] = ()
    keys: tuple[tuple[str, str], ...] = ()
    columns: Mapping[str, TableColumn] = field(default_factory=dict)
    above: int = 0
    host: str = ""
    name: str = ""
    value: str = ""
    parts: tuple[NamePart, ...] = ()

    def read_name(self, text: str) -> NameRead:
        """The parts of a column's heading, or of the name in a row."""
        return next((name for part in self.parts if (name := part.read(text)) is not None), NameRead(text))

    @property
    def has_heading(self) -> bool:
        return bool(self.words or self.pattern)

    @property
    def sign(self) -> str:
        """ASCII that stands in every text with this heading; empty where there is none that is sure."""
        cells = [line_pattern(word).beginning if "{" in word else word for word in self.words]
        pieces = [
            piece for cell in cells for piece in cell.split() if '"' not in piece
        ]  # doubled where a cell is quoted
        pieces += [self.pattern.beginning] if self.pattern else []
        return max(filter(str.isascii, pieces), key=len, default="")


@record
class TableTime:
    """`formats` are tried in their order on the first row below a heading."""

    rule: TimeRule
    columns: tuple[str, ...] = ()
    formats: tuple[StampFormat, ...] = ()
    zone: LinePattern | None = None
    line: LinePattern | None = None
    date_line: LinePattern | None = None
    date_format: StampFormat | None = None
    interval_s: float | None = None

    @property
    def format(self) -> StampFormat | None:
        return self.formats[0] if self.formats else None


@record
class TableDefinition:
    """One parser without code; `separators` are the texts themselves, ``""`` for blanks."""

    id: str
    tool: str
    time: TableTime
    sections: tuple[TableSection, ...]
    os: tuple[str, ...] = ()
    name: Mapping[str, str] = field(default_factory=dict)
    files: tuple[str, ...] = ()
    separators: tuple[str, ...] = ("",)
    decimal: str = "."
    skip: tuple[LinePattern, ...] = ()
    since_boot: bool = False
    short_rows: bool = False
    host_line: LinePattern | None = None
    version_line: LinePattern | None = None

    @property
    def tools(self) -> tuple[str, ...]:
        return (self.tool,)

    @property
    def signs(self) -> tuple[str, ...]:
        """See `sdk.manifest.ParserManifest`."""
        signs = [section.sign for section in self.sections]
        return tuple(signs) if all(signs) else ()

    @property
    def at_most(self) -> float:
        """See `sdk.manifest.ParserManifest`; the marks of `sdk.simple_table`."""
        return KNOWN_BY_HEADING + MORE_FOR_ROWS + MORE_FOR_FILE * bool(self.files)

    def names_file(self, file_name: str) -> bool:
        name = file_name.replace("\\", "/").rpartition("/")[2].lower()
        return any(fnmatch(name, pattern.lower()) for pattern in self.files)

    def metrics(self) -> Iterator[MetricDefinition]:
        """The metrics of its own: columns with a unit of which no other metric is named."""
        for metric_id, column in dict(self._own()).items():
            unit = base_unit_of(column.unit)
            name = {code: column.name.get(code) or column.native for code in LANGUAGES}
            meaning = {code: column.meaning.get(code) or self._meaning(column, code) for code in LANGUAGES}
            signed = column.kind is not Kind.COUNTER  # nobody said that a figure of their own cannot be negative
            yield MetricDefinition(metric_id, column.kind, unit, column.direction, name, meaning, signed)

    def maps(self) -> Iterator[ColumnMap]:
        own = {id(column): metric_id for metric_id, column in self._own()}
        for section in self.sections:
            for column in section.columns.values():
                metric = column.metric or own.get(id(column), "")
                if metric and not column.ignored:
                    tables = () if section.value else (section.table,)
                    yield ColumnMap((self.tool,), self.os, tables, column.native, metric, column.unit)

    def _meaning(self, column: TableColumn, language: str) -> str:
        return catalogue(language).text("plughost.metric.defined", native=column.native, tool=self.tool)

    def _own(self) -> Iterator[tuple[str, TableColumn]]:
        for section in self.sections:
            for column in section.columns.values():
                if column.unit and not column.metric and not column.ignored:
                    yield f"{self.id}.{_slug(section.table)}.{_slug(column.native)}", column


def _slug(text: str) -> str:
    return re.sub(r"[^\w%]+", "_", text.lower()).strip("_") or "column"
