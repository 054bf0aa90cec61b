"""Links between statements that a person made: kept with a name, taken away again, audited both ways."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from tunebench.core.errors import UserError
from tunebench.domain.databases.choices import KeptLink
from tunebench.store.audit import trail as audit
from tunebench.store.locking import current_user

if TYPE_CHECKING:
    from tunebench.store.project import Project

_COLUMNS = "id, engine, before_id, after_id, author, made_at, note"


def list_links(project: Project, engine: str = "") -> list[KeptLink]:
    """The links of one engine or of all, oldest first."""
    return [
        KeptLink(*row)
        for row in project.rows(
            f"SELECT {_COLUMNS} FROM statement_link WHERE ?1 IN ('', engine) ORDER BY id",  # noqa: S608  ours
            (engine,),
        )
    ]


def add_link(project: Project, link: KeptLink) -> KeptLink:
    """Keeps a link; one that was removed comes back with the author and time it carries.

    Raises:
        UserError: statement_link_known where the same is kept already.
    """
    stamped = replace(link, author=link.author or current_user(), made_at=link.made_at or audit.now_iso(project))
    with project.transaction() as connection:
        existing = connection.execute(
            "SELECT author FROM statement_link WHERE engine = ? AND before_id = ? AND after_id = ?",
            (stamped.engine, stamped.before_id, stamped.after_id),
        ).fetchone()
        if existing is not None:
            raise UserError(
                "statement_link_known", before=stamped.before_id, after=stamped.after_id, author=existing[0]
            )
        cursor = connection.execute(
            "INSERT INTO statement_link (engine, before_id, after_id, author, made_at, note) VALUES (?, ?, ?, ?, ?, ?)",
            (stamped.engine, stamped.before_id, stamped.after_id, stamped.author, stamped.made_at, stamped.note),
        )
        audit.record(
            project,
            "statements_linked",
            engine=stamped.engine,
            before_id=stamped.before_id,
            after_id=stamped.after_id,
            by=stamped.author,
            note=stamped.note,
        )
    return replace(stamped, id=int(cursor.lastrowid or 0))


def remove_link(project: Project, link_id: int) -> KeptLink:
    """Takes a link away and gives it back, so that this can be undone.

    Raises:
        UserError: statement_link_missing.
    """
    with project.transaction() as connection:
        row = connection.execute(
            f"DELETE FROM statement_link WHERE id = ? RETURNING {_COLUMNS}",  # noqa: S608  names of ours
            (link_id,),
        ).fetchone()
        if row is None:
            raise UserError("statement_link_missing", number=link_id)
        gone = KeptLink(*row)
        audit.record(
            project,
            "statements_unlinked",
            engine=gone.engine,
            before_id=gone.before_id,
            after_id=gone.after_id,
            by=current_user(),
        )
    return gone
