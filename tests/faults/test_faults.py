"""Of each made fault the first finding names the cause, and the bottleneck is the one that was made."""

from __future__ import annotations

from pathlib import Path

import pytest

from app.bootstrap import compose
from tests.faults.diagnosed import diagnosed
from tests.faults.library import FAULTS

OPEN = {
    "one hot processor": "bottleneck",
    "soft interrupts on one processor": "bottleneck",
    "steal for two minutes": "cause",
}
"""What is not told yet."""


@pytest.fixture(scope="module", autouse=True)
def services() -> None:
    compose()


@pytest.mark.parametrize("name", FAULTS)
def test_the_cause_is_found_and_the_bottleneck_named(name: str, tmp_path: Path) -> None:
    fault = FAULTS[name]
    found = diagnosed(fault.host, tmp_path)
    first = found.findings[0].rule if found.findings else ""
    limiting = found.ranking.bottleneck.label if found.ranking.bottleneck else ""
    assert (first in fault.cause) is (OPEN.get(name) != "cause")
    assert (limiting == fault.bottleneck) is (OPEN.get(name) != "bottleneck")
