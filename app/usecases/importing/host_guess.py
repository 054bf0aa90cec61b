"""Which host a capture is of."""

from __future__ import annotations

from collections.abc import Sequence

from app.domain.engagement import UNNAMED_HOST, Host
from app.usecases.importing.outcomes import Delivery, Outcome


class HostGuess:
    """Which host a capture is of, where it does not say (vmstat prints no name).

    The user's word; the capture's own; what its layout tells (a file's name, the report's ``hostname``); the only name
    found in the same folder; the only name in the whole import; the project's only host. The last three are marked in
    the ledger. A layout's ``db1`` is the ``db1.example.com`` of the captures beside it.
    """

    def __init__(self, deliveries: Sequence[Delivery], known_hosts: Sequence[Host]) -> None:
        self._by_folder: dict[str, set[str]] = {}
        self._said: dict[str, str] = {}
        self._told = {root: name for each in deliveries for root, name in each.told_hosts.items()}
        for outcome in _taken(deliveries):
            self._note(outcome)
        self._all = set().union(*self._by_folder.values()) if self._by_folder else set()
        self._known = {host.name for host in known_hosts if host.name != UNNAMED_HOST}

    def _note(self, outcome: Outcome) -> None:
        own = outcome.taken.known.hostname if outcome.taken else ""
        if own:
            self._said.setdefault(_short(own), own)
        name = own or self._laid_out(outcome)
        if name:
            self._by_folder.setdefault(_folder(outcome.path), set()).add(name)

    def name(self, outcome: Outcome, said: str) -> tuple[str, bool]:
        """The host's name and whether it is assumed."""
        own = outcome.taken.known.hostname if outcome.taken else ""
        sure = said or own or self._laid_out(outcome)
        if sure:
            return sure, False
        for names in (self._by_folder.get(_folder(outcome.path), set()), self._all, self._known):
            if len(names) == 1:
                return next(iter(names)), True
        return UNNAMED_HOST, True

    def _laid_out(self, outcome: Outcome) -> str:
        name = self._told_below(outcome) or outcome.seen.host
        return self._said.get(_short(name), name) if name else ""

    def _told_below(self, outcome: Outcome) -> str:
        """What the nearest ``hostname`` file above it tells."""
        place = outcome.place
        roots = [root for root in self._told if place.startswith(root)]
        return self._told[max(roots, key=len)] if roots else ""


def _taken(deliveries: Sequence[Delivery]) -> list[Outcome]:
    return [outcome for each in deliveries for outcome in each.outcomes if outcome.taken is not None]


def _folder(path: str) -> str:
    return path.replace("\\", "/").rpartition("/")[0]


def _short(name: str) -> str:
    return name.partition(".")[0].lower()
