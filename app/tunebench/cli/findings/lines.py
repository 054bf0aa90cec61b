"""Findings, the USE table and the shift for people."""

from __future__ import annotations

from zoneinfo import ZoneInfo

from tunebench.cli.console import Console
from tunebench.core.grouping import by_key
from tunebench.domain.finding import DataCheck, Finding, NotJudged, Severity, Shift, UseRow
from tunebench.usecases.findings import words
from tunebench.usecases.findings.diagnose import Diagnosis
from tunebench.usecases.findings.words import RuleWords

_MOST_EVIDENCE = 3
_MARKS = {Severity.CRITICAL: "[!!]", Severity.WARNING: "[!]", Severity.WATCH: "[?]", Severity.OK: "[ok]"}


def show_diagnosis(diagnosis: Diagnosis, rules: RuleWords, zone: ZoneInfo, console: Console) -> None:
    _left_out(diagnosis, console)
    if not diagnosis.findings:
        console.say("cli.diagnose.nothing")
    explained: set[tuple[str, bool]] = set()
    for finding in diagnosis.findings:
        if finding.explained_by:
            continue
        _finding(finding, rules, zone, console)
        _symptoms(diagnosis.symptoms_of(finding), rules, console)
        key = (finding.rule, finding.severity is Severity.OK)
        if key not in explained:  # of each rule once: many devices may be found by one
            _rule(finding, rules, console)
        explained.add(key)
        console.print()
    _ranking(diagnosis, console)
    _use_table(diagnosis.use_table, console)
    _not_judged(diagnosis.not_judged, rules, console)


def _left_out(diagnosis: Diagnosis, console: Console) -> None:
    """Says which packs could not be read: such a pack must not look like one that found nothing."""
    if not diagnosis.left_out:
        return
    console.say("cli.diagnose.left_out")
    for sentence in words.left_out_texts(diagnosis.left_out, console.language):
        console.print(f"  {sentence}")
    console.print()


def _finding(one: Finding, rules: RuleWords, zone: ZoneInfo, console: Console) -> None:
    language = console.language
    severity = words.severity_text(one.severity, language)
    console.print(f"{_MARKS[one.severity]} {severity}: {rules.title(one.rule)} ({one.rule})")
    console.print(f"    {words.thing_text(one, language)}: {words.figures_text(one, language)}")
    if one.lock_queue is not None:
        console.print(f"    {words.queue_text(one.lock_queue, language)}")
    console.print(f"    {words.share_text(one, language)}")
    for caution in one.cautions:
        console.print(f"    ! {words.caution_text(caution, language)}")
    for evidence in one.evidence[:_MOST_EVIDENCE]:
        console.print(f"    - {words.evidence_text(evidence, zone)}")
    if len(one.evidence) > _MOST_EVIDENCE:
        console.say("cli.diagnose.more_evidence", count=len(one.evidence) - _MOST_EVIDENCE)


def _symptoms(findings: list[Finding], rules: RuleWords, console: Console) -> None:
    """Prints symptoms in a line each: what is to be done is said of their cause."""
    if findings:
        console.say("cli.diagnose.symptoms")
    for one in findings:
        severity, figures = (
            words.severity_text(one.severity, console.language),
            words.figures_text(one, console.language),
        )
        console.print(f"      {_MARKS[one.severity]} {severity}: {words.finding_name(one, rules)}: {figures}")


def _rule(one: Finding, rules: RuleWords, console: Console) -> None:
    action, tradeoff = rules.advice(one)
    for key, text in (
        ("action", action),
        ("confirm", rules.confirm(one.rule)),
        ("tradeoff", tradeoff),
        ("caveat", rules.caveat(one.rule)),
        ("source", rules.source(one.rule)),
    ):
        if text:
            console.say(f"cli.diagnose.{key}", text=text)


def _ranking(diagnosis: Diagnosis, console: Console) -> None:
    console.print(words.ranking_text(diagnosis.ranking, console.language))
    for sentence in words.drop_off_texts(diagnosis.drop_offs, console.language):
        console.print(sentence)
    for sentence in words.broken_laws(diagnosis.checks, lambda check: _broken(check, console), console.language):
        console.print(sentence)
    console.print()


def _broken(check: DataCheck, console: Console) -> str:
    key, deviation = f"cli.diagnose.law_{check.law}", f"{check.deviation:.0%}"
    return console.text(key, host=check.host, name=check.name, deviation=deviation)


def _use_table(rows: tuple[UseRow, ...], console: Console) -> None:
    if not rows:
        return
    language = console.language
    cells = [
        [words.host_text(row.host, language), f"{words.resource_text(row.resource, language)} {row.name}".strip()]
        + [_marked(words.cell_text(cell, language), cell.severity) for cell in row.cells]
        for row in rows
    ]
    aspects = [words.aspect_text(cell.aspect, language) for cell in rows[0].cells]
    console.table([*console.headings("cli.column", "host resource"), *aspects], cells)
    console.print()


def _marked(text: str, severity: Severity | None) -> str:
    return text if severity in (None, Severity.OK) else f"{_MARKS[severity]} {text}"


def _not_judged(unjudged: tuple[NotJudged, ...], rules: RuleWords, console: Console) -> None:
    if not unjudged:
        return
    console.say("cli.diagnose.not_judged", count=len(unjudged))
    together = by_key((_lacking(one, console.language), f"{one.rule} {rules.title(one.rule)}") for one in unjudged)
    for lacking, names in together.items():
        console.print(f"  {', '.join(names)} - {': '.join(filter(None, lacking))}")


def _lacking(one: NotJudged, language: str) -> tuple[str, str]:
    missing = "" if one.reason == "no_database" else words.missing_text(one, language)
    return words.not_judged_text(one, language), missing


def show_shift(shift: Shift, console: Console) -> None:
    """Both bottlenecks, whether it moved, and the bound on the gain."""
    language = console.language
    console.print(words.shift_text(shift, language))
    gain = words.gain_text(shift, language)
    if gain:
        console.print(gain)
