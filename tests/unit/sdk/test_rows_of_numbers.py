"""Which lines are rows of numbers, and that no account can call one a heading."""

from __future__ import annotations

from functools import partial

import pytest

from tunebench.domain.ledger import UNACCOUNTED_ROWS
from tunebench.sdk import LineParser, ParseContext
from tunebench.sdk.scanning import compiled, rows
from tunebench.sdk.testkit_runs import pieces

ROWS = (
    b" 1  0      0 3215312 107756 4284836    0    0     2    20   15   27  1  0 99  0  0",
    b"vda             51.65   1075.61     6.22  10.74    0.53    20.83   62.90",
    b"vda             51,65   1075,61",
    b"09:34:34          0      0.55      0.00      0.24",
    b"2026-11-23 10:00:00\t12\t0\t3",
    b'"04/01/2026 10:00:00.123","1.5","2.25e-05","-3"',
    b"profrouter;300;2020-05-02 00:05:01 UTC;3;0.02;0.01;0.03",
    b"28118 root      20   0  465216 133188  40600 R  86.7   0.5   0:12.44 python",
    b"T0001|1.5|2|3K",
    b"tmpfs             24684084     1052  24683032       1% /dev/shm",
)
NO_ROWS = (
    b"",
    b"Linux 6.1.0-18-amd64 (db01) \t11/21/26 \t_x86_64_\t(4 CPU)",
    b"Mon Jul 20 09:00:00 KST 2026",
    "2026. 07. 20. (월) 오전 09:00:00 KST".encode(),
    b"zzz ***Mon Jul 20 09:00:00 KST 2026",
    b"procs -----------memory---------- ---swap-- -----io---- -system-- ------cpu-----",
    b" r  b   swpd   free   buff  cache   si   so    bi    bo   in   cs us sy id wa st",
    b"10:00:01 AM  CPU    %usr   %nice    %sys",
    b"#     1Pg    2Pgs    4Pgs    8Pgs   16Pgs   32Pgs",
    b"real\t0m1.234s",
    b'<cpu number="all" user="0.50" nice="0.00" system="0.25"/>',
    b"2026-11-23 10:00:00 10.1.2.3 1.2.3.4 - -- .",
)


COMPILED = compiled.load(compiled.library_path())
COUNTERS = [rows.count_rows_plainly, *([partial(rows.count_rows_compiled, library=COMPILED)] if COMPILED else [])]


@pytest.mark.parametrize("count", COUNTERS)
def test_rows_are_told_from_headings(count):
    assert [line for line in ROWS if not count(line).rows] == []
    assert [line for line in NO_ROWS if count(line).rows] == []
    text = b"\r\n".join((*ROWS, *NO_ROWS))
    assert count(text).rows == count(text + b"\n").rows == len(ROWS)
    assert count(b"real 1.5 user 2 sys x\n1 2 3 4 5\n") == (1, 5)


class Careless(LineParser):
    """Keeps rows below ten, leaves out those of a hundred and more, and takes the others for headings."""

    @staticmethod
    def sniff(head, file_name):
        return 0.0

    def read_lines(self, first_line, lines):
        for number, line in enumerate(lines, first_line):
            first = int(line.split()[0]) if line[:1].isdigit() else -1
            if 0 <= first < 10:
                self.book.data()
            elif first >= 100:
                self.book.skip("not_a_table", number, line)
            else:
                self.book.header()
        return ()


@pytest.mark.parametrize("size", [0, 1, 7])
def test_a_row_of_numbers_is_never_a_heading(size):
    parser = Careless(ParseContext())
    for piece in pieces(b"r b us\n1 0 3\n12 0 3\n 11 0 3\n100 1 1\n55 1 a\n9 9 9", size):
        list(parser.feed(piece))
    list(parser.finish())
    ledger = parser.ledger()
    lines = ledger.lines
    assert (lines.data, lines.header, lines.blank, lines.skipped) == (2, 1, 0, 4)
    assert lines.balanced
    assert {each.reason: each.count for each in ledger.skipped} == {UNACCOUNTED_ROWS: 3, "not_a_table": 1}
    assert UNACCOUNTED_ROWS in ledger.warnings
    assert ledger.unaccounted == 3 / 5
    assert parser.ledger() == ledger
