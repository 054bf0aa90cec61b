"""Writing the sheet: refusals, and the audit trail's memory of it."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest

from tests.store import cases
from tests.unit.capture.plan_cases import plan
from tunebench.core.errors import UserError
from tunebench.store.audit import trail as audit
from tunebench.usecases.capturing import approval_sheets


def test_a_written_sheet_is_remembered(tmp_path: Path) -> None:
    project = cases.new_project(tmp_path)
    try:
        path = approval_sheets.write_pdf(plan("linux.vmstat"), "ko", tmp_path / "승인서.pdf", project=project)
        (entry,) = [entry for entry in audit.list_audit(project) if entry.action == "sheet_written"]
        assert entry.facts["digest"] == plan("linux.vmstat").digest
        assert entry.facts["sha256"] == hashlib.sha256(path.read_bytes()).hexdigest()
        assert entry.facts["file_name"] == "승인서.pdf"
        cases.check_audit_sentence(entry)
    finally:
        project.close()


def test_a_sheet_needs_a_folder_and_a_writable_file(tmp_path: Path) -> None:
    with pytest.raises(UserError) as missing:
        approval_sheets.write_pdf(plan("linux.vmstat"), "en", tmp_path / "nowhere" / "sheet.pdf")
    assert missing.value.key == "path_missing"
    with pytest.raises(UserError) as taken:
        approval_sheets.write_pdf(plan("linux.vmstat"), "en", tmp_path)
    assert taken.value.key == "file_unwritable"
