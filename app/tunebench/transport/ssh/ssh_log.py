"""What the system's ssh tells about itself on stderr (OpenSSH 7 to 9, ``LogLevel=DEBUG3``).

One real line per form:
    debug1: Connecting to 127.0.0.1 [127.0.0.1] port 2222.
    debug1: Remote protocol version 2.0, remote software version OpenSSH_9.2p1 Debian-2+deb12u10
    debug1: kex: algorithm: sntrup761x25519-sha512
    debug1: kex: server->client cipher: chacha20-poly1305@openssh.com MAC: <implicit> compression: none
    debug1: Server host key: ssh-ed25519 SHA256:ozw+YfjpHZtMutz8oz8Ow5579VuNsyAE7r/WG6EaJeU
    debug1: Authentications that can continue: publickey,password
    Authenticated to 127.0.0.1 ([127.0.0.1]:2222) using "publickey".
    debug3: send packet: type 80
"""

from __future__ import annotations

import math
import re
from dataclasses import field
from enum import IntEnum

from tunebench.core.patterns import lazy_pattern
from tunebench.core.records import record


class Phase(IntEnum):
    """How far a connection has come."""

    CONNECTING = 0
    BANNER = 1
    HANDSHAKE = 2
    LOG_IN = 3
    OPEN = 4


# A request and the packets that answer it at once: keepalive (RFC 4254, 4) and channel open (5.1).
_ANSWERS = {80: (81, 82), 90: (91, 92)}
_LOG_IN_REQUEST, _BANNER_TEXT = 50, 53
_PACKET = lazy_pattern(r"^debug3: (send|receive) packet: type (\d+)")
_FACTS: tuple[tuple[str, re.Pattern[str]], ...] = (
    ("address", lazy_pattern(r"^debug1: Connecting to \S+ \[(.+)\] port \d+")),
    ("server_version", lazy_pattern(r"^debug1: Remote protocol version \S+, remote software version (.*)")),
    ("kex", lazy_pattern(r"^debug1: kex: algorithm: (\S+)")),
    ("host_key_algorithm", lazy_pattern(r"^debug1: kex: host key algorithm: (\S+)")),
    ("methods", lazy_pattern(r"^debug1: Authentications that can continue: (\S+)")),
)
_LOGGED_IN = lazy_pattern(r"^Authenticated (?:to .*? )?using \"([^\"]+)\"")  # without "to": one of several methods
_CIPHER = lazy_pattern(r"^debug1: kex: server->client cipher: (\S+) MAC: (\S+)")
_HOST_KEY = lazy_pattern(r"^debug1: Server host key: (\S+) (SHA256:\S+)")
_CERTIFICATE = lazy_pattern(r"^debug1: Server host certificate: (\S+) (SHA256:[^\s,]+)")
_PHASES: tuple[tuple[str, Phase], ...] = (
    ("debug1: Connection established", Phase.BANNER),
    ("debug1: Executing proxy command", Phase.CONNECTING),
    ("debug1: Remote protocol version", Phase.HANDSHAKE),
    ("debug1: SSH2_MSG_SERVICE_ACCEPT", Phase.LOG_IN),
    ("debug1: Entering interactive session", Phase.OPEN),
)
_KEPT_LINES = 60


@record(frozen=False)
class SshLog:
    """What was read so far.

    Attributes:
        complaints: lines that are no debug output, newest last: the ones with errors.
        heard_s: clock reading of the last packet from the server; 0 before the first.
        tried_since_question: a log-in was tried after the last question; not so after a wrong passphrase.
        round_trip_s: of the last answered request; NaN before the first.
    """

    phase: Phase = Phase.CONNECTING
    facts: dict[str, str] = field(default_factory=dict)
    complaints: list[str] = field(default_factory=list)
    certified: bool = False
    matched_certificate: bool = False
    key_learned: bool = False
    tried_since_question: bool = False
    open_failure: str = ""
    heard_s: float = 0.0
    round_trip_s: float = float("nan")
    answered: int = 0
    _asked: dict[int, float] = field(default_factory=dict)
    _pending: bytes = b""
    _in_banner: bool = False

    def feed(self, data: bytes, now_s: float) -> None:
        *lines, self._pending = (self._pending + data).split(b"\n")
        for line in lines:
            self._line(line.decode("utf-8", "replace").rstrip(), now_s)

    def fact(self, name: str) -> str:
        return self.facts.get(name, "")

    @property
    def text(self) -> str:
        return "\n".join([*self.complaints, self._pending.decode("utf-8", "replace")])

    def _line(self, line: str, now_s: float) -> None:
        if line.startswith("debug"):
            self._in_banner = line.startswith("debug3: input_userauth_banner")
        packet = _PACKET.match(line)
        if self._in_banner:
            return  # the server's own words, which may look like anything
        if packet:
            self._packet(packet[1], int(packet[2]), now_s)
        elif self.phase < Phase.OPEN:
            self._before_open(line)
        elif not line.startswith("debug"):
            self._complain(line)
        elif "open failed" in line:
            self.open_failure = line

    def _packet(self, way: str, kind: int, now_s: float) -> None:
        if way == "send":
            self.tried_since_question |= kind == _LOG_IN_REQUEST
            if kind in _ANSWERS:
                self._asked.setdefault(kind, now_s)
            return
        self.heard_s = now_s
        self._in_banner = kind == _BANNER_TEXT
        for asked, answers in _ANSWERS.items():
            if kind in answers and asked in self._asked:
                waited_s = now_s - self._asked.pop(asked)
                if waited_s > 0 or math.isnan(self.round_trip_s):  # both lines in one piece: too quick to be told
                    self.round_trip_s = waited_s
                self.answered += 1

    def _before_open(self, line: str) -> None:
        for start, phase in _PHASES:
            if line.startswith(start):
                self.phase = max(self.phase, phase)
        for name, pattern in _FACTS:
            if match := pattern.match(line):
                self.facts[name] = match[1]
        self._keys(line)
        if match := _LOGGED_IN.match(line):
            before = self.fact("auth_method")
            self.facts["auth_method"] = f"{before}+{match[1]}" if before else match[1]
        if not line.startswith("debug"):
            self._complain(line)

    def _keys(self, line: str) -> None:
        if match := _CIPHER.match(line):
            self.facts.update(cipher=match[1], mac="" if match[2].startswith("<") else match[2])
        if match := _HOST_KEY.match(line):
            self._set_host_key(match)
        if match := _CERTIFICATE.match(line):
            self.certified = True
            self._set_host_key(match)
        self.matched_certificate |= "known and matches the" in line and "-CERT host certificate" in line
        self.key_learned |= "Permanently added" in line
        if "read_passphrase:" in line:
            self.tried_since_question = False

    def _set_host_key(self, match: re.Match[str]) -> None:
        """Keeps the first host key: whatever looks like one later on was written by the server."""
        self.facts.setdefault("host_key_type", match[1])
        self.facts.setdefault("fingerprint", match[2])

    def _complain(self, line: str) -> None:
        if line:
            if "open failed" in line:
                self.open_failure = line
            self.complaints = [*self.complaints[-_KEPT_LINES:], line]
