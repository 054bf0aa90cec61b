"""What people decide about databases: statements that do each other's work, and who answers for a licence."""

from __future__ import annotations

from tunebench.core.errors import UserError
from tunebench.domain.databases.choices import KeptLink, LicenceConfirmation
from tunebench.store.databases.licences import add_confirmation, list_confirmations
from tunebench.store.databases.statement_links import add_link, list_links, remove_link
from tunebench.store.project import Project

__all__ = ["add_link", "confirm_licence", "link_statements", "list_confirmations", "list_links", "remove_link"]


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
    return add_link(project, link)


def confirm_licence(project: Project, given: LicenceConfirmation) -> LicenceConfirmation:
    """Records a person's word on a licence; it is never changed or taken back, only followed by another.

    Raises:
        UserError: licence_without_name where nobody or nothing stands behind it.
    """
    if not given.confirmed_by.strip() or not given.evidence.strip():
        raise UserError("licence_without_name", subject=given.subject)
    return add_confirmation(project, given)
