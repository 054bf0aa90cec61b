"""What can be chosen in the search, and the verbs that take what follows: ``compare cpu db01``, ``pin sdb await``."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

from tunebench.analysis.exploring.time_range import TimeRange
from tunebench.core.messages import LANGUAGES, catalogue
from tunebench.core.records import record
from tunebench.domain.series import SeriesInfo
from tunebench.ui.comparing.window_book import WindowBook, free_name
from tunebench.ui.inspected import InspectedSeries
from tunebench.ui.links import SCHEME, follow
from tunebench.ui.look.formats import host_words
from tunebench.ui.look.language import text, window_locale
from tunebench.ui.workspace import Change, Workspace
from tunebench.usecases.cycle.pinning import of_window
from tunebench.usecases.searching import score, verb_of

GROUPS = ("recent", "command", "series", "thing")
VERBS = ("compare", "show", "pin", "window")
_MOST_OBJECTS = 5


@record
class PaletteEntry:
    """One thing that can be chosen.

    Attributes:
        aside: what will be done, or what it is.
        group: one of `GROUPS`, under whose heading it stands.
        titles: what it is called elsewhere, in either language.
    """

    words: str
    aside: str
    choose: Callable[[], object]
    haystack: str
    group: str = "thing"
    titles: tuple[str, ...] = ()

    @property
    def names(self) -> tuple[str, ...]:
        return self.words, *self.titles

    @property
    def name(self) -> tuple[str, str]:
        return self.words, self.aside


def series_entry(info: SeriesInfo, choose: Callable[[], object], verb: str = "") -> PaletteEntry:
    haystack = f"{info.label} {info.native} {info.metric} {info.host} {info.run} {info.tool}"
    aside = f"{info.run} · {host_words(info.host)} · {info.tool}"
    if not verb:
        return PaletteEntry(info.label, aside, choose, haystack, "series")
    words = f"{text(f'ui.palette.verb.{verb}')} {info.label}"
    return PaletteEntry(words, f"{aside}  {text(f'ui.palette.verb.{verb}.does')}", choose, "", "command")


def project_entry(path: Path, choose: Callable[[Path], object]) -> PaletteEntry:
    """A project opened lately."""
    return PaletteEntry(path.stem, text("ui.palette.recent"), partial(choose, path), str(path).lower())


def show_series(workspace: Workspace, info: SeriesInfo) -> None:
    workspace.selection.add_series(info.id)
    workspace.show_page("timeline")
    workspace.inspect(InspectedSeries(info))


def _follow(workspace: Workspace, link: str) -> None:
    if not follow(workspace, link):
        workspace.say(text("ui.palette.link.nowhere"), "warning")


def verb_entries(workspace: Workspace, series: Sequence[SeriesInfo], typed: str) -> list[PaletteEntry]:
    """What the verb that was typed may do with what follows, each saying what that is; a link leads where it says."""
    if typed.startswith(f"{SCHEME}:"):
        return [PaletteEntry(typed, text("ui.palette.link"), lambda: _follow(workspace, typed), "", "command")]
    spellings = {
        verb: [one for code in LANGUAGES for one in catalogue(code).text(f"ui.palette.verb.{verb}.said").split(", ")]
        for verb in VERBS
    }
    match = verb_of(typed, spellings) if workspace.project is not None else None
    if match is None:
        return []
    verb, objects = match
    if verb in ("show", "pin"):
        scored = [(score([info.label], series_entry(info, list).haystack, objects), info) for info in series]
        best = sorted((pair for pair in scored if pair[0] is not None), key=lambda pair: -(pair[0] or 0))
        act = show_series if verb == "show" else pin_series
        entries = [series_entry(info, partial(act, workspace, info), verb) for _, info in best[:_MOST_OBJECTS]]
    else:
        act_on = compare_words if verb == "compare" else keep_window
        does = text(f"ui.palette.verb.{verb}.does", words=objects)
        words = f"{text(f'ui.palette.verb.{verb}')} {objects}"
        entries = [PaletteEntry(words, does, partial(act_on, workspace, objects), "", "command")]
    return [replace(entry, haystack=f"{entry.words} {typed}") for entry in entries]


def pin_series(workspace: Workspace, info: SeriesInfo) -> None:
    """Offers the whole series as evidence, on the time line."""
    workspace.selection.set_series([info.id])
    workspace.show_page("timeline", info)
    if info.first_ns is not None and info.last_ns is not None:
        workspace.pin_offered.emit(
            of_window([info], TimeRange(info.first_ns, info.last_ns), window_locale(workspace.zone))
        )


def compare_words(workspace: Workspace, words: str) -> None:
    workspace.show_page("compare", words)


def keep_window(workspace: Workspace, words: str) -> None:
    """Keeps these hours of these days as a window; a name that is taken is numbered."""
    from tunebench.usecases.comparing import windows

    book = WindowBook.of(workspace)

    def keep() -> None:
        window = windows.of_words(workspace.opened, words)
        kept = book.keep(replace(window, name=free_name(window.name, (one.name for one in book.windows))))
        workspace.say_done(text("ui.palette.verb.window.done", name=kept.name, count=len(kept.occurrences)))

    workspace.attempt(keep, Change.CYCLE)
