"""A delivered report is made again: every change that is planted in it is named, and nothing else."""

from __future__ import annotations

import json
import random
import re
import shutil
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import replace
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
from openpyxl import load_workbook

from tests.program import compose
from tests.reports.built import captured_document, captured_slides, captured_workbook
from tests.reports.cases import captured_case
from tests.unit.usecases.test_report_case import take, vmstat
from tunebench.cli.main import run
from tunebench.core.errors import UserError
from tunebench.domain.engagement import Engagement, Phase
from tunebench.domain.windows import Window, run_window
from tunebench.reporting.delivered import Difference, Recipe, recipe_in
from tunebench.reporting.design import Design
from tunebench.reporting.document import Block, Cell, ReportDocument, Table
from tunebench.reporting.html.reading import differences as html_differences
from tunebench.reporting.html.writing import html_bytes
from tunebench.reporting.pdf.reading import differences as pdf_differences
from tunebench.reporting.pdf.reading import keywords_of
from tunebench.reporting.pdf.writing import pdf_bytes
from tunebench.reporting.pptx.deck import slides_bytes
from tunebench.reporting.pptx.reading import differences as pptx_differences
from tunebench.reporting.shapes import Shape
from tunebench.reporting.success_case import build_document
from tunebench.reporting.xlsx.reading import differences as xlsx_differences
from tunebench.store import engagements
from tunebench.store.project import Project
from tunebench.store.runs import list_runs
from tunebench.usecases import projects
from tunebench.usecases.comparing import windows
from tunebench.usecases.cycle import applying
from tunebench.usecases.reports import success_case as reports
from tunebench.usecases.reports.designs import write_template
from tunebench.usecases.reports.verifying import verify

PLANTED = 100
ISSUED = "2026-08-01"
Written = Callable[[ReportDocument], bytes]
Differences = Callable[[bytes, bytes], Iterator[Difference]]


# -- planted changes -----------------------------------------------------------------------------------


def _pdf(document: ReportDocument) -> bytes:
    return pdf_bytes(document).data


PAGES = pytest.mark.parametrize(("written", "differences"), [(_pdf, pdf_differences), (html_bytes, html_differences)])


@PAGES
def test_every_figure_that_was_changed_is_named(written: Written, differences: Differences) -> None:
    document = captured_document("en")
    choose = random.Random(20261123)
    cells = [
        (place, row, column)
        for place, block in enumerate(document.blocks)
        if isinstance(block, Table)
        for row, line in enumerate(block.rows)
        for column, cell in enumerate(line)
        if re.fullmatch(r"[\d,.]+", cell.text)
    ]
    planted = {at: f"8{number:03}.25" for number, at in enumerate(choose.sample(cells, min(PLANTED, len(cells))))}
    assert len(planted) == PLANTED
    changed = _changed(document, planted)
    found = list(differences(written(changed), written(document)))
    delivered = {word for each in found for word in each.delivered.split()}
    assert set(planted.values()) <= delivered
    assert not set(planted.values()) & {word for each in found for word in each.made.split()}


def _changed(document: ReportDocument, planted: dict[tuple[int, int, int], str]) -> ReportDocument:
    places = iter(range(len(document.blocks)))

    def block_of(block: Block) -> Block:
        place = next(places)
        if not isinstance(block, Table):
            return block
        rows = tuple(
            tuple(
                Cell(planted.get((place, row, column), cell.text), cell.value, cell.tone)
                for column, cell in enumerate(line)
            )
            for row, line in enumerate(block.rows)
        )
        return replace(block, rows=rows)

    sections = tuple(
        replace(section, blocks=tuple(block_of(block) for block in section.blocks)) for section in document.sections
    )
    return replace(document, sections=sections)


@PAGES
def test_a_drawing_that_was_changed_is_named_by_its_place(written: Written, differences: Differences) -> None:
    case = captured_case("en")
    series = case.series[0]
    assert series.before is not None
    bent = replace(series, before=replace(series.before, values=series.before.values * 0.9))
    sections = ("cover", series.subject)
    made, other = (
        build_document(each, "en", sections) for each in (case, replace(case, series=(bent, *case.series[1:])))
    )
    assert any(not each.delivered and not each.made for each in differences(written(other), written(made)))


def test_every_cell_that_was_changed_in_a_workbook_is_named_and_no_other() -> None:
    made = captured_workbook("en")
    delivered, planted = _with_other_numbers(made, PLANTED)
    assert len(planted) == PLANTED
    assert {each.place for each in xlsx_differences(delivered, made)} == planted


def _with_other_numbers(workbook: bytes, count: int) -> tuple[bytes, set[str]]:
    """Numbers of cells, and results beside formulas, changed in the parts of the file."""
    choose, changed, target = random.Random(7), set[str](), BytesIO()
    with zipfile.ZipFile(BytesIO(workbook)) as source:
        parts = {name: source.read(name) for name in source.namelist()}
    names = re.findall(r'<sheet[^>]* name="([^"]+)"', parts["xl/workbook.xml"].decode())
    cells = [
        (number, found[1])
        for number in range(1, len(names) + 1)
        for found in re.finditer(
            r'<c r="(\w+)"(?: s="\d+")?(?: t="n")?>(?:<f>[^<]*</f>)?<v>-?[\d.]+</v>', _sheet(parts, number)
        )
    ]
    for number, reference in choose.sample(cells, count):
        pattern = rf'(<c r="{reference}"[^>]*>(?:<f>[^<]*</f>)?<v>)(-?[\d.]+)(</v>)'
        text = re.sub(pattern, lambda told: f"{told[1]}{float(told[2]) * 1.01 + 0.5!r}{told[3]}", _sheet(parts, number))
        parts[f"xl/worksheets/sheet{number}.xml"] = text.encode()
        changed.add(f"{names[number - 1]}!{reference}")
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as result:
        for name, data in parts.items():
            result.writestr(name, data)
    return target.getvalue(), changed


def _sheet(parts: dict[str, bytes], number: int) -> str:
    return parts[f"xl/worksheets/sheet{number}.xml"].decode()


def test_every_number_that_was_changed_on_slides_is_named_with_its_slide() -> None:
    """In words, tables and charts, and in the small workbooks that the charts are edited with."""
    made = captured_slides("en")
    delivered, planted = _with_other_words(made, PLANTED)
    assert len(planted) == PLANTED
    found = list(pptx_differences(delivered, made))
    named = {word for each in found for word in each.delivered.split()}
    assert planted <= named and {each.place for each in found} <= {str(number) for number in range(1, 11)}


def _with_other_words(slides: bytes, count: int) -> tuple[bytes, set[str]]:
    """Each planted number is another one: in runs of text, cached points of charts, cells of small workbooks."""
    choose, target = random.Random(11), BytesIO()
    with zipfile.ZipFile(BytesIO(slides)) as source:
        parts = {name: source.read(name) for name in source.namelist()}
    places = [
        (name, found.start(1), found.end(1))
        for name, data in parts.items()
        if re.match(r"ppt/(slides/slide|charts/chart)\d+\.xml", name)
        for found in re.finditer(rb"<(?:a:t|c:v)>(-?\d[\d.,]*)</(?:a:t|c:v)>", data)
    ]
    chosen = choose.sample(places, count - 1)
    for number, (name, start, end) in sorted(enumerate(chosen), key=lambda each: (each[1][0], -each[1][1])):
        parts[name] = parts[name][:start] + f"7{number:03}.125".encode() + parts[name][end:]
    book = next(name for name in parts if name.startswith("ppt/embeddings/"))
    edited, kept = load_workbook(BytesIO(parts[book])), BytesIO()
    edited.active["B2"] = 424242.5
    edited.save(kept)
    parts[book] = kept.getvalue()
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as result:
        for name, data in parts.items():
            result.writestr(name, data)
    return target.getvalue(), {f"7{number:03}.125" for number in range(count - 1)} | {"424242.5"}


# -- what is displayed and is no cell or word ----------------------------------------------------------


def _replanted(package: bytes, changes: dict[str, tuple[str, str]], level: int = 6) -> bytes:
    """Part -> (pattern, replacement); each must change its part."""
    target = BytesIO()
    with zipfile.ZipFile(BytesIO(package)) as source, zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as result:
        for name in source.namelist():
            data = source.read(name)
            if name in changes:
                pattern, other = changes[name]
                data, count = re.subn(pattern.encode(), other.encode(), data, count=1)
                assert count == 1, name
            result.writestr(name, data, compresslevel=level)
    return target.getvalue()


@pytest.mark.parametrize(
    ("part", "pattern", "other"),
    [
        ("xl/charts/chart1.xml", r"<(c:)?v>[\d.]+</", r"<\1v>8590.997</"),  # the cache of a chart
        ("xl/charts/chart1.xml", r"srgbClr val=\"\w+\"", 'srgbClr val="00FF00"'),
        ("xl/worksheets/sheet3.xml", r"<row r=\"4\"", '<row hidden="1" r="4"'),
        ("xl/worksheets/sheet3.xml", r"<col ", '<col hidden="1" '),
        ("xl/worksheets/sheet3.xml", r" s=\"\d+\"", ' s="0"'),
        ("xl/workbook.xml", r"state=\"visible\"", 'state="hidden"'),
        ("xl/styles.xml", r"formatCode=\"[^\"]*\"", 'formatCode="0,,"'),
        ("xl/drawings/drawing1.xml", r"<(xdr:)?row>\d+</", r"<\1row>900</"),
    ],
)
def test_what_is_displayed_beside_the_cells_is_compared(part: str, pattern: str, other: str) -> None:
    made = captured_workbook("en")
    assert list(xlsx_differences(_replanted(made, {part: (pattern, other)}), made))


def test_a_chart_is_named_by_its_sheet() -> None:
    made = captured_workbook("en")
    changes = {"xl/charts/chart1.xml": (r"<(c:)?v>[\d.]+</", r"<\1v>8590.997</")}
    (found,) = xlsx_differences(_replanted(made, changes), made)
    assert found.place in load_workbook(BytesIO(made)).sheetnames and found.key == "verify.drawn"


def test_a_part_that_was_added_is_named_and_packing_is_no_difference() -> None:
    made = captured_workbook("en")
    again = _replanted(made, {}, level=1)
    assert again != made and not list(xlsx_differences(again, made))
    target = BytesIO(again)
    with zipfile.ZipFile(target, "a") as package:
        package.writestr("xl/media/image9.png", b"a picture")
    assert [each.place for each in xlsx_differences(target.getvalue(), made)] == ["xl/media/image9.png"]


def test_a_chart_of_slides_that_is_drawn_otherwise_is_named_with_its_slide() -> None:
    made = captured_slides("en")
    with zipfile.ZipFile(BytesIO(made)) as source:
        chart = next(name for name in source.namelist() if name.startswith("ppt/charts/chart"))
    (found,) = pptx_differences(_replanted(made, {chart: ('<c:delete val="0"/>', '<c:delete val="1"/>')}), made)
    assert found.place.isdigit() and found.key == "verify.drawn"


# -- out of the project --------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def imported(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What `filled` is a copy of: nobody writes into it."""
    compose()
    folder = tmp_path_factory.mktemp("filled")
    with projects.create(folder / "made.tune", Engagement("Tuning", "ACME", zone="Asia/Seoul")) as project:
        for phase, busy in ((Phase.BEFORE, 60), (Phase.AFTER, 30)):
            take(project, vmstat(folder / f"{phase.value}.txt", busy), phase, "db1")
    return folder / "made.tune"


@pytest.fixture
def filled(imported: Path, tmp_path: Path) -> Iterator[Project]:
    """A run before and one after, half as busy."""
    with projects.open_(Path(shutil.copy(imported, tmp_path / "made.tune"))) as project:
        yield project


@pytest.mark.parametrize("suffix", ["pdf", "xlsx", "html", "pptx"])
def test_what_was_written_is_the_projects_to_the_byte_until_the_project_says_otherwise(
    filled: Project, tmp_path: Path, suffix: str
) -> None:
    path = tmp_path / f"delivered.{suffix}"
    kept = (
        None if suffix == "pptx" else frozenset({"summary", "method", "cpu", "evidence"})
    )  # slides have parts of their own
    where: dict[str, Any] = {suffix: path}
    reports.write(filled, "ko", ISSUED, sections=kept, **where)
    assert verify(filled, path).same
    engagement = engagements.read_engagement(filled)
    projects.update_engagement(filled, replace(engagement, customer="Another"))
    found = verify(filled, path)
    assert not found.same and any("ACME" in each.delivered and "Another" in each.made for each in found.differences)


def test_shape_and_windows_are_those_of_the_document(filled: Project, tmp_path: Path) -> None:
    before, after = (run_window(each.id) for each in list_runs(filled))
    path = tmp_path / "one.pdf"
    reports.write(filled, "en", "", pdf=path, shape=Shape.RESULT, before=before, after=after)
    found = verify(filled, path)
    assert found.same and found.recipe.shape is Shape.RESULT
    assert json.loads(found.recipe.before)[0][0] == "before"


def test_a_window_that_is_gone_is_said(filled: Project, tmp_path: Path) -> None:
    made = replace(windows.find_window(filled, "before"), name="Morning")
    (added,) = applying.apply(filled, windows.add(filled, made)).changes
    kept = added.after
    assert isinstance(kept, Window)
    path = tmp_path / "one.pdf"
    reports.write(filled, "en", "", pdf=path, before=kept, after=run_window(list_runs(filled)[1].id))
    assert verify(filled, path).same
    applying.apply(filled, windows.remove(kept))
    with pytest.raises(UserError, match="window_or_run_unknown"):
        verify(filled, path)


def test_foreign_and_broken_files_are_refused(filled: Project, tmp_path: Path) -> None:
    foreign, broken = tmp_path / "foreign.pdf", tmp_path / "broken.xlsx"
    page, torn = tmp_path / "foreign.html", tmp_path / "torn.html"
    page.write_bytes(b"<!DOCTYPE html><p>A page of somebody else</p>")
    torn.write_bytes(b"<!DOCTYPE html>\xff")
    slides, half = tmp_path / "foreign.pptx", tmp_path / "half.pptx"
    deck = slides_bytes(build_document(captured_case("en"), "en", ("result",), Shape.SLIDES))
    slides.write_bytes(deck)
    with zipfile.ZipFile(half, "w") as package:
        package.writestr("ppt/presentation.xml", b"<p>")
    foreign.write_bytes(pdf_bytes(build_document(captured_case("en"), "en", ("cover",))).data)
    broken.write_bytes(b"PK\x03\x04 no workbook")
    for path, key in (
        (foreign, "report_foreign"),
        (broken, "report_unreadable"),
        (page, "report_foreign"),
        (torn, "report_unreadable"),
        (slides, "report_foreign"),
        (half, "report_unreadable"),
        (tmp_path / "none.pdf", "file_unreadable"),
    ):
        with pytest.raises(UserError, match=key):
            verify(filled, path)


@pytest.mark.parametrize("part", ["xl/workbook.xml", "xl/worksheets/sheet2.xml", "docProps/core.xml"])
def test_a_workbook_with_a_damaged_part_is_refused(filled: Project, tmp_path: Path, part: str) -> None:
    path, damaged = tmp_path / "one.xlsx", tmp_path / "two.xlsx"
    reports.write(filled, "en", ISSUED, xlsx=path)
    with zipfile.ZipFile(path) as source, zipfile.ZipFile(damaged, "w") as copy:
        for name in source.namelist():
            data = source.read(name)
            copy.writestr(name, data[: len(data) // 2] if name == part else data)
    with pytest.raises(UserError, match="report_unreadable"):
        verify(filled, damaged)


def test_the_command_line_says_where_and_refuses(
    filled: Project, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "delivered.pdf"
    reports.write(filled, "en", ISSUED, pdf=path)
    projects.update_engagement(filled, replace(engagements.read_engagement(filled), customer="Another"))
    filled.close()
    assert run(["report", "--verify", str(path), str(filled.path), "--json"]) == 3
    told = json.loads(capsys.readouterr().out)
    assert not told["same"] and {"place", "delivered", "made"} <= set(told["differences"][0])


def test_a_recipe_reads_back_what_was_written() -> None:
    told = Recipe(
        "ko", ISSUED, Shape.ANNEX, ("audit", "cpu"), '[["전 & 후",null,5]]', "튜닝 후=1", 42, order=("cpu", "audit")
    )
    assert recipe_in(f"성능 튜닝, 성공사례 {told.words}") == told
    assert recipe_in("tunebench:issued=2026") is None
    assert recipe_in("tunebench:language=ko&shape=none") is None


def test_a_template_lays_a_report_out_and_what_is_named_goes_first(filled: Project, tmp_path: Path) -> None:
    template, order = tmp_path / "firm.json", ("memory", "cpu")
    write_template(template, Design(Shape.BEFORE_AFTER, "en", ("summary",), order))
    filled.close()
    words = ["report", str(filled.path), "--template", str(template), "--without", "method"]
    for shape, options in ((Shape.BEFORE_AFTER, []), (Shape.WHOLE, ["--shape", "success-case"])):
        path = tmp_path / f"{shape}.pdf"
        assert run([*words, "--pdf", str(path), *options]) == 0
        told = recipe_in(keywords_of(path.read_bytes()))
        assert told is not None and (told.shape, told.language, told.order) == (shape, "en", order)
        assert set(told.without) == {"summary", "method"}
        assert run(["report", str(filled.path), "--verify", str(path)]) == 0
    assert run([*words, "--template", str(path)]) == 3
