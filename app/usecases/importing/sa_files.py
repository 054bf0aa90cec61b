"""Binary files of sar: kept as they are, and read as the text that this machine's `sadf` prints of them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

from app.core.errors import UserError
from app.core.progress import Progress
from app.domain.ledger import ImportState, Ledger
from app.store import artefacts
from app.store.artefacts import StoredArtefact
from app.store.project import Project
from app.transport import sadf
from app.transport.containers import Damaged
from app.transport.sadf import Conversion, SadfProgram, SaFormat

FORM = "sa"
COMMAND = "sadf -j -C {name} -- -A"


@dataclass(frozen=True, slots=True)
class Converted:
    """The text of one binary file.

    Attributes:
        pieces: its bytes, once; reading them raises UserError where `sadf` fails.
        command: what was run.
    """

    name: str
    command: str
    conversion: Conversion

    def pieces(self, progress: Progress) -> Iterator[bytes]:
        for piece in self.conversion:
            progress.raise_if_cancelled()
            yield piece


@cache
def program() -> SadfProgram | None:
    """Looked for once; a machine's tools do not come and go while the program runs."""
    return sadf.machine_sadf()


def check_readable(found: SaFormat, path: str) -> None:
    """Raises UserError with what to ask the customer for where this machine cannot read such a file."""
    if sadf.can_read(found, program()) is sadf.Reading.NONE:
        raise sadf.refusal(found, path, program())


def keep(project: Project, stored: StoredArtefact) -> None:
    """The binary file itself is evidence that no parser reads."""
    if stored.duplicate_of is None:
        artefacts.set_parse_result(
            project,
            stored.artefact_id,
            host_id=None,
            parser_id="",
            parser_version="",
            state=ImportState.KEPT,
            ledger=Ledger(),
            events=(),
            given={},
        )


def converted(project: Project, artefact_id: int, found: SaFormat, name: str, path: str) -> Converted:
    """The text of a binary file that was stored."""
    pieces = artefacts.read_artefact(project, artefact_id)
    return Converted(f"{name}.json", COMMAND.format(name=name), sadf.convert(pieces, found, program(), path))


def without_data(found: SaFormat, path: str) -> UserError:
    """What is said where the text of a binary file gives no series: what to ask the customer for."""
    return sadf.nothing_printed(found, path, program())


def torn(conversion: Conversion, path: str) -> UserError | None:
    """What is wrong where the binary file was cut off."""
    if not conversion.truncated:
        return None
    return Damaged("cut_off", " ".join(conversion.messages.split())[:200]).refusal("member_damaged", path)
