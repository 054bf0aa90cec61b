"""A connection in the audit trail: to what, by which key, how, and what in it was weak; or why there was none."""

from __future__ import annotations

from tunebench.capture.context import Auditor
from tunebench.domain.capturing.plan import PlannedHost
from tunebench.domain.connection import Hop
from tunebench.transport.ssh.link import LinkFacts


def put_down_connection(record: Auditor, host: str, at: PlannedHost | Hop, facts: LinkFacts) -> None:
    record(
        "ssh_connected",
        host=host,
        address=at.address,
        port=at.port,
        account=at.user,
        backend=facts.backend,
        server_version=facts.server_version,
        host_key_type=facts.host_key_type,
        fingerprint=facts.fingerprint,
        host_key_verdict=facts.host_key_verdict,
        auth_method=facts.auth_method,
        kex=facts.kex,
        cipher=facts.cipher,
        mac=facts.mac,
        hops=list(facts.hops),
    )
    if facts.weak:
        record("weak_algorithms", host=host, algorithms=list(facts.weak))


def put_down_refusal(record: Auditor, host: str, at: PlannedHost | Hop, reason: str) -> None:
    record("ssh_refused", host=host, address=at.address, port=at.port, account=at.user, reason=reason)
