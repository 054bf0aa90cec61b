"""Slides: every block of a document has a way onto them, and what a title's marks mean stands below it."""

from __future__ import annotations

from collections.abc import Callable
from io import BytesIO
from pathlib import Path
from typing import Any, get_args

import pytest
from pptx import Presentation

from tests.program import compose
from tests.reports.built import of_blocks, printed
from tests.reports.test_every_document import ENGAGEMENTS, demo
from tunebench.core.messages import LANGUAGES
from tunebench.reporting.document import (
    Badge,
    Block,
    Cell,
    Chip,
    Claim,
    CommandLine,
    Contents,
    Cover,
    Heading,
    KeyValueTable,
    MarkedCode,
    NextBox,
    Note,
    NumberedList,
    OnePage,
    Paragraph,
    Run,
    Table,
    TableHead,
    TextBlock,
    TextColumn,
    TextColumns,
    Together,
    Volume,
)
from tunebench.reporting.html.writing import html_bytes
from tunebench.reporting.pptx.deck import slides_bytes
from tunebench.reporting.shapes import Shape
from tunebench.reporting.success_case import build_document
from tunebench.usecases import projects
from tunebench.usecases.reports.success_case import build_case

TABLE = Table("caption", (TableHead("heading"),), ((Cell("spoken"),),))
BLOCKS: tuple[Block, ...] = (
    Claim((Run("conclusion"),), "question", (Chip("chip"),), "remark", ("spoken",)),
    TextColumns((TextColumn("heading", ("spoken",)),)),
    NextBox(("spoken",), "main.py next"),
    Paragraph("spoken"),
    NumberedList(("spoken",)),
    KeyValueTable((("name", "spoken"),)),
    Badge("label", "spoken"),
    MarkedCode("title", "select 1\nspoken", frozenset({1})),
    CommandLine("title", "spoken --verbatim", (("name", "fact"),)),
    Note("spoken"),
    TABLE,
    Together((Paragraph("first"), TABLE)),
    OnePage((Paragraph("spoken"),)),
)
OF_A_WHOLE_DOCUMENT = (Cover, Volume, Heading, Contents)


def shown(slide: Any) -> list[str]:
    """The texts that stand on a slide: not those of its notes page."""
    texts = [shape.text_frame.text for shape in slide.shapes if shape.has_text_frame]
    tables = [shape.table for shape in slide.shapes if shape.has_table]
    return texts + [cell.text for table in tables for row in table.rows for cell in row.cells]


def slides_of(data: bytes) -> list[Any]:
    return list(Presentation(BytesIO(data)).slides)


@pytest.mark.parametrize("block", BLOCKS, ids=lambda block: type(block).__name__)
def test_every_block_has_a_way_into_every_document(block: Block) -> None:
    document = of_blocks("en", Heading("head", "head"), block)
    (slide,) = slides_of(slides_bytes(document))
    assert "spoken" in "\n".join(shown(slide))
    assert b"spoken" in html_bytes(document)
    assert printed("en", Heading("head", "head"), block)


def test_no_block_of_words_is_forgotten_here() -> None:
    assert set(get_args(TextBlock)) <= {*map(type, BLOCKS), *OF_A_WHOLE_DOCUMENT}


def test_what_a_whole_document_begins_with_is_no_reason_to_fail() -> None:
    cover = Cover("kicker", "title", "subtitle", (("name", "spoken"),), (), "", "", (), ())
    document = of_blocks("en", Heading("head", "head"), cover, Volume("en", "E"), Contents("contents"))
    (slide,) = slides_of(slides_bytes(document))
    assert "name: spoken" in "\n".join(shown(slide))


def test_a_line_that_was_shortened_stands_whole_in_the_notes() -> None:
    command = "main.py compare " + "x" * 600
    (slide,) = slides_of(slides_bytes(of_blocks("en", Heading("head", "head"), CommandLine("title", command))))
    assert command in slide.notes_slide.notes_text_frame.text


@pytest.mark.parametrize("make", ENGAGEMENTS.values(), ids=ENGAGEMENTS)
def test_every_engagement_can_be_shown(make: Callable[[Path], Path], tmp_path: Path) -> None:
    compose()
    with projects.open_(make(tmp_path), read_only=True) as project:
        for language in LANGUAGES:
            case = build_case(project, language, "2026-11-29")
            for shape in (Shape.SLIDES, Shape.REPORT):
                assert slides_of(slides_bytes(build_document(case, language, shape=shape)))


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_notes_of_a_slides_marks_and_its_windows_stand_on_it(language: str, tmp_path: Path) -> None:
    compose()
    with projects.open_(demo(tmp_path), read_only=True) as project:
        document = build_document(build_case(project, language, "2026-11-29"), language, shape=Shape.SLIDES)
    first, *_ = slides_of(slides_bytes(document))
    texts = shown(first)
    marks = {mark for mark in "¹²³" if mark in first.shapes.title.text}
    assert marks
    lines = [line for text in texts for line in text.split("\n")]
    assert marks <= {line[:1] for line in lines}
    assert any("full-load 1" in line and "full-load 3" in line for line in lines if line[:1] not in "¹²³")
