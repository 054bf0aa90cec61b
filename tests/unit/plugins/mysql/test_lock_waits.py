"""Who waits for whose lock, as InnoDB's monitor printed it on a MariaDB 10.11: sessions behind one that is idle."""

from __future__ import annotations

import pytest

HEAD = """\
=====================================
2026-11-29 13:47:56 0x7f04a01806c0 INNODB MONITOR OUTPUT
=====================================
------------
TRANSACTIONS
------------
Trx id counter 27
LIST OF TRANSACTIONS FOR EACH SESSION:
"""
WAITING = """\
---TRANSACTION {number}, ACTIVE 2 sec starting index read
mysql tables in use 1, locked 1
LOCK WAIT 2 lock struct(s), heap size 1128, 1 row lock(s)
MariaDB thread id {number}, OS thread handle 131153260132032, query id 13 localhost tuner Updating
update accounts set balance = balance + 7
 where id = 1
------- TRX HAS BEEN WAITING {waited} FOR THIS LOCK TO BE GRANTED:
RECORD LOCKS space id 5 page no 3 n bits 320 index PRIMARY of table `bench`.`accounts` trx id 26 lock_mode X waiting
Record lock, heap no 2 PHYSICAL RECORD: n_fields 4; compact format; info bits 0
 0: len 4; hex 80000001; asc     ;;

------------------
"""
IDLE = """\
---TRANSACTION 23, ACTIVE 3 sec
2 lock struct(s), heap size 1128, 1 row lock(s), undo log entries 1
MariaDB thread id 6, OS thread handle 139949429860032, query id 10 localhost tuner
"""
AT_WORK = """\
---TRANSACTION 40, ACTIVE 9 sec fetching rows
mysql tables in use 1, locked 1
700 lock struct(s), heap size 1128, 90000 row lock(s)
MySQL thread id 8, OS thread handle 1, query id 14 10.0.0.1 batch Sending data
delete from accounts where note = 'x'
"""
READER = """\
---TRANSACTION 421, not started
0 lock struct(s), heap size 1128, 0 row lock(s)
"""
END = """\
--------
FILE I/O
--------
----------------------------
END OF INNODB MONITOR OUTPUT
============================
"""


def waits(monitor, *transactions):
    return monitor("".join((HEAD, *transactions, END))).rows("lock_wait")


def test_the_one_that_holds_locks_and_waits_for_none_is_at_the_head(monitor):
    first, second = (WAITING.format(number=9, waited="2012923 us"), WAITING.format(number=7, waited="5 SEC"))
    rows = waits(monitor, first, second, READER, IDLE)
    shared = {
        "event": "row lock",
        "statement": "update accounts set balance=balance+? where id=?",
        "object": "bench.accounts",
        "holder": "6",
        "holder_state": "idle in transaction",
        "holder_statement": "",
        "samples": 1.0,
        "held_s": 3.0,
    }
    assert rows == [{**shared, "waited_s": 2.012923}, {**shared, "waited_s": 5.0}]


def test_a_session_at_work_holds_them_with_its_statement_and_no_literal_is_kept(monitor):
    (row,) = waits(monitor, WAITING.format(number=9, waited="1 SEC"), AT_WORK)
    assert (row["holder"], row["holder_state"], row["held_s"]) == ("8", "active", 9.0)
    assert row["holder_statement"] == "delete from accounts where note=?"


@pytest.mark.parametrize("others", [(), (IDLE, AT_WORK)])
def test_where_several_may_hold_it_or_none_is_listed_nobody_is_named(monitor, others):
    (row,) = waits(monitor, WAITING.format(number=9, waited="1 SEC"), *others)
    assert (row.get("holder", ""), row.get("holder_state", "")) == ("", "")
    assert row["object"] == "bench.accounts"


def test_the_line_is_that_of_the_transaction(monitor):
    text = "".join((HEAD, IDLE, WAITING.format(number=9, waited="1 SEC"), END))
    (line,) = monitor(text).table("lock_wait").lines.tolist()
    assert text.split("\n")[line - 1].startswith("---TRANSACTION 9,")


def test_without_a_queue_there_is_no_table(monitor):
    assert "lock_wait" not in monitor(f"{HEAD}{IDLE}{READER}{END}").record.tables
