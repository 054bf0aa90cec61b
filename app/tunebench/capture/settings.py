"""How patient a capture is. The defaults are meant for customers; tests shorten them."""

from __future__ import annotations

from dataclasses import field

from tunebench.capture.backoff import STEPS_S
from tunebench.core.records import record
from tunebench.transport.ssh.link import LinkSettings


@record
class CaptureSettings:
    """Times in seconds.

    Attributes:
        connect_at_once: connections being opened at one time, over the whole session (sshd's MaxStartups).
        links_per_host: connections to one host; a further one is opened where the server allows no more channels.
        queue_bytes: what may wait for the disk before the readers are held back.
        syncs_per_s: how often the journals are made safe, at most.
        free_bytes: less free space than this on the journal's disk ends the capture.
        answer_bytes: of an answer to a question of ours; a server that says more is not captured from.
        flood_factor: one start of a command may say so many times what its plan expects.
        round_bytes: but this much in every round all the same: plans know small hosts, and a round of a large one has
            rows of a thousand disks or of some thousand processes.
        unplanned_bytes, unplanned_bytes_per_s: at once, and in the long run, of a command whose size no plan tells, or
            that is no measurement in rounds.
        recorded_bytes: of what is printed hours apart, which is a day of ``sar -A`` of a large machine.
        line_bytes: of one line.
        file_bytes: what may come of a file.
        suspect_intervals: so many intervals without a line make a stream suspect.
        restarts: how often a command that ended by itself is started again before it is given up.
        steady_s: a command that ran this long is started again with a clean slate.
        reconnect_after_end_s: how long a lost host is tried again after the planned end, to prove that nothing is left.
        suspended_s: this machine slept if so much time passed unseen.
        clock_step_s: two clock checks that differ by more than their errors and this mean that the clock was set.
        tick_s: how often a host's thread looks around.
    """

    connect_at_once: int = 5
    links_per_host: int = 4
    queue_bytes: int = 32 << 20
    syncs_per_s: float = 20.0
    free_bytes: int = 1 << 30
    answer_bytes: int = 1 << 20
    flood_factor: float = 4.0
    round_bytes: int = 1 << 20
    unplanned_bytes: int = 16 << 20
    unplanned_bytes_per_s: int = 64 << 10
    recorded_bytes: int = 256 << 20
    line_bytes: int = 1 << 20
    file_bytes: int = 4 << 30
    suspect_intervals: float = 3.0
    backoff_s: tuple[float, ...] = STEPS_S
    restarts: int = 5
    restart_backoff_s: tuple[float, ...] = (1.0, 5.0, 15.0, 60.0)
    steady_s: float = 60.0
    run_deadline_s: float = 30.0
    once_deadline_s: float = 120.0
    pull_deadline_s: float = 1800.0
    drain_s: float = 15.0
    reconnect_after_end_s: float = 60.0
    clock_every_s: float = 3600.0
    clock_step_s: float = 1.0
    suspended_s: float = 10.0
    tick_s: float = 0.5
    link: LinkSettings = field(default_factory=LinkSettings)
