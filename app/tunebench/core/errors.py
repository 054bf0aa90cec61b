"""The three kinds of failure TuneBench knows.

`UserError` is raised for conditions of the environment or the input (a full disk, a file that is no
project), where the program is not to blame: its key names a sentence in the catalogues that says what
happened, where, and what to do. `PluginError` names the plug-in that failed, so that it alone is
quarantined. Anything else is a bug.
"""

from __future__ import annotations

from enum import IntEnum


class ExitCode(IntEnum):
    """Exit codes of the command line; a public contract."""

    DONE = 0
    BUG = 1
    USAGE = 2
    REFUSED = 3
    PARTLY = 4


class UserError(Exception):
    """A refusal that the user can act on.

    Args:
        key: catalogue key below `subject` (``error.``), without that prefix (``"not_a_project"``).
        facts: values for the sentence's place-holders. Never secrets.
    """

    exit_code = ExitCode.REFUSED
    subject = "error"

    def __init__(self, key: str, **facts: object) -> None:
        super().__init__(key)
        self.key = key
        self.facts = facts

    def facts_in(self, language: str) -> dict[str, object]:
        """The facts as the sentence names them; a kind of refusal whose facts are words of a language says them."""
        return self.facts

    def __str__(self) -> str:
        return f"{self.key} {self.facts}" if self.facts else self.key


class Cancelled(Exception):
    """The user cancelled a job; what was finished before stays."""


class PluginError(Exception):
    """A plug-in raised, or broke the contract of its extension point."""

    def __init__(self, plugin_id: str, contribution: str, cause: BaseException | str) -> None:
        super().__init__(f"{plugin_id} ({contribution}): {cause}")
        self.plugin_id = plugin_id
        self.contribution = contribution
        self.cause = cause
