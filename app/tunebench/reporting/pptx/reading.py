"""Reads delivered slides: their key words, and the slides whose words or numbers differ from the same made again."""

from __future__ import annotations

import zipfile
from collections.abc import Iterator
from io import BytesIO
from itertools import zip_longest
from typing import Any

from openpyxl import load_workbook
from pptx import Presentation
from pptx.exc import PackageNotFoundError
from pptx.oxml.ns import qn

from tunebench.reporting.delivered import Difference, differing_words
from tunebench.reporting.parts import owners_of, part_differences

_TOLD = (qn("a:t"), qn("c:v"))


def keywords_of(slides: bytes) -> str:
    """
    Raises:
        ValueError: these are no slides that can be read.
    """
    return str(_opened(slides).core_properties.keywords or "")


def differences(delivered: bytes, rebuilt: bytes) -> Iterator[Difference]:
    """Slide by slide: its words, the numbers of its charts and of their small workbooks, then all that is no word."""
    again = _opened(rebuilt)
    named: set[str] = set()
    for number, (ours, theirs) in enumerate(zip_longest(_opened(delivered).slides, again.slides), 1):
        pair = [_words(slide) if slide is not None else [] for slide in (ours, theirs)]
        for word in differing_words(str(number), *pair):
            named.add(word.place)
            yield word
    slides = {str(slide.part.partname).lstrip("/"): str(number) for number, slide in enumerate(again.slides, 1)}
    for part in part_differences(delivered, rebuilt, owners_of(rebuilt, slides)):
        if part.place not in named:
            yield part


def _opened(data: bytes) -> Any:
    try:
        return Presentation(BytesIO(data))
    except (zipfile.BadZipFile, PackageNotFoundError, KeyError, ValueError, SyntaxError) as error:
        raise ValueError(str(error)) from error


def _words(slide: Any) -> list[str]:
    """Titles, tables, texts and notes, then each chart as it is drawn and as it would be edited."""
    roots = [slide.part._element]
    if slide.has_notes_slide:
        roots.append(slide.notes_slide.part._element)
    charts = [shape.chart.part for shape in slide.shapes if shape.has_chart]
    roots += [part._element for part in charts]
    words = [word for root in roots for element in root.iter(*_TOLD) for word in (element.text or "").split()]
    for part in charts:
        words += _cells(part.chart_workbook.xlsx_part)
    return words


def _cells(part: Any) -> list[str]:
    if part is None:
        return []
    try:
        book = load_workbook(BytesIO(part.blob), read_only=True)
    except (zipfile.BadZipFile, KeyError, ValueError, SyntaxError) as error:
        raise ValueError(str(error)) from error
    rows = (row for sheet in book for row in sheet.iter_rows(values_only=True))
    return [word for row in rows for value in row if value is not None for word in str(value).split()]
