"""Of a recorded fault the first finding names the cause and none a false one; a recorded healthy host has no finding.

A few of each kind: all of them are behind `make faults`.
"""

from __future__ import annotations

from fnmatch import fnmatchcase
from pathlib import Path

import pytest

from tests.faults.diagnosed import diagnosed
from tests.faults.recorded import RECORDED, RECORDED_HEALTHY, recording
from tests.program import compose
from tunebench.domain.finding import Severity

FAST = ("cpu-full", "cgroup-throttled", "swap-storm", "cache-thrash", "disk-slow")


@pytest.fixture(scope="module", autouse=True)
def services() -> None:
    compose()


@pytest.mark.parametrize("name", FAST)
def test_the_cause_of_a_recorded_fault_is_found(name: str, tmp_path: Path) -> None:
    label = RECORDED[name]
    found = diagnosed(recording(name), tmp_path)
    above = {each.rule for each in found.findings if each.severity.rank > Severity.WATCH.rank}
    limiting = found.ranking.bottleneck.label if found.ranking.bottleneck else ""
    assert found.findings[0].rule in label.cause
    assert fnmatchcase(limiting, label.bottleneck)
    assert above & set(label.must_not) == set()


@pytest.mark.parametrize("name", RECORDED_HEALTHY[:2])
def test_a_recorded_healthy_host_has_no_finding_and_no_bottleneck(name: str, tmp_path: Path) -> None:
    found = diagnosed(recording(name), tmp_path)
    assert [each.rule for each in found.findings if each.severity.rank > Severity.WATCH.rank] == []
    assert found.ranking.bottleneck is None
