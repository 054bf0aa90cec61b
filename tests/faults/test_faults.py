"""Of each made fault the first finding names the cause, and the bottleneck is the one that was made."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.faults.diagnosed import diagnosed
from tests.faults.library import FAULTS, KEPT_FAULTS, OPEN
from tests.program import compose
from tunebench.core.messages import LANGUAGES
from tunebench.domain.finding import Severity
from tunebench.usecases.findings.words import caution_text


@pytest.fixture(scope="module", autouse=True)
def services() -> None:
    compose()


@pytest.mark.parametrize("name", ["processors full for 75 seconds", "steal for two minutes"])
def test_a_short_capture_is_worth_a_look_and_says_what_it_lacks(name: str, tmp_path: Path) -> None:
    found = diagnosed(FAULTS[name].host, tmp_path).findings
    assert {each.severity for each in found} == {Severity.WATCH}
    told = [each for finding in found for each in finding.cautions if each.key == "provisional"]
    said = [caution_text(each, "en") for each in told]
    wanted = {"processors full for 75 seconds": ("75 s", "10 min"), "steal for two minutes": ("2 min", "20 min")}[name]
    assert said and all(span in said[0] for span in wanted)
    assert all("⟨" not in caution_text(each, language) for each in told for language in LANGUAGES)


@pytest.mark.parametrize("name", [*FAULTS, *(name for name in KEPT_FAULTS if name not in OPEN)])
def test_the_cause_is_found_and_the_bottleneck_named(name: str, tmp_path: Path) -> None:
    fault = {**FAULTS, **KEPT_FAULTS}[name]
    found = diagnosed(fault.host, tmp_path)
    first = found.findings[0].rule if found.findings else ""
    limiting = found.ranking.bottleneck.label if found.ranking.bottleneck else ""
    assert first in fault.cause
    assert limiting == fault.bottleneck
