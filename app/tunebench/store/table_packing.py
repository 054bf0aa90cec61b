"""One table of a database record as one blob, and back.

    header length (4 bytes) | crc32 of the header | header, JSON | packed columns one behind the other

The header names the columns in their order with the lengths of their parts. Texts are numbers of shared texts; figures
hold the present values only, beside flags of those that are missing.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tunebench.analysis.databases.record import FigureTable
from tunebench.store.codec import MOST_ROWS, pack_bits, pack_numbers, unpack_bits, unpack_numbers
from tunebench.store.errors import DamagedData

FORM = 1
"""Written beside each blob; another way of packing gets another number, and this one is read for ever."""

Numbers = NDArray[np.int64]
_WORD_BYTES = 4


def pack_table(table: FigureTable, numbers: Callable[[Sequence[str]], Numbers]) -> bytes:
    """`numbers` gives texts their numbers (`shared_texts.TextWriter`)."""
    parts = [pack_numbers(np.ascontiguousarray(table.lines, dtype=np.int64))]
    texts: dict[str, int] = {}
    figures: dict[str, tuple[int, int, int]] = {}
    for name, column in table.texts.items():
        parts.append(pack_numbers(numbers(column)))
        texts[name] = len(parts[-1])
    for name, values in table.figures.items():
        missing = np.isnan(values)
        flags = pack_bits(missing) if missing.any() else b""
        present = np.ascontiguousarray(values[~missing], dtype=np.float64)
        parts += [flags, pack_numbers(present)]
        figures[name] = (len(flags), len(parts[-1]), len(present))
    header = json.dumps(
        {"rows": len(table), "lines": len(parts[0]), "texts": texts, "figures": figures}, separators=(",", ":")
    ).encode()
    return b"".join((_word(len(header)), _word(zlib.crc32(header)), header, *parts))


def unpack_table(name: str, form: int, blob: bytes, texts: Callable[[Numbers], Sequence[str]]) -> FigureTable:
    """`texts` gives the texts of numbers (`shared_texts.TextReader`).

    Raises:
        DamagedData: the blob is not what was written.
    """
    header, at = _header(form, blob)
    rows: int = header["rows"]
    lines = unpack_numbers(blob[at : at + header["lines"]], rows, np.int64, MOST_ROWS)
    at += header["lines"]
    text_columns: dict[str, Sequence[str]] = {}
    for column, size in header["texts"].items():
        text_columns[column] = texts(unpack_numbers(blob[at : at + size], rows, np.int64, MOST_ROWS))
        at += size
    figures: dict[str, NDArray[np.float64]] = {}
    for column, (flag_bytes, data_bytes, count) in header["figures"].items():
        flags, data = blob[at : at + flag_bytes], blob[at + flag_bytes : at + flag_bytes + data_bytes]
        figures[column] = _with_holes(unpack_numbers(data, count, most=MOST_ROWS), flags, rows)
        at += flag_bytes + data_bytes
    return FigureTable(name, text_columns, figures, lines)


def text_numbers(form: int, blob: bytes) -> dict[str, Numbers]:
    """The numbers of the texts in each column of texts, without unpacking anything else."""
    header, at = _header(form, blob)
    at += header["lines"]
    numbers: dict[str, Numbers] = {}
    for column, size in header["texts"].items():
        numbers[column] = unpack_numbers(blob[at : at + size], header["rows"], np.int64, MOST_ROWS)
        at += size
    return numbers


def _header(form: int, blob: bytes) -> tuple[dict[str, Any], int]:
    """The header and where the columns begin."""
    if form != FORM:
        raise DamagedData(f"form {form} of a table is not known")
    start = 2 * _WORD_BYTES
    end = start + int.from_bytes(blob[:_WORD_BYTES], "little")
    if blob[_WORD_BYTES:start] != _word(zlib.crc32(blob[start:end])):
        raise DamagedData("checksum of a table's header differs")
    header: dict[str, Any] = json.loads(blob[start:end])
    return header, end


def _with_holes(present: NDArray[np.float64], flags: bytes, rows: int) -> NDArray[np.float64]:
    if not flags:
        return present
    values = np.full(rows, np.nan)
    values[~unpack_bits(flags, rows, MOST_ROWS)] = present
    return values


def _word(number: int) -> bytes:
    return number.to_bytes(_WORD_BYTES, "little")
