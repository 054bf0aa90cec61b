"""What the document says, block by block."""

from __future__ import annotations

from dataclasses import replace
from math import inf, nan

import pytest

from tests.reports.cases import captured_case, published_case
from tunebench.domain.engagement import Engagement
from tunebench.reporting import shapes
from tunebench.reporting.cases.case import SuccessCase
from tunebench.reporting.chapters.context import Context
from tunebench.reporting.chapters.results import bar_figure
from tunebench.reporting.document import BarFigure, Block, Heading, NumberedList, SeriesPair, Table, Together
from tunebench.reporting.figures import figures
from tunebench.reporting.success_case import SECTION_IDS, available_sections, build_document, in_order
from tunebench.reporting.wording import Wording


def _blocks(case: SuccessCase, language: str = "ko") -> list[Block]:
    flat: list[Block] = []
    for block in build_document(case, language).blocks:
        flat += block.blocks if isinstance(block, Together) else (block,)
    return flat


def _table(case: SuccessCase, place: int, language: str = "ko") -> Table:
    return [block for block in _blocks(case, language) if isinstance(block, Table)][place]


def test_summary_prints_the_published_figures_in_order() -> None:
    table = _table(published_case(), 0)
    texts = [tuple(cell.text for cell in row) for row in table.rows]
    assert texts == [
        ("SQL 응답시간", "합계", "590.997 초", "33.17 초", "감소 17.8배", "(-94.4 %)", "M-1"),
        ("블록 액세스량", "합계", "37,539,159 개", "841,817 개", "감소 44.6배", "(-97.8 %)", "M-2"),
        ("CPU 사용률", "최대", "95 %", "20 % 미만", "감소 4.75배 이상", "75 %p 이상 감소", "M-3"),
        (
            "초당 논리 I/O",
            "최대",
            "800,000 blocks/s",
            "110,000 blocks/s 미만",
            "감소 7.27배 이상",
            "86.2 % 이상 감소",
            "M-4",
        ),
        ("초당 논리 I/O", "평균", "200,000 blocks/s", "20,000 blocks/s", "감소 10.0배", "(-90.0 %)", "M-5"),
    ]


def test_english_summary() -> None:
    texts = [tuple(cell.text for cell in row[2:6]) for row in _table(published_case("en"), 0, "en").rows]
    assert texts[0] == ("590.997 s", "33.17 s", "17.8× lower", "(-94.4 %)")
    assert texts[2] == ("95 %", "under 20 %", "at least 4.75× lower", "down at least 75 pp")


def test_bars_hold_the_values_of_their_table() -> None:
    blocks = _blocks(published_case())
    figure = next(block for block in blocks if isinstance(block, BarFigure))
    place = blocks.index(figure)
    table = blocks[place - 1]
    assert isinstance(table, Table)
    drawn = [(pair.before.value, pair.before.text, pair.after.value, pair.after.text) for pair in figure.pairs]
    printed = [(row[2].value, row[2].text, row[3].value, row[3].text) for row in table.rows]
    assert (
        drawn
        == printed
        == [(590.997, "590.997 초", 33.17, "33.17 초"), (37_539_159, "37,539,159 개", 841_817, "841,817 개")]
    )


def test_captions_of_bars_tell_the_intervals_of_all_but_totals() -> None:
    """Every other figure is of samples some time apart; a sum is not."""
    context = Context(published_case("en"), figures(published_case("en"), "en"), Wording("en", "Asia/Seoul"))
    total = context.figures.sql[0]

    def caption(*rows: tuple[str, float | None]) -> str:
        made = tuple(replace(total, statistic=statistic, interval_s=interval_s) for statistic, interval_s in rows)
        (bars,) = bar_figure(context, made, "caption.sql_bars")
        assert isinstance(bars, BarFigure)
        return bars.caption.partition(" Interval ")[2]

    assert total.statistic == "total"
    assert caption(("total", 30.0), ("total", None)) == ""
    assert caption(("total", 30.0), ("mean", 60.0)) == "1 min, time zone Asia/Seoul."
    assert caption(("p95", 60.0), ("mean", 60.0)) == "1 min, time zone Asia/Seoul."
    assert caption(("p95", 30.0), ("max", None)) == "30 s, not stated, time zone Asia/Seoul."


@pytest.mark.parametrize(
    ("seconds", "printed"),
    [(None, "not stated"), (inf, "not stated"), (nan, "not stated"), (0.5, "0.5 s"), (59.0, "59 s"), (60.0, "1 min"),
     (61.0, "61 s"), (90.0, "90 s"), (300.0, "5 min"), (90_000.0, "1,500 min"), (1.23456, "1.235 s")],
)  # fmt: skip
def test_an_interval_is_in_minutes_where_they_are_whole(seconds: float | None, printed: str) -> None:
    assert Wording("en", "UTC").interval(seconds) == printed


def test_charts_tell_the_interval_of_each_side() -> None:
    pairs = [block for block in _blocks(captured_case(), "en") if isinstance(block, SeriesPair)]
    told = {panel.subtitle.split(" · ")[1] for pair in pairs for panel in (pair.before, pair.after) if not panel.absent}
    assert told == {"every 30 s", "every 5 min"}


def test_series_without_an_after_side_says_so() -> None:
    pairs = [block for block in _blocks(captured_case()) if isinstance(block, SeriesPair)]
    assert [bool(pair.after.absent) for pair in pairs] == [False, False, False, True]
    assert pairs[3].after.absent == "미수집"


def test_chapters_without_content_are_left_out() -> None:
    published = [name for name, _ in available_sections(published_case(), "ko")]
    assert "disk" not in published and "evidence" not in published and "comparison" not in published
    captures_only = [name for name, _ in available_sections(captured_case(texts=False), "ko")]
    assert "outlook" not in captures_only and "approach" not in captures_only
    assert {"cpu", "logical_io", "disk", "memory", "sql", "evidence", "ledgers"} <= set(captures_only)


def test_an_empty_engagement_still_makes_a_document() -> None:
    document = build_document(SuccessCase(Engagement("", "")), "en")
    assert [section.id for section in document.sections] == ["cover", "summary", "contents", "method", "definitions"]


def test_sections_can_be_chosen() -> None:
    document = build_document(published_case(), "ko", sections={"cover", "summary", "sql"})
    assert [section.id for section in document.sections] == ["cover", "summary", "sql"]
    assert (
        next(block for block in document.blocks if isinstance(block, Heading) and block.anchor == "sql").number == "1."
    )
    assert {section.id for section in document.sections} <= set(SECTION_IDS)


def test_no_sentence_is_missing_in_either_language() -> None:
    for language in ("ko", "en"):
        for case in (published_case(language), captured_case(language), SuccessCase(Engagement("", ""))):
            assert "⟨" not in repr(build_document(case, language).sections)


def test_narrative_keeps_its_numbering() -> None:
    lists = [block for block in _blocks(published_case()) if isinstance(block, NumberedList)]
    assert len(lists[0].items) == 6 and lists[0].items[1] == "고가용성 시스템으로 구축되지 않음."


def test_a_missing_value_is_never_a_zero() -> None:
    case = published_case()
    measurements = tuple(replace(item, after=None, after_bound="") for item in case.measurements)
    table = _table(replace(case, measurements=measurements), 0)
    assert [row[3].text for row in table.rows] == ["미수집"] * 5
    assert [row[4].text for row in table.rows] == ["산정 불가"] * 5
    assert [row[5].text for row in table.rows] == ["후 미수집"] * 5


def test_entered_and_captured_totals_stand_side_by_side_under_their_own_names() -> None:
    case = replace(captured_case(), measurements=published_case().measurements)
    table = next(block for block in _blocks(case) if isinstance(block, Table) and "합계" in block.caption)
    labels = [row[0].text for row in table.rows]
    captured = ["수집한 SQL 수행시간 · ORCL/orcl1", "수집한 SQL 블록 액세스 · ORCL/orcl1"]
    assert labels == ["SQL 응답시간", "블록 액세스량", *captured]
    found = figures(case, "ko")
    (totals,) = found.databases
    time = totals["response_time"].row.before
    assert [row.before for row in found.sql] == [590.997, 37_539_159, time, table.rows[3][2].value]


def test_moved_parts_take_their_places_together_and_appendices_stay_behind() -> None:
    assert in_order(("a", "b", "c", "d"), ("d", "x", "b", "d")) == ("a", "d", "c", "b")
    plain = [name for name, _ in available_sections(captured_case(), "en")]
    moved = [name for name, _ in available_sections(captured_case(), "en", order=("disk", "cover", "evidence", "cpu"))]
    assert moved.index("disk") < moved.index("cpu") and moved[0] == "cover" and sorted(moved) == sorted(plain)
    document = build_document(captured_case(), "en", order=("memory", "cpu"))
    headings = {block.anchor: block for block in document.blocks if isinstance(block, Heading) and block.level == 1}
    assert list(headings).index("memory") < list(headings).index("cpu")
    numbers = [int(each.number[:-1]) for each in headings.values() if each.number[:-1].isdigit()]
    assert numbers == list(range(1, len(numbers) + 1))


def test_a_chapter_stands_in_a_shape_beside_the_whole_document() -> None:
    """One that is forgotten in `shapes.PARTS` would be missing in the annex without a word."""
    somewhere = frozenset().union(*shapes.PARTS.values())
    assert set(SECTION_IDS) - somewhere == {"outlook"}, "it is of the whole document alone"
