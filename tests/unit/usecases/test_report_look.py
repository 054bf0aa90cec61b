"""What a house chooses for its reports: held by project and template, printed, and made again to the byte."""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterator
from dataclasses import replace
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
import pypdfium2
import pypdfium2.raw as pdfium
import pytest
from PIL import Image
from pptx import Presentation
from reportlab.graphics.shapes import PolyLine

from tests.reports.cases import captured_case, published_case
from tests.unit.usecases.test_verify_report import ISSUED, filled, imported  # noqa: F401
from tunebench.cli.main import run
from tunebench.core.errors import UserError
from tunebench.core.sealing import LEAST_PASSPHRASE
from tunebench.reporting.chapters.results import chart_names, series_id
from tunebench.reporting.design import Design, design_in
from tunebench.reporting.document import (
    Cover,
    Heading,
    Paragraph,
    ReportDocument,
    SeriesPair,
    SeriesPanel,
    Table,
    every_block,
)
from tunebench.reporting.html.writing import html_bytes
from tunebench.reporting.look import Chart, Look, Signer, Version, checked_colour, checked_logo, look_in
from tunebench.reporting.pdf.figures import drawing_of
from tunebench.reporting.pdf.style import BODY_WIDTH
from tunebench.reporting.pdf.writing import pdf_bytes
from tunebench.reporting.pptx.deck import slides_bytes
from tunebench.reporting.shapes import Shape
from tunebench.reporting.success_case import build_document
from tunebench.reporting.wording import Wording
from tunebench.store.project import Project
from tunebench.usecases import projects
from tunebench.usecases.redaction import clean
from tunebench.usecases.redaction.profiles import profile_named
from tunebench.usecases.reports import success_case as reports
from tunebench.usecases.reports.designs import design_of, read_template, remember_design, write_template
from tunebench.usecases.reports.verifying import verify

WIDTH, HEIGHT = 300, 100


def picture(kind: str = "PNG", colour: tuple[int, int, int] = (10, 60, 140)) -> bytes:
    target = BytesIO()
    Image.new("RGB", (WIDTH, HEIGHT), colour).save(target, kind)
    return target.getvalue()


LOGO = picture()
LOOK = Look(
    "#1F4E9B",
    "#5A2A82",
    LOGO,
    (Signer("customer", "홍길동"), Signer("감리원")),
    (Version("0.9", "2026-11-01", "김철수", "초안"), Version("1.0", "2026-11-20", "", "고객 의견 반영")),
)


# -- what is taken -------------------------------------------------------------------------------------


@pytest.mark.parametrize("colour", ["#767676", "#000000", ""])
def test_a_colour_that_can_be_read_on_white_is_taken(colour: str) -> None:
    assert checked_colour(colour) == colour


@pytest.mark.parametrize(("colour", "key"), [("#777777", "report_colour_pale"), ("red", "report_colour")])
def test_another_is_refused(colour: str, key: str) -> None:
    """#767676 is the lightest grey of 4.5 to 1, as WCAG's own techniques say."""
    with pytest.raises(UserError) as refused:
        checked_colour(colour)
    assert refused.value.key == key
    assert refused.value.facts.get("contrast", "4.47") == "4.47"


@pytest.mark.parametrize("kind", ["PNG", "JPEG"])
def test_a_picture_that_can_be_drawn_is_taken_and_a_torn_one_is_not(kind: str) -> None:
    data = picture(kind)
    assert checked_logo(data) == data
    for torn in (data[: len(data) // 2], data[:8] + b"x" * 100, b""):
        with pytest.raises(UserError, match="report_logo_broken"):
            checked_logo(torn)


def test_other_formats_and_large_pictures_are_refused() -> None:
    with pytest.raises(UserError, match="report_logo_broken"):
        checked_logo(picture("GIF"))
    with pytest.raises(UserError, match="report_logo_large"):
        checked_logo(LOGO + bytes(1 << 20))
    wide = BytesIO()
    Image.new("1", (5000, 5000)).save(wide, "PNG")
    with pytest.raises(UserError, match="report_logo_large"):
        checked_logo(wide.getvalue())


@pytest.mark.parametrize(
    "facts",
    [
        [],
        {"font": "x"},
        {"signers": [[""]]},
        {"signers": "author"},
        {"signers": [["a"]] * 7},
        {"versions": [["1.0", "yesterday"]]},
        {"versions": [["1.0", "2026-11-01", "a", "b", "c"]]},
        {"versions": [["1", "", "", "x" * 301]]},
        {"logo": "0" * 64},
        {"charts": {"cpu_busy@db1": ["during"]}},
        {"charts": ["cpu_busy@db1"]},
        {"logo": "no base64"},
    ],
)
def test_what_no_look_can_be_is_refused(facts: object) -> None:
    words = json.dumps({"kind": "tunebench-report-template", "version": 1, "look": facts})
    with pytest.raises(ValueError):
        design_in(words)


def test_a_template_holds_the_picture_and_a_project_keeps_it_once(filled: Project, tmp_path: Path) -> None:  # noqa: F811
    design = Design(look=LOOK)
    write_template(tmp_path / "firm.json", design)
    assert read_template(tmp_path / "firm.json") == design
    remember_design(filled, design)
    assert design_of(filled) == design
    assert len([name for (name,) in filled.rows("SELECT name FROM property") if name.startswith("report_logo:")]) == 1


# -- what is printed -----------------------------------------------------------------------------------


def _texts(document: ReportDocument) -> list[str]:
    tables = (block for block in every_block(document.blocks) if isinstance(block, Table))
    return [cell.text for table in tables for row in table.rows for cell in row]


def test_the_cover_has_the_boxes_and_versions_that_were_given_and_no_others() -> None:
    (cover,) = [b for b in build_document(published_case("ko"), "ko", look=LOOK).blocks if isinstance(b, Cover)]
    assert cover.sign_boxes == ("고객 확인", "감리원") and cover.sign_names == ("홍길동", "")
    assert cover.versions is not None
    assert [row[0].text for row in cover.versions.rows] == ["0.9", "1.0"]
    assert dict(cover.control)["판"] == "1.0"
    (plain,) = [b for b in build_document(published_case("ko"), "ko").blocks if isinstance(b, Cover)]
    assert plain.versions is None and len(plain.sign_boxes) == 4 and not any(plain.sign_names)


def test_the_audit_form_has_every_version_and_who_signs() -> None:
    document = build_document(published_case("ko"), "ko", shape=Shape.AUDIT_FORM, look=LOOK)
    texts = _texts(document)
    assert {"0.9", "초안", "김철수", "감리원", "홍길동"} <= set(texts)
    alone = build_document(published_case("ko"), "ko", shape=Shape.AUDIT_FORM, look=Look(signers=()))
    assert "고객 확인" not in _texts(alone)


@pytest.mark.parametrize(("shape", "language"), [(Shape.WHOLE, "ko"), (Shape.REPORT, "en"), (Shape.AUDIT_FORM, "ko")])
def test_every_shape_prints_without_boxes(shape: Shape, language: str) -> None:
    document = build_document(captured_case(language), language, shape=shape, look=Look(signers=()))
    assert pdf_bytes(document, strict=True).pages


def _pictures(pdf: bytes) -> Iterator[tuple[int, float, float]]:
    """(page, width, height) of each picture, in points."""
    with pypdfium2.PdfDocument(pdf) as document:
        for number, page in enumerate(document, 1):
            for item in page.get_objects(filter=[pdfium.FPDF_PAGEOBJ_IMAGE]):
                left, bottom, right, top = item.get_bounds()
                yield number, right - left, top - bottom


@pytest.mark.parametrize("shape", [Shape.WHOLE, Shape.REPORT])
def test_the_logo_is_printed_once_in_its_own_proportions(shape: Shape) -> None:
    document = build_document(captured_case("en"), "en", shape=shape, look=LOOK)
    ((page, across, down),) = _pictures(pdf_bytes(document).data)
    assert page == 1
    assert across / down == pytest.approx(WIDTH / HEIGHT, rel=0.01)


def test_slides_have_it_beside_every_title_in_its_own_proportions() -> None:
    deck = Presentation(BytesIO(slides_bytes(build_document(captured_case("en"), "en", shape=Shape.SLIDES, look=LOOK))))
    for slide in deck.slides:
        (logo,) = [shape for shape in slide.shapes if shape.shape_type == 13]
        assert logo.width / logo.height == pytest.approx(WIDTH / HEIGHT, rel=0.01)
        title = slide.shapes.title
        assert title.left + title.width <= logo.left
        assert str(title.text_frame.paragraphs[0].runs[0].font.color.rgb) == "5A2A82"


def test_the_page_has_colours_and_picture_in_itself() -> None:
    page = html_bytes(build_document(captured_case("en"), "en", look=LOOK)).decode()
    assert "--accent:#1F4E9B;--second:#5A2A82;" in page
    assert 'src="data:image/png;base64,' in page and "img-src data:" in page


# -- charts --------------------------------------------------------------------------------------------


def _drawn(look: Look) -> dict[str, tuple[str, ...]]:
    """Title -> windows of each series that the chapters on resources draw."""
    blocks = list(every_block(build_document(captured_case("en"), "en", look=look).blocks))
    return {
        title.text: pair.windows
        for title, pair in itertools.pairwise(blocks)
        if isinstance(title, Heading) and isinstance(pair, SeriesPair)
    }


def test_of_a_series_the_chosen_windows_are_drawn_and_one_without_any_is_left_out_with_a_word() -> None:
    case = captured_case("en")
    whole = _drawn(Look())
    first, second = case.series[:2]
    assert len({series_id(series) for series in case.series}) == len(case.series) == len(whole)
    look = Look(charts=(Chart(series_id(first), ()), Chart(series_id(second), ("after",))))
    titles = chart_names(case, Wording("en", case.zone))
    left_out, one = titles[series_id(first)], titles[series_id(second)]
    assert _drawn(look) == {
        title: ("after",) if title == one else windows for title, windows in whole.items() if title != left_out
    }
    document = build_document(case, "en", look=look)
    captions = [block.caption for block in every_block(document.blocks) if isinstance(block, SeriesPair)]
    assert sum("alone is drawn" in caption for caption in captions) == 1
    assert any("not shown: 1" in block.text for block in document.blocks if isinstance(block, Paragraph))
    assert pdf_bytes(document, strict=True).pages


def test_one_window_is_drawn_over_the_whole_width_on_its_own_axis() -> None:
    """The line of 'after' alone reaches farther to the right than half the page, and in height what its own largest is."""
    seconds = np.arange(0.0, 600.0, 60.0)
    panels = [SeriesPanel(name, "", seconds, np.full(10, value), 60.0) for name, value in (("b", 100.0), ("a", 1.0))]
    both, alone = (
        drawing_of(SeriesPair("ms", panels[0], panels[1], None, False, "", windows))
        for windows in (("before", "after"), ("after",))
    )
    spans = [[line.points for line in _lines(drawing)] for drawing in (both, alone)]
    assert [len(lines) for lines in spans] == [2, 1]
    (points,) = spans[1]
    assert points[-2] - points[0] > BODY_WIDTH / 2
    assert points[1] > max(spans[0][1][1::2]) + 20


def _lines(drawing: Any) -> Iterator[PolyLine]:
    for item in getattr(drawing, "contents", ()):
        if isinstance(item, PolyLine):
            yield item
        yield from _lines(item)


def test_a_layout_that_names_what_is_not_there_says_so_and_prints_the_rest(
    filled: Project,  # noqa: F811
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    filled.close()
    template, pdf = tmp_path / "firm.json", tmp_path / "one.pdf"
    write_template(
        template,
        Design(shape=Shape.WHOLE, look=Look(charts=(Chart("cpu_busy@db1", ("after",)), Chart("gone@db9", ())))),
    )
    words = ["report", str(filled.path), "--template", str(template), "--pdf", str(pdf), "--lang", "en"]
    assert run([*words, "--json"]) == 0
    output = capsys.readouterr()
    facts = json.loads(output.out)
    assert facts["unknown_charts"] == ["gone@db9"] and "cpu_busy@db1" in facts["charts"]
    assert "alone is drawn" in " ".join(_words(pdf).split())
    assert run(words) == 0
    assert "gone@db9" in "".join(capsys.readouterr())
    assert run(["report", "--verify", str(pdf), str(filled.path)]) == 0


# -- made again ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("suffix", ["pdf", "xlsx", "html", "pptx"])
def test_a_report_is_made_again_when_the_house_has_another_logo(
    filled: Project,  # noqa: F811
    tmp_path: Path,
    suffix: str,
) -> None:
    path = tmp_path / f"delivered.{suffix}"
    where: dict[str, Any] = {suffix: path}
    reports.write(filled, "ko", ISSUED, look=LOOK, **where)
    remember_design(filled, Design(look=replace(LOOK, logo=picture(colour=(200, 0, 0)), versions=())))
    assert verify(filled, path).same


@pytest.mark.parametrize("suffix", ["pdf", "xlsx", "html", "pptx"])
def test_both_languages_are_made_again(filled: Project, tmp_path: Path, suffix: str) -> None:  # noqa: F811
    path = tmp_path / f"delivered.{suffix}"
    filled.close()
    assert run(["report", str(filled.path), "--both-languages", "--lang", "ko", f"--{suffix}", str(path)]) == 0
    with projects.open_(filled.path) as project:
        verification = verify(project, path)
    assert verification.same and verification.recipe.language == "ko"
    if suffix in ("pdf", "html"):
        words = path.read_bytes() if suffix == "html" else _words(path).encode()
        assert "비교".encode() in words and b"Comparability" in words


def _words(path: Path) -> str:
    with pypdfium2.PdfDocument(path) as document:
        return " ".join(page.get_textpage().get_text_range() for page in document)


def test_the_logo_of_a_recipe_that_the_project_lacks_is_said(filled: Project, tmp_path: Path) -> None:  # noqa: F811
    path = tmp_path / "delivered.pdf"
    reports.write(filled, "ko", ISSUED, pdf=path, look=LOOK)
    with filled.transaction() as connection:
        connection.execute("DELETE FROM property WHERE name LIKE 'report_logo:%'")
    with pytest.raises(UserError, match="report_logo_lost"):
        verify(filled, path)


def test_a_redacted_report_names_no_house_and_nobody(filled: Project, tmp_path: Path) -> None:  # noqa: F811
    redaction = clean.Redaction(profile_named("strict"), "x" * LEAST_PASSPHRASE, tmp_path / "names")
    remember_design(filled, Design(look=LOOK))
    path, copy = tmp_path / "redacted.pdf", tmp_path / "copy.tune"
    clean.write_report(filled, redaction, "ko", ISSUED, {"pdf": path}, look=LOOK)
    words = _words(path)
    assert not list(_pictures(path.read_bytes()))
    assert "감리원" in words and not any(name in words for name in ("홍길동", "김철수"))
    assert clean.verify_report(filled, path, redaction).same
    clean.export_clean(filled, copy, redaction)
    assert "홍길동".encode() not in copy.read_bytes() and b"report_logo" not in copy.read_bytes()


def test_the_command_line_takes_a_logo_and_what_the_engagement_remembers(filled: Project, tmp_path: Path) -> None:  # noqa: F811
    remember_design(filled, Design(look=replace(LOOK, logo=b"")))
    filled.close()
    (tmp_path / "logo.png").write_bytes(LOGO)
    pdf = tmp_path / "one.pdf"
    assert run(["report", str(filled.path), "--pdf", str(pdf), "--logo", str(tmp_path / "logo.png")]) == 0
    assert [page for page, *_ in _pictures(pdf.read_bytes())] == [1]
    with pypdfium2.PdfDocument(pdf) as document:
        assert "감리원" in "".join(page.get_textpage().get_text_range() for page in document)
    assert run(["report", "--verify", str(pdf), str(filled.path)]) == 0
    assert run(["report", str(filled.path), "--pdf", str(pdf), "--template", "success-case"]) == 0
    assert not list(_pictures(pdf.read_bytes()))
    (tmp_path / "logo.png").write_bytes(LOGO[:60])
    assert run(["report", str(filled.path), "--pdf", str(pdf), "--logo", str(tmp_path / "logo.png")]) == 3


def test_the_look_of_a_recipe_that_cannot_be_read_is_refused() -> None:
    with pytest.raises(ValueError, match="another look"):
        look_in({"future": 1}, lambda _digest: b"")
