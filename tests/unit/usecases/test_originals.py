"""Every form of report beside what was read of it: the line of a figure is the one on which it stands."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.made.awr import text, workload
from tests.made.awr.compare import compare_report
from tests.made.awr.markup import Style
from tests.program import compose
from tests.store import cases
from tunebench.store.databases import records as database_records
from tunebench.store.project import Project
from tunebench.usecases.importing import imports
from tunebench.usecases.importing.originals import Original, original
from tunebench.usecases.importing.results import ImportOptions

FIRST = workload(seed=1)
FORMS = {
    "awr.txt": text("awr", version="11.2", workload=FIRST).data,
    "awr_19c.txt": text("awr", version="19c", workload=FIRST, crlf=True, form_feeds=True).data,
    "statspack.lst": text("statspack", version="11.2", workload=FIRST).data,
    "statspack_9i.lst": text("statspack", version="9.2", workload=FIRST).data,
    "awrdiff.html": compare_report(Style(), FIRST, FIRST.later()).encode(),
}


@pytest.fixture
def project(tmp_path: Path) -> Iterator[Project]:
    compose()
    with cases.new_project(tmp_path) as opened:
        yield opened


def words_at(found: Original, line: int) -> str:
    """What stands on a line of the original as it is shown."""
    if found.report is None:
        return found.lines[line - found.first_line]
    return " ".join(
        cell for table in found.report.tables for row in table.rows if row.line == line for cell in row.cells
    )


@pytest.mark.parametrize("form", FORMS)
def test_a_figure_leads_to_its_line(project: Project, tmp_path: Path, form: str) -> None:
    path = tmp_path / form
    path.write_bytes(FORMS[form])
    imports.import_captures(project, [path], ImportOptions(run="before", host="db01"))
    stored = database_records.list_records(project)
    records = list(database_records.filled(project, stored))
    checked = 0
    for head, record in zip(stored, records, strict=True):
        shown = original(project, head.artefact_id, head.head.first_line)
        for name, key in (("wait_event", "event"), ("statement", "statement_id")):
            table = record.table(name)
            for words, line in zip(table.text(key), table.lines.tolist(), strict=True):
                assert words[:20] in words_at(shown, line), (name, words, line)
                checked += 1
    assert checked > 20
    assert (original(project, stored[0].artefact_id).report is not None) == form.endswith(".html")
