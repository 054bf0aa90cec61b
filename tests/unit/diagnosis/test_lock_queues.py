"""Who waits for whose lock: of all sightings the queue that was seen most, and what nobody captured stays unnamed."""

from __future__ import annotations

from tests.unit.analysis.databases.database_records import MYSQL, ORACLE, POSTGRES, counters, moment, period
from tunebench.analysis.databases.subtraction import period_between
from tunebench.diagnosis.signals.lock_queues import lock_queue
from tunebench.domain.finding import LockQueue, QueuedStatement
from tunebench.usecases.findings.words import queue_text

UPDATE = "update accounts set balance=balance+? where id=?"
DIGEST = "UPDATE `accounts` SET `balance` = `balance` + ? WHERE `id` = ?"
HELD = {"holder": "6", "holder_state": "idle in transaction"}


def row(samples: float = 1.0, **texts: str) -> dict[str, str | float | None]:
    return {"event": "row lock", "statement": UPDATE, "object": "bench.accounts", **texts, "samples": samples}


def test_the_queue_that_is_seen_most_is_told_with_the_digest_of_its_statement():
    texts = [{"statement_id": "d1", "text": DIGEST}, {"statement_id": "d2", "text": "SELECT ?"}]
    rows = [row(2.0, **HELD), row(3.0, **HELD | {"holder": "7"}), row(4.0, object="bench.other")]
    queue = lock_queue(period(MYSQL, lock_wait=rows, statement_text=texts), ("row_lock_pct",), {})
    assert queue is not None
    assert queue.waiting == QueuedStatement("d1", DIGEST, "")
    assert (queue.object, queue.holder, queue.holder_state) == ("bench.accounts", "", "idle in transaction")
    assert (queue.sightings, queue.all_sightings, queue.lines) == (5, 9, (1, 2))
    assert lock_queue(period(MYSQL, lock_wait=rows), ("table_lock_wait_pct",), {}) == LockQueue()
    assert lock_queue(period(MYSQL, lock_wait=rows), ("slow_pct",), {}) is None


def test_sightings_at_either_end_of_a_period_count_together():
    seen = counters(moment(0), MYSQL, lock_wait=[row(2.0, **HELD)])
    nothing = counters(moment(1), MYSQL)
    again = counters(moment(1), MYSQL, lock_wait=[row(3.0, **HELD)])
    for first, second, sightings in ((seen, nothing, 2), (nothing, again, 3), (seen, again, 5)):
        queue = lock_queue(period_between(first, second), ("row_lock_pct",), {})
        assert queue is not None
        assert queue.sightings == sightings


def test_another_event_has_its_own_queue():
    rows: list[dict[str, str | float | None]] = [
        {"event": "transactionid", "statement_id": "1", "samples": 9.0},
        {"event": "relation", "statement_id": "2", "object": "shop.orders", "samples": 1.0},
    ]
    record = period(POSTGRES, lock_wait=rows, statement_text=[{"statement_id": "2", "text": "lock table orders"}])
    queue = lock_queue(record, ("contention_pct", "contention_event"), {"contention_event": "relation"})
    assert queue is not None
    assert (queue.waiting, queue.object) == (QueuedStatement("2", "lock table orders"), "shop.orders")


def test_without_sightings_what_the_database_counts_is_named():
    texts = [{"statement_id": "abc", "text": "update orders set a = 1"}]
    facts = {"row_lock_statement": "abc", "row_lock_segment": "APP.ORDERS"}
    queue = lock_queue(period(ORACLE, statement_text=texts), ("row_lock_pct",), facts)
    assert queue == LockQueue(QueuedStatement("abc", "update orders set a = 1"), "APP.ORDERS")
    assert queue_text(queue, "en") == (
        "Waits for a lock: UPDATE orders · abc, on APP.ORDERS. The lock is held by: not told by the captures."
    )


def test_the_sentence_says_what_is_not_told():
    assert queue_text(None, "en") == ""
    assert queue_text(LockQueue(), "en") == (
        "Waits for a lock: a statement that the captures do not tell, on an object that the captures do not tell. "
        "The lock is held by: not told by the captures."
    )
    queue = LockQueue(
        QueuedStatement("1", "update t set a = 1"), "s.t", "29", "idle in transaction",
        QueuedStatement("2", "delete from t"), 11.5, 36, 39, (7,), (40, 52),
    )  # fmt: skip
    assert queue_text(queue, "ko") == (
        "잠금 대기: t 수정 · 1, 대상: s.t. 잠금을 쥔 세션: 세션 29, 트랜잭션을 열어 둔 채 유휴 상태, "
        "트랜잭션 최장 11.5초, 마지막 SQL 문 t 삭제 · 2. 기다리는 세션을 본 39회 가운데 36회. 수집 자료의 줄: 40, 52."
    )
    assert queue_text(queue, "en", in_full=False).endswith("last statement DELETE t · 2.")
