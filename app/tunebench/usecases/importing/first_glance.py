"""What the first bytes of files tell of their host and day, before anything is imported."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from zoneinfo import ZoneInfo, available_timezones

from tunebench.capture import ingest
from tunebench.core.errors import UserError
from tunebench.core.progress import Progress
from tunebench.core.records import record
from tunebench.domain.ledger import Ledger
from tunebench.sdk import ParseContext
from tunebench.transport.containers.names import shown_name
from tunebench.transport.local import HEAD_BYTES, find_file
from tunebench.usecases import services

MOST_FILES, MOST_SPREAD = 12, 24
_DATED_BY, _GUESSES = frozenset({"date", "start", "date_order"}), frozenset({"mtime", "default"})


@record
class Glance:
    """What the first files show; `host` is empty where they name none or several, `first_ns` None where they print
    no date."""

    host: str = ""
    first_ns: int | None = None


def glance(paths: Sequence[Path], zone: ZoneInfo, progress: Progress) -> Glance:
    """What the first of these files show; folders, archives and what no parser knows show nothing here."""
    ledgers = list(_ledgers(paths[:MOST_FILES], zone, progress))
    hosts = {ledger.hostname for ledger in ledgers} - {""}
    firsts = [ledger.first_ns for ledger in ledgers if ledger.first_ns is not None and not _is_guessed(ledger)]
    return Glance(next(iter(hosts)) if len(hosts) == 1 else "", min(firsts, default=None))


def told_zone(paths: Sequence[Path], progress: Progress) -> str:
    """The zone that stamps of these files and folders name, of a few spread over all; empty where none or several."""
    every = [
        file for path in paths for file in ([path] if path.is_file() else sorted(path.rglob("*"))) if file.is_file()
    ]
    spread = every[:: -(-len(every) // MOST_SPREAD) or 1]
    ledgers = _ledgers(spread, ZoneInfo("UTC"), progress)
    zones = {
        ledger.zone for ledger in ledgers if ledger.zone_source == "stamp" and ledger.zone in available_timezones()
    }
    return zones.pop() if len(zones) == 1 else ""


def _ledgers(paths: Sequence[Path], zone: ZoneInfo, progress: Progress) -> Iterable[Ledger]:
    verbs = services.current()
    for path in paths:
        progress.raise_if_cancelled()
        try:
            source = find_file(path)
            with path.open("rb") as file:
                head = file.read(HEAD_BYTES)
            name, address = shown_name(path.name), shown_name(str(path))
            entry = ingest.recognise(verbs.plugins, head, name, address)
        except (UserError, OSError):
            continue
        modified_ns = verbs.file_clock(path, source.modified_ns)
        yield ingest.scout(entry, head, ParseContext(name, address, modified_ns, zone))


def _is_guessed(ledger: Ledger) -> bool:
    return any(assumption.subject in _DATED_BY and assumption.source in _GUESSES for assumption in ledger.assumptions)
