"""Which entries of a trail a merge brings in; with any other it refuses, for it would lose what it does not know."""

from __future__ import annotations

from collections.abc import Iterable

from tunebench.core.errors import UserError
from tunebench.store.audit.trail import ACTIONS, AuditEntry

OF_THE_TRAIL = frozenset(
    [
        "demo_begun",
        "project_created",
        "project_migrated",
        "project_encrypted",
        "project_rekeyed",
        "project_decrypted",
        "removed_wiped",
        "lock_taken_over",
        "merged",
        "trail_signed",
        "ssh_connected",
        "ssh_refused",
        "weak_algorithms",
        "sheet_written",
        "script_written",
        "capture_started",
        "capture_command",
        "capture_command_ended",
        "capture_mark",
        "capture_stopped",
        "capture_extended",
        "capture_resumed",
        "capture_cleaned",
        "capture_file_checked",
        "command_refused",
        "detached_started",
        "detached_pulled",
        "detached_removed",
        "session_interrupted",
        "incomplete_artefact_discarded",
    ]
)
"""What they tell is told by the branch that is kept: nothing else in the project comes of them."""
BROUGHT = frozenset(
    [
        "engagement_changed",
        "narrative_changed",
        "measurements_changed",
        "statements_written",
        "note_added",
        "note_changed",
        "note_removed",
        "report_written",
        "host_added",
        "host_changed",
        "host_zone_changed",
        "run_added",
        "run_changed",
        "run_removed",
        "artefact_stored",
        "artefact_parsed",
        "artefact_kept",
        "samples_removed",
        "artefact_removed",
        "bundle_imported",
        "device_names_changed",
        "counting_capture_chosen",
        "times_resolved",
        "resolution_taken_back",
        "resolution_renewed",
        "statements_linked",
        "statements_unlinked",
        "licence_confirmed",
        "cycle_changed",
        "experiment_changed",
        "host_key_accepted",
        "host_key_replaced",
        "host_key_forgotten",
        "profile_saved",
        "profile_removed",
        "plan_saved",
        "plan_approved",
        "session_added",
        "session_changed",
        "capture_gap",
    ]
)
"""What they changed is compared and brought in."""


def refuse_unknown(entries: Iterable[AuditEntry], path: str) -> None:
    """Raises UserError merge_action_unknown for an entry of a kind that this program does not merge."""
    for entry in entries:
        if entry.action not in BROUGHT | OF_THE_TRAIL:
            action = entry.action if entry.action in ACTIONS else f"?{entry.action}"
            raise UserError("merge_action_unknown", path=path, entry=entry.id, action=action)
