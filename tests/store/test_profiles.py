"""Host profiles and accepted host keys: what was entered comes back, and nothing accepted is ever lost."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.store import cases
from tunebench.domain.connection import Backend, HostColour, HostKey, HostProfile
from tunebench.store import profiles
from tunebench.store.audit.trail import list_audit
from tunebench.store.opening import open_project
from tunebench.store.project import Project

DB01 = HostProfile(
    "db01",
    "10.0.0.7",
    2222,
    "oracle",
    "~/.ssh/id_ed25519",
    ("lee@bastion:22", "gate"),
    Backend.OPENSSH,
    ("ssh-rsa", "aes128-cbc"),
    HostColour.PRODUCTION,
    False,
    "sunos",
    "운영 DB",
    "/etc/ssh/known",
)
KEY = HostKey("10.0.0.7", 2222, "ssh-ed25519", "AAAAC3Nz", "SHA256:one")
OTHER = replace(KEY, blob="AAAAC3Ny", fingerprint="SHA256:two")
RSA = replace(KEY, key_type="rsa-sha2-512", blob="AAAAB3", fingerprint="SHA256:rsa")


def actions(project: Project) -> list[str]:
    return [entry.action for entry in list_audit(project)][1:]


def test_a_profile_comes_back_whole(project: Project) -> None:
    web = HostProfile("app01", "app01.example")
    profiles.save_profile(project, DB01)
    profiles.save_profile(project, web)
    project.close()
    with open_project(project.path) as again:
        assert profiles.list_profiles(again) == [web, DB01]


def test_the_audit_trail_says_what_changed_in_a_profile(project: Project) -> None:
    profiles.save_profile(project, DB01)
    profiles.save_profile(project, DB01)
    profiles.save_profile(project, replace(DB01, port=22, weak_algorithms=()))
    first, second = list_audit(project)[1:]
    assert (first.action, first.facts["changes"]) == ("profile_saved", {})
    assert second.facts["changes"] == {"port": [2222, 22], "weak_algorithms": [["ssh-rsa", "aes128-cbc"], []]}
    cases.check_audit_sentence(second)


def test_a_profile_is_removed_once(project: Project) -> None:
    profiles.save_profile(project, DB01)
    profiles.remove_profile(project, "db01")
    profiles.remove_profile(project, "db01")
    assert profiles.list_profiles(project) == []
    assert actions(project) == ["profile_saved", "profile_removed"]


def test_a_profile_of_an_older_program_has_defaults(project: Project) -> None:
    with project.transaction() as connection:
        connection.execute(
            "INSERT INTO host_profile VALUES ('a', ?)",
            ('{"name": "a", "address": "b", "backend": "paramiko", "colour": "test", "jump": ["c"]}',),
        )
    assert profiles.list_profiles(project) == [HostProfile("a", "b", jump=("c",), colour=HostColour.TEST)]


def test_an_accepted_key_is_kept_with_who_and_when(project: Project) -> None:
    profiles.accept_key(project, KEY, "이영진")
    profiles.accept_key(project, KEY, "somebody else")
    profiles.accept_key(project, RSA, "kang")
    project.close()
    with open_project(project.path) as again:
        ed25519, rsa = profiles.accepted_keys(again)
        assert (ed25519.key, ed25519.accepted_by) == (KEY, "이영진")
        assert (rsa.key, rsa.accepted_by) == (RSA, "kang")
        assert ed25519.accepted_at.endswith("+00:00")
        entry = list_audit(again)[1]
        assert entry.facts == {
            "address": "10.0.0.7",
            "port": 2222,
            "key_type": "ssh-ed25519",
            "fingerprint": "SHA256:one",
            "by": "이영진",
        }
        assert actions(again) == ["host_key_accepted"] * 2


def test_another_key_is_never_accepted_in_passing(project: Project) -> None:
    profiles.accept_key(project, KEY, "lee")
    with pytest.raises(LookupError, match="SHA256:one"):
        profiles.accept_key(project, OTHER, "lee")
    assert [accepted.key for accepted in profiles.accepted_keys(project)] == [KEY]


def test_a_replaced_key_stays_as_history(project: Project) -> None:
    for key in (KEY, RSA):
        profiles.accept_key(project, key, "lee")
    profiles.replace_key(project, OTHER, "kang")
    profiles.replace_key(project, OTHER, "kang")
    assert [accepted.key for accepted in profiles.accepted_keys(project)] == [RSA, OTHER]
    old, rsa, new = profiles.key_history(project)
    assert (old.accepted.key, old.accepted.accepted_by, old.ended_by) == (KEY, "lee", "kang")
    assert old.ended_at is not None and rsa.ended_at is None and new.ended_at is None
    entry = list_audit(project)[-1]
    assert (entry.action, entry.facts["before"], entry.facts["after"]) == (
        "host_key_replaced",
        "SHA256:one",
        "SHA256:two",
    )
    cases.check_audit_sentence(entry)


def test_replacing_where_there_is_none_accepts(project: Project) -> None:
    profiles.replace_key(project, KEY, "lee")
    assert actions(project) == ["host_key_accepted"]


def test_a_forgotten_key_stays_as_history_and_may_be_accepted_anew(project: Project) -> None:
    profiles.accept_key(project, KEY, "lee")
    profiles.forget_key(project, OTHER, "lee")
    profiles.forget_key(project, KEY, "lee")
    profiles.forget_key(project, KEY, "lee")
    assert profiles.accepted_keys(project) == []
    profiles.accept_key(project, OTHER, "lee")
    assert [(record.accepted.key, record.ended_by) for record in profiles.key_history(project)] == [
        (KEY, "lee"),
        (OTHER, None),
    ]
    assert actions(project) == ["host_key_accepted", "host_key_forgotten", "host_key_accepted"]
    for entry in list_audit(project):
        cases.check_audit_sentence(entry)


def test_the_same_address_on_another_port_is_another_host(project: Project) -> None:
    profiles.accept_key(project, KEY, "lee")
    profiles.accept_key(project, replace(OTHER, port=22), "lee")
    assert len(profiles.accepted_keys(project)) == 2
