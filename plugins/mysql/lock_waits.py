"""Who waits for whose lock, out of the transactions that InnoDB's monitor lists.

    ---TRANSACTION 26, ACTIVE 2 sec starting index read
    LOCK WAIT 2 lock struct(s), heap size 1128, 1 row lock(s)
    MariaDB thread id 9, OS thread handle 131153260132032, query id 13 localhost tuner Updating
    update accounts set balance = balance + 7 where id = 1
    ------- TRX HAS BEEN WAITING 2012923 us FOR THIS LOCK TO BE GRANTED:
    RECORD LOCKS space id 5 page no 3 n bits 320 index PRIMARY of table `bench`.`accounts` trx id 26 lock_mode X waiting
    ---TRANSACTION 23, ACTIVE 3 sec
    2 lock struct(s), heap size 1128, 1 row lock(s), undo log entries 1
    MariaDB thread id 6, OS thread handle 139949429860032, query id 10 localhost tuner

The monitor does not say whom a transaction waits for. Every queue ends at one that holds locks and waits for none:
where only one does, it is that one. Without a statement it is idle. Literals of statements are not kept.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import field

from tunebench.sdk import lazy_pattern, record
from tunebench.sdk.databases import TableRows, literal_free

ROW, TABLE = "row lock", "table lock"
IDLE, ACTIVE = "idle in transaction", "active"
_BEGIN = lazy_pattern(r"^---TRANSACTION \w+, (?:not started|ACTIVE(?: \(PREPARED\))? (\d+) sec)")
_LOCKS = lazy_pattern(r"^(LOCK WAIT )?(\d+) lock struct\(s\), heap size \d+(?:, (\d+) row lock\(s\))?")
_THREAD = lazy_pattern(r"^(?:MySQL|MariaDB) thread id (\d+),")
_WAITING = lazy_pattern(r"^-+ TRX HAS BEEN WAITING (\d+) (us|SEC) FOR THIS LOCK")
_LOCK = lazy_pattern(r"^(RECORD|TABLE) LOCKS?\b.*? table ((?:`(?:[^`]|``)+`\.?)+).*\bwaiting$")
_ENDS = ("---", "TABLE LOCK", "RECORD LOCKS", "Trx read view", "Trx #rec lock waits", "Purge ")


@record(frozen=False)
class _Transaction:
    """`line`: of the monitor's text, from 0."""

    line: int
    active_s: float | None = None
    session: str = ""
    waits: bool = False
    structures: int = 0
    row_locks: int = 0
    waited_s: float | None = None
    event: str = ""
    table: str = ""
    statement: list[str] = field(default_factory=list)

    @property
    def shape(self) -> str:
        return literal_free(" ".join(self.statement), "mysql")


def add_lock_waits(rows: TableRows, lines: Iterable[tuple[int, str]], line_of: Callable[[int], int]) -> None:
    """A row for each transaction that waits.

    Args:
        lines: the monitor's section of transactions, numbered from 0 in its text.
        line_of: the line of the capture where a line of the text stands.
    """
    transactions = _transactions(lines)
    for waiting in (transaction for transaction in transactions if transaction.waits and transaction.event):
        holder = _only_holder(transactions, waiting.event)
        texts = {"event": waiting.event, "statement": waiting.shape, "object": waiting.table}
        if holder is not None:
            state = ACTIVE if holder.statement else IDLE
            texts |= {"holder": holder.session, "holder_state": state, "holder_statement": holder.shape}
        figures = {"samples": 1.0, "waited_s": waiting.waited_s, "held_s": holder.active_s if holder else None}
        rows.add(line_of(waiting.line), texts, figures)


def _only_holder(transactions: Sequence[_Transaction], event: str) -> _Transaction | None:
    holding = [t for t in transactions if not t.waits and (t.row_locks if event == ROW else t.structures)]
    return holding[0] if len(holding) == 1 else None


def _transactions(lines: Iterable[tuple[int, str]]) -> list[_Transaction]:
    transactions: list[_Transaction] = []
    in_statement = False
    for number, line in lines:
        begin = _BEGIN.match(line)
        if begin is not None:
            transactions.append(_Transaction(number, float(begin[1]) if begin[1] else None))
            in_statement = False
        elif transactions:
            in_statement = _read(transactions[-1], line, in_statement)
    return transactions


def _read(transaction: _Transaction, line: str, in_statement: bool) -> bool:
    """Whether the lines from here on are the transaction's statement."""
    locks, thread = _LOCKS.match(line), _THREAD.match(line)
    waiting, lock = _WAITING.match(line), _LOCK.match(line)
    if thread is not None:
        transaction.session = thread[1]
        return True
    if in_statement and not line.startswith(_ENDS):
        transaction.statement.append(line)
        return True
    if locks is not None:
        transaction.waits = locks[1] is not None
        transaction.structures, transaction.row_locks = int(locks[2]), int(locks[3] or 0)
    elif waiting is not None:
        transaction.waited_s = int(waiting[1]) / (1e6 if waiting[2] == "us" else 1)
    elif lock is not None and not transaction.event:
        transaction.event = ROW if lock[1] == "RECORD" else TABLE
        transaction.table = lock[2].replace("`", "")
    return False
