"""Texts of several tools: the text itself is kept, and what each tool printed is read as a capture of its own."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace

from tunebench.capture.frames import is_framed
from tunebench.capture.layouts import short_name
from tunebench.capture.sections import ASKED, Account, Sections
from tunebench.core.progress import Progress
from tunebench.core.records import record
from tunebench.domain.ledger import ImportState, Ledger
from tunebench.plughost.host import PluginHost
from tunebench.plughost.parser_entry import ParserEntry
from tunebench.store import artefacts
from tunebench.store.artefacts import PENDING, StoredArtefact
from tunebench.store.project import Project
from tunebench.usecases.importing.outcomes import Taken

FORM = "text"
WARNING = "one_tool_of_several"
_TOLD_BY_BYTES = 65_536
_BLANKS = bytes.maketrans(b"01", b" \t")


@record
class Part:
    """One reader's sections of a text, of one host where there are several.

    Attributes:
        name: see `Account.names`.
        host: empty where the text cannot say it, so that a person has to; None where the reader finds it or does not.
    """

    name: str
    entry: ParserEntry
    host: str | None = None


@record
class Cut:
    """A stored text that is more than one tool's, or more than one host's.

    Attributes:
        texts: the bytes of a part, out of those of the whole.
        ledger: what became of each line.
        warning: key of the warning that each part has.
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
    of_one = account.host()
    parts = tuple(_parts(account))

    def texts(part: Part, pieces: Iterable[bytes]) -> Iterator[bytes]:
        return sections.text_of(part.entry.id, pieces, None if of_one is not None else part.host or ASKED)

    return Cut(stored.artefact_id, stored.sha256, texts, account.ledger(), parts)


def _parts(account: Account) -> Iterator[Part]:
    """Of each reader one, or where the text is of several hosts one for each of its own."""
    of_one = account.host()
    for id_, name in account.names().items():
        if of_one is not None:
            yield Part(name, account.readers[id_], of_one or None)
            continue
        for host in {short_name(host or ASKED): host or ASKED for host in account.hosts[id_]}.values():
            is_named = host != ASKED
            yield Part(f"{host}.{name}" if is_named else name, account.readers[id_], host if is_named else "")


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


def tell_hosts(parts: Sequence[tuple[Part, Taken]]) -> None:
    """Each part is of its host; the one that tools of a text name is that of the other tools in it."""
    named = {taken.known.hostname for _, taken in parts} - {""}
    for part, taken in parts:
        host = part.host
        if host is None and len(named) == 1:
            host = next(iter(named))
        if host is not None and (not host or short_name(host) != short_name(taken.known.hostname)):
            taken.known = replace(taken.known, hostname=host)
    hosts = {short_name(taken.known.hostname) for _, taken in parts} - {""}
    is_asked = any(part.host == "" for part, _ in parts)
    if len(hosts) + is_asked > 1:
        for part, taken in parts:
            taken.is_one_of_several = bool(taken.known.hostname) or part.host == ""


def stored_pieces(project: Project, artefact_id: int, progress: Progress) -> Iterator[bytes]:
    for piece in artefacts.read_artefact(project, artefact_id):
        progress.raise_if_cancelled()
        yield piece
