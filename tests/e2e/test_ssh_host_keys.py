"""The server's key is verified before it learns anything of us: unknown, changed, revoked, another type, odd files."""

from __future__ import annotations

import base64
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.e2e.ssh_people import Desk, Person
from tests.e2e.sshd_rig import Sshd, fingerprint_of, make_key, public_key
from tunebench.domain.connection import AcceptedKey, Backend, KeyVerdict
from tunebench.transport.ssh import connector_for
from tunebench.transport.ssh.link import LinkError

TOLD_NOTHING = "userauth-request"  # sshd's word, at debug level, for the first thing that names a user


def refusal(desk: Desk, sshd: Sshd, person: Person | None = None, **changes) -> LinkError:
    with pytest.raises(LinkError) as failure:
        desk.open(sshd.profile(**changes), person)
    assert failure.value.final
    assert failure.value.facts["host"] == "server"
    return failure.value


def test_an_unknown_key_is_shown_as_ssh_keygen_prints_it_and_nothing_is_sent_before(sshd: Sshd, desk: Desk) -> None:
    sshd.forget_host()
    person = Person(accepts=False)
    failure = refusal(desk, sshd, person)
    (question,) = person.host_keys
    assert failure.key == "host_key_unknown"
    assert question.verdict is KeyVerdict.UNKNOWN
    assert question.key.fingerprint == failure.facts["fingerprint"] == fingerprint_of(sshd.host_keys[0])
    assert question.addresses == ("127.0.0.1",) and question.key.key_type == "ssh-ed25519"
    assert "Connection from" in sshd.log and TOLD_NOTHING not in sshd.log


def test_an_accepted_key_is_not_asked_for_again(sshd: Sshd, desk: Desk) -> None:
    sshd.forget_host()
    person = Person(accepts=True)
    link = desk.open(sshd.profile(), person)
    assert link.facts.host_key_verdict == "unknown" and link.facts.fingerprint == sshd.fingerprint
    desk.open(sshd.profile(), person)
    assert len(person.host_keys) == 1


def test_a_key_accepted_for_the_engagement_is_known(sshd: Sshd, desk: Desk) -> None:
    sshd.forget_host()
    person = Person(accepts=True)
    desk.open(sshd.profile(), person)
    accepted = [AcceptedKey(person.host_keys[0].key, "somebody", "2026-11-21T00:00:00+00:00")]
    another = connector_for(Backend.PARAMIKO, lambda: accepted)
    assert desk.open(sshd.profile(), connector=another).facts.host_key_verdict == "known"


def test_a_changed_key_is_refused_without_asking_and_both_fingerprints_are_told(sshd: Sshd, desk: Desk) -> None:
    before = sshd.fingerprint
    sshd.swap_host_key("ed25519")
    person = Person(accepts=True)
    failure = refusal(desk, sshd, person)
    assert failure.key == "host_key_changed" and person.asked == 0
    assert (failure.facts["fingerprint"], failure.facts["known"]) == (sshd.fingerprint, before)
    assert TOLD_NOTHING not in sshd.log


def test_a_key_that_changes_after_it_was_accepted_is_refused(sshd: Sshd, desk: Desk) -> None:
    sshd.forget_host()
    desk.open(sshd.profile(), Person(accepts=True))
    sshd.swap_host_key("ed25519")
    assert refusal(desk, sshd, Person(accepts=True)).key == "host_key_changed"


def test_another_type_of_key_than_the_known_one_is_a_question(sshd: Sshd, desk: Desk) -> None:
    known = sshd.fingerprint
    sshd.swap_host_key("rsa")
    person = Person(accepts=False)
    assert refusal(desk, sshd, person).key == "host_key_unknown"
    (question,) = person.host_keys
    assert question.verdict is KeyVerdict.NEW_TYPE and question.key.key_type == "ssh-rsa"
    assert [key.fingerprint for key in question.known] == [known]
    assert TOLD_NOTHING not in sshd.log


def test_of_several_keys_the_server_is_asked_for_the_known_one(make_sshd: Callable[..., Sshd], desk: Desk) -> None:
    sshd = make_sshd()
    sshd.make_host_keys("ed25519", "rsa", "ecdsa")
    sshd.known_hosts.write_text(f"[127.0.0.1]:{sshd.port} {public_key(sshd.host_keys[1])}\n")
    sshd.start()
    facts = desk.open(sshd.profile()).facts
    assert (facts.host_key_type, facts.fingerprint) == ("ssh-rsa", fingerprint_of(sshd.host_keys[1]))


def odd_lines(sshd: Sshd, folder: Path) -> list[str]:
    """One line of every kind that stops other readers, none of which speaks for or against the server."""
    authority = make_key(folder / "authority", "ed25519")
    revoked = make_key(folder / "revoked", "ed25519")
    dsa = base64.b64encode(b"\0\0\0\7ssh-dss" + b"\0\0\0\1\1" * 4).decode()
    security_key = b"\0\0\0\x1ask-ssh-ed25519@openssh.com" + b"\0\0\0\x20" + bytes(32) + b"\0\0\0\4ssh:"
    return [
        "# a comment",
        "",
        f"@cert-authority * {public_key(authority)}",
        f"@revoked * {public_key(revoked)}",
        "broken ssh-ed25519 not*base64*",
        "short ssh-rsa",
        f"old ssh-dss {dsa}",
        f"token sk-ssh-ed25519@openssh.com {base64.b64encode(security_key).decode()}",
        "\x00\x01\x02",
    ]


@pytest.mark.parametrize("kind", ["plain", "hashed", "wildcard"])
def test_a_known_hosts_file_with_odd_lines_is_still_good(sshd: Sshd, desk: Desk, tmp_path: Path, kind: str) -> None:
    name = "[127.0.0.?]:*" if kind == "wildcard" else f"[127.0.0.1]:{sshd.port}"
    sshd.known_hosts.write_text(f"{name} {public_key(sshd.host_keys[0])}\n")
    if kind == "hashed":
        subprocess.run(["ssh-keygen", "-H", "-f", str(sshd.known_hosts)], check=True, capture_output=True, timeout=30)
        assert sshd.known_hosts.read_text().startswith("|1|")
    with sshd.known_hosts.open("a") as file:
        file.write("\n".join(odd_lines(sshd, tmp_path)) + "\n")
    person = Person()
    assert desk.open(sshd.profile(), person).facts.host_key_verdict == "known"
    assert person.asked == 0


def test_a_revoked_key_is_refused_although_it_is_known(sshd: Sshd, desk: Desk) -> None:
    with sshd.known_hosts.open("a") as file:
        file.write(f"@revoked * {public_key(sshd.host_keys[0])}\n")
    person = Person(accepts=True)
    assert refusal(desk, sshd, person).key == "host_key_revoked"
    assert person.asked == 0 and TOLD_NOTHING not in sshd.log
