"""The command lines of the system's ssh: no configuration file, nothing asked on a terminal, nothing left to chance."""

from __future__ import annotations

import os
import shlex
from collections.abc import Sequence
from pathlib import Path

from tunebench.core.records import record
from tunebench.domain.connection import Hop
from tunebench.transport.ssh.algorithms import ssh_options
from tunebench.transport.ssh.ssh_binary import SshBinary

_FIXED = (
    "ControlPersist=no",
    "GlobalKnownHostsFile=/dev/null",
    "CheckHostIP=no",
    "VerifyHostKeyDNS=no",
    "IdentitiesOnly=yes",
    "NumberOfPasswordPrompts=1",
    "AddKeysToAgent=no",
    "ForwardAgent=no",
    "ForwardX11=no",
    "PermitLocalCommand=no",
    "RequestTTY=no",
    "EscapeChar=none",
    "HashKnownHosts=no",
    "UpdateHostKeys=no",
    "TCPKeepAlive=yes",
    "Tunnel=no",
    "LogLevel=DEBUG3",
)
_METHODS = "PreferredAuthentications=publickey,keyboard-interactive,password"
_NO_METHODS = (
    "PreferredAuthentications=none",
    "PubkeyAuthentication=no",
    "PasswordAuthentication=no",
    "KbdInteractiveAuthentication=no",
    "BatchMode=yes",
    "IdentityFile=none",
)
_SIGNATURES = {"ssh-rsa": ("rsa-sha2-512", "rsa-sha2-256")}


@record
class Step:
    """One hop to be connected.

    Attributes:
        proxy: a ProxyCommand, empty for a socket of ssh's own.
        alias: what the private known_hosts file calls the host.
    """

    binary: SshBinary
    hop: Hop
    alias: str
    proxy: str = ""

    def scan(self, known_hosts: Path, key_type: str) -> list[str]:
        """Learns the server's key and tries to log in with nothing. `key_type`: the one to be shown, empty for any."""
        options = [
            *_NO_METHODS,
            f"StrictHostKeyChecking={self.binary.learns_new_keys}",
            *_known_hosts_option(known_hosts),
            *self._scanned_types(key_type),
            *self._algorithms(skip_host_keys=bool(key_type)),
        ]
        return self._command(["-T"], options, ["true"])

    def master(
        self, socket: Path, known_hosts: Path, identities: Sequence[str], certificate: str, probe_s: float, misses: int
    ) -> list[str]:
        """Connects, accepts only the keys in `known_hosts`, logs in, and serves further sessions at `socket`."""
        options = [
            _METHODS,
            "StrictHostKeyChecking=yes",
            *_known_hosts_option(known_hosts),
            *self._algorithms(),
            f"ServerAliveInterval={max(1, round(probe_s))}",
            f"ServerAliveCountMax={misses}",
            *([f'IdentityFile="{_escaped(path)}"' for path in identities] or ["IdentityFile=none"]),
            *([f'CertificateFile="{_escaped(certificate)}"'] if certificate else []),
        ]
        return self._command(["-M", "-N", "-T", "-S", str(socket)], options, [])

    def _command(self, words: Sequence[str], options: Sequence[str], command: Sequence[str]) -> list[str]:
        proxy = [f"ProxyCommand={self.proxy}"] if self.proxy else []
        every = [*_FIXED, f"HostKeyAlias={self.alias}", *options, *proxy]
        return [
            self.binary.path,
            "-F",
            os.devnull,
            *words,
            *(word for option in every for word in ("-o", option)),
            "-p",
            str(self.hop.port),
            "-l",
            self.hop.user,
            "--",
            self.hop.address,
            *command,
        ]

    def _algorithms(self, *, skip_host_keys: bool = False) -> list[str]:
        options = ssh_options(self.hop.weak_algorithms, self.binary.algorithms, old_names=self.binary.old_option_names)
        return [option for option in options if not (skip_host_keys and option.startswith("HostKeyAlgorithms="))]

    def _scanned_types(self, key_type: str) -> list[str]:
        if not key_type:
            return []
        signatures = list(_SIGNATURES.get(key_type, (key_type,)))
        if key_type in self.hop.weak_algorithms and key_type not in signatures:
            signatures.append(key_type)
        return [f"HostKeyAlgorithms={','.join(signatures)}"]


def session(binary: SshBinary, socket: Path, log: Path, command: str) -> list[str]:
    """One more session through the master at `socket`; never a connection of its own."""
    return [
        binary.path,
        "-F",
        os.devnull,
        "-S",
        str(socket),
        "-T",
        "-o",
        "ControlMaster=no",
        "-o",
        "ProxyCommand=false",
        "-o",
        "LogLevel=DEBUG2",
        "-o",
        "EscapeChar=none",
        "-E",
        str(log),
        "--",
        "tunebench",
        command,
    ]


def through(binary: SshBinary, socket: Path) -> str:
    """A ProxyCommand that goes through the master of the hop before."""
    words = [
        binary.path,
        "-F",
        os.devnull,
        "-S",
        str(socket),
        "-oControlMaster=no",
        "-oProxyCommand=false",
        "-oLogLevel=ERROR",
    ]
    return f"{shlex.join(words).replace('%', '%%')} -W [%h]:%p tunebench"


def environment(extra: dict[str, str]) -> dict[str, str]:
    """English messages, so that they can be understood, and no askpass but ours."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("SSH_ASKPASS", "LC_", "LANG"))}
    return {**kept, "LC_ALL": "C", **extra}


def _known_hosts_option(path: Path) -> list[str]:
    return [f'UserKnownHostsFile="{_escaped(str(path))}"']


def _escaped(path: str) -> str:
    """The path, escaped for a quoted value: ``%`` begins a token, a backslash escapes a quote (ssh_config(5))."""
    return path.replace("%", "%%").replace("\\", "\\\\").replace('"', '\\"')
