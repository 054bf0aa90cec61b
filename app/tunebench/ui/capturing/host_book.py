"""The hosts of the open project as the capture page knows them: profiles, which are chosen, how their tests went."""

from __future__ import annotations

import time
from enum import StrEnum
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from tunebench.core.errors import UserError
from tunebench.core.progress import Progress
from tunebench.core.records import record
from tunebench.domain.connection import HostProfile
from tunebench.ui.workspace import Change, Workspace
from tunebench.usecases.capturing import connections
from tunebench.usecases.capturing.connections import ConnectionTest

if TYPE_CHECKING:
    from tunebench.ui.capturing.capture_controller import CaptureController

KEY_REFUSALS = ("host_key_changed", "host_key_revoked")


class Reach(StrEnum):
    """What is known of a host from its last connection test."""

    UNTRIED = "untried"
    TRYING = "trying"
    REACHED = "reached"
    FAILED = "failed"


@record
class LastTest:
    """`step` is what a running test does; `result` and `error` are how a finished one ended."""

    reach: Reach = Reach.UNTRIED
    step: str = ""
    at_ns: int = 0
    result: ConnectionTest | None = None
    error: UserError | None = None


class HostBook(QObject):
    """Signals:
    changed: profiles were added, edited or removed, or other ones are chosen.
    tested: the name of a host whose test moved on.
    key_refused: (profile, UserError): the host showed a key that must not be trusted.
    """

    changed = Signal()
    tested = Signal(str)
    key_refused = Signal(object, object)

    def __init__(self, workspace: Workspace, controller: CaptureController) -> None:
        super().__init__()
        self._workspace = workspace
        self._controller = controller
        self.profiles: tuple[HostProfile, ...] = ()
        self._chosen: set[str] = set()
        self._tests: dict[str, LastTest] = {}

    # --- profiles
    def reload(self, *, forget: bool = False) -> None:
        """Read the profiles again; `forget` what was chosen and tested in another project."""
        project = self._workspace.project
        if forget:
            self._chosen, self._tests = set(), {}
        self.profiles = connections.list_profiles(project) if project is not None else ()
        self._chosen &= {profile.name for profile in self.profiles}
        self.changed.emit()

    def find(self, name: str) -> HostProfile | None:
        return next((profile for profile in self.profiles if profile.name == name), None)

    def save(self, profile: HostProfile, replaces: str) -> UserError | None:
        """Why it was not kept, None where it was. A new host is chosen at once."""
        if not replaces and self.find(profile.name) is not None:
            return UserError("host_profile_exists", name=profile.name)
        try:
            connections.save_profile(self._workspace.opened, profile, replaces=replaces)
        except UserError as error:
            return error
        if replaces and replaces != profile.name:
            self._tests.pop(replaces, None)
        if not replaces or replaces in self._chosen:
            self._chosen.add(profile.name)
        self.reload()
        return None

    def remove(self, name: str) -> None:
        project = self._workspace.opened
        if self._workspace.attempt(lambda: connections.remove_profile(project, name)):
            self._tests.pop(name, None)
            self.reload()

    # --- choice
    @property
    def chosen(self) -> tuple[HostProfile, ...]:
        return tuple(profile for profile in self.profiles if profile.name in self._chosen)

    def is_chosen(self, name: str) -> bool:
        return name in self._chosen

    def choose(self, name: str, chosen: bool) -> None:
        if chosen != (name in self._chosen):
            (self._chosen.add if chosen else self._chosen.discard)(name)
            self.changed.emit()

    def choose_all(self, chosen: bool) -> None:
        self._chosen = {profile.name for profile in self.profiles} if chosen else set()
        self.changed.emit()

    # --- tests
    def last_test(self, name: str) -> LastTest:
        return self._tests.get(name, LastTest())

    def tools_missing(self, tool: str, os: str) -> tuple[str, ...]:
        """Chosen hosts of that system whose survey did not find `tool`."""
        results = ((profile, self.last_test(profile.name).result) for profile in self.chosen)
        return tuple(
            profile.name
            for profile, result in results
            if tool and result is not None and result.survey.os == os and tool not in result.survey.tools
        )

    def test(self, name: str) -> None:
        """Connect once and look, off the main thread; questions come through the controller's board."""
        profile = self.find(name)
        project, board = self._workspace.project, self._controller.board
        if profile is None or project is None or self.last_test(name).reach is Reach.TRYING:
            return

        def work(handle: Progress) -> ConnectionTest:
            try:
                return connections.test(project, profile, board, lambda step: handle.report(0, 0, step))
            except Exception:
                # a project that was closed meanwhile fails in its own ways; nobody waits for the answer then
                handle.raise_if_cancelled()
                raise

        self._note(name, LastTest(Reach.TRYING, "connecting"))
        self._workspace.jobs.run(
            "ssh",
            work,
            owner=self,
            slot=f"test-{name}",
            on_result=lambda result: self._reached(name, result),
            on_error=lambda error: self._failed(name, error),
            on_cancelled=lambda: self._note(name, LastTest()),
            on_progress=lambda ticket: self._note(name, LastTest(Reach.TRYING, ticket.progress_key)),
            title_key="ui.job.test_host",
            facts={"host": name},
        )

    def _reached(self, name: str, result: ConnectionTest) -> None:
        self._note(name, LastTest(Reach.REACHED, at_ns=time.time_ns(), result=result))
        self.reload()
        self._workspace.announce(Change.RUNS)

    def _failed(self, name: str, error: UserError) -> None:
        self._note(name, LastTest(Reach.FAILED, at_ns=time.time_ns(), error=error))
        profile = self.find(name)
        if error.key.removeprefix("ssh.") in KEY_REFUSALS and profile is not None:
            self.key_refused.emit(profile, error)
        else:
            self._workspace.say_error(error)

    def _note(self, name: str, last: LastTest) -> None:
        self._tests[name] = last
        self.tested.emit(name)
