"""What `plugin list` shows."""

from __future__ import annotations

import traceback
from collections.abc import Mapping
from enum import StrEnum
from pathlib import Path

from tunebench.core.records import record
from tunebench.sdk.toml_tables import Problem


class Origin(StrEnum):
    """Where a plug-in was found; the order is the search order."""

    BUILTIN = "builtin"
    USER = "user"
    ENGAGEMENT = "engagement"


class PluginState(StrEnum):
    OK = "ok"
    QUARANTINED = "quarantined"
    UNTRUSTED = "untrusted"
    REFUSED = "refused"


@record
class QuarantineRecord:
    """A contribution that raised or broke its contract, and is left out until the program's next start.

    `reason` is one line, `traceback` the whole text for the log.
    """

    plugin_id: str
    contribution: str
    reason: str
    traceback: str


@record
class PluginListing:
    """One plug-in folder as `plugin list` shows it; `contributions` are ids of parsers, probes and the like, and the
    names of its files of rules."""

    id: str
    name: Mapping[str, str]
    version: str
    folder: Path
    origin: Origin
    hash: str
    state: PluginState
    contributions: tuple[str, ...]
    problems: tuple[Problem, ...]


def quarantine_record(plugin_id: str, contribution: str, cause: BaseException | str) -> QuarantineRecord:
    if isinstance(cause, str):
        return QuarantineRecord(plugin_id, contribution, cause, cause)
    reason = "".join(traceback.format_exception_only(cause)).strip().splitlines()[-1]
    return QuarantineRecord(plugin_id, contribution, reason, "".join(traceback.format_exception(cause)))
