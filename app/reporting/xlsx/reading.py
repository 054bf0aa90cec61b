"""Reads a delivered workbook: its key words, and the cells that differ from the same workbook made again."""

from __future__ import annotations

import zipfile
from collections.abc import Iterator
from contextlib import closing
from io import BytesIO
from itertools import zip_longest
from typing import Any
from xml.etree.ElementTree import ParseError

import openpyxl
from openpyxl.utils import get_column_letter
from openpyxl.utils.exceptions import InvalidFileException

from app.reporting.delivered import Difference


def keywords_of(workbook: bytes) -> str:
    """
    Raises:
        ValueError: it is no workbook that can be read.
    """
    with closing(_opened(workbook, results=False)) as book:
        return str(book.properties.keywords or "")


def differences(delivered: bytes, made: bytes) -> Iterator[Difference]:
    """Formulas and typed values first, then the results that stand beside the formulas."""
    told: set[str] = set()
    for results in (False, True):
        with closing(_opened(delivered, results)) as one, closing(_opened(made, results)) as other:
            for found in _between(one, other):
                if found.place not in told:
                    told.add(found.place)
                    yield found


def _between(one: Any, other: Any) -> Iterator[Difference]:
    for name in dict.fromkeys((*one.sheetnames, *other.sheetnames)):
        if name not in one.sheetnames or name not in other.sheetnames:
            yield Difference(name, *(name if name in book.sheetnames else "" for book in (one, other)))
            continue
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
    except (zipfile.BadZipFile, InvalidFileException, KeyError, ValueError, ParseError) as error:
        raise ValueError(str(error)) from error
