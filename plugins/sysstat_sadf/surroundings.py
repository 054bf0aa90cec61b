"""What stands around the samples of a document: facts of the host, restarts, remarks.

{"sysstat": { "hosts": [ { "nodename": "dbtest01", "sysname": "Linux", "release": "6.18.44", "machine": "x86_64",
    "number-of-cpus": 2, "file-date": "2026-11-21", "file-utc-time": "07:10:13", "timezone": "KST",
...
    "restarts": [ { "boot": {"date": "2026-11-21", "time": "07:10:27", "utc": 1, "cpu_count": 2} } ],
    "comments": [ { "comment": {"date": "2026-11-21", "time": "07:10:27", "utc": 1, "com": "pool 1G -> 2G"} } ]

<host nodename="dbtest01"> <release>6.18.44</release> ...
<boot date="2026-11-21" time="07:10:27" utc="1" cpu_count="2"/>
"""

from __future__ import annotations

import numpy as np

from tunebench.sdk import LedgerBook, SystemFact, decode_text, lazy_pattern

from .clocks import SampleClock, seconds_of

_MEMBER = lazy_pattern(
    rb'"(?P<name>nodename|release|machine|number-of-cpus|timezone)"\s*:\s*"?(?P<value>[^",}\n]*)'
    rb"|<(?P<element>release|machine|number-of-cpus|timezone)>(?P<text>[^<\n]*)<"
    rb'|<host\s+nodename="(?P<host>[^"\n]*)"'
)
_BOOT = lazy_pattern(rb'(?:"boot"\s*:\s*\{|<boot\s)(?P<members>[^}>]*)')
_COMMENT = lazy_pattern(
    rb'(?:"comment"\s*:\s*\{|<comment\s)(?P<members>[^}>]*?)[\s,]*"?com"?\s*[:=]\s*"(?P<text>[^\n]*?)"\s*(?:/>|\}(?=\s*[\]},]))'
)
_PAIR = lazy_pattern(rb'"?(?P<name>\w+)"?\s*[:=]\s*"?(?P<value>[^",}\s]*)')
_STAMP_PART = lazy_pattern(rb"\d+")
_MOST_FACTS = 100
_STRUCTURE = lazy_pattern(rb'\s*(?:[{}\[\]"<,]|xmlns\b|xsi:|@tunebench )')


class Surroundings:
    """Reads and books the lines outside of samples."""

    def __init__(self, book: LedgerBook, clock: SampleClock) -> None:
        self.facts: list[SystemFact] = []
        self._book = book
        self._clock = clock

    def read(self, text: bytes) -> None:
        """Facts, restarts and remarks in a stretch of text."""
        for match in _MEMBER.finditer(text):
            name = match["name"] or match["element"] or b"nodename"
            value = match["value"] if match["name"] else match["text"] if match["element"] else match["host"]
            self._take(name.decode(), decode_text(value.strip()))
        for match in _BOOT.finditer(text):
            self._take_boot(match["members"])
        for match in _COMMENT.finditer(text):
            stamp = _stamp_of(match["members"])
            if stamp is not None:
                self._clock.comment(*stamp, decode_text(match["text"]).strip())

    def book_line(self, number: int, line: bytes) -> None:
        """Books a line outside of samples."""
        if not line or line.isspace():
            self._book.blank()
        elif _STRUCTURE.match(line):
            self._book.header()
        else:
            self._book.skip("nul_bytes" if b"\0" in line else "not_a_table", number, line)

    def _take(self, name: str, value: str) -> None:
        if name == "nodename":
            if self._book.hostname and self._book.hostname != value:
                self._book.warn("several_hosts")
            self._book.hostname = self._book.hostname or value
        elif name == "release":
            self._book.os_version = self._book.os_version or value
        elif name == "timezone":
            self._clock.header_zone = value
        elif value:
            fact = SystemFact("cpu", {"machine": "Architecture"}.get(name, "CPU(s)"), value)
            if len(self.facts) < _MOST_FACTS and fact not in self.facts:
                self.facts.append(fact)

    def _take_boot(self, members: bytes) -> None:
        stamp = _stamp_of(members)
        if stamp is not None:
            pairs = {match["name"]: match["value"] for match in _PAIR.finditer(members)}
            self._clock.restart(*stamp, decode_text(pairs.get(b"cpu_count", b"")))


def _stamp_of(members: bytes) -> tuple[int, str] | None:
    """Seconds in the zone that is named, and the zone."""
    pairs = {match["name"]: match["value"] for match in _PAIR.finditer(members)}
    parts = _STAMP_PART.findall(pairs.get(b"date", b"") + b" " + pairs.get(b"time", b""))
    if len(parts) != 6 or any(len(part) > 4 for part in parts):
        return None
    seconds, good = seconds_of(np.asarray([[float(part) for part in parts]]))
    zone = "UTC" if pairs.get(b"utc") == b"1" else decode_text(pairs.get(b"tz", b""))
    return (int(seconds[0]), zone) if good[0] else None
