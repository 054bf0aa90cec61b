"""Describe a simple text table without code: guess, try out on a sample, save as a plug-in of the user's own."""

from __future__ import annotations

import copy
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from contextlib import closing
from dataclasses import field, replace
from functools import partial
from itertools import chain, islice
from pathlib import Path
from zoneinfo import ZoneInfo

from tunebench.core.errors import UserError
from tunebench.core.paths import user_plugins_folder
from tunebench.core.progress import Progress
from tunebench.core.records import record
from tunebench.domain.bundle import Bundle
from tunebench.domain.ledger import Ledger
from tunebench.plughost.catalogue import MetricCatalogue
from tunebench.plughost.scaffold import check_name, write_table_plugin
from tunebench.plughost.table_guess import guess_table
from tunebench.sdk import LedgerBook, ParseContext, SampleBatch, TimeKeeper
from tunebench.sdk.manifest import MANIFEST_NAME
from tunebench.sdk.simple_table import SimpleTableParser, table_parser
from tunebench.sdk.table_definition import TableDefinition
from tunebench.sdk.table_reading import read_table_definitions
from tunebench.sdk.testkit_runs import merged
from tunebench.sdk.text import decode_text
from tunebench.sdk.toml_tables import Problem, TableReader
from tunebench.transport import tables
from tunebench.transport.containers.limits import OverLimit
from tunebench.transport.containers.members import Damaged, LeftOut, Member
from tunebench.transport.containers.walking import Walk
from tunebench.transport.local import PIECE_BYTES
from tunebench.usecases import services

Draft = dict[str, object]
"""One table of ``[[tables]]``, as a manifest has it."""
SAMPLE_BYTES = 192 << 10
MOST_LINES = 1_500
"""More lines of a sample show nothing new, and the preview follows every key that is pressed."""
MOST_ROWS = 200
MOST_POINTS = 400


@record
class Sample:
    """The beginning of the file that is described; `lines` are those that are shown and tried."""

    path: str
    name: str
    data: bytes
    lines: tuple[str, ...]


@record
class Taken:
    """What a line was taken as: ``data``, ``header``, ``blank`` or ``skipped`` with a reason."""

    kind: str
    reason: str = ""


_DATA, _HEADER, _BLANK = Taken("data"), Taken("header"), Taken("blank")


@record
class PreviewRow:
    """One row as the definition reads it; `values` are in the order of the preview's columns, None is missing."""

    time_ns: int
    things: str
    line: int
    values: tuple[float | None, ...]


@record
class Preview:
    """What the definition makes of the sample.

    Attributes:
        names: the headings that the sample's own heading line has, or the definition names.
        columns: the headings of `rows`.
        points: values of the first series, for a small picture; None is missing.
    """

    problems: tuple[Problem, ...]
    taken: tuple[Taken, ...] = ()
    names: tuple[str, ...] = ()
    columns: tuple[str, ...] = ()
    rows: tuple[PreviewRow, ...] = ()
    points: tuple[float | None, ...] = ()
    series: str = ""
    ledger: Ledger = field(default_factory=Ledger)
    confidence: float = 0.0

    @property
    def faulty(self) -> bool:
        return any(problem.level == "error" for problem in self.problems)


def read_sample(path: Path, table: str = "") -> Sample:
    """The beginning of `path`, up to a line's end; of a workbook that of the sheet `table`, or the first with figures.
    A table is also told by the path that an import gives it: ``book.xlsx!/Sheet1.tsv``.

    Raises:
        UserError: the file cannot be read, is empty, or is no text.
    """
    outer, _, inner = str(path).partition("!/")
    if inner and not path.exists():
        return read_sample(Path(outer), inner)
    try:
        with path.open("rb") as file:
            data = file.read(SAMPLE_BYTES)
            form = tables.form_of(data, path.name)
            if form:
                return _sample_of_table(form, chain((data,), iter(partial(file.read, PIECE_BYTES), b"")), path, table)
    except OSError as error:
        raise UserError("file_unreadable", path=str(path), reason=str(error)) from error
    return sample_of(str(path), path.name, data)


def table_text(path: Path) -> Sample | None:
    """The sample of a table that comes in another form than text; None for any other file."""
    try:
        with path.open("rb") as file:
            form = tables.form_of(file.read(SAMPLE_BYTES), path.name)
    except OSError as error:
        raise UserError("file_unreadable", path=str(path), reason=str(error)) from error
    return read_sample(path) if form else None


def _sample_of_table(form: str, pieces: Iterable[bytes], path: Path, wanted: str) -> Sample:
    for table in tables.tables_of(form, pieces, path.name, str(path)):
        first = b"".join(islice(table.pieces, 2))[:SAMPLE_BYTES]
        if table.name == wanted or (not wanted and tables.has_figures(first)):
            return sample_of(f"{path}!/{table.name}", f"{path.name}.{table.name}", first)
    raise UserError("file_without_tables", path=str(path))


def sample_of(path: str, name: str, data: bytes) -> Sample:
    """The sample of a file that begins with `data`, at most `SAMPLE_BYTES` of it.

    Raises:
        UserError: it is empty, or is no text.
    """
    if not data.strip():
        raise UserError("sample_empty", path=path)
    utf16 = data.startswith((b"\xff\xfe", b"\xfe\xff"))
    if b"\0" in data and not utf16:
        raise UserError("file_binary", path=path)
    plain = data.decode("utf-16", "replace").encode() if utf16 else data.removeprefix(b"\xef\xbb\xbf")
    lines = plain.replace(b"\r\n", b"\n").split(b"\n")
    whole = lines[:-1] if len(data) == SAMPLE_BYTES or not lines[-1] else lines
    return Sample(path, name, data, tuple(decode_text(line) for line in whole[:MOST_LINES]))


def guess(sample: Sample, name: str) -> Draft:
    """A first definition for the author to correct."""
    return guess_table(sample.data, sample.name, name)


def preview(draft: Mapping[str, object], sample: Sample, zone: str = "UTC") -> Preview:
    """Tries the definition on the sample; a faulty one shows its problems and nothing else."""
    reader = TableReader({"tables": [copy.deepcopy(dict(draft))]})
    definitions = read_table_definitions(reader, "tables")
    problems = (*reader.problems, *(_metric_problems(definitions[0]) if definitions else ()))
    if not definitions:
        return Preview(problems)
    return _tried(definitions[0], sample, problems, zone)


def _metric_problems(definition: TableDefinition) -> Iterator[Problem]:
    """Metrics that do not exist, units that do not fit them; named by the column's place in the draft."""
    catalogue = services.current().catalogue
    for number, section in enumerate(definition.sections, 1):
        for column in section.columns.values():
            if column.metric and catalogue.metric(column.metric) is None:
                where = f'tables[1].sections[{number}].columns."{column.native}".metric'
                yield Problem("error", "metric_unknown", {"where": where, "metric": column.metric})


class _Watched(LedgerBook):
    """An account that also knows what each line was taken as: they are booked one by one, in their order."""

    def __init__(self) -> None:
        super().__init__()
        self.taken: list[Taken] = []

    def data(self, lines: int = 1) -> None:
        super().data(lines)
        self.taken.append(_DATA)

    def header(self, lines: int = 1) -> None:
        super().header(lines)
        self.taken.append(_HEADER)

    def blank(self, lines: int = 1) -> None:
        super().blank(lines)
        self.taken.append(_BLANK)

    def skip(self, reason: str, line_number: int, text: bytes | str, lines: int = 1, rows: int = 0) -> None:
        super().skip(reason, line_number, text, lines, rows)
        self.taken.append(Taken("skipped", reason))


def _tried(definition: TableDefinition, sample: Sample, problems: tuple[Problem, ...], zone: str) -> Preview:
    context = ParseContext(
        sample.name, sample.path, _modified_ns(Path(sample.path)), ZoneInfo(zone), zone_source="engagement"
    )
    kind = table_parser(definition)
    parser = kind(context)
    assert isinstance(parser, SimpleTableParser)
    book = _Watched()
    parser.watch(book, TimeKeeper(context, book))
    head = ("\n".join(sample.lines) + "\n").encode("utf-8", "replace")
    batches = [*parser.feed(head), *parser.finish()]
    columns, rows = _rows(batches)
    series, points = _first_series(batches)
    sure = kind.sniff(head, sample.name)
    return Preview(problems, tuple(book.taken), parser.names_seen, columns, rows, points, series, parser.ledger(), sure)


def _modified_ns(path: Path) -> int:
    try:
        return services.current().file_clock(path, path.stat().st_mtime_ns)
    except OSError:
        return 0


def _rows(batches: list[SampleBatch]) -> tuple[tuple[str, ...], tuple[PreviewRow, ...]]:
    """The first rows, one for each time and thing, as the text has them."""
    columns = tuple(dict.fromkeys(key.native for batch in batches for key in batch.series))
    index = {native: at for at, native in enumerate(columns)}
    values_by_row: dict[tuple[int, int, str], list[float | None]] = {}
    for batch in batches:
        for row, (time_ns, line) in enumerate(zip(batch.times_ns.tolist(), batch.line_numbers.tolist(), strict=True)):
            if len(values_by_row) >= MOST_ROWS:
                break
            for at, key in enumerate(batch.series):
                things = " ".join(value for _, value in key.attributes)
                values = values_by_row.setdefault((line, time_ns, things), [None] * len(columns))
                value = float(batch.values[row, at])
                if value == value:
                    values[index[key.native]] = value
    rows = tuple(
        PreviewRow(time_ns, things, line, tuple(values))
        for (line, time_ns, things), values in values_by_row.items()
        if any(value is not None for value in values)
    )
    return columns, rows


def _first_series(batches: list[SampleBatch]) -> tuple[str, tuple[float | None, ...]]:
    for key, rows in merged(batches).items():
        name = " ".join([*(value for _, value in key.attributes), key.native])
        return name, tuple(value for _, value, _, _ in rows[:MOST_POINTS])
    return "", ()


# -- saving ------------------------------------------------------------------------------------------


def metrics(language: str) -> tuple[tuple[str, str, str], ...]:
    """The program's metrics: id, name, unit."""
    return tuple((metric.id, metric.name[language], metric.unit) for metric in services.current().catalogue.metrics())


def load(name: str) -> Draft | None:
    """The definition that the user's plug-in of this name has; None where there is none, or where it has code."""
    table = _manifest(user_plugins_folder() / name)
    tables = table.get("tables")
    if not isinstance(tables, list) or len(tables) != 1 or "parsers" in table:
        return None
    return dict(tables[0])


def _manifest(folder: Path) -> dict[str, object]:
    """Empty where there is none that can be read."""
    try:
        return tomllib.loads((folder / MANIFEST_NAME).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}


def save(draft: Mapping[str, object], name: str, sample: Sample | None, folder: Path | None = None) -> Path:
    """Writes the plug-in `name` into the user's folder, where it is in use at once; a saved one gets a new version.

    Raises:
        UserError: ``plugin_name``; ``table_faulty`` with the first problem; else as `write_table_plugin`.
    """
    check_name(name)
    table = {**copy.deepcopy(dict(draft)), "id": f"local.{name}"}
    reader = TableReader({"tables": [table]})
    read_table_definitions(reader, "tables")
    fault = next((problem for problem in reader.problems if problem.level == "error"), None)
    if fault is not None:
        raise UserError("table_faulty", reason_en=fault.text("en"), reason_ko=fault.text("ko"))
    root = folder or user_plugins_folder()
    fixture = (sample.name, sample.data) if sample is not None else None
    plugin = write_table_plugin(root, name, _next_version(root / name), table, fixture)
    take_in_again()
    return plugin


def _next_version(folder: Path) -> str:
    lead, _, last = str(_manifest(folder).get("version", "")).rpartition(".")
    return f"{lead}.{int(last) + 1}" if last.isdecimal() and lead else "0.1.0"


def take_in_again() -> None:
    """The plug-ins' folders are searched anew; what they say of metrics and columns holds from now on."""
    before = services.current()
    before.plugins.search_again()
    now = replace(before, catalogue=MetricCatalogue.load(manifests=before.plugins.manifests()))
    services.install(lambda: now)


def read_member(bundle: Bundle, name: str, progress: Progress) -> Sample:
    """The sample of the member that the bundle's account calls `name`.

    Raises:
        UserError: the archive or the member is not there any more, cannot be read, is empty, or is no text.
        Cancelled: the caller does not wait any longer.
    """
    path, inner = Path(bundle.path), name
    if bundle.form == "folder":
        outer, _, inner = name.partition("!/")
        path /= outer
    if not path.exists():
        raise UserError("path_missing", path=str(path))
    if not inner or bundle.form in tables.FORMS:
        return read_sample(path, inner)
    return _in_archive(path, inner, progress)


def _in_archive(path: Path, name: str, progress: Progress) -> Sample:
    walk = Walk(path, on_read=progress.raise_if_cancelled)
    with closing(walk.entries()) as entries:
        for entry in entries:
            progress.report(walk.done_bytes, walk.total_bytes(), "progress.looking_for", name=name)
            if entry.name not in ("", name) and not name.startswith(f"{entry.name}!/"):
                continue
            if isinstance(entry, LeftOut):
                raise entry.error
            form = tables.form_of(entry.head(), entry.file_name)
            if form:
                table = name[len(entry.name) :].removeprefix("!/")
                return _sample_of_table(form, entry.pieces(), Path(walk.full_path(entry.name)), table)
            return sample_of(walk.full_path(name), entry.file_name, _beginning(entry))
    raise UserError("path_missing", path=walk.full_path(name))


def _beginning(member: Member) -> bytes:
    """The first bytes, as many as can be had; a fault behind them was reported when the bundle came in."""
    data = b""
    try:
        for piece in member.pieces():
            data += piece
            if len(data) >= SAMPLE_BYTES:
                break
    except (Damaged, OverLimit):
        pass
    return data[:SAMPLE_BYTES]
