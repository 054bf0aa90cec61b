"""The kept windows of the open engagement, and the two sides that follow their edits."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from zoneinfo import ZoneInfo

from PySide6.QtCore import QObject, Signal

from tunebench.domain.engagement import Run
from tunebench.domain.windows import Window, WindowRole, last_kept, stretch_text
from tunebench.ui.cycle.cycle_controller import CycleController
from tunebench.ui.workspace import PerWorkspace, Workspace
from tunebench.usecases.exploring.window_ranges import EDITED, window_range

SIDES = {"before": WindowRole.BEFORE, "after": WindowRole.AFTER}


class WindowBook(PerWorkspace):
    """One per workspace: `WindowBook.of(workspace)`. `changed`: the windows are others, after an edit or its undo."""

    changed = Signal()

    def __init__(self, workspace: Workspace) -> None:
        super().__init__(workspace)
        self._opened: object = None
        self.controller = CycleController.of(workspace)
        self.windows: tuple[Window, ...] = ()
        self.controller.changed.connect(self._take)
        self._take()

    def find(self, window_id: int) -> Window | None:
        return next((window for window in self.windows if window.id == window_id), None)

    def now(self, window: Window | None, runs: Iterable[Run] | None = None) -> Window | None:
        """A kept window as it is now, None where it was removed; any other as it is, None where it is not of `runs`."""
        if window is None or window.id:
            return self.find(window.id) if window else None
        return window if runs is None or {run.id for run in runs}.issuperset(window.run_ids) else None

    def side(self, side: str) -> Window | None:
        """What is compared on that side."""
        chosen = self._workspace.selection
        return chosen.before if side == "before" else chosen.after

    def _take(self) -> None:
        windows = self.controller.book.all(Window)
        opened, self._opened = self._workspace.project is not self._opened, self._workspace.project
        if windows == self.windows and not opened:
            return
        self.windows = windows
        sides = [self._followed(side, opened) for side in SIDES]
        self._workspace.selection.set_windows(*sides)
        self.changed.emit()

    def _followed(self, side: str, opened: bool) -> Window | None:
        """A kept window as it is now, none where it was removed; of a project just opened the last that was kept."""
        chosen = self.side(side)
        if chosen is not None:
            return self.now(chosen)
        return self._last(SIDES[side]) if opened else None

    def _last(self, role: WindowRole) -> Window | None:
        return last_kept(self.windows, role)

    # --- edits
    def keep(self, window: Window, kept: Window | None = None) -> Window:
        """Adds a window, or changes `kept` to it; the window as it is in the project then.

        Raises:
            UserError: why it cannot be kept.
        """
        from tunebench.usecases.comparing import windows

        project = self._workspace.opened
        edit = windows.change(project, kept, window) if kept else windows.add(project, window)
        self.controller.edit(edit)
        return next((listed for listed in self.windows if listed.name == window.name), window)

    def propose(self, owner: QObject, take: Callable[[tuple[Window, ...]], None]) -> None:
        """Gives what the captures suggest, soon, where nothing was kept yet; to each `owner` that asks."""
        from tunebench.usecases.comparing import windows

        project = self._workspace.project
        if project is None or self.windows or not self._workspace.writable:
            take(())
            return
        self._workspace.jobs.run(
            "db",
            lambda _handle: windows.proposals(project),
            owner=owner,
            slot="proposals",
            on_result=lambda proposals: take(
                () if self.windows or project is not self._workspace.project else proposals
            ),
        )

    def keep_all(self, added: Sequence[Window]) -> None:
        """Adds windows in one edit; on either side the last one is compared then."""
        from tunebench.usecases.comparing import windows

        project = self._workspace.opened
        if self.controller.attempt(lambda: windows.add_all(project, added)):
            self._workspace.selection.set_windows(*map(self._last, SIDES.values()))

    def remove(self, window: Window) -> bool:
        from tunebench.usecases.comparing import windows

        return self.controller.attempt(lambda: windows.remove(window))

    def proposed(self, chosen: Window, side: str = "") -> Window:
        """An unnamed window, with the name that it may be kept by and its role."""
        named = proposed_name(chosen, self._workspace.runs, chosen.clock(self._workspace.zone))
        role = SIDES.get(side, chosen.role)
        return replace(
            chosen, id=0, name=free_name(named.removesuffix(EDITED), (kept.name for kept in self.windows)), role=role
        )


def proposed_name(window: Window, runs: Sequence[Run], zone: ZoneInfo) -> str:
    """The window's own name, else the labels of its runs with its stretch of them."""
    own = [run for run in runs if run.id in window.run_ids]
    if window.name or all(occurrence.start_ns is occurrence.end_ns is None for occurrence in window.occurrences):
        return window.name or ", ".join(run.label for run in own)
    span = window_range(window, runs)
    stretch = stretch_text((span.start_ns, span.end_ns), zone) if span else ""
    return " ".join(filter(None, (*(run.label for run in own), stretch)))


def free_name(wanted: str, taken: Iterable[str]) -> str:
    """The name `wanted`, numbered where it is taken."""
    names = set(taken)
    return next(name for n in range(1, len(names) + 2) if (name := wanted if n == 1 else f"{wanted} {n}") not in names)
