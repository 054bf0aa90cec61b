"""Getting there: what the network and the server's algorithms may do to a connection that is being made."""

from __future__ import annotations

import gc
import os
import resource
import socket
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.e2e.network_rig import Network
from tests.e2e.ssh_people import Desk, Person, open_files, ssh_threads
from tests.e2e.sshd_rig import PASSPHRASE, Sshd, free_port
from tests.waiting import let_time_pass, wait_until
from tunebench.domain.connection import HostProfile
from tunebench.transport.ssh.link import Deadlines, LinkError, LinkSettings


def failure_of(desk: Desk, profile: HostProfile, deadlines: Deadlines | None = None, person: Person | None = None):
    """(error, seconds until it came)."""
    started_at = time.monotonic()
    with pytest.raises(LinkError) as failure:
        desk.open(profile, person, LinkSettings(deadlines=deadlines or Deadlines()))
    assert failure.value.facts["host"] == profile.name
    return failure.value, time.monotonic() - started_at


# -- the network
def test_the_deadlines_are_those_that_were_promised() -> None:
    deadlines = Deadlines()
    assert (deadlines.connect_s, deadlines.banner_s, deadlines.auth_s) == (10.0, 15.0, 30.0)
    assert deadlines.probe_interval_s + deadlines.probe_allowance_s < 10.0


def test_a_closed_port_is_refused_at_once(sshd: Sshd, desk: Desk) -> None:
    failure, took_s = failure_of(desk, sshd.profile(port=free_port()))
    assert (failure.key, failure.final) == ("refused", False) and took_s < 5.0


def test_a_black_hole_ends_at_the_deadline(network: Network, make_sshd: Callable[..., Sshd], desk: Desk) -> None:
    sshd = make_sshd(network.address, network.prefix).start()
    network.drop_everything()
    failure, took_s = failure_of(desk, sshd.profile(), Deadlines(connect_s=1.0))
    assert failure.key == "connect_timeout" and failure.facts["seconds"] == "1" and 0.9 < took_s < 6.0


def test_a_port_that_never_introduces_itself_ends_at_the_deadline(sshd: Sshd, desk: Desk) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        profile = sshd.profile(port=listener.getsockname()[1])
        failure, took_s = failure_of(desk, profile, Deadlines(banner_s=1.0))
    assert (failure.key, failure.final) == ("banner_timeout", False) and 0.9 < took_s < 8.0


def test_a_server_that_stalls_in_the_key_exchange_ends_at_the_deadline(sshd: Sshd, desk: Desk) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:

        def serve() -> None:
            with listener.accept()[0] as client:
                client.sendall(b"SSH-2.0-Slow_1\r\n")
                while client.recv(4096):
                    pass

        thread = threading.Thread(target=serve, daemon=True)
        thread.start()
        profile = sshd.profile(port=listener.getsockname()[1])
        failure, took_s = failure_of(desk, profile, Deadlines(banner_s=1.0))
        thread.join(5)
    assert failure.key in {"banner_timeout", "lost"} and took_s < 8.0


def test_something_else_than_ssh_is_told_apart(sshd: Sshd, desk: Desk) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:

        def serve() -> None:
            client = listener.accept()[0]
            client.sendall(b"HTTP/1.1 400 Bad Request\r\n\r\n")
            client.close()

        thread = threading.Thread(target=serve, daemon=True)
        thread.start()
        failure, took_s = failure_of(desk, sshd.profile(port=listener.getsockname()[1]))
        thread.join(5)
    assert (failure.key, failure.final) == ("lost", False) and took_s < 8.0


class Freezing(Person):
    """Accepts the host key, after the server has been stopped: what follows is never answered."""

    def __init__(self, sshd: Sshd) -> None:
        super().__init__()
        self._sshd = sshd

    def accepts_host_key(self, question) -> bool:
        self._sshd.freeze()
        return True


def test_a_log_in_that_is_never_answered_ends_at_the_deadline(sshd: Sshd, desk: Desk) -> None:
    sshd.forget_host()
    failure, took_s = failure_of(desk, sshd.profile(), Deadlines(auth_s=1.0), Freezing(sshd))
    assert (failure.key, failure.final) == ("auth_timeout", False) and 0.9 < took_s < 8.0


def test_a_person_may_take_longer_than_the_log_in_but_not_for_ever(sshd: Sshd, desk: Desk) -> None:
    class Slow(Person):
        takes_s = 1.5

        def secret(self, question) -> str | None:
            let_time_pass(self.takes_s, "a person thinks")
            return super().secret(question)

    profile = sshd.profile(identity=str(sshd.encrypted_key))
    never = Slow(secrets=[PASSPHRASE])
    never.takes_s = 6.0
    failure, took_s = failure_of(desk, profile, Deadlines(person_s=0.5), never)
    assert (failure.key, failure.final) == ("auth_cancelled", True) and took_s < 5.0
    desk.open(profile, Slow(secrets=[PASSPHRASE]), LinkSettings(deadlines=Deadlines(auth_s=1.0)))
    wait_until(lambda: never.secrets)  # the late answer is let go before the test ends


def test_a_name_that_does_not_exist_is_named(sshd: Sshd, desk: Desk) -> None:
    failure, _ = failure_of(desk, sshd.profile(address="no-such-host.invalid"))
    assert failure.key == "unresolved"


# -- algorithms
OLD_SERVERS = {
    "key exchange": (
        ["KexAlgorithms diffie-hellman-group14-sha1"],
        "key exchange method",
        "diffie-hellman-group14-sha1",
    ),
    "host key": (["HostKeyAlgorithms ssh-rsa"], "host key type", "ssh-rsa"),
    "cipher": (["Ciphers chacha20-poly1305@openssh.com"], "cipher", "chacha20-poly1305@openssh.com"),
    "weak cipher": (["Ciphers aes256-cbc"], "cipher", "aes256-cbc"),
}


@pytest.mark.parametrize("kind", OLD_SERVERS)
def test_a_server_with_nothing_in_common_is_told_with_what_it_offers(make_sshd, desk: Desk, kind: str) -> None:
    options, what, offer = OLD_SERVERS[kind]
    sshd = make_sshd()
    sshd.make_host_keys("rsa")
    sshd.start(*options)
    failure, took_s = failure_of(desk, sshd.profile())
    assert (failure.key, failure.final) == ("no_common_algorithm", True) and took_s < 8.0
    assert failure.facts["what"] == what and failure.facts["offer"].split(",") == [offer]


def test_weak_algorithms_are_used_only_by_exception_and_told(make_sshd: Callable[..., Sshd], desk: Desk) -> None:
    sshd = make_sshd().start("Ciphers aes128-cbc", "MACs hmac-sha1")
    assert failure_of(desk, sshd.profile())[0].key == "no_common_algorithm"
    link = desk.open(sshd.profile(weak_algorithms=("aes128-cbc", "hmac-sha1", "hmac-md5")))
    assert set(link.facts.weak) == {"aes128-cbc", "hmac-sha1"}
    assert (link.facts.cipher, link.facts.mac) == ("aes128-cbc", "hmac-sha1")
    assert link.run("echo in", 5).stdout == b"in\n"


def test_an_exception_that_is_not_needed_weakens_nothing(sshd: Sshd, desk: Desk) -> None:
    facts = desk.open(sshd.profile(weak_algorithms=("aes128-cbc", "hmac-sha1"))).facts
    assert facts.weak == () and facts.kex and facts.server_version.startswith("SSH-2.0-OpenSSH")


# -- many
def test_fifty_connections_at_once_to_a_stock_server_all_come(sshd: Sshd, desk: Desk) -> None:
    sshd.restart("MaxStartups 10:30:100")
    with ThreadPoolExecutor(50) as pool:
        links = list(pool.map(lambda _: desk.open(sshd.profile()), range(50)))
    assert [link.run("echo here", 10).stdout for link in links] == [b"here\n"] * 50
    assert "Exceeded MaxStartups" not in sshd.log and "drop connection" not in sshd.log


def test_two_hundred_connections_leave_nothing_behind(sshd: Sshd, desk: Desk) -> None:
    def cycle() -> None:
        desk.open(sshd.profile()).close()
        desk.links.clear()

    for _ in range(20):
        cycle()
    wait_until(lambda: not ssh_threads())
    gc.collect()
    threads, files, memory = threading.active_count(), open_files(), resident_bytes()
    for _ in range(180):
        cycle()
    assert wait_until(lambda: not ssh_threads())
    gc.collect()
    assert threading.active_count() <= threads
    assert open_files() <= files
    assert resident_bytes() - memory < 16 << 20
    assert wait_until(lambda: not sshd.session_pids())


def resident_bytes() -> int:
    return int(Path("/proc/self/statm").read_text().split()[1]) * resource.getpagesize()


def test_a_failed_connection_leaves_nothing_behind(sshd: Sshd, desk: Desk) -> None:
    files = open_files()
    profiles = [sshd.profile(identity=str(sshd.other_key)), sshd.profile(port=free_port())]
    for profile in profiles * 3:
        failure_of(desk, profile)
    assert wait_until(lambda: not ssh_threads())
    assert open_files() <= files
    assert os.getpid() not in sshd.account_pids()
