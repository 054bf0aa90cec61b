"""The answer in words: the same sentences for the window, the command line and every document."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime

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
from tunebench.analysis.answering.groups import Group
from tunebench.analysis.answering.ranking import tier
from tunebench.analysis.comparing.comparison import ComparedSeries
from tunebench.analysis.inference.verdict import Verdict
from tunebench.columns import comparing_words
from tunebench.columns.answering.changes import per_cent
from tunebench.columns.answering.database_words import cause_text, cause_texts, database_text
from tunebench.columns.answering.kind_words import group_text, kind_text, kind_texts, names_text
from tunebench.columns.answering.marks import as_after, as_before
from tunebench.columns.answering.next_words import command_text, next_sentence
from tunebench.columns.answering.resource_words import figure_sentence, number_only_text
from tunebench.columns.answering.target_words import (
    figure_text_of,
    goal_text,
    metric_name,
    name_of,
    pair_texts,
    target_change_text,
)
from tunebench.columns.column import Locale
from tunebench.columns.saying import Notes, said
from tunebench.core.patterns import lazy_pattern
from tunebench.core.records import record
from tunebench.domain.cycle.records import Metric
from tunebench.domain.engagement import Direction
from tunebench.domain.provenance import Judgement

_CHIP_TONES = {
    Chip.PROVEN: "ok",
    Chip.RELATIVE: "ok",
    Chip.NO_CHANGE: "muted",
    Chip.NOT_COMPARABLE: "critical",
    Chip.NOT_ESTABLISHED: "critical",
}
"""Of all others amber: green is for verdicts alone."""
_CONTRADICTED = "contradicted"
_MARKS = lazy_pattern("[⁰¹²³⁴⁵⁶⁷⁸⁹]+")


@record
class ChipText:
    """`tone`: ``ok``, ``watch``, ``critical`` or ``muted``, as in a table."""

    text: str
    tone: str


@record
class WorseText:
    text: str
    judged: bool


@record
class NextText:
    sentence: str
    command: str = ""
    action: str = ""


@record
class AnswerText:
    """All that an answer says, in one language. Lists begin with what matters most.

    Attributes:
        further: what the headline leaves out: this iteration beside the engagement, the target that had been met.
        targets: each of the iteration's, with what became of it.
        why: where the bottleneck was and is, and what else changed.
        notes: of every mark in the other texts.
        disclosed: what stands wherever any of it does.
    """

    question: str
    headline: str
    further: tuple[str, ...]
    targets: tuple[str, ...]
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
    disclosed: tuple[str, ...] = ()


def notes_for(notes: Sequence[str], *sentences: str) -> list[str]:
    """Those of the notes whose marks stand in these sentences: what shows some of an answer owes no others."""
    numbers = set(_MARKS.findall("\n".join(sentences)))
    return [note for note in notes if note.split()[0] in numbers]


def answer_text(answer: Answer, locale: Locale) -> AnswerText:
    with Notes() as notes:
        words = _Words(answer, locale, notes)
        return words.text()


@record
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
            targets=tuple(
                self._with_windows(self._target(target), target)
                for target in answer.targets
                if target.scope is Scope.ITERATION
            ),
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
            disclosed=tuple(own.texts[locale.language] for own in answer.disclosures),
        )

    # -- the headline

    def _question(self) -> str:
        headline, (before, after) = self.answer.headline, self.answer.windows
        if isinstance(headline, TargetAnswer) and headline.goal is not None:
            key = "lower" if headline.metric.direction is Direction.LOWER else "higher"
            goal = goal_text(headline.metric, headline.goal, self.locale)
            return self.locale.text(
                f"answer.question.target.{key}", name=name_of(headline.metric, self.locale), goal=goal
            )
        return self.locale.text("answer.question.windows", before=before.name, after=after.name)

    def _headline(self, headline: Headline | None) -> str:
        if headline is None:
            return self.locale.text("answer.nothing")
        if isinstance(headline, TargetAnswer):
            return self._target(self._started or headline)
        if isinstance(headline, DatabaseAnswer):
            return database_text(headline, self.locale)
        if isinstance(headline, KindAnswer):
            return kind_text(headline, self.locale)
        return figure_sentence(headline, self.locale)

    def _target(self, target: TargetAnswer) -> str:
        """``Transaction response 363 ms → 0.43 ms, 839 times shorter. Target 1 ms: ...``."""
        if target.judgement.state == _CONTRADICTED:
            return self._contradicted(target.metric, target.judgement)
        before, after = pair_texts(target.metric, target.before, target.now, self.locale)
        change = self.locale.text(
            "answer.target",
            name=metric_name(target, self.locale),
            before=as_before(before),
            after=as_after(after),
            change=target_change_text(target, self.locale),
        )
        return change if target.goal is None else f"{change} {self._reached(target)}"

    def _contradicted(self, metric: Metric, judgement: Judgement) -> str:
        """Without a figure: none of them is to be printed."""
        state = self.notes.mark(said(judgement, self.locale))
        return self.locale.text("answer.contradicted", name=name_of(metric, self.locale), state=state)

    def _reached(self, target: TargetAnswer) -> str:
        """``Target 1 ms: met``."""
        goal = goal_text(target.metric, target.goal, self.locale)
        word = said(target.judgement, self.locale)
        sentence = self.locale.text("answer.target.state", goal=goal, state=self.notes.mark(word))
        return sentence if target.first is None else f"{sentence} {self._first(target.metric, *target.first)}"

    def _first(self, metric: Metric, goal: float, judgement: Judgement) -> str:
        """``First target 5 ms: missed``: an amended target is never told without the one that it had."""
        state = self.notes.mark(said(judgement, self.locale))
        return self.locale.text("answer.first_target", goal=goal_text(metric, goal, self.locale), state=state)

    @property
    def _started(self) -> TargetAnswer | None:
        """The headline's metric from the start of the engagement; None where it began with this iteration."""
        return next((target for target in self.answer.targets if target.scope is Scope.ENGAGEMENT), None)

    def _further(self) -> Iterator[str]:
        """What this change did by itself, and what the reader would else not see."""
        headline, started = self.answer.headline, self._started
        if started is not None:
            if isinstance(headline, TargetAnswer):
                yield self._span_of(headline, "this_change")
            else:
                yield self._span_of(started, "since_start")
        if isinstance(headline, TargetAnswer) and headline.met_before:
            yield self.locale.text("answer.met_before")

    def _span_of(self, target: TargetAnswer, key: str) -> str:
        """With its own windows where these are not the answer's."""
        before, after = pair_texts(target.metric, target.before, target.now, self.locale)
        change = target_change_text(target, self.locale)
        facts = {"before": as_before(before), "after": as_after(after), "change": change}
        return self._with_windows(self.locale.text(f"answer.{key}", **facts), target)

    def _with_windows(self, sentence: str, target: TargetAnswer) -> str:
        """Names the target's own windows where these are not the answer's."""
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
            ends = sorted(abs(per_cent(end)) for end in (low, high))
            shown = {"change": f"{abs(per_cent(change)):.0f}", "low": f"{ends[0]:.0f}", "high": f"{ends[1]:.0f}"}
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
        if price.judgement.state == _CONTRADICTED:
            return self._contradicted(price.metric, price.judgement)
        before, now = (figure_text_of(price.metric, figure, locale) for figure in (price.before, price.now))
        state = self.notes.mark(said(price.judgement, locale))
        limit = (
            ""
            if price.limit is None
            else locale.text("answer.limit", limit=goal_text(price.metric, price.limit, locale))
        )
        facts = {"before": before, "now": now, "state": state, "limit": limit}
        sentence = locale.text("answer.price", name=name_of(price.metric, locale), **facts)
        if price.iteration is None:
            return sentence
        return locale.text("answer.of_iteration", sentence=sentence, number=price.iteration)

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


def worse_text(worse: WorseAnswer, locale: Locale) -> str:
    subject = worse.subject
    if isinstance(subject, CauseAnswer):
        return cause_text(subject, locale)
    if isinstance(subject, Group):
        assert worse.kind is not None
        names = names_text(worse.kind, subject.members, locale)
        return f"{group_text(worse.kind, subject, locale)} ({names})"
    return figure_sentence(subject, locale).rstrip(".") if worse.judged else number_only_text(subject, locale)


def counts_text(answer: Answer, locale: Locale) -> str:
    """``7 resources: improved 2, regressed 2, inconclusive 3 · 70 series · 2 hosts``; where they are proven relative to
    each other, that these are the verdicts of each by itself."""
    counts = answer.counts
    verdicts = ", ".join(
        f"{comparing_words.verdict_text(verdict, locale.language)} {count:,}"
        for verdict, count in counts.verdicts.items()
    )
    return locale.text(
        "answer.counts_alone" if answer.certainty.chip is Chip.RELATIVE else "answer.counts",
        resources=f"{counts.resources:,}",
        verdicts=verdicts or locale.missing,
        series=f"{counts.series:,}",
        hosts=f"{counts.hosts:,}",
    )


def windows_text(answer: Answer, locale: Locale) -> str:
    """All windows whose figures stand without a mark: both, and the start of the engagement where it leads."""
    if not any(own.name for own in answer.windows):
        return locale.text("answer.windows.none")
    before, after = (measured_in_text(own, locale) for own in answer.windows)
    both = locale.text("answer.windows", before=before, after=after)
    started = next((own.windows[0] for own in answer.targets if own.scope is Scope.ENGAGEMENT), None)
    if started is None or not isinstance(answer.headline, TargetAnswer):
        return both
    return locale.text("answer.windows.start", start=measured_in_text(started, locale), windows=both)


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
