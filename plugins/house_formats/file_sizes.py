"""Distribution of the file sizes below a directory, as the program's probe counts it.

    @tree /oradata
    @bucket 0 4096 1532 2203847
    @bucket 4096 8192 210 1289531
    @total 1742 3493378 complete

A bucket holds the files of low <= size < high bytes: how many, and how many bytes together. ``truncated`` says
that the probe reached its limit and counted a part. The counts are facts of the host; a probe that runs
again and again gives series as well, one per bucket.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from tunebench.families.confidence import of_share
from tunebench.sdk import ParseContext, Round, StampedParser, SystemFact, body_lines, decode_text, lazy_pattern

SECTION = "file_sizes"
_TREE = lazy_pattern(rb"^@tree (?P<path>\S.*?)\s*$")
_BUCKET = lazy_pattern(rb"^@bucket (?P<low>\d{1,20}) (?P<high>\d{1,20}|-) (?P<files>\d{1,15}) (?P<bytes>\d{1,20})\s*$")
_TOTAL = lazy_pattern(rb"^@total (?P<files>\d{1,15}) (?P<bytes>\d{1,20}) (?P<state>complete|truncated)\s*$")
_COLUMNS = ("files", "bytes")
_Row = tuple[int, int, str, tuple[float, float]]  # time, line number, bucket, figures


class FileSizesParser(StampedParser):
    """See the module."""

    tool = "file_sizes"

    def __init__(self, context: ParseContext) -> None:
        super().__init__(context)
        self._facts: dict[str, dict[str, str]] = {}  # tree -> facts of its last round
        self._first_rows: dict[str, list[_Row]] = {}  # tree -> rows of its first round, until there is a second
        self._total_seen = False

    @staticmethod
    def sniff(head: bytes, file_name: str) -> float:  # noqa: ARG004  the text alone decides
        return of_share(body_lines(head), _BUCKET.match, 0.4, sure=0.97)

    def begins_round(self, line: bytes) -> bool:
        """A tree, or the first bucket after a total."""
        begins = line.startswith(b"@tree ") or (self._total_seen and line.startswith(b"@bucket "))
        self._total_seen = line.startswith(b"@total ")
        return begins

    def facts(self) -> Sequence[SystemFact]:
        """Counts per bucket and in total, of the last round; names begin with the tree where it is known."""
        return [
            SystemFact(SECTION, f"{tree} {name}".strip(), value)
            for tree, facts in self._facts.items()
            for name, value in facts.items()
        ]

    def read_round(self, one: Round) -> None:
        tree = ""
        facts: dict[str, str] = {}
        rows: list[_Row] = []
        for number, line in one.lines:
            bucket, total, named = _BUCKET.match(line), _TOTAL.match(line), _TREE.match(line)
            if bucket is not None:
                rows.append(_read_bucket(one.time_ns, number, bucket, facts))
                self.book.data()
            elif total is not None:
                facts |= {
                    "total files": total["files"].decode(),
                    "total bytes": total["bytes"].decode(),
                    "state": total["state"].decode(),
                }
                self.book.data()
            elif named is not None:
                self._keep(tree, facts, rows)
                tree, facts, rows = decode_text(named["path"]), {}, []
                self.book.header()
            else:
                self.skip_line(number, line)
        self._keep(tree, facts, rows)

    def _keep(self, tree: str, facts: dict[str, str], rows: list[_Row]) -> None:
        if not facts:
            return
        repeated = tree in self._facts
        self._facts[tree] = facts
        if not repeated:
            self._first_rows[tree] = rows
            return
        attributes = ((("mountpoint", tree),) if tree else (),) * len(_COLUMNS)
        for time_ns, number, bucket, values in [*self._first_rows.pop(tree, []), *rows]:
            table = self.table(f"file_sizes {tree}".strip(), _COLUMNS, "state", attributes)
            table.row(time_ns, number, bucket, values)


def _read_bucket(time_ns: int, number: int, match: re.Match[bytes], facts: dict[str, str]) -> _Row:
    bucket = f"{match['low'].decode()}-{match['high'].decode().removeprefix('-')}"
    facts[f"{bucket} files"] = match["files"].decode()
    facts[f"{bucket} bytes"] = match["bytes"].decode()
    return time_ns, number, bucket, (float(match["files"]), float(match["bytes"]))
