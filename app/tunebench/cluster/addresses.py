"""Where work is done, as people write it: ``local``, ``local:4``, ``tcp://host:8786``, ``tls://host:8786``."""

from __future__ import annotations

import ipaddress
from pathlib import Path
from urllib.parse import urlsplit

from tunebench.core.errors import UserError
from tunebench.core.records import record

LOCAL = "local"
MOST_PROCESSES = 256
_FILES = ("ca.pem", "cert.pem", "key.pem")


@record
class Address:
    """A scheduler's.

    Attributes:
        tls: the folder of the certificates; None without encryption.
    """

    url: str
    tls: Path | None

    @property
    def ca(self) -> str:
        return self._file(0)

    @property
    def certificate(self) -> str:
        return self._file(1)

    @property
    def key(self) -> str:
        return self._file(2)

    def _file(self, index: int) -> str:
        return "" if self.tls is None else str(self.tls / _FILES[index])


def address_of(url: str, tls: Path | None) -> Address:
    """The address; beyond this machine only an encrypted one, as whoever reaches such a port runs what they like.

    Raises:
        UserError: on_unknown, cluster_wants_tls, cluster_tls_files.
    """
    try:
        parts = urlsplit(url)
        host, port = parts.hostname, parts.port
    except ValueError:
        raise UserError("on_unknown", on=url) from None
    if parts.scheme not in ("tcp", "tls") or not host or port is None or parts.path.strip("/"):
        raise UserError("on_unknown", on=url)
    if parts.scheme == "tcp":
        if not is_loopback(host):
            raise UserError("cluster_wants_tls", address=url)
        return Address(url, None)
    missing = _FILES if tls is None else [name for name in _FILES if not (tls / name).is_file()]
    if missing:
        raise UserError("cluster_tls_files", folder=str(tls or "-"), missing=", ".join(missing))
    return Address(url, tls)


def is_loopback(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def processes_of(on: str, cores: int) -> int | None:
    """How many processes of this machine; None where an address is meant.

    Raises:
        UserError: on_unknown.
    """
    word, colon, count = on.partition(":")
    if word != LOCAL:
        return None
    if not colon:
        return cores
    if not count.isascii() or not count.isdecimal() or not 0 < int(count) <= MOST_PROCESSES:
        raise UserError("on_unknown", on=on)
    return int(count)
