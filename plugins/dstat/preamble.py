"""The five or six lines above a CSV's headings.

"Dstat 0.8.0 CSV output"                 "pcp-dstat 5.0.3 CSV Output"            "dool 1.3.8 CSV output"
"Author:","PCP team <pcp@groups.io> and Dag Wieers <dag@wieers.com>,,,,"URL:","http://..."      a quote is missing
"Host:","db1",,,,"User:","root"
"Cmdline:","dstat -tcdn --output x.csv 1 10",,,,"Date:","21 Nov 2026 16:15:32 KST"
"""

from __future__ import annotations

import re

from tunebench.sdk import LedgerBook, SystemFact, decode_text, lazy_pattern

TITLE = lazy_pattern(
    rb'^"?(?P<tool>pcp-dstat|pcp dstat|dstat|dool) (?P<version>[\w.+-]+) CSV output"?,*\s*$', re.IGNORECASE
)
_LINE = lazy_pattern(rb'^"?(?P<name>Author|Host|Cmdline|User|URL|Date):"?,')
_INTERVAL = lazy_pattern(r"\s(?P<interval>\d+(?:\.\d+)?)(?:\s+\d+)?\s*$")


class Preamble:
    """Attributes:
    in_bits: dool without --bytes prints what others print in bytes per second in bits.
    interval_s: the last figures of the command line; dstat's own is 1.
    date: as it is written.
    """

    def __init__(self, book: LedgerBook) -> None:
        self._book = book
        self._facts: dict[str, str] = {}
        self.in_bits = False
        self.interval_s: float | None = None
        self.date = ""

    def facts(self) -> list[SystemFact]:
        return [SystemFact("volatile", f"dstat {name}", value) for name, value in self._facts.items()]

    def read(self, line: bytes) -> bool:
        title = TITLE.match(line)
        if title is not None:
            self._book.variant = title["tool"].decode().lower().replace(" ", "-")
            self._book.tool = "dool" if self._book.variant == "dool" else "dstat"
            self._book.tool_version = title["version"].decode()
            self.in_bits = self._book.tool == "dool"
            return True
        if _LINE.match(line) is None:
            return False
        cells = [cell.strip().strip('"') for cell in decode_text(line).split('",')]
        pairs = [part.lstrip(", ").strip('"') for part in cells]
        for index, name in enumerate(pairs[:-1]):
            if name.endswith(":"):
                self._take(name.removesuffix(":"), pairs[index + 1])
        return True

    def _take(self, name: str, value: str) -> None:
        if name == "Host":
            if self._book.hostname and value != self._book.hostname:
                self._book.warn("several_hosts")
            self._book.hostname = self._book.hostname or value
        elif name == "Cmdline":
            self._facts["command"] = value[:400]
            if "--bytes" in value.split():
                self.in_bits = False
            match = _INTERVAL.search(value)
            seconds = float(match["interval"]) if match is not None else 1.0
            self.interval_s = seconds if 0 < seconds <= 86_400 else None
        elif name == "Date":
            self.date = value
            self._facts["date"] = value[:100]
