"""The findings of a success case: both runs judged by the rules, and where the bottleneck went."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import groupby
from zoneinfo import ZoneInfo

from tunebench.core.messages import catalogue
from tunebench.core.records import record
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
from tunebench.usecases.findings import words
from tunebench.usecases.findings.diagnose import Diagnosis

FileKey = Callable[[int | None], str]
STRETCHES_SHOWN = 2
SCORES_SHOWN = 6


@record
class Wording:
    """What turns findings into words: the language, the zone, and the keys of the captures."""

    language: str
    zone: ZoneInfo
    file_key: FileKey

    def keys(self, evidence: Iterable[FindingEvidence]) -> tuple[str, ...]:
        ids = [id_ for source in evidence for id_ in source.artefact_ids]
        return tuple(dict.fromkeys(key for key in map(self.file_key, ids) if key))


Phased = Sequence[tuple[str, Diagnosis]]
"""(phase, diagnosis), before first."""


# -- findings --------------------------------------------------------------------------------------------


def findings(diagnoses: Phased, wording: Wording) -> tuple[CaseFinding, ...]:
    """The worst first, each cause with its symptoms; of equals, those before tuning first."""
    after = dict(diagnoses).get("after")
    groups = [
        [
            _finding(finding, phase, diagnosis, after if phase == "before" else None, wording)
            for finding in (cause, *diagnosis.symptoms_of(cause))
        ]
        for phase, diagnosis in diagnoses
        for cause in diagnosis.findings
        if not cause.explained_by
    ]
    groups.sort(key=lambda rows: -max(row.found.severity.rank for row in rows))
    return tuple(row for rows in groups for row in rows)


def _finding(
    finding: Finding, phase: str, diagnosis: Diagnosis, after: Diagnosis | None, wording: Wording
) -> CaseFinding:
    language = wording.language
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
        stretches=_stretches(finding, wording.zone),
        cautions=tuple(
            filter(None, (related, *(words.caution_text(caution, language) for caution in finding.cautions)))
        ),
        evidence=wording.keys(finding.evidence),
        later=_later(finding, after, language) if after is not None else "",
        queue=words.queue_text(finding.lock_queue, language),
    )


def _stretches(finding: Finding, zone: ZoneInfo) -> tuple[str, ...]:
    """The longest ones, with the series that tell them."""

    def span(evidence: FindingEvidence) -> tuple[int, int]:
        return evidence.start_ns, evidence.end_ns

    together = [list(group) for _, group in groupby(sorted(finding.evidence, key=span), key=span)]
    together.sort(key=lambda group: group[0].start_ns - group[0].end_ns)
    return tuple(words.stretch_text(group, zone) for group in together[:STRETCHES_SHOWN])


def _later(finding: Finding, after: Diagnosis, language: str) -> str:
    """Whether the rule still held after tuning, of the same thing."""
    messages = catalogue(language)

    def same(other: Finding) -> bool:
        return other.rule == finding.rule and other.host == finding.host and other.attributes == finding.attributes

    again = next((later for later in after.findings if same(later)), None)
    if again is not None:
        share = "" if again.share is None else f" ({100 * again.share:.0f} %)"
        severity = words.severity_text(again.severity, language)
        return messages.text("report.finding.again", severity=severity, share=share)
    gone = any(map(same, after.passed))
    return messages.text("report.finding.gone" if gone else "report.finding.unknown_after")


def rules(diagnoses: Phased, language: str) -> tuple[RuleNote, ...]:
    """The rules of all findings, in the order in which they are first named."""
    notes: dict[str, RuleNote] = {}
    for _, diagnosis in diagnoses:
        rule_words = words.RuleWords(diagnosis.rules, language)
        for finding in diagnosis.findings:
            rule = diagnosis.rules.get(finding.rule)
            if finding.rule not in notes and rule is not None:
                notes[finding.rule] = RuleNote(
                    finding.rule,
                    rule_words.title(finding.rule),
                    rule_words.condition(finding.rule),
                    rule_words.caveat(finding.rule),
                    "\n".join(filter(None, (rule_words.advice(finding)[0], rule_words.confirm(finding.rule)))),
                    rule_words.named_source(finding.rule),
                    rule.quote,
                    rule_words.quote_meaning(finding.rule),
                )
    return tuple(notes.values())


def unjudged(diagnoses: Phased, language: str) -> tuple[CaseUnjudged, ...]:
    """Rules that concern these systems and lack something; alike on both sides, they are named once."""
    together: dict[tuple[str, str, str], tuple[str, list[str], list[str]]] = {}
    for phase, diagnosis in diagnoses:
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


def use_rows(diagnoses: Phased, wording: Wording) -> tuple[CaseUseRow, ...]:
    """Every resource of either side once."""
    sides = {phase: {_thing(row): row for row in diagnosis.use_table} for phase, diagnosis in diagnoses}
    before, after = sides.get("before", sides.get("other")), sides.get("after")
    things = dict.fromkeys((*(before or {}), *(after or {})))
    rows = []
    for thing in things:
        one, other = (before or {}).get(thing), (after or {}).get(thing)
        named = one or other
        assert named is not None
        rows.append(
            CaseUseRow(
                words.host_text(named.host, wording.language),
                _resource(named, wording.language),
                _cells(one, wording),
                _cells(other, wording),
                named.resource,
            )
        )
    return tuple(rows)


def _thing(row: UseRow) -> tuple[str, str, str]:
    return row.host, row.resource, row.alias or row.name


def _resource(row: UseRow, language: str) -> str:
    name = f"{row.name} ({row.alias})" if row.alias and row.alias != row.name else row.name
    return f"{words.resource_text(row.resource, language)} {name}".strip()


def _cells(row: UseRow | None, wording: Wording) -> tuple[CaseUse, ...] | None:
    if row is None:
        return None
    return tuple(
        CaseUse(
            cell,
            words.cell_text(cell, wording.language),
            words.unit_of(cell.signal, wording.language),
            words.severity_text(cell.severity, wording.language)
            if cell.severity is not None and cell.severity is not Severity.OK
            else "",
            wording.keys(cell.evidence),
        )
        for cell in row.cells
    )


# -- bottleneck ------------------------------------------------------------------------------------------


def shift_case(shift: Shift, diagnosed: Phased, wording: Wording) -> CaseShift | None:
    """Where the bottleneck went; None where neither side ranks anything."""
    if not shift.before.scores and not shift.after.scores:
        return None
    language = wording.language
    drops = [one for _, diagnosis in diagnosed for one in diagnosis.drop_offs]
    drops.sort(key=lambda one: (not one.is_fitted, -one.fall))
    return CaseShift(
        sentence=words.shift_text(shift, language),
        before=words.ranking_text(shift.before, language),
        after=words.ranking_text(shift.after, language),
        gain=words.gain_text(shift, language),
        resources=_resources(shift, wording),
        drop_offs=tuple(dict.fromkeys(words.drop_off_text(one, language) for one in drops)),
        laws=tuple(_laws(shift, language)),
    )


def _resources(shift: Shift, wording: Wording) -> tuple[CaseResource, ...]:
    """The tightest of either side."""
    sides = (_places(shift.before, wording), _places(shift.after, wording))
    names = {name for side in sides for name, resource in side.items() if resource.score.score > 0}

    def tightest(name: str) -> tuple[int, str]:
        return min(side[name].place for side in sides if name in side), name

    return tuple(
        CaseResource(name, sides[0].get(name), sides[1].get(name))
        for name in sorted(names, key=tightest)[:SCORES_SHOWN]
    )


def _places(ranking: Ranking, wording: Wording) -> Mapping[str, CaseScore]:
    return {
        words.score_text(score, wording.language): CaseScore(rank, score, wording.keys(score.evidence))
        for rank, score in enumerate(ranking.scores, 1)
    }


def _laws(shift: Shift, language: str) -> Iterable[str]:
    """Laws that the captured figures break, by how much: such figures are to be read with care."""
    for check in sorted(shift.checks, key=lambda check: -check.deviation):
        if check.violated:
            yield catalogue(language).text(
                f"report.bottleneck.law.{check.law}",
                thing=f"{check.host} {check.name}".strip(),
                deviation=f"{100 * check.deviation:.0f}",
                n=check.n,
            )
