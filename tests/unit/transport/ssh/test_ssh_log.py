"""ssh's own log and its complaints, in lines of OpenSSH 7.4 to 9.2."""

from __future__ import annotations

import math
import re
from pathlib import Path

import pytest

from tunebench.core.messages import catalogue
from tunebench.transport.ssh import link
from tunebench.transport.ssh.ssh_errors import failure, host_key_refused, timeout
from tunebench.transport.ssh.ssh_log import Phase, SshLog

CONNECTION = b"""debug1: Connecting to db01 [10.0.0.5] port 22.
debug1: Connection established.
debug1: Remote protocol version 2.0, remote software version OpenSSH_7.4
debug1: kex: algorithm: curve25519-sha256
debug1: kex: host key algorithm: ecdsa-sha2-nistp256
debug1: kex: server->client cipher: aes128-ctr MAC: umac-64-etm@openssh.com compression: none
debug1: Server host key: ecdsa-sha2-nistp256 SHA256:ozw+YfjpHZtMutz8oz8Ow5579VuNsyAE7r/WG6EaJeU
debug1: SSH2_MSG_SERVICE_ACCEPT received
debug1: Authentications that can continue: publickey,password
Authenticated to db01 ([10.0.0.5]:22) using "publickey".
debug1: Entering interactive session.
"""


def read(text: bytes, now_s: float = 0.0) -> SshLog:
    log = SshLog()
    log.feed(text, now_s)
    return log


def test_facts_of_a_connection() -> None:
    log = read(CONNECTION)
    assert log.phase is Phase.OPEN
    assert log.facts == {
        "address": "10.0.0.5",
        "server_version": "OpenSSH_7.4",
        "kex": "curve25519-sha256",
        "host_key_algorithm": "ecdsa-sha2-nistp256",
        "cipher": "aes128-ctr",
        "mac": "umac-64-etm@openssh.com",
        "host_key_type": "ecdsa-sha2-nistp256",
        "auth_method": "publickey",
        "methods": "publickey,password",
        "fingerprint": "SHA256:ozw+YfjpHZtMutz8oz8Ow5579VuNsyAE7r/WG6EaJeU",
    }


def test_any_cut_gives_the_same() -> None:
    whole = read(CONNECTION)
    for at in range(0, len(CONNECTION), 11):
        log = read(CONNECTION[:at])
        log.feed(CONNECTION[at:], 0.0)
        assert (log.facts, log.phase, log.complaints) == (whole.facts, whole.phase, whole.complaints)


def test_round_trip_of_keepalive_and_of_channel_open() -> None:
    log = read(CONNECTION)
    assert math.isnan(log.round_trip_s)
    log.feed(b"debug3: send packet: type 80\n", 10.0)
    log.feed(b"debug3: receive packet: type 94\n", 10.1)
    assert (log.answered, log.heard_s) == (0, 10.1)
    log.feed(b"debug3: receive packet: type 82\n", 10.25)
    assert log.answered == 1
    assert log.round_trip_s == pytest.approx(0.25)
    log.feed(b"debug3: send packet: type 90\n", 20.0)
    log.feed(b"debug3: receive packet: type 91\n", 20.5)
    assert log.round_trip_s == pytest.approx(0.5)
    assert log.heard_s == 20.5


def test_words_of_the_server_are_not_taken_for_those_of_ssh() -> None:
    log = read(
        b"debug3: receive packet: type 53\nHost key verification failed.\nPermission denied (all).\n"
        b'Authenticated to evil using "none".\ndebug3: receive packet: type 51\nkim@db01: Permission denied (x).\n'
    )
    assert log.complaints == ["kim@db01: Permission denied (x)."]
    assert "auth_method" not in log.facts


def test_sending_is_no_proof_of_life() -> None:
    log = read(b"debug3: send packet: type 80\n" * 3, 5.0)
    assert log.heard_s == 0.0


@pytest.mark.parametrize(
    ("line", "key", "final"),
    [
        ("ssh: Could not resolve hostname nohost: Name or service not known", "unresolved", False),
        ("ssh: connect to host 127.0.0.1 port 1: Connection refused", "refused", False),
        ("ssh: connect to host 10.9.9.9 port 22: No route to host", "unreachable", False),
        ("ssh: connect to host 10.9.9.9 port 22: Network is unreachable", "unreachable", False),
        ("ssh: connect to host 10.9.9.9 port 22: Connection timed out", "connect_timeout", False),
        ("Connection timed out during banner exchange", "banner_timeout", False),
        ("kim@db01: Permission denied (publickey,password).", "auth_failed", True),
        ("Received disconnect from 10.0.0.5 port 22:2: Too many authentication failures", "auth_failed", True),
        ("kex_exchange_identification: Connection closed by remote host", "lost", False),
        ("Connection reset by 10.0.0.5 port 22", "lost", False),
        ("Timeout, server db01 not responding.", "lost", False),
        ('Load key "/home/kim/id": invalid format', "key_unreadable", True),
        (
            "Unable to negotiate with 10.0.0.5 port 22: no matching cipher found. Their offer: aes128-cbc,3des-cbc",
            "no_common_algorithm",
            True,
        ),
        ("something nobody has seen before", "lost", False),
    ],
)
def test_complaints_are_sorted(line: str, key: str, final: bool) -> None:
    error = failure(read(f"{line}\r\n".encode()))
    assert (error.key, error.final) == (key, final)


def test_offer_of_the_server_is_told_without_its_marks() -> None:
    error = failure(
        read(
            b"Unable to negotiate with 10.0.0.5 port 22: no matching key exchange method found. "
            b"Their offer: diffie-hellman-group14-sha1,diffie-hellman-group1-sha1,kex-strict-s-v00@openssh.com\n"
        )
    )
    assert error.facts["what"] == "key exchange method"
    assert error.facts["offer"] == "diffie-hellman-group14-sha1, diffie-hellman-group1-sha1"


def test_refused_host_key_is_not_taken_for_a_failed_log_in() -> None:
    assert host_key_refused(read(b"Host key verification failed.\n"))
    assert not host_key_refused(read(CONNECTION + b"Host key verification failed.\n"))
    assert not host_key_refused(read(b"Permission denied (publickey).\n"))


@pytest.mark.parametrize(
    ("lines", "key"), [(0, "connect_timeout"), (2, "banner_timeout"), (3, "auth_timeout"), (8, "auth_timeout")]
)
def test_deadline_is_told_by_how_far_it_came(lines: int, key: str) -> None:
    error = timeout(read(b"".join(CONNECTION.splitlines(keepends=True)[:lines])), 15.0)
    assert (error.key, error.facts) == (key, {"seconds": "15"})


@pytest.mark.parametrize("language", ["ko", "en"])
def test_every_failure_has_a_sentence(language: str) -> None:
    told = Path(link.__file__).read_text(encoding="utf-8")
    keys = re.findall(r"``(\w+)``", told[told.index("key: what happened") : told.index("final: True")])
    assert len(keys) >= 20
    words = catalogue(language)
    assert not [key for key in keys if f"error.ssh.{key}" not in words]
