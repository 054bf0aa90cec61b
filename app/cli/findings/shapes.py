"""JSON shapes of findings, of the USE table and of the shift: part of the command line's public contract."""

from __future__ import annotations

from collections.abc import Iterator
from zoneinfo import ZoneInfo

from app.cli.shapes import Shape, time
from app.domain.finding import (
    Caution,
    DataCheck,
    DropOff,
    Finding,
    FindingEvidence,
    NotJudged,
    Ranking,
    ResourceScore,
    Shift,
    UseCell,
    UseRow,
)
from app.usecases.findings.diagnose import Diagnosis
from app.usecases.findings.words import RuleWords


def diagnosis_shape(found: Diagnosis, words: RuleWords, zone: ZoneInfo) -> Shape:
    return {
        "run": found.run.label,
        "findings": [_finding(each, words, zone) for each in found.findings],
        "not_judged": [_not_judged(each, words) for each in found.not_judged],
        "use": [_use_row(row, zone) for row in found.use_table],
        "ranking": ranking_shape(found.ranking),
        "left_out": [each.text(words.language) for each in found.left_out],
        "drop_off": [_drop_off(each) for each in found.drop_offs],
        "checks": [_check(each) for each in found.checks],
    }


def _drop_off(one: DropOff) -> Shape:
    return {
        "host": one.host,
        "resource": one.resource,
        "name": one.name or None,
        "load": one.load,
        "throughput": one.throughput,
        "peak_load": one.peak_load,
        "peak": one.peak,
        "observed": one.observed,
        "levels": one.levels,
    }


def _finding(one: Finding, words: RuleWords, zone: ZoneInfo) -> Shape:
    action, tradeoff = words.advice(one)
    return {
        "rule": one.rule,
        "severity": one.severity.value,
        "host": one.host,
        "attributes": dict(one.attributes),
        "share": one.share,
        "n": one.n,
        "facts": dict(one.facts),
        "evidence": [shape for each in one.evidence for shape in _evidence(each, zone)],
        "title": words.title(one.rule),
        "action": action or None,
        "tradeoff": tradeoff or None,
        "caveat": words.caveat(one.rule) or None,
        "source": words.source(one.rule) or None,
        "cautions": [_caution(each) for each in one.cautions],
        "key": one.key,
    }


def _evidence(one: FindingEvidence, zone: ZoneInfo) -> Iterator[Shape]:
    """One per capture that the stretch lies in."""
    for artefact in one.artefact_ids:
        yield {
            "artefact": artefact,
            "series": one.series_id,
            "from": time(one.start_ns, zone),
            "to": time(one.end_ns, zone),
            "figure": one.signal or None,
            "worst": one.peak,
            "unit": one.unit or None,
        }


def _caution(one: Caution) -> Shape:
    return {"key": one.key, "facts": dict(one.facts)}


def _not_judged(one: NotJudged, words: RuleWords) -> Shape:
    return {
        "rule": one.rule,
        "title": words.title(one.rule),
        "reason": one.reason,
        "hosts": list(one.hosts),
        "missing": [{"figure": each.signal, "probes": list(each.probes)} for each in one.missing],
    }


def _use_row(row: UseRow, zone: ZoneInfo) -> Shape:
    return {
        "host": row.host,
        "resource": row.resource,
        "name": row.name or None,
        **{cell.aspect.value: _use_cell(cell, zone) for cell in row.cells},
    }


def _use_cell(cell: UseCell, zone: ZoneInfo) -> Shape:
    return {
        "measured": cell.measured,
        "figure": cell.signal or None,
        "statistic": cell.statistic if cell.measured else None,
        "value": cell.value,
        "unit": cell.unit or None,
        "mean": cell.mean,
        "max": cell.maximum,
        "n": cell.n,
        "threshold": cell.threshold,
        "share_above": cell.share_above,
        "severity": cell.severity.value if cell.severity else None,
        "rules": list(cell.rules),
        "evidence": [shape for each in cell.evidence for shape in _evidence(each, zone)],
        "probes": list(cell.probes),
    }


def ranking_shape(found: Ranking) -> Shape:
    return {
        "bottleneck": found.bottleneck.label if found.bottleneck else None,
        "reason": found.reason or None,
        "held": found.held,
        "slots": found.slots,
        "resources": [_score(each) for each in found.scores],
    }


def _score(one: ResourceScore) -> Shape:
    return {
        "host": one.host,
        "resource": one.resource,
        "name": one.name or None,
        "score": one.score,
        "utilisation": one.utilisation,
        "knee": one.knee,
        "servers": one.servers,
        "servers_assumed": one.assumed,
        "upper_bound": one.upper_bound,
        "wait_share": one.wait_share,
        "queue": one.queue,
        "n": one.n,
        "signs": list(one.signs),
    }


def _check(one: DataCheck) -> Shape:
    return {
        "law": one.law,
        "host": one.host,
        "resource": one.resource,
        "name": one.name or None,
        "deviation": one.deviation,
        "n": one.n,
        "violated": one.violated,
    }


def shift_shape(found: Shift) -> Shape:
    """`before` and `after` are the bottlenecks where they are clear."""
    before, after = found.before.bottleneck, found.after.bottleneck
    return {
        "before": before.label if before else None,
        "after": after.label if after else None,
        "shifted": found.shifted,
        "reason": found.reason or None,
        "confidence": found.confidence,
        "gain_bound": found.gain_bound,
        "next_limit": found.next_limit.label if found.next_limit else None,
        "rankings": {"before": ranking_shape(found.before), "after": ranking_shape(found.after)},
        "checks": [_check(each) for each in found.checks],
    }
