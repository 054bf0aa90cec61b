"""nfsiostat of nfs-utils, in its two layouts: operations, sizes and times of each mounted export.

10.0.0.9:/export mounted on /mnt/nfs:

           ops/s       rpc bklog
          12.345           0.000

read:              ops/s            kB/s           kB/op         retrans    avg RTT (ms)    avg exe (ms)
                   1.234          56.789          46.020        0 (0.0%)           1.234           2.345
write:   ops/s   kB/s   kB/op   retrans   avg RTT (ms)   avg exe (ms)  avg queue (ms)  errors          nfs-utils 2
         0.123  5.678  46.163  0 (0.0%)          2.345          3.456           0.100  0 (0.0%)

   op/s         rpc bklog                                                 before nfs-utils 1.2.8
   1.23            0.00
read:             ops/s            kB/s           kB/op         retrans         avg RTT (ms)    avg exe (ms)

The first round is since the export was mounted. What stands in brackets is the share of the count before it.
"""

from __future__ import annotations

from tunebench.families.confidence import of_share
from tunebench.sdk import ParseContext, Round, StampedParser, body_lines, decode_text, lazy_pattern

_EXPORT = lazy_pattern(rb"^(?P<export>\S.*?) mounted on (?P<place>/.*?):?\s*$")
_TOTALS = lazy_pattern(rb"^\s+ops?/s\s+rpc bklog\s*$")
_KIND = lazy_pattern(
    rb"^(?P<kind>read|write):\s+(?P<heading>ops/s\s+kB/s\s+kB/op\s+retrans\s+avg RTT \(ms\)\s+avg exe \(ms\).*?)\s*$"
)
_WORDS = lazy_pattern(rb"\S+(?: (?=\S)\S+)*")
_NUMBER = lazy_pattern(rb"(\d{1,15}\.?\d{0,6})(?: ?\((\d{1,3}\.\d+)%\))?")
_ROW = lazy_pattern(rb"^\s+\d[\d.]*(?:\s+\d[\d.]*(?: ?\(\d{1,3}\.\d+%\))?)+\s*$")


class NfsiostatParser(StampedParser):
    """See the module."""

    tool, os = "nfsiostat", "linux"

    def __init__(self, context: ParseContext) -> None:
        super().__init__(context)
        self._first = b""
        self._rounds = 0

    @staticmethod
    def sniff(head: bytes, file_name: str) -> float:  # noqa: ARG004  the text alone decides
        lines = body_lines(head)
        if not any(_KIND.match(line) for line in lines):
            return 0.0
        return of_share(
            lines, lambda line: any(pattern.match(line) for pattern in (_EXPORT, _TOTALS, _KIND, _ROW)), 0.8
        )

    def begins_round(self, line: bytes) -> bool:
        match = _EXPORT.match(line)
        if match is None:
            return False
        self._first = self._first or match["place"]
        return match["place"] == self._first

    def read_round(self, one: Round) -> None:
        self._rounds += 1
        export_name, kind = "", ""
        heading: tuple[str, ...] = ()
        for number, line in one.lines:
            export, above = _EXPORT.match(line), _KIND.match(line)
            if export is not None:
                export_name, kind, heading = decode_text(export["place"]), "", ()
                self.book.header()
            elif _TOTALS.match(line):
                kind, heading = "", ("ops/s", "rpc bklog")
                self.book.header()
            elif above is not None:
                kind = decode_text(above["kind"])
                heading = tuple(decode_text(word) for word in _WORDS.findall(above["heading"]))
                self.book.header()
            elif export_name and heading and _ROW.match(line):
                self._add(one, number, line, export_name, kind, heading)
                heading = ()
            else:
                self.skip_line(number, line)

    def _add(self, one: Round, number: int, line: bytes, export_name: str, kind: str, heading: tuple[str, ...]) -> None:
        cells = _NUMBER.findall(line)
        if len(cells) != len(heading):
            self.skip_line(number, line, "unreadable_numbers")
            return
        self.book.data()
        names: list[str] = []
        values: list[float] = []
        for name, (value, share) in zip(heading, cells, strict=True):
            names.append(name)
            values.append(float(value))
            if share:
                names.append(f"{name} %")
                values.append(float(share))
        table = self.table(f"nfs_{kind}" if kind else "nfs", tuple(names), "mountpoint")
        table.row(one.time_ns, number, export_name, values, since_boot=self._rounds == 1)
