"""The databases that an answer speaks of: every one that both windows have."""

from __future__ import annotations

from tunebench.core.errors import UserError
from tunebench.store.project import Project
from tunebench.usecases.databases.comparison import DatabaseComparison, Of, compare_pair, largest_first


def every_database(
    project: Project, before: Of, after: Of, compared: DatabaseComparison | None = None
) -> list[DatabaseComparison]:
    """The comparisons, the one with the most statements first; those that cannot be compared are left out.

    Args:
        compared: one that the caller has already.
    """
    comparisons = [] if compared is None else [compared]
    compared_ids = None if compared is None else (compared.before.database.id, compared.after.database.id)
    for one, other in largest_first(project, before, after):
        if (one.id, other.id) == compared_ids:
            continue
        try:
            comparisons.append(compare_pair(project, before, after, one, other))
        except UserError:  # the page of databases says why
            continue
    return comparisons
