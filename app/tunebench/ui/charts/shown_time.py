"""Which part of the engagement's time is drawn: the pair of windows, the fullest days, or all that was measured."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import StrEnum

from tunebench.analysis.exploring.time_range import TimeRange
from tunebench.analysis.exploring.time_scale import pieces_of
from tunebench.domain.translations import in_language
from tunebench.domain.windows import Stretch, Window
from tunebench.ui.charts.lines import ChartWindow, LeftOut
from tunebench.ui.comparing.window_book import SIDES
from tunebench.ui.look.language import language
from tunebench.ui.workspace import Workspace
from tunebench.usecases.exploring.opening import Opening
from tunebench.usecases.exploring.window_ranges import occurrence_ranges, whole_of


class Frame(StrEnum):
    """What lies outside of it is folded."""

    PAIR = "pair"
    DAYS = "days"
    MEASURED = "measured"
    EVEN = "even"


class ShownTime:
    """
    Attributes:
        opening: what the captures suggest; None while it is not read.
    """

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace
        self.opening: Opening | None = None
        self.frame = Frame.MEASURED

    def open(self, opening: Opening) -> TimeRange | None:
        """What is looked at first of a project; None for all of it."""
        self.opening = opening
        self.frame = Frame.PAIR if self.has(Frame.PAIR) else Frame.MEASURED
        if self.frame is Frame.MEASURED and sum(end - start for start, end in opening.measured) > 2 * sum(
            end - start for start, end in opening.days
        ):
            self.frame = Frame.DAYS
        return self.whole

    def pair(self) -> dict[str, Window]:
        """Side -> the window that is chosen, else the one that is suggested."""
        chosen = self._workspace.selection
        own: Mapping[str, Window | None] = {"before": chosen.before, "after": chosen.after}
        if not any(own.values()) and self.opening is not None:
            own = {"before": self.opening.before, "after": self.opening.after}
        return {side: window for side, window in own.items() if window is not None and self._ranges(window)}

    def has(self, frame: Frame) -> bool:
        """Whether there is anything that the frame could show."""
        if frame is Frame.PAIR:
            return len(self.pair()) == len(SIDES)
        return frame is not Frame.DAYS or bool(self.opening and self.opening.days)

    @property
    def is_suggested(self) -> bool:
        """Whether nobody chose the windows that are shown."""
        return self._workspace.selection.before is self._workspace.selection.after is None

    def ranges_of(self, side: str) -> list[TimeRange]:
        return self._ranges(self.pair()[side])

    def _ranges(self, window: Window) -> list[TimeRange]:
        return occurrence_ranges(window, self._workspace.runs)

    def _framed(self) -> list[TimeRange]:
        """The stretches of the frame; none where that is whatever was measured."""
        if self.frame is Frame.PAIR:
            return [span for window in self.pair().values() for span in self._ranges(window)]
        days = self.opening.days if self.opening is not None and self.frame is Frame.DAYS else ()
        return [TimeRange(start, max(end, start + 1)) for start, end in days]

    @property
    def whole(self) -> TimeRange | None:
        return whole_of(self._framed())

    @property
    def bounds(self) -> TimeRange:
        """How far one can go while the frame holds."""
        return self.whole or self._workspace.selection.extent or TimeRange(0, 1_000_000_000)

    def fits(self, view: TimeRange | None) -> bool:
        """Whether anything of the view is inside the frame, and nothing of it beyond."""
        whole = self.whole
        return whole is None or (view is not None and whole.covers(view) and bool(pieces_of(view, self._framed(), 0)))

    def pieces(self, view: TimeRange, interval_ns: int) -> list[TimeRange]:
        """What of the view is drawn; none for all of it.

        Args:
            interval_ns: the longest between two samples of what is shown.
        """
        if self.frame is Frame.EVEN or self.opening is None:
            return []
        measured = [TimeRange(start, max(end, start + 1)) for start, end in self.opening.measured]
        return pieces_of(view, self._framed() or measured, interval_ns)

    def sides(self, view: TimeRange) -> dict[str, tuple[Stretch, ...]] | None:
        """Side -> what of its window is in the view, without what is left out; None where no pair is in view."""
        stretches = {
            side: tuple(
                Stretch(*part.ends, holes=tuple(exclusion.span for exclusion in window.exclusions))
                for span in self._ranges(window)
                if (part := span.clipped(view))
            )
            for side, window in self.pair().items()
        }
        seen = {side: own for side, own in stretches.items() if own}
        return seen if self.frame is Frame.PAIR and seen else None

    def windows(self, dragged: Mapping[str, TimeRange]) -> list[ChartWindow]:
        """
        Args:
            dragged: side -> where its window is held just now.
        """
        return [
            ChartWindow(side, span, lane=int(side == "after"), movable=len(spans) == 1 and not self.is_suggested)
            for side, window in self.pair().items()
            for spans in ([dragged[side]] if side in dragged else self._ranges(window),)
            for span in spans
        ]

    def left_out(self) -> Sequence[LeftOut]:
        return [
            (TimeRange(exclusion.start_ns, exclusion.end_ns), in_language(exclusion, "reason", language().code))
            for window in self.pair().values()
            for exclusion in window.exclusions
        ]
