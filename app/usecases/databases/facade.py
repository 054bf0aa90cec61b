"""The door to what captures say of databases, and to what people decide about them."""

from __future__ import annotations

from app.core.errors import UserError
from app.domain.databases.choices import KeptLink, LicenceConfirmation
from app.store.databases import licences, statement_links
from app.store.databases.licences import list_confirmations as licence_confirmations
from app.store.databases.statement_links import add_link as relink_statements
from app.store.databases.statement_links import list_links as linked_statements
from app.store.databases.statement_links import remove_link as unlink_statements
from app.store.project import Project
from app.usecases.databases.comparison import DatabaseComparison, choose, compare, compare_pair, largest_first, pairs
from app.usecases.databases.periods import Period, periods
from app.usecases.databases.sessions import SessionHistory, of_range, session_history
from app.usecases.databases.sides import Caution, Side, side
from app.usecases.databases.snapshots import Database, Snapshot, by_stretch, databases, find_database

__all__ = [
    "Caution",
    "Database",
    "DatabaseComparison",
    "Period",
    "Project",
    "SessionHistory",
    "Side",
    "Snapshot",
    "by_stretch",
    "choose",
    "compare",
    "compare_pair",
    "confirm_licence",
    "databases",
    "find_database",
    "largest_first",
    "licence_confirmations",
    "link_statements",
    "linked_statements",
    "of_range",
    "pairs",
    "periods",
    "relink_statements",
    "session_history",
    "side",
    "unlink_statements",
]


def link_statements(
    project: Project, engine: str, before_id: str, after_id: str, author: str = "", note: str = ""
) -> KeptLink:
    """A person's word that one statement does the other's work, rewritten.

    Raises:
        UserError: statement_link_empty, statement_link_known.
    """
    before_id, after_id = before_id.strip(), after_id.strip()
    if not before_id or not after_id:
        raise UserError("statement_link_empty")
    link = KeptLink(0, engine, before_id, after_id, author.strip(), note=note.strip())
    return statement_links.add_link(project, link)


def confirm_licence(project: Project, given: LicenceConfirmation) -> LicenceConfirmation:
    """Records a person's word on a licence; it is never changed or taken back, only followed by another.

    Raises:
        UserError: licence_without_name where nobody or nothing stands behind it.
    """
    if not given.confirmed_by.strip() or not given.evidence.strip():
        raise UserError("licence_without_name", subject=given.subject)
    return licences.add_confirmation(project, given)
