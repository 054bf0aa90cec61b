"""Which host a capture is of."""

from __future__ import annotations

from collections.abc import Sequence

from app.usecases.importing.outcomes import Delivery, Outcome


class HostGuess:
    """Which host a capture is of, where somebody says it (vmstat prints no name).

    The user's word; the capture's own; what its layout tells (a file's name, the report's ``hostname``). A layout's
    ``db1`` is the ``db1.example.com`` of the captures beside it. What merely lies beside it tells nothing: a folder
    or a mail holds captures of several machines.
    """

    def __init__(self, deliveries: Sequence[Delivery]) -> None:
        self._said: dict[str, str] = {}
        self._told: dict[int, str] = {}  # by the outcome's id
        for delivery in deliveries:
            for outcome in delivery.outcomes:
                self._told[id(outcome)] = _told_below(outcome, delivery.told_hosts)
                own = outcome.taken.known.hostname if outcome.taken else ""
                if own:
                    self._said.setdefault(_short(own), own)

    def name(self, outcome: Outcome, said: str) -> str:
        """Empty where nobody says it."""
        own = outcome.taken.known.hostname if outcome.taken else ""
        laid_out = self._told[id(outcome)] or outcome.seen.host
        return said or own or self._said.get(_short(laid_out), laid_out)


def _told_below(outcome: Outcome, told: dict[str, str]) -> str:
    """What the nearest ``hostname`` file above it tells."""
    roots = [root for root in told if outcome.place.startswith(root)]
    return told[max(roots, key=len)] if roots else ""


def _short(name: str) -> str:
    return name.partition(".")[0].lower()
