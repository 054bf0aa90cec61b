"""ss -s, once or in a loop: how many sockets there are.

Total: 189 (kernel 0)
TCP:   12 (estab 4, closed 2, orphaned 0, synrecv 0, timewait 1/0), ports 0
Transport Total     IP        IPv6
*         189       -         -
RAW       1         0         1
TCP       10        7         3
"""

from __future__ import annotations

from tunebench.sdk import Round, StampedParser, body_lines, decode_text, lazy_pattern

_TOTAL = lazy_pattern(rb"^Total:\s+(\d{1,12})(?:\s+\(kernel \d+\))?\s*$")
_TCP = lazy_pattern(rb"^TCP:\s+(\d{1,12}) \((?P<states>[a-z]+ \d.*?)\)(?:, ports \d+)?\s*$")
_STATE = lazy_pattern(rb"([a-z]+) (\d{1,12})")
_HEADING = [b"Transport", b"Total", b"IP", b"IPv6"]
_ROW = lazy_pattern(rb"^(?P<name>[A-Z]+|\*)\s+(?P<total>\d{1,12})\s+(?P<four>\d{1,12}|-)\s+(?P<six>\d{1,12}|-)\s*$")


class SsSummaryParser(StampedParser):
    """See the module."""

    tool, os = "ss", "linux"

    @staticmethod
    def sniff(head: bytes, file_name: str) -> float:  # noqa: ARG004  the text alone decides
        lines = body_lines(head)
        summary = any(_TCP.match(line) for line in lines) and any(_TOTAL.match(line) for line in lines)
        return 0.95 if summary or any(line.split() == _HEADING for line in lines) else 0.0

    def begins_round(self, line: bytes) -> bool:
        return _TOTAL.match(line) is not None

    def read_round(self, one: Round) -> None:
        for number, line in one.lines:
            total, tcp, row = _TOTAL.match(line), _TCP.match(line), _ROW.match(line)
            if total is not None:
                self.table("sockets", ("Total",)).row(one.time_ns, number, "", (float(total[1]),))
            elif tcp is not None:
                states = {decode_text(name): float(count) for name, count in _STATE.findall(tcp["states"])}
                self.table("tcp", ("TCP", *states)).row(one.time_ns, number, "", (float(tcp[1]), *states.values()))
            elif row is not None and row["name"] != b"*":
                values = [float("nan") if row[name] == b"-" else float(row[name]) for name in ("total", "four", "six")]
                table = self.table("transport", ("Total", "IP", "IPv6"), "state")
                table.row(one.time_ns, number, decode_text(row["name"]), values)
            elif line.split() == _HEADING or row is not None:
                self.book.header()
                continue
            else:
                self.skip_line(number, line)
                continue
            self.book.data()
