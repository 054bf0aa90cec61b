"""numastat, once or in a loop: where memory was found, per node.

                               node0           node1
    numa_hit              5000000000      4000000000
    numa_miss                      0             100
    Per-node system memory usage (in MBs):                                       -m; -n counts allocations in MB
                              Node 0          Node 1           Total
                     --------------- --------------- ---------------
    MemTotal                16338.71        16384.00        32722.71

The counters are pages since boot: as they stand, and the rates between two rounds. MB are MiB. A node is ``node0``;
the sum of all is left out.
"""

from __future__ import annotations

import re

from tunebench.sdk import ParseContext, Round, StampedParser, body_lines, decode_text, lazy_pattern

_NODES = lazy_pattern(rb"^\s+(?:[Nn]ode\s?\d+\s+)*[Nn]ode\s?\d+(?:\s+Total)?\s*$")
_NODE = lazy_pattern(rb"[Nn]ode\s?(\d+)")
_TITLE = lazy_pattern(rb"^Per-node (?:system memory usage|numastat info) \(in MBs\):\s*$")
_RULE = lazy_pattern(rb"^\s*-+(?: +-+)*\s*$")
_ROW = lazy_pattern(
    rb"^(?P<name>[A-Za-z]\w*(?:\(\w+\))?)\s+(?P<cells>\d{1,20}(?:\.\d+)?(?:\s+\d{1,20}(?:\.\d+)?)*)\s*$"
)
_COUNTED_IN_MIB = lazy_pattern(r"^(?:Numa_|Interleave_|Local_Node|Other_Node)")


class NumastatParser(StampedParser):
    """See the module."""

    tool, os = "numastat", "linux"

    def __init__(self, context: ParseContext) -> None:
        super().__init__(context)
        self._nodes: tuple[str, ...] = ()
        self._mebibytes = False
        self._titled = False  # the title begins each round, and headings of further nodes may follow

    @staticmethod
    def sniff(head: bytes, file_name: str) -> float:  # noqa: ARG004  the text alone decides
        lines = body_lines(head)
        heading = any(_NODES.match(line) for line in lines)
        counted = any(line.startswith((b"numa_hit", b"Numa_Hit")) for line in lines)
        return 0.95 if heading and (counted or any(_TITLE.match(line) for line in lines)) else 0.0

    def begins_round(self, line: bytes) -> bool:
        self._titled = self._titled or _TITLE.match(line) is not None
        return (_TITLE if self._titled else _NODES).match(line) is not None

    def read_round(self, one: Round) -> None:
        columns: dict[str, dict[str, float]] = {}
        first_line = 0
        self._mebibytes = False
        for number, line in one.lines:
            row = _ROW.match(line)
            if _TITLE.match(line):
                self._mebibytes = True
                self.book.header()
            elif _NODES.match(line):
                self._nodes = tuple(f"node{number.decode()}" for number in _NODE.findall(line))
                self.book.header()
            elif _RULE.match(line):
                self.book.header()
            elif row is not None and self._nodes and self._add(row, columns):
                first_line = first_line or number
                self.book.data()
            else:
                self.skip_line(number, line)
        for node, figures in columns.items():
            self._store(one, first_line, node, figures)

    def _add(self, row: re.Match[bytes], columns: dict[str, dict[str, float]]) -> bool:
        cells, name = row["cells"].split(), decode_text(row["name"])
        repeated = any(name in columns.get(node, ()) for node in self._nodes)
        if repeated or len(cells) not in (len(self._nodes), len(self._nodes) + 1):
            return False
        for node, cell in zip(self._nodes, cells, strict=False):
            columns.setdefault(node, {})[name] = float(cell)
        return True

    def _store(self, one: Round, line: int, node: str, figures: dict[str, float]) -> None:
        names, values = tuple(figures), tuple(figures.values())
        if not self._mebibytes:
            self.add_counters(one, line, "numa", names, "group", node, values)
            return
        table = "numa_allocated" if _COUNTED_IN_MIB.match(names[0]) else "numa_memory"
        self.table(table, names, "group").row(one.time_ns, line, node, values)
