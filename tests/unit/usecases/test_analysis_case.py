"""The analysis reaches the report: findings of the founding captures with their evidence, and recomputable verdicts."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from pathlib import Path

import numpy as np
import pytest

from tests.program import compose
from tests.unit.usecases.founding_runs import founding_project
from tunebench.analysis.calculations.inputs import Inputs
from tunebench.analysis.calculations.series import compare_occurrences
from tunebench.domain.engagement import Engagement, Phase
from tunebench.reporting.success_case import build_document
from tunebench.store.project import Project
from tunebench.usecases import projects
from tunebench.usecases.importing import imports
from tunebench.usecases.importing.results import ImportOptions
from tunebench.usecases.reports import success_case as reports


@pytest.fixture(scope="module")
def founding(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Project]:
    compose()
    with founding_project(tmp_path_factory.mktemp("founding")) as made:
        yield made


def test_findings_of_a_single_run_have_share_source_and_the_captures_keys(founding: Project) -> None:
    case = reports.build_case(founding, "ko")
    analysis = case.analysis
    assert analysis.gate == () and analysis.shift is None, "nothing is compared"
    assert {label for _, label in analysis.runs_diagnosed} == {"swap"}
    known = {entry.key for entry in case.evidence}
    told = [each for each in analysis.findings if each.found.severity != "ok"]
    assert told and all(each.evidence and set(each.evidence) <= known for each in told)
    rules = {rule.id: rule for rule in analysis.rules}
    assert all(rules[each.found.rule].source for each in told)
    severities = ["critical", "warning", "watch", "ok"]
    assert [each.found.severity for each in analysis.findings] == sorted(
        (each.found.severity for each in analysis.findings), key=severities.index
    )
    assert "⟨" not in repr(build_document(case, "ko").sections)


def _vmstat(folder: Path, name: str, idle: np.ndarray) -> Path:
    head = "procs -----------memory---------- ---swap-- -----io---- -system-- ------cpu-----\n"
    head += " r  b   swpd   free   buff  cache   si   so    bi    bo   in   cs us sy id wa st\n"
    rows = (f" 1  0      0 500000  20000 300000    0    0     5    10  100  200 {99 - i}  1 {i}  0  0" for i in idle)
    path = folder / name
    path.write_text(head + "\n".join(rows) + "\n", encoding="utf-8")
    return path


def test_the_printed_ratio_is_what_calc_answers_for_the_same_samples(tmp_path: Path) -> None:
    compose()
    random = np.random.default_rng(20_260_701)
    sides = {"before": random.integers(20, 40, 400), "after": random.integers(60, 80, 400)}
    with projects.create(tmp_path / "two.tune", Engagement("tuning", "ACME", zone="Asia/Seoul")) as project:
        for day, (name, idle) in enumerate(sides.items()):
            said = ImportOptions(
                run=name,
                host="db1",
                zone="Asia/Seoul",
                start=datetime(2008, 2, 4 + 7 * day, 10),
                interval_s=5.0,
                phase=Phase(name),
            )
            assert imports.import_captures(project, [_vmstat(tmp_path, f"{name}.txt", idle)], said).complete
        case = reports.build_case(project, "en")
    judged = next(each.row for each in case.comparison if each.label.endswith(" id"))
    samples = {name: idle[1:].astype(float).tolist() for name, idle in sides.items()}  # the first row is since boot
    sizes = {"before": judged.n_eff_before, "after": judged.n_eff_after}
    variances = {
        name: float(np.var(own, ddof=1)) / (float(sizes[name] or 0) - 1) / float(np.mean(own)) ** 2
        for name, own in samples.items()
    }
    asked = {  # higher is better
        "before": [float(np.mean(samples["after"]))],
        "after": [float(np.mean(samples["before"]))],
        "before_variances": [variances["after"]],
        "after_variances": [variances["before"]],
    }
    answer = compare_occurrences(Inputs(asked))
    assert judged.interval is not None
    assert judged.headline == pytest.approx(answer["ratio"])
    assert [judged.interval.low, judged.interval.high] == pytest.approx(answer["ci"])
    assert judged.p == pytest.approx(answer["p"])
