"""Logging in: one attempt each, only the key that was named, questions instead of tracebacks, no secret anywhere."""

from __future__ import annotations

import gc
import logging
import os
import shutil
import signal
import socket
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.e2e.accounts_rig import Accounts
from tests.e2e.interactive_server import InteractiveServer
from tests.e2e.ssh_people import Desk, Person
from tests.e2e.sshd_rig import PASSPHRASE, Sshd, make_key
from tests.waiting import wait_until
from tunebench.domain.connection import SecretKind
from tunebench.transport.ssh.link import LinkError, LinkSettings

PASSWORDS_ONLY = ("PasswordAuthentication yes", "PubkeyAuthentication no")


def failed(desk: Desk, sshd: Sshd, person: Person | None = None, **changes) -> LinkError:
    with pytest.raises(LinkError) as failure:
        desk.open(sshd.profile(**changes), person)
    assert failure.value.final, failure.value
    return failure.value


def attempts(sshd: Sshd, method: str) -> int:
    return sum(f"method {method}" in line for line in sshd.log.splitlines() if "userauth-request" in line)


@pytest.fixture
def agent(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[Path], None]]:
    """An ssh-agent of this test alone; call it with a key to add one."""
    if shutil.which("ssh-agent") is None or shutil.which("ssh-add") is None:
        pytest.skip("ssh-agent is not installed")
    path = tmp_path / "agent"
    process = subprocess.Popen(["ssh-agent", "-D", "-a", str(path)], stdout=subprocess.DEVNULL)
    wait_until(lambda: _listens(path))
    monkeypatch.setenv("SSH_AUTH_SOCK", str(path))
    say = tmp_path / "say"
    say.write_text(f"#!/bin/sh\necho {PASSPHRASE}\n")
    say.chmod(0o700)

    def add(key: Path) -> None:
        asked = {**os.environ, "SSH_ASKPASS": str(say), "SSH_ASKPASS_REQUIRE": "force"}
        subprocess.run(["ssh-add", "-q", str(key)], check=True, env=asked, timeout=30, capture_output=True)

    yield add
    process.send_signal(signal.SIGTERM)
    process.wait(10)


def _listens(path: Path) -> bool:
    """A socket is there a moment before anybody listens at it."""
    with socket.socket(socket.AF_UNIX) as caller:
        return caller.connect_ex(str(path)) == 0


# -- keys
def test_a_wrong_key_is_tried_once_and_the_reason_is_named(sshd: Sshd, desk: Desk) -> None:
    failure = failed(desk, sshd, identity=str(sshd.other_key))
    assert (failure.key, failure.facts["methods"], failure.facts["user"]) == ("auth_failed", "publickey", sshd.user)
    assert attempts(sshd, "publickey") == 1 and attempts(sshd, "none") == 1


def test_of_eight_keys_in_the_agent_none_is_tried_but_the_named_one(sshd: Sshd, desk: Desk, agent, tmp_path) -> None:
    for number in range(8):
        agent(make_key(tmp_path / f"foreign_{number}"))
    assert failed(desk, sshd, identity=str(sshd.other_key)).key == "auth_failed"
    assert attempts(sshd, "publickey") == 1


def test_an_encrypted_key_that_the_agent_holds_needs_no_passphrase(sshd: Sshd, desk: Desk, agent, tmp_path) -> None:
    agent(make_key(tmp_path / "foreign"))
    agent(sshd.encrypted_key)
    person = Person()
    link = desk.open(sshd.profile(identity=str(sshd.encrypted_key)), person)
    assert link.facts.auth_method == "publickey" and link.facts.reconnects_alone
    assert person.asked == 0 and attempts(sshd, "publickey") == 1


def test_a_public_half_names_a_key_of_the_agent(sshd: Sshd, desk: Desk, agent, tmp_path: Path) -> None:
    agent(sshd.user_key)
    alone = tmp_path / "alone.pub"
    alone.write_text(Path(f"{sshd.user_key}.pub").read_text())
    assert desk.open(sshd.profile(identity=str(alone))).facts.auth_method == "publickey"


@pytest.mark.parametrize("key_type", ["rsa", "ecdsa"])
def test_other_kinds_of_keys_open_too(sshd: Sshd, desk: Desk, tmp_path: Path, key_type: str) -> None:
    key = make_key(tmp_path / "key", key_type)
    sshd.authorize(key)
    assert desk.open(sshd.profile(identity=str(key))).facts.auth_method == "publickey"


def test_a_certificate_beside_the_key_lets_in_where_the_key_alone_does_not(
    make_sshd: Callable[..., Sshd], desk: Desk
) -> None:
    sshd = make_sshd()
    authority = make_key(sshd.folder / "user_ca")
    sshd.start(f"TrustedUserCAKeys {authority}.pub")
    assert failed(desk, sshd, identity=str(sshd.other_key)).key == "auth_failed"
    subprocess.run(
        ["ssh-keygen", "-q", "-s", str(authority), "-I", "tester", "-n", sshd.user, f"{sshd.other_key}.pub"],
        check=True,
        capture_output=True,
        timeout=30,
    )
    assert desk.open(sshd.profile(identity=str(sshd.other_key))).facts.auth_method == "publickey"
    assert "Accepted certificate ID" in sshd.log


def test_an_encrypted_key_asks_and_asks_once_more_after_a_wrong_passphrase(sshd: Sshd, desk: Desk) -> None:
    person = Person(secrets=["not this one", PASSPHRASE])
    desk.open(sshd.profile(identity=str(sshd.encrypted_key)), person)
    assert [(each.kind, each.subject, each.again) for each in person.secrets] == [
        (SecretKind.PASSPHRASE, str(sshd.encrypted_key), False),
        (SecretKind.PASSPHRASE, str(sshd.encrypted_key), True),
    ]
    # What was typed opens the next connection as well.
    desk.open(sshd.profile(identity=str(sshd.encrypted_key)), person)
    assert len(person.secrets) == 2


@pytest.mark.parametrize(("typed", "key"), [(["a", "b"], "passphrase_wrong"), ([None], "auth_cancelled")])
def test_without_the_passphrase_the_reason_is_named_and_the_key_is_not_tried(sshd, desk, typed, key) -> None:
    failure = failed(desk, sshd, Person(secrets=typed), identity=str(sshd.encrypted_key))
    assert failure.key == key and attempts(sshd, "publickey") == 0


def test_a_key_that_is_none_is_named(sshd: Sshd, desk: Desk, tmp_path: Path) -> None:
    broken = tmp_path / "id_broken"
    broken.write_text("-----BEGIN OPENSSH PRIVATE KEY-----\nbm90IGEga2V5\n-----END OPENSSH PRIVATE KEY-----\n")
    failure = failed(desk, sshd, identity=str(broken))
    assert (failure.key, failure.facts["identity"]) == ("key_unreadable", str(broken))


def test_a_key_file_that_is_missing_is_named(sshd: Sshd, desk: Desk, tmp_path: Path) -> None:
    failure = failed(desk, sshd, identity=str(tmp_path / "nowhere"))
    assert (failure.key, failure.facts["identity"]) == ("key_unreadable", str(tmp_path / "nowhere"))


# -- passwords
def test_a_password_is_asked_for_once_and_opens_the_next_connection(sshd: Sshd, accounts: Accounts, desk: Desk) -> None:
    sshd.restart(*PASSWORDS_ONLY)
    account, person = accounts.add(), Person()
    person.secrets_left = [account.password]
    link = desk.open(sshd.profile(user=account.name), person)
    assert link.facts.auth_method == "password" and link.run("id -un", 5).stdout.decode().strip() == account.name
    assert [each.subject for each in person.secrets] == [f"{account.name}@127.0.0.1:{sshd.port}"]
    desk.open(sshd.profile(user=account.name), person)
    assert len(person.secrets) == 1


def test_a_wrong_password_is_sent_once_and_asked_for_again_next_time(sshd, accounts, desk) -> None:
    sshd.restart(*PASSWORDS_ONLY)
    account, person = accounts.add(), Person(secrets=["wrong", None])
    failure = failed(desk, sshd, person, user=account.name)
    assert (failure.key, failure.facts["methods"]) == ("auth_failed", "password")
    assert attempts(sshd, "password") == 1 and len(person.secrets) == 1
    assert failed(desk, sshd, person, user=account.name).key == "auth_cancelled"
    assert attempts(sshd, "password") == 1


def test_key_and_password_together_where_the_server_wants_both(sshd, accounts, desk) -> None:
    sshd.restart("PasswordAuthentication yes", "AuthenticationMethods publickey,password")
    account = accounts.add()
    link = desk.open(sshd.profile(user=account.name), Person(secrets=[account.password]))
    assert link.facts.auth_method == "publickey+password"


def test_a_password_and_then_a_key_where_the_server_wants_them_in_this_order(sshd, accounts, desk) -> None:
    sshd.restart("PasswordAuthentication yes", "AuthenticationMethods password,publickey")
    account = accounts.add()
    person = Person(secrets=[account.password])
    link = desk.open(sshd.profile(user=account.name), person)
    assert link.facts.auth_method == "password+publickey"
    desk.open(sshd.profile(user=account.name), person)
    assert len(person.secrets) == 1 and attempts(sshd, "password") == 2


def test_after_a_password_that_was_taken_a_wrong_key_is_shown_once(sshd, accounts, desk) -> None:
    sshd.restart("PasswordAuthentication yes", "AuthenticationMethods password,publickey")
    account = accounts.add()
    person = Person(secrets=[account.password])
    failure = failed(desk, sshd, person, user=account.name, identity=str(sshd.other_key))
    assert (failure.key, failure.facts["methods"]) == ("auth_failed", "publickey")
    assert attempts(sshd, "password") == attempts(sshd, "publickey") == 1


def test_a_method_that_only_the_systems_ssh_knows_is_named_with_it(desk, sshd) -> None:
    sshd.restart("HostbasedAuthentication yes", "AuthenticationMethods hostbased")
    failure = failed(desk, sshd)
    assert (failure.key, failure.facts["methods"]) == ("auth_other_backend", "hostbased")
    assert attempts(sshd, "publickey") == 0


# -- keyboard-interactive
@pytest.mark.parametrize("first", ["publickey", "password", "keyboard-interactive"])
def test_questions_come_after_whatever_the_server_took_before(desk: Desk, sshd: Sshd, first: str) -> None:
    steps = [first, "keyboard-interactive"]
    with InteractiveServer(prompts=[("OTP: ", True)], answers=["1"], key=sshd.user_key, steps=steps) as server:
        person = Person(accepts=True, answers=["1"], secrets=["pw"])
        link = desk.open(server.profile(identity=str(sshd.user_key)), person)
    assert link.facts.auth_method == f"{first}+keyboard-interactive"
    assert server.seen == steps


def test_a_server_that_takes_everything_and_is_never_content_is_left(desk: Desk) -> None:
    with InteractiveServer(prompts=[("OTP: ", True)], answers=["1"], steps=["keyboard-interactive"] * 99) as server:
        with pytest.raises(LinkError) as failure:
            desk.open(server.profile(), Person(accepts=True, answers=["1"]))
        assert failure.value.key == "auth_failed" and len(server.seen) == 8


def test_all_prompts_of_a_round_come_as_one_question(desk: Desk, tmp_path: Path) -> None:
    with InteractiveServer(prompts=[("Password: ", False), ("Code: ", True)], answers=["pw", "123456"]) as server:
        person = Person(accepts=True, answers=["pw", "123456"])
        link = desk.open(server.profile(), person)
    (form,) = person.forms
    assert [(prompt.text, prompt.echo) for prompt in form.prompts] == [("Password: ", False), ("Code: ", True)]
    assert (form.title, form.instructions) == ("the title", "the instructions")
    assert link.facts.auth_method == "keyboard-interactive" and not link.facts.reconnects_alone


def test_partial_success_goes_on_with_the_method_that_is_left(desk: Desk, sshd: Sshd) -> None:
    with InteractiveServer(prompts=[("OTP: ", True)], answers=["1"], key=sshd.user_key) as server:
        person = Person(accepts=True, answers=["1"])
        link = desk.open(server.profile(identity=str(sshd.user_key)), person)
    assert link.facts.auth_method == "publickey+keyboard-interactive"
    assert server.seen == ["publickey", "keyboard-interactive"]


def test_a_lone_password_prompt_is_asked_for_as_a_password_and_remembered(desk: Desk) -> None:
    with InteractiveServer(prompts=[("tester's Password: ", False)], answers=["pw"]) as server:
        person = Person(accepts=True, secrets=["pw"])
        link = desk.open(server.profile(), person)
        desk.open(server.profile(), person)
    assert link.facts.reconnects_alone and not person.forms and len(person.secrets) == 1


@pytest.mark.parametrize(("given", "key"), [(None, "auth_cancelled"), (["wrong"], "auth_failed")])
def test_a_form_that_is_not_filled_in_is_no_failure_of_the_server(desk: Desk, given, key: str) -> None:
    with InteractiveServer(prompts=[("OTP: ", True)], answers=["1"]) as server, pytest.raises(LinkError) as failure:
        desk.open(server.profile(), Person(accepts=True, answers=given))
    assert (failure.value.key, failure.value.final) == (key, True)
    assert server.seen.count("keyboard-interactive") == 1


# -- secrets
def test_no_secret_in_logs_errors_or_representations(sshd, accounts, desk, caplog) -> None:
    caplog.set_level(logging.NOTSET)
    sshd.restart("PasswordAuthentication yes")
    account = accounts.add()
    secrets = [account.password, PASSPHRASE, "a wrong passphrase"]
    link = desk.open(
        sshd.profile(identity=str(sshd.encrypted_key)),
        Person(secrets=["a wrong passphrase", PASSPHRASE]),
        LinkSettings(use_keyring=False),
    )
    other = desk.open(sshd.profile(user=account.name, identity=str(sshd.other_key)), Person(secrets=[account.password]))
    failure = failed(desk, sshd, Person(secrets=["a wrong passphrase"] * 2), identity=str(copy_of(sshd)))
    ours = [each for each in gc.get_objects() if str(type(each).__module__).startswith("tunebench.transport")]
    texts = [repr(each) for each in (link.facts, other.facts, link, other, failure, failure.facts, *ours)]
    assert len(ours) > 10
    for secret in secrets:
        assert secret not in caplog.text
        assert not [text for text in texts if secret in text]
        assert secret not in sshd.log


def copy_of(sshd: Sshd) -> Path:
    """The encrypted key at a path whose passphrase nobody has typed yet."""
    copy = sshd.folder / "copy"
    shutil.copy(sshd.encrypted_key, copy)
    return copy
