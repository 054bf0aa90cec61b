"""A connection in the audit trail: to what, by which key, how, and what in it was weak."""

from __future__ import annotations

from app.capture.context import Auditor
from app.transport.ssh.link import LinkFacts


def put_down_connection(record: Auditor, *, host: str, address: str, port: int, account: str, facts: LinkFacts) -> None:
    record(
        "ssh_connected",
        host=host,
        address=address,
        port=port,
        account=account,
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
