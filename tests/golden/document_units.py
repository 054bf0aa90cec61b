"""The reports of a project: pages of a PDF, chapters of HTML, columns of a workbook, slides."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path, PurePosixPath
from xml.etree import ElementTree
from zipfile import ZipFile

import pypdfium2

from tests.golden.program import done, portable
from tests.golden.units import Units, digest, under

SHAPES = ("success-case", "result", "report", "annex", "diagnosis", "before-after", "audit-form")
FORMATS = ("pdf", "html", "xlsx", "pptx")
ISSUED = "2026-12-01"
_MAIN = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"
_RELATION = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}id"
_IN_CELLS = ("xl/worksheets/sheet", "xl/sharedStrings", "xl/styles")
"""Parts of a workbook that its cells and sheets tell already."""
_TEXT_PARTS = (".xml", ".rels", ".vml")


def reported(project: Path, language: str, shapes: Sequence[str] = SHAPES, formats: Sequence[str] = FORMATS) -> Units:
    """The reports in these shapes. A workbook or deck that is the first shape's again is one unit, which says so."""
    units: Units = {}
    earlier: dict[str, str] = {}
    for shape in shapes:
        name = f"report.{shape}.{language}"
        for kind, path in _written(project, language, shape, formats).items():
            parts = of_document(path)
            whole = digest([line for lines in parts.values() for line in lines])
            if kind in ("xlsx", "pptx") and earlier.setdefault(kind, whole) == whole and shape != shapes[0]:
                units[f"{name}.{kind}"] = [f"as {shapes[0]}"]
            else:
                units |= under(f"{name}.{kind}", parts)
    return units


def _written(project: Path, language: str, shape: str, formats: Sequence[str]) -> dict[str, Path]:
    """The files by kind, of a copy: a project remembers its reports, and none shall follow from those before it."""
    stem = f"{project.stem}-{shape}-{language}"
    copy = Path(shutil.copy(project, f"{stem}.tune"))
    files = {kind: Path(f"{stem}.{kind}") for kind in formats}
    targets = [word for kind, path in files.items() for word in (f"--{kind}", path)]
    done("report", copy, "--shape", shape, "--lang", language, "--issued", ISSUED, *targets)
    return files


def of_document(path: Path) -> Units:
    """The units of a document of any of the four kinds."""
    readers = {".pdf": of_pdf, ".html": of_html, ".xlsx": of_workbook, ".pptx": of_slides}
    return readers[path.suffix](path.read_bytes())


def of_pdf(data: bytes) -> Units:
    """The text of each page, with its size; and the bookmarks."""
    units: Units = {}
    with closing(pypdfium2.PdfDocument(BytesIO(data))) as document:
        for number, page in enumerate(document, 1):
            size = " x ".join(f"{length:.0f}" for length in page.get_size())
            text = page.get_textpage().get_text_range()
            units[f"p{number:02}"] = [size, *portable(text).splitlines()]
        bookmarks = [f"{mark.level} {mark.get_title()}" for mark in document.get_toc()]
    return units | ({"bookmarks": bookmarks} if bookmarks else {})


def of_html(data: bytes) -> Units:
    """Each chapter by the id of its heading, with its markup; what stands before the first of them is the head."""
    pieces = re.split(r'(?=<h2 id=")', portable(data.decode("utf-8")))
    units = {"head": _tags(pieces[0])}
    for piece in pieces[1:]:
        id_ = piece.split('"', 2)[1]
        units[id_] = [*units.get(id_, []), *_tags(piece)]
    return units


def _tags(markup: str) -> list[str]:
    return re.sub(r">\s*<", ">\n<", markup).splitlines()


def of_slides(data: bytes) -> Units:
    """Each slide with its markup; all charts; all else that a deck is made of."""
    units: Units = {}
    for name, lines in _parts(data):
        path = PurePosixPath(name)
        kind = path.stem if path.parent.name == "slides" else _kind_of(path)
        units.setdefault(kind, []).extend(f"{name} {line}" for line in lines)
    return units


def _kind_of(part: PurePosixPath) -> str:
    return "charts" if part.parts[1:2] and part.parts[1] in ("charts", "embeddings") else "rest"


def _parts(data: bytes) -> Iterator[tuple[str, list[str]]]:
    """(name, lines) of what a package holds: markup tag by tag, a workbook within by its cells."""
    with ZipFile(BytesIO(data)) as package:
        for name in sorted(name for name in package.namelist() if not name.startswith("docProps")):
            content = package.read(name)
            if name.endswith(_TEXT_PARTS):
                yield name, _tags(portable(content.decode("utf-8")))
            elif name.endswith(".xlsx"):
                yield name, [f"{unit}: {line}" for unit, lines in of_workbook(content).items() for line in lines]
            else:
                yield name, [digest([content.hex()])]


def of_workbook(data: bytes) -> Units:
    """Each column of each sheet with what is in its cells and how they look; the rest of a sheet; all other parts."""
    units: Units = {}
    with ZipFile(BytesIO(data)) as package:
        book = _Book(package)
        for name, path in book.sheets():
            sheet = ElementTree.fromstring(package.read(path))
            units |= under(_plain_name(name), book.columns(sheet))
            units[f"{_plain_name(name)}.layout"] = [
                ElementTree.tostring(part, encoding="unicode")
                for part in sheet
                if part.tag not in (f"{_MAIN}sheetData", f"{_MAIN}drawing")
            ]
    for name, lines in _parts(data):
        if not name.startswith(_IN_CELLS):
            units.setdefault(_kind_of(PurePosixPath(name)), []).extend(f"{name} {line}" for line in lines)
    return units


def _plain_name(sheet: str) -> str:
    return sheet.replace(" ", "_").replace(".", "_")


@dataclass
class _Book:
    package: ZipFile

    def __post_init__(self) -> None:
        names = set(self.package.namelist())
        shared = "xl/sharedStrings.xml"
        self._strings = [_text_of(item) for item in self._read(shared)] if shared in names else []
        self._looks = list(_looks(self._read("xl/styles.xml")))

    def _read(self, name: str) -> ElementTree.Element:
        return ElementTree.fromstring(self.package.read(name))

    def sheets(self) -> Iterator[tuple[str, str]]:
        """(title, part) in the order of the tabs."""
        targets = {part.get("Id"): part.get("Target", "") for part in self._read("xl/_rels/workbook.xml.rels")}
        for sheet in self._read("xl/workbook.xml").iter(f"{_MAIN}sheet"):
            target = targets[sheet.get(_RELATION)]
            yield sheet.get("name", ""), target.lstrip("/") if target.startswith("/") else f"xl/{target}"

    def columns(self, sheet: ElementTree.Element) -> Units:
        units: Units = {}
        for cell in sheet.iter(f"{_MAIN}c"):
            match = re.match(r"[A-Z]+", cell.get("r", ""))
            assert match, cell.attrib
            units.setdefault(match[0], []).append(portable(self._shown(cell)))
        return units

    def _shown(self, cell: ElementTree.Element) -> str:
        formula, value = cell.findtext(f"{_MAIN}f"), cell.findtext(f"{_MAIN}v")
        text = self._strings[int(value)] if cell.get("t") == "s" and value else value or _text_of(cell)
        said = f"={formula} -> {text}" if formula else text
        return f"{cell.get('r')} {said} [{self._looks[int(cell.get('s', 0))]}]"


def _text_of(element: ElementTree.Element) -> str:
    return "".join(part.text or "" for part in element.iter(f"{_MAIN}t"))


def _looks(styles: ElementTree.Element) -> Iterator[str]:
    """How each kind of cell looks: format, font, fill, border, alignment."""
    formats = {part.get("numFmtId"): part.get("formatCode") for part in styles.iter(f"{_MAIN}numFmt")}
    kinds = {name: list(styles.find(f"{_MAIN}{name}s") or ()) for name in ("font", "fill", "border")}
    for look in styles.find(f"{_MAIN}cellXfs") or ():
        parts = [ElementTree.tostring(kinds[name][int(look.get(f"{name}Id", 0))], encoding="unicode") for name in kinds]
        parts += [ElementTree.tostring(part, encoding="unicode") for part in look]
        number = look.get("numFmtId")
        yield f"{formats.get(number, number)} {digest(parts)}"
