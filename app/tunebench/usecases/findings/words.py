"""Findings in words: of the rules, the cautions, what is missing, the USE table, the ranking."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime
from typing import TypeVar
from zoneinfo import ZoneInfo

from tunebench.columns import series_words
from tunebench.columns.series_words import unit_text
from tunebench.columns.statement_names import named_with_id, statement_name
from tunebench.core.grouping import by_key
from tunebench.core.messages import Catalogue, catalogue
from tunebench.core.records import record
from tunebench.diagnosis.cycle.known_effects import text_in
from tunebench.diagnosis.signals.vocabulary import vocabulary
from tunebench.domain.engagement import UNNAMED_HOST
from tunebench.domain.finding import (
    Caution,
    DataCheck,
    DropOff,
    Fact,
    Finding,
    FindingEvidence,
    LockQueue,
    NotJudged,
    QueuedStatement,
    Ranking,
    ResourceScore,
    Severity,
    Shift,
    UseAspect,
    UseCell,
)
from tunebench.sdk.rule_names import units_of_single_values
from tunebench.sdk.rules import Rule, RuleKind, Texts
from tunebench.sdk.toml_tables import Problem
from tunebench.usecases import services

MOST_TELLING_GAIN = 10.0
"""Beyond it the next resource was nearly idle, and its demand is not known well enough to calculate with."""
T = TypeVar("T")
FIRST = 10
"""Sentences of one kind that are shown; the workbook has all of them."""
_SIGNS = ("queue", "latency")
_WORST = "_worst"
_TOLD_BY_QUEUE = frozenset({"row_lock_segment", "row_lock_statement"})


@record
class RuleWords:
    """The texts of rules in one language."""

    rules: Mapping[str, Rule]
    language: str

    def title(self, rule_id: str) -> str:
        return self._text(rule_id, "title") or rule_id

    def condition(self, rule_id: str) -> str:
        return self._text(rule_id, "condition")

    def action(self, rule_id: str) -> str:
        return self._text(rule_id, "action")

    def tradeoff(self, rule_id: str) -> str:
        return self._text(rule_id, "tradeoff")

    def caveat(self, rule_id: str) -> str:
        return self._text(rule_id, "caveat")

    def advice(self, finding: Finding) -> tuple[str, str]:
        """What to do and what it costs; nothing of what the guide itself calls fine, unless the rule is advice."""
        rule = self.rules.get(finding.rule)
        if finding.severity is Severity.OK and (rule is None or rule.kind is not RuleKind.ADVICE):
            return "", ""
        return self.action(finding.rule), self.tradeoff(finding.rule)

    def confirm(self, rule_id: str) -> str:
        return self._text(rule_id, "confirm")

    def quote(self, rule_id: str) -> str:
        rule = self.rules.get(rule_id)
        return rule.quote if rule else ""

    def source(self, rule_id: str) -> str:
        """Document and section, what its short name stands for, and what is quoted of it."""
        rule = self.rules.get(rule_id)
        if rule is None:
            return ""
        named = self.named_source(rule_id)
        if not rule.quote:
            return named
        meaning = self.quote_meaning(rule_id)
        return f"{named}: “{rule.quote}”" + (f" ({meaning})" if meaning else "")

    def named_source(self, rule_id: str) -> str:
        """Document and section, and what its short names stand for."""
        rule = self.rules.get(rule_id)
        names = rule.source_names.values() if rule else ()
        meant = ", ".join(dict.fromkeys(text_in(name, self.language) for name in names))
        source = self._text(rule_id, "source")
        return f"{source} ({meant})" if meant else source

    def quote_meaning(self, rule_id: str) -> str:
        """What a quote in another language says; empty in the quote's own."""
        rule = self.rules.get(rule_id)
        return rule.quote_meaning.get(self.language, "") if rule else ""

    def _text(self, rule_id: str, field: str) -> str:
        rule = self.rules.get(rule_id)
        texts: Texts | None = getattr(rule, field) if rule else None
        return text_in(texts, self.language)


def left_out_texts(problems: Sequence[Problem], language: str) -> list[str]:
    """The first fault of each file of rules that could not be used, and how many there are besides."""
    by_file = by_key((str(problem.facts.get("where", "")).partition(":")[0], problem) for problem in problems)
    texts = []
    for own in by_file.values():
        more = catalogue(language).text("diagnosis.more_faults", count=len(own) - 1) if len(own) > 1 else ""
        texts.append(f"{own[0].text(language)} {more}".strip())
    return texts


# -- findings ------------------------------------------------------------------------------------------


def severity_text(severity: Severity, language: str) -> str:
    return catalogue(language).text(f"diagnosis.severity.{severity.value}")


def thing_text(finding: Finding, language: str) -> str:
    """``svrdb1 ssd2``; a host alone is called by its name."""
    return f"{host_text(finding.host, language)} {_thing(finding, language)}".strip()


def _thing(finding: Finding, language: str) -> str:
    """``ssd2``; a database, and a statement in it, by what people call them."""
    names = dict(finding.attributes)
    if "database" not in names:
        return finding.thing
    names["database"] = finding.alias or names["database"]
    if "statement" in names:
        names["statement"] = statement_text(finding, names["statement"], language)
    return ", ".join(names.values())


def statement_text(finding: Finding, reference: str, language: str) -> str:
    """A statement that a finding names: what it is called, with its id."""
    id_, _, container = reference.partition("@")
    name = statement_name(finding.statements.get(reference, ""), catalogue(language), container)
    return named_with_id(name, id_) if name else reference


def host_text(host: str, language: str) -> str:
    return series_words.host_text(host or UNNAMED_HOST, catalogue(language), "diagnosis.no_host")


def finding_name(finding: Finding, rules: RuleWords) -> str:
    """``Run queue longer than the number of CPUs (X-CPU-02)``, with the device where it is of one."""
    return f"{rules.title(finding.rule)} ({finding.rule}) {_thing(finding, rules.language)}".strip()


def below_its_cause(finding: Finding, title: str) -> str:
    """A symptom is set in."""
    return f"└ {title}" if finding.explained_by else title


def related_text(cause: Finding | None, symptoms: Sequence[Finding], rules: RuleWords) -> str:
    """What explains the finding, or what it explains; empty where neither is there."""
    text = catalogue(rules.language).text
    if cause is not None:
        return text("diagnosis.symptom_of", cause=finding_name(cause, rules))
    return (
        text("diagnosis.cause_of", symptoms=", ".join(finding_name(symptom, rules) for symptom in symptoms))
        if symptoms
        else ""
    )


def share_text(finding: Finding, language: str) -> str:
    """In how many of the samples it held; of a value of the configuration or a total, that it is one."""
    messages = catalogue(language)
    if finding.share is None:
        return messages.text("diagnosis.share_of_total")
    return messages.text("diagnosis.share", held=finding.held, n=finding.n, share=f"{100 * finding.share:.0f}")


def figures_text(finding: Finding, language: str) -> str:
    """``svc_t 137.8 ms · pct_b 100 %``: medians where it held, the worst behind them where it differs."""
    messages, figures = catalogue(language), []
    for name, value in finding.facts.items():
        if name.endswith(_WORST) and name.removesuffix(_WORST) in finding.facts:
            continue
        if finding.lock_queue is not None and name in _TOLD_BY_QUEUE:
            continue
        worst = finding.facts.get(f"{name}{_WORST}")
        shown = value_text(value, unit_of(name, language))
        if name.endswith("_statement"):
            shown = statement_text(finding, str(value), language)
        text = f"{signal_name(name, language)} {shown}"
        if isinstance(worst, float) and isinstance(value, float) and worst != value:
            text += " " + messages.text("diagnosis.worst", worst=value_text(worst, unit_of(name, language)))
        figures.append(text)
    return " · ".join(figures)


def queue_text(queue: LockQueue | None, language: str, in_full: bool = True) -> str:
    """Which statement waits, whose lock it waits for, and on what; of each, where the captures do not tell it, that.

    Args:
        in_full: with how often it was seen, and where.
    """
    if queue is None:
        return ""
    messages = catalogue(language)
    waiting = _queued(queue.waiting, messages) or messages.text("diagnosis.queue.statement_untold")
    object_ = queue.object or messages.text("diagnosis.queue.object_untold")
    sentences = [messages.text("diagnosis.queue", waiting=waiting, object=object_, holder=_holder(queue, messages))]
    if queue.all_sightings and in_full:
        seen = {"seen": f"{queue.sightings:,}", "of": f"{queue.all_sightings:,}"}
        sentences.append(messages.text("diagnosis.queue.seen", **seen))
    if queue.lines and in_full:
        lines = ", ".join(f"{line:,}" for line in queue.lines)
        sentences.append(messages.text("diagnosis.queue.lines", lines=lines))
    return " ".join(sentences)


def _queued(statement: QueuedStatement, messages: Catalogue) -> str:
    name = statement_name(statement.text, messages, statement.container)
    return named_with_id(name, statement.id)


def _holder(queue: LockQueue, messages: Catalogue) -> str:
    """``session 6, idle in transaction, open for 32 s, last statement UPDATE accounts``."""
    if not queue.holder_state:
        return messages.text("diagnosis.queue.holder_untold")
    key = f"diagnosis.queue.state.{queue.holder_state.replace(' ', '_')}"
    parts = [
        messages.text("diagnosis.queue.session", session=queue.holder) if queue.holder else "",
        messages.text(key) if key in messages else queue.holder_state,
        "" if queue.held_s is None else messages.text("diagnosis.queue.open", seconds=f"{queue.held_s:.3g}"),
    ]
    holding, is_idle = _queued(queue.holding, messages), queue.holder_state.startswith("idle")
    if holding:
        parts.append(messages.text(f"diagnosis.queue.{'last' if is_idle else 'runs'}", statement=holding))
    return ", ".join(part for part in parts if part)


def evidence_text(evidence: FindingEvidence, zone: ZoneInfo) -> str:
    """``svrdb1 iostat svc_t ssd2, 2008-02-01 10:00:00 – 10:05:00``."""
    name = evidence.series_name.replace("|", " ").replace("device=", "")
    start, end = (_moment(at, zone) for at in (evidence.start_ns, evidence.end_ns))
    return f"{name}, {start}" if start == end else f"{name}, {start} – {end}"


def stretch_text(together: Sequence[FindingEvidence], zone: ZoneInfo) -> str:
    """``2008-02-01 10:00:00 – 10:05:00 · iostat svc_t, %b device=ssd2``: series of one stretch, the host left out."""
    start, end = (_moment(at, zone) for at in (together[0].start_ns, together[0].end_ns))
    day = start.partition(" ")[0]
    span = start if start == end else f"{start} – {end.removeprefix(day).strip()}"
    natives: dict[tuple[str, str], list[str]] = {}
    for evidence in together:
        _, tool, native, *things = (*evidence.series_name.split("|"), "", "")
        natives.setdefault((tool, " ".join(thing for thing in things if thing)), []).append(native)
    named = (f"{tool} {', '.join(dict.fromkeys(names))} {thing}".strip() for (tool, thing), names in natives.items())
    return " · ".join(part for part in (span, "; ".join(named)) if part)


def _moment(time_ns: int, zone: ZoneInfo) -> str:
    return f"{datetime.fromtimestamp(time_ns // 1_000_000_000, tz=zone):%Y-%m-%d %H:%M:%S}"


def caution_text(caution: Caution, language: str) -> str:
    facts = dict(caution.facts)
    if caution.key == "derived_default":
        facts["figure"] = signal_name(str(facts.get("figure", "")), language)
    if caution.key == "judged_without":
        names = str(facts.get("figures", "")).split(", ")
        facts["figures"] = ", ".join(signal_name(name, language) for name in names)
    if caution.key == "provisional":
        facts = {name.removesuffix("_s"): _span(seconds, language) for name, seconds in facts.items()}
    return catalogue(language).text(f"diagnosis.caution.{caution.key}", **facts)


def _span(seconds: Fact, language: str) -> str:
    """``75 s``, ``10 min``."""
    assert isinstance(seconds, (int, float))
    minutes = seconds >= 120
    return catalogue(language).text(
        "diagnosis.span.minutes" if minutes else "diagnosis.span.seconds",
        figure=f"{seconds / (60 if minutes else 1):.3g}",
    )


def not_judged_text(one: NotJudged, language: str) -> str:
    """Why a rule could not be judged."""
    return catalogue(language).text(f"diagnosis.not_judged.{one.reason}")


def missing_text(one: NotJudged, language: str) -> str:
    """The figures that nobody captured, those of the same probes together."""
    text = catalogue(language).text
    together = by_key((lacking.probes, signal_name(lacking.signal, language)) for lacking in one.missing)
    return "; ".join(
        text(
            "diagnosis.missing" if probes else "diagnosis.missing_no_probe",
            figures=", ".join(names),
            probes=", ".join(probes),
        )
        for probes, names in together.items()
    )


# -- figures -------------------------------------------------------------------------------------------


def signal_name(name: str, language: str) -> str:
    """``svc_t`` stays as it is; a name of the program's own is written in words."""
    messages, signal = catalogue(language), vocabulary().find(name)
    for candidate in (name, signal.name if signal else name):
        if f"signal.{candidate}" in messages:
            return messages.text(f"signal.{candidate}")
    return name


def unit_of(name: str, language: str) -> str:
    """The unit as people write it; a count of what the name says itself has none."""
    signal = vocabulary().find(name)
    unit = signal.unit if signal else units_of_single_values().get(name, "")
    return "" if unit.startswith("{") and unit.endswith("}") else unit_text(unit, catalogue(language))


def value_text(value: Fact, unit: str = "") -> str:
    if isinstance(value, bool) or value is None or isinstance(value, str):
        return str(value)
    number = f"{value:,.0f}" if 1000 <= abs(value) < 1e15 else f"{value:.4g}"
    return f"{number} {unit}".strip()


def probe_name(probe_id: str, language: str) -> str:
    """What its plug-in calls the probe."""
    probes = {probe.id: probe for probe in services.current().plugins.probes()}
    probe = probes.get(probe_id)
    return text_in(probe.name, language) if probe else probe_id


# -- USE table, ranking, shift -------------------------------------------------------------------------


def resource_text(resource: str, language: str) -> str:
    return catalogue(language).text(f"use.resource.{resource}")


def aspect_text(aspect: UseAspect, language: str) -> str:
    return catalogue(language).text(f"use.aspect.{aspect.value}")


def cell_text(cell: UseCell, language: str) -> str:
    """The figure, or that it was not measured and what would capture it."""
    messages = catalogue(language)
    if cell.value is not None:
        name, value = signal_name(cell.signal, language), value_text(cell.value, unit_of(cell.signal, language))
        sentence = messages.text("use.cell", figure=name, statistic=cell.statistic, value=value)
        return " · ".join((sentence, *cell.rules))
    if cell.probes:
        return messages.text("use.not_measured", probes=", ".join(cell.probes[:2]))
    return messages.text("use.not_measured_no_probe")


def score_text(score: ResourceScore, language: str) -> str:
    """``disk ssd2``, with the alias where the consultant gave one."""
    name = f"{score.name} ({score.alias})" if score.alias and score.alias != score.name else score.name
    return _named(score.resource, name, score.host, language)


def _named(resource: str, name: str, host: str, language: str) -> str:
    parts = (resource_text(resource, language), name, f"[{host_text(host, language)}]")
    return " ".join(part for part in parts if part)


def ranking_text(ranking: Ranking, language: str) -> str:
    """The bottleneck with its confidence, or why none can be named."""
    messages = catalogue(language)
    top = ranking.top
    if top is None:
        return messages.text("ranking.reason.nothing_measured")
    name, score = score_text(top, language), f"{top.score:.2f}"
    held = "-" if ranking.held is None else f"{100 * ranking.held:.0f}"
    signs = ", ".join(messages.text(f"ranking.sign.{one}") if one in _SIGNS else one for one in top.signs)
    key = f"ranking.reason.{ranking.reason}"
    if ranking.clear:
        key = "ranking.clear" if ranking.held is not None else f"ranking.by_itself.{top.resource}"
    sentence = messages.text(key, resource=name, score=score, held=held, signs=signs)
    return " ".join(part for part in (sentence, queue_text(top.lock_queue, language, in_full=False)) if part)


def drop_off_texts(drops: Sequence[DropOff], language: str) -> list[str]:
    """A sentence for each of the first, and how many more there are."""
    return _first(drops, lambda one: drop_off_text(one, language), language)


def broken_laws(checks: Iterable[DataCheck], sentence: Callable[[DataCheck], str], language: str) -> list[str]:
    """A sentence for each of the figures that break a law, the worst first, and how many more there are."""
    broken = sorted((check for check in checks if check.violated), key=lambda check: -check.deviation)
    return _first(broken, sentence, language)


def _first(things: Sequence[T], sentence: Callable[[T], str], language: str) -> list[str]:
    further = len(things) - FIRST
    more = [catalogue(language).text("ranking.more", count=f"{further:,}")] if further > 0 else []
    return [*(sentence(one) for one in things[:FIRST]), *more]


def drop_off_text(one: DropOff, language: str) -> str:
    return catalogue(language).text(
        "ranking.drop_off" if one.is_fitted else "ranking.fall",
        resource=_named(one.resource, one.name, one.host, language),
        load=signal_name(one.load, language),
        peak_load=f"{one.peak_load:.1f}",
        throughput=signal_name(one.throughput, language),
        peak=value_text(one.peak),
        levels=one.levels,
        fall=f"{100 * one.fall:.0f}",
        observed=f"{one.observed:.1f}",
    )


def shift_text(shift: Shift, language: str) -> str:
    """One sentence: moved, stayed, or why it cannot be said."""
    messages = catalogue(language)
    before, after = shift.before.top, shift.after.top
    if shift.shifted is None or before is None or after is None:
        side, _, _ = shift.reason.partition("_")
        if side in ("before", "after"):
            ranking = shift.before if side == "before" else shift.after
            return messages.text(f"shift.unclear_{side}", reason=ranking_text(ranking, language))
        return messages.text(f"shift.reason.{shift.reason}")
    confidence = "-" if shift.confidence is None else f"{100 * shift.confidence:.0f}"
    key = "shift.moved" if shift.shifted else "shift.stayed"
    return messages.text(
        key, before=score_text(before, language), after=score_text(after, language), confidence=confidence
    )


def gain_text(shift: Shift, language: str) -> str:
    """The bound on the gain, empty where none is known."""
    if shift.gain_bound is None or shift.next_limit is None or shift.before.top is None:
        return ""
    idle = shift.gain_bound > MOST_TELLING_GAIN
    return catalogue(language).text(
        "shift.gain_idle" if idle else "shift.gain",
        resource=score_text(shift.before.top, language),
        gain=f"{shift.gain_bound:,.3g}" if shift.gain_bound < 1000 else f"{float(f'{shift.gain_bound:.3g}'):,.0f}",
        following=score_text(shift.next_limit, language),
    )
