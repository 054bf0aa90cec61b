"""Texts of several tools: the text itself is kept, and what each tool printed is read as a capture of its own."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from app.capture.frames import is_framed
from app.capture.sections import Sections
from app.core.progress import Progress
from app.domain.ledger import ImportState, Ledger
from app.plughost.host import ParserEntry, PluginHost
from app.store import artefacts
from app.store.artefacts import PENDING, StoredArtefact
from app.store.project import Project
from app.usecases.importing.outcomes import Taken

FORM = "text"
WARNING = "one_tool_of_several"
_TOLD_BY_BYTES = 65_536
_BLANKS = bytes.maketrans(b"01", b" \t")


@dataclass(frozen=True, slots=True)
class Part:
    """One reader's sections of a text; `name`: see `Account.names`."""

    name: str
    entry: ParserEntry


@dataclass(frozen=True, slots=True)
class Cut:
    """A stored text that is more than one tool's, or more than one host's.

    Attributes:
        texts: the bytes of a part, out of those of the whole.
        ledger: what became of each line.
        warning: key of what is said of each part.
    """

    artefact_id: int
    sha256: str
    texts: Callable[[Part, Iterable[bytes]], Iterator[bytes]]
    ledger: Ledger
    parts: tuple[Part, ...]
    warning: str = WARNING

    def text_of(self, part: Part, project: Project, progress: Progress) -> Iterator[bytes]:
        """Its lines, and below them an empty one that tells whose they are: the same words in two files are two
        captures, and not one that came twice."""
        last = b""
        for last in self.texts(part, stored_pieces(project, self.artefact_id, progress)):
            yield last
        if last.endswith(b"\n"):
            yield f"{int(self.sha256[:16], 16):064b}\n".encode().translate(_BLANKS)


def has_sections(plugins: PluginHost, head: bytes) -> bool:
    """Whether a text whose beginning nobody knows has a section in its first bytes that somebody knows."""
    return bool(not is_framed(head) and Sections(plugins, None).account([head]).readers)


def cut(
    project: Project,
    stored: StoredArtefact,
    plugins: PluginHost,
    entry: ParserEntry | None,
    progress: Progress,
    *,
    is_alike: bool,
) -> Cut | None:
    """None where the text is one reader's, and where the project has it as that.

    Args:
        is_alike: the first bytes say whose the whole text is.
    """
    if is_read_whole(project, stored):
        return None
    sections = Sections(plugins, entry)
    if entry is not None and is_alike:
        head = next(stored_pieces(project, stored.artefact_id, progress), b"")[:_TOLD_BY_BYTES]
        if not sections.is_several(sections.account([head])):
            return None
    account = sections.account(stored_pieces(project, stored.artefact_id, progress))
    if not sections.is_several(account):
        return None
    parts = tuple(Part(name, account.readers[id_]) for id_, name in account.names().items())

    def texts(part: Part, pieces: Iterable[bytes]) -> Iterator[bytes]:
        return sections.text_of(part.entry.id, pieces)

    return Cut(stored.artefact_id, stored.sha256, texts, account.ledger(), parts)


def is_read_whole(project: Project, stored: StoredArtefact) -> bool:
    """Whether the project has the text already, as one reader's."""
    state = artefacts.find_artefact(project, stored.artefact_id).state
    return stored.duplicate_of is not None and state not in (ImportState.KEPT, PENDING)


def keep(project: Project, cut: Cut) -> None:
    """The whole text is evidence that no parser reads."""
    artefacts.set_parse_result(
        project,
        cut.artefact_id,
        host_id=artefacts.find_artefact(project, cut.artefact_id).host_id,
        parser_id="",
        parser_version="",
        state=ImportState.KEPT,
        ledger=cut.ledger,
        events=(),
        given={},
    )


def share_host(parts: Sequence[Taken]) -> None:
    """The one host that tools of a text name is that of the other tools in it."""
    named = {part.known.hostname for part in parts} - {""}
    for part in parts if len(named) == 1 else ():
        part.known = replace(part.known, hostname=next(iter(named)))


def stored_pieces(project: Project, artefact_id: int, progress: Progress) -> Iterator[bytes]:
    for piece in artefacts.read_artefact(project, artefact_id):
        progress.raise_if_cancelled()
        yield piece
