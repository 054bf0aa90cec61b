"""What is said of files that are no captures."""

from __future__ import annotations

import pytest

from tests.conftest import CORPUS
from tests.program import compose
from tunebench.capture import ingest
from tunebench.capture.foreign_files import GROUPS, REFUSALS, foreign_files, refusal_of
from tunebench.core.errors import UserError
from tunebench.core.messages import LANGUAGES, catalogue
from tunebench.transport import tables
from tunebench.usecases import services

READ_OTHERWISE = {"README.md", "two_hosts.zip", "collect_script.txt"}  # a page about them, a bundle, several tools

HEADS = {
    "fio": b'{\n  "fio version" : "fio-3.33",\n',
    "sysbench": b"sysbench 1.0.20 (using system LuaJIT 2.1.0-beta3)\n\nRunning the test\n",
    "bonnie++": b"Using uid:0, gid:0.\nWriting a byte at a time...done\n",
    "iozone": b"\tIozone: Performance Test of File I/O\n",
    "dd": b"128+0 records in\n128+0 records out\n134217728 bytes copied\n",
    "pgbench -i": b"dropping old tables...\n100000 of 300000 tuples (33%) done (elapsed 0.09 s)\n",
    "Statspack": b"\nSTATSPACK report for\n\nDatabase    DB Id\n",
    "AWR": b'<html lang="en"><head><title>AWR Report for DB: ORCL</title>'.replace(b"title", b"TITLE"),
    "Dameng AWR": b"<html><head><title>AWR Report for DB: DAMENG, Inst: DMSERVER</title>",
    "OceanBase ASH / WR": b"<html><title>OceanBase Workload Repository Report</title>",
    "openGauss / GaussDB WDR": b"<html><head><title>openGauss WDR Workload Diagnosis Report</title>",
    "Tibero TPR": b"  *** TPR (Tibero Performance Repository) Report ***\n DB Name : tibero\n",
    "Altibase altiProfile": b"altiProfile -stat query alti-1.prof\nCOUNT AVG TOTAL\n",
    "CUBRID statdump": b"Fri November 21 15:00:00 KST 2026\n\n *** SERVER EXECUTION STATISTICS ***\nNum_file_creates              =          0\n",
    "ADDM": b"          ADDM Report for Task 'TASK_1'\n          -----\n",
    "ASH": b"<html><head><title>ASH Report - From 21-Nov-26 10:00:00 To</title>",
    "SHOW ENGINE INNODB STATUS": b"=====\n111010  9:56:19 INNODB MONITOR OUTPUT\n=====\n",
    "SHOW GLOBAL STATUS": b"Variable_name\tValue\nAborted_clients\t0\n",
    "SHOW GLOBAL VARIABLES": b"Variable_name\tValue\nallow_suspicious_udfs\tOFF\n",
    "sadf -H": b"System activity data file: sa21 (0x2175)\nFile created by sar/sadc from sysstat version 12.6.1\n",
    "cifsiostat -o JSON": b'"statistics": [\n{"timestamp": "1",\n"filesystem": [\n\t{"fs_name": "a", "rkB/s": 0.00}]}]',
    "slow query log": b"# Time: 261121 16:12:38\n# User@Host: root[root]\n# Query_time: 0.02  Lock_time: 0.0\n",
    "PDF": b"%PDF-1.7\n",
    "Microsoft Office / LibreOffice": b"PK\x03\x04\x14\x00\x06\x00" + b"\0" * 20 + b"[Content_Types].xml",
    "DOC, PPT, MSG": b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1\0\0",
    "Windows Performance Monitor, BLG": b"%\x04\0\0 \0\0\0P\0e\0r\0f\0L\0i\0b\0 \0B\0L\0G\0",
    "topas": b"Topas Monitor for host:    aix01   EVENTS/QUEUES    FILE/TTY\n",
    "sp_sysmon": b"=====\n   Sybase Adaptive Server Enterprise System Performance Report\n=====\n",
    "Zabbix": b"itemid;clock;value;host;key\n23296;1784538000;1.0;db01;system.cpu.load\n",
    "Grafana": b'"Time","Value","Series"\n2026-07-20 09:00:00,20%,cpu\n',
    "CloudWatch": b'Label,CPUUtilization\nDimensions,"InstanceId: i-0abc"\nPeriod,300\n',
    "CSV": b"time,cpu,active session\n2026-07-20 09:00:00,20,5\n",
    "PNG / JPEG / GIF": b"\x89PNG\r\n\x1a\n",
    "SQLite": b"SQLite format 3\x00",
    "script": b"#!/usr/bin/perl\nuse strict;\n",
    "ELF": b"\x7fELF\x02\x01",
}


@pytest.mark.parametrize("name", HEADS)
def test_a_file_is_named(name):
    error = refusal_of(HEADS[name], "a.txt")
    assert error is not None
    assert error.facts["name"] == name
    for language in LANGUAGES:
        sentence = catalogue(language).error(error)
        assert sentence.startswith("a.txt: ")
        assert name in sentence
        assert str(error.facts["instead"]) in sentence


@pytest.mark.parametrize(
    ("head", "name"),
    [
        (
            b"CUBRID\n              MAX       MIN        AVG   COUNT(ERROR)\n[Q1]  10.0 1.0 2.0 3 (0)\n",
            "CUBRID statdump",
        ),
        (b"ASH Report For ORCL/orcl\n\nDB Name         DB Id\n", "ASH"),
        (b"WORKLOAD REPOSITORY COMPARE PERIOD REPORT\n\nSnapshot Set    DB Id\n", "AWR"),
        (b"Aborted_clients\t0\nAborted_connects\t0\n", "SHOW GLOBAL STATUS"),
        (b"Aborted_clients 0 0\nAborted_connects 0 0\n", "SHOW GLOBAL STATUS"),
        (b"**** 1. row ****\nVariable_name: Aborted_clients\n        Value: 0\n", "SHOW GLOBAL STATUS"),
        (b"**** 1. row ****\nVariable_name: big_tables\n        Value: OFF\n", "SHOW GLOBAL VARIABLES"),
        (b"#!/bin/sh\nmysql -e 'x' # INNODB MONITOR OUTPUT\n", "script"),
    ],
)
def test_neighbours_are_told_apart(head, name):
    error = refusal_of(head, "a.txt")
    assert error is not None
    assert error.facts["name"] == name


@pytest.mark.parametrize("head", [b"", b"hello\n", b"Linux 6.1 (h) \t11/21/26\n\n16:10:13  CPU %user\n", b"PK\x03\x04"])
def test_of_others_nothing_is_said(head):
    assert refusal_of(head, "a.txt") is None


def test_every_group_has_its_sentence():
    assert {each.group for each in foreign_files()} == set(GROUPS)


@pytest.mark.skipif(not CORPUS.is_dir(), reason="the corpus of captures is not here")
def test_real_files_are_named():
    found = {}
    for folder, name in (
        ("wild/iozone", "iozone"),
        ("wild/fio-json", "fio"),
        ("wild/statspack", "Statspack"),
        ("wild/bonnie", "bonnie++"),
        ("wild/sysbench", "sysbench"),
        ("made/sysbench", "sysbench"),
        ("made/bonnie", "bonnie++"),
        ("made/fio", "fio"),
    ):
        for path in sorted((CORPUS / folder).iterdir()):
            error = refusal_of(path.read_bytes()[:65536], path.name)
            found[path.name] = (error.facts["name"] if error else "", name)
    assert {path: pair for path, pair in found.items() if pair[0] != pair[1]} == {}


WORLD = CORPUS / "world"


@pytest.mark.skipif(not WORLD.is_dir(), reason="the corpus of captures is not here")
def test_every_file_that_customers_send_is_known_or_told_what_to_do_with():
    compose()
    plugins = services.current().plugins
    refused = {}
    for path in sorted(path for path in WORLD.rglob("*") if path.is_file() and path.name not in READ_OTHERWISE):
        head = path.read_bytes()[:65536]
        form = tables.form_of(head, path.name)
        try:
            for read in tables.tables_of(form, [path.read_bytes()], path.name, path.name) if form else ():
                head = next(read.pieces)
            ingest.recognise(plugins, head, path.name, path.name)
        except UserError as error:
            refused[path.name] = error.key
    assert {name: key for name, key in refused.items() if key not in REFUSALS} == {"old.xls": "workbook_unreadable"}
