"""The account of a bundle is kept beside its members, and survives its coming in again."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tunebench.domain.bundle import Bundle, BundleMember, MemberState
from tunebench.domain.engagement import Phase
from tunebench.store import artefacts, bundles, removal, runs
from tunebench.store.audit import trail as audit_reading
from tunebench.store.project import Project

MEMBERS = (
    BundleMember("a/vmstat.txt", MemberState.IMPORTED, "oswvmstat", 120, None, "db01"),
    BundleMember("a/secret", MemberState.REFUSED, "", 5, None, "", "member_encrypted", {"path": "x.zip!/a/secret"}),
    BundleMember("a/messages", MemberState.NOT_CAPTURE, "logs", 7),
    BundleMember("a/메모", MemberState.NOT_CAPTURE, "logs", 7),
)
BUNDLE = Bundle(
    0,
    "x.zip",
    "/mnt/usb/x.zip",
    "zip",
    4711,
    "ab" * 32,
    1_713_229_200 * 10**9,
    "2026-11-21T00:00:00+00:00",
    ("oswatcher",),
    MEMBERS,
)


def stored(project: Project, name: str) -> int:
    run = runs.ensure_run(project, "before", Phase.BEFORE)
    writer = artefacts.begin_artefact(project, run.id, name, f"/mnt/usb/x.zip!/{name}", 0)
    writer.write(name.encode())
    return writer.finish().artefact_id


def test_what_was_written_is_read(project: Project) -> None:
    written = bundles.record_bundle(project, BUNDLE)
    assert bundles.list_bundles(project) == [written]
    assert written == replace(BUNDLE, id=written.id)
    assert written.totals[MemberState.NOT_CAPTURE] == 2 and written.totals[MemberState.FAILED] == 0
    assert (written.kinds, written.hosts) == ({"logs": 2}, ("db01",))
    refusal = written.members[1].refusal
    assert refusal is not None and (refusal.key, refusal.facts) == ("member_encrypted", {"path": "x.zip!/a/secret"})


def test_the_same_archive_again_keeps_what_it_was(project: Project) -> None:
    held = replace(MEMBERS[0], artefact_id=stored(project, "a/vmstat.txt"))
    first = bundles.record_bundle(project, replace(BUNDLE, members=(held, *MEMBERS[1:])))
    again = replace(held, state=MemberState.DUPLICATE)
    new = BundleMember("a/new.txt", MemberState.IMPORTED)
    second = bundles.record_bundle(project, replace(BUNDLE, path="/elsewhere/y.zip", members=(again, new)))
    assert second.id == first.id and len(bundles.list_bundles(project)) == 1
    assert [(member.name, member.state) for member in second.members] == [
        ("a/vmstat.txt", MemberState.IMPORTED),
        ("a/new.txt", MemberState.IMPORTED),
        ("a/secret", MemberState.REFUSED),
        ("a/messages", MemberState.NOT_CAPTURE),
        ("a/메모", MemberState.NOT_CAPTURE),
    ]


def test_folders_are_the_same_by_their_path(project: Project) -> None:
    one = replace(BUNDLE, form="folder", sha256="", path="/home/lee/a")
    assert bundles.record_bundle(project, one).id == bundles.record_bundle(project, one).id
    assert bundles.record_bundle(project, replace(one, path="/home/lee/b")).id == 2


def test_a_member_that_is_removed_leaves_its_line(project: Project) -> None:
    artefact_id = stored(project, "a/vmstat.txt")
    held = replace(MEMBERS[0], artefact_id=artefact_id)
    bundles.record_bundle(project, replace(BUNDLE, members=(held,)))
    removal.remove_artefact(project, artefact_id)
    (bundle,) = bundles.list_bundles(project)
    assert bundle.members == (replace(held, artefact_id=None),)


def test_the_audit_trail_names_it(project: Project) -> None:
    bundles.record_bundle(project, BUNDLE)
    entry = audit_reading.as_entry(list(audit_reading.stream_rows(project))[-1])
    assert entry.action == "bundle_imported" and entry.facts["sha256"] == "ab" * 32 and entry.facts["members"] == 4


@pytest.mark.parametrize(
    ("first", "second", "kept"), [("ab" * 32, "", "ab" * 32), ("", "cd" * 32, "cd" * 32), ("", "", "")]
)
def test_a_digest_that_is_known_stays_known(project: Project, first: str, second: str, kept: str) -> None:
    """A folder has none; what comes again from the same place is the same bundle."""
    for digest in (first, second):
        bundles.record_bundle(project, replace(BUNDLE, sha256=digest))
    assert [each.sha256 for each in bundles.list_bundles(project)] == [kept]
