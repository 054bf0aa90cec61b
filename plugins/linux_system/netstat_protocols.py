"""`netstat -s` of net-tools in a loop: every counter by its name, and rates between two rounds.

    Tcp:
        293 active connection openings
        0 connections established
        Quick ack mode was activated 16 times
    TcpExt:
        TCPTimeouts: 3
    Icmp:
        ICMP input histogram:
            destination unreachable: 2

A counter is named by the words around its number (``active connection openings``) and its protocol, which is
the attribute ``group``. Lines of a histogram carry the histogram's name before their own.
"""

from __future__ import annotations

from tunebench.sdk import ParseContext, Round, StampedParser, body_lines, decode_text, lazy_pattern

_PROTOCOL = lazy_pattern(rb"^(?P<name>[A-Z][A-Za-z0-9]*):\s*$")
_FIRST = lazy_pattern(rb"^(?P<indent>\s+)(?P<value>\d{1,20}) (?P<name>\D.*?)\s*$")
_LAST = lazy_pattern(rb"^(?P<indent>\s+)(?P<name>[^:\d][^:]*): (?P<value>\d{1,20})\s*$")
_INSIDE = lazy_pattern(rb"^(?P<indent>\s+)(?P<before>\D+?) (?P<value>\d{1,20}) (?P<after>\D+?)\s*$")
_HISTOGRAM = lazy_pattern(rb"^(?P<indent>\s+)(?P<name>[^:\d]+):\s*$")
_FORWARDING = "Forwarding"  # 1 or 2: a setting
_MOST_NAMES, _MOST_PROTOCOLS = 300, 50  # twice as many as Linux has; every round has a figure for each
_STATES = frozenset({"connections established"})  # as of now, no counter


class NetstatProtocolsParser(StampedParser):
    """See the module."""

    tool, os = "netstat", "linux"

    def __init__(self, context: ParseContext) -> None:
        super().__init__(context)
        self.book.variant = "-s"
        self._first = b""
        self._protocol = ""
        self._histogram = ("", 0)  # its name, how far it is indented
        self._names: dict[str, dict[str, None]] = {}  # protocol -> counters seen; they never leave

    @staticmethod
    def sniff(head: bytes, file_name: str) -> float:  # noqa: ARG004  the text alone decides
        lines = body_lines(head)
        protocols = {line.split(b":")[0] for line in lines if _PROTOCOL.match(line)}
        counters = sum(_FIRST.match(line) is not None for line in lines)
        return 0.95 if {b"Ip", b"Tcp"} <= protocols and counters > len(lines) // 4 else 0.0

    def begins_round(self, line: bytes) -> bool:
        match = _PROTOCOL.match(line)
        if match is None:
            return False
        self._first = self._first or match["name"]
        return match["name"] == self._first

    def read_round(self, one: Round) -> None:
        counters: dict[str, tuple[int, dict[str, float]]] = {}
        self._protocol = ""
        for number, line in one.lines:
            protocol = _PROTOCOL.match(line)
            if protocol is not None:
                self._protocol, self._histogram = decode_text(protocol["name"]), ("", 0)
                self._first = self._first or protocol["name"]
                self.book.header()
            elif not self._protocol or not self._read_line(number, line, counters):
                self.skip_line(number, line)
        for name, (number, values) in counters.items():
            self._store(one, number, name, values)

    def _read_line(self, number: int, line: bytes, counters: dict[str, tuple[int, dict[str, float]]]) -> bool:
        match = _FIRST.match(line) or _LAST.match(line) or _INSIDE.match(line)
        if match is None:
            histogram = _HISTOGRAM.match(line)
            if histogram is not None:
                self._histogram = decode_text(histogram["name"]), len(histogram["indent"])
                self.book.header()
            return histogram is not None
        part = {name: decode_text(text) for name, text in match.groupdict().items()}
        name = part.get("name") or f"{part['before']} {part['after']}"
        if self._histogram[0] and len(match["indent"]) > self._histogram[1]:
            name = f"{self._histogram[0]}: {name}"
        _, own = counters.get(self._protocol) or (number, {})
        if name in own:
            return False
        if not self._is_known(name):
            self.book.skip("too_many_series", number, line)
        elif name != _FORWARDING:
            own[name] = float(part["value"])
            counters.setdefault(self._protocol, (number, own))
            self.book.data()
        else:
            self.book.header()
        return True

    def _is_known(self, name: str) -> bool:
        """Whether the protocol has this counter, or may still have it: a text of ever new ones is damage."""
        names = self._names.get(self._protocol)
        if names is None:
            if len(self._names) >= _MOST_PROTOCOLS:
                return False
            names = self._names[self._protocol] = {}
        if name not in names and name not in _STATES and name != _FORWARDING:
            if len(names) >= _MOST_NAMES:
                return False
            names[name] = None
        return True

    def _store(self, one: Round, number: int, protocol: str, values: dict[str, float]) -> None:
        """A counter appears with its first event, so a round may have more than the one before."""
        states = {name: values.pop(name) for name in _STATES & values.keys()}
        if states:
            self.table(f"state_{protocol}", tuple(states)).row(one.time_ns, number, "", list(states.values()))
        names = self._names[protocol]
        row = [values.get(name, float("nan")) for name in names]
        if row:
            self.add_counters(one, number, f"protocol_{protocol}", tuple(names), "group", protocol, row)
