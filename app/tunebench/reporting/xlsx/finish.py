"""The finishing pass over a saved workbook: cached results, alternative texts, equal bytes.

openpyxl writes formulas without their results, so viewers that do not calculate show nothing. The values that
Python computed from the same data are put beside each formula; the formula stays live.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from io import BytesIO
from xml.etree import ElementTree

from tunebench.reporting.packages import Edit, repacked
from tunebench.reporting.xlsx.sheet import Book, safe_text

MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
RELATIONSHIPS = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
DRAWING = "http://schemas.openxmlformats.org/drawingml/2006/spreadsheetDrawing"
DRAWING_MAIN = "http://schemas.openxmlformats.org/drawingml/2006/main"
CHART = "http://schemas.openxmlformats.org/drawingml/2006/chart"

_PREFIXES = {"": MAIN, "r": RELATIONSHIPS, "xdr": DRAWING, "a": DRAWING_MAIN, "c": CHART}


def finished(book: Book, issued: str) -> bytes:
    """The file, with the results of formulas and the alternative texts of charts.

    Args:
        issued: ISO date that becomes the file's own dates.
    """
    saved = BytesIO()
    book.workbook.save(saved)
    charted = (sheet.descriptions for sheet in book.sheets if sheet.descriptions)
    edits: dict[str, Edit] = {
        **{
            f"xl/worksheets/sheet{number}.xml": partial(_with_results, results=sheet.results)
            for number, sheet in enumerate(book.sheets, 1)
            if sheet.results
        },
        **{
            f"xl/drawings/drawing{number}.xml": partial(_with_descriptions, texts=texts)
            for number, texts in enumerate(charted, 1)
        },
    }
    return repacked(saved.getvalue(), issued, edits)


def _written(root: ElementTree.Element, default: str) -> bytes:
    for prefix, uri in _PREFIXES.items():
        if prefix and uri != default:
            ElementTree.register_namespace(prefix, uri)
    ElementTree.register_namespace("", default)
    return bytes(ElementTree.tostring(root, encoding="UTF-8", xml_declaration=True))


def _with_results(data: bytes, results: Mapping[str, float | str]) -> bytes:
    """`results`: cell reference (``D5``) -> the result of its formula."""
    root = ElementTree.fromstring(data)
    for cell in root.iter(f"{{{MAIN}}}c"):
        formula = cell.find(f"{{{MAIN}}}f")
        reference = cell.get("r", "")
        if formula is None or reference not in results:
            continue
        result = results[reference]
        value = cell.find(f"{{{MAIN}}}v")
        if value is None:
            value = ElementTree.SubElement(cell, f"{{{MAIN}}}v")
        value.text = result if isinstance(result, str) else repr(float(result))
        if isinstance(result, str):
            cell.set("t", "str")
    return _written(root, MAIN)


def _with_descriptions(data: bytes, texts: list[str]) -> bytes:
    root = ElementTree.fromstring(data)
    frames = [frame for frame in root.iter(f"{{{DRAWING}}}cNvPr") if frame.get("name", "").startswith("Chart")]
    for frame, text in zip(frames, texts, strict=True):
        frame.set("descr", safe_text(text))
    return _written(root, DRAWING)
