"""The lines above a recording.

    ################################################################################
    # Collectl:   V4.3.1-1  HiRes: 1  Options: -i2 -c4 -scdmn -f /var/log/collectl
    # Host:       db1  DaemonOpts: -f /var/log/collectl -r00:00,7 -m -F60 -s+YZ
    # Booted:     1795250468.91 [20261121-08:41:08]
    # Distro:     debian 12.11  Platform: Unknown
    # Date:       20261121-182044  Secs: 1795285244 TZ: +0900
    # SubSys:     cdmn Options:  Interval: 2 NumCPUs: 2  NumBud: 0 Flags: i
    # Kernel:     6.1.0-13-amd64  Memory: 24684084 kB  Swap: 0 kB
    # NumDisks:   1 DiskNames: vda

A file that was renamed, or that another program called, keeps them: they tell the host, not the file's name.
"""

from __future__ import annotations

from datetime import date, datetime, timedelta, timezone

from tunebench.sdk import LedgerBook, SystemFact, decode_text, lazy_pattern

_FACT = lazy_pattern(r"(?P<name>[A-Z][\w()]*):\s?(?P<value>.*?)(?=\s+[A-Z][\w()]*:(?:\s|$)|\s*$)")
_LINE = lazy_pattern(rb"^#\s{0,4}[A-Z][A-Za-z]+:\s")
_DATE = lazy_pattern(r"^(?P<day>\d{8})-(?P<time>\d{6})$")
_OFFSET = lazy_pattern(r"^(?P<sign>[+-])(?P<hours>\d\d)(?P<minutes>\d\d)$")
_INTERVAL = lazy_pattern(r"^(\d+(?:\.\d+)?)")
_VOLATILE = frozenset({"Date", "Secs", "Booted", "Options", "DaemonOpts"})
_MOST_FACTS = 500


class Recording:
    """What the heading says; `offset` is the zone of the stamps in the rows."""

    def __init__(self, book: LedgerBook) -> None:
        self._book = book
        self._facts: dict[tuple[str, str], str] = {}
        self.day: date | None = None
        self.offset: timezone | None = None
        self.hertz = 100.0

    def facts(self) -> list[SystemFact]:
        return [SystemFact(section, name, value) for (section, name), value in self._facts.items()]

    def read(self, line: bytes) -> bool:
        """Whether the line belongs to the heading."""
        if line.startswith(b"########"):
            return True
        if _LINE.match(line) is None:
            return False
        text = decode_text(line[:1000]).lstrip("# ")
        pairs = [(match["name"], match["value"].strip()) for match in _FACT.finditer(text)]
        for name, value in pairs:
            self._take(name, value, pairs[0][0])
        return bool(pairs)

    def _take(self, name: str, value: str, line: str) -> None:
        book = self._book
        if name == "Collectl":
            book.tool_version = value.removeprefix("V")
        elif name == "Host":
            if book.hostname and value != book.hostname:
                book.warn("several_hosts")
            book.hostname = book.hostname or value
        elif name == "Kernel":
            book.os_version = value
        elif name == "HZ" and value.isdecimal() and 0 < int(value) <= 100_000:
            self.hertz = float(value)
        elif name == "Interval":
            match = _INTERVAL.match(value)
            if match is not None and 0 < float(match[1]) <= 86_400:
                book.interval_s = float(match[1])
        elif name == "TZ":
            self._read_offset(value)
        elif name == "Date":
            self._read_day(value)
        if value and len(self._facts) < _MOST_FACTS:
            own = name if name in (line, "Interval", "NumCPUs", "Memory", "Swap", "Platform") else f"{line} {name}"
            self._facts.setdefault(("volatile" if name in _VOLATILE else "collectl", own), value[:400])

    def _read_offset(self, value: str) -> None:
        match = _OFFSET.match(value)
        if match is not None and int(match["hours"]) <= 14 and int(match["minutes"]) < 60:
            shift = timedelta(hours=int(match["hours"]), minutes=int(match["minutes"]))
            self.offset = timezone(-shift if match["sign"] == "-" else shift)

    def _read_day(self, value: str) -> None:
        match = _DATE.match(value)
        try:
            self.day = datetime.strptime(match["day"], "%Y%m%d").date() if match else self.day
        except ValueError:
            return
