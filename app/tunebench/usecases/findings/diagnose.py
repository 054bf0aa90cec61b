"""All rules of all packs over a run: findings with evidence, what could not be judged, and the USE table."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import field, replace

from tunebench.core.errors import UserError
from tunebench.core.progress import Progress, SilentProgress
from tunebench.core.records import record
from tunebench.diagnosis.cycle.evidence import EvidenceFinder
from tunebench.diagnosis.drop_off import Falling, drop_offs, falling_things
from tunebench.diagnosis.judging import Judged, is_of_database, judge_host, judged_rules, not_judged, on_nothing
from tunebench.diagnosis.ranking import Concerning, Load, loads, rank, waiting_sessions
from tunebench.diagnosis.shift import compare_rankings, data_checks
from tunebench.diagnosis.signals.resolving import HostSignals
from tunebench.diagnosis.signals.vocabulary import vocabulary
from tunebench.diagnosis.use_table import use_table, with_findings
from tunebench.diagnosis.weighing import by_cause
from tunebench.domain.engagement import Run
from tunebench.domain.finding import DataCheck, DropOff, Finding, NotJudged, Ranking, Shift, UseRow
from tunebench.domain.windows import Window
from tunebench.sdk.rules import Rule
from tunebench.sdk.toml_tables import QUARANTINE, Problem
from tunebench.store import runs
from tunebench.store.project import Project
from tunebench.usecases import services
from tunebench.usecases.comparing.stretches import series_in
from tunebench.usecases.findings.databases import judge_databases
from tunebench.usecases.findings.hosts import evidence_finder, measured_hosts


@record
class Diagnosis:
    """What the rules say of a window.

    Attributes:
        findings: worst first, each cause followed by its symptoms; of severity ok where the guide itself calls
            something fine.
        passed: rules that were judged and did not hold, one per thing.
        not_judged: rules that lack something, with the probes that would capture it; `not_applicable` are those that
            do not concern these systems.
        rules: the rules by id, with their texts and sources.
        left_out: what is wrong with files of rules that could not be used: they judged nothing.
        loads: what the ranking is of.
    """

    run: Run
    window: Window
    findings: tuple[Finding, ...]
    passed: tuple[Finding, ...]
    not_judged: tuple[NotJudged, ...]
    use_table: tuple[UseRow, ...]
    ranking: Ranking
    checks: tuple[DataCheck, ...] = ()
    drop_offs: tuple[DropOff, ...] = ()
    not_applicable: tuple[NotJudged, ...] = ()
    rules: Mapping[str, Rule] = field(default_factory=dict)
    left_out: tuple[Problem, ...] = ()
    loads: tuple[Load, ...] = ()

    def symptoms_of(self, cause: Finding) -> list[Finding]:
        return [finding for finding in self.findings if finding.explained_by == cause.key]

    def cause_of(self, symptom: Finding) -> Finding | None:
        return next((finding for finding in self.findings if finding.key == symptom.explained_by), None)


def diagnose(project: Project, window: Window, progress: Progress | None = None) -> Diagnosis:
    """Judges a run, or a stretch of it.

    Raises:
        UserError: run_missing.
    """
    plugins = services.current().plugins
    diagnosis = judge(project, window, plugins.rules(), progress)
    problems = tuple(problem for problem in plugins.rule_problems() if problem.level == QUARANTINE)
    return replace(diagnosis, left_out=problems)


def judge(project: Project, window: Window, rules: Sequence[Rule], progress: Progress | None = None) -> Diagnosis:
    """Judges as `diagnose` does, by the rules that are given."""
    run, by_id = _run(project, window), {rule.id: rule for rule in rules}
    total = Judged()
    rows: list[UseRow] = []
    checks: list[DataCheck] = []
    measured: list[Load] = []
    falling: list[Falling] = []
    evidence = evidence_finder(project)
    hosts = 0
    for signals, judged in _judged_hosts(project, window, rules, evidence, progress):
        hosts += 1
        total.add(judged)
        rows += use_table(signals, evidence.of_stream)
        checks += data_checks(signals)
        measured += loads(signals, evidence.of_stream, _signs(judged.findings, by_id))
        falling += falling_things(signals)
    of_databases = _judged_databases(project, window, rules)
    measured += waiting_sessions(_concerning(of_databases.findings, by_id))
    total.add(of_databases)
    if not hosts:
        total.unjudged += on_nothing(_of_hosts(rules), vocabulary())
    findings = by_cause(sorted(total.findings, key=_rank), by_id)
    lacking, other = not_judged(total.unjudged)
    return Diagnosis(
        run,
        window,
        tuple(findings),
        tuple(total.passed),
        tuple(lacking),
        with_findings(rows, _concerning(findings, by_id)),
        rank(measured),
        tuple(checks),
        tuple(drop_offs(falling)),
        tuple(other),
        by_id,
        loads=tuple(measured),
    )


def _judged_hosts(
    project: Project,
    window: Window,
    rules: Sequence[Rule],
    evidence: EvidenceFinder,
    progress: Progress | None,
    *,
    figures_of_passed: bool = True,
) -> Iterator[tuple[HostSignals, Judged]]:
    progress = progress or SilentProgress()
    run, asked = _run(project, window), _of_hosts(rules)
    hosts = list(measured_hosts(project, window))
    for index, measured in enumerate(hosts):
        progress.raise_if_cancelled()
        progress.report(index, len(hosts), "progress.diagnosing", host=measured.host.name)
        signals, version = measured.signals, measured.host.os_version
        yield signals, judge_host(signals, asked, run, version, evidence, figures_of_passed=figures_of_passed)


def _of_hosts(rules: Sequence[Rule]) -> list[Rule]:
    return [rule for rule in judged_rules(rules) if not is_of_database(rule)]


def _judged_databases(project: Project, window: Window, rules: Sequence[Rule]) -> Judged:
    asked = [rule for rule in judged_rules(rules) if is_of_database(rule)]
    return judge_databases(project, _run(project, window), window, asked)


def _concerning(findings: Iterable[Finding], by_id: Mapping[str, Rule]) -> list[Concerning]:
    return [(finding, by_id[finding.rule].resource, by_id[finding.rule].aspect) for finding in findings]


def _signs(findings: Iterable[Finding], by_id: Mapping[str, Rule]) -> list[Concerning]:
    """The findings of one host that show a shortage: a symptom whose cause is another resource's is no sign that its
    own is short."""
    ordered = by_cause(sorted(findings, key=_rank), by_id)
    resource = {finding.key: by_id[finding.rule].resource for finding in ordered}
    own = (
        finding
        for finding in ordered
        if resource.get(finding.explained_by, resource[finding.key]) == resource[finding.key]
    )
    return _concerning(own, by_id)


def _run(project: Project, window: Window) -> Run:
    """The first run of the window; of one that names none the first that is measured in it."""
    run_id = next(iter(window.run_ids), None) or next((info.run_id for info in series_in(project, window)), 0)
    match = next((run for run in runs.list_runs(project) if run.id == run_id), None)
    if match is None:
        raise UserError("run_missing", run_id=run_id)
    return match


def _rank(finding: Finding) -> tuple[int, float, str, str, str]:
    return -finding.severity.rank, -(finding.share or 0.0), finding.rule, finding.host, finding.thing


# -- two sides -----------------------------------------------------------------------------------------


def shift(project: Project, before: Window, after: Window, progress: Progress | None = None) -> Shift:
    """The ranking of all measured resources on both sides, the shift, and the bound on the gain.

    No more is worked out of either side than its ranking rests on.
    """
    (first, checks), (second, more) = (_ranked(project, window, progress) for window in (before, after))
    return compare_rankings(first, second, (*checks, *more))


def _ranked(project: Project, window: Window, progress: Progress | None) -> tuple[list[Load], list[DataCheck]]:
    """What a ranking is of, and whether the figures are sound."""
    rules, evidence = services.current().plugins.rules(), evidence_finder(project)
    by_id = {rule.id: rule for rule in rules}
    measured: list[Load] = []
    checks: list[DataCheck] = []
    for signals, judged in _judged_hosts(project, window, rules, evidence, progress, figures_of_passed=False):
        measured += loads(signals, evidence.of_stream, _signs(judged.findings, by_id))
        checks += data_checks(signals)
    measured += waiting_sessions(_concerning(_judged_databases(project, window, rules).findings, by_id))
    return measured, checks


def shift_between(before: Diagnosis, after: Diagnosis) -> Shift:
    checks, ranked = (*before.checks, *after.checks), (before.ranking, after.ranking)
    return compare_rankings(before.loads, after.loads, checks, ranked)
