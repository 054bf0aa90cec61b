"""Reads a delivered workbook: its key words, and where it differs from the same workbook made again."""

from __future__ import annotations

import zipfile
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import closing
from io import BytesIO
from itertools import zip_longest
from typing import Any
from xml.etree import ElementTree

import openpyxl
from openpyxl.utils import get_column_letter
from openpyxl.utils.exceptions import InvalidFileException

from tunebench.reporting.delivered import Difference
from tunebench.reporting.parts import Normal, owners_of, part_differences

_TEXTS = "xl/sharedStrings.xml"
_MAIN = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"


def keywords_of(workbook: bytes) -> str:
    """
    Raises:
        ValueError: it is no workbook that can be read.
    """
    with closing(_opened(workbook, results=False)) as book:
        return str(book.properties.keywords or "")


def differences(delivered: bytes, made: bytes) -> Iterator[Difference]:
    """Formulas and typed values first, then the results that stand beside the formulas, then all that is no cell."""
    cells: set[str] = set()
    for results in (False, True):
        with closing(_opened(delivered, results)) as one, closing(_opened(made, results)) as other:
            for found in _between(one, other):
                if found.place not in cells:
                    cells.add(found.place)
                    yield found
    with closing(_opened(made, results=False)) as book:
        sheets = {f"xl/worksheets/sheet{number}.xml": name for number, name in enumerate(book.sheetnames, 1)}
    owners = owners_of(made, sheets)
    normal = (_without(cells, sheets, _texts(delivered)), _without(cells, sheets, _texts(made)))
    yield from part_differences(delivered, made, owners, normal)


def _without(cells: Collection[str], sheets: Mapping[str, str], texts: Sequence[str]) -> Normal:
    """All of a sheet but the `cells` that were named, with texts in the place of their numbers: a text that was changed
    moves the others. The list of texts itself is compared by the cells that show them."""

    def normal(name: str, data: bytes) -> bytes:
        if name == _TEXTS:
            return b"<sst/>"
        if name not in sheets:
            return data
        root = ElementTree.fromstring(data)
        for row in root.iter(f"{_MAIN}row"):
            for cell in list(row):
                value = cell.find(f"{_MAIN}v")
                if f"{sheets[name]}!{cell.get('r')}" in cells:
                    row.remove(cell)
                elif value is not None and cell.get("t") == "s":
                    value.text = texts[int(value.text or 0)]
        return ElementTree.tostring(root)

    return normal


def _texts(package: bytes) -> list[str]:
    """With the looks of their parts."""
    with zipfile.ZipFile(BytesIO(package)) as source:
        if _TEXTS not in source.namelist():
            return []
        root = ElementTree.fromstring(source.read(_TEXTS))
    return [ElementTree.tostring(text, "unicode") for text in root.iter(f"{_MAIN}si")]


def _between(one: Any, other: Any) -> Iterator[Difference]:
    for name in dict.fromkeys((*one.sheetnames, *other.sheetnames)):
        if name not in one.sheetnames or name not in other.sheetnames:
            yield Difference(name, *(name if name in book.sheetnames else "" for book in (one, other)))
            continue
        if one[name].sheet_state != other[name].sheet_state:
            yield Difference(name, one[name].sheet_state, other[name].sheet_state)
        rows = zip_longest(*(book[name].iter_rows(values_only=True) for book in (one, other)), fillvalue=())
        for row, pair in enumerate(rows, 1):
            if pair[0] == pair[1]:
                continue
            for column, (ours, theirs) in enumerate(zip_longest(*pair), 1):
                if ours != theirs:
                    yield Difference(f"{name}!{get_column_letter(column)}{row}", _text(ours), _text(theirs))


def _text(value: object) -> str:
    return "" if value is None else str(value)


def _opened(data: bytes, results: bool) -> Any:
    try:
        return openpyxl.load_workbook(BytesIO(data), read_only=True, data_only=results)
    except (zipfile.BadZipFile, InvalidFileException, KeyError, ValueError, SyntaxError) as error:
        raise ValueError(str(error)) from error
