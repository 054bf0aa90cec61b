"""What the rules of one host say of each other.

Being busy is no trouble where it is known that nothing waits. And of findings of the same time some are the causes of
others: those come first, with their symptoms below them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from tunebench.domain.assembly import Span, overlap_of
from tunebench.domain.finding import Caution, Finding, Severity
from tunebench.sdk.rules import Rule


def weighed(findings: Sequence[Finding], passed: Iterable[Finding], rules: Mapping[str, Rule]) -> list[Finding]:
    """The findings of a host; those of mere use as worth a look, where what would wait was judged and does not."""
    judged = {_judgement(finding): finding for finding in (*passed, *findings)}

    def one(finding: Finding) -> Finding:
        asked = [
            judged[key] for name in rules[finding.rule].waiting if (key := (name, *_judgement(finding)[1:])) in judged
        ]
        waits = any(other.severity.rank >= Severity.WARNING.rank for other in asked)
        if not asked or waits or finding.severity.rank <= Severity.WATCH.rank:
            return finding
        caution = Caution("nothing_waits", {"rules": ", ".join(other.rule for other in asked)})
        return replace(finding, severity=Severity.WATCH, cautions=(*finding.cautions, caution))

    return [one(finding) for finding in findings]


def _judgement(finding: Finding) -> tuple[str, str, str]:
    return finding.rule, finding.host, finding.thing


def by_cause(findings: Sequence[Finding], rules: Mapping[str, Rule]) -> list[Finding]:
    """Every cause followed by its symptoms; what is worst, be it a cause or a symptom of one, first.

    Args:
        findings: worst first.
    """
    causes: dict[str, Finding] = {}
    for symptom in findings:
        may = (candidate for candidate in findings if _explains(candidate, symptom, rules))
        cause = next((candidate for candidate in may if _root(candidate, causes).key != symptom.key), None)
        if cause is not None:
            causes[symptom.key] = cause
    groups: dict[str, list[Finding]] = {finding.key: [finding] for finding in findings if finding.key not in causes}
    for finding in findings:
        if finding.key in causes:
            root = _root(finding, causes).key
            groups[root].append(replace(finding, explained_by=root))
    worst = sorted(groups.values(), key=lambda group: -max(finding.severity.rank for finding in group))
    return [finding for group in worst for finding in group]


def _root(finding: Finding, causes: Mapping[str, Finding]) -> Finding:
    while finding.key in causes:
        finding = causes[finding.key]
    return finding


def _explains(cause: Finding, symptom: Finding, rules: Mapping[str, Rule]) -> bool:
    """Whether one finding explains another: same host, same time, and not two different devices."""
    apart = cause.attributes and symptom.attributes and cause.attributes != symptom.attributes
    graded = cause.severity.rank >= Severity.WARNING.rank and symptom.severity is not Severity.OK
    return (
        symptom.rule in rules[cause.rule].explains
        and cause.host == symptom.host
        and not apart
        and graded
        and _at_its_time(cause, rules[cause.rule].window_s or 0.0, symptom)
    )


def _at_its_time(cause: Finding, window_s: float, symptom: Finding) -> bool:
    """Whether the cause was there for half of the symptom's time; a mean stands for the time before it as well.

    From the first to the last time that either held: where a load changes about a limit it does so many times.
    """
    own, other = _extent(cause), _extent(symptom)
    if own is None or other is None:  # of the whole window
        return True
    shared = overlap_of((own[0] - round(window_s * 1e9), own[1]), other)
    return shared is not None and shared[1] - shared[0] >= (other[1] - other[0]) / 2


def _extent(finding: Finding) -> Span | None:
    if not finding.evidence:
        return None
    return min(piece.start_ns for piece in finding.evidence), max(piece.end_ns for piece in finding.evidence)
