"""What the rules of one host say of each other: being busy is no trouble where it is known that nothing waits."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

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
