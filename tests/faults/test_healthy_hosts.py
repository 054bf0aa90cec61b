"""What is busy and fine gets no finding above `watch`, and is nobody's bottleneck."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.faults.diagnosed import diagnosed
from tests.faults.library import FEW_SENT_AGAIN, HEALTHY, KEPT_HEALTHY, OPEN
from tests.program import compose
from tunebench.core.messages import LANGUAGES
from tunebench.domain.finding import Severity
from tunebench.usecases.findings.words import caution_text


@pytest.fixture(scope="module", autouse=True)
def services() -> None:
    compose()


@pytest.mark.parametrize("name", [*HEALTHY, *(name for name in KEPT_HEALTHY if name not in OPEN)])
def test_a_healthy_host_gets_no_finding_and_no_bottleneck(name: str, tmp_path: Path) -> None:
    found = diagnosed({**HEALTHY, **KEPT_HEALTHY}[name], tmp_path)
    assert [each.rule for each in found.findings if each.severity.rank > Severity.WATCH.rank] == []
    assert found.ranking.bottleneck is None


def test_busy_without_anything_that_waits_says_so(tmp_path: Path) -> None:
    found = diagnosed(HEALTHY["backup stream"], tmp_path)
    (busy,) = [each for each in found.findings if each.rule == "X-DSK-01"]
    assert busy.severity is Severity.WATCH and busy.thing == "sda"
    (told,) = [each for each in busy.cautions if each.key == "nothing_waits"]
    assert all("X-DSK-05" in caution_text(told, language) for language in LANGUAGES)


def test_a_ratio_is_graded_by_the_totals_of_the_window(tmp_path: Path) -> None:
    """45 of 3,932 are 1.14 %: more than the 1 % of the rule, far below the 3 % from which it is critical."""
    (found,) = [each for each in diagnosed(FEW_SENT_AGAIN, tmp_path).findings if each.rule == "X-NET-05"]
    assert found.severity is Severity.WARNING
