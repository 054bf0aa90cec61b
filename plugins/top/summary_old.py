"""The lines above the processes as procps 2 prints them (Red Hat Enterprise Linux 3).

 15:55:05  up 9 days,  3:40,  3 users,  load average: 0.09, 0.05, 0.00
60 processes: 59 sleeping, 1 running, 0 zombie, 0 stopped
CPU states:  cpu    user    nice  system    irq  softirq  iowait    idle
           total    0.4%    0.0%    0.4%   0.0%     0.0%    0.0%   99.0%
           cpu00    0.4%    0.0%    0.4%   0.0%     0.0%    0.0%   99.0%
Mem:  1028408k av,  999832k used,   28576k free,       0k shrd,  153432k buff
                    692700k actv,  103108k in_d,   20300k in_c
"""

from __future__ import annotations

import re

from tunebench.sdk import decode_text, lazy_pattern

from .summary import SummaryRow, number_of

_TASKS = lazy_pattern(rb"^(?P<total>\d{1,9}) processes: (?P<states>\d.*)$")
_COUNT = lazy_pattern(rb"(\d{1,9}) ([a-z]+)")
_HEADING = lazy_pattern(rb"^CPU states:\s+cpu\s+(?P<names>[a-z]+(?:\s+[a-z]+)*)$")
_SHARES = lazy_pattern(rb"^\s+(?P<cpu>total|cpu\d{1,5})\s+(?P<cells>\d{1,4}\.\d%(?:\s+\d{1,4}\.\d%)*)$")
_ACTIVE = lazy_pattern(rb"^\s+\d{1,15}k actv,")
_SIZE = lazy_pattern(rb"(\d{1,15})k ([a-z_]+)")


class OldSummary:
    """Remembers the heading of the processors' table."""

    def __init__(self) -> None:
        self._names: tuple[str, ...] = ()

    def is_heading(self, text: bytes) -> bool:
        match = _HEADING.match(text)
        if match is not None:
            self._names = tuple(decode_text(match["names"]).split())
        return match is not None

    def read(self, text: bytes) -> list[SummaryRow]:
        tasks, shares = _TASKS.match(text), _SHARES.match(text)
        if tasks is not None:
            states = {decode_text(name): float(count) for count, name in _COUNT.findall(tasks["states"])}
            return [SummaryRow("tasks", ("total", *states), (float(tasks["total"]), *states.values()))]
        if shares is not None:
            return self._processor(shares)
        if _ACTIVE.match(text):
            sizes = {f"Mem: {decode_text(name)}": float(size) for size, name in _SIZE.findall(text)}
            return [SummaryRow("memory", tuple(sizes), tuple(sizes.values()))]
        return []

    def _processor(self, match: re.Match[bytes]) -> list[SummaryRow]:
        values = tuple(number_of(cell.rstrip(b"%")) for cell in match["cells"].split())
        if len(values) != len(self._names):
            return []
        cpu = decode_text(match["cpu"])
        key = "all" if cpu == "total" else str(int(cpu.removeprefix("cpu")))
        return [SummaryRow("cpu", self._names, values, key, since_boot=True)]
