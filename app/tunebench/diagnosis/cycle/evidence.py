"""Where findings rest: stretches of series with the captures that hold them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from tunebench.diagnosis.rules.evaluation import Stretch
from tunebench.diagnosis.signals.resolving import Thing
from tunebench.diagnosis.signals.streams import Numbers, Stream
from tunebench.diagnosis.signals.vocabulary import Vocabulary
from tunebench.domain.engagement import Direction
from tunebench.domain.finding import FindingEvidence
from tunebench.domain.series import SeriesInfo
from tunebench.domain.series_names import name_of

Captures = Callable[[SeriesInfo, int, int], tuple[int, ...]]
"""(series, from, to) -> captures that hold samples there."""

_MOST_STRETCHES = 12
_MOST_SERIES = 8


class EvidenceFinder:
    """Turns stretches of figures into evidence."""

    def __init__(self, captures: Captures, words: Vocabulary) -> None:
        self._captures = captures
        self._words = words

    def of_stretches(
        self, stretches: Sequence[Stretch], streams: Mapping[str, Stream]
    ) -> tuple[tuple[FindingEvidence, ...], int]:
        """Evidence in the order of time, and how many stretches were left out: the longest are shown."""
        shown = sorted(stretches, key=lambda stretch: (-stretch.samples, stretch.start_ns))[:_MOST_STRETCHES]
        evidence = [
            piece
            for stretch in sorted(shown, key=lambda stretch: stretch.start_ns)
            for name, stream in _once_each(streams).items()
            for piece in self._of_span(name, stream, stretch.start_ns, stretch.end_ns)
        ]
        return tuple(evidence), len(stretches) - len(shown)

    def of_stream(self, stream: Stream, name: str, _thing: Thing) -> tuple[FindingEvidence, ...]:
        """Evidence of the whole of a figure."""
        if not len(stream):
            return ()
        return self._of_span(name, stream, int(stream.times_ns[0]), int(stream.times_ns[-1]))

    def _of_span(self, name: str, stream: Stream, start: int, end: int) -> tuple[FindingEvidence, ...]:
        """Of each column that the figure is made of."""
        signal = self._words.find(name)
        first, last = np.searchsorted(stream.times_ns, start), np.searchsorted(stream.times_ns, end, "right")
        values = stream.values[..., first:last]
        peak = telling(values, self._words.direction_of(name)) if values.size else np.nan
        return tuple(
            FindingEvidence(
                info.id,
                name_of(info),
                self._captures(info, start, end),
                start,
                end,
                name,
                int(last - first),
                None if np.isnan(peak) else peak,
                signal.unit if signal else "",
            )
            for info in stream.series[:_MOST_SERIES]
        )


def telling(values: Numbers, direction: Direction) -> float:
    """The worst of the values: the least where higher is better, else the largest; NaN where there is none."""
    worst = np.fmin if direction is Direction.HIGHER else np.fmax
    return float(worst.reduce(values, axis=None))


def _once_each(streams: Mapping[str, Stream]) -> dict[str, Stream]:
    """Names of the same figure (``pct_b`` and ``util_pct``) once."""
    seen: dict[int, str] = {}
    for name, stream in streams.items():
        seen.setdefault(id(stream), name)
    return {name: streams[name] for name in seen.values()}
