"""Conflicts of two copies, and what a merge of them came to: ``merge --json``, and the file of its decisions."""

from __future__ import annotations

from tunebench.contract import shapes
from tunebench.usecases.merging.conflicts import Choices, Conflict, chosen
from tunebench.usecases.merging.merge import Merge, Merged


def conflict_shape(conflict: Conflict, choices: Choices) -> shapes.Shape:
    """A conflict of the plan; what people change in its file counts in one key, choice."""
    return {
        "conflict": conflict.key,
        **shapes.shape(conflict, "subject name field"),
        "mine": shapes.shape(conflict.mine, "value by? at?"),
        "theirs": shapes.shape(conflict.theirs, "value by? at?"),
        "choices": [str(choice) for choice in conflict.choices],
        "usual": str(chosen(conflict, {})),
        "choice": str(choices.get(conflict.key, "")),
    }


def heads_shape(merge: Merge) -> shapes.Shape:
    """By which a plan is known to be of this merge."""
    fork = merge.fork
    return {"base": fork.base.digest, "mine": fork.mine.head.digest, "theirs": fork.theirs.head.digest}


def merge_shape(merge: Merge, choices: Choices, merged: Merged | None) -> shapes.Shape:
    """All of it; `merged` None where the copies were compared and nothing was written."""
    return {
        "project": str(merged.path) if merged is not None else None,
        **heads_shape(merge),
        "entries": len(merge.fork.theirs.rows),
        "conflicts": [conflict_shape(conflict, choices) for conflict in merge.conflicts],
        "undecided": [conflict.key for conflict in merge.conflicts if conflict.key not in choices],
        "kept": list(merged.kept) if merged is not None else [],
        "unread": list(merged.unread) if merged is not None else [],
        "renumbered": dict(merged.renumbered) if merged is not None else {},
    }
