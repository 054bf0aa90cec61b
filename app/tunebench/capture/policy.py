"""The gate in front of every connection: only what was approved, to the letter, goes out."""

from __future__ import annotations

from collections.abc import Callable

from tunebench.core.errors import UserError
from tunebench.domain.capturing.plan import Approval, CapturePlan, PlannedCommand


class CommandRefused(UserError):
    """A command line that the approved plan does not hold. Nothing was sent."""


class CommandPolicy:
    """Permits the command lines of one approved plan.

    Args:
        on_refusal: hears (host, command line) of every refusal before it is raised, for the audit trail.
        still_holds: asked before every command; raises UserError where the approval is no longer enough.
    """

    def __init__(
        self,
        plan: CapturePlan,
        approval: Approval,
        on_refusal: Callable[[str, str], None] | None = None,
        still_holds: Callable[[], None] | None = None,
    ) -> None:
        self._plan = plan
        self._valid = plan.digest == approval.digest
        self._commands = {(command.host, command.verbatim): command for command in plan.commands}
        self._on_refusal = on_refusal
        self._still_holds = still_holds

    def permit(self, verbatim: str, host: str = "") -> PlannedCommand:
        """The planned command that this line is.

        Args:
            verbatim: the whole remote command line as it would be sent.
            host: where it would be sent; empty: any host of the plan.

        Raises:
            CommandRefused: ``plan_digest_differs`` where the approval is for another plan,
                ``command_not_approved`` where no planned command has exactly this line on that host; as
                `still_holds` refuses.
        """
        if not self._valid:
            self._report(host, verbatim)
            raise CommandRefused("plan_digest_differs", digest=self._plan.digest)
        command = self._find(verbatim, host)
        if command is None:
            self._report(host, verbatim)
            raise CommandRefused("command_not_approved", command=verbatim, host=host)
        self._refuse_lapsed(host, verbatim)
        return command

    def _refuse_lapsed(self, host: str, verbatim: str) -> None:
        try:
            if self._still_holds is not None:
                self._still_holds()
        except UserError as lapsed:
            self._report(host, verbatim)
            raise CommandRefused(lapsed.key, **lapsed.facts) from lapsed

    def _find(self, verbatim: str, host: str) -> PlannedCommand | None:
        names = (host,) if host else tuple(planned.name for planned in self._plan.hosts)
        return next((self._commands[name, verbatim] for name in names if (name, verbatim) in self._commands), None)

    def _report(self, host: str, verbatim: str) -> None:
        if self._on_refusal is not None:
            self._on_refusal(host, verbatim)
