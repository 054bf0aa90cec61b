"""What an archive answers, in words for window and command line alike."""

from __future__ import annotations

from tunebench.archive.archive import Archive
from tunebench.archive.reading import Unreadable
from tunebench.columns import formats
from tunebench.core.messages import catalogue
from tunebench.usecases.archiving import facade
from tunebench.usecases.archiving.experience import Done, Effect, Similar
from tunebench.usecases.archiving.facade import Facet, Hit

NOTHING = "-"
_STATES = {"finding": "diagnosis.severity", "cause": "cycle.cause_state", "action": "cycle.action_state"}


def ratio_text(ratio: float | None) -> str:
    return NOTHING if ratio is None else f"{formats.ratio_text(ratio)}x"


def mean_text(effect: Effect) -> str:
    """The mean over engagements with its interval; nothing of fewer than two."""
    if effect.mean is None or effect.low is None or effect.high is None:
        return NOTHING
    mean, low, high = map(formats.ratio_text, (effect.mean, effect.low, effect.high))
    return f"{mean}x ({low}-{high})"


def side_text(effect: Effect, language: str) -> str:
    if not effect.metric:
        return NOTHING
    return catalogue(language).text("archive.price" if effect.price else "archive.gain")


def states_text(effect: Effect, language: str) -> str:
    words = catalogue(language)
    return ", ".join(f"{words.text(f'cycle.{state}')} {count}" for state, count in sorted(effect.states.items()))


def measured_text(effect: Effect, language: str) -> str:
    """``maxcontig · Response time (gain): median 1.30x, mean 1.28x (1.20-1.36); engagements 7, measured 7 ...``"""
    facts = {
        "change": effect.change,
        "metric": effect.metric or NOTHING,
        "side": side_text(effect, language),
        "median": ratio_text(effect.median),
        "mean": mean_text(effect),
    }
    counts = {"cases": effect.cases, "measured": effect.measured, "rolled_back": effect.rolled_back}
    return catalogue(language).text("archive.measured", **facts, **counts)


def unmeasured_text(effect: Effect, language: str) -> str:
    """Who carried the change out and measured nothing of this metric; empty where everybody did."""
    if not effect.unmeasured:
        return ""
    facts = {"change": effect.change, "metric": effect.metric or NOTHING, "titles": ", ".join(effect.unmeasured)}
    return catalogue(language).text("archive.unmeasured", **facts)


def shared_text(other: Similar, language: str) -> str:
    words = catalogue(language)
    return ", ".join(f"{words.text(f'archive.trait.{kind}')} {value}" for kind, value in other.shared)


def state_text(hit: Hit, language: str) -> str:
    return catalogue(language).text(f"{_STATES[hit.kind]}.{hit.state}")


def facet_text(facet: Facet, language: str) -> str:
    """``Finding: critical`` of a state; other values are names."""
    kind, dot, state = facet.value.partition(".")
    if facet.facet != "state" or not dot or kind not in _STATES:
        return facet.value
    words = catalogue(language)
    return f"{words.text(f'archive.kind.{kind}')}: {words.text(f'{_STATES[kind]}.{state}')}"


def done_text(done: Done, language: str) -> str:
    """``Larger cache: carried out; tps confirmed 2.10x``."""
    words = catalogue(language)
    figures = (
        " ".join([metric, words.text(f"cycle.{state}"), *([ratio_text(ratio)] if ratio is not None else [])])
        for metric, state, ratio in done.measured
    )
    return "; ".join([f"{done.title}: {words.text(f'cycle.action_state.{done.state}')}", *figures])


SKEW_S = 300
"""A clock that is off by more is told."""


def notices(archive: Archive, language: str) -> list[str]:
    """What is to be told once of opening an archive and writing to it."""
    words, texts = catalogue(language), []
    if archive.rewritten is not None:
        texts.append(words.text("archive.rewritten", engagements=archive.rewritten))
    if abs(archive.skew_s) > SKEW_S:
        texts.append(words.text("archive.clock_skew", minutes=round(archive.skew_s / 60)))
    return texts


def incomplete_texts(archive: Archive, language: str) -> list[str]:
    """What a repair leaves to be done: the engagements that are not whole; that all is, where all is."""
    words, titles = catalogue(language), facade.titles(archive)
    lost = archive.lost()
    if not lost:
        return [words.text("archive.whole", parts=archive.unreadable().of)]
    return [
        words.text("archive.incomplete", title=titles.get(id_, id_), engagement=id_, tables=", ".join(sorted(tables)))
        for id_, tables in lost.items()
    ]


def unreadable_texts(unreadable: Unreadable, language: str) -> list[str]:
    """What every answer says of what was left out of it; nothing where all could be read."""
    words = catalogue(language)
    texts = []
    if unreadable.parts:
        facts = {"parts": len(unreadable.parts), "of": unreadable.of, "engagements": len(unreadable.engagements)}
        texts.append(words.text("archive.unreadable", **facts))
    return texts + [words.text("archive.lost_commit", name=name) for name in unreadable.commits]
