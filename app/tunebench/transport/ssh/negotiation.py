"""From a socket to an encrypted transport: banner and key exchange with a deadline, and what was agreed."""

from __future__ import annotations

import re
import socket
import threading
import time

from paramiko.channel import Channel
from paramiko.ssh_exception import IncompatiblePeer

from tunebench.domain.connection import Hop
from tunebench.transport.ssh.algorithms import disabled_for_paramiko, weak, without_signals
from tunebench.transport.ssh.link import Deadlines, LinkError
from tunebench.transport.ssh.paramiko_transport import WatchedTransport

# What paramiko says of the list it found nothing in: what OpenSSH calls that, and where the server's list is.
_LISTS = {
    "kex": ("key exchange method", "kex_algo_list"),
    "host key": ("host key type", "server_key_algo_list"),
    "ciphers": ("cipher", "server_encrypt_algo_list"),
    "macs": ("MAC", "server_mac_algo_list"),
}


def negotiate(
    sock: socket.socket | Channel, hop: Hop, known_types: tuple[str, ...], deadlines: Deadlines, *, fast: bool
) -> WatchedTransport:
    """A transport whose keys are exchanged, nothing more: the server has not been told who we are.

    Args:
        known_types: host key types to be asked for first.
        fast: the quickest cipher first.

    Raises:
        LinkError: ``banner_timeout``, ``no_common_algorithm``, ``lost``.
    """
    transport = WatchedTransport(sock, disabled_for_paramiko(hop.weak_algorithms))
    transport.banner_timeout = transport.handshake_timeout = deadlines.banner_s
    transport.prefer_keys(known_types)
    if fast:
        transport.prefer_speed()
    done, started_at = threading.Event(), time.monotonic()
    transport.start_client(event=done)
    agreed = done.wait(deadlines.banner_s) and transport.is_active() and transport.initial_kex_done
    if not agreed:
        transport.close()
        transport.gone.wait(1.0)
        raise _explained(transport, deadlines.banner_s, time.monotonic() - started_at)
    return transport


def _explained(transport: WatchedTransport, allowance_s: float, took_s: float) -> LinkError:
    error = transport.saved_exception
    if isinstance(error, IncompatiblePeer):
        return _incompatible(transport, str(error))
    if took_s >= allowance_s - 0.2:
        return LinkError("banner_timeout", seconds=f"{allowance_s:g}")
    return LinkError("lost", detail=_reason(transport))


def _reason(transport: WatchedTransport) -> str:
    if transport.disconnect[1]:
        return transport.disconnect[1]
    error = transport.saved_exception
    return str(error) if error is not None and str(error) else "EOF"


def _incompatible(transport: WatchedTransport, words: str) -> LinkError:
    match = re.search("|".join(_LISTS), words)
    what, name = _LISTS[match[0]] if match else ("SSH 2.0", "")
    offer = ",".join(without_signals(transport.offer.get(name, ())))
    return LinkError("no_common_algorithm", final=True, what=what, offer=offer or transport.remote_version)


def agreed_weak(transport: WatchedTransport) -> tuple[str, ...]:
    """The weak algorithms really in use, both directions."""
    macs = () if is_gcm(transport) else (transport.local_mac, transport.remote_mac)
    return weak((transport.agreed_kex, transport.host_key_type, transport.local_cipher, transport.remote_cipher, *macs))


def is_gcm(transport: WatchedTransport) -> bool:
    """Such a cipher authenticates what it encrypts: there is no MAC."""
    return "gcm@" in str(transport.remote_cipher)
