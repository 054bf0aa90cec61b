"""Which algorithms are weak, which stay off, and what a host's exceptions turn on again.

An exception names one algorithm (``ssh-rsa``, ``aes128-cbc`` ...) and holds for one host; every use is audited.
The reasons are keys for the audit trail, not sentences.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from enum import StrEnum


class Area(StrEnum):
    """Where an algorithm is negotiated; the values are paramiko's own names."""

    KEX = "kex"
    HOST_KEY = "keys"
    SIGNATURE = "pubkeys"
    CIPHER = "ciphers"
    MAC = "macs"


KEX: Mapping[str, str] = {
    "diffie-hellman-group1-sha1": "sha1_and_1024_bits",
    "diffie-hellman-group14-sha1": "sha1",
    "diffie-hellman-group-exchange-sha1": "sha1",
}
KEYS: Mapping[str, str] = {
    "ssh-rsa": "sha1_signature",
    "ssh-dss": "dsa_1024_bits",
    "ssh-rsa-cert-v01@openssh.com": "sha1_signature",
    "ssh-dss-cert-v01@openssh.com": "dsa_1024_bits",
}
CIPHERS: Mapping[str, str] = {
    "aes128-cbc": "cbc",
    "aes192-cbc": "cbc",
    "aes256-cbc": "cbc",
    "rijndael-cbc@lysator.liu.se": "cbc",
    "blowfish-cbc": "cbc_64_bit_blocks",
    "cast128-cbc": "cbc_64_bit_blocks",
    "3des-cbc": "cbc_64_bit_blocks",
    "arcfour": "rc4",
    "arcfour128": "rc4",
    "arcfour256": "rc4",
}
MACS: Mapping[str, str] = {
    "hmac-md5": "md5",
    "hmac-md5-96": "md5_truncated",
    "hmac-md5-etm@openssh.com": "md5",
    "hmac-md5-96-etm@openssh.com": "md5_truncated",
    "hmac-sha1": "sha1",
    "hmac-sha1-etm@openssh.com": "sha1",
    "hmac-sha1-96": "sha1_truncated",
    "hmac-sha1-96-etm@openssh.com": "sha1_truncated",
    "hmac-ripemd160": "ripemd160",
}
WEAK: Mapping[str, str] = {**KEX, **KEYS, **CIPHERS, **MACS}

# What paramiko 5.1 still offers of the above; names it does not know would be harmless but say nothing.
# HMAC with SHA-1 is not broken, yet a server that offers nothing else is old enough to deserve an exception.
_PARAMIKO_OFFERS: Mapping[Area, tuple[str, ...]] = {
    Area.CIPHER: ("aes128-cbc", "aes192-cbc", "aes256-cbc", "3des-cbc"),
    Area.MAC: ("hmac-sha1", "hmac-sha1-96", "hmac-md5", "hmac-md5-96"),
}
PARAMIKO_CIPHERS_FIRST = ("aes128-gcm@openssh.com", "aes256-gcm@openssh.com")
"""Paramiko offers these last, although pulls are fastest with them."""

_OPTION: Mapping[str, Mapping[str, str]] = {
    "KexAlgorithms": KEX,
    "HostKeyAlgorithms": KEYS,
    "PubkeyAcceptedAlgorithms": KEYS,
    "Ciphers": CIPHERS,
    "MACs": MACS,
}
_OLD_NAME = {"PubkeyAcceptedAlgorithms": "PubkeyAcceptedKeyTypes"}  # before OpenSSH 8.5
# Debian and others still build these in as a default; an ssh that trusts them silently would not be audited.
_OPENSSH_WEAK_DEFAULTS: Mapping[str, tuple[str, ...]] = {"MACs": ("hmac-sha1", "hmac-sha1-etm@openssh.com")}


def weak(names: Iterable[str]) -> tuple[str, ...]:
    """The weak ones of the negotiated `names`, once each."""
    return tuple(dict.fromkeys(name for name in names if name in WEAK))


def without_signals(offer: Iterable[str]) -> list[str]:
    """The algorithms of a server's list: that of key exchange methods also carries marks that are none."""
    return [name for name in offer if not name.startswith(("ext-info-", "kex-strict-"))]


def disabled_for_paramiko(exceptions: Sequence[str]) -> dict[str, list[str]]:
    """All weak algorithms of paramiko less `exceptions`, for ``paramiko.Transport(disabled_algorithms=...)``."""
    allowed = frozenset(exceptions)
    return {area.value: [name for name in names if name not in allowed] for area, names in _PARAMIKO_OFFERS.items()}


def ciphers_for_paramiko(offered: Sequence[str]) -> tuple[str, ...]:
    """`offered` with AES-GCM first."""
    first = [name for name in PARAMIKO_CIPHERS_FIRST if name in offered]
    return (*first, *(name for name in offered if name not in first))


def only_openssh(exceptions: Sequence[str]) -> tuple[str, ...]:
    """The exceptions paramiko cannot grant, because it has no such algorithm: they need the system's ssh."""
    granted = {name for names in _PARAMIKO_OFFERS.values() for name in names}
    return tuple(name for name in exceptions if name not in granted)


def ssh_options(
    exceptions: Sequence[str], supported: frozenset[str] | None = None, *, old_names: bool = False
) -> list[str]:
    """Settings for ``ssh -o``: weak defaults off, `exceptions` on.

    Args:
        supported: what this ssh knows (``ssh -Q``); others are left out, because ssh refuses an unknown name.
        old_names: True for an ssh older than 8.5.
    """
    options = []
    for option, names in _OPTION.items():
        wanted = [name for name in exceptions if name in names and (supported is None or name in supported)]
        name = _OLD_NAME.get(option, option) if old_names else option
        refused = [name for name in _OPENSSH_WEAK_DEFAULTS.get(option, ()) if name not in exceptions]
        if wanted:
            options.append(f"{name}=+{','.join(wanted)}")
        elif refused:
            options.append(f"{name}=-{','.join(refused)}")
    return options
