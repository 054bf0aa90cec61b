"""Binary files of sar: kept as they are, and read as the text that `sadf` would print of them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import field

from tunebench.core.errors import UserError
from tunebench.core.progress import Progress
from tunebench.core.records import record
from tunebench.domain.ledger import ImportState, Ledger
from tunebench.store import artefacts
from tunebench.store.artefacts import StoredArtefact
from tunebench.store.project import Project
from tunebench.transport.containers.members import Damaged
from tunebench.transport.sar.document import SarText
from tunebench.transport.sar.formats import SaFormat, refusal

FORM = "sa"
SAME_AS = "sadf -j -C {name} -- -A"


@record
class Converted:
    """The text of one binary file; `path` is what the user knows the file as.

    Attributes:
        name: of the text.
        same_as: the command of sysstat that prints it.
    """

    name: str
    same_as: str
    path: str
    _file: SaFormat
    _text: SarText = field(repr=False)

    def pieces(self, progress: Progress) -> Iterator[bytes]:
        """Its bytes, once. Raises UserError where not even the file's headers can be read."""
        try:
            for piece in self._text:
                progress.raise_if_cancelled()
                yield piece
        except Damaged as damage:
            reason = f"damage.{damage.kind}"
            raise refusal("sa_unreadable", self._file, self.path, reason=reason) from damage

    def reservation(self) -> UserError | None:
        """What is wrong where the file was cut off or is damaged, or holds what nobody here knows."""
        if self._text.damage is not None:
            return self._text.damage.refusal("member_damaged", self.path)
        if self._text.unread:
            activities = ", ".join(map(str, self._text.unread))
            return refusal("sa_not_all_read", self._file, self.path, activities=activities)
        return None

    @property
    def is_damaged(self) -> bool:
        return self._text.damage is not None


def check_readable(sa_format: SaFormat, path: str) -> None:
    """Raises UserError with what to ask the customer for where such a file cannot be read."""
    if not sa_format.is_readable:
        raise refusal("sa_other_version", sa_format, path)


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


def converted(project: Project, artefact_id: int, sa_format: SaFormat, name: str, path: str) -> Converted:
    """The text of a binary file that was stored."""
    pieces = artefacts.read_artefact(project, artefact_id)
    return Converted(f"{name}.json", SAME_AS.format(name=name), path, sa_format, SarText(pieces, sa_format))


def without_data(sa_format: SaFormat, path: str) -> UserError:
    """The error where the text of a binary file gives no series: it names what to ask the customer for."""
    return refusal("sa_without_data", sa_format, path)
