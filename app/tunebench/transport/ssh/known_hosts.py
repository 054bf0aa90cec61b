"""Which host keys are known: OpenSSH's known_hosts format, read tolerantly, and the keys accepted for an engagement.

Line forms (sshd(8), "SSH_KNOWN_HOSTS FILE FORMAT"):
``db01,10.0.0.5 ssh-ed25519 AAAA...``, ``[db01]:2222 ...``, ``|1|salt|hash ...``, ``*.example.com,!b.example.com ...``,
``@cert-authority *.example.com ...``, ``@revoked * ...``. The files are never written.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import re
from collections.abc import Iterable, Iterator, Sequence
from enum import StrEnum
from functools import cache
from pathlib import Path

from tunebench.core.records import record
from tunebench.domain.connection import DEFAULT_PORT, AcceptedKey, Hop, HostKey, KeyVerdict

LARGEST_FILE_BYTES = 16 << 20


class Marker(StrEnum):
    NONE = ""
    AUTHORITY = "@cert-authority"
    REVOKED = "@revoked"


@record
class Entry:
    """One line: `patterns` is the host field as written, `blob` the key in base64, `source` the file."""

    marker: Marker
    patterns: str
    key_type: str
    blob: str
    source: str
    line: int


@record
class LineProblem:
    """A line that says nothing usable; `reason` is ``fields``, ``marker``, ``base64``, ``key`` or ``unreadable``."""

    source: str
    line: int
    reason: str


@record
class Judgement:
    """What is known of a key.

    Attributes:
        known: the host's other keys: of the same type where it changed, of all types where the type is new.
        authorities: keys of certificate authorities that may vouch for the host. A plain key is never
            known through them; only a host certificate can be.
    """

    verdict: KeyVerdict
    known: tuple[HostKey, ...] = ()
    authorities: tuple[HostKey, ...] = ()


def fingerprint(blob: bytes) -> str:
    """``SHA256:...`` as ``ssh-keygen -lf`` prints it."""
    return "SHA256:" + base64.b64encode(hashlib.sha256(blob).digest()).decode("ascii").rstrip("=")


def family(key_type: str) -> str:
    """The type without what only says how it signs: ``rsa-sha2-512`` and ``ssh-rsa`` are the same key."""
    bare = key_type.removesuffix("@openssh.com").removesuffix("-cert-v01")
    return "ssh-rsa" if bare in {"rsa-sha2-256", "rsa-sha2-512"} else key_type.replace("-cert-v01@openssh.com", "")


def lookup_port(hop: Hop) -> int:
    """OpenSSH looks a HostKeyAlias up without a port."""
    return hop.port if hop.host_key_name == hop.address else DEFAULT_PORT


def host_key(hop: Hop, key_type: str, blob: bytes) -> HostKey:
    """The key under the name it is looked up with, so that it is found again when it was accepted."""
    text = base64.b64encode(blob).decode("ascii")
    return HostKey(hop.host_key_name, lookup_port(hop), key_type, text, fingerprint(blob))


class KnownHosts:
    """All entries of some files and the accepted keys; `problems` are the lines that were passed over."""

    def __init__(
        self, entries: Iterable[Entry], accepted: Sequence[AcceptedKey] = (), problems: Sequence[LineProblem] = ()
    ) -> None:
        self.entries = tuple(entries)
        self.accepted = tuple(accepted)
        self.problems = tuple(problems)

    @classmethod
    def read(cls, paths: Sequence[Path], accepted: Sequence[AcceptedKey] = ()) -> KnownHosts:
        """Reads `paths` in order; a file that is not there is no problem, an unreadable one is remembered."""
        entries: list[Entry] = []
        problems: list[LineProblem] = []
        for path in paths:
            for parsed in _read_file(path):
                (entries if isinstance(parsed, Entry) else problems).append(parsed)  # type: ignore[arg-type]
        return cls(entries, accepted, problems)

    def judge(self, names: Sequence[str], port: int, key: HostKey) -> Judgement:
        """The verdict on `key` for a host reached as `names` (what it is looked up with first, then its addresses).

        The first name that anything is known of decides, so that a false address cannot make up for a changed name.
        """
        if self._revoked(names, port, key):
            return Judgement(KeyVerdict.REVOKED)
        marked = self.marked(names, port, Marker.AUTHORITY)
        authorities = tuple(self._as_key(entry, names[0], port) for entry in marked)
        for name in names:
            verdict, keys = self._judge_name(name, port, key)
            if verdict is not KeyVerdict.UNKNOWN:
                return Judgement(verdict, keys, authorities)
        return Judgement(KeyVerdict.UNKNOWN, (), authorities)

    def preferred_types(self, names: Sequence[str], port: int) -> tuple[str, ...]:
        """Types of the keys known for the host, best known first: to be asked of the server first."""
        return tuple(dict.fromkeys(key.key_type for name in names for key in self.plain_keys(name, port)))

    def plain_keys(self, name: str, port: int) -> tuple[HostKey, ...]:
        """Keys that stand for the host itself: accepted ones first, no authorities, none revoked for it."""
        keys = (item.key for item in self.accepted)
        accepted = [key for key in keys if (key.address.lower(), key.port) == (name.lower(), port)]
        filed = [self._as_key(entry, name, port) for entry in self._for_host(name, port, Marker.NONE)]
        revoked = {entry.blob for entry in self._for_host(name, port, Marker.REVOKED)}
        return tuple(key for key in dict.fromkeys([*accepted, *filed]) if key.blob not in revoked)

    def marked(self, names: Sequence[str], port: int, marker: Marker) -> tuple[Entry, ...]:
        """The lines with `marker` that concern the host."""
        return tuple(dict.fromkeys(entry for name in names for entry in self._for_host(name, port, marker)))

    def _judge_name(self, name: str, port: int, key: HostKey) -> tuple[KeyVerdict, tuple[HostKey, ...]]:
        keys = self.plain_keys(name, port)
        if any(other.blob == key.blob for other in keys):
            return KeyVerdict.KNOWN, ()
        same_type = tuple(other for other in keys if family(other.key_type) == family(key.key_type))
        if same_type:
            return KeyVerdict.CHANGED, same_type
        if keys:
            return KeyVerdict.NEW_TYPE, keys
        # As ssh does: a key under the bare name is good for another port too, but cannot accuse it.
        if port != DEFAULT_PORT and any(other.blob == key.blob for other in self.plain_keys(name, DEFAULT_PORT)):
            return KeyVerdict.KNOWN, ()
        return KeyVerdict.UNKNOWN, ()

    def _revoked(self, names: Sequence[str], port: int, key: HostKey) -> bool:
        marked = (self.marked(names, one, Marker.REVOKED) for one in {port, DEFAULT_PORT})
        return any(entry.blob == key.blob for entries in marked for entry in entries)

    def _for_host(self, name: str, port: int, marker: Marker) -> Iterator[Entry]:
        looked_up = written_name(name, port)
        return (entry for entry in self.entries if entry.marker is marker and _concerns(entry.patterns, looked_up))

    @staticmethod
    def _as_key(entry: Entry, name: str, port: int) -> HostKey:
        return HostKey(name, port, entry.key_type, entry.blob, fingerprint(base64.b64decode(entry.blob)))


def written_name(name: str, port: int) -> str:
    """How the file names a host: ``db01``, ``[db01]:2222``."""
    return name.lower() if port == DEFAULT_PORT else f"[{name.lower()}]:{port}"


def _concerns(patterns: str, looked_up: str) -> bool:
    if patterns.startswith("|1|"):
        return _matches_hash(patterns, looked_up)
    return matches_list(looked_up, patterns.lower().split(","))


@cache
def _matches_hash(field: str, looked_up: str) -> bool:
    """``|1|base64 salt|base64 HMAC-SHA1(salt, name)``; SHA-1 is the format's, it protects names only."""
    try:
        _, _, salt, wanted = field.split("|")
        key, digest = base64.b64decode(salt, validate=True), base64.b64decode(wanted, validate=True)
    except (ValueError, binascii.Error):
        return False
    return hmac.compare_digest(hmac.new(key, looked_up.encode(), "sha1").digest(), digest)


def _read_file(path: Path) -> Iterator[Entry | LineProblem]:
    try:
        if not path.exists():
            return
        with path.open("rb") as file:
            content = file.read(LARGEST_FILE_BYTES)
    except OSError:
        yield LineProblem(str(path), 0, "unreadable")
        return
    for number, raw in enumerate(content.split(b"\n"), start=1):
        line = raw.strip()
        if line and not line.startswith(b"#"):
            yield _read_line(line, str(path), number)


def _read_line(line: bytes, source: str, number: int) -> Entry | LineProblem:
    fields = [field.decode("utf-8", "replace") for field in line.split()]  # as bytes: text has more kinds of blanks
    marker = Marker.NONE
    if fields[0].startswith("@"):
        if fields[0] not in {Marker.AUTHORITY, Marker.REVOKED}:
            return LineProblem(source, number, "marker")
        marker = Marker(fields.pop(0))
    if len(fields) < 3:
        return LineProblem(source, number, "fields")
    patterns, key_type, text = fields[:3]
    try:
        blob = base64.b64decode(text, validate=True)
    except (ValueError, binascii.Error):
        return LineProblem(source, number, "base64")
    if not _is_of_type(blob, key_type):
        return LineProblem(source, number, "key")
    return Entry(marker, patterns, key_type, base64.b64encode(blob).decode("ascii"), source, number)


def _is_of_type(blob: bytes, key_type: str) -> bool:
    """The key's own first field must repeat the line's type (RFC 4253, 6.6)."""
    size = int.from_bytes(blob[:4], "big")
    return len(blob) > 4 + size and blob[4 : 4 + size] == key_type.encode("utf-8", "replace")


def matches_list(name: str, patterns: Iterable[str]) -> bool:
    """Whether a pattern (``*``, ``?``, a leading ``!``: ssh_config(5), PATTERNS) matches and no negated one does.

    Letter case is the caller's.
    """
    matched = False
    for pattern in patterns:
        negated = pattern.startswith("!")
        if _expression(pattern[negated:]).fullmatch(name):
            if negated:
                return False
            matched = True
    return matched


@cache
def _expression(pattern: str) -> re.Pattern[str]:
    """The expression of a pattern, in which only two wildcards are special: ``[`` begins a name with a port."""
    return re.compile("".join({"*": ".*", "?": "."}.get(letter) or re.escape(letter) for letter in pattern))
