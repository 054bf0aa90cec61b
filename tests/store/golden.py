"""Writes the golden project of this version: ``python -m tests.store.golden``, once per release.

What it holds is fixed here, so that the test can tell whether a later version still reads all of it.
"""

from __future__ import annotations

import gzip
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from app.domain.engagement import CaptureEvent, Direction, EventKind, Measurement, Section, Statement
from app.domain.ledger import ImportState, Ledger, LineCounts
from app.store.artefacts import set_parse_result
from app.store.engagements import add_note, write_measurements, write_narrative, write_statements
from app.store.format import CURRENT
from app.store.hosts import ensure_host
from app.store.reports import add_report
from tests.store import cases

FOLDER = Path(__file__).parent / "golden"
ROWS = 9000
REPORT: dict[str, Any] = {
    "kind": "pdf", "language": "ko", "issued": "2007-08-01", "file_name": "성공사례.pdf", "path": "/home/lee/성공사례.pdf",
    "sha256": "ab" * 32, "size_bytes": 1234, "edition": "1.0", "program_version": "0.1.0",
}  # fmt: skip
CAPTURE = b"".join(b"ssd2 %d.5\r\n" % (number % 1000) for number in range(ROWS))
LEDGER = Ledger(tool="iostat", os="sunos", first_ns=cases.START_NS, lines=LineCounts(total=ROWS, data=ROWS))
EVENT = CaptureEvent(EventKind.GAP, cases.START_NS, cases.START_NS + 5, "")
MEASUREMENT = Measurement(
    "response_time", "응답속도", "response time", "s", "total", Direction.LOWER, 590.997, 33.17, decimals=2
)
STATEMENT = Statement(1, "oracle", "0gx3w", "SELECT 1 FROM dual", elapsed_s=590.997, artefact_id=1)


def values() -> NDArray[np.float64]:
    """svc_t counts up with one hole, %b is always 100."""
    table = np.stack([np.arange(ROWS) % 1000 + 0.5, np.full(ROWS, 100.0)], axis=1)
    table[4321, 0] = np.nan
    return table


def write(folder: Path) -> Path:
    with cases.new_project(folder, f"v{CURRENT}.tune") as project:
        artefact_id = cases.store_artefact(project, CAPTURE)
        writer = cases.sample_writer(project, artefact_id)
        writer.append(cases.batch(values(), ("svc_t", "%b"), since_boot=[0]))
        writer.finish()
        set_parse_result(
            project, artefact_id, host_id=ensure_host(project, "db1").id, parser_id="sun.iostat", parser_version="1.0",
            state=ImportState.IMPORTED, ledger=LEDGER, events=[EVENT], given={"zone": "Asia/Seoul"},
        )  # fmt: skip
        write_narrative(project, Section.ISSUE, "ko", ["Index 전략부재"])
        write_measurements(project, [MEASUREMENT])
        write_statements(project, STATEMENT.run_id, artefact_id, [STATEMENT])
        add_note(project, "run", 1, None, "여기서 인덱스를 만듦", "lee")
        add_report(project, **REPORT)
    return project.path


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as scratch:
        path = write(Path(scratch))
        FOLDER.mkdir(exist_ok=True)
        target = FOLDER / f"{path.name}.gz"
        target.write_bytes(gzip.compress(path.read_bytes(), mtime=0))
