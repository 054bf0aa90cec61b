"""Who waits for whose lock: the section of our capture as a PostgreSQL 15 gave it, three sessions behind an idle one."""

from __future__ import annotations

ROUND = """\
@section postgresql
now,scope,version,server_version,server_version_num,postmaster_start,database
2026-11-29 13:51:{second:02d}+00,activity,PostgreSQL 15.1,15.1,150001,2026-11-29 13:00:00+00,bench
@section pg_stat_activity
datname,backend_type,state,wait_event_type,wait_event,sessions
bench,client backend,active,Lock,tuple,2
bench,client backend,active,Lock,transactionid,1
bench,client backend,idle in transaction,Client,ClientRead,1
@section pg_lock_waits
datname,pid,query_id,wait_event,object,holder_pid,holder_state,holder_waits,holder_query_id,holder_xact_s
{rows}@end
"""
QUEUE = """\
bench,34,-546,transactionid,shop.accounts,29,idle in transaction,f,-412,{open}
bench,35,-546,tuple,shop.accounts,34,active,t,-546,1.0
bench,35,-546,tuple,shop.accounts,33,active,t,-546,1.0
bench,33,-546,tuple,shop.accounts,34,active,t,-546,1.0
"""


def waits(views, *rounds):
    text = "".join(ROUND.format(second=second, rows=rows) for second, rows in enumerate(rounds, 10))
    records = views(text).records
    (table,) = [record.table("lock_wait") for record in records if "lock_wait" in record.tables]
    texts = [dict(zip(table.texts, row, strict=True)) for row in zip(*table.texts.values(), strict=True)]
    figures = zip(table.figure("samples").tolist(), table.figure("held_s").tolist(), strict=True)
    return [(text, *row) for text, row in zip(texts, figures, strict=True)], table.lines.tolist(), text


def test_queues_are_followed_to_the_session_that_waits_for_none(views):
    rows, lines, text = waits(views, *(QUEUE.format(open=f"{seconds}.5") for seconds in range(12)))
    shared = {
        "statement_id": "-546",
        "container": "bench",
        "object": "shop.accounts",
        "holder": "29",
        "holder_state": "idle in transaction",
        "holder_statement_id": "-412",
    }
    assert rows == [({"event": "transactionid", **shared}, 12.0, 11.5), ({"event": "tuple", **shared}, 24.0, 11.5)]
    assert text.split("\n")[lines[0] - 1].startswith("bench,34,")


def test_where_the_head_is_not_told_nobody_is_named(views):
    alone = "bench,34,,relation,,,,,,\n"
    two = "bench,35,-1,tuple,,1,active,f,,1\nbench,35,-1,tuple,,2,active,f,,1\n"
    rows, *_ = waits(views, *[alone + two] * 10)
    assert [(text.get("holder", ""), text.get("holder_state", ""), samples) for text, samples, _ in rows] == [
        ("", "", 10.0)
    ] * 2


def test_a_circle_ends(views):
    circle = "bench,1,-1,tuple,,2,active,t,,1\nbench,2,-1,tuple,,1,active,t,,1\n"
    rows, *_ = waits(views, *[circle] * 10)
    assert [(text.get("holder", ""), samples) for text, samples, _ in rows] == [("", 20.0)]
