"""The JSON shapes of the command line: a public contract. Keys and enum values are English and stable."""

from __future__ import annotations

from datetime import datetime
from zoneinfo import ZoneInfo

from app.analysis.statistics import Statistics
from app.core.messages import Catalogue
from app.domain.bundle import Bundle
from app.domain.engagement import Statement
from app.domain.ledger import Ledger
from app.domain.series import SeriesInfo
from app.usecases.exports import iso
from app.usecases.importing.imports import ImportedFile
from app.usecases.projects import ArtefactInfo

Shape = dict[str, object]


def time(time_ns: int | None, zone: ZoneInfo) -> str | None:
    return None if time_ns is None else iso(time_ns, zone)


def stamp(iso_text: str, zone: ZoneInfo) -> str:
    """A stored UTC stamp as local time with its offset."""
    return datetime.fromisoformat(iso_text).astimezone(zone).isoformat(timespec="seconds")


def ledger(account: Ledger, zone: ZoneInfo) -> Shape:
    return {
        "tool": account.tool,
        "tool_version": account.tool_version,
        "os": account.os,
        "locale": account.locale,
        "zone": account.zone,
        "zone_source": account.zone_source,
        "first": time(account.first_ns, zone),
        "last": time(account.last_ns, zone),
        "interval_s": account.interval_s,
        "series": account.series,
        "samples": account.samples,
        "lines": {
            "total": account.lines.total,
            "data": account.lines.data,
            "header": account.lines.header,
            "blank": account.lines.blank,
            "skipped": account.lines.skipped,
        },
        "skipped": [
            {"reason": s.reason, "count": s.count, "first_line": s.first_line, "example": s.example}
            for s in account.skipped
        ],
        "gaps": account.gaps,
        "restarts": account.restarts,
        "warnings": list(account.warnings),
        "needs": list(account.needs),
        "assumptions": [{"subject": a.subject, "value": a.value, "source": a.source} for a in account.assumptions],
    }


def imported_file(file: ImportedFile, zone: ZoneInfo, messages: Catalogue) -> Shape:
    return {
        "path": file.path,
        "sha256": file.sha256 or None,
        "state": file.state.value,
        "parser": file.parser or None,
        "host": file.host or None,
        **ledger(file.ledger, zone),
        "facts": file.facts,
        "error": messages.error(file.error) if file.error else None,
    }


def bundle(account: Bundle, messages: Catalogue) -> Shape:
    return {
        "path": account.path,
        "name": account.name,
        "form": account.form,
        "size_bytes": account.size_bytes,
        "sha256": account.sha256 or None,
        "layouts": list(account.layouts),
        "hosts": list(account.hosts),
        "roles": account.roles,
        "totals": {state.value: count for state, count in account.totals.items()},
        "members": [
            {
                "name": member.name,
                "state": member.state.value,
                "kind": member.kind or None,
                "size_bytes": member.size_bytes,
                "host": member.host or None,
                "artefact": member.artefact_id,
                "reason": messages.error(member.refusal) if member.refusal else None,
                "facts": {name: value for name, value in member.facts.items() if not member.reason},
            }
            for member in account.members
        ],
    }


def artefact(info: ArtefactInfo, host: str, zone: ZoneInfo) -> Shape:
    return {
        "id": info.id,
        "name": info.name,
        "sha256": info.sha256,
        "size_bytes": info.size_bytes,
        "state": str(info.state),
        "parser": info.parser_id or None,
        "parser_version": info.parser_version or None,
        "host": host or None,
        "imported_at": info.imported_at,
        **ledger(info.ledger, zone),
    }


def series(info: SeriesInfo, figures: Statistics, zone: ZoneInfo) -> Shape:
    return {
        "id": info.id,
        "run": info.run,
        "host": info.host,
        "tool": info.tool,
        "native": info.native,
        "metric": info.metric or None,
        "attributes": {**info.implied, **info.attributes},
        "unit": info.unit,
        "kind": info.kind.value,
        "count": figures.n,
        "missing": figures.missing,
        "first": time(info.first_ns, zone),
        "last": time(info.last_ns, zone),
        "interval_s": info.interval_s,
        "min": figures.minimum,
        "mean": figures.mean,
        "p50": figures.p50,
        "p95": figures.p95,
        "max": figures.maximum,
    }


def statement(one: Statement) -> Shape:
    return {
        "engine": one.engine,
        "id": one.statement_id,
        "container": one.container or None,
        "plan": one.plan or None,
        "text": one.text,
        "module": one.module or None,
        "executions": one.executions,
        "elapsed_s": one.elapsed_s,
        "cpu_s": one.cpu_s,
        "block_gets": one.block_gets,
        "block_reads": one.block_reads,
        "rows": one.rows,
    }
