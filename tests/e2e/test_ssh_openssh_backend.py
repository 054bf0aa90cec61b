"""The system's ssh as a backend, against a real server: host keys, log-in, and the way through jump hosts."""

from __future__ import annotations

import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.e2e.accounts_rig import Accounts
from tests.e2e.interactive_server import InteractiveServer
from tests.e2e.openssh_client import Client, Person, Sink, clean_client, needs_ssh, own_temporary_folder
from tests.e2e.processes import send
from tests.e2e.sshd_rig import PASSPHRASE, Sshd, make_key, public_key
from tests.waiting import PATIENCE_S, wait_until
from tunebench.domain.connection import AcceptedKey, KeyVerdict
from tunebench.transport.ssh.link import Deadlines, LinkError, LinkSettings, LossCause
from tunebench.transport.ssh.resolve import resolve

pytestmark = needs_ssh


@pytest.fixture(autouse=True)
def folder(monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    with own_temporary_folder(monkeypatch) as folder:
        yield folder


@pytest.fixture
def client(folder: Path) -> Iterator[Client]:
    with clean_client(folder) as client:
        yield client


# -- host keys


def test_known_host_is_connected_to_without_a_question(sshd: Sshd, client: Client) -> None:
    person = Person()
    link = client.connect(sshd.profile(), person)
    assert not person.host_keys
    assert link.facts.host_key_verdict == KeyVerdict.KNOWN
    assert link.facts.fingerprint == sshd.fingerprint
    assert link.facts.host_key_type == "ssh-ed25519"
    assert link.facts.auth_method == "publickey"
    assert link.facts.server_version.startswith("OpenSSH")
    assert link.facts.kex
    assert link.facts.cipher
    assert not link.facts.weak
    assert link.alive


def test_unknown_host_is_asked_about_before_any_log_in(sshd: Sshd, client: Client) -> None:
    sshd.forget_host()
    person = Person(accepts=False)
    error = client.refused(sshd.profile(), person)
    assert (error.key, error.final) == ("host_key_unknown", True)
    (question,) = person.host_keys
    assert question.verdict is KeyVerdict.UNKNOWN
    assert question.key.fingerprint == sshd.fingerprint
    assert question.addresses == ("127.0.0.1",)
    assert (question.hop, question.host) == ("", "server")
    assert "publickey" not in sshd.log.split("Server listening")[-1]
    assert "Accepted" not in sshd.log


def test_accepted_host_connects_and_is_not_asked_about_again(sshd: Sshd, client: Client) -> None:
    sshd.forget_host()
    person = Person(accepts=True)
    link = client.connect(sshd.profile(), person)
    assert link.facts.host_key_verdict == KeyVerdict.UNKNOWN
    assert link.run("echo in", 5).stdout == b"in\n"
    assert client.connect(sshd.profile(), person).facts.host_key_verdict == KeyVerdict.KNOWN
    assert len(person.host_keys) == 1


def test_key_accepted_for_the_engagement_counts(sshd: Sshd, client: Client) -> None:
    sshd.forget_host()
    person = Person(accepts=True)
    client.connect(sshd.profile(), person).close()
    other = Client()
    other.accepted = [AcceptedKey(person.host_keys[0].key, "kim", "2026-11-21T00:00:00+00:00")]
    try:
        link = other.connect(sshd.profile(), Person())
        assert link.facts.host_key_verdict == KeyVerdict.KNOWN
    finally:
        other.close()


def test_changed_key_is_refused_with_both_fingerprints(sshd: Sshd, client: Client) -> None:
    before = sshd.fingerprint
    sshd.swap_host_key()
    person = Person(accepts=True)
    error = client.refused(sshd.profile(), person)
    assert (error.key, error.final) == ("host_key_changed", True)
    assert error.facts["fingerprint"] == sshd.fingerprint != before
    assert error.facts["known"] == before
    assert not person.host_keys
    assert "Accepted" not in sshd.log


def test_changed_key_cannot_hide_behind_a_key_of_a_new_type(sshd: Sshd, client: Client) -> None:
    sshd.make_host_keys("rsa")
    sshd.know_host()
    sshd.swap_host_key("ed25519", "rsa")  # neither is the known one
    error = client.refused(sshd.profile(), Person(accepts=True))
    assert error.key == "host_key_changed"


def test_host_known_by_another_type_is_asked_about(sshd: Sshd, client: Client) -> None:
    known = sshd.fingerprint
    sshd.swap_host_key("rsa")
    person = Person(accepts=True)
    client.connect(sshd.profile(), person)
    assert person.host_keys[0].verdict is KeyVerdict.NEW_TYPE
    assert person.host_keys[0].key.key_type == "ssh-rsa"
    assert [key.fingerprint for key in person.host_keys[0].known] == [known]


@pytest.mark.parametrize("also_known", [False, True])
def test_revoked_key_is_refused(sshd: Sshd, client: Client, also_known: bool) -> None:
    known = sshd.known_hosts.read_text() if also_known else ""
    sshd.known_hosts.write_text(f"{known}@revoked * {public_key(sshd.host_keys[0])}\n")
    person = Person(accepts=True)
    error = client.refused(sshd.profile(), person)
    assert (error.key, error.final) == ("host_key_revoked", True)
    assert not person.host_keys
    assert "Accepted" not in sshd.log


def test_host_certificate_is_known_by_its_authority(sshd: Sshd, client: Client) -> None:
    authority = make_key(sshd.folder / "ca")
    subprocess.run(
        [
            "ssh-keygen",
            "-q",
            "-s",
            str(authority),
            "-I",
            "host",
            "-h",
            "-n",
            "tunebench-hop1,127.0.0.1",
            f"{sshd.host_keys[0]}.pub",
        ],
        check=True,
        timeout=30,
    )
    sshd.restart(f"HostCertificate {sshd.host_keys[0]}-cert.pub")
    sshd.known_hosts.write_text(f"@cert-authority [127.0.0.1]:* {public_key(authority)}\n")
    person = Person(accepts=False)
    link = client.connect(sshd.profile(), person)
    assert link.facts.host_key_verdict == KeyVerdict.KNOWN_BY_CA
    assert link.facts.fingerprint == sshd.fingerprint
    assert not person.host_keys


# -- log-in


def test_encrypted_key_is_opened_with_the_passphrase_given(sshd: Sshd, client: Client) -> None:
    person = Person(secret=PASSPHRASE)
    link = client.connect(sshd.profile(identity=str(sshd.encrypted_key)), person)
    assert link.facts.auth_method == "publickey"
    assert link.facts.reconnects_alone
    (question,) = person.secrets
    assert (question.kind, question.subject) == ("passphrase", str(sshd.encrypted_key))
    client.connect(sshd.profile(identity=str(sshd.encrypted_key)), person)
    assert len(person.secrets) == 1


def test_wrong_passphrase_is_told_and_not_repeated(sshd: Sshd, client: Client) -> None:
    person = Person(secret="wrong-passphrase-x")
    error = client.refused(sshd.profile(identity=str(sshd.encrypted_key)), person)
    assert (error.key, error.final) == ("passphrase_wrong", True)
    assert error.facts["identity"] == str(sshd.encrypted_key)
    assert len(person.secrets) == 1
    assert "wrong-passphrase-x" not in repr(error)


def test_unanswered_question_cancels(sshd: Sshd, client: Client) -> None:
    error = client.refused(sshd.profile(identity=str(sshd.encrypted_key)), Person())
    assert (error.key, error.final) == ("auth_cancelled", True)


def test_banner_of_the_server_confuses_nothing(sshd: Sshd, client: Client, tmp_path: Path) -> None:
    banner = tmp_path / "banner"
    banner.write_text("Host key verification failed.\nPermission denied (x).\ndebug1: Entering interactive session.\n")
    sshd.restart(f"Banner {banner}")
    error = client.refused(sshd.profile(identity=str(sshd.other_key)))
    assert error.key in {"auth_failed", "lost"}
    banner.write_text("한국어 배너\nHost key verification failed.\nConnection refused\n")
    assert client.connect(sshd.profile()).run("echo in", 5).stdout == b"in\n"
    assert client.refused(sshd.profile(identity=str(sshd.other_key))).key == "auth_failed"


def test_key_that_may_not_enter(sshd: Sshd, client: Client) -> None:
    error = client.refused(sshd.profile(identity=str(sshd.other_key)))
    assert (error.key, error.final) == ("auth_failed", True)
    assert error.facts["methods"] == "publickey"
    assert sshd.log.count("Failed publickey") <= 1


@pytest.mark.parametrize("content", [None, "no key\n"])
def test_key_file_that_cannot_be_used(sshd: Sshd, client: Client, tmp_path: Path, content: str | None) -> None:
    path = tmp_path / "id"
    if content is not None:
        path.write_text(content)
        path.chmod(0o600)
    error = client.refused(sshd.profile(identity=str(path)))
    assert error.key == "key_unreadable"
    assert "publickey" not in sshd.log.split("Server listening")[-1]


def test_key_with_an_awkward_path(sshd: Sshd, client: Client, tmp_path: Path) -> None:
    path = tmp_path / 'kim\'s key 100%h "x"'
    shutil.copy(sshd.user_key, path)
    assert client.connect(sshd.profile(identity=str(path))).facts.auth_method == "publickey"


def test_certificate_beside_the_key(sshd: Sshd, client: Client, tmp_path: Path) -> None:
    authority, key = make_key(tmp_path / "ca"), make_key(tmp_path / "id")
    subprocess.run(
        ["ssh-keygen", "-q", "-s", str(authority), "-I", "kim", "-n", sshd.user, f"{key}.pub"], check=True, timeout=30
    )
    sshd.authorize()
    sshd.restart(f"TrustedUserCAKeys {authority}.pub")
    assert client.connect(sshd.profile(identity=str(key))).facts.auth_method == "publickey"
    assert "Accepted publickey" in sshd.log
    assert "ED25519-CERT" in sshd.log


@pytest.fixture
def agent(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[Path], None]]:
    """An empty ssh-agent; adds keys."""
    if shutil.which("ssh-agent") is None:
        pytest.skip("no ssh-agent on this machine")
    with tempfile.TemporaryDirectory(dir="/tmp") as folder:
        socket = Path(folder) / "agent"
        process = subprocess.Popen(["ssh-agent", "-D", "-a", str(socket)], stdout=subprocess.DEVNULL)
        assert wait_until(socket.exists)
        monkeypatch.setenv("SSH_AUTH_SOCK", str(socket))
        yield lambda key: _add_to_agent(key)
        process.terminate()
        process.wait(5)


def _add_to_agent(key: Path) -> None:
    subprocess.run(["ssh-add", "-q", str(key)], check=True, capture_output=True, timeout=30)


def test_only_the_named_key_is_tried(sshd: Sshd, client: Client, agent: Callable[[Path], None], tmp_path: Path) -> None:
    for number in range(8):
        agent(make_key(tmp_path / f"k{number}"))
    error = client.refused(sshd.profile(identity=str(sshd.other_key)))
    assert error.key == "auth_failed"
    assert sshd.log.count("Failed publickey") <= 1
    client.connect(sshd.profile())


def test_encrypted_key_in_the_agent_needs_no_passphrase(
    sshd: Sshd, client: Client, agent: Callable[[Path], None], tmp_path: Path
) -> None:
    key = make_key(tmp_path / "id")
    agent(key)
    subprocess.run(["ssh-keygen", "-q", "-p", "-P", "", "-N", PASSPHRASE, "-f", str(key)], check=True, timeout=30)
    sshd.authorize(key)
    person = Person()
    assert client.connect(sshd.profile(identity=str(key)), person).alive
    assert not person.secrets


@pytest.mark.parametrize(
    "options",
    [("PasswordAuthentication yes",), ("UsePAM yes", "KbdInteractiveAuthentication yes")],
    ids=["password", "keyboard-interactive"],
)
def test_password(sshd: Sshd, accounts: Accounts, client: Client, options: tuple[str, ...]) -> None:
    account = accounts.add()
    sshd.restart(*options, "PubkeyAuthentication no")
    profile = sshd.profile(user=account.name, identity="")
    wrong = Person(secret="wrong-password-x")
    error = client.refused(profile, wrong)
    assert (error.key, error.final) == ("auth_failed", True)
    assert len(wrong.secrets) == 1
    assert 1 <= sshd.log.count(f"for {account.name} from") - sshd.log.count("Postponed") <= 2
    person = Person(secret=account.password)
    link = client.connect(profile, person)
    assert link.facts.auth_method == ("password" if "Pass" in options[0] else "keyboard-interactive")
    assert link.facts.reconnects_alone
    assert link.run("id -un", 5).stdout.decode().strip() == account.name
    (question,) = person.secrets
    assert (question.kind, question.subject) == ("password", f"{account.name}@127.0.0.1:{sshd.port}")
    client.connect(profile, person)  # what was typed stays for this run
    assert len(person.secrets) == 1


def test_code_is_asked_for_each_time_and_said_so(client: Client) -> None:
    with InteractiveServer(prompts=[("Password: ", False), ("Code: ", True)], answers=["pw", "123456"]) as server:
        person = Person(accepts=True, secret="pw", code="123456")
        link = client.connect(server.profile(), person)
        assert link.facts.auth_method == "keyboard-interactive"
        assert not link.facts.reconnects_alone
        assert [question.kind for question in person.secrets] == ["password"]
        assert [question.prompts[0].text for question in person.prompts] == ["Code: "]
        client.close()
    with InteractiveServer(prompts=[("Code: ", True)], answers=["123456"]) as server:
        link = client.connect(server.profile(), person, session_limit=0)
        with pytest.raises(LinkError, match="no_channel"):  # a further connection would need another code
            link.stream("true", Sink())
        client.close()


def test_key_and_then_a_code(client: Client, sshd: Sshd) -> None:
    with InteractiveServer(prompts=[("OTP: ", True)], answers=["1"], key=sshd.user_key) as server:
        person = Person(accepts=True, code="1")
        link = client.connect(server.profile(identity=str(sshd.user_key)), person)
        assert not link.facts.reconnects_alone
        assert list(dict.fromkeys(server.seen)) == ["publickey", "keyboard-interactive"]
        assert link.facts.auth_method == "publickey+keyboard-interactive"
        client.close()


def test_wrong_code_is_tried_once(client: Client) -> None:
    with InteractiveServer(prompts=[("OTP: ", True)], answers=["1"]) as server:
        person = Person(accepts=True, code="2")
        error = client.refused(server.profile(), person)
        assert (error.key, error.final) == ("auth_failed", True)
        assert len(person.prompts) == 1


def test_legacy_server_needs_the_exceptions_and_tells_them(sshd: Sshd, client: Client) -> None:
    sshd.make_host_keys("rsa")
    sshd.know_host()
    sshd.restart(
        "KexAlgorithms diffie-hellman-group14-sha1", "HostKeyAlgorithms ssh-rsa", "Ciphers aes128-cbc", "MACs hmac-sha1"
    )
    error = client.refused(sshd.profile())
    assert error.key == "no_common_algorithm"
    assert error.facts["offer"] == "diffie-hellman-group14-sha1"
    weak = ("diffie-hellman-group14-sha1", "ssh-rsa", "aes128-cbc", "hmac-sha1")
    link = client.connect(sshd.profile(weak_algorithms=weak))
    assert set(link.facts.weak) == set(weak)
    assert link.run("echo old", 5).stdout == b"old\n"


@pytest.mark.parametrize(
    "option",
    [
        "Ciphers chacha20-poly1305@openssh.com",
        "KexAlgorithms curve25519-sha256",
        "KexAlgorithms sntrup761x25519-sha512",
    ],
)
def test_hardened_server(sshd: Sshd, client: Client, option: str) -> None:
    try:
        sshd.restart(option)
    except RuntimeError:
        pytest.skip(f"this sshd does not know: {option}")
    link = client.connect(sshd.profile())
    assert option.split()[1] in {link.facts.cipher, link.facts.kex}


# -- the way


def test_two_hops_each_with_its_own_key(make_sshd: Callable[..., Sshd], client: Client) -> None:
    gate, inner = make_sshd().start(), make_sshd().start()
    gate.forget_host()
    inner.forget_host()
    gate.authorize(inner.user_key)
    first = gate.profile(name="gate", identity=str(inner.user_key))
    person = Person(accepts=True)
    link = client.connect(inner.profile(jump=("gate",)), person, (first,))
    assert [question.key.fingerprint for question in person.host_keys] == [gate.fingerprint, inner.fingerprint]
    assert [question.hop for question in person.host_keys] == ["127.0.0.1", ""]
    assert link.facts.fingerprint == inner.fingerprint
    assert len(link.facts.hops) == 2
    assert link.run("echo through", 5).stdout == b"through\n"
    send(inner.session_pids(), signal.SIGSTOP)
    since = time.monotonic()
    assert client.watcher.lost.wait(30)
    assert time.monotonic() - since < 20
    inner.thaw()
    assert client.watcher.losses[0][0] is LossCause.NETWORK_LOST


def test_jump_host_that_dies_is_named(make_sshd: Callable[..., Sshd], client: Client) -> None:
    gate, inner = make_sshd().start(), make_sshd().start()
    gate.authorize(inner.user_key)
    first = gate.profile(name="gate", identity=str(inner.user_key), user_known_hosts=str(gate.known_hosts))
    inner.known_hosts.write_text(inner.known_hosts.read_text() + gate.known_hosts.read_text())
    link = client.connect(inner.profile(jump=("gate",)), None, (first,))
    sink = Sink()
    link.stream("echo go; exec cat", sink)
    assert wait_until(lambda: sink.data)
    gate.stop()
    assert client.watcher.lost.wait(PATIENCE_S)
    assert f":{gate.port}" in client.watcher.losses[0][1]
    assert sink.done.wait(PATIENCE_S)
    assert sink.end is not None
    assert sink.end[2] is not None


def test_jump_host_that_cannot_reach_the_target(make_sshd: Callable[..., Sshd], client: Client) -> None:
    gate, inner = make_sshd().start(), make_sshd().start()
    gate.authorize(inner.user_key)
    inner.known_hosts.write_text(inner.known_hosts.read_text() + gate.known_hosts.read_text())
    first = gate.profile(name="gate", identity=str(inner.user_key))
    inner.stop()
    error = client.refused(inner.profile(jump=("gate",)), others=(first,))
    assert error.key == "refused"
    gate.restart("AllowTcpForwarding no")
    error = client.refused(inner.profile(jump=("gate",)), others=(first,))
    assert error.key == "hop_failed"
    assert error.final
    assert error.facts["hop"] == f"127.0.0.1:{gate.port}"
    gate.stop()
    error = client.refused(inner.profile(jump=("gate",)), others=(first,))
    assert error.key == "hop_failed"
    assert "Connection refused" in str(error.facts["cause"])


def test_closed_port_and_unknown_name(client: Client, sshd: Sshd) -> None:
    sshd.stop()
    assert client.refused(sshd.profile()).key == "refused"
    assert client.refused(sshd.profile(address="no-such-host.invalid")).key == "unresolved"


def test_server_that_says_nothing(client: Client, sshd: Sshd) -> None:
    sshd.freeze()
    since = time.monotonic()
    error = client.refused(sshd.profile(), deadlines=Deadlines(connect_s=1, banner_s=1.5))
    sshd.thaw()
    assert error.key == "banner_timeout"
    assert 1.4 < time.monotonic() - since < 10


def test_proxy_command_of_the_configuration(sshd: Sshd, client: Client, tmp_path: Path) -> None:
    relay = tmp_path / "relay"
    relay.write_text('#!/bin/bash\nexec 3<>"/dev/tcp/$1/$2"\ncat <&3 &\ncat >&3\nkill $!\n')
    relay.chmod(0o755)
    config = tmp_path / "config"
    config.write_text(f"Host db\n HostName {sshd.address}\n Port {sshd.port}\n ProxyCommand {relay} %h %p\n")
    host = resolve(sshd.profile(address="db", port=0, use_config=True), config=config)
    link = client.connector.connect(host, Person(), client.watcher, LinkSettings())
    client.links.append(link)
    assert link.run("echo by proxy", 5).stdout == b"by proxy\n"
