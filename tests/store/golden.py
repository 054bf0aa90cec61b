"""Writes the golden project of this version: ``python -m tests.store.golden``, once per release.

What it holds is fixed here, so that the test can tell whether a later version still reads all of it.
"""

from __future__ import annotations

import gzip
import tempfile
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np
from numpy.typing import NDArray

from tests.store import cases, cycle_cases, database_cases, experiment_cases
from tunebench.domain.assembly import CaptureOverlap, DeviceAlias, Relation
from tunebench.domain.bundle import Bundle, BundleMember, MemberState
from tunebench.domain.capturing.plan import Approval
from tunebench.domain.capturing.run import (
    CaptureGap,
    ClockCheck,
    GapCause,
    SessionState,
    StreamRecord,
    StreamSegment,
    StreamState,
    SystemFact,
)
from tunebench.domain.capturing.times import ChangedCapture
from tunebench.domain.connection import Backend, HostColour, HostKey, HostProfile
from tunebench.domain.databases.choices import KeptLink, LicenceConfirmation
from tunebench.domain.engagement import CaptureEvent, Direction, EventKind, Measurement, Section, Statement
from tunebench.domain.ledger import ImportState, Ledger, LineCounts
from tunebench.domain.translations import Translation
from tunebench.store.aliases import replace_aliases
from tunebench.store.artefacts import set_parse_result
from tunebench.store.attachments import keep_attachment
from tunebench.store.audit import trail as audit
from tunebench.store.audit.branches import add_branch
from tunebench.store.audit.chain import ChainedRow, Row, digest_of
from tunebench.store.bundles import record_bundle
from tunebench.store.cycle.records import apply
from tunebench.store.databases.licences import add_confirmation
from tunebench.store.databases.records import write_records
from tunebench.store.databases.statement_links import add_link
from tunebench.store.engagements import add_note, write_measurements, write_narrative, write_statements
from tunebench.store.experiments.records import apply as apply_experiment
from tunebench.store.format import CURRENT
from tunebench.store.hosts import ensure_host
from tunebench.store.overlaps import replace_choices, replace_findings
from tunebench.store.plans import approve, save_plan
from tunebench.store.profiles import accept_key, replace_key, save_profile
from tunebench.store.project import Project
from tunebench.store.reports import add_report
from tunebench.store.resolutions import add_resolution, mark_taken_back
from tunebench.store.sessions import (
    begin_session,
    record_stream,
    set_session_state,
    write_clock_checks,
    write_facts,
    write_gaps,
    write_segments,
)

FOLDER = Path(__file__).parent / "golden"
ROWS = 9000
REPORT: dict[str, Any] = {
    "kind": "pdf",
    "language": "ko",
    "issued": "2007-08-01",
    "file_name": "성공사례.pdf",
    "path": "/home/lee/성공사례.pdf",
    "sha256": "ab" * 32,
    "size_bytes": 1234,
    "edition": "1.0",
    "program_version": "0.1.0",
}
CAPTURE = b"".join(b"ssd2 %d.5\r\n" % (number % 1000) for number in range(ROWS))
LEDGER = Ledger(tool="iostat", os="sunos", first_ns=cases.START_NS, lines=LineCounts(total=ROWS, data=ROWS))
EVENT = CaptureEvent(EventKind.GAP, cases.START_NS, cases.START_NS + 5, "")
MEASUREMENT = Measurement(
    "response_time",
    "응답속도",
    "response time",
    "s",
    "total",
    Direction.LOWER,
    590.997,
    33.17,
    decimals=2,
    translations=(Translation("source", "en", "page 28", ""),),
)
STATEMENT = Statement(1, "oracle", "0gx3w", "SELECT 1 FROM dual", elapsed_s=590.997)
FRAMED = b"motd\n@tunebench 0a1b2c3d begin id=db1/solaris.prtconf\nMemory size: 16384\n@tunebench 0a1b2c3d over\n"
PROFILE = HostProfile(
    "db1",
    "10.0.0.7",
    2222,
    "oracle",
    "~/.ssh/id_rsa",
    ("lee@bastion:22",),
    Backend.OPENSSH,
    ("ssh-rsa",),
    HostColour.PRODUCTION,
    False,
    "sunos",
    "운영",
    "/etc/ssh/known",
)
OLD_KEY = HostKey("10.0.0.7", 2222, "ssh-rsa", "AAAAB3", "SHA256:old")
KEY = HostKey("10.0.0.7", 2222, "ssh-rsa", "AAAAB4", "SHA256:new")
APPROVAL = Approval(cases.PLAN.digest, "박과장", "2026-11-21T03:00:00+00:00", "signed_sheet", "문서 12", "U1NIU0lH")
STREAM = StreamRecord(
    "db1/solaris.prtconf", 1, 2, StreamState.VERIFIED, "5.10", len(FRAMED), 4, 0, "경고", 0.25, "none"
)
SEGMENT = StreamSegment(0, 54, 73, 3, cases.START_NS, cases.START_NS + 5, 0, 0.25, 4711)
GAP = CaptureGap(
    "db1/solaris.prtconf", cases.START_NS, None, GapCause.SERVER_REBOOT, "2026-11-21T03:10:00+00:00", "boot id"
)
CLOCK = ClockCheck("db1", "2026-11-21T03:05:00+00:00", 300_000_000_000, 250_000, "Asia/Seoul", 32_400, "boot-1")
FACTS = [SystemFact("memory", "size", "16384 MB"), SystemFact("kernel", "maxphys", "1048576")]
TWIN = b"the same again\n"
OVERLAP: dict[str, Any] = {
    "other_id": 1,
    "relation": Relation.SAME,
    "shift_ns": 32_400_000_000_000,
    "start_ns": cases.START_NS,
    "end_ns": cases.START_NS + 9,
    "columns": 2,
}
CPU_EVENT = CaptureEvent(EventKind.CPU_COUNT, cases.START_NS + 7, None, "2 → 4")
ALIASES = [
    DeviceAlias("ssd2", "/oradata", None, cases.START_NS, "user", "lee", "2026-11-21T03:00:00+00:00"),
    DeviceAlias("ssd3", "/oradata", cases.START_NS + 1, None, "user", "lee", "2026-11-21T03:00:00+00:00"),
]
BUNDLE = Bundle(
    0,
    "osw_archive.tar.gz",
    "/home/lee/osw_archive.tar.gz",
    "tar.gz",
    4919,
    "cd" * 32,
    1_795_245_000_000_000_000,
    "2026-11-21T03:20:00+00:00",
    ("oswatcher",),
    (
        BundleMember("archive/db1_vmstat_26.11.22.0300.dat", MemberState.IMPORTED, "oswvmstat", 1200, 1, "db1"),
        BundleMember("../etc/passwd", MemberState.REFUSED, reason="member_leads_out", facts={"name": "../etc/passwd"}),
    ),
)
SAID = {"zone": "Asia/Seoul", "interval_s": "15"}
SNAPSHOTS = (
    database_cases.counters(0, database_cases.statements(q1=(5, 1.5), q2=(0, 0.0))),
    database_cases.counters(10, database_cases.statements(q1=(9, 590.997))),
    database_cases.REPORT,
)
LINK = KeptLink(1, "oracle", "0gx3w", "9abcd", "이영진", "2026-11-21T03:00:00+00:00", "힌트를 넣음")
LICENCE = LicenceConfirmation(
    1, "oracle.diagnostics_pack", "db1", "ORCL", "박과장", "계약 2026-114", "2026-11-21T03:00:00+00:00"
)
BRANCH_TIME = "2026-11-21T03:00:00.000+00:00"
ATTACHED = "면담 기록\n".encode()


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
            project,
            artefact_id,
            host_id=ensure_host(project, "db1").id,
            parser_id="sun.iostat",
            parser_version="1.0",
            state=ImportState.IMPORTED,
            ledger=LEDGER,
            events=[EVENT],
            given={"zone": "Asia/Seoul"},
        )
        write_narrative(project, Section.ISSUE, "ko", ["Index 전략부재"])
        write_measurements(project, [MEASUREMENT])
        write_statements(project, STATEMENT.run_id, [STATEMENT])
        add_note(project, "run", 1, None, "여기서 인덱스를 만듦", "lee")
        add_report(project, **REPORT)
        write_capture(project)
        write_cycle(project)
        write_assembly(project)
        write_records(project, artefact_id, SNAPSHOTS, 0)
        add_link(project, LINK)
        add_confirmation(project, LICENCE)
        apply_experiment(project, experiment_cases.adding(artefact_id=2, load_run_id=1), "lee")
        write_branch(project)
    return project.path


def write_branch(project: Project) -> None:
    """A trail of another copy that went on after the first entry."""
    (base,) = audit.read_rows(project, [1])
    row = Row(2, BRANCH_TIME, "kang", "note_added", '{"note_id":1,"target_id":null,"target_kind":"","text":"x"}')
    digest = digest_of(base.digest, row)
    head = add_branch(project, [ChainedRow(row, base.digest, digest)])
    audit.record(
        project,
        "merged",
        base=1,
        base_digest=base.digest,
        mine=1,
        mine_digest=base.digest,
        theirs=2,
        theirs_digest=digest,
        branch=head,
        entries=1,
    )


def write_capture(project: Project) -> None:
    save_profile(project, PROFILE)
    accept_key(project, OLD_KEY, "lee")
    replace_key(project, KEY, "kang")
    save_plan(project, cases.PLAN)
    approve(project, APPROVAL)
    session_id = begin_session(project, cases.PLAN.digest, 1, "/spool/s1", "before")
    artefact_id = cases.store_artefact(project, FRAMED, name="prtconf")
    set_parse_result(
        project,
        artefact_id,
        host_id=1,
        parser_id="",
        parser_version="",
        state=ImportState.KEPT,
        ledger=Ledger(),
        events=(),
        given={},
    )
    record_stream(project, session_id, STREAM)
    write_segments(project, artefact_id, [SEGMENT])
    write_gaps(project, session_id, [GAP], {GAP.stream: artefact_id})
    write_clock_checks(project, session_id, [CLOCK])
    write_facts(project, artefact_id, 1, cases.START_NS, FACTS)
    set_session_state(project, session_id, SessionState.FINISHED, "끝")


def write_cycle(project: Project) -> None:
    sha256 = keep_attachment(project, ATTACHED)
    apply(project, cycle_cases.adding(*cycle_cases.records(1, sha256), name="add"), "lee")


def write_assembly(project: Project) -> None:
    second = cases.store_artefact(project, TWIN, name="twin")
    set_parse_result(
        project,
        second,
        host_id=1,
        parser_id="",
        parser_version="",
        state=ImportState.KEPT,
        ledger=Ledger(),
        events=(),
        given={},
    )
    record_bundle(project, BUNDLE)
    replace_findings(project, [1, second], [CaptureOverlap(second, **OVERLAP)], {second: [CPU_EVENT]})
    replace_choices(project, [second])
    replace_aliases(project, 1, ALIASES)
    first = add_resolution(project, 1, SAID, [ChangedCapture(1, {}, {"zone": "Asia/Seoul"})], "")
    mark_taken_back(project, first)
    add_resolution(project, 1, SAID, [ChangedCapture(1, {}, {"zone": "Asia/Seoul"})], "")


if __name__ == "__main__":
    with (
        tempfile.TemporaryDirectory() as scratch,
        patch("tunebench.store.locking.getpass.getuser", return_value="lee"),
        patch("tunebench.store.locking.socket.gethostname", return_value="consultant-pc"),
    ):
        path = write(Path(scratch))
        FOLDER.mkdir(exist_ok=True)
        target = FOLDER / f"{path.name}.gz"
        target.write_bytes(gzip.compress(path.read_bytes(), mtime=0))
