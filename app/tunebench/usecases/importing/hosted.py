"""Tables about several hosts: the table itself is kept, and what it says of each host is a capture of its own."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from tunebench.core.progress import Progress
from tunebench.domain.ledger import Ledger, LineCounts
from tunebench.plughost.parser_entry import ParserEntry
from tunebench.sdk.table_hosts import TableHosts, tells_hosts
from tunebench.store.artefacts import StoredArtefact
from tunebench.store.project import Project
from tunebench.usecases.importing.sectioned import Cut, Part, is_read_whole, stored_pieces

WARNING = "one_host_of_several"


def cut(project: Project, stored: StoredArtefact, entry: ParserEntry, progress: Progress) -> Cut | None:
    """None where the table is about one host, or none."""
    definition = entry.definition
    if definition is None or not tells_hosts(definition) or is_read_whole(project, stored):
        return None
    table = TableHosts(definition)
    lines = 0

    def counted() -> Iterator[bytes]:
        nonlocal lines
        last = b"\n"
        for last in stored_pieces(project, stored.artefact_id, progress):
            lines += last.count(b"\n")
            yield last
        lines += not last.endswith(b"\n")

    hosts = table.hosts(counted())
    if len(hosts) < 2:
        return None

    def texts(part: Part, pieces: Iterable[bytes]) -> Iterator[bytes]:
        return table.text_of(part.name, pieces)

    ledger = Ledger(tool=definition.tool, lines=LineCounts(lines, lines, 0, 0, 0))
    parts = tuple(Part(host, entry) for host in hosts)
    return Cut(stored.artefact_id, stored.sha256, texts, ledger, parts, WARNING)
