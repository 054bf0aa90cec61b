"""From ssh's own words to the keys of `LinkError`. Its exit status says nothing: 255 is any failure of its own."""

from __future__ import annotations

import re
from typing import Any

from tunebench.core.patterns import lazy_pattern
from tunebench.transport.ssh.algorithms import without_signals
from tunebench.transport.ssh.link import LinkError
from tunebench.transport.ssh.ssh_log import Phase, SshLog

_LOST = (
    r"Connection closed by|Connection reset|Broken pipe|closed by remote host|kex_exchange_identification"
    r"|not responding|Software caused connection abort"
)
_UNREADABLE = (
    r"UNPROTECTED PRIVATE KEY FILE|Load key .*(?:invalid format|libcrypto|Permission|is a directory)"
    r"|bad permissions|(?:no such identity|Identity file .* not accessible): "
)
# The first that matches decides; `final` where trying again alone is wrong.
_TABLE: tuple[tuple[str, str, bool], ...] = (
    ("unresolved", r"Could not resolve hostname|Name or service not known|hostname contains invalid", False),
    ("no_common_algorithm", r"no matching (?P<what>.+?) found\. Their offer: (?P<offer>\S+)", True),
    ("refused", r"Connection refused", False),
    ("unreachable", r"No route to host|Network is unreachable|Host is down|Network is down", False),
    ("banner_timeout", r"Connection timed out during banner exchange", False),
    ("connect_timeout", r"Connection timed out|Operation timed out", False),
    ("key_unreadable", _UNREADABLE, True),
    ("auth_failed", r"Permission denied \(|Too many authentication failures|No more authentication methods", True),
    ("no_common_algorithm", r"(?P<what>Bad (?:SSH2 )?\S+ spec|Unsupported \S+) ['\"]?(?P<offer>[^'\".]*)", True),
    ("lost", _LOST, False),
)
_TIMEOUTS = {
    Phase.CONNECTING: "connect_timeout",
    Phase.BANNER: "banner_timeout",
    Phase.HANDSHAKE: "auth_timeout",
    Phase.LOG_IN: "auth_timeout",
}
_HOST_KEY_REFUSED = lazy_pattern(
    r"Host key verification failed|HOST IDENTIFICATION HAS CHANGED|host key is known for|REVOKED HOST KEY"
)


def host_key_refused(log: SshLog) -> bool:
    return bool(_HOST_KEY_REFUSED.search(log.text)) and log.phase < Phase.LOG_IN


def failure(log: SshLog) -> LinkError:
    """What ended a connection that was being made; where it was is for the caller to add."""
    for key, pattern, final in _TABLE:
        if match := re.search(pattern, log.text):
            facts: dict[str, Any] = {
                "detail": _line_with(log, match[0]),
                "methods": log.fact("methods") or "-",
                "seconds": "-",
                **match.groupdict(),
            }
            if facts.get("offer"):
                facts["offer"] = ", ".join(without_signals(facts["offer"].split(",")))
            return LinkError(key, final=final, **facts)
    return LinkError("lost", detail=log.complaints[-1] if log.complaints else "ssh")


def timeout(log: SshLog, seconds: float) -> LinkError:
    return LinkError(_TIMEOUTS.get(log.phase, "auth_timeout"), seconds=f"{seconds:g}")


def _line_with(log: SshLog, words: str) -> str:
    return next((line for line in log.text.splitlines() if words in line), words)
