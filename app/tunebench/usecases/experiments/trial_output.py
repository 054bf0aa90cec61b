"""What a trial said on its host: how its parts went, and the figures that any installed reader finds in its output.

@trial begins 17                         `tunebench.capture.wrapper` says these lines, each at the beginning of one
@trial cold 67108864 66846720            bytes that were read after the caches were emptied, and from the disk
@trial measures 2026-11-23T07:15:32.100Z
...                                      the command's output
@trial timed
real    0m1.203s                         the words of time
@exit 0
@trial measured 0 2026-11-23T07:15:33.310Z
@trial collects
...                                      what it left behind
@trial collected 0
@trial undone 0

``@trial limit 60`` stands where the host itself ended a trial that took longer than so many seconds.

A trial that was cut off and run again says all of this twice: the last time counts.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import field
from datetime import UTC, datetime

import numpy as np

from tunebench.capture.frames import read_utc
from tunebench.core.errors import PluginError
from tunebench.core.patterns import lazy_pattern
from tunebench.core.records import record
from tunebench.plughost.parser_entry import ParserEntry
from tunebench.sdk import ParseContext
from tunebench.transport.local import HEAD_BYTES
from tunebench.usecases import services

_MARK = lazy_pattern(rb"^@trial ([a-z]+)((?: \S+)*)\s*$")
_PARTS = {b"measures": "output", b"timed": "time", b"collects": "collected"}
_TIME_READER = "tunebench.timed_command"
_COLD_SHARE = 0.9
"""Of what is read after the caches were emptied, so much at least has to come from the disk."""


@record
class Figure:
    """One value of a trial's output.

    Attributes:
        words: what tells it from others of the same name: reader, table, things.
        line: of the capture, from 1.
    """

    native: str
    words: frozenset[str]
    value: float
    unit: str
    line: int


@record(frozen=False)
class TrialOutput:
    """
    Attributes:
        trial_id: 0 where no trial's mark stands there.
        parts: ``output``, ``time``, ``collected`` -> the line before their first, and their bytes.
        failed: the step that failed, with its status (``prepare 1``).
        status: exit status of the command; None: it did not come to its end.
        began_ns, ended_ns: of the command, the host's clock, UTC ns.
        cold: bytes read after the caches were emptied, and of them from the disk (None: not told there).
        undone: status of what undoes the preparation; None: it did not come to it.
        limit_s: after which the host ended it; None: it did not.
    """

    trial_id: int = 0
    parts: dict[str, tuple[int, bytes]] = field(default_factory=dict)
    failed: str = ""
    status: int | None = None
    collected: int | None = None
    began_ns: int | None = None
    ended_ns: int | None = None
    cold: tuple[int, int | None] | None = None
    undone: int | None = None
    limit_s: int | None = None

    @property
    def is_over(self) -> bool:
        return bool(self.failed) or self.status is not None

    @property
    def is_cold(self) -> bool | None:
        """Whether the caches were cold; None where nobody looked, or the host does not tell."""
        if self.cold is None or self.cold[1] is None or not self.cold[0]:
            return None
        return self.cold[1] >= _COLD_SHARE * self.cold[0]

    @property
    def text(self) -> str:
        """What the command and what collects printed."""
        printed = (self.parts[name][1] for name in ("output", "collected") if name in self.parts)
        return b"\n".join(printed).decode("utf-8", "replace")


def read_trial(data: bytes) -> TrialOutput:
    """The output of a trial from its capture, frames included."""
    output, part = TrialOutput(), ""
    lines: list[bytes] = []
    for number, line in enumerate(data.split(b"\n"), 1):
        mark = _MARK.match(line)
        if mark is None:
            lines.append(line)
            continue
        if part:
            output.parts[part] = (number - 1 - len(lines), b"\n".join(lines) + b"\n")
        lines, part = [], _PARTS.get(mark[1], "")
        words = mark[2].decode("ascii", "replace").split()
        if mark[1] == b"begins":
            output = TrialOutput(_whole(words, 0) or 0)
        else:
            _note(output, mark[1], words)
    return output


def _note(output: TrialOutput, mark: bytes, words: list[str]) -> None:
    match mark:
        case b"failed":
            output.failed = " ".join(words) or "?"
        case b"cold":
            size = _whole(words, 0)
            output.cold = None if size is None else (size, _whole(words, 1))
        case b"measures":
            output.began_ns = read_utc(words[0]) if words else None
        case b"measured":
            output.status, output.ended_ns = _whole(words, 0), read_utc(words[1]) if len(words) > 1 else None
        case b"collected":
            output.collected = _whole(words, 0)
        case b"undone":
            output.undone = _whole(words, 0)
        case b"limit":
            output.limit_s = _whole(words, 0)


def _whole(words: list[str], index: int) -> int | None:
    return int(words[index]) if len(words) > index and words[index].isdecimal() else None


# -- figures -------------------------------------------------------------------------------------------


def figures_of(output: TrialOutput) -> tuple[Figure, ...]:
    """All that the installed readers find; each part is given to the one that is surest of it."""
    installed = services.current().plugins
    figures: list[Figure] = []
    for name, (line, text) in output.parts.items():
        if name == "time":
            entry = installed.parser(_TIME_READER)
        else:
            surest = installed.surest(text[:HEAD_BYTES], name)
            entry = None if surest is None else surest.entry
        if entry is not None:
            figures += _read(entry, text, line, output.began_ns)
    return tuple(figures)


def _read(entry: ParserEntry, text: bytes, before: int, began_ns: int | None) -> Iterator[Figure]:
    """The last row of every column; a reader that fails has found nothing."""
    catalogue = services.current().catalogue
    start = datetime.fromtimestamp((began_ns or 0) / 1e9, UTC)
    last: dict[tuple[str, str, tuple[tuple[str, str], ...]], tuple[float, int]] = {}
    try:
        parser = entry.create(ParseContext("trial", start=start, interval_s=1.0))
        batches = [*parser.feed(text), *parser.finish()]
        ledger = parser.ledger()
    except PluginError:
        return
    for batch in batches:
        for column, key in enumerate(batch.series):
            for row in np.flatnonzero(~np.isnan(batch.values[:, column]) & ~batch.since_boot)[-1:]:
                figure_key = (key.table, key.native, key.attributes)
                last[figure_key] = float(batch.values[row, column]), before + int(batch.line_numbers[row])
    tool = ledger.tool or entry.tools[0]
    for (table, native, attributes), (value, line) in last.items():
        unit = catalogue.describe(tool, ledger.os, table, native, dict(attributes), ledger.tool_version).unit
        words = frozenset(word.casefold() for word in (tool, table, *(value for _, value in attributes)))
        yield Figure(native, words, value, unit, line)


def fitting(figures: tuple[Figure, ...], asked: str) -> tuple[Figure, ...]:
    """The figures that ``NATIVE``, or ``WORD ... NATIVE`` with words that tell them apart, may mean."""
    wanted = asked.casefold()
    whole = tuple(figure for figure in figures if figure.native.casefold() == wanted)
    if whole:
        return whole
    return tuple(figure for figure in figures if _means(figure, wanted))


def _means(figure: Figure, wanted: str) -> bool:
    before, _, native = wanted.rpartition(" ")
    own = figure.native.casefold()
    if " " in own and wanted.endswith(own):
        before, native = wanted[: -len(own)], own
    return native == own and set(before.split()) <= figure.words
