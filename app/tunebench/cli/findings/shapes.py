"""JSON shapes of findings, of the USE table and of the shift: part of the command line's public contract."""

from __future__ import annotations

from collections.abc import Iterator
from zoneinfo import ZoneInfo

from tunebench.cli.shapes import Shape, shape
from tunebench.domain.finding import Finding, FindingEvidence, NotJudged, Ranking, Shift, UseCell, UseRow
from tunebench.usecases.findings.diagnose import Diagnosis
from tunebench.usecases.findings.words import RuleWords

_CHECK = "law host resource name? deviation n violated"
_SCORE = (
    "host resource name? score utilisation knee servers servers_assumed=assumed upper_bound wait_share queue n signs"
)


def diagnosis_shape(found: Diagnosis, words: RuleWords, zone: ZoneInfo) -> Shape:
    return {
        "window": found.window.name or None,
        "run": found.run.label,
        "findings": [_finding(each, found, words, zone) for each in found.findings],
        "not_judged": [_not_judged(each, words) for each in found.not_judged],
        "use": [_use_row(row, zone) for row in found.use_table],
        "ranking": ranking_shape(found.ranking),
        "left_out": [each.text(words.language) for each in found.left_out],
        "drop_off": [
            shape(each, "host resource name? load throughput peak_load peak observed levels fall fitted=is_fitted")
            for each in found.drop_offs
        ],
        "checks": [shape(each, _CHECK) for each in found.checks],
    }


def _finding(one: Finding, found: Diagnosis, words: RuleWords, zone: ZoneInfo) -> Shape:
    action, tradeoff = words.advice(one)
    rule, confirm = words.rules[one.rule], words.confirm(one.rule)
    return {
        **shape(one, "rule severity host attributes share n facts"),
        "evidence": [made for each in one.evidence for made in _evidence(each, zone)],
        "title": words.title(one.rule),
        "action": action or None,
        "tradeoff": tradeoff or None,
        "caveat": words.caveat(one.rule) or None,
        "source": words.source(one.rule) or None,
        "cautions": [shape(each, "key facts") for each in one.cautions],
        "key": one.key,
        "symptoms": [each.key for each in found.symptoms_of(one)],
        "explained_by": one.explained_by or None,
        "explains": list(rule.explains),
        "confirm_with": {"what": confirm, "probes": list(rule.confirm_probes)} if confirm else None,
    }


def _evidence(one: FindingEvidence, zone: ZoneInfo) -> Iterator[Shape]:
    """One per capture that the stretch lies in."""
    for artefact in one.artefact_ids:
        names = "series=series_id from=start_ns to=end_ns figure=signal? worst=peak unit?"
        yield {"artefact": artefact, **shape(one, names, zone)}


def _not_judged(one: NotJudged, words: RuleWords) -> Shape:
    return {
        "rule": one.rule,
        "title": words.title(one.rule),
        **shape(one, "reason hosts"),
        "missing": [shape(each, "figure=signal probes") for each in one.missing],
    }


def _use_row(row: UseRow, zone: ZoneInfo) -> Shape:
    return {**shape(row, "host resource name?"), **{cell.aspect.value: _use_cell(cell, zone) for cell in row.cells}}


def _use_cell(cell: UseCell, zone: ZoneInfo) -> Shape:
    return {
        **shape(cell, "measured figure=signal?"),
        "statistic": cell.statistic if cell.measured else None,
        **shape(cell, "value unit? mean max=maximum n threshold share_above severity rules"),
        "evidence": [made for each in cell.evidence for made in _evidence(each, zone)],
        **shape(cell, "probes"),
    }


def ranking_shape(found: Ranking) -> Shape:
    return {
        "bottleneck": found.bottleneck.label if found.bottleneck else None,
        **shape(found, "reason? held slots"),
        "resources": [shape(each, _SCORE) for each in found.scores],
    }


def shift_shape(found: Shift) -> Shape:
    """`before` and `after` are the bottlenecks where they are clear."""
    before, after = found.before.bottleneck, found.after.bottleneck
    return {
        "before": before.label if before else None,
        "after": after.label if after else None,
        **shape(found, "shifted reason? confidence gain_bound"),
        "next_limit": found.next_limit.label if found.next_limit else None,
        "rankings": {"before": ranking_shape(found.before), "after": ranking_shape(found.after)},
        "checks": [shape(each, _CHECK) for each in found.checks],
    }
