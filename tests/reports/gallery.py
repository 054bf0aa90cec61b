"""Small pictures of the pages of the demo's report, result, audit form and slides, for whoever wants to see them here.

    python -m tests.reports.gallery PROJECT

Writes `SHAPE-LANGUAGE-PAGE.png` into `tests/reports/gallery`. Slides are pictured where LibreOffice is installed.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import closing
from io import BytesIO
from pathlib import Path

import pypdfium2
from PIL import Image

from tunebench.bootstrap import compose
from tunebench.reporting.cases.case import SuccessCase
from tunebench.reporting.delivered import Recipe
from tunebench.reporting.pdf.writing import pdf_bytes
from tunebench.reporting.pptx.deck import slides_bytes
from tunebench.reporting.shapes import Shape
from tunebench.usecases import projects
from tunebench.usecases.reports.success_case import build_case, pdf_document

FOLDER = Path(__file__).parent / "gallery"
SHAPES = (Shape.RESULT, Shape.REPORT, Shape.AUDIT_FORM)
ISSUED = "2026-11-21"
WIDTH, COLOURS = 440, 128


def main(project: Path) -> None:
    compose()
    shutil.rmtree(FOLDER, ignore_errors=True)
    FOLDER.mkdir()
    with closing(projects.open_(project, read_only=True)) as opened:
        for language in ("ko", "en"):
            case = build_case(opened, language, ISSUED)
            for name, document in _documents(case, language):
                for number, page in enumerate(_pictures(document), 1):
                    page.save(FOLDER / f"{name}-{language}-{number:02}.png", optimize=True)
    print(f"{sum(each.stat().st_size for each in FOLDER.iterdir()) / 1024:.0f} KB in {FOLDER}")


def _documents(case: SuccessCase, language: str) -> Iterator[tuple[str, bytes]]:
    """(name, PDF)."""
    for shape in SHAPES:
        yield shape.value, pdf_bytes(pdf_document(case, Recipe(language, ISSUED, shape))).data
    office = shutil.which("soffice")
    if office is not None:
        deck = slides_bytes(pdf_document(case, Recipe(language, ISSUED, Shape.SLIDES)))
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "deck.pptx"
            path.write_bytes(deck)
            command = [office, f"-env:UserInstallation=file://{folder}/office", "--headless", "--convert-to", "pdf"]
            subprocess.run([*command, "--outdir", folder, str(path)], check=True, capture_output=True)
            yield Shape.SLIDES.value, path.with_suffix(".pdf").read_bytes()


def _pictures(document: bytes) -> Iterator[Image.Image]:
    """Each page, small and in few colours."""
    with closing(pypdfium2.PdfDocument(BytesIO(document))) as pages:
        for page in pages:
            picture = page.render(scale=WIDTH / page.get_width()).to_pil()
            yield picture.convert("RGB").quantize(COLOURS)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
