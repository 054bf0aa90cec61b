"""Small pictures of reports, for whoever wants to see them here: the demo's report, audit form and slides, and the reports
of forty hosts of which fourteen gained, of forty AWR reports, and of a study.

    python -m tests.reports.gallery PROJECT

Writes `ENGAGEMENT-SHAPE-LANGUAGE-PAGE.png` into `tests/reports/gallery`. Slides are pictured where LibreOffice is
installed.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import closing
from io import BytesIO
from pathlib import Path

import pypdfium2
from PIL import Image

from tests.unit.answering.made_answers import awr_project, forty
from tunebench.bootstrap import compose
from tunebench.domain.engagement import Engagement
from tunebench.reporting.cases.case import SuccessCase
from tunebench.reporting.delivered import Recipe
from tunebench.reporting.pdf.writing import pdf_bytes
from tunebench.reporting.pptx.deck import slides_bytes
from tunebench.reporting.shapes import Shape
from tunebench.usecases import projects
from tunebench.usecases.experiments import applying, examples
from tunebench.usecases.reports.success_case import build_case, pdf_document

FOLDER = Path(__file__).parent / "gallery"
SHAPES = (Shape.REPORT, Shape.AUDIT_FORM)
GAINED = dict.fromkeys(range(14), 0.6)
ISSUED = "2026-11-21"
WIDTH, COLOURS = 440, 128


def main(project: Path) -> None:
    compose()
    shutil.rmtree(FOLDER, ignore_errors=True)
    FOLDER.mkdir()
    with tempfile.TemporaryDirectory() as folder:
        _picture("demo", project, SHAPES, slides=True)
        hosts, awr = Path(folder, "hosts"), Path(folder, "awr")
        _picture("hosts", forty(hosts, GAINED)[0], (Shape.REPORT,))
        _picture("awr", awr_project(awr), (Shape.REPORT,))
        _picture("study", _study(Path(folder) / "study.tune"), (Shape.STUDY,))
    print(f"{sum(each.stat().st_size for each in FOLDER.iterdir()) / 1024:.0f} KB in {FOLDER}")


def _study(path: Path) -> Path:
    """Five file systems and options, once each, as their document has them."""
    with closing(projects.create(path, Engagement("Lab", "ACME"))) as project:
        applying.apply(project, examples.example_edit("fs-copy", "ko"))
    return path


def _picture(name: str, project: Path, shapes: Sequence[Shape], *, slides: bool = False) -> None:
    with closing(projects.open_(project, read_only=True)) as opened:
        for language in ("ko", "en"):
            case = build_case(opened, language, ISSUED)
            for shape, document in _documents(case, language, shapes, slides):
                for number, page in enumerate(_pictures(document), 1):
                    page.save(FOLDER / f"{name}-{shape}-{language}-{number:02}.png", optimize=True)


def _documents(
    case: SuccessCase, language: str, shapes: Sequence[Shape], slides: bool
) -> Iterator[tuple[Shape, bytes]]:
    """(shape, PDF)."""
    for shape in shapes:
        yield shape, pdf_bytes(pdf_document(case, Recipe(language, ISSUED, shape))).data
    office = shutil.which("soffice") if slides else None
    if office is not None:
        deck = slides_bytes(pdf_document(case, Recipe(language, ISSUED, Shape.SLIDES)))
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "deck.pptx"
            path.write_bytes(deck)
            command = [office, f"-env:UserInstallation=file://{folder}/office", "--headless", "--convert-to", "pdf"]
            subprocess.run([*command, "--outdir", folder, str(path)], check=True, capture_output=True)
            yield Shape.SLIDES, path.with_suffix(".pdf").read_bytes()


def _pictures(document: bytes) -> Iterator[Image.Image]:
    """Each page, small and in few colours."""
    with closing(pypdfium2.PdfDocument(BytesIO(document))) as pages:
        for page in pages:
            picture = page.render(scale=WIDTH / page.get_width()).to_pil()
            yield picture.convert("RGB").quantize(COLOURS)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
