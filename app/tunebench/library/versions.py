"""What a script's figures rest on."""

from __future__ import annotations

from tunebench.library.computing import called
from tunebench.library.refusing import refusing
from tunebench.usecases import workers


@refusing
def fingerprint() -> dict[str, str]:
    """What has to be the same elsewhere for figures to be the same to the bit: program, libraries, time zones,
    plug-ins, and the last digits of a fixed calculation."""
    return dict(called((), workers.own_fingerprint))
