"""What iozone prints: the table of -a and single runs, and the throughput of -t.

                                                              random    random     bkwd    record    stride
              kB  reclen    write  rewrite    read    reread    read     write     read   rewrite      read   fwrite ...
          102400    1024   360823   362512                     378122   364339
        Children see throughput for  1 initial writers  =  109333.84 KB/sec

kB is 1024 bytes. A test that was not asked for leaves its column empty, so a figure belongs to the heading that ends
nearest to its own end. Table ``iozone`` with file/record size as the attribute group; shapes from published outputs of
revisions 3.2 to 3.49 and iozone.c.
"""

from __future__ import annotations

from tunebench.sdk import ParseContext, Round, body_lines, lazy_pattern

from .run_lines import KIB, RunLines

_TESTS = (
    "write",
    "rewrite",
    "read",
    "reread",
    "random_read",
    "random_write",
    "backward_read",
    "record_rewrite",
    "stride_read",
    "fwrite",
    "frewrite",
    "fread",
    "freread",
)
_HEADING = lazy_pattern(rb"^\s*[kK]B\s+reclen\s+\S")
_WORD = lazy_pattern(rb"\S+")
_THROUGHPUT = lazy_pattern(
    rb"^\s*Children see throughput for\s+\d+ ([a-z -]+?)\s*=\s*(\d+(?:\.\d+)?) ([kKMG]?)B(?:ytes)?/sec"
)
_CHILDREN = {
    b"initial writers": "write", b"rewriters": "rewrite", b"readers": "read", b"re-readers": "reread",
    b"random readers": "random_read", b"random writers": "random_write", b"reverse readers": "backward_read",
    b"stride readers": "stride_read", b"mixed workload": "mixed", b"pwrite writers": "pwrite",
    b"pread readers": "pread", b"fwriters": "fwrite", b"freaders": "fread",
}  # fmt: skip
_SIZES = {b"": 1.0, b"k": KIB, b"m": KIB**2, b"g": KIB**3}
_HEADER = lazy_pattern(
    rb"^\s*(?:Iozone:|Version \$|Compiled for|Build:|Contributors:|[A-Z][a-z]+ .*,|.*\brandom\s+random\b|Run began:"
    rb"|Include |O_DIRECT|Auto Mode|File size|Record Size|Command line|Output is|Time Resolution|Processor cache"
    rb"|File stride|Throughput test|Each process|Parent sees|Min |Max |Avg |iozone test complete|Using |Excel|SYNC)"
)


class IozoneParser(RunLines):
    """See the module."""

    tool = "iozone"
    result_table = "iozone_throughput"

    def __init__(self, context: ParseContext) -> None:
        super().__init__(context)
        self._ends: list[int] = []

    @staticmethod
    def sniff(head: bytes, file_name: str) -> float:  # noqa: ARG004  the text alone decides
        lines = body_lines(head)
        if any(b"Iozone: Performance Test of File I/O" in line for line in lines):
            return 0.95
        return 0.9 if any(_HEADING.match(line) or _THROUGHPUT.match(line) for line in lines) else 0.0

    def begins_round(self, line: bytes) -> bool:
        return b"Iozone: Performance Test of File I/O" in line

    def read_round(self, one: Round) -> None:
        self._ends = []
        super().read_round(one)

    def read_line(self, number: int, line: bytes) -> str:
        if _HEADING.match(line):
            self._ends = [word.end() for word in _WORD.finditer(line.expandtabs(8))]
            return "header"
        throughput = _THROUGHPUT.match(line)
        if throughput and throughput[1] in _CHILDREN:
            scale = _SIZES[throughput[3].lower()]
            self.note(number, f"{_CHILDREN[throughput[1]]}_bytes_per_s", float(throughput[2]) * scale)
            return "data"
        if self._ends and self._read_row(number, line.expandtabs(8)):
            return "data"
        return "header" if _HEADER.match(line) else ""

    def _read_row(self, number: int, line: bytes) -> bool:
        words = list(_WORD.finditer(line))
        if len(words) < 3 or not all(word[0].isdigit() for word in words):
            return False
        rates: dict[str, float] = {}
        for word in words[2:]:
            column = min(range(2, len(self._ends)), key=lambda index: abs(self._ends[index] - word.end()))
            if column - 2 < len(_TESTS):
                rates[f"{_TESTS[column - 2]}_bytes_per_s"] = float(word[0]) * KIB
        names = tuple(sorted(rates))
        key = f"{int(words[0][0])}k/{int(words[1][0])}k"
        self.table("iozone", names, "group").row(self.now.time_ns, number, key, [rates[name] for name in names])
        return True
