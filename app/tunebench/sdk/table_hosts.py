"""A table about several hosts is cut into one text for each: rows that name their host, columns whose headings do.

The lines keep their numbers: those of other hosts are empty, and so are the cells of their columns.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator
from itertools import chain

from tunebench.sdk.lines import LineReader
from tunebench.sdk.parsing import ParseContext
from tunebench.sdk.simple_cells import ColumnPlan
from tunebench.sdk.simple_table import SimpleTableParser, host_of, table_parser
from tunebench.sdk.table_definition import TableDefinition
from tunebench.sdk.text import decode_text

MOST_HOSTS = 500
"""More of them are no hosts."""


def tells_hosts(definition: TableDefinition) -> bool:
    """Whether tables of this definition may name hosts, row by row or column by column."""
    return any(
        section.host or any("host" in part.heading.places for part in section.parts) for section in definition.sections
    )


class TableHosts:
    """Reads the hosts of one table; the same bytes give the same texts every time."""

    def __init__(self, definition: TableDefinition) -> None:
        self._definition = definition

    def hosts(self, pieces: Iterable[bytes]) -> tuple[str, ...]:
        """The hosts in their order; none where there are more than can be hosts."""
        hosts: dict[str, None] = {}
        for _, _, plan, cells in self._lines(pieces):
            if plan is None:
                continue
            hosts |= dict.fromkeys(plan.hosts)
            if plan.host is not None and (host := host_of(cells[plan.host])):
                hosts[host] = None
            if len(hosts) > MOST_HOSTS:
                return ()
        return tuple(hosts)

    def text_of(self, host: str, pieces: Iterable[bytes]) -> Iterator[bytes]:
        """The lines of this host."""
        for line, separator, plan, cells in self._lines(pieces):
            if plan is None:
                yield line + b"\n"
            elif plan.host is not None:
                yield line + b"\n" if host_of(cells[plan.host]) in ("", host) else b"\n"
            else:
                others = {at for at, read in zip(plan.numbers, plan.reads, strict=True) if read.host not in ("", host)}
                kept = ["" if at in others else cell for at, cell in enumerate(cells)]
                yield _joined(kept, separator) + b"\n" if others else line + b"\n"

    def _lines(self, pieces: Iterable[bytes]) -> Iterator[tuple[bytes, str, ColumnPlan | None, list[str]]]:
        """Every line with its cells; no plan where it is no part of a table that names hosts."""
        parser = table_parser(self._definition)(ParseContext())
        assert isinstance(parser, SimpleTableParser)
        reader, plan = LineReader(), None
        for read in chain(pieces, (None,)):
            for line in reader.finish() if read is None else reader.feed(read):
                text = decode_text(line)
                heading = parser.plan_of(text)
                plan = heading or plan
                cells = parser.splitter.cells(text) if plan else []
                fits = plan is not None and len(cells) == plan.width
                shown = plan if fits and plan and not (heading and plan.host is not None) else None
                yield line, parser.splitter.separator, shown, cells


def _joined(cells: list[str], separator: str) -> bytes:
    if len(separator) != 1:
        return (separator or " ").join(cells).encode()
    line = io.StringIO()
    csv.writer(line, delimiter=separator, lineterminator="").writerow(cells)
    return line.getvalue().encode()
