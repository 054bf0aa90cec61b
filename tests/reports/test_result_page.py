"""Page one says what became of the target in one word that has its disclosures, and stays one page."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.reports.answer_cases import with_answer
from tests.reports.cases import captured_case, published_case
from tunebench.core.messages import LANGUAGES, catalogue
from tunebench.domain.comparability import FigureInterval
from tunebench.domain.cycle.records import Figure, Iteration, ManualSource, Metric, Outcome, Target
from tunebench.domain.engagement import Direction
from tunebench.reporting.calling import called
from tunebench.reporting.cases.case import SuccessCase
from tunebench.reporting.cases.cycle import CaseGuard, CaseIteration, CaseTarget, CycleCase
from tunebench.reporting.document import Claim, Tone, every_block
from tunebench.reporting.pdf.writing import pdf_bytes
from tunebench.reporting.shapes import PARTS, Shape
from tunebench.reporting.success_case import SECTION_IDS, available_sections, build_document

STATES = (
    "contradicted", "met", "met_assumed", "met_described", "missed", "missed_described", "undecided", "not_comparable",
    "not_measured", "descriptive",
)  # fmt: skip
INTERVAL = FigureInterval(19.0, 21.0, 0.95, 4, 0.05, 6.0, "measured", 20.0)


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


def claim_of(case: SuccessCase, language: str = "en") -> Claim:
    document = build_document(case, language, shape=Shape.RESULT)
    assert pdf_bytes(document, strict=True).pages == 1
    return next(block for block in every_block(document.blocks) if isinstance(block, Claim))


def title(claim: Claim) -> str:
    return "".join(run.text for run in claim.title)


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("state", STATES)
def test_each_state_has_its_own_words(state: str, language: str) -> None:
    claim = claim_of(with_answer(_case(_target(state), language=language)), language)
    assert catalogue(language).text(f"cycle.target_state.{state}") in title(claim)
    assert "⟨" not in title(claim) and claim.question and claim.remark


@pytest.mark.parametrize("state", STATES)
def test_only_what_is_proven_is_green(state: str) -> None:
    (chip,) = claim_of(with_answer(_case(replace(_target(state), interval=INTERVAL)))).chips
    assert (chip.tone is Tone.STRONG) is (state in ("met", "missed"))


def test_a_change_without_a_verdict_is_not_called_better() -> None:
    """300 against 20 ms, which nobody judged."""
    for state in ("undecided", "descriptive", "not_comparable", "met_described"):
        said = title(claim_of(with_answer(_case(_target(state)))))
        assert "better" not in said and ": met" not in said


def test_without_a_target_nothing_is_a_success() -> None:
    assert title(claim_of(published_case("en"))) == "No target was set: nothing is called a success."


def test_long_names_and_many_targets_stay_on_the_page() -> None:
    targets = [_target("met", number, "주문 목록 조회 " * 900) for number in range(1, 9)]
    assert title(claim_of(with_answer(_case(*targets, guards=(_guard("held"),) * 40))))


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
        assert "result" not in ids and "summary" in ids, "nothing was asked or compared"
