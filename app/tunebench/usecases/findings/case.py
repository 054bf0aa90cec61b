"""The findings of a success case: both runs judged by the rules, and where the bottleneck went."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from zoneinfo import ZoneInfo

from tunebench.core.messages import catalogue
from tunebench.domain.finding import Finding, FindingEvidence, NotJudged, Ranking, Severity, Shift, UseRow
from tunebench.reporting.cases.analysis import (
    CaseFinding,
    CaseResource,
    CaseScore,
    CaseShift,
    CaseUnjudged,
    CaseUse,
    CaseUseRow,
    RuleNote,
)
from tunebench.sdk.rules import Rule
from tunebench.usecases.findings import words
from tunebench.usecases.findings.diagnose import Diagnosis

FileKey = Callable[[int | None], str]
STRETCHES_SHOWN = 2
SCORES_SHOWN = 6


@dataclass(frozen=True, slots=True)
class Told:
    """What turns findings into words: the language, the zone, and the keys of the captures."""

    language: str
    zone: ZoneInfo
    file_key: FileKey

    def keys(self, evidence: Iterable[FindingEvidence]) -> tuple[str, ...]:
        ids = [id_ for each in evidence for id_ in each.artefact_ids]
        return tuple(dict.fromkeys(key for key in map(self.file_key, ids) if key))


Phased = Sequence[tuple[str, Diagnosis]]
"""(phase, diagnosis), before first."""


# -- findings --------------------------------------------------------------------------------------------


def findings(found: Phased, told: Told) -> tuple[CaseFinding, ...]:
    """The worst first, each cause with its symptoms; of equals, those before tuning first."""
    after = dict(found).get("after")
    groups = [
        [
            _finding(each, phase, diagnosis, after if phase == "before" else None, told)
            for each in (cause, *diagnosis.symptoms_of(cause))
        ]
        for phase, diagnosis in found
        for cause in diagnosis.findings
        if not cause.explained_by
    ]
    groups.sort(key=lambda rows: -max(row.found.severity.rank for row in rows))
    return tuple(row for rows in groups for row in rows)


def _finding(finding: Finding, phase: str, diagnosis: Diagnosis, after: Diagnosis | None, told: Told) -> CaseFinding:
    language = told.language
    titles = words.RuleWords(diagnosis.rules, language)
    related = words.related_text(diagnosis.cause_of(finding), diagnosis.symptoms_of(finding), titles)
    return CaseFinding(
        found=finding,
        phase=phase,
        severity_words=words.severity_text(finding.severity, language),
        title=words.below_its_cause(finding, titles.title(finding.rule)),
        thing=words.thing_text(finding, language),
        share_words=words.share_text(finding, language),
        figures=words.figures_text(finding, language),
        stretches=_stretches(finding, told.zone),
        cautions=tuple(filter(None, (related, *(words.caution_text(each, language) for each in finding.cautions)))),
        evidence=told.keys(finding.evidence),
        later=_later(finding, after, language) if after is not None else "",
    )


def _stretches(finding: Finding, zone: ZoneInfo) -> tuple[str, ...]:
    """The longest ones, with the series that tell them."""

    def span(each: FindingEvidence) -> tuple[int, int]:
        return each.start_ns, each.end_ns

    together = [list(group) for _, group in groupby(sorted(finding.evidence, key=span), key=span)]
    together.sort(key=lambda group: group[0].start_ns - group[0].end_ns)
    return tuple(words.stretch_text(group, zone) for group in together[:STRETCHES_SHOWN])


def _later(finding: Finding, after: Diagnosis, language: str) -> str:
    """Whether the rule still held after tuning, of the same thing."""
    messages = catalogue(language)

    def same(other: Finding) -> bool:
        return other.rule == finding.rule and other.host == finding.host and other.attributes == finding.attributes

    again = next((each for each in after.findings if same(each)), None)
    if again is not None:
        share = "" if again.share is None else f" ({100 * again.share:.0f} %)"
        severity = words.severity_text(again.severity, language)
        return messages.text("report.finding.again", severity=severity, share=share)
    gone = any(same(each) for each in after.passed)
    return messages.text("report.finding.gone" if gone else "report.finding.unknown_after")


def rules(found: Phased, language: str) -> tuple[RuleNote, ...]:
    """The rules of all findings, in the order in which they are first named."""
    notes: dict[str, RuleNote] = {}
    for _, diagnosis in found:
        told = words.RuleWords(diagnosis.rules, language)
        for finding in diagnosis.findings:
            rule = diagnosis.rules.get(finding.rule)
            if finding.rule not in notes and rule is not None:
                notes[finding.rule] = RuleNote(
                    finding.rule,
                    told.title(finding.rule),
                    told.condition(finding.rule),
                    told.caveat(finding.rule),
                    "\n".join(filter(None, (told.advice(finding)[0], told.confirm(finding.rule)))),
                    _source(rule),
                    rule.quote,
                )
    return tuple(notes.values())


def _source(rule: Rule) -> str:
    meant = ", ".join(dict.fromkeys(rule.source_names.values()))
    return f"{rule.source} ({meant})" if meant else rule.source


def unjudged(found: Phased, language: str) -> tuple[CaseUnjudged, ...]:
    """Rules that concern these systems and lack something; alike on both sides, they are told once."""
    together: dict[tuple[str, str, str], tuple[str, list[str], list[str]]] = {}
    for phase, diagnosis in found:
        titles = words.RuleWords(diagnosis.rules, language)
        for one in diagnosis.not_judged:
            key = (one.rule, words.not_judged_text(one, language), words.missing_text(one, language))
            _, phases, hosts = together.setdefault(key, (titles.title(one.rule), [], []))
            phases.append(phase)
            hosts += _hosts(one, language)
    return tuple(
        CaseUnjudged(rule, title, tuple(phases), tuple(dict.fromkeys(hosts)), reason, missing)
        for (rule, reason, missing), (title, phases, hosts) in together.items()
    )


def _hosts(one: NotJudged, language: str) -> list[str]:
    return [words.host_text(host, language) for host in one.hosts if host]


# -- USE table -------------------------------------------------------------------------------------------


def use_rows(found: Phased, told: Told) -> tuple[CaseUseRow, ...]:
    """Every resource of either side once."""
    sides = {phase: {_thing(row): row for row in diagnosis.use_table} for phase, diagnosis in found}
    before, after = sides.get("before", sides.get("other")), sides.get("after")
    things = dict.fromkeys((*(before or {}), *(after or {})))
    rows = []
    for thing in things:
        one, other = (before or {}).get(thing), (after or {}).get(thing)
        named = one or other
        assert named is not None
        rows.append(
            CaseUseRow(
                words.host_text(named.host, told.language),
                _resource(named, told.language),
                _cells(one, told),
                _cells(other, told),
                named.resource,
            )
        )
    return tuple(rows)


def _thing(row: UseRow) -> tuple[str, str, str]:
    return row.host, row.resource, row.alias or row.name


def _resource(row: UseRow, language: str) -> str:
    name = f"{row.name} ({row.alias})" if row.alias and row.alias != row.name else row.name
    return f"{words.resource_text(row.resource, language)} {name}".strip()


def _cells(row: UseRow | None, told: Told) -> tuple[CaseUse, ...] | None:
    if row is None:
        return None
    return tuple(
        CaseUse(
            cell,
            words.cell_text(cell, told.language),
            words.unit_of(cell.signal),
            words.severity_text(cell.severity, told.language)
            if cell.severity is not None and cell.severity is not Severity.OK
            else "",
            told.keys(cell.evidence),
        )
        for cell in row.cells
    )


# -- bottleneck ------------------------------------------------------------------------------------------


def shift_case(found: Shift, diagnosed: Phased, told: Told) -> CaseShift | None:
    """None where neither side ranks anything."""
    if not found.before.scores and not found.after.scores:
        return None
    language = told.language
    drops = [one for _, diagnosis in diagnosed for one in diagnosis.drop_offs]
    drops.sort(key=lambda one: (not one.is_fitted, -one.fall))
    return CaseShift(
        sentence=words.shift_text(found, language),
        before=words.ranking_text(found.before, language),
        after=words.ranking_text(found.after, language),
        gain=words.gain_text(found, language),
        resources=_resources(found, told),
        drop_offs=tuple(dict.fromkeys(words.drop_off_text(one, language) for one in drops)),
        laws=tuple(_laws(found, language)),
    )


def _resources(found: Shift, told: Told) -> tuple[CaseResource, ...]:
    """The tightest of either side."""
    sides = (_places(found.before, told), _places(found.after, told))
    names = {name for side in sides for name, each in side.items() if each.score.score > 0}

    def tightest(name: str) -> tuple[int, str]:
        return min(side[name].place for side in sides if name in side), name

    return tuple(
        CaseResource(name, sides[0].get(name), sides[1].get(name))
        for name in sorted(names, key=tightest)[:SCORES_SHOWN]
    )


def _places(ranking: Ranking, told: Told) -> Mapping[str, CaseScore]:
    return {
        words.score_text(score, told.language): CaseScore(place, score, told.keys(score.evidence))
        for place, score in enumerate(ranking.scores, 1)
    }


def _laws(found: Shift, language: str) -> Iterable[str]:
    """Laws that the captured figures break, by how much: such figures are to be read with care."""
    for check in sorted(found.checks, key=lambda check: -check.deviation):
        if check.violated:
            yield catalogue(language).text(
                f"report.bottleneck.law.{check.law}",
                thing=f"{check.host} {check.name}".strip(),
                deviation=f"{100 * check.deviation:.0f}",
                n=check.n,
            )
