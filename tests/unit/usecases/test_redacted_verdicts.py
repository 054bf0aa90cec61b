"""A redacted copy of what was measured has the verdicts of the original: what is taken out is names."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from tests.made import many_hosts
from tests.unit.answering.made_answers import imported
from tunebench.domain.engagement import Phase
from tunebench.domain.finding import Finding
from tunebench.domain.windows import run_window
from tunebench.store import banners
from tunebench.store.project import Project
from tunebench.usecases import projects
from tunebench.usecases.findings import diagnose
from tunebench.usecases.redaction import clean, names_file
from tunebench.usecases.redaction.profiles import profile_named

PASSPHRASE = "the names stay here"


@pytest.fixture
def original(tmp_path: Path) -> Iterator[Project]:
    """Two hosts whose captures tell the number of processors in their first lines alone."""
    many_hosts.write(tmp_path / "captures", {0: 5.0}, count=2)
    path = imported(tmp_path / "two.tune", tmp_path / "captures")
    with closing(projects.open_(path)) as project:
        yield project


@pytest.fixture
def redacted(original: Project, tmp_path: Path) -> Iterator[Project]:
    redaction = clean.Redaction(profile_named("strict"), PASSPHRASE)
    clean.export_clean(original, tmp_path / "copy.tune", redaction)
    with closing(projects.open_(tmp_path / "copy.tune", read_only=True)) as project:
        yield project


@pytest.mark.parametrize("phase", [Phase.BEFORE, Phase.AFTER])
def test_a_copy_says_what_the_original_says(original: Project, redacted: Project, phase: Phase) -> None:
    window = run_window(projects.find_run(original, phase.value).id)
    ours, theirs = diagnose.diagnose(original, window), diagnose.diagnose(redacted, window)
    stand_ins = names_file.read_names(names_file.names_path(original), PASSPHRASE)
    assert [_named(finding, stand_ins[finding.host]) for finding in ours.findings] == [
        _named(finding, finding.host) for finding in theirs.findings
    ]
    assert [rule.rule for rule in ours.not_judged] == [rule.rule for rule in theirs.not_judged]
    assert (ours.ranking.clear, ours.ranking.reason) == (theirs.ranking.clear, theirs.ranking.reason)
    assert [(score.resource, score.score) for score in ours.ranking.scores] == [
        (score.resource, score.score) for score in theirs.ranking.scores
    ]


def _named(finding: Finding, host: str) -> tuple[object, ...]:
    return finding.rule, finding.severity, host, dict(finding.facts), finding.cautions


def test_a_copy_remembers_the_processors_that_a_capture_told(original: Project, redacted: Project) -> None:
    assert banners.kept_counts(original) == {}
    counts = banners.kept_counts(redacted)
    assert counts and set(counts.values()) == {8}
    assert all(banners.count_of_capture(original, id_) == count for id_, count in counts.items())
