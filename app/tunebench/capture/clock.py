"""How far a server's clock is from ours.

The answer with the least round trip counts: the server read its clock at some moment of that trip, so the truth is
within half of it. A clock that tells whole seconds only adds half a second.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import UTC, datetime

from tunebench.capture.survey import moment_ns, read_answers, utc_offset_s, zone_of
from tunebench.domain.capturing.run import ClockCheck
from tunebench.transport.ssh.link import Finished

ROUNDS = 8
_HALF_SECOND_NS = 500_000_000


def measure_clock(
    run: Callable[[str], Finished], line: str, now_ns: Callable[[], int], *, host: str = "", rounds: int = ROUNDS
) -> ClockCheck | None:
    """The check with the smallest error; None where no answer held a time.

    Args:
        run: sends the command line and waits for its end (`Link.run` with a deadline).
        now_ns: this machine's clock.

    Raises:
        LinkError: of `run`.
    """
    checks = [check for check in (_round(run, line, now_ns, host) for _ in range(rounds)) if check is not None]
    return min(checks, key=lambda check: check.error_ns, default=None)


def _round(run: Callable[[str], Finished], line: str, now_ns: Callable[[], int], host: str) -> ClockCheck | None:
    sent_ns = now_ns()
    finished = run(line)
    back_ns = now_ns()
    answers = read_answers(finished.stdout)
    server_ns = moment_ns(answers.get("utc", ""))
    return None if server_ns is None else _check(answers, server_ns, sent_ns, back_ns, host)


def _check(answers: Mapping[str, str], server_ns: int, sent_ns: int, back_ns: int, host: str) -> ClockCheck:
    cut_ns = 0 if server_ns % 1_000_000_000 else _HALF_SECOND_NS
    middle_ns = (sent_ns + back_ns) // 2
    return ClockCheck(
        host=host,
        taken_at=datetime.fromtimestamp(middle_ns / 1e9, UTC).isoformat(timespec="milliseconds"),
        offset_ns=server_ns + cut_ns - middle_ns,
        error_ns=(back_ns - sent_ns + 1) // 2 + cut_ns,
        zone=zone_of(answers),
        utc_offset_s=utc_offset_s(answers),
        boot_id=answers.get("boot", ""),
    )
