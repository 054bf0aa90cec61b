"""Hosts, made or recorded, imported and judged by the shipped rules."""

from __future__ import annotations

from pathlib import Path

from tests.faults.made_host import MadeHost
from tunebench.domain.engagement import Engagement
from tunebench.domain.windows import run_window
from tunebench.usecases import projects
from tunebench.usecases.findings import diagnose
from tunebench.usecases.findings.diagnose import Diagnosis
from tunebench.usecases.importing import imports
from tunebench.usecases.importing.results import ImportOptions


def diagnosed(host: MadeHost | Path, folder: Path) -> Diagnosis:
    """By way of files, readers, store and rules, as a customer's captures go.

    Args:
        host: a path: the archive of a recording.
    """
    captures = [host] if isinstance(host, Path) else host.write(folder / "captures")
    with projects.create(folder / "case.tune", Engagement("faults", "made")) as project:
        report = imports.import_captures(project, captures, ImportOptions(run="before", host="db1", zone="Asia/Seoul"))
        assert report.complete, [file.error for file in report.files]
        return diagnose.diagnose(project, run_window(projects.find_run(project, "before").id))
