"""What this machine remembers of how an engagement is approved: outside the project, which whoever can write it can
change, its audit trail with it.

Remembered is what was said in this program on this machine, or trusted after the fingerprints were compared. The
project is known by the first entry of its trail, and by its place: one that was made to look like another is neither.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING

from tunebench.core.errors import UserError
from tunebench.core.paths import user_config_folder
from tunebench.core.plain_files import read_plain
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


@dataclass(frozen=True, slots=True)
class Remembered:
    """`first`: digest of the first entry of the trail; `keys`: public lines."""

    first: str
    path: str
    policy: str = Approvals.NONE
    keys: tuple[str, ...] = ()


def read_approvers(project: Project) -> Approvers:
    """As the project says, but for what this machine remembers: the stricter policy holds, and no other key counts.

    Raises:
        UserError: trusted_unreadable.
    """
    told, known = told_approvers(project), _of(project, _read())
    policies = (told.policy, *(Approvals(each.policy) for each in known))
    keys = frozenset(key for each in known for key in each.keys)
    policy = max(policies, key=_STRICT.index)
    made = replace(told, policy=policy)
    return replace(made, trusted=keys) if known or made.want_signatures else made


def told_approvers(project: Project) -> Approvers:
    """As the project alone says."""
    rows = project.rows("SELECT kind, id, body FROM cycle_record WHERE kind = 'contact' ORDER BY id")
    contacts = []
    for row in rows:
        try:
            contacts.append(from_json(*row))
        except BadRecord:
            continue  # the check names it
    found = tuple(each for each in contacts if isinstance(each, Contact))
    return Approvers(engagements.read_engagement(project).approvals, found, engagement=first_entry(project))


def trust(project: Project) -> tuple[str, ...]:
    """Remembers what the project says now; gives its keys."""
    told = told_approvers(project)
    keys = tuple(dict.fromkeys(each.approver_key for each in told.contacts if each.approver_key))
    _remember(project, Remembered(first_entry(project), str(project.path.resolve()), told.policy, keys))
    return keys


def policy_said(project: Project, policy: Approvals) -> None:
    """The policy was changed in this program."""
    _remember(project, replace(_own(project), policy=policy))


def key_said(project: Project, old: str, new: str) -> None:
    """A contact's key was changed in this program; "" for none."""
    own = _own(project)
    kept = (each for each in own.keys if each != old)
    _remember(project, replace(own, keys=tuple(dict.fromkeys((*kept, *filter(None, (new,)))))))


def forget_place(project: Project) -> None:
    """A project was made where another one lay."""
    known = _read()
    kept = [each for each in known if each.path != str(project.path.resolve())]
    if kept != known:
        _write(kept)


def _own(project: Project) -> Remembered:
    first, path = first_entry(project), str(project.path.resolve())
    known = _of(project, _read())
    keys = tuple(dict.fromkeys(key for each in known for key in each.keys))
    policy = max((Approvals(each.policy) for each in known), key=_STRICT.index, default=Approvals.NONE)
    return Remembered(first, path, policy, keys)


def _remember(project: Project, own: Remembered) -> None:
    known = _read()
    its = _of(project, known)
    others = [each for each in known if each not in its]
    says_something = own.policy != Approvals.NONE or own.keys
    if says_something or others != known:
        _write([*others, own] if says_something else others)


def _of(project: Project, known: list[Remembered]) -> list[Remembered]:
    if not known:
        return []
    first, path = first_entry(project), str(project.path.resolve())
    return [each for each in known if path == each.path or (first and first == each.first)]


def first_entry(project: Project) -> str:
    """Its digest in the audit trail, which is no other engagement's; "" where nothing was recorded."""
    row = project.row("SELECT digest FROM audit ORDER BY id LIMIT 1")
    return str(row[0]) if row is not None else ""


def _read() -> list[Remembered]:
    path = user_config_folder() / FILE
    try:
        raw = json.loads(read_plain(path))
        return [
            Remembered(str(each["first"]), str(each["path"]), Approvals(each["policy"]), tuple(map(str, each["keys"])))
            for each in raw
        ]
    except FileNotFoundError:
        return []
    except (OSError, ValueError, TypeError, KeyError, RecursionError) as error:
        raise UserError("trusted_unreadable", path=str(path)) from error


def _write(known: list[Remembered]) -> None:
    folder = user_config_folder()
    try:
        make_private_folder(folder)
    except OSError as error:
        raise UserError("file_unwritable", path=str(folder), reason=error.strerror or str(error)) from error
    text = json.dumps([asdict(each) for each in known], indent=1)  # a path may not be Unicode
    write_whole(folder / FILE, text.encode())
