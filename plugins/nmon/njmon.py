"""Parser of njmon's JSON, AIX and Linux.

    {"identity": {"hostname": "db1","njmon_version": "njmon4AIX-v65", ...},
     "timestamp": {"datetime": "2020-12-20T17:58:40","UTC": "2020-12-20T08:58:40","snapshot_seconds": 5, ...},
     "server": {...}, "cpu_logical": {"cpu0": {"user": 38,"sys": 5}, ...}, "disks": {"hdisk0": {"vg": "datavg", ...}}}

One such object per snapshot: one per line, or spread over many lines, or all of them in
``{"samples": [ ... ]}`` (njmon before version 50 writes that; a recording that was interrupted lacks its end). Sections
hold values, or things that hold values: a disk, a processor, a file system. Rates are worked out by njmon.

Numbers become series of the table that the section names; text, and everything in sections that describe the
system, becomes facts. Times are ``UTC``; the zone is the difference to ``datetime``.

Source: njmon_linux and njmon_aix (nmon.sourceforge.io, Site.Njmon), a document of njmon4AIX-v65.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime, timedelta, timezone
from math import isfinite
from typing import Any

import numpy as np

from tunebench.sdk import (
    LineParser,
    ParseContext,
    SampleBatch,
    SeriesKey,
    SystemFact,
    decode_text,
    is_plausible,
    lazy_pattern,
)

from .snapshots import Cut, SnapshotCutter
from .sniffing import sniff_njmon

_PUNCTUATION = b" \t\r{}[],"
_ABOUT = frozenset(
    {
        "identity",
        "server",
        "config",
        "partition_type",
        "os_release",
        "proc_version",
        "lscpu",
        "lpar_format1",
        "rperf",
        "ppc64_lparcfg",
        "cpuinfo",
        "cpuinfo_power",
        "cpu_details",
        "lsblk",
        "kvm_info",
        "sys_device_system_cpu",
    }
)
_THINGS = (
    (lazy_pattern(r"^cpus?(?:_|$)|^cpu_(?:logical|physical|syscalls)$"), "cpu"),
    (lazy_pattern(r"^(?:p?disks?|fc_adapters|volume_groups|logical_volumes|paging_spaces|vios_)"), "device"),
    (lazy_pattern(r"^(?:networks?|network_|sea_?)"), "interface"),
    (lazy_pattern(r"^filesystems"), "mountpoint"),
    (lazy_pattern(r"^process"), "process"),
)
_CPU_NUMBER = lazy_pattern(r"^(?:logical_)?cpu_?(\d+)$")
_MOST_FACTS = 4000
_MOST_SERIES = 100_000
_DEEPEST = 6


class _Table:
    """Rows of one section; a row may bring new things and new values."""

    def __init__(self, name: str) -> None:
        self.name = name
        self._column_of: dict[SeriesKey, int] = {}
        self._rows: list[tuple[int, int, list[int], list[float]]] = []

    def row(self, time_ns: int, line: int, values: dict[SeriesKey, float]) -> None:
        column_of = self._column_of
        columns = [column_of.setdefault(key, len(column_of)) for key in values]
        self._rows.append((time_ns, line, columns, list(values.values())))

    def flush(self) -> Iterator[SampleBatch]:
        if not self._rows:
            return
        values = np.full((len(self._rows), len(self._column_of)), np.nan)
        for index, (_, _, columns, cells) in enumerate(self._rows):
            values[index, columns] = cells
        used = ~np.isnan(values).all(axis=0)
        yield SampleBatch(
            table=self.name,
            times_ns=np.array([row[0] for row in self._rows], dtype=np.int64),
            series=tuple(key for key, wanted in zip(self._column_of, used, strict=True) if wanted),
            values=values[:, used],
            since_boot=np.zeros(len(self._rows), dtype=bool),
            line_numbers=np.array([row[1] for row in self._rows], dtype=np.int64),
        )
        self._rows = []


class NjmonParser(LineParser):
    """Cuts the text into snapshots by its braces, whatever its lines are."""

    def __init__(self, context: ParseContext) -> None:
        super().__init__(context)
        self.book.tool = "njmon"
        self._tables: dict[str, _Table] = {}
        self._facts: dict[tuple[str, str], str] = {}
        self._keys: dict[tuple[str, str, str], SeriesKey] = {}
        self._cutter = SnapshotCutter()

    @staticmethod
    def sniff(head: bytes, file_name: str) -> float:  # noqa: ARG004  the text alone decides
        return sniff_njmon(head)

    def facts(self) -> list[SystemFact]:
        return [SystemFact(section, name, value) for (section, name), value in self._facts.items()]

    # -- lines -----------------------------------------------------------------------------------

    def read_lines(self, first_line: int, lines: list[bytes]) -> Iterable[SampleBatch]:
        for number, line in enumerate(lines, first_line):
            self._read_line(number, line)
        return self._flush()

    def close_tables(self) -> Iterable[SampleBatch]:
        self._settle(self._cutter.give_up(), False, "truncated")
        return self._flush()

    def _flush(self) -> list[SampleBatch]:
        return [batch for table in self._tables.values() for batch in table.flush()]

    def _read_line(self, number: int, line: bytes) -> None:
        """Each line is booked once: with the snapshot that is open at its end, else with those that end on it."""
        cutter = self._cutter
        if cutter.is_inside and line.lstrip()[:1] == b"{":  # njmon names every object but a snapshot
            self._settle(cutter.give_up(), False, "truncated")
        good: bool | None = None
        for cut in cutter.cut(number, line):
            if cut.text is None:
                self.book.header(cut.lines)
                continue
            read = self._read_snapshot(cut)
            good = read or bool(good)
            self._settle(cut, read, "not_a_table")
        if cutter.is_inside:
            cutter.add_line()
        elif good is not None:
            self.book.data() if good else self.book.skip("not_a_table", number, line)
        elif not line.strip():
            self.book.blank()
        elif line.translate(None, _PUNCTUATION) in (b"", b'"samples":'):
            self.book.header()
        else:
            self.book.skip("prose", number, line)

    def _settle(self, cut: Cut, good: bool, reason: str) -> None:
        """Books the lines that lie wholly inside a snapshot."""
        if cut.lines and good:
            self.book.data(cut.lines)
        elif cut.lines:
            self.book.skip(reason, cut.line, (cut.text or b"{")[:200], cut.lines)

    # -- snapshots -------------------------------------------------------------------------------

    def _read_snapshot(self, cut: Cut) -> bool:
        try:
            sample = json.loads(decode_text(cut.text or b""))
        except (ValueError, RecursionError):
            return False
        time_ns = self._time_of(sample.get("timestamp")) if isinstance(sample, dict) else None
        if time_ns is None:
            return False
        self._read_ledger(sample)
        for section, content in sample.items():
            if section != "timestamp" and isinstance(content, dict):
                self._read_section(section, content, time_ns, cut.line)
        return True

    def _time_of(self, stamp: object) -> int | None:
        if not isinstance(stamp, dict):
            return None
        utc, local = _moment(stamp.get("UTC")), _moment(stamp.get("datetime"))
        if self.book.interval_s is None and _is_number(stamp.get("snapshot_seconds")):
            self.book.interval_s = float(stamp["snapshot_seconds"]) or None
        if utc is None:
            return None if local is None else self.times.at_datetime(local)
        offset = timedelta(0) if local is None else local - utc
        if offset % timedelta(minutes=15) or abs(offset) > timedelta(hours=15):
            offset = timedelta(0)
        return self.times.at_datetime(utc.replace(tzinfo=UTC).astimezone(timezone(offset)))

    def _read_ledger(self, sample: dict[str, Any]) -> None:
        book = self.book
        identity, config, release = (_section(sample, name) for name in ("identity", "config", "os_release"))
        host = str(identity.get("hostname") or "")
        if host and book.hostname and host != book.hostname:
            book.warn("several_hosts")
        book.hostname = book.hostname or host
        book.tool_version = book.tool_version or str(identity.get("njmon_version") or "")
        if book.os:
            return
        if str(config.get("OSname", "")).upper() == "AIX" or "aix_version" in _section(sample, "server"):
            book.os, book.os_version = "aix", str(config.get("OSversion") or "")
        elif release or "proc_version" in sample or "proc_meminfo" in sample:
            book.os, book.os_version = "linux", str(release.get("pretty_name") or "")

    def _read_section(self, section: str, content: dict[str, Any], time_ns: int, line: int) -> None:
        values: dict[SeriesKey, float] = {}
        self._read_values(section, "", content, values)
        if values:
            table = self._tables.setdefault(section, _Table(section))
            table.row(time_ns, line, values)

    def _read_values(self, section: str, thing: str, content: dict[str, Any], values: dict[SeriesKey, float]) -> None:
        for name, value in content.items():
            if isinstance(value, dict):
                if thing.count("/") < _DEEPEST:
                    self._read_values(section, f"{thing}/{name}" if thing else name, value, values)
            elif _is_number(value) and section not in _ABOUT:
                key = self._key(section, thing, name)
                if key is not None:
                    values[key] = float(value)
            elif value not in (None, ""):
                self._fact(section, f"{thing} {name}".strip(), str(value))

    def _key(self, section: str, thing: str, name: str) -> SeriesKey | None:
        key = self._keys.get((section, thing, name))
        if key is None and len(self._keys) >= _MOST_SERIES:
            self.book.warn("njmon_series_limited")
        elif key is None:
            key = self._keys[section, thing, name] = SeriesKey(section, name, _attributes(section, thing))
        return key

    def _fact(self, section: str, name: str, value: str) -> None:
        where = (section, name)
        if where not in self._facts and len(self._facts) < _MOST_FACTS:
            self._facts[where] = " ".join(value.split())[:400]
        elif where not in self._facts:
            self.book.warn("nmon_facts_limited")


def _section(sample: dict[str, Any], name: str) -> dict[str, Any]:
    members = sample.get(name)
    return members if isinstance(members, dict) else {}


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and isfinite(value)


def _moment(text: object) -> datetime | None:
    try:
        moment = datetime.fromisoformat(str(text).removesuffix("Z"))
    except ValueError:
        return None
    return moment.replace(tzinfo=None) if is_plausible(moment) else None


def _attributes(section: str, thing: str) -> tuple[tuple[str, str], ...]:
    if not thing:
        return ()
    attribute = next((attribute for pattern, attribute in _THINGS if pattern.match(section)), "group")
    number = _CPU_NUMBER.match(thing) if attribute == "cpu" else None
    return ((attribute, number[1] if number else thing),)
