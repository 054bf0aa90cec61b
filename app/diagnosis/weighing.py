"""What the rules of one host say of each other.

Being busy is no trouble where it is known that nothing waits. And of findings of the same time some are the causes of
others: those come first, with their symptoms below them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from app.domain.assembly import overlap_of
from app.domain.finding import Caution, Finding, Severity
from app.sdk.rules import Rule


def weighed(findings: Sequence[Finding], passed: Iterable[Finding], rules: Mapping[str, Rule]) -> list[Finding]:
    """The findings of a host; those of mere use as worth a look, where what would wait was judged and does not."""
    said = {_judgement(each): each for each in (*passed, *findings)}

    def one(finding: Finding) -> Finding:
        asked = [said[key] for name in rules[finding.rule].waiting if (key := (name, *_judgement(finding)[1:])) in said]
        waits = any(each.severity.rank >= Severity.WARNING.rank for each in asked)
        if not asked or waits or finding.severity.rank <= Severity.WATCH.rank:
            return finding
        told = Caution("nothing_waits", {"rules": ", ".join(each.rule for each in asked)})
        return replace(finding, severity=Severity.WATCH, cautions=(*finding.cautions, told))

    return [one(each) for each in findings]


def _judgement(finding: Finding) -> tuple[str, str, str]:
    return finding.rule, finding.host, finding.thing


def by_cause(findings: Sequence[Finding], rules: Mapping[str, Rule]) -> list[Finding]:
    """Every cause followed by its symptoms; what is worst, be it a cause or a symptom of one, first.

    Args:
        findings: worst first.
    """
    causes: dict[str, Finding] = {}
    for symptom in findings:
        may = (each for each in findings if _explains(each, symptom, rules))
        cause = next((each for each in may if _root(each, causes).key != symptom.key), None)
        if cause is not None:
            causes[symptom.key] = cause
    groups: dict[str, list[Finding]] = {each.key: [each] for each in findings if each.key not in causes}
    for each in findings:
        if each.key in causes:
            root = _root(each, causes).key
            groups[root].append(replace(each, explained_by=root))
    worst = sorted(groups.values(), key=lambda group: -max(each.severity.rank for each in group))
    return [each for group in worst for each in group]


def _root(finding: Finding, causes: Mapping[str, Finding]) -> Finding:
    while finding.key in causes:
        finding = causes[finding.key]
    return finding


def _explains(cause: Finding, symptom: Finding, rules: Mapping[str, Rule]) -> bool:
    """Of the same host at the same time; of two devices none explains the other's."""
    apart = cause.attributes and symptom.attributes and cause.attributes != symptom.attributes
    graded = cause.severity.rank >= Severity.WARNING.rank and symptom.severity is not Severity.OK
    return (
        symptom.rule in rules[cause.rule].explains
        and cause.host == symptom.host
        and not apart
        and graded
        and _at_one_time(cause, symptom)
    )


def _at_one_time(one: Finding, other: Finding) -> bool:
    """What has no times is of the whole window."""
    spans, others = ([(each.start_ns, each.end_ns) for each in finding.evidence] for finding in (one, other))
    return not spans or not others or any(overlap_of(span, each) for span in spans for each in others)
