"""The blocks of pages that conclude something: no word meets another or is cut, and what is drawn is what was measured."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import fields, is_dataclass, replace
from io import BytesIO
from itertools import combinations
from math import log10

import numpy as np
import pytest
from pptx import Presentation
from reportlab.graphics.shapes import Line
from reportlab.pdfgen.canvas import Canvas

from tests.reports import picture_cases as cases
from tests.reports.built import of_blocks, printed
from tests.reports.drawn import bars, circles, lines, shapes
from tests.reports.word_boxes import FOOT, MARGIN, filled, outside, overprints, pages_of
from tunebench.reporting.axis import level_scale
from tunebench.reporting.document import Block, Figure, Heading, Member, MemberGroup, RatioGroup, Strip
from tunebench.reporting.html.writing import html_bytes
from tunebench.reporting.pdf.figures import drawing_of
from tunebench.reporting.pdf.fonts import BOLD, REGULAR, register, width
from tunebench.reporting.pdf.labels import apart, fitting_size, lines_of, shortened
from tunebench.reporting.pdf.ratio_map import ratio_colour
from tunebench.reporting.pdf.spans import curve_colour
from tunebench.reporting.pdf.stacks import class_colour
from tunebench.reporting.pdf.style import AFTER, BAD, BAR, BEFORE, BETTER, BODY_WIDTH, MIDDLE, PALE, SECOND_BAR
from tunebench.reporting.pdf.table import PADDING, column_widths
from tunebench.reporting.pptx.deck import slides_bytes

LANGUAGES = ("ko", "en")
WHOLE = (
    cases.claim,
    cases.columns,
    cases.next_box,
    cases.chip_table,
    cases.spans,
    cases.strip,
    cases.waterfall,
    cases.day_dots,
    cases.audited_dots,
    cases.target_dots,
    cases.grouped_bars,
    cases.level_lines,
)
"""Blocks of which no word has to be left out."""


@pytest.fixture(autouse=True)
def faces() -> None:
    register()


def _texts(held: object) -> Iterator[str]:
    if type(held) is str:
        yield held
    elif isinstance(held, tuple):
        for part in held:
            yield from _texts(part)
    elif is_dataclass(held) and not isinstance(held, type):
        for part in fields(held):
            yield from _texts(getattr(held, part.name))


def _without_spaces(text: str) -> str:
    return "".join(text.split())


# -- words on paper ------------------------------------------------------------------------------------


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("case", cases.CASES, ids=lambda case: case.__name__)
def test_no_word_runs_into_another_or_off_the_page(case: Callable[[str], Block], language: str) -> None:
    pdf = printed(language, case(language))
    assert overprints(pdf) == []
    assert outside(pdf) == []
    assert len(pages_of(pdf)) == 1, "a figure is on one page"


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("case", WHOLE, ids=lambda case: case.__name__)
def test_every_word_of_a_block_is_printed_whole(case: Callable[[str], Block], language: str) -> None:
    block = case(language)
    (words,) = pages_of(printed(language, block))
    page = "".join(word.text for word in words)
    for text in _texts(block):
        assert _without_spaces(text) in page, text


def test_a_column_of_chips_has_room_for_their_ends() -> None:
    table = cases.chip_table("ko")
    short = replace(table, rows=table.rows[:3])
    widths = column_widths(short, 8.0, 220.0)
    assert widths is not None and widths[2] >= width("판정 보류", BOLD, 8.0) + 2 * 0.85 * 8.0 + 2 * PADDING


def test_equal_blocks_give_equal_bytes() -> None:
    blocks = [case("ko") for case in WHOLE]
    assert printed("ko", *blocks) == printed("ko", *(case("ko") for case in WHOLE))


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_title_takes_three_lines_at_most_and_breaks_no_word(language: str) -> None:
    claim = replace(cases.hard_claim(language), question="", chips=(), remark="", lines=())
    (words,) = pages_of(printed(language, claim))
    title = [word for word in words if word.foot > FOOT]
    beginnings = [word for word in title if word.left < MARGIN + 2]
    assert 2 <= len(beginnings) <= 3, "a line each"
    assert [word.text for word in title] == claim.text.split()


# -- the measure itself --------------------------------------------------------------------------------


def _page(*texts: tuple[float, float, str]) -> bytes:
    target = BytesIO()
    canvas = Canvas(target, pagesize=(595, 842), initialFontName=REGULAR)
    canvas.setFont(REGULAR, 10)
    for x, y, text in texts:
        canvas.drawString(x, y, text)
    canvas.save()
    return target.getvalue()


def test_boxes_tell_words_that_meet_from_words_that_do_not() -> None:
    assert overprints(_page((100, 500, "41.2"), (160, 500, "2.0x;"), (100, 488, "below"))) == []
    assert overprints(_page((100, 500, "41.2"), (112, 502, "2.0x;"))) == [(1, "41.2", "2.0x;")]
    assert overprints(_page((100, 500, "대한민국"), (130, 503, "서울"))) == [(1, "대한민국", "서울")]


def test_boxes_tell_words_in_the_margin() -> None:
    assert outside(_page((MARGIN, 500, "inside"))) == []
    texts = ((MARGIN - 5, 500, "left"), (560, 480, "right"), (100, 838, "above"), (100, -5, "below"))
    assert [word for _page_number, word in outside(_page(*texts))] == ["left", "right", "above", "below"]


def test_a_page_is_filled_down_to_its_last_ink() -> None:
    room = 842 - MARGIN - FOOT
    (share,) = filled(_page((100, 842 - MARGIN - 0.6 * room, "ink"), (100, 20, "the footer")))
    assert share == pytest.approx(0.6, abs=0.005)


# -- labels and scales ---------------------------------------------------------------------------------


def test_labels_that_meet_are_moved_apart_as_little_as_can_be() -> None:
    assert apart([10, 10], [4, 4], 0, 100) == [8, 12]
    assert apart([50, 10, 12], [4, 4, 4], 0, 100) == [50, 9, 13]
    assert apart([1, 1, 1], [4, 4, 4], 0, 100) == [2, 6, 10], "none before the beginning"
    assert apart([99, 99], [4, 4], 0, 100) == [94, 98]


def test_lines_are_no_wider_than_their_room_and_lose_nothing() -> None:
    for text in (cases.LONG_KO, cases.LONG_EN, "a bb " * 30):
        parts = lines_of(text, 8, 60)
        assert all(width(line, REGULAR, 8) <= 60 for line in parts)
        assert _without_spaces("".join(parts)) == _without_spaces(text)
    assert lines_of("one\ntwo", 8, 100) == ["one", "two"]


def test_a_name_that_is_too_long_keeps_both_ends() -> None:
    short = shortened(f"{cases.LONG_KO}-07", 100, 8)
    assert short.startswith("대한민국") and short.endswith("-07") and width(short, REGULAR, 8) <= 100
    size = fitting_size([cases.LONG_EN], 9, 300, bold=True)
    assert 5.4 <= size < 9 and width(cases.LONG_EN, BOLD, size) <= 300


@pytest.mark.parametrize(
    ("levels", "is_log", "labels"),
    [
        ([0.3, 1200], True, ["1", "10", "100", "1,000"]),
        ([1, 9], True, ["0.5", "1", "2", "5", "10"]),
        ([1, 8], False, ["0", "2", "4", "6", "8", "10"]),
        ([0, 900], False, ["0", "200", "400", "600", "800", "1,000"]),
        ([-3, 7], False, ["-4", "-2", "0", "2", "4", "6", "8"]),
        ([float("nan"), 4], False, ["0", "1", "2", "3", "4", "5"]),
        ([0.002, 5e9], True, ["0.001", "1", "1,000", "1,000,000", "1,000,000,000"]),
    ],
)
def test_levels_of_more_than_a_factor_of_eight_are_logarithmic(
    levels: list[float], is_log: bool, labels: list[str]
) -> None:
    scale = level_scale(levels)
    assert scale.is_log is is_log and [scale.label(tick) for tick in scale.ticks] == labels
    assert all(0 <= scale.share(level) <= 1 for level in levels if level == level)


def test_a_logarithmic_scale_gives_equal_room_to_equal_multiples() -> None:
    scale = level_scale([0.3, 1200])
    steps = np.diff([scale.share(tick) for tick in scale.ticks])
    assert steps == pytest.approx([steps[0]] * 3)
    assert scale.share(scale.minimum) == 0 and scale.share(scale.maximum) == pytest.approx(1)


# -- figures -------------------------------------------------------------------------------------------


def test_a_curve_is_broken_where_nothing_was_measured() -> None:
    (curve,) = lines(drawing_of(cases.spans("ko")), curve_colour(MIDDLE))
    assert len(curve) == 2 * 120
    assert len(lines(drawing_of(cases.linear_spans("ko")), curve_colour(BEFORE))) == 2
    assert len(lines(drawing_of(cases.hard_spans("ko")), curve_colour(AFTER))) == 2, "single samples between gaps"


def test_levels_of_windows_share_one_axis() -> None:
    figure = cases.spans("en")
    drawing = drawing_of(figure)
    (before,), (after,) = (lines(drawing, curve_colour(colour)) for colour in (BEFORE, AFTER))
    start, now = (window.values for window in (figure.windows[0], figure.windows[2]))
    per_decade = (before[1] - after[1]) / log10(start[0] / now[0])
    assert before[3] - before[1] == pytest.approx(per_decade * log10(start[1] / start[0]), abs=0.05)
    assert 10 < per_decade < 100


def test_each_member_has_a_dot_and_none_hides_another() -> None:
    for figure, count in ((cases.strip("ko"), 40), (cases.hard_strip("ko"), 43), (cases.narrow_strip("ko"), 12)):
        dots = circles(drawing_of(figure))
        assert len(dots) == count, "what was not measured has none"
        size = 2 * max(circle.r for _x, _y, circle in dots)
        for (x, y, _one), (right, up, _other) in combinations(dots, 2):
            assert np.hypot(right - x, up - y) >= size - 0.01


def test_dots_stand_at_the_logarithm_of_their_ratio() -> None:
    members = tuple(Member(ratio) for ratio in (0.25, 0.5, 1.0, 2.0))
    xs = sorted(x for x, _y, _circle in circles(drawing_of(Strip("", (MemberGroup("", members),), ""))))
    assert np.diff(xs) == pytest.approx([xs[1] - xs[0]] * 3)
    nothing = circles(drawing_of(Strip("", (MemberGroup("", (*members, Member(0.0))),), "")))
    assert min(x for x, _y, _circle in nothing) == 16, "what fell to nothing stands beside the axis"


def test_a_name_that_finds_no_room_beside_its_dot_is_told_below() -> None:
    (words,) = pages_of(printed("en", cases.hard_strip("en")))
    page = "".join(word.text for word in words)
    assert all(f"{cases.LONG_EN}-{number:02}" in page for number in range(40))


def test_an_hour_that_was_not_measured_has_no_field() -> None:
    figure = cases.hard_ratio_map("ko")
    rows = [row for group in figure.groups for row in group.rows]
    measured = sum(ratio is not None for row in rows for ratio in row.ratios)
    assert len(bars(drawing_of(figure))) == measured + len(figure.legend)


def test_lower_is_blue_higher_is_brown_and_equal_neither() -> None:
    lower, equal, higher = (ratio_colour(ratio) for ratio in (0.6, 1.0, 1.6))
    assert lower.blue > lower.red and higher.red > higher.blue and equal.red == equal.blue
    strength = [ratio_colour(ratio).blue - ratio_colour(ratio).red for ratio in (0.9, 0.7, 0.5)]
    assert strength == sorted(strength)
    assert ratio_colour(0.0) == ratio_colour(0.5) and ratio_colour(1e9) == ratio_colour(2.0)


def test_groups_of_a_ratio_map_are_set_apart() -> None:
    figure = cases.ratio_map("ko")
    rows = tuple(row for group in figure.groups for row in group.rows)
    together = drawing_of(replace(figure, groups=(RatioGroup(rows),)))
    assert drawing_of(figure).height > together.height
    assert drawing_of(figure).height < 500, "40 rows leave room on the page"


def test_stacks_are_as_high_as_their_parts_and_stand_on_each_other() -> None:
    figure = cases.stacks("ko")
    drawing = drawing_of(figure)
    whole = [bar for side in (figure.before, figure.after) for bar in side.bars]
    below = None
    for index in range(len(figure.classes)):
        *pieces, _of_the_legend = bars(drawing, class_colour(index))
        parts = [bar.parts[index] for bar in whole if not bar.left_out]
        heights = [height for _left, _foot, _width, height in pieces]
        assert np.array(heights) / heights[0] == pytest.approx(np.array(parts) / parts[0])
        assert below is None or [foot for _left, foot, _width, _height in pieces] == pytest.approx(below)
        below = [foot + height for _left, foot, _width, height in pieces]
    assert len(bars(drawing, PALE)) == sum(bar.left_out for bar in whole) + 1, "one in the legend"


def test_each_bar_of_a_waterfall_begins_where_the_one_before_ends() -> None:
    figure = cases.waterfall("ko")
    columns = sorted(bar for colour in (BEFORE, BETTER, BAD, AFTER) for bar in bars(drawing_of(figure), colour))
    first, one, other, more, last = columns
    assert one[1] + one[3] == pytest.approx(first[1] + first[3])
    assert other[1] + other[3] == pytest.approx(one[1])
    assert more[1] + more[3] == pytest.approx(last[1] + last[3])
    assert [bar[3] / first[3] for bar in columns] == pytest.approx(
        [1, 0.43 / 1.45, 0.17 / 1.45, 0.13 / 1.45, 0.96 / 1.45]
    )


def test_a_row_that_does_not_say_otherwise_begins_at_zero() -> None:
    memory, processor = cases.day_dots("en").rows
    figure = replace(cases.day_dots("en"), rows=(memory,))
    (before, *_rest), xs = memory.lines[0].values, [x for x, _y, _circle in circles(drawing_of(figure))]
    after = memory.lines[1].values[0]
    zero = xs[0] - (xs[0] - xs[3]) * before / (before - after)
    assert (xs[1] - zero) / (xs[0] - zero) == pytest.approx(10.6 / 10.7)
    zoomed = circles(drawing_of(replace(figure, rows=(processor,))))
    whole = circles(drawing_of(replace(figure, rows=(replace(processor, zoomed=""),))))
    assert zoomed[5][0] - zoomed[0][0] > 2 * (whole[5][0] - whole[0][0])


def test_results_stand_at_the_logarithm_of_their_multiple() -> None:
    figure = cases.target_dots("ko")
    dots = circles(drawing_of(replace(figure, rows=figure.rows[:1])))[:3]
    (start, *_), (before, *_), (now, *_) = dots
    assert [circle.strokeColor for _x, _y, circle in dots] == [BEFORE, MIDDLE, AFTER]
    assert (start - now) / (before - now) == pytest.approx(log10(363.5 / 0.433) / log10(0.939 / 0.433))
    none = circles(drawing_of(replace(figure, rows=figure.rows[3:])))
    assert len(none) == 1 + 3, "one result, and the legend"


def test_bars_are_as_high_as_their_figures_and_what_is_missing_has_none() -> None:
    figure = cases.grouped_bars("ko")
    drawing = drawing_of(figure)
    (best,) = bars(drawing, AFTER)
    heights = [height for _left, _foot, _width, height in bars(drawing, BAR) if height != 8]
    assert [height / best[3] for height in heights] == pytest.approx(
        [value / 1011 for value in (1254, 1264, 1614, 2445)]
    )
    missing = replace(figure, levels=(replace(figure.levels[1], value=None, second=None), figure.levels[0]))
    assert len(bars(drawing_of(missing), BAR)) == len(bars(drawing_of(missing), SECOND_BAR)) == 1, "the legend's"


def test_panels_of_levels_share_their_axes_and_numbers_that_span_much_are_logarithmic() -> None:
    figure = cases.level_lines("ko")
    first, second, third = (np.array(line).reshape(-1, 2) for line in lines(drawing_of(figure), AFTER))
    xs = first[:, 0]
    assert (xs[2] - xs[0]) / (xs[6] - xs[0]) == pytest.approx(0.5), "10 is half way from 1 to 100"
    assert second[:, 0] - second[0, 0] == pytest.approx(xs - xs[0])
    assert (second[5, 1] - second[0, 1]) / (first[5, 1] - first[0, 1]) == pytest.approx(2750 / 5900, abs=0.01)
    assert third[5, 1] < second[5, 1] < first[5, 1]
    assert max(line.x2 + across for line, across, _up in shapes(drawing_of(figure), Line)) <= BODY_WIDTH


# -- the other writers ---------------------------------------------------------------------------------


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_page_says_what_the_blocks_say(language: str) -> None:
    blocks = [case(language) for case in cases.CASES]
    page = html_bytes(of_blocks(language, *blocks)).decode()
    assert page.count("<svg") == sum(isinstance(block, Figure) for block in blocks)
    for text in (
        '<span class="chip strong">',
        '<div class="column strong">',
        '<div class="next">',
        '<p class="claim">',
    ):
        assert text in page
    assert cases.claim(language).remark in page and f"&lt;{cases._long(language)}&gt;" in page


def test_slides_have_the_claim_as_their_title_and_its_words_below() -> None:
    claim = cases.claim("en")
    blocks = (Heading("Result", ""), claim, cases.columns("en"), cases.next_box("en"), cases.target_dots("en"))
    (slide,) = Presentation(BytesIO(slides_bytes(of_blocks("en", *blocks)))).slides
    assert slide.shapes.title.text_frame.text == claim.text
    words = "\n".join(shape.text_frame.text for shape in slide.shapes if shape.has_text_frame)
    notes = slide.notes_slide.notes_text_frame.text if slide.has_notes_slide else ""
    for text in (claim.question, claim.remark, *claim.lines, "What next: Measure all three again", "--duration 600"):
        assert text in words + notes
    (chart,) = (shape.chart for shape in slide.shapes if shape.has_chart)
    assert [series.name for series in chart.plots[0].series] == ["start", "before this change", "now (95 % interval)"]
    assert list(chart.plots[0].series[0].values) == [363.5, None, 90.9, None]
