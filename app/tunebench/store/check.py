"""Checks a whole project: the file, the evidence, the samples, the captures, the audit trail."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, field
from typing import TYPE_CHECKING, Literal

from tunebench.core.errors import Cancelled, UserError
from tunebench.core.progress import Progress, SilentProgress
from tunebench.core.records import record
from tunebench.domain.capturing.plan import CapturePlan
from tunebench.domain.cycle.evidence import Evidence
from tunebench.store import attachments, plans
from tunebench.store.artefacts import list_artefacts, pending_artefacts, read_artefact
from tunebench.store.audit import trail as audit
from tunebench.store.audit.origins import capture_differences, engagement_differences
from tunebench.store.clean_copy import MARK, mark_of
from tunebench.store.codec import is_intact
from tunebench.store.cycle import check as cycle_check
from tunebench.store.cycle import records as cycle_records
from tunebench.store.damage import damage_of
from tunebench.store.databases.records import damaged_records
from tunebench.store.engagements import read_engagement
from tunebench.store.experiments import check as experiment_check
from tunebench.store.experiments import records as experiments
from tunebench.store.known_schema import known_columns

if TYPE_CHECKING:
    from tunebench.store.project import Project

State = Literal["ok", "failed", "warning"]
_MOST_NAMED = 20  # findings named in the facts of one check


@record
class CheckResult:
    """Outcome of one check, whose name is a key below ``check.``.

    `facts`: ``total`` things looked at; where some are wrong their ``count`` and, of the first, names (``found``). What
    differs is no name but says ``record``, ``field`` and both values.
    """

    check: str
    state: State
    facts: dict[str, object] = field(default_factory=dict)


def check_project(project: Project, progress: Progress | None = None) -> list[CheckResult]:
    """Runs every check; damage is a result, not an exception."""
    checks: tuple[Callable[[Project, Progress], CheckResult], ...] = (
        _integrity,
        _foreign_keys,
        _readable,
        _evidence,
        _pending,
        _ledgers,
        _unaccounted,
        _series_references,
        _chunk_counts,
        _packed_numbers,
        _database_records,
        _plans,
        _sent_commands,
        _captures,
        _origins,
        _cycle_records,
        _cycle_references,
        _cycle_evidence,
        _cycle_audit,
        _attachments,
        _experiments,
        _experiment_audit,
        _audit_trail,
        _audit_branches,
    )
    progress = progress or SilentProgress()
    results: list[CheckResult] = []
    for index, check in enumerate(checks):
        progress.raise_if_cancelled()
        progress.report(index, len(checks), f"check.{check.__name__.removeprefix('_')}")
        damaged = any(earlier.state == "failed" for earlier in results)
        results.append(_run(check, project, progress, damaged))
    return results


def _run(
    check: Callable[[Project, Progress], CheckResult], project: Project, progress: Progress, damaged: bool
) -> CheckResult:
    """A file too damaged to be read at all fails the check that noticed. `damaged`: an earlier check failed."""
    try:
        return check(project, progress)
    except UserError as error:
        reason = str(error)
    except Cancelled:
        raise
    except Exception as error:
        if not damaged:
            raise
        reason = type(error).__name__
    return CheckResult(check.__name__.removeprefix("_"), "failed", {"found": [reason], "count": 1})


def result(check: str, problems: Sequence[object], total: int, bad: State = "failed") -> CheckResult:
    if not problems:
        return CheckResult(check, "ok", {"total": total})
    return CheckResult(check, bad, {"total": total, "count": len(problems), "found": list(problems[:_MOST_NAMED])})


def _integrity(project: Project, _progress: Progress) -> CheckResult:
    lines = project.rows("PRAGMA integrity_check(20)")
    return result("integrity", [line for (line,) in lines if line != "ok"], 1)


def _foreign_keys(project: Project, _progress: Progress) -> CheckResult:
    return result("foreign_keys", [list(row) for row in project.rows("PRAGMA foreign_key_check")], 1)


def _readable(project: Project, _progress: Progress) -> CheckResult:
    """Every value is of its column's type, and every record can be read back."""
    return result("readable", damage_of(project), sum(len(columns) for columns in known_columns().values()))


def _evidence(project: Project, progress: Progress) -> CheckResult:
    """Recomputes every artefact's sha256 from its stored bytes, which a redacted copy lacks, and a part of some."""
    from tunebench.store.parts import left_out  # most of who asks for a result of a check runs none

    without = left_out(project)
    artefacts = [artefact for artefact in list_artefacts(project) if artefact.sha256 not in without]
    mark = mark_of(project)
    if mark is not None:
        facts = {"total": len(artefacts), "count": len(artefacts), "found": [str(mark.get("profile", ""))]}
        return CheckResult(MARK, "warning", facts)
    damaged: list[object] = []
    for artefact in artefacts:
        progress.raise_if_cancelled()
        if _sha256(read_artefact(project, artefact.id)) != artefact.sha256:
            damaged.append(artefact.name)
    return result("evidence", damaged, len(artefacts))


def _sha256(pieces: Iterator[bytes]) -> str:
    """ "" where the bytes cannot be unpacked."""
    digest = hashlib.sha256()
    try:
        for piece in pieces:
            digest.update(piece)
    except UserError:
        return ""
    return digest.hexdigest()


def _pending(project: Project, _progress: Progress) -> CheckResult:
    names: list[object] = [artefact.name for artefact in pending_artefacts(project)]
    return result("pending", names, len(list_artefacts(project)), bad="warning")


def _ledgers(project: Project, _progress: Progress) -> CheckResult:
    """Every line of every capture is accounted for."""
    artefacts = list_artefacts(project)
    return result(
        "ledgers", [artefact.name for artefact in artefacts if not artefact.ledger.lines.balanced], len(artefacts)
    )


def _unaccounted(project: Project, _progress: Progress) -> CheckResult:
    """Every row of numbers in a capture is stored, or left out for a reason."""
    artefacts = list_artefacts(project)
    lost = [
        f"{artefact.name}: {artefact.ledger.unaccounted:.1%}" for artefact in artefacts if artefact.ledger.unaccounted
    ]
    return result("unaccounted", lost, len(artefacts), bad="warning")


def _series_references(project: Project, _progress: Progress) -> CheckResult:
    """Every complete clock has series, and belongs to an artefact that has a host and was parsed."""
    total = project.row("SELECT count(*) FROM clock WHERE complete = 1")[0]
    rows = project.rows(
        "SELECT c.id, a.name, c.table_name FROM clock AS c JOIN artefact AS a ON a.id = c.artefact_id"
        " WHERE c.complete = 1 AND (a.host_id IS NULL OR a.state = 'receiving'"
        " OR NOT EXISTS (SELECT 1 FROM series AS s WHERE s.clock_id = c.id))"
    )
    return result("series_references", [f"{name}: {table}" for _, name, table in rows], total)


def _chunk_counts(project: Project, _progress: Progress) -> CheckResult:
    """Chunks follow each other without a hole, and their rows and values add up to what the tables say."""
    total = project.row("SELECT count(*) FROM series")[0]
    clocks = project.rows(
        "SELECT a.name || ': ' || c.table_name FROM clock AS c JOIN artefact AS a ON a.id = c.artefact_id"
        " LEFT JOIN clock_chunk AS k ON k.clock_id = c.id WHERE c.complete = 1 GROUP BY c.id"
        " HAVING count(k.position) <> c.chunks OR coalesce(sum(k.row_count), 0) <> c.rows_stored"
        " OR max(k.position) <> c.chunks - 1 OR max(k.start_row + k.row_count) <> c.rows_stored"
    )
    series = project.rows(
        "SELECT s.native || ' #' || s.id FROM series AS s JOIN clock AS c ON c.id = s.clock_id"
        " LEFT JOIN sample_chunk AS k ON k.series_id = s.id WHERE c.complete = 1 GROUP BY s.id"
        " HAVING coalesce(sum(k.valid), 0) <> s.sample_count OR max(k.position) >= c.chunks"
        " OR s.sample_count + s.missing_count <> c.rows_stored - c.since_boot_rows"
    )
    return result("chunk_counts", [name for (name,) in (*clocks, *series)], total)


def _packed_numbers(project: Project, progress: Progress) -> CheckResult:
    """Checksums of all packed numbers."""
    queries = {
        "clock_chunk": "SELECT times, line_numbers FROM clock_chunk",
        "sample_chunk": "SELECT data FROM sample_chunk",
        "clock_tile": "SELECT starts, ends FROM clock_tile",
        "series_tile": "SELECT minimum, maximum, mean FROM series_tile",
    }
    total = 0
    damaged: dict[str, int] = {}
    with project.reading() as connection:
        for table, query in queries.items():
            cursor = connection.execute(query)
            while rows := cursor.fetchmany(256):
                progress.raise_if_cancelled()
                total += len(rows)
                bad = sum(1 for row in rows if not all(is_intact(blob) for blob in row))
                damaged[table] = damaged.get(table, 0) + bad
    return result("packed_numbers", [f"{table}: {count}" for table, count in damaged.items() if count], total)


def _database_records(project: Project, _progress: Progress) -> CheckResult:
    """Every table of what captures say of databases can be read back, with all its rows and texts."""
    total, damaged = damaged_records(project)
    return result("database_records", list(damaged), total)


def _plans(project: Project, _progress: Progress) -> CheckResult:
    """Every plan is the one its digest names; every approval and session refers to a plan, and the audit trail has
    every approval.
    """
    strays = project.rows(
        "SELECT digest FROM (SELECT digest FROM approval UNION SELECT digest FROM capture_session)"
        " WHERE digest NOT IN (SELECT digest FROM capture_plan)"
    )
    texts = _plan_texts(project)
    changed = [digest for digest, text in texts.items() if not _is_of(digest, text)]
    given = frozenset(approval for digest in texts for approval in plans.approvals(project, digest))
    unproven = sorted({approval.digest for approval in given - plans.proven_approvals(project)})
    return result("plans", [*changed, *(digest for (digest,) in strays), *unproven], len(texts))


def _plan_texts(project: Project) -> dict[str, str]:
    return dict(project.rows("SELECT digest, plan FROM capture_plan ORDER BY id"))


def _is_of(digest: str, plan: str) -> bool:
    return hashlib.sha256(plan.encode()).hexdigest() == digest


def _sent_commands(project: Project, _progress: Progress) -> CheckResult:
    """Every command line that was sent stands in the plan of its session, where the audit trail tells both."""
    lines = {
        digest: {(command.host, command.verbatim) for command in CapturePlan.from_json(text).commands}
        for digest, text in _plan_texts(project).items()
        if _is_of(digest, text)
    }
    entries = audit.list_audit(project, "session_added", "capture_command")
    planned = {
        entry.facts["session_id"]: lines.get(str(entry.facts["digest"]), set())
        for entry in entries
        if entry.action == "session_added"
    }
    sent = [entry for entry in entries if entry.action == "capture_command"]
    unplanned: list[object] = [
        f"#{entry.id} {entry.facts['command_id']}"
        for entry in sent
        if (entry.facts["host"], entry.facts["verbatim"]) not in planned.get(entry.facts["session_id"], ())
    ]
    return result("sent_commands", unplanned, len(sent))


def _captures(project: Project, _progress: Progress) -> CheckResult:
    """Every stream belongs to a session, and every segment lies inside its capture, after the one before."""
    total = project.row("SELECT count(*) FROM capture_stream")[0]
    streams = project.rows(
        "SELECT command_id FROM capture_stream WHERE session_id NOT IN (SELECT id FROM capture_session)"
    )
    segments = project.rows(
        "SELECT a.name || ' #' || s.number FROM capture_segment AS s JOIN artefact AS a ON a.id = s.artefact_id"
        " WHERE s.first_byte < 0 OR s.first_byte > s.end_byte OR s.end_byte > a.size_bytes OR s.first_line < 1"
        " OR EXISTS (SELECT 1 FROM capture_segment AS p WHERE p.artefact_id = s.artefact_id"
        " AND p.number = s.number - 1 AND p.end_byte > s.first_byte)"
    )
    return result("captures", [name for (name,) in (*streams, *segments)], total)


def _origins(project: Project, _progress: Progress) -> CheckResult:
    """Times of captures, what was said about them and the engagement are what the audit trail says was last written."""
    engagement = read_engagement(project)
    changed = [*engagement_differences(project, engagement), *capture_differences(project)]
    return result("origins", [asdict(difference) for difference in changed], 1 + len(list_artefacts(project)))


def _cycle_records(project: Project, _progress: Progress) -> CheckResult:
    """Every record of the cycle is the JSON of its kind."""
    records = cycle_records.stored_records(project)
    return result("cycle_records", list(cycle_check.unreadable(records)), len(records))


def _cycle_references(project: Project, _progress: Progress) -> CheckResult:
    """Every name in a record leads to a record of the right kind, and the table of references says the same."""
    records = cycle_check.readable(cycle_records.stored_records(project))
    return result("cycle_references", cycle_check.broken_references(project, records), len(records))


def _cycle_evidence(project: Project, _progress: Progress) -> CheckResult:
    """The series that evidence rests on are still found by their names."""
    records = cycle_check.readable(cycle_records.stored_records(project))
    total = sum(1 for record in records if isinstance(record, Evidence))
    return result("cycle_evidence", cycle_check.lost_evidence(project, records), total, bad="warning")


def _cycle_audit(project: Project, _progress: Progress) -> CheckResult:
    """Every record of the cycle is what the audit trail says was last written."""
    records = cycle_records.stored_records(project)
    changed = cycle_check.changed_outside(project, records)
    return result("cycle_audit", [asdict(difference) for difference in changed], len(records))


def _attachments(project: Project, progress: Progress) -> CheckResult:
    """Recomputes the SHA-256 of every attached file."""
    names = attachments.list_attachments(project)
    damaged: list[object] = []
    for sha256 in names:
        progress.raise_if_cancelled()
        if not cycle_check.is_whole(project, sha256):
            damaged.append(sha256[:12])
    return result("attachments", damaged, len(names))


def _experiments(project: Project, _progress: Progress) -> CheckResult:
    """Every experiment and trial can be read and keeps the rules; every trial is of a cell of its experiment."""
    kept, trials = experiments.stored_records(project)
    return result("experiments", list(experiment_check.damaged(kept, trials)), len(kept) + len(trials))


def _experiment_audit(project: Project, _progress: Progress) -> CheckResult:
    """Every experiment and trial is what the audit trail says was last written."""
    kept, trials = experiments.stored_records(project)
    changed = experiment_check.changed_outside(project, kept, trials)
    return result("experiment_audit", [asdict(difference) for difference in changed], len(kept) + len(trials))


def _audit_trail(project: Project, _progress: Progress) -> CheckResult:
    """The chain of the audit trail is whole."""
    broken = audit.verify_chain(project)
    return result("audit_trail", [] if broken is None else [broken], audit.chain_head(project)[0])


def _audit_branches(project: Project, _progress: Progress) -> CheckResult:
    """Every trail that was merged in is whole, and an entry says so; a redacted copy has none of them."""
    from tunebench.store.audit import branches  # most of who asks for a result of a check runs none

    problems: list[object] = [] if mark_of(project) is not None else [*branches.broken_branches(project)]
    return result("audit_branches", problems, len(branches.list_branches(project)))
