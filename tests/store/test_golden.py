"""Projects that earlier releases wrote are read for ever."""

from __future__ import annotations

import gzip
from pathlib import Path

import numpy as np
import pytest

from app.domain.ledger import ImportState
from app.store import engagements
from app.store.artefacts import artefact_lines, find_artefact, read_artefact
from app.store.check import check_project
from app.store.format import CURRENT
from app.store.project import open_project
from app.store.queries import list_events, list_series, read_envelope, read_series
from app.store.reports import list_reports
from tests.store import cases, golden

GOLDEN = sorted(golden.FOLDER.glob("*.tune.gz"))


def test_this_version_has_its_golden_project() -> None:
    assert f"v{CURRENT}.tune.gz" in [path.name for path in GOLDEN]


@pytest.mark.parametrize("packed", GOLDEN, ids=lambda path: path.name)
def test_a_golden_project_says_what_was_written(packed: Path, tmp_path: Path) -> None:
    path = tmp_path / packed.name.removesuffix(".gz")
    path.write_bytes(gzip.decompress(packed.read_bytes()))
    with open_project(path) as project:
        assert {result.state for result in check_project(project)} == {"ok"}
        assert engagements.read_engagement(project) == cases.ENGAGEMENT
        assert [each.text for each in engagements.read_narrative(project, "ko")] == ["Index 전략부재"]
        assert engagements.read_measurements(project) == [golden.MEASUREMENT]
        assert engagements.read_statements(project) == [golden.STATEMENT]
        assert [note.text for note in engagements.list_notes(project)] == ["여기서 인덱스를 만듦"]
        (report,) = list_reports(project)
        assert {name: getattr(report, name) for name in golden.REPORT} == golden.REPORT
        info = find_artefact(project, 1)
        assert (info.ledger, info.state, info.given) == (golden.LEDGER, ImportState.IMPORTED, {"zone": "Asia/Seoul"})
        assert b"".join(read_artefact(project, 1)) == golden.CAPTURE
        assert artefact_lines(project, 1, 4322, 4322) == [b"ssd2 321.5"]
        assert [stored.event for stored in list_events(project)] == [golden.EVENT]
        svc_t, busy = list_series(project)
        assert (svc_t.count, svc_t.missing, svc_t.native, busy.native) == (golden.ROWS - 2, 1, "svc_t", "%b")
        data = read_series(project, svc_t.id)
        assert np.array_equal(data.values, golden.values()[:, 0], equal_nan=True)
        assert np.flatnonzero(data.since_boot).tolist() == [0]
        assert data.line_numbers[-1] == (golden.ROWS - 1) * 10 + 1
        envelope = read_envelope(project, svc_t.id, int(data.times_ns[0]), int(data.times_ns[-1]), 20)
        assert (np.nanmin(envelope.minimum), np.nanmax(envelope.maximum)) == (0.5, 999.5)
        assert envelope.samples_per_bin > 16
