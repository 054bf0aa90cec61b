"""What this machine remembers of how an engagement is approved: outside the project, which whoever can write it can
change, its audit trail with it.

Remembered is what was said in this program on this machine, or trusted after the fingerprints were compared. The
project is known by the first entry of its trail, and by its place: one that was made to look like another is neither.
"""

from __future__ import annotations

import json
from dataclasses import asdict, replace
from typing import TYPE_CHECKING

from tunebench.core.errors import UserError
from tunebench.core.paths import user_config_folder
from tunebench.core.plain_files import read_plain
from tunebench.core.records import record
from tunebench.core.whole_files import make_private_folder, write_whole
from tunebench.domain.approving import Approvers
from tunebench.domain.cycle.record_json import BadRecord, from_json
from tunebench.domain.cycle.records import Contact
from tunebench.domain.engagement import Approvals
from tunebench.store import engagements

if TYPE_CHECKING:
    from tunebench.store.project import Project

FILE = "approvers.json"
_STRICT = tuple(Approvals)


@record
class Remembered:
    """`first`: digest of the first entry of the trail; `keys`: public lines."""

    first: str
    path: str
    policy: str = Approvals.NONE
    keys: tuple[str, ...] = ()


def read_approvers(project: Project) -> Approvers:
    """The approvers that the project names, held to what this machine remembers.

    The stricter policy holds, and no key counts but those remembered.

    Raises:
        UserError: trusted_unreadable.
    """
    stated, entries = told_approvers(project), _of(project, _read())
    policies = (stated.policy, *(Approvals(entry.policy) for entry in entries))
    keys = frozenset(key for entry in entries for key in entry.keys)
    policy = max(policies, key=_STRICT.index)
    approvers = replace(stated, policy=policy)
    return replace(approvers, trusted=keys) if entries or approvers.want_signatures else approvers


def told_approvers(project: Project) -> Approvers:
    """The approvers that the project names, whatever this machine remembers."""
    rows = project.rows("SELECT kind, id, body FROM cycle_record WHERE kind = 'contact' ORDER BY id")
    contacts = []
    for row in rows:
        try:
            contacts.append(from_json(*row))
        except BadRecord:
            continue  # the check names it
    approvers = tuple(contact for contact in contacts if isinstance(contact, Contact))
    return Approvers(engagements.read_engagement(project).approvals, approvers, engagement=first_entry(project))


def trust(project: Project) -> tuple[str, ...]:
    """Remembers what the project says now; gives its keys."""
    approvers = told_approvers(project)
    keys = tuple(dict.fromkeys(contact.approver_key for contact in approvers.contacts if contact.approver_key))
    _remember(project, Remembered(first_entry(project), str(project.path.resolve()), approvers.policy, keys))
    return keys


def policy_said(project: Project, policy: Approvals) -> None:
    """Remembers the policy that was chosen in this program."""
    _remember(project, replace(_own(project), policy=policy))


def key_said(project: Project, old: str, new: str) -> None:
    """Remembers a contact's key that was changed in this program; "" for none."""
    own = _own(project)
    kept = (key for key in own.keys if key != old)
    _remember(project, replace(own, keys=tuple(dict.fromkeys((*kept, *filter(None, (new,)))))))


def forget_place(project: Project) -> None:
    """Forgets the project that lay where this one was created."""
    entries = _read()
    kept = [entry for entry in entries if entry.path != str(project.path.resolve())]
    if kept != entries:
        _write(kept)


def _own(project: Project) -> Remembered:
    first, path = first_entry(project), str(project.path.resolve())
    entries = _of(project, _read())
    keys = tuple(dict.fromkeys(key for entry in entries for key in entry.keys))
    policy = max((Approvals(entry.policy) for entry in entries), key=_STRICT.index, default=Approvals.NONE)
    return Remembered(first, path, policy, keys)


def _remember(project: Project, own: Remembered) -> None:
    entries = _read()
    its = _of(project, entries)
    others = [entry for entry in entries if entry not in its]
    says_something = own.policy != Approvals.NONE or own.keys
    if says_something or others != entries:
        _write([*others, own] if says_something else others)


def _of(project: Project, entries: list[Remembered]) -> list[Remembered]:
    if not entries:
        return []
    first, path = first_entry(project), str(project.path.resolve())
    return [entry for entry in entries if path == entry.path or (first and first == entry.first)]


def first_entry(project: Project) -> str:
    """Digest of the trail's first entry, which no other engagement has; "" where nothing was recorded."""
    row = project.row("SELECT digest FROM audit ORDER BY id LIMIT 1")
    return str(row[0]) if row is not None else ""


def _read() -> list[Remembered]:
    path = user_config_folder() / FILE
    try:
        raw = json.loads(read_plain(path))
        return [
            Remembered(
                str(entry["first"]), str(entry["path"]), Approvals(entry["policy"]), tuple(map(str, entry["keys"]))
            )
            for entry in raw
        ]
    except FileNotFoundError:
        return []
    except (OSError, ValueError, TypeError, KeyError, RecursionError) as error:
        raise UserError("trusted_unreadable", path=str(path)) from error


def _write(entries: list[Remembered]) -> None:
    folder = user_config_folder()
    try:
        make_private_folder(folder)
    except OSError as error:
        raise UserError("file_unwritable", path=str(folder), reason=error.strerror or str(error)) from error
    text = json.dumps([asdict(entry) for entry in entries], indent=1)  # a path may not be Unicode
    write_whole(folder / FILE, text.encode())
