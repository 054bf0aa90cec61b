"""The engine and a network that swallows everything: the server's side, while nobody can reach it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from tests.e2e.capture_rig import Engine, end, gain, host_of, ours, planned
from tests.e2e.network_rig import Network
from tests.e2e.sshd_rig import Sshd
from tests.waiting import until
from tunebench.domain.capturing.run import GapCause, HostState

NUMBERED = 'n=0;while :;do echo "line $n";n=$((n+1));sleep 0.2;done'


def test_dropped_packets_are_a_gap_and_the_lease_ends_the_command(
    make_sshd: Callable[..., Sshd], network: Network, tmp_path: Path
) -> None:
    """Row 12. The server never hears that the connection is gone: what runs there ends by its lease."""
    engine = Engine(tmp_path, make_sshd(network.address, network.prefix).start())
    try:
        engine.commands.append(planned("numbered", NUMBERED, lease_s=6))
        session = engine.begin(lease_s=6)
        gain(session, "numbered", 5)
        assert ours()
        network.drop_everything()
        until(lambda: host_of(session).state is HostState.WAITING)
        until(lambda: not ours())
        network.restore()
        until(lambda: host_of(session).state is HostState.CAPTURING)
        gain(session, "numbered", 5)
        end(session)
        (gap,) = engine.spooled().all_gaps()
        assert gap.cause is GapCause.NETWORK_LOST
        assert gap.end_ns is not None
        assert gap.end_ns - gap.start_ns > 3_000_000_000
        until(lambda: not ours())
    finally:
        engine.close()
