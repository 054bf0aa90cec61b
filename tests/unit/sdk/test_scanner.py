"""What a scanner reads, stops at and counts; both implementations."""

from __future__ import annotations

import random
import shutil
import subprocess
from decimal import Decimal
from itertools import pairwise

import numpy as np
import pytest

from tunebench.sdk.scanning import choice, compiled
from tunebench.sdk.scanning.reference import ReferenceReader
from tunebench.sdk.scanning.scanner import MOST_MARKS, Cell, Dialect, Field, Form, Key, Reader, Scanner

DIALECT = Dialect(b".,", b"kM", (b"-", b"N/A"))
CLOCK = (Field(9, 11, 23), Field(12, 14, 59), Field(15, 17, 59))


@pytest.fixture(scope="session")
def library(tmp_path_factory):
    if shutil.which("cc") is None:
        pytest.skip("no C compiler")
    path = tmp_path_factory.mktemp("scan") / "scan.so"
    command = ["cc", "-O2", "-std=c99", "-Wall", "-Wextra", "-Werror", "-fPIC", "-shared", "-o", path, compiled.SOURCE]
    subprocess.run(command, check=True)
    return compiled.load(path)


@pytest.fixture(params=["plain", "compiled"])
def reader(request) -> Reader:
    if request.param == "plain":
        return ReferenceReader(DIALECT)
    return compiled.CompiledReader(DIALECT, request.getfixturevalue("library"))


def all_of(scanner: Scanner, text: bytes, first_line: int = 1):
    """The scans of a text until a line is none that is known, or the text is over."""
    found, at, number = [], 0, first_line
    while True:
        scan = scanner.scan(text, at, number)
        found.append(scan)
        if scan.other or (scan.end == at and not scan.lines and len(found) > 5):
            return found
        at, number = scan.end, number + scan.lines


def test_lines_of_an_iostat(reader):
    scanner = Scanner(DIALECT, reader)
    cpu, devices = scanner.table(2, Key.NONE), scanner.table(3)
    scanner.know(b"avg-cpu: %user %idle", cpu)
    scanner.know(b"Device tps kB_read kB_wrtn", devices)
    scanner.know(b"11/21/26 16:10:13", None, CLOCK)
    text = (
        b"11/21/26 16:10:15\navg-cpu: %user %idle\n     37.46  44,92\n\n"
        b"Device tps kB_read kB_wrtn\nvda 117.94 1.5k -\nvdb   0.00    -0  3\n \t\n"
        b"11/21/26 17:00:59\nDevice tps kB_read kB_wrtn\nvdb 1 2 3\nsomething else\n"
    )
    scans = all_of(scanner, text, 100)
    assert text[scans[-1].end :] == b"something else\n"
    assert sum(scan.blanks for scan in scans) == 2
    assert sum(scan.lines for scan in scans) == text.count(b"\n") - 1
    marks = [scanner.marks[one].line[:6] for scan in scans for one in scan.marks.tolist()]
    assert marks == [b"11/21/", b"avg-cp", b"Device", b"11/21/", b"Device"]
    assert [line for scan in scans for line in scan.mark_lines.tolist()] == [100, 101, 104, 108, 109]
    assert [one[:3] for scan in scans for one in scan.fields.tolist()][::3] == [[16, 10, 15], [17, 0, 59]]
    assert devices.names == {b"vda": 0, b"vdb": 1}
    rows = [part for scan in scans for part in scan.rows]
    assert [line for part in rows if part.table is cpu for line in part.lines.tolist()] == [102]
    assert [line for part in rows if part.table is devices for line in part.lines.tolist()] == [105, 106, 110]
    assert [key for part in rows if part.table is devices for key in part.keys.tolist()] == [0, 1, 1]
    assert np.vstack([part.values for part in rows if part.table is cpu]).tolist() == [[37.46, 44.92]]
    values = np.vstack([part.values for part in rows if part.table is devices])
    assert np.isnan(values[0, 2])
    assert values[0, :2].tolist() == [117.94, 1.5]
    assert values[1:].tolist() == [[0.0, 0.0, 3.0], [1.0, 2.0, 3.0]]
    assert np.signbit(values[1, 1])
    assert min(part.shortest for part in rows if part.table is devices) == len(b"vdb 1 2 3")


@pytest.mark.parametrize(
    "line",
    [
        b"sda 1 2 3",  # too many
        b"sda 1",
        b" sda 1 2",  # the key comes first
        b"sda 1e5 2",
        b"sda inf 2",
        b"sda 1_0 2",
        b"sda .5 2",
        b"sda 5. 2",
        b"sda 1.2.3 2",
        b"sda +-1 2",
        b"sda 1\r 2",
        b"s\0a 1 2",
        b"sda -1k 2",  # a suffix has no sign
        b"sda 1kk 2",
        b"sda 9007199254740990 2",  # may need to be rounded twice
        b"sda 0.00000000000000000000001 2",
        b"Device tps",
    ],
)
def test_what_is_no_row_is_given_back(reader, line):
    scanner = Scanner(DIALECT, reader)
    scanner.open_table = scanner.table(2)
    text = b"sda 1 2\n" + line + b"\nsda 1 2\n"
    scans = all_of(scanner, text)
    assert scans[-1].other
    assert text[scans[-1].end :] == line + b"\nsda 1 2\n"


def test_a_name_behind_its_numbers_and_factors_of_suffixes(reader):
    scanner = Scanner(DIALECT, reader)
    table = scanner.open_table = scanner.table(2, Key.LAST, np.array([[1.0, 1024.0], [2.0, 4.0]]))
    scans = all_of(scanner, b"  5.7M  3k sda\n1 2 \xec\x9d\xb4 \n1 2 3 sda\n")
    values = np.vstack([part.values for scan in scans for part in scan.rows])
    assert values.tolist() == [[5.7 * 1024.0, 6.0], [1.0, 2.0]]
    assert list(table.names) == [b"sda", "이".encode()]


def test_each_number_is_the_double_nearest_to_what_is_printed(reader):
    """`float` rounds once, by its definition; the decimals between two doubles are the hard ones."""
    chance = random.Random(5)
    printed = ["0.1", "0.3", "9007199254740989", "900719925474098.9", "45035996273704.75", "0.0000000000000000000001"]
    for _ in range(3000):
        digits = str(chance.randrange(1, 9_007_199_254_740_989))
        places = chance.randrange(23)
        if places:
            digits = digits.rjust(places + 1, "0")
            digits = digits[:-places] + "." + digits[-places:]
        printed.append(digits)
    scanner = Scanner(DIALECT, reader)
    scanner.open_table = scanner.table(1, Key.NONE)
    scans = all_of(scanner, "\n".join([*printed, "end", ""]).encode())
    values = np.concatenate([part.values[:, 0] for scan in scans for part in scan.rows]).tolist()
    assert values == [float(Decimal(text)) for text in printed]


def test_pieces_may_end_anywhere_and_the_table_stays_open(reader):
    scanner = Scanner(DIALECT, reader)
    scanner.open_table = scanner.table(1)
    assert all_of(scanner, b"sda 1\nsdb 2\nsd")[-1].other is False
    rows = [part for scan in all_of(scanner, b"sdb 3\nx\n", 3) for part in scan.rows]
    assert [(part.lines.tolist(), part.keys.tolist()) for part in rows] == [([3], [1])]


def test_a_field_is_no_larger_than_it_may_be(reader):
    scanner = Scanner(DIALECT, reader)
    scanner.know(b"11/21/26 16:10:13", None, CLOCK)
    for line in (b"11/21/26 24:10:13", b"11/21/26 16:10:60", b"11/22/26 16:10:13", b"11/21/26 16:10: 3"):
        assert all_of(scanner, line + b"\n")[-1].other


def test_a_line_that_is_known_is_no_row_though_it_looks_like_one(reader):
    scanner = Scanner(DIALECT, reader)
    table = scanner.table(2)
    scanner.stamp_rows(table, b"at 10:00:00", [Field(3, 5, 23)], first=True)
    scanner.know(b"at 10:00:05 sda 1 2.00", None, [Field(9, 11, 59), Field(16, 17, 7)])
    scanner.open_table = table
    scans = all_of(scanner, b"at 11:00:00 sda 1 2.00\nat 12:00:00 sda 8 2.00\nat 10:00:00 sda 7 2.00\n")
    assert [line for scan in scans for line in scan.mark_lines.tolist()] == [3]
    assert [line for scan in scans for part in scan.rows for line in part.lines.tolist()] == [1, 2]


def test_more_keys_than_a_table_may_have_are_left_to_the_parser(reader):
    scanner = Scanner(DIALECT, reader)
    table = scanner.open_table = scanner.table(1, most_keys=300)
    text = b"".join(b"key%d %d\n" % (number, number) for number in range(400))
    scans = all_of(scanner, text)
    assert sum(scan.lines for scan in scans) == 300
    assert len(table.names) == 300
    again = [part for scan in all_of(scanner, text) for part in scan.rows]
    assert np.concatenate([part.keys for part in again]).tolist() == list(range(300))


def test_keys_that_are_forgotten_are_learned_anew(reader):
    scanner = Scanner(DIALECT, reader)
    table = scanner.open_table = scanner.table(1, most_keys=300)
    for first in range(0, 1000, 250):
        text = b"".join(b"key%d %d\n" % (number, number) for number in range(first, first + 250))
        rows = [part for scan in all_of(scanner, text + b"key%d 1\n" % first) for part in scan.rows]
        assert np.concatenate([part.keys for part in rows]).tolist() == [*range(250), 0]
        assert list(table.names) == [b"key%d" % number for number in range(first, first + 250)]
        scanner.forget_keys(table)
        assert not table.names


def test_a_line_that_is_forgotten_is_given_back_and_there_is_an_end_to_what_is_known(reader):
    scanner = Scanner(DIALECT, reader)
    marks = [scanner.know(b"heading %d" % number) for number in range(MOST_MARKS + 1)]
    assert all_of(scanner, b"heading %d\n" % MOST_MARKS)[-1].other
    assert not all_of(scanner, b"heading 7\n")[-1].other
    scanner.forget(marks[7])
    assert all_of(scanner, b"heading 7\n")[-1].other
    assert not all_of(scanner, b"heading 8\n")[-1].other


@pytest.mark.parametrize(("line", "fields"), [(b" \t", ()), (b"", ()), (b"a\nb", ()), (b"a1", (Field(0, 2, 9),))])
def test_not_every_line_can_be_known(reader, line, fields):
    with pytest.raises(ValueError, match="not a line to know"):
        Scanner(DIALECT, reader).know(line, None, fields)


def test_rows_that_were_given_stay_as_they_are(reader):
    """Memory is given away with what was read, never used again."""
    scanner = Scanner(DIALECT, reader)
    scanner.open_table = scanner.table(400, Key.NONE)
    text = b"".join(b" ".join([b"%d" % number] * 400) + b"\n" for number in range(500))
    rows = [part for scan in all_of(scanner, text) for part in scan.rows]
    assert np.vstack([part.values for part in rows])[:, 399].tolist() == list(range(500))


def test_without_a_library_the_plain_scanner_reads(monkeypatch, tmp_path):
    monkeypatch.setattr(compiled, "compiled_folder", lambda: tmp_path)
    monkeypatch.setattr(choice, "_compiled_library", choice._compiled_library.__wrapped__)
    assert not choice.is_compiled()


def test_an_environment_variable_asks_for_the_plain_scanner(monkeypatch, library):
    monkeypatch.setattr(compiled, "load", lambda path: library)
    monkeypatch.delenv(choice.PLAIN, raising=False)
    assert choice.is_compiled()
    monkeypatch.setenv(choice.PLAIN, "1")
    assert not choice.is_compiled()


def test_rows_that_begin_with_a_stamp(reader):
    """As mpstat prints them; what stands between stamp and key is any number of blanks."""
    scanner = Scanner(DIALECT, reader)
    scanner.open_table = table = scanner.table(2, accepts=lambda key: key == b"all" or key.isdigit())
    scanner.stamp_rows(table, b"04:10:21 PM", (Field(3, 5, 59), Field(6, 8, 59)), first=True)
    text = b"04:59:03 PM  all    1.5 2\n04:10:21 PM\t 0 3 4\n%b\n04:10:22 PM all 9 9\n"
    for other in (
        b"05:00:00 PM all 1 2",
        b"04:10:22 PMall 1 2",
        b"04:10:22 PM",
        b"04:10:60 PM all 1 2",
        b" 04:10:22 PM 0 1 2",
    ):
        scanner.open_table = table
        scans = all_of(scanner, text % other)
        assert scans[-1].other
        assert text[scans[-1].end :].startswith(b"%b")
        rows = [part for scan in scans for part in scan.rows]
        assert np.vstack([part.values for part in rows]).tolist() == [[1.5, 2.0], [3.0, 4.0]], other
        assert np.vstack([part.fields for part in rows])[:, :3].tolist() == [[59, 3, 0], [10, 21, 0]]
        assert min(part.shortest for part in rows) == len(b"04:10:21 PM\t 0 3 4")
    assert table.names == {b"all": 0, b"0": 1}
    assert all_of(scanner, b"04:10:22 PM CPU 1 2\n")[-1].other
    assert b"CPU" not in table.names


def test_a_key_on_both_sides_of_the_numbers(reader):
    """As pidstat prints them: a user, a pid, numbers, and a command with blanks in it."""
    scanner = Scanner(DIALECT, reader)
    scanner.open_table = table = scanner.table(2, Key.AROUND, words=1)
    lines = [
        b"root 22 1.5 2 fio",
        b"ann\t7 3 4 \tjava -Xmx1g  a \t",
        b"ann 22 5 6 fio",
        b"ann 2 7 8 2 fio",
        b"0 22 2 9 2 fio",
    ]
    found = [part for scan in all_of(scanner, b"\n".join([*lines, b""])) for part in scan.rows]
    assert list(table.names) == [b"22 fio", b"7 java -Xmx1g  a", b"2 2 fio", b"22 2 fio"]
    assert np.concatenate([part.keys for part in found]).tolist() == [0, 1, 0, 2, 3]
    assert np.vstack([part.values for part in found]).tolist() == [[1.5, 2], [3, 4], [5, 6], [7, 8], [2, 9]]
    for other in (b"root 22 1.5 2", b"22 1.5 2 fio", b" root 22 1 2 fio", b"root 22 1 2 f\tio", b"root 22 1 2 fio\r"):
        assert all_of(scanner, other + b"\n")[-1].other, other


def test_words_and_clocks_among_the_numbers(reader):
    """As top prints them: blanks before the pid, a user, a state, and a time in minutes and seconds."""
    scanner = Scanner(DIALECT, reader)
    cells = (Cell.WORD, Cell.NUMBER, Cell.WORD, Cell.CLOCK)
    scanner.open_table = table = scanner.table(cells, Key.AROUND, np.array([[1.0, 1024.0], [1.0, 1.0]]), indented=True)
    assert table.columns == 2
    lines = [
        b"  7 ann 1.5M S 12:07.45 java  -Xmx1g",
        b"12 0 - R 100:59,5 fio",
        b" \t7 ann 2 D 0:00 java  -Xmx1g",
        b"8 a 1 S 999999999:99.99 x",
    ]
    found = [part for scan in all_of(scanner, b"\n".join([*lines, b""])) for part in scan.rows]
    values = np.vstack([part.values for part in found])
    assert values[:, 1].tolist() == [12 * 60 + 7.45, 100 * 60 + 59.5, 0.0, 999999999 * 60 + 99.99]
    assert values[[0, 2, 3], 0].tolist() == [1.5 * 1024, 2.0, 1.0]
    assert np.isnan(values[1, 0])
    assert list(table.names) == [b"7 java  -Xmx1g", b"12 fio", b"8 x"]
    for odd in (b"5:7", b"5:07.", b"5:07.123", b"1:05:07", b":07", b"507", b"1234567890:00", b"-5:07", b"5:07k", b"-"):
        assert all_of(scanner, b"7 ann 1 S %b x\n" % odd)[-1].other, odd
    for other in (b"7 ann 1 5:07 x", b"7 a\0n 1 S 5:07 x", b"7 ann 1 S 5:07", b"7 ann x S 5:07 x"):
        assert all_of(scanner, other + b"\n")[-1].other, other


def test_texts_that_differ_in_their_numbers_alone(reader):
    """Each is read to its end; the first that is of another form ends it, whatever follows."""
    form = Form([b'{"a1": ', b'; "b": "', b'"}, '])
    chance = random.Random(7)
    good = ["-1", "-0.125", "00.0", "9007199254740989", "0." + "0" * 22, "-0", "2,50"]
    good += [f"{chance.randrange(10 ** chance.randrange(1, 13))}.{chance.randrange(1000):03}" for _ in range(3000)]
    texts = [b'{"a1": %s; "b": "%s"}, ' % (one.encode(), other.encode()) for one, other in pairwise(good)]
    values = reader.alike(form, b"".join(texts), np.cumsum([0, *map(len, texts)]))
    expected = [float(Decimal(one.replace(",", "."))) for one in good]
    assert values.tolist() == [list(pair) for pair in pairwise(expected)]
    assert np.signbit(values[5, 0])
    odd = ["", " ", ".", "5.", ".5", "1.2.3", "1e5", "nan", "+1", "--1", "7 ", "1k", "-", "9" * 17, "0." + "0" * 23]
    for one in odd:
        damaged = b'{"a1": 1; "b": "%s"}, ' % one.encode()
        assert len(reader.alike(form, texts[0] + damaged + texts[1], np.cumsum([0, len(texts[0]), len(damaged)]))) == 1
    for other in (texts[0][:-1], texts[0] + b" ", texts[0].replace(b"a1", b"a2"), b""):
        assert reader.alike(form, other, np.array([0, len(other)])).shape == (0, 2)
    assert reader.alike(Form([b"a"]), b"aab", np.arange(4)).shape == (2, 0)
    for starts in ([], [-1, 1], [2, 1], [0, 4]):
        with pytest.raises(ValueError, match="places in a text"):
            reader.alike(form, b"1;2", np.array(starts, dtype=np.int64))


def test_rows_that_end_in_a_stamp(reader):
    scanner = Scanner(DIALECT, reader)
    scanner.open_table = table = scanner.table(2, Key.NONE)
    scanner.stamp_rows(table, b"2026-11-21 16:10:21", (Field(11, 13, 23), Field(14, 16, 59), Field(17, 19, 59)))
    text = b" 1 2 2026-11-21 17:00:03\n10 20\t2026-11-21 23:59:59\n" + b"%b\n"
    for other in (b" 1 2 2026-11-22 17:00:03", b" 1 22026-11-21 17:00:03", b" 1 2 2026-11-21 17:00:60", b" 1 2", b""):
        scanner.open_table, scanner.stops_at_blanks = table, True
        scans = all_of(scanner, text % other)
        assert scans[-1].other
        rows = [part for scan in scans for part in scan.rows]
        assert np.vstack([part.values for part in rows]).tolist() == [[1.0, 2.0], [10.0, 20.0]], other
        fields = np.vstack([part.fields for part in rows])[:, :3]
        assert fields.tolist() == [[17, 0, 3], [23, 59, 59]]
        assert min(part.shortest for part in rows) == len(b" 1 2 2026-11-21 17:00:03")
