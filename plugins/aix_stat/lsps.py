"""Parser of `lsps -a` and `lsps -s` in a loop: how full the paging spaces are.

Page Space      Physical Volume   Volume Group    Size %Used   Active    Auto    Type   Chksum
hd6             hdisk0            rootvg        8192MB     3     yes     yes      lv       0
Total Paging Space   Percent Used                                                                -s
      30528MB               1%
"""

from __future__ import annotations

from itertools import pairwise

from tunebench.families.confidence import of_first
from tunebench.families.runs import text_of_head
from tunebench.sdk import Round, StampedParser, body_lines, decode_text, lazy_pattern

_ROW = lazy_pattern(
    rb"^(?P<space>\S+)\s+\S+\s+\S+\s+(?P<size>\d{1,12})(?P<unit>[MG])B\s+(?P<used>\d{1,3})\s+(?:yes|no)\b"
)
_TOTAL = lazy_pattern(rb"^\s*(?P<size>\d{1,12})(?P<unit>[MG])B\s+(?P<used>\d{1,3})%\s*$")
_HEADINGS = (b"Page Space ", b"Total Paging Space")
_MEBIS = {b"M": 1.0, b"G": 1024.0}


class LspsParser(StampedParser):
    """A space's size is in MB as the command prints it; a total is the space ``total``."""

    tool, os = "lsps", "aix"

    @staticmethod
    def sniff(head: bytes, file_name: str) -> float:  # noqa: ARG004  the text alone decides
        return of_first(
            pairwise(body_lines(text_of_head(head))),
            lambda two: two[0].startswith(_HEADINGS) and (_ROW.match(two[1]) or _TOTAL.match(two[1])),
            3,
        )

    def begins_round(self, line: bytes) -> bool:
        return line.startswith(_HEADINGS)

    def read_round(self, one: Round) -> None:
        for number, line in one.lines:
            match = _ROW.match(line) or _TOTAL.match(line)
            if line.startswith(_HEADINGS):
                self.book.header()
            elif match is not None:
                space = decode_text(match["space"]) if "space" in match.re.groupindex else "total"
                values = [float(match["size"]) * _MEBIS[match["unit"]], float(match["used"])]
                self.table("paging_space", ("Size", "%Used"), "device").row(one.time_ns, number, space, values)
                self.book.data()
            else:
                self.skip_line(number, line)
