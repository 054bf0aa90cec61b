"""Texts that a scanner is told as little of as a parser would tell it, read by both scanners and compared.

``python -m tests.fuzz.scans LIBRARY SECONDS SEED`` goes on with new texts until the time is over.
"""

from __future__ import annotations

import ctypes
import random
import re
import subprocess
import sys
import time
from pathlib import Path

import numpy as np

from tunebench.sdk.scanning import column_form, compiled
from tunebench.sdk.scanning.reference import ReferenceReader
from tunebench.sdk.scanning.rows import count_rows_compiled, count_rows_plainly
from tunebench.sdk.scanning.scanner import Cell, Dialect, Field, Form, Key, Scanner, ScanTable

DIALECT = Dialect(b".,", b"kMG%", (b"-", b"--", b"nan", b"N/A"))
PLAIN = Dialect(b".,", absent=DIALECT.absent)
SHIFTED = Dialect(b".,", b"kMG%", DIALECT.absent, shifts=(3, 6, 9, 0))
DIALECTS = (
    DIALECT,
    SHIFTED,
    *(Dialect(b".,", b"kMG%", DIALECT.absent, separator) for separator in (b";", b"\t", b",")),
)
_CLOCK = re.compile(rb"([0-9]{2}):([0-9]{2}):([0-9]{2})")
_KEYS = [b"sda", b"sdb", b"dm-0", b"nvme0n1", b"all", b"0", b"1", b"\xec\x9d\xb4\xeb\xa6\x84", b"x" * 300, b"-"]


def compile_scanner(library: Path, *options: str) -> None:
    """Raises CalledProcessError, FileNotFoundError where there is no compiler."""
    source = compiled.SOURCE
    subprocess.run(
        ["cc", "-O2", "-std=c99", "-Wall", "-Wextra", "-Werror", *options, "-fPIC", "-shared", "-o", library, source],
        check=True,
        capture_output=True,
        text=True,
    )


def number(chance: random.Random) -> bytes:
    kind = chance.randrange(24)
    if kind < 12:
        return b"%.2f" % (chance.random() * 10 ** chance.randrange(-2, 12))
    if kind < 18:
        return b"%d" % chance.randrange(10 ** chance.randrange(1, 19))
    if kind == 18:
        return bytes(chance.choice(b"0123456789.,-+kMG%e") for _ in range(chance.randrange(1, 30)))
    if kind == 19:
        return chance.choice([b"-", b"--", b"nan", b"N/A", b"-nan", b"inf", b"1e5", b"1e999", b"1_0", b"0x10", b"-0"])
    if kind == 20:
        return b"%.1f" % (chance.random() * 1000) + chance.choice([b"k", b"M", b"G", b"%", b"T", b"kk"])
    if kind == 21:
        return (b"%.3f" % chance.random()).replace(b".", b",")
    if kind == 22:
        return b"0" * chance.randrange(25) + b"%d." % chance.randrange(100) + b"%d" % chance.randrange(10**30)
    return b"%d" % (9_007_199_254_740_989 + chance.randrange(-3, 4))


def clock(chance: random.Random) -> bytes:
    minutes = chance.randrange(10 ** chance.randrange(1, 11))
    return b"%d:%02d" % (minutes, chance.randrange(100)) + chance.choice([b"", b".5", b",17", b".123", b":5", b"."])


def line(chance: random.Random, separator: bytes = b"") -> bytes:
    """Headings ``H<key><words><cells> ...``, rows, stamps, blanks, orders to the driver below, and anything."""
    kind = chance.randrange(100)
    if kind < 8:
        words, kinds = chance.choice("000123345"), chance.choice(["n", "nn", "nnn", "nnnn", "wn", "nwc", "cwwn"])
        return f"H{chance.randrange(4)}{words}{kinds} {'h' * chance.randrange(3)}".encode()
    if kind < 16:
        return b"T%d %02d:%02d:%02d" % tuple(chance.randrange(most) for most in (3, 30, 70, 62))
    if kind < 26:
        return b" " * chance.choice([0, 0, 1, 5]) + b"\t" * chance.randrange(2)
    if kind == 26:
        orders = [b"F%d", b"O%d", b"S%d 10:11:12", b"P%d 10:11:12", b"B%d", b"K%d", b"M%d", b"G%d", b"G%d"]
        return chance.choice(orders) % chance.randrange(5)
    if kind == 28:
        return b"sda %d 2.00" % chance.randrange(10)
    if kind == 27:
        return bytes(chance.randrange(256) for _ in range(chance.randrange(40))).replace(b"\n", b"")
    cells = [
        (number if chance.random() < 0.9 else clock)(chance)
        for _ in range(chance.choice([1, 2, 2, 3, 3, 3, 4, 4, 5, 6]))
    ]
    key = chance.choice(_KEYS) if chance.random() < 0.9 else b"k%d" % chance.randrange(10**4)
    place, users = chance.randrange(4), [b"u"] * chance.choice([0, 0, 0, 1, 2])
    before, behind = [key] * (place in (1, 3)), [key] * (place in (2, 3)) * chance.choice([1, 1, 2])
    tag = [b"tag%d" % chance.randrange(3)] * (chance.random() < 0.2)
    cells = [*tag, *users, *before, *cells, *behind]
    blank = chance.choice([b" ", b"  ", b"     ", b"\t", b" ", b" "])
    if separator:
        blank = separator if chance.random() < 0.97 else blank
        odd = [b"", b" ", b"\t", b"a b"]
        cells = [cell if chance.random() < 0.9 else chance.choice([*odd, b" " + cell, cell + b" "]) for cell in cells]
    text = chance.choice([b"", b"", b" "]) + blank.join(cells) + chance.choice([b"", b"", b" ", b"\r", b"\0"])
    if chance.random() < 0.4:
        stamp, part = (
            b"at %02d:%02d:12" % (chance.randrange(30), chance.randrange(70)),
            chance.choice([b" ", b"\t", b"", *[separator] * 4]),
        )
        text = text + part + stamp if chance.random() < 0.5 else stamp + part + text
    return text if chance.random() < 0.97 else text * chance.choice([2, 50])


def table(chance: random.Random, rows: int, separator: bytes) -> list[bytes]:
    """A heading, what its rows bear perhaps (a stamp, a tag), and rows that fit it."""
    key, words, cells = chance.randrange(4), chance.choice("000123345"), chance.choice(["n", "nnn", "nnnnnn", "nwc"])
    indented, passed = divmod(int(words), 3)
    place = 2 if separator and key == 3 else key
    keys = [chance.choice(_KEYS) for _ in range(1 + indented * bool(separator))]
    stamp, tag = chance.choice([b"", b"", b"S0", b"P0"]), chance.random() < 0.3
    blank = separator or b" "
    found = [f"H{key}{words}{cells}".encode()] + [stamp + b" 10:11:12"] * bool(stamp) + [b"G0"] * tag
    for _ in range(rows):
        of_row = [number(chance) if one == "n" else clock(chance) if one == "c" else b"word" for one in cells]
        own = [*keys[:-1], chance.choice(_KEYS)]
        of_row = [*[b"u"] * passed, *own * (place in (1, 3)), *of_row, *own * (place in (2, 3))]
        moment = b"at %02d:%02d:12" % (chance.randrange(24), chance.randrange(60))
        of_row = [moment] * (stamp == b"P0") + of_row + [moment] * (stamp == b"S0")
        found.append(blank.join([b"tag%d" % chance.randrange(3)] * tag + of_row))
    return found


def text_of(chance: random.Random, lines: int, separator: bytes = b"") -> bytes:
    """Much of it said again and again, as a tool does."""
    common = [line(chance, separator) for _ in range(chance.randrange(1, 30))]
    found: list[bytes] = []
    while len(found) < lines:
        found += table(chance, chance.randrange(1, 30), separator)
        found += [chance.choice(common) if chance.random() < 0.7 else line(chance, separator) for _ in range(20)]
    data = bytearray(b"\n".join(found) + b"\n")
    for _ in range(chance.choice([0, 0, 3, 30])):
        data[chance.randrange(len(data))] = chance.choice(b" \n\0\xff.,;-0123456789kT:")
    return bytes(data)


def read(scanner: Scanner, data: bytes, piece: int) -> tuple[object, ...]:
    """Everything that the scanner says of the data, given in pieces, in a form that compares bit by bit."""
    marks: list[tuple[bytes, int, tuple[int, ...]]] = []
    rows: dict[int, list[tuple[int, bytes, bytes, tuple[int, ...]]]] = {}
    others: list[tuple[int, bytes]] = []
    shortest: dict[int, int] = {}
    blanks, number, rest = 0, 1, b""
    for begin in range(0, len(data), piece):
        text, at = rest + data[begin : begin + piece], 0
        while True:
            scan = scanner.scan(text, at, number)
            at, number, blanks = scan.end, number + scan.lines, blanks + scan.blanks
            fields = [tuple(one) for one in scan.fields.tolist()]
            known = [scanner.marks[one].line for one in scan.marks.tolist()]
            marks += zip(known, scan.mark_lines.tolist(), fields, strict=True)
            for part in scan.rows:
                names = [*part.table.names, b""]
                keys = [names[key if part.table.key else -1] for key in part.keys.tolist()]
                own = rows.setdefault(part.table.number, [])
                stamps = [tuple(one) for one in part.fields.tolist()] or [()] * len(keys)
                own += zip(part.lines.tolist(), keys, map(np.ndarray.tobytes, part.values), stamps, strict=True)
                number_of_table = part.table.number
                shortest[number_of_table] = min(part.shortest, shortest.get(number_of_table, part.shortest))
            assert scan.lines == len(scan.marks) + scan.blanks + sum(len(part.lines) for part in scan.rows)
            if scan.other:
                end = text.index(b"\n", at)
                others.append((number, text[at:end]))
                answer(scanner, text[at:end])
                at, number = end + 1, number + 1
            elif b"\n" not in text[at:]:
                break
        rest = text[at:]
    return marks, rows, others, shortest, blanks, number, rest


def answer(scanner: Scanner, line: bytes) -> None:
    """What a parser would do with a line of which the scanner knows nothing."""
    heading, clock = re.match(rb"H([0-3])([0-5])(w?[nc][nwc]{0,5})", line), _CLOCK.search(line)
    if heading is not None:
        cells = [{b"n": Cell.NUMBER, b"c": Cell.CLOCK, b"w": Cell.WORD}[bytes([one])] for one in heading[3]]
        columns = len(cells) - cells.count(Cell.WORD)
        factors = np.arange(1.0, 1.0 + columns * len(DIALECT.suffixes)).reshape(columns, -1) / 3
        kind, (indented, words) = Key(int(heading[1])), divmod(int(heading[2]), 3)
        separated = bool(scanner.dialect.separator)
        if separated and kind is Key.AROUND:
            kind = Key.LAST
        table: ScanTable = scanner.table(
            cells,
            kind,
            factors,
            most_keys=200,
            words=words,
            accepts=lambda key: not key.startswith(b"x"),
            indented=bool(indented) and not separated,
            key_cells=1 + indented * separated,
        )
        scanner.open_table = table
        scanner.know(line, table)
    elif clock is not None and line[:1] == b"T":
        limits = zip((1, 2, 3), (23, 59, 59), strict=True)
        scanner.know(line, None, [Field(clock.start(group), clock.end(group), most) for group, most in limits])
    elif line[:1] in (b"S", b"P") and scanner.tables:
        stamped = scanner.tables[-1 if line[1:2] == b"0" else -1 - len(line) % len(scanner.tables)]
        scanner.stamp_rows(stamped, b"at 10:11:12", [Field(3, 5, 23), Field(6, 8, 59)], first=line[:1] == b"P")
    elif line[:1] == b"B":
        scanner.stops_at_blanks = not scanner.stops_at_blanks
    elif line[:1] == b"K" and scanner.tables:
        scanner.forget_keys(scanner.tables[-1 - len(line) % len(scanner.tables)])
    elif line[:1] == b"G" and scanner.tables:
        for word in (b"tag0", b"tag%d" % (len(scanner.tables) % 3)):
            scanner.tag(word, scanner.tables[-1])
    elif line[:1] == b"M":  # a mark that looks like a row
        scanner.know(b"sda 5 2.00", None, [Field(4, 5, 7)])
    elif line[:1] == b"F" and line[1:].isdigit() and int(line[1:]) < len(scanner.marks):
        scanner.forget(scanner.marks[int(line[1:])])
    elif line[:1] == b"O" and scanner.tables:
        scanner.open_table = scanner.tables[len(line) % len(scanner.tables)]


def texts_of_form(chance: random.Random, data: bytes) -> tuple[Form, bytes, np.ndarray]:
    """A piece of the data as a form, its like with other numbers, one behind the other, and where each begins."""
    piece = data[: chance.choice([0, 5, 30, 300])]
    parts = re.split(rb"[0-9]+(?:[.,][0-9]+)?" if chance.random() < 0.8 else rb"-?[0-9]+", piece)
    text, starts = b"", [0]
    for _ in range(chance.randrange(20)):
        text += b"".join(part + number(chance) for part in parts[:-1]) + parts[-1]
        starts.append(len(text) - (chance.random() < 0.05 and len(text) > starts[-1]))
    return Form(parts), text, np.array(starts, dtype=np.int64)


def fault(library: Path, seed: int, lines: int = 300) -> str:
    """What the two scanners differ in, ``""`` for nothing."""
    chance = random.Random(seed)
    dialect = chance.choice(DIALECTS)
    data = text_of(chance, lines, dialect.separator)
    piece = chance.choice([len(data), len(data), 7, 500])
    loaded = compiled.load(library)
    assert loaded is not None
    form, text, starts = texts_of_form(chance, data)
    outcomes = [
        (*read(Scanner(dialect, reader), data, piece), plain.alike(form, text, starts).tobytes())
        for reader, plain in (
            (ReferenceReader(dialect), ReferenceReader(PLAIN)),
            (compiled.CompiledReader(dialect, loaded), compiled.CompiledReader(PLAIN, loaded)),
        )
    ]
    if count_rows_compiled(data, loaded) != count_rows_plainly(data):
        return "rows counted"
    if not columns_agree(loaded, np.random.default_rng(seed)):
        return "columns"
    names = ("marks", "rows", "others", "shortest", "blanks", "lines", "rest", "texts of a form")
    return next((name for name, one, other in zip(names, *outcomes, strict=True) if one != other), "")


def columns_agree(loaded: ctypes.CDLL, chance: np.random.Generator) -> bool:
    """Whether forms and bins of columns are the same both ways, in arrays with nothing behind them."""
    columns, rows, size = (int(chance.integers(1, most)) for most in (6, 300, 40))
    odd = chance.choice([np.nan, np.inf, 1e308, 0.0], (columns, rows))
    values = np.where(chance.random((columns, rows)) < chance.random(), odd, chance.normal(0, 1e3, (columns, rows)))
    with np.errstate(over="ignore"):
        values = np.asarray(np.round(values, int(chance.integers(6))), dtype=np.float64)
    plain = column_form.ColumnForms.empty(columns, rows)
    column_form.fill_forms_plainly(values, plain)
    compiled_forms = column_form.column_forms(values, loaded)
    bins = [column_form.BinColumns.empty(columns, rows // size) for _ in range(2)]
    column_form.fill_bins(values, size, 0, bins[0], loaded)
    column_form.fill_bins_plainly(values, size, bins[1])
    if plain.forms.tobytes() != compiled_forms.forms.tobytes():
        return False
    for form, one, other in zip(plain.of_each(), plain.whole, compiled_forms.whole, strict=True):
        kept = 0 if form.is_wide or form.decimals == column_form.MORE else rows - form.holes
        if not np.array_equal(one[:kept], other[:kept]):
            return False
    return all(np.array_equal(one, other, equal_nan=True) for one, other in zip(*bins, strict=True))


def main(library: Path, seconds: float, seed: int) -> int:
    until, failures, tried = time.monotonic() + seconds, 0, 0
    while time.monotonic() < until:
        found = fault(library, seed + tried)
        if found:
            failures += 1
            print(seed + tried, found)
        tried += 1
    print(f"{tried} texts from seed {seed} read by both scanners")
    return int(failures > 0)


if __name__ == "__main__":
    raise SystemExit(main(Path(sys.argv[1]), float(sys.argv[2]), int(sys.argv[3])))
