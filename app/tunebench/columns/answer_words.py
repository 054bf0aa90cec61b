"""The answer in words: the same sentences for the window, the command line and every document.

What came before and what came after stand between marks (`BEFORE`, `AFTER`, `END`), for a front that colours them;
`plain` takes the marks away.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from math import exp, inf, isinf, log

from tunebench.analysis.answering.answer import (
    Answer,
    CauseAnswer,
    Chip,
    DatabaseAnswer,
    Headline,
    KindAnswer,
    MeasuredIn,
    NextStep,
    PriceAnswer,
    Scope,
    TargetAnswer,
    WorseAnswer,
)
from tunebench.analysis.answering.groups import Group, Member
from tunebench.analysis.answering.ranking import change_of, tier
from tunebench.analysis.answering.resources import Family, Figure
from tunebench.analysis.comparing.comparison import ComparedSeries
from tunebench.analysis.comparing.improvement import Change
from tunebench.analysis.databases.explained import StepKind
from tunebench.analysis.inference.verdict import Interval, Verdict
from tunebench.columns import comparing_words
from tunebench.columns.column import Locale
from tunebench.columns.formats import RATIO, decimals_for, figure_text
from tunebench.columns.saying import Notes, said
from tunebench.columns.series_words import unit_text
from tunebench.domain.comparability import Check, CheckState, GateCheck
from tunebench.domain.cycle.records import Figure as MeasuredFigure
from tunebench.domain.cycle.records import Metric
from tunebench.domain.engagement import Direction

BEFORE, AFTER, END = "\ue000", "\ue001", "\ue002"
_MARKED = re.compile(f"([{BEFORE}{AFTER}])([^{END}]*){END}")
_TIMES = frozenset({"s", "ms", "us", "ns", "min", "h"})
_NEAR_ONE = 1.005
_NAMED_MEMBERS = 20
_LARGE = {"KiBy": (1024.0**2, "GiBy"), "MiBy": (1024.0, "GiBy"), "kBy": (1e6, "GBy"), "By": (1024.0**3, "GiBy")}
"""From a tenth of the larger unit on, memory is told in that."""
_UNITS = ((1.0, "s"), (1e-3, "ms"), (1e-6, "µs"))
_SHORT_STATEMENT = 60


@dataclass(frozen=True, slots=True)
class ChipText:
    """`tone`: ``ok``, ``watch``, ``critical`` or ``muted``, as in a table."""

    text: str
    tone: str


@dataclass(frozen=True, slots=True)
class WorseText:
    text: str
    judged: bool


@dataclass(frozen=True, slots=True)
class NextText:
    sentence: str
    command: str = ""
    action: str = ""


@dataclass(frozen=True, slots=True)
class AnswerText:
    """All that an answer says, in one language. Lists begin with what matters most.

    Attributes:
        further: what the headline leaves out: this iteration beside the engagement, the target that had been met.
        why: where the bottleneck was and is, and what else changed.
        notes: of every mark in the other texts.
    """

    question: str
    headline: str
    further: tuple[str, ...]
    chip: ChipText
    sure: str
    load: str
    bottleneck: str
    why: tuple[str, ...]
    many: tuple[str, ...]
    worse: tuple[WorseText, ...]
    worse_title: str
    price: tuple[str, ...]
    next: tuple[NextText, ...]
    counts: str
    windows: str
    notes: tuple[str, ...]


def plain(text: str) -> str:
    """Without the marks of colours."""
    return _MARKED.sub(r"\2", text)


def runs_of(text: str) -> list[tuple[str, str]]:
    """(text, ``before``, ``after`` or empty), in order."""
    runs, position = [], 0
    for match in _MARKED.finditer(text):
        runs.append((text[position : match.start()], ""))
        runs.append((match[2], "before" if match[1] == BEFORE else "after"))
        position = match.end()
    return [(run, role) for run, role in (*runs, (text[position:], "")) if run]


def answer_text(answer: Answer, locale: Locale) -> AnswerText:
    with Notes() as notes:
        words = _Words(answer, locale, notes)
        return words.text()


_CHIP_TONES = {
    Chip.PROVEN: "ok",
    Chip.RELATIVE: "ok",
    Chip.NO_CHANGE: "muted",
    Chip.NOT_COMPARABLE: "critical",
    Chip.NOT_ESTABLISHED: "critical",
}
"""Of all others amber: green is for verdicts alone."""


@dataclass(frozen=True, slots=True)
class _Words:
    answer: Answer
    locale: Locale
    notes: Notes

    def text(self) -> AnswerText:
        answer, locale = self.answer, self.locale
        certainty = answer.certainty
        tone = _CHIP_TONES.get(certainty.chip, "watch")
        further = tuple(self._further())
        price, worse = tuple(self._price()), tuple(self._worse())
        return AnswerText(
            question=self._question(),
            headline=self._headline(answer.headline),
            further=further,
            chip=ChipText(locale.text(f"answer.chip.{certainty.chip}"), tone),
            sure=self._sure(),
            load=comparing_words.load_text(answer.gate, locale.language, locale.zone),
            bottleneck=answer.bottleneck.get(locale.language, ""),
            why=tuple(self._why()),
            many=tuple(sentence for kind in answer.kinds if kind.changed for sentence in kind_texts(kind, locale)),
            worse=worse,
            worse_title=self._worse_title(),
            price=price or (locale.text("answer.price.none"),),
            next=tuple(self._next(step) for step in answer.next),
            counts=counts_text(answer, locale),
            windows=windows_text(answer, locale),
            notes=self.notes.lines(),
        )

    # -- the headline

    def _question(self) -> str:
        headline, (before, after) = self.answer.headline, self.answer.windows
        if isinstance(headline, TargetAnswer) and headline.goal is not None:
            key = "lower" if headline.metric.direction is Direction.LOWER else "higher"
            goal = _of_metric(headline.metric, headline.goal, self.locale)
            return self.locale.text(f"answer.question.target.{key}", name=headline.metric.name, goal=goal)
        return self.locale.text("answer.question.windows", before=before.name, after=after.name)

    def _headline(self, headline: Headline | None) -> str:
        if headline is None:
            return self.locale.text("answer.nothing")
        if isinstance(headline, TargetAnswer):
            return self._target(headline)
        if isinstance(headline, DatabaseAnswer):
            return database_text(headline, self.locale)
        if isinstance(headline, KindAnswer):
            return kind_text(headline, self.locale)
        return figure_sentence(headline, self.locale)

    def _target(self, target: TargetAnswer) -> str:
        """``Transaction response 363 ms → 0.43 ms, 839 times shorter. Target 1 ms: ...``."""
        before, after = _pair_of(target.metric, target.before, target.now, self.locale)
        change = self.locale.text(
            "answer.target",
            name=_metric_name(target, self.locale),
            before=_before(before),
            after=_after(after),
            change=_change_of_target(target, self.locale),
        )
        return change if target.goal is None else f"{change} {self._reached(target)}"

    def _reached(self, target: TargetAnswer) -> str:
        """``Target 1 ms: met``; what lies below the target without a verdict is not called so."""
        goal = _of_metric(target.metric, target.goal, self.locale)
        word = said(target.judgement, self.locale)
        if target.descriptive and target.goal is not None and target.now is not None and target.now.value is not None:
            side = "below" if target.now.value <= target.goal else "above"
            word = word.instead(self.locale.text(f"answer.target.{side}", goal=goal))
            return f"{self.notes.mark(word)}."
        return self.locale.text("answer.target.state", goal=goal, state=self.notes.mark(word))

    def _further(self) -> Iterator[str]:
        """The engagement beside the iteration, and what the reader would else not see."""
        headline = self.answer.headline
        for target in self.answer.targets:
            if target.scope is Scope.ENGAGEMENT:
                yield self._since_the_start(target)
        if isinstance(headline, TargetAnswer) and headline.met_before:
            yield self.locale.text("answer.met_before")
        for target in self.answer.targets:
            if target is not headline and target.scope is Scope.ITERATION:
                yield self._other_target(target)

    def _since_the_start(self, target: TargetAnswer) -> str:
        before, after = _pair_of(target.metric, target.before, target.now, self.locale)
        sentence = self.locale.text(
            "answer.since_start",
            name=_metric_name(target, self.locale),
            before=_before(before),
            after=_after(after),
            change=_change_of_target(target, self.locale),
        )
        return self._with_windows(sentence, target)

    def _other_target(self, target: TargetAnswer) -> str:
        """With its own windows where these are not the answer's."""
        return self._with_windows(self._target(target), target)

    def _with_windows(self, sentence: str, target: TargetAnswer) -> str:
        names = [own.name if own is not None else "" for own in target.windows]
        if [own.name for own in self.answer.windows] == names or not any(names):
            return sentence
        over = " → ".join(name or self.locale.missing for name in names)
        return self.locale.text("answer.of_windows", sentence=sentence, windows=over)

    # -- how sure, why, at what price

    def _sure(self) -> str:
        certainty, locale = self.answer.certainty, self.locale
        row = certainty.facts.get("row")
        if certainty.reason == "of_row" and isinstance(row, ComparedSeries):
            return comparing_words.reason_text(row, locale.language, locale.zone) or locale.text("answer.sure.unjudged")
        facts = {name: value for name, value in certainty.facts.items() if name != "row"}
        if certainty.reason == "relative":
            change, low, high = (facts[name] for name in ("change", "low", "high"))
            assert isinstance(change, float) and isinstance(low, float) and isinstance(high, float)
            key = "lower" if change < 0 else "higher"
            ends = sorted(abs(_per_cent(end)) for end in (low, high))
            shown = {"change": f"{abs(_per_cent(change)):.0f}", "low": f"{ends[0]:.0f}", "high": f"{ends[1]:.0f}"}
            return locale.text(f"answer.sure.relative.{key}", **shown)
        if "sd_pct" in facts:
            facts["sd_pct"] = f"{facts['sd_pct']:.1f}"
        sentence = locale.text(f"answer.sure.{certainty.reason}", **facts)
        if isinstance(row, ComparedSeries) and row.verdict is Verdict.INCONCLUSIVE:
            return " ".join(filter(None, (sentence, comparing_words.settling_text(row, locale.language))))
        return sentence

    def _why(self) -> Iterator[str]:
        """Causes in the databases, then what else is better by its verdict."""
        for database in self.answer.databases:
            if database is not self.answer.headline and database.sessions is not None:
                yield database_text(database, self.locale)
            yield from cause_texts(database, self.locale)
        for figure in self.answer.tiles:
            if figure is not self.answer.headline and figure.lead.verdict is Verdict.IMPROVED:
                yield figure_sentence(figure, self.locale)

    def _price(self) -> Iterator[str]:
        for price in self.answer.price:
            yield self._price_text(price)

    def _price_text(self, price: PriceAnswer) -> str:
        locale = self.locale
        before, now = (_figure_of(price.metric, figure, locale) for figure in (price.before, price.now))
        state = self.notes.mark(said(price.judgement, locale))
        limit = (
            ""
            if price.limit is None
            else locale.text("answer.limit", limit=_of_metric(price.metric, price.limit, locale))
        )
        return locale.text("answer.price", name=price.metric.name, before=before, now=now, state=state, limit=limit)

    def _worse(self) -> Iterator[WorseText]:
        for worse in self.answer.worse:
            yield WorseText(worse_text(worse, self.locale), worse.judged)

    def _worse_title(self) -> str:
        judged = sum(worse.judged for worse in self.answer.worse)
        count = judged + self.answer.more_worse
        if not count:
            compared = any(tier(verdict) < 3 for verdict in self.answer.counts.verdicts)
            return self.locale.text("answer.worse.none" if compared else "answer.worse.unjudged")
        return self.locale.text("answer.worse", count=count)

    def _next(self, step: NextStep) -> NextText:
        return NextText(next_sentence(step, self.locale), command_text(step), step.action)


# -- single sentences ----------------------------------------------------------------------------------


def figure_name(figure: Figure, locale: Locale) -> str:
    """``CPU of db01``, ``Response of disk sda, db01``."""
    resource = figure.resource
    key = f"answer.subject.{resource.family}.{_measure(figure)}"
    return locale.text(key, host=resource.host or locale.missing, name=resource.name)


def _measure(figure: Figure) -> str:
    """Which figure of its resource leads: the end of its metric."""
    metric = figure.lead.metric
    if figure.resource.family is Family.CPU:
        return "queue" if metric.endswith("run_queue_length") else "busy"
    if figure.resource.family is Family.MEMORY:
        return "left" if figure.lead.direction is Direction.HIGHER else "used"
    last = metric.rpartition(".")[2]
    return _MEASURES.get(last, last)


_MEASURES = {
    "duration": "time",
    "transactions": "rate",
    "completed": "rate",
    "active_sessions": "sessions",
    "response_time": "response",
    "service_time": "response",
    "utilization": "used",
    "errors": "errors",
    "dropped": "errors",
    "retransmissions": "retransmissions",
    "io": "bytes",
}


def figure_values(figure: Figure, locale: Locale) -> tuple[str, str, str]:
    """(before, after, unit) with as many decimals on both sides."""
    values, decimals, unit = _printed(figure.lead)
    before, after = (locale.missing if value is None else f"{value:,.{decimals}f}" for value in values)
    return before, after, unit_text(unit, locale.messages)


def _printed(row: ComparedSeries) -> tuple[list[float | None], int, str]:
    """(means of either side, decimals, unit)."""
    sides = [side.mean if side is not None else None for side in (row.before_statistics, row.after_statistics)]
    values, unit = _scaled(sides, row.unit)
    return values, decimals_for(values), unit


def _scaled(values: Sequence[float | None], unit: str) -> tuple[list[float | None], str]:
    larger = _LARGE.get(unit)
    sizes = [abs(value) for value in values if value is not None]
    if larger is None or not sizes or max(sizes) < larger[0] / 10:
        return list(values), unit
    return [None if value is None else value / larger[0] for value in values], larger[1]


def figure_sentence(figure: Figure, locale: Locale) -> str:
    """``CPU of db01 50.0 → 32.9 %, 1.52 times lower [1.46, 1.58].``, or what may be said of it without a verdict."""
    before, after, unit = figure_values(figure, locale)
    change = change_text(figure, locale)
    key = "answer.figure" if tier(figure.lead.verdict) < 2 else "answer.figure.unproven"
    return locale.text(
        key,
        name=figure_name(figure, locale),
        before=_before(before),
        after=_after(f"{after} {unit}".strip()),
        change=change,
        verdict=comparing_words.verdict_text(figure.lead.verdict, locale.language),
    )


def change_text(figure: Figure, locale: Locale) -> str:
    """``1.52 times lower [1.46, 1.58]`` of the values as they are printed, or on what other basis; memory in per cent;
    an interval with a verdict alone."""
    row = figure.lead
    change, basis = change_of(row), _basis(row)
    if change is None:
        return locale.text("answer.change.none")
    if not basis:
        values, decimals, _ = _printed(row)
        change = _change_as_printed(values, decimals) or change
    ends = _ends(row.interval if tier(row.verdict) < 3 else None, row.direction)
    if figure.resource.family is Family.MEMORY:
        return _in_per_cent(change, ends, basis, locale)
    return _in_times(change, ends, row.unit, basis, locale)


def _change_as_printed(values: Sequence[float | None], decimals: int) -> float | None:
    """ln(after / before) of two rounded values, which a reader computes again; None where one rounds to nothing."""
    before, after = (None if value is None else round(value, decimals) for value in values)
    return log(after / before) if before and after and before * after > 0 else None


def _basis(row: ComparedSeries) -> str:
    if row.per_unit_of:
        return "per_unit"
    return "at_load" if row.curve is not None else ""


def _ends(interval: Interval | None, direction: Direction) -> tuple[float, float] | None:
    """Ends of ln(after / before), rising; the interval is turned so that more than 1 is better."""
    if interval is None or interval.low <= 0 or isinf(interval.high):
        return None
    low, high = log(interval.low), log(interval.high)
    return (-high, -low) if direction is Direction.LOWER else (low, high)


def _in_times(change: float, ends: tuple[float, float] | None, unit: str, basis: str, locale: Locale) -> str:
    """As often as the larger is of the smaller, always at least once."""
    times = exp(abs(change))
    if times < _NEAR_ONE and ends is None:
        return locale.text("answer.change.same")
    fell = change < 0
    words = locale.text(f"answer.change.{_adjective(unit, fell)}", times=times_text(times))
    shown = "" if ends is None else _bracketed([times_text(exp(end)) for end in _turned(ends, fell)])
    return " ".join(filter(None, (_of_basis(basis, locale), words, shown)))


def times_text(times: float) -> str:
    """From a hundred on whole ones."""
    return f"{times:,.0f}" if 100 <= times < inf else RATIO.written(times)


def _in_per_cent(change: float, ends: tuple[float, float] | None, basis: str, locale: Locale) -> str:
    fell = change < 0
    words = locale.text("answer.change.less" if fell else "answer.change.more", percent=f"{abs(_per_cent(change)):.0f}")
    turned = [] if ends is None else sorted((-_per_cent(end) if fell else _per_cent(end)) for end in ends)
    return " ".join(filter(None, (_of_basis(basis, locale), words, _bracketed([f"{end:.0f}" for end in turned]))))


def _turned(ends: tuple[float, float], fell: bool) -> tuple[float, float]:
    return (-ends[1], -ends[0]) if fell else ends


def _bracketed(ends: Sequence[str]) -> str:
    return f"[{', '.join(ends)}]" if ends else ""


def _of_basis(basis: str, locale: Locale) -> str:
    return locale.text(f"answer.basis.{basis}") if basis else ""


def _adjective(unit: str, fell: bool) -> str:
    if unit in _TIMES:
        return "shorter" if fell else "longer"
    return "lower" if fell else "higher"


def _per_cent(change: float) -> float:
    return 100 * (exp(change) - 1)


# -- many of a kind


def kind_text(kind: KindAnswer, locale: Locale) -> str:
    """``14 of 40 hosts: CPU 36 to 43 % lower; the other 26 not shown to have changed.``"""
    parts = [_group_text(kind, group, locale) for group in kind.changed]
    rest = sum(len(group.members) for group in kind.rest)
    if rest:
        unchanged = all(group.verdict is Verdict.EQUIVALENT for group in kind.rest)
        key = "answer.rest.unchanged" if unchanged else "answer.rest.unproven"
        parts.append(locale.text(key, count=rest, counter=locale.text(f"answer.counter.{kind.kind}")))
    if kind.parts.apart:
        parts.append(locale.text("answer.apart", names=", ".join(_apart_text(kind, own) for own in kind.parts.apart)))
    return "; ".join(parts) + "."


def kind_texts(kind: KindAnswer, locale: Locale) -> Iterator[str]:
    """The groups, and who belongs to those that changed."""
    yield kind_text(kind, locale)
    for group in kind.changed:
        yield locale.text("answer.members", names=names_text(kind, group.members, locale))


def names_text(kind: KindAnswer, members: Sequence[Member], locale: Locale, most: int = _NAMED_MEMBERS) -> str:
    """The names, the first of many."""
    names = sorted(member_name(kind, member) for member in members)
    if len(names) <= most:
        return ", ".join(names)
    return locale.text("answer.and_more", names=", ".join(names[:most]), count=len(names) - most)


def member_name(kind: KindAnswer, member: Member) -> str:
    resource = kind.of(member).resource
    several = len({figure.resource.host for figure in kind.figures}) > 1
    return " ".join(filter(None, (resource.host if several or not resource.name else "", resource.name)))


def _group_text(kind: KindAnswer, group: Group, locale: Locale) -> str:
    fell = group.change < 0
    ends = sorted(abs(_per_cent(end)) for end in (group.low, group.high))
    low, high = (f"{end:.0f}" for end in ends)
    facts = {
        "count": len(group.members),
        "of": kind.parts.count,
        "kind": locale.text(f"answer.kind.{kind.kind}", host=kind.host),
        "counter": locale.text(f"answer.counter.{kind.kind}"),
        "figure": locale.text(f"answer.kind_figure.{kind.family}.{_measure(kind.of(group.members[0]))}"),
        "range": low if low == high else locale.text("answer.range", low=low, high=high),
    }
    return locale.text(f"answer.group.{'lower' if fell else 'higher'}", **facts)


def _apart_text(kind: KindAnswer, member: Member) -> str:
    return f"{member_name(kind, member)} {_per_cent(member.change):+.0f} %"


# -- databases


def database_text(database: DatabaseAnswer, locale: Locale) -> str:
    """``ERPDB: sessions at work 1.45 → 0.96, at equal work 1.31 times less [1.28, 1.34].``"""
    sessions = database.sessions
    if sessions is None:
        return locale.text("answer.database.untold", name=database.label)
    decimals = decimals_for(sessions)
    before, after = (f"{value:,.{decimals}f}" for value in sessions)
    return locale.text(
        "answer.database",
        name=database.label,
        before=_before(before),
        after=_after(after),
        change=_change_of_database(database, locale),
    )


def _change_of_database(database: DatabaseAnswer, locale: Locale) -> str:
    totals = database.totals
    if totals is not None and totals.fisher is not None and not totals.reason:
        ends = _ends(totals.interval, Direction.LOWER)
        return _in_times(-log(totals.fisher), ends, "", "equal_work", locale)
    time = database.time
    if time is None:
        return locale.text("answer.change.none")
    ends = _ends(time.interval if tier(time.verdict) < 3 else None, Direction.LOWER)
    return _in_times(-log(time.ratio), ends, "", "per_unit" if time.per_unit_of else "", locale)


def cause_texts(database: DatabaseAnswer, locale: Locale) -> Iterator[str]:
    """Each statement that changed DB time, with its container, by how much and why; then the rest."""
    for cause in database.causes:
        yield cause_text(cause, locale)


def cause_text(cause: CauseAnswer, locale: Locale) -> str:
    detail = _detail(cause, locale)
    return locale.text("answer.cause", amount=f"{cause.amount:+.3f}", name=cause_name(cause), detail=detail)


def cause_name(cause: CauseAnswer) -> str:
    """The statement with its container, cut where it is long."""
    name = cause.name if len(cause.name) <= _SHORT_STATEMENT else f"{cause.name[: _SHORT_STATEMENT - 1]}…"
    return " · ".join(filter(None, (name, cause.container)))


def _detail(cause: CauseAnswer, locale: Locale) -> str:
    change = cause.statement.changes["elapsed_s"]
    if cause.kind is StepKind.BEHAVIOUR and change.before_each and change.after_each:
        before, after, unit = _durations(change.before_each, change.after_each)
        return locale.text("answer.cause.each", before=before, after=after, unit=unit)
    runs = (cause.statement.before_executions, cause.statement.after_executions)
    if cause.kind is StepKind.VOLUME and None not in runs:
        before, after = (f"{value:,.0f}" for value in runs if value is not None)
        return locale.text("answer.cause.runs", before=before, after=after)
    return locale.text(f"answer.cause.{cause.kind}")


def _durations(*seconds: float) -> tuple[str, str, str]:
    """(before, after, unit): in the unit in which the larger is at least 1."""
    factor, unit = next(((own, name) for own, name in _UNITS if max(seconds) >= own), _UNITS[-1])
    before, after = (figure_text(value / factor, 3) for value in seconds)
    return before, after, unit


# -- what got worse, what next


def worse_text(worse: WorseAnswer, locale: Locale) -> str:
    subject = worse.subject
    if isinstance(subject, CauseAnswer):
        return cause_text(subject, locale)
    if isinstance(subject, Group):
        assert worse.kind is not None
        names = names_text(worse.kind, subject.members, locale)
        return f"{_group_text(worse.kind, subject, locale)} ({names})"
    return figure_sentence(subject, locale).rstrip(".") if worse.judged else _number_only(subject, locale)


def _number_only(figure: Figure, locale: Locale) -> str:
    before, after, unit = figure_values(figure, locale)
    facts = {"name": figure_name(figure, locale), "change": change_text(figure, locale)}
    return locale.text("answer.number_only", before=_before(before), after=_after(f"{after} {unit}".strip()), **facts)


def next_sentence(step: NextStep, locale: Locale) -> str:
    if step.texts:
        return step.texts[locale.language]
    facts = dict(step.facts)
    check, worse = facts.get("check"), facts.get("worse")
    if step.key == "mend_check":
        assert isinstance(check, GateCheck)
        return comparing_words.check_text(check, locale.language, locale.zone)
    if isinstance(worse, WorseAnswer):
        facts = {"name": _worse_name(worse, locale)}
    if "change_pct" in facts:
        facts["change_pct"] = f"{facts['change_pct']:.0f}"
    return locale.text(f"answer.next.{step.key}", **facts)


def _worse_name(worse: WorseAnswer, locale: Locale) -> str:
    subject = worse.subject
    if isinstance(subject, CauseAnswer):
        return cause_name(subject)
    if isinstance(subject, Group):
        assert worse.kind is not None
        return names_text(worse.kind, subject.members, locale, most=3)
    return figure_name(subject, locale)


def command_text(step: NextStep) -> str:
    """``main.py diagnose PROJECT --run after``, quoted where a word has blanks; empty where no command does it."""
    if not step.command:
        return ""
    verb, *rest = step.command
    words = [f'"{word}"' if " " in word else word for word in rest]
    return " ".join(("main.py", verb, "PROJECT", *words))


def counts_text(answer: Answer, locale: Locale) -> str:
    """``7 resources: improved 2, regressed 2, inconclusive 3 · 70 series · 2 hosts``."""
    counts = answer.counts
    verdicts = ", ".join(
        f"{comparing_words.verdict_text(verdict, locale.language)} {count:,}"
        for verdict, count in counts.verdicts.items()
    )
    return locale.text(
        "answer.counts",
        resources=f"{counts.resources:,}",
        verdicts=verdicts or locale.missing,
        series=f"{counts.series:,}",
        hosts=f"{counts.hosts:,}",
    )


def windows_text(answer: Answer, locale: Locale) -> str:
    before, after = (measured_in_text(own, locale) for own in answer.windows)
    return locale.text("answer.windows", before=before, after=after)


def measured_in_text(own: MeasuredIn, locale: Locale) -> str:
    """``before, 2026-10-12 to 2026-10-16 (5)``."""
    if own.start_ns is None or own.end_ns is None:
        return own.name
    days = [datetime.fromtimestamp(time_ns // 1_000_000_000, locale.zone) for time_ns in (own.start_ns, own.end_ns)]
    if days[0].date() == days[1].date():
        span = f"{days[0]:%Y-%m-%d %H:%M}-{days[1]:%H:%M}"
    else:
        span = f"{days[0]:%Y-%m-%d} - {days[1]:%Y-%m-%d}"
    return locale.text("answer.window", name=own.name, span=span, count=own.occurrences)


def refused(answer: Answer) -> list[Check]:
    return [check.check for check in answer.gate if check.state is CheckState.REFUSE]


# -- figures of the cycle


def _metric_name(target: TargetAnswer, locale: Locale) -> str:
    statistic = "weighted_mean" if target.weighted else target.metric.statistic
    return locale.text("answer.metric", name=target.metric.name, statistic=locale.text(f"answer.statistic.{statistic}"))


def _pair_of(
    metric: Metric, before: MeasuredFigure | None, now: MeasuredFigure | None, locale: Locale
) -> tuple[str, str]:
    """``0.939``, ``0.433 ms``: the unit once, where both were measured."""
    first, second = (_figure_of(metric, figure, locale) for figure in (before, now))
    unit = unit_text(metric.unit, locale.messages)
    both = all(figure is not None and figure.value is not None for figure in (before, now))
    return (first.removesuffix(unit).rstrip() if both and unit else first), second


def _figure_of(metric: Metric, figure: MeasuredFigure | None, locale: Locale) -> str:
    if figure is None or figure.value is None:
        return locale.text("answer.not_measured")
    unit = unit_text(metric.unit, locale.messages)
    return f"{figure.bound} {figure.value:,.{_decimals(metric, figure.value)}f} {unit}".strip()


def _decimals(metric: Metric, value: float) -> int:
    """As many as the metric asks for, and more where these do not give three figures."""
    return 0 if value.is_integer() else min(max(metric.decimals, decimals_for([value])), 6)


def _of_metric(metric: Metric, value: float | None, locale: Locale) -> str:
    """A value that somebody set, as it was typed."""
    return locale.missing if value is None else f"{value:,.10g} {unit_text(metric.unit, locale.messages)}".strip()


def _change_of_target(target: TargetAnswer, locale: Locale) -> str:
    change = target.change
    if change.ratio is None or not change.ratio or target.before is None or target.now is None:
        return locale.text("answer.change.none")
    before, now = target.before.value, target.now.value
    if not before or not now or before * now < 0:
        return locale.text("answer.change.none")
    judged = change.change in (Change.IMPROVED, Change.REGRESSED) and not target.descriptive
    ends = None
    if judged and change.interval is not None and change.interval[0] > 0 and not isinf(change.interval[1]):
        ends = (log(change.interval[0]), log(change.interval[1]))
        ends = (-ends[1], -ends[0]) if now < before else ends
    printed = [round(value, _decimals(target.metric, value)) for value in (before, now)]
    return _in_times(
        log(printed[1] / printed[0]) if all(printed) else log(now / before), ends, target.metric.unit, "", locale
    )


def _before(text: str) -> str:
    return f"{BEFORE}{text}{END}"


def _after(text: str) -> str:
    return f"{AFTER}{text}{END}"
