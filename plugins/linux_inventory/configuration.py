"""Parser of what somebody mailed of a Linux host's configuration: one command's output, or many in one file.

    [root@db1 ~]# lscpu
    Architecture:        x86_64
    CPU(s):              16
    [root@db1 ~]# cat /etc/fstab
    /dev/mapper/ol-root     /                       xfs     defaults        0 0

A prompt, a title or the first line of an output tells which one follows (`prompts`, `kinds`). The readers are those of
the house's own inventory, so that the facts bear the same names. A command that stands there twice counts as the last
time. df, free, /proc/meminfo, netstat -i and uptime alone are samples as well and have parsers of their own, which give
the same facts; among others they are facts here. What chkconfig or systemctl list is no capture.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice

from tunebench.families.linux.hardware import read_ethtool
from tunebench.families.linux.storage import read_schedulers
from tunebench.families.readings import MOST_FACTS, Reading, facts_of
from tunebench.sdk import ParseContext, Round, StampedParser, SystemFact, body_lines, decode_text, lazy_pattern, record

from .kinds import KINDS, LINUX_ALONE, beginning_of, fits, goes_on
from .prompts import Prompt, read_prompt

_UNAME = lazy_pattern(r"^Linux (?P<host>\S+) (?P<release>\d\S*) ")
_SURE, _ALONE, _AMONG_OTHERS, _HARDLY = 0.97, 0.93, 0.55, 0.2
_JSON = "json"
_OF_JSON = lazy_pattern(r"^[\s\]}]")
_LONGEST = 8000  # the flags of a processor are half of this
_ONE_LINE = frozenset({"uname", "uptime", "release", "cmdline"})


@record
class _Output:
    kind: str
    device: str = ""
    command: str = ""  # of the prompt above it
    trusted: bool = False  # the prompt names the host: whatever follows is the command's


class ConfigurationParser(StampedParser):
    """See the module."""

    tool = "configuration"
    timeless = True

    def __init__(self, context: ParseContext) -> None:
        super().__init__(context)
        self._readings: dict[tuple[str, str], tuple[Reading, ...]] = {}  # of a kind and its command
        self._kept = 0
        self._is_sysctl_file = "sysctl.conf" in context.file_name or "sysctl.d" in context.path

    @staticmethod
    def sniff(head: bytes, file_name: str) -> float:  # noqa: ARG004  the text alone decides
        """How much of the text is known decides: a line of uname above a vmstat is vmstat's."""
        lines = [decode_text(line) for line in body_lines(head)]
        if any(line.startswith("@section ") for line in lines):
            return 0.0
        recognised = [
            (output.kind, line) for output, line in zip(_outputs(lines, False), lines, strict=True) if output.kind
        ]
        kinds = [kind for kind, line in recognised if fits(kind, line)]
        distinct = set(kinds)
        if not any(KINDS[kind].own for kind in distinct):
            return 0.0
        accounted = len(kinds) + sum(read_prompt(line) is not None for line in lines)
        if 5 * accounted >= 4 * len(lines):
            return _SURE if len(distinct) > 1 else _ALONE
        return _AMONG_OTHERS if 2 * accounted > len(lines) else _HARDLY

    def facts(self) -> Sequence[SystemFact]:
        parts = self._readings.items()
        return facts_of((KINDS[kind].section, one) for (kind, _), readings in parts for one in readings)

    def read_round(self, one: Round) -> None:
        texts = [decode_text(line) for _, line in one.lines]
        current = _Output("")
        own: list[str] = []
        for (number, line), text, output in zip(one.lines, texts, _outputs(texts, self._is_sysctl_file), strict=True):
            if output is not current:
                self._close(current, own)
                current, own = output, []
            prompt = read_prompt(text) if not output.kind else None
            if prompt is not None:
                self.book.hostname = self.book.hostname or prompt.host
            if len(text) > _LONGEST:
                self.book.skip("too_long", number, line)
            elif b"\0" in line or not output.kind:
                self.skip_line(number, line, "wrapper" if prompt is not None else "not_a_table")
            else:
                own.append(text)
                self.book.data()
        self._close(current, own)

    def _close(self, output: _Output, lines: Sequence[str]) -> None:
        if not output.kind or not lines:
            return
        if output.kind in LINUX_ALONE:
            self.book.os = "linux"
        match = _UNAME.match(lines[0]) if output.kind == "uname" else None
        if match is not None:
            self.book.hostname, self.book.os_version = match["host"], match["release"]
        key = (output.kind, output.command)
        self._kept -= len(self._readings.pop(key, ()))
        readings = tuple(islice(_readings_of(output, lines), max(MOST_FACTS - self._kept, 0)))
        if not readings:
            return
        self._kept += len(readings)
        self._readings[key] = readings
        kinds = {kind for kind, _ in self._readings}
        kinds = kinds - _ONE_LINE or kinds
        self.book.tool = kinds.pop() if len(kinds) == 1 else self.tool


def _outputs(lines: Sequence[str], sysctl_file: bool) -> Iterator[_Output]:
    """The output that each line is part of; the same object for lines of one output."""
    nothing = _Output("")
    current = nothing
    for index, whole in enumerate(lines):
        line = whole[:_LONGEST]
        prompt = None if current.kind == "dmidecode" and line.startswith("# ") else read_prompt(line)
        if prompt is not None and not _is_comment(line, current, prompt):
            current = _Output(prompt.kind, prompt.device, prompt.command, bool(prompt.host)) if prompt.kind else nothing
            yield nothing
            continue
        current = _continued(
            current, line, beginning_of(line, lines[index + 1] if index + 1 < len(lines) else ""), sysctl_file
        )
        yield current if current.kind else nothing


def _is_comment(line: str, current: _Output, prompt: Prompt) -> bool:
    """``# /etc/fstab`` inside a file that begins so, and comments of other files."""
    return (
        line.startswith("#")
        and not prompt.host
        and (beginning_of(line) != "" or current.kind in ("fstab", "sysctl.conf", "limits.conf", "os-release"))
    )


def _continued(current: _Output, line: str, begun: str, sysctl_file: bool) -> _Output:
    if current.kind and (current.trusted or (current.device == _JSON and _OF_JSON.match(line))):
        return current
    if current.command and fits(current.kind, line):
        return current
    if begun == "sysctl" and (sysctl_file or current.kind == "sysctl.conf"):
        begun = "sysctl.conf"
    if begun and begun != current.kind and not (current.kind == "sysctl" and begun == "sysctl.conf"):
        if current.kind and goes_on(current.kind, line) and current.kind in _SWALLOWING:
            return current
        return _Output(begun, _JSON if line.startswith("{") else "")
    if begun and KINDS[begun].goes_on is None:
        return _Output(begun)
    return current if current.kind and (begun or goes_on(current.kind, line)) else _Output("")


_SWALLOWING = frozenset({"dmidecode", "fstab", "mount"})
"""Outputs in which a line may look like the beginning of another one."""


def _readings_of(output: _Output, lines: Sequence[str]) -> Iterator[Reading]:
    if output.kind == "ethtool":
        return read_ethtool(lines, output.device)
    if output.kind == "scheduler":
        return read_schedulers(lines, output.device)
    return iter(KINDS[output.kind].read(lines))
