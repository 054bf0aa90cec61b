"""Weak algorithms are off for both backends, and an exception turns on exactly itself."""

from __future__ import annotations

import shutil
import subprocess

import paramiko
import pytest

from tunebench.core.messages import catalogue
from tunebench.transport.ssh import algorithms
from tunebench.transport.ssh.algorithms import (
    WEAK,
    Area,
    ciphers_for_paramiko,
    disabled_for_paramiko,
    only_openssh,
    ssh_options,
    weak,
)


def paramiko_offers(disabled: dict[str, list[str]]) -> dict[str, tuple[str, ...]]:
    """What a transport would really offer."""
    from socket import socketpair

    ours, theirs = socketpair()
    with ours, theirs:
        transport = paramiko.Transport(ours, disabled_algorithms=disabled)
        try:
            return {
                "ciphers": tuple(transport.preferred_ciphers),
                "macs": tuple(transport.preferred_macs),
                "kex": tuple(transport.preferred_kex),
                "keys": tuple(transport.preferred_keys),
            }
        finally:
            transport.close()


def test_paramiko_offers_nothing_weak() -> None:
    offers = paramiko_offers(disabled_for_paramiko(()))
    assert not [name for names in offers.values() for name in names if name in WEAK]
    assert offers["ciphers"]
    assert offers["macs"]


@pytest.mark.parametrize("name", ["aes128-cbc", "3des-cbc", "hmac-sha1", "hmac-md5"])
def test_exception_turns_on_itself_only(name: str) -> None:
    offers = paramiko_offers(disabled_for_paramiko((name,)))
    assert [found for names in offers.values() for found in names if found in WEAK] == [name]


def test_everything_weak_that_paramiko_has_is_listed() -> None:
    """A name that a later paramiko brings, or one that went, would show here."""
    everything = {name for names in paramiko_offers({}).values() for name in names}
    disabled = disabled_for_paramiko(())
    assert {name for name in everything if name in WEAK} == {name for names in disabled.values() for name in names}
    assert set(disabled) <= {area.value for area in Area}


def test_cipher_order() -> None:
    offered = ("aes128-ctr", "aes256-ctr", "aes256-gcm@openssh.com", "aes128-gcm@openssh.com")
    assert ciphers_for_paramiko(offered) == (
        "aes128-gcm@openssh.com",
        "aes256-gcm@openssh.com",
        "aes128-ctr",
        "aes256-ctr",
    )
    assert ciphers_for_paramiko(("aes128-ctr",)) == ("aes128-ctr",)


def test_options_of_the_systems_ssh() -> None:
    assert ssh_options(()) == ["MACs=-hmac-sha1,hmac-sha1-etm@openssh.com"]
    told = ssh_options(("ssh-rsa", "aes128-cbc", "diffie-hellman-group1-sha1", "hmac-md5", "3des-cbc"))
    assert told == [
        "KexAlgorithms=+diffie-hellman-group1-sha1",
        "HostKeyAlgorithms=+ssh-rsa",
        "PubkeyAcceptedAlgorithms=+ssh-rsa",
        "Ciphers=+aes128-cbc,3des-cbc",
        "MACs=+hmac-md5",
    ]
    assert "PubkeyAcceptedKeyTypes=+ssh-rsa" in ssh_options(("ssh-rsa",), old_names=True)
    assert ssh_options(("arcfour",), frozenset({"aes128-ctr"})) == ssh_options(())


@pytest.mark.skipif(shutil.which("ssh") is None, reason="no OpenSSH client (ssh) on this machine")
def test_ssh_takes_the_options_and_offers_nothing_weak_without_exceptions() -> None:
    def offered(exceptions: tuple[str, ...]) -> set[str]:
        words = [word for option in ssh_options(exceptions) for word in ("-o", option)]
        told = subprocess.run(
            ["ssh", "-G", "-F", "/dev/null", *words, "--", "db01"],
            check=True,
            capture_output=True,
            text=True,
            timeout=30,
        )
        areas = {"kexalgorithms", "hostkeyalgorithms", "ciphers", "macs", "pubkeyacceptedalgorithms"}
        lines = (line.partition(" ") for line in told.stdout.splitlines())
        return {name for option, _, names in lines if option in areas for name in names.split(",")}

    assert not weak(offered(()))
    allowed = ("ssh-rsa", "aes128-cbc", "diffie-hellman-group14-sha1", "hmac-sha1")
    assert set(allowed) <= set(weak(offered(allowed)))


def test_exceptions_only_the_systems_ssh_can_grant() -> None:
    assert only_openssh(("ssh-rsa", "aes128-cbc", "diffie-hellman-group1-sha1", "hmac-sha1")) == (
        "ssh-rsa",
        "diffie-hellman-group1-sha1",
    )


def test_weak_ones_in_use_are_told_once() -> None:
    assert weak(("curve25519-sha256", "ssh-rsa", "aes128-cbc", "", "ssh-rsa")) == ("ssh-rsa", "aes128-cbc")


@pytest.mark.parametrize("language", ["ko", "en"])
def test_every_reason_has_words(language: str) -> None:
    words = catalogue(language)
    assert not [reason for reason in set(WEAK.values()) if f"ssh.weak.{reason}" not in words]


def test_tables_do_not_overlap() -> None:
    tables = (algorithms.KEX, algorithms.KEYS, algorithms.CIPHERS, algorithms.MACS)
    assert sum(map(len, tables)) == len(WEAK)
