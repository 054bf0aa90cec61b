"""JSON shapes of findings, of the USE table and of the shift: part of the command line's public contract."""

from __future__ import annotations

from collections.abc import Iterator
from zoneinfo import ZoneInfo

from tunebench.contract.shapes import Shape, shape
from tunebench.domain.finding import Finding, FindingEvidence, LockQueue, NotJudged, Ranking, Shift, UseCell, UseRow
from tunebench.usecases.findings.diagnose import Diagnosis
from tunebench.usecases.findings.words import RuleWords, queue_text

_CHECK = "law host resource name? deviation n violated"
_LOCK_QUEUE = (
    "object? session=holder? state=holder_state? open_s=held_s sightings all_sightings artefacts=artefact_ids lines"
)
_SCORE = (
    "host resource name? score utilisation knee servers servers_assumed=assumed upper_bound wait_share queue n signs"
)


def diagnosis_shape(diagnosis: Diagnosis, words: RuleWords, zone: ZoneInfo) -> Shape:
    return {
        "window": diagnosis.window.name or None,
        "run": diagnosis.run.label,
        "findings": [_finding(finding, diagnosis, words, zone) for finding in diagnosis.findings],
        "not_judged": [_not_judged(unjudged, words) for unjudged in diagnosis.not_judged],
        "use": [_use_row(row, zone) for row in diagnosis.use_table],
        "ranking": ranking_shape(diagnosis.ranking),
        "left_out": [omission.text(words.language) for omission in diagnosis.left_out],
        "drop_off": [
            shape(drop_off, "host resource name? load throughput peak_load peak observed levels fall fitted=is_fitted")
            for drop_off in diagnosis.drop_offs
        ],
        "checks": [shape(check, _CHECK) for check in diagnosis.checks],
    }


def _finding(one: Finding, diagnosis: Diagnosis, words: RuleWords, zone: ZoneInfo) -> Shape:
    action, tradeoff = words.advice(one)
    rule, confirm = words.rules[one.rule], words.confirm(one.rule)
    return {
        **shape(one, "rule severity host attributes share n facts"),
        "lock_queue": None if one.lock_queue is None else _lock_queue(one.lock_queue, words.language),
        "evidence": [part for evidence in one.evidence for part in _evidence(evidence, zone)],
        "title": words.title(one.rule),
        "action": action or None,
        "tradeoff": tradeoff or None,
        "caveat": words.caveat(one.rule) or None,
        "source": words.source(one.rule) or None,
        "cautions": [shape(caution, "key facts") for caution in one.cautions],
        "key": one.key,
        "symptoms": [symptom.key for symptom in diagnosis.symptoms_of(one)],
        "explained_by": one.explained_by or None,
        "explains": list(rule.explains),
        "confirm_with": {"what": confirm, "probes": list(rule.confirm_probes)} if confirm else None,
    }


def _lock_queue(one: LockQueue, language: str) -> Shape:
    """What is empty the captures do not tell."""
    statements = (("waiting", one.waiting), ("holding", one.holding))
    return {
        **{name: shape(statement, "id? text? container?") for name, statement in statements},
        **shape(one, _LOCK_QUEUE),
        "sentence": queue_text(one, language),
    }


def _evidence(one: FindingEvidence, zone: ZoneInfo) -> Iterator[Shape]:
    """An entry for each capture that the stretch lies in."""
    for artefact in one.artefact_ids:
        names = "series=series_id from=start_ns to=end_ns figure=signal? worst=peak unit?"
        yield {"artefact": artefact, **shape(one, names, zone)}


def _not_judged(one: NotJudged, words: RuleWords) -> Shape:
    return {
        "rule": one.rule,
        "title": words.title(one.rule),
        **shape(one, "reason hosts"),
        "missing": [shape(signal, "figure=signal probes") for signal in one.missing],
    }


def _use_row(row: UseRow, zone: ZoneInfo) -> Shape:
    return {**shape(row, "host resource name?"), **{cell.aspect.value: _use_cell(cell, zone) for cell in row.cells}}


def _use_cell(cell: UseCell, zone: ZoneInfo) -> Shape:
    return {
        **shape(cell, "measured figure=signal?"),
        "statistic": cell.statistic if cell.measured else None,
        **shape(cell, "value unit? mean max=maximum n threshold share_above severity rules"),
        "evidence": [part for evidence in cell.evidence for part in _evidence(evidence, zone)],
        **shape(cell, "probes"),
    }


def ranking_shape(ranking: Ranking) -> Shape:
    return {
        "bottleneck": ranking.bottleneck.label if ranking.bottleneck else None,
        **shape(ranking, "reason? held slots"),
        "resources": [shape(score, _SCORE) for score in ranking.scores],
    }


def shift_shape(shift: Shift) -> Shape:
    """`before` and `after` are the bottlenecks where they are clear."""
    before, after = shift.before.bottleneck, shift.after.bottleneck
    return {
        "before": before.label if before else None,
        "after": after.label if after else None,
        **shape(shift, "shifted reason? confidence gain_bound"),
        "next_limit": shift.next_limit.label if shift.next_limit else None,
        "rankings": {"before": ranking_shape(shift.before), "after": ranking_shape(shift.after)},
        "checks": [shape(check, _CHECK) for check in shift.checks],
    }
