"""How sure a headline is, in one word with its reason: never surer than its verdict."""

from __future__ import annotations

from tunebench.analysis.answering.answer import Certainty, Chip, DatabaseAnswer, Headline, KindAnswer, TargetAnswer
from tunebench.analysis.answering.groups import Group
from tunebench.analysis.comparing.comparison import ComparedSeries
from tunebench.analysis.inference.occurrences import Source
from tunebench.analysis.inference.verdict import Verdict
from tunebench.domain.provenance import ASSUMED, DESCRIBED, Weight, bare_state

_OF_VERDICT = {
    Verdict.IMPROVED: Chip.PROVEN,
    Verdict.REGRESSED: Chip.PROVEN,
    Verdict.EQUIVALENT: Chip.NO_CHANGE,
    Verdict.INCONCLUSIVE: Chip.UNDECIDED,
    Verdict.NOT_COMPARABLE: Chip.NOT_COMPARABLE,
}
"""All others are only described."""
_OF_TARGET = {
    "met": Chip.PROVEN,
    "missed": Chip.PROVEN,
    "undecided": Chip.UNDECIDED,
    "not_comparable": Chip.NOT_COMPARABLE,
    "contradicted": Chip.NOT_ESTABLISHED,
}


def certainty_of(headline: Headline | None) -> Certainty:
    if headline is None:
        return Certainty(Chip.DESCRIPTIVE, "nothing_compared")
    if isinstance(headline, TargetAnswer):
        return _of_target(headline)
    if isinstance(headline, DatabaseAnswer):
        return _of_database(headline)
    if isinstance(headline, KindAnswer):
        return _of_group(headline.changed[0])
    return of_row(headline.lead)


def of_row(row: ComparedSeries) -> Certainty:
    """The variation behind a verdict, else the reason why there is none."""
    chip = _OF_VERDICT.get(row.verdict, Chip.DESCRIPTIVE)
    if row.occurrences is None or row.variation is None or chip in (Chip.DESCRIPTIVE, Chip.NOT_COMPARABLE):
        return Certainty(chip, "of_row", {"row": row})
    assumed = row.variation.source is Source.ASSUMED
    if chip is Chip.PROVEN and assumed:
        chip = Chip.ASSUMED
    before, after = row.occurrences
    facts = {"before": before, "after": after, "sd_pct": 100 * row.variation.sd}
    return Certainty(chip, "assumed" if assumed else "measured", {**facts, "row": row})


def _of_group(group: Group) -> Certainty:
    if group.relative is None:
        return Certainty(_OF_VERDICT.get(group.verdict, Chip.DESCRIPTIVE), "own_days", {"count": len(group.members)})
    difference, interval = group.relative
    facts = {"change": difference, "low": interval.low, "high": interval.high}
    return Certainty(Chip.RELATIVE, "relative", facts)


def _of_database(database: DatabaseAnswer) -> Certainty:
    chip = _OF_VERDICT.get(database.verdict, Chip.DESCRIPTIVE)
    change = database.totals.change if database.totals is not None else None
    change = change or (database.time.change if database.time is not None else None)
    if change is None or chip is Chip.DESCRIPTIVE:
        return Certainty(chip, "database_descriptive")
    assumed = change.source is Source.ASSUMED
    if chip is Chip.PROVEN and assumed:
        chip = Chip.ASSUMED
    facts = {"before": change.before, "after": change.after, "sd_pct": 100 * change.sd}
    return Certainty(chip, "assumed" if assumed else "measured", facts)


def _of_target(target: TargetAnswer) -> Certainty:
    state, interval = target.judgement.state, target.interval
    chip = _OF_TARGET.get(bare_state(state), Chip.DESCRIPTIVE)
    if chip is Chip.PROVEN:
        if target.judgement.weight is Weight.STATED:
            return Certainty(Chip.STATED, "typed")
        if target.descriptive or state.endswith(DESCRIBED):
            return Certainty(Chip.DESCRIPTIVE, "short_target" if interval is not None else "without_interval")
        if target.judgement.weight is Weight.FORBIDS:
            chip = Chip.NOT_ESTABLISHED
        elif state.endswith(ASSUMED):
            chip = Chip.ASSUMED
    if interval is None:
        return Certainty(chip, "without_interval")
    facts = {"after": interval.occurrences, "sd_pct": 100 * interval.sd, "before": interval.occurrences}
    return Certainty(chip, "assumed" if interval.source == Source.ASSUMED.value else "measured", facts)
