"""The one page says what the gravest verdict of the target says, and stays one page."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.reports.analysis_cases import analysed_case
from tests.reports.cases import captured_case, published_case
from tunebench.core.messages import LANGUAGES, catalogue
from tunebench.domain.cycle.records import Figure, Iteration, ManualSource, Metric, Outcome, Target
from tunebench.domain.engagement import Direction, Phase
from tunebench.reporting.calling import called
from tunebench.reporting.cases.case import CaseOccurrence, CaseWindow, SuccessCase
from tunebench.reporting.cases.cycle import CaseGuard, CaseIteration, CaseTarget, CycleCase, MeasuredOver
from tunebench.reporting.document import Badge, Headline, KeyValueTable, Tiles, Tone
from tunebench.reporting.pdf.writing import pdf_bytes
from tunebench.reporting.shapes import PARTS, Shape
from tunebench.reporting.success_case import SECTION_IDS, available_sections, build_document

STATES = ("contradicted", "met", "missed", "undecided", "not_comparable", "not_measured", "descriptive")


def _target(state: str, priority: int = 1, name: str = "Order list") -> CaseTarget:
    metric = Metric(10, 5, name, ManualSource("stop watch"), "mean", "ms", Direction.LOWER, decimals=1)
    target = Target(13, 5, 10, Figure(300.0, samples=100), 30.0, priority)
    now = None if state == "not_measured" else Figure(20.0, samples=100)
    change = called(300.0, 20.0, Direction.LOWER)
    return CaseTarget(metric, target, now, state, change, checks=("C7",) if state == "not_comparable" else ())


def _guard(state: str) -> CaseGuard:
    metric = Metric(11, 5, "Write time", ManualSource(), "mean", "ms", Direction.LOWER, guards=30, resource="disk")
    return CaseGuard(metric, "A-1", Figure(2.0), Figure(3.0), 2.5, state, called(2.0, 3.0, Direction.LOWER))


def _case(
    *targets: CaseTarget, guards: tuple[CaseGuard, ...] = (), language: str = "en", closed: str = ""
) -> SuccessCase:
    iteration = CaseIteration(Iteration(5, 1, "Index", closed_on=closed), Outcome.OPEN, (), targets, guards)
    return replace(published_case(language), cycle=CycleCase(iterations=(iteration,)))


def _parts(case: SuccessCase, language: str = "en") -> tuple[Headline, Tiles, dict[str, str]]:
    document = build_document(case, language, shape=Shape.RESULT)
    assert pdf_bytes(document, strict=True).pages == 1
    found = {type(block): block for block in document.blocks}
    headline, tiles, lines = found[Headline], found[Tiles], found[KeyValueTable]
    assert isinstance(headline, Headline) and isinstance(tiles, Tiles) and isinstance(lines, KeyValueTable)
    return headline, tiles, dict(lines.rows)


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("state", STATES)
def test_each_state_has_its_own_sentence_and_its_question(state: str, language: str) -> None:
    headline, tiles, lines = _parts(_case(_target(state), language=language), language)
    words = catalogue(language)
    begin = words.text(f"report.result.{state}").split("{")[0]
    assert headline.text.startswith(begin)
    assert "⟨" not in headline.text
    assert lines[words.text("report.result.decision")] == words.text(f"report.result.ask.{state}")
    assert words.text(f"cycle.target_state.{state}") in tiles.tiles[0].verdict


@pytest.mark.parametrize(
    ("state", "tone"),
    [
        ("met", Tone.STRONG),
        ("missed", Tone.BAD),
        *((state, Tone.PLAIN) for state in STATES if state not in ("met", "missed")),
    ],
)
def test_only_a_verdict_has_a_colour(state: str, tone: Tone) -> None:
    headline, tiles, _ = _parts(_case(_target(state)))
    assert (headline.tone, tiles.tiles[0].tone) == (tone, tone)


def test_a_change_without_a_verdict_is_not_called_better() -> None:
    """300 against 20 ms, which nobody judged."""
    for state in ("undecided", "descriptive", "not_comparable"):
        headline, _, _ = _parts(_case(_target(state)))
        assert "better" not in headline.text and "met:" not in headline.text


def test_the_top_priority_decides_and_of_several_the_gravest() -> None:
    headline, tiles, _ = _parts(_case(_target("missed", 2, "Second"), _target("met", 1, "First")))
    assert headline.text.startswith("Target met: First")
    assert [tile.label.split(" · ")[0] for tile in tiles.tiles] == ["First", "Second"]
    headline, _, _ = _parts(_case(_target("met", 1, "One"), _target("undecided", 1, "Two"), _target("met", 1, "Three")))
    assert headline.text.startswith("Undecided: Two") and "2 of 3" in headline.text


def test_an_assumption_is_said_beside_the_conclusion() -> None:
    headline, _, _ = _parts(_case(_target("met_assumed")))
    assert headline.text.startswith("Target met") and "assumed" in headline.text


def test_the_price_stands_in_the_conclusion_and_no_guard_is_no_free_lunch() -> None:
    headline, _, lines = _parts(_case(_target("met"), guards=(_guard("exceeded"),)))
    assert "Price: Write time" in headline.text
    assert lines["Price paid"] == "Write time 2 ms → 3 ms: limit exceeded"
    headline, _, lines = _parts(_case(_target("met"), guards=(_guard("held"),)))
    assert "Price:" not in headline.text and lines["Price paid"].endswith(": held")
    assert "not known" in _parts(_case(_target("met")))[2]["Price paid"]


def test_without_a_target_nothing_is_a_success() -> None:
    headline, tiles, lines = _parts(published_case("en"))
    assert headline.text == "No target was set: nothing is called a success."
    assert 0 < len(tiles.tiles) <= 4 and all("no target" in tile.goal for tile in tiles.tiles)
    assert lines["To be decided"] == "Which target is to be reached?"


def test_a_closed_iteration_asks_for_nothing() -> None:
    assert _parts(_case(_target("met"), closed="2026-11-20"))[2]["To be decided"].startswith("Nothing:")


def test_long_names_and_many_guards_stay_on_the_page() -> None:
    targets = [_target("met", number, "주문 목록 조회 " * 900) for number in range(1, 9)]
    _, tiles, lines = _parts(_case(*targets, guards=(_guard("held"),) * 40))
    assert len(tiles.tiles) == 4
    assert lines["Price paid"].endswith("37 more")


@pytest.mark.parametrize("shape", list(Shape))
def test_every_shape_prints_its_own_parts_in_order(shape: Shape) -> None:
    case = captured_case("en")
    ids = [name for name, _ in available_sections(case, "en", shape)]
    document = build_document(case, "en", shape=shape)
    assert [section.id for section in document.sections] == ids == [name for name in SECTION_IDS if name in ids]
    assert pdf_bytes(document).pages >= 1
    if shape is not Shape.WHOLE:
        assert PARTS[shape] <= set(SECTION_IDS) and set(ids) <= PARTS[shape]
    else:
        assert "result" not in ids and "summary" in ids


def test_what_departs_from_the_method_is_said_beside_the_conclusion() -> None:
    case = _case(_target("met"))
    (iteration,) = case.cycle.iterations
    sentence = "Approved and carried out by the same person."
    told = replace(case, cycle=CycleCase(iterations=(replace(iteration, exceptions=(sentence,)),)))
    assert _parts(told)[2]["Departs from the method"] == sentence
    assert "Departs from the method" not in _parts(case)[2]


def _measured_over(case: SuccessCase, *over: MeasuredOver) -> SuccessCase:
    told = case.cycle.iterations[-1]
    targets = tuple(replace(each, windows=(over[0], over[1])) for each in told.targets)
    return replace(case, cycle=replace(case.cycle, iterations=(replace(told, targets=targets),)))


@pytest.mark.parametrize(("baseline", "said"), [(29.0, True), (30.0, True), (31.0, False)])
def test_a_baseline_within_the_target_is_said_beside_met(baseline: float, said: bool) -> None:
    """Of a target of 30 ms or less."""
    met = _target("met")
    assert met.target is not None
    headline, _, _ = _parts(_case(replace(met, target=replace(met.target, baseline=Figure(baseline, samples=100)))))
    assert ("within the target already" in headline.text) is said


@pytest.mark.parametrize("language", LANGUAGES)
def test_what_is_of_other_windows_than_the_headline_names_them(language: str) -> None:
    """The document compares its two runs, the target was measured a day later: page one says so of either."""
    day_ns = 86_400_000_000_000
    ends = [(place * day_ns, place * day_ns + day_ns // 24) for place in (1, 2)]
    phases = (Phase.BEFORE, Phase.AFTER)
    own = [
        CaseWindow(f"night {phase}", phase, occurrences=(CaseOccurrence(*span),))
        for phase, span in zip(phases, ends, strict=True)
    ]
    case = replace(analysed_case(language), windows=tuple(own))
    target = replace(case, cycle=_case(_target("met")).cycle)
    later = [MeasuredOver(f"load {n}", start + day_ns, end + day_ns) for n, (start, end) in enumerate(ends, 1)]
    document = build_document(_measured_over(target, *later), language, shape=Shape.RESULT)
    blocks = {type(block): block for block in document.blocks}
    headline, lines, badge = blocks[Headline], blocks[KeyValueTable], blocks[Badge]
    assert isinstance(headline, Headline) and isinstance(lines, KeyValueTable) and isinstance(badge, Badge)
    pair = f"{own[0].name} → {own[1].name}: "
    assert "load 1 → load 2" in headline.text
    worse = dict(lines.rows)[catalogue(language).text("report.result.worse")]
    assert all(line.startswith(pair) for line in worse.split("\n")) and pair in badge.text
    inside = [MeasuredOver(window.name, *own_ends) for window, own_ends in zip(own, ends, strict=True)]
    document = build_document(_measured_over(target, *inside), language, shape=Shape.RESULT)
    assert not any(pair in str(block) or f"{own[0].name} → {own[1].name}" in str(block) for block in document.blocks)
