"""What pgbench prints: progress lines and the closing summary, versions 9.3 to 17.

    progress: 2.0 s, 667.0 tps, lat 5.913 ms stddev 6.497, 0 failed
    progress: 1795250737.534 s, 10.0 tps, lat 12.981 ms stddev 2.780, 0 failed, lag 0.269 ms     (--progress-timestamp)

    number of transactions actually processed: 6331
    latency average = 6.277 ms                          (9.x: latency average: 1108.418 ms)
    tps = 633.194789 (without initial connection time)
    statement latencies in milliseconds and failures:
             0.007           0  \\set aid random(1, 100000 * :scale)

Progress lines count the seconds since the run began, unless they carry epochs. The summary's figures are
one sample each, at the time of the last progress line.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from tunebench.families.cells import is_number
from tunebench.sdk import LineParser, ParseContext, SampleBatch, TableBuilder, decode_text, lazy_pattern

_PROGRESS = lazy_pattern(rb"^progress: (?P<seconds>\d+(?:\.\d+)?) s, (?P<figures>.+)$")
_PAIRS = lazy_pattern(r"(lat|stddev|lag) (-?[\w.]+)(?: ms)?|(-?[\d.]+|-?nan) (tps|failed|skipped|retried|retries)")
_VERSION = lazy_pattern(r"^pgbench \((?:PostgreSQL\) )?(\S+?)[ )]")
_FIGURE = lazy_pattern(
    r"^\s*(?:- )?(?P<name>number of [\w ]+?|scaling factor|duration|maximum number of tries|total number of retries"
    r"|latency average|latency stddev|initial connection time|tps|average connection time)"
    r"(?: the (?P<limit>[\d.]+) ms latency limit)?\s*[:=]\s*(?P<value>-?[\d.]+|-?nan)(?:\s*(?:/\d+|ms|s\b|%))*"
    r"\s*(?P<note>\([a-z ]+\)|\([\d.]+%\))?\s*$"
)
_LAG = lazy_pattern(r"^\s*(?:- )?rate limit schedule lag: avg (?P<average>[\d.]+) \(max (?P<maximum>[\d.]+)\) ms")
_SCRIPT = lazy_pattern(r"^SQL script (?P<number>\d+):")
_SHARE = lazy_pattern(r"^ - (?P<count>\d+) transactions \((?P<share>[\d.]+)% of total(?:, tps = (?P<tps>[\d.]+))?\)")
_COMMAND = lazy_pattern(r"^\s+(?P<latency>\d+\.\d+)(?:\s+(?P<failures>\d+))?(?:\s+(?P<retries>\d+))?\s+(?P<text>\D.*)$")
_COMMANDS_HEAD = lazy_pattern(r"^(?: - )?statement latencies in milliseconds")
_HEADERS = ("transaction type:", "query mode:", "partition method:", "weight:", " - weight:", "pgbench (")
_LONGEST_COMMAND = 120
_EPOCH_FROM, _EPOCH_UNTIL = 1e9, 4e9


class PgbenchOutputParser(LineParser):
    """Standard output and standard error of pgbench."""

    def __init__(self, context: ParseContext) -> None:
        super().__init__(context)
        self.book.tool = "pgbench"
        self._builders: dict[tuple[str, ...], TableBuilder] = {}
        self._progress: TableBuilder | None = None
        self._start_ns: int | None = None
        self._now_ns: int | None = None
        self._summary: list[tuple[int, str, bytes, str]] = []  # line, figure, value, process
        self._commands: list[tuple[int, str, bytes, bytes]] = []  # line, command, latency, failures
        self._process = ""
        self._reads_commands = False
        self._parts: dict[str, None] = {}

    @staticmethod
    def sniff(head: bytes, file_name: str) -> float:  # noqa: ARG004  the text alone decides
        lines = [] if b"\0" in head else [line.rstrip(b"\r") for line in head.split(b"\n")[:400]]
        if any(_PROGRESS.match(line) and b" tps, lat " in line for line in lines):
            return 0.95
        wanted = (b"transaction type:", b"scaling factor:", b"tps = ", b"number of transactions actually processed:")
        present = sum(any(line.startswith(word) for line in lines) for word in wanted)
        return 0.95 if present >= 3 else 0.0

    def read_lines(self, first_line: int, lines: list[bytes]) -> Iterable[SampleBatch]:
        for number, line in enumerate(lines, first_line):
            self._read_line(number, line)
        return self._progress.flush() if self._progress is not None else ()

    def close_tables(self) -> Iterable[SampleBatch]:
        self._close_run()
        self.book.variant = " ".join(self._parts)
        return [batch for builder in self._builders.values() for batch in builder.flush(final=True)]

    # -- lines -----------------------------------------------------------------------------------

    def _read_line(self, number: int, line: bytes) -> None:
        if not line or line.isspace():
            self.book.blank()
            return
        progress = _PROGRESS.match(line)
        if progress is not None:
            self._read_progress(number, float(progress["seconds"]), decode_text(progress["figures"]))
            return
        text = decode_text(line)
        if self._read_summary(number, text):
            self.book.data()
        elif self._read_header(text):
            self.book.header()
        else:
            self.book.skip("nul_bytes" if b"\0" in line else "message", number, line)

    def _read_progress(self, number: int, seconds: float, figures: str) -> None:
        names: list[str] = []
        values: list[bytes] = []
        for name_first, value, value_first, name in _PAIRS.findall(figures):
            names.append(name_first or name)
            values.append((value or value_first).encode())
        if not names or seconds >= _EPOCH_UNTIL or any(not is_number(value) for value in values):
            self.book.skip("unreadable_numbers", number, figures)
            return
        time_ns = self._progress_time(seconds)
        self._progress = self._builder("progress", tuple(names))
        self._progress.row(time_ns, number, b"", b" ".join(values))
        self._parts["--progress"] = None
        self.book.data()

    def _progress_time(self, seconds: float) -> int:
        if seconds >= _EPOCH_FROM:
            self._now_ns = self.times.at_epoch(seconds)
            return self._now_ns
        if self._start_ns is None or (self._now_ns is not None and seconds * 1e9 <= self._now_ns - self._start_ns):
            self._start_ns = self.times.next_unstamped(seconds)
        self._now_ns = self._start_ns + round(seconds * 1e9)
        return self._now_ns

    def _read_header(self, text: str) -> bool:
        if text.startswith("pgbench ("):
            self._close_run()
            version = _VERSION.match(text)
            self.book.tool_version = version[1] if version else ""
            return True
        if text.startswith("transaction type:"):
            self._close_run()
        return text.startswith(_HEADERS)

    def _read_summary(self, number: int, text: str) -> bool:
        if _COMMANDS_HEAD.match(text):
            self._reads_commands = True
            return False
        script = _SCRIPT.match(text)
        if script is not None:
            self._process, self._reads_commands = f"script {script['number']}", False
            return False
        if self._reads_commands:
            command = _COMMAND.match(text)
            if command is not None:
                self._add_command(number, command)
                return True
        return self._read_figures(number, text)

    def _read_figures(self, number: int, text: str) -> bool:
        figures: list[tuple[str, str]] = []
        figure = _FIGURE.match(text)
        lag = _LAG.match(text)
        share = _SHARE.match(text)
        if figure is not None:
            note = figure["note"] or ""
            name = figure["name"] + (f" {note}" if note.startswith("(") and not note[1].isdigit() else "")
            figures.append((name, figure["value"]))
        elif lag is not None:
            figures.append(("rate limit schedule lag avg", lag["average"]))
            figures.append(("rate limit schedule lag max", lag["maximum"]))
        elif share is not None:
            figures.append(("number of transactions", share["count"]))
            if share["tps"]:
                figures.append(("tps", share["tps"]))
        self._summary.extend((number, name, value.encode(), self._process) for name, value in figures)
        return bool(figures)

    def _add_command(self, number: int, command: re.Match[str]) -> None:
        label = f"{len(self._commands) + 1} {command['text'].strip()[:_LONGEST_COMMAND]}"
        if self._process:
            label = f"{self._process}: {label}"
        self._commands.append((number, label, command["latency"].encode(), (command["failures"] or "-").encode()))

    # -- the summary -----------------------------------------------------------------------------

    def _close_run(self) -> None:
        """Turns the figures of a run's summary into one sample each."""
        summary, self._summary = self._summary, []
        commands, self._commands = self._commands, []
        self._process, self._reads_commands = "", False
        if not summary and not commands:
            return
        time_ns = self._now_ns if self._now_ns is not None else self.times.next_unstamped(self._duration(summary))
        self._parts["summary"] = None
        for process in dict.fromkeys(process for _, _, _, process in summary):
            rows = [row for row in summary if row[3] == process]
            names = tuple(dict.fromkeys(name for _, name, _, _ in rows))
            values = {name: value for _, name, value, _ in reversed(rows)}
            table, attribute = ("script", "process") if process else ("summary", None)
            tail = b" ".join(values[name] for name in names)
            self._builder(table, names, attribute).row(time_ns, rows[0][0], process.encode(), tail)
        for number, label, latency, failures in commands:
            builder = self._builder("command", ("latency", "failures"), "process")
            builder.row(time_ns, number, label.encode(), latency + b" " + failures)

    def _duration(self, summary: list[tuple[int, str, bytes, str]]) -> float | None:
        return next((float(value) for _, name, value, _ in summary if name == "duration"), None)

    def _builder(self, table: str, names: tuple[str, ...], attribute: str | None = None) -> TableBuilder:
        key = (table, *names)
        if key not in self._builders:
            self._builders[key] = TableBuilder(table, names, attribute, self.book)
        return self._builders[key]
