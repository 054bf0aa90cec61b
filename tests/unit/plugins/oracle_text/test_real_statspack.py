"""A real report of 11.2: its figures against the text, which is taken apart here in another way than the parser does.

Here a line is split at its blanks, where names that may hold blanks are told by what stands behind them.
"""

from __future__ import annotations

import math
import re
from pathlib import Path

import pytest

SAMPLES = Path(__file__).parents[4].parent / "shared" / "corpus" / "wild" / "statspack"
pytestmark = pytest.mark.skipif(not SAMPLES.is_dir(), reason="the collected captures are not on this machine")

NUMBER = r"-?[\d,]*\.?\d+"
FIGURES = {"CPU": ("cpu_s", "executions", "", "", "elapsed_s", "block_gets"),
           "Elapsed time": ("elapsed_s", "executions", "", "", "cpu_s", "block_reads"),
           "Gets": ("block_gets", "executions", "", "", "cpu_s", "elapsed_s"),
           "Reads": ("block_reads", "executions", "", "", "cpu_s", "elapsed_s"),
           "Executions": ("executions", "rows", "", "", ""), "Parse Calls": ("parse_calls", "executions", "")}  # fmt: skip


@pytest.fixture(scope="module")
def data():
    (path,) = SAMPLES.glob("*.txt")
    return path.read_bytes()


@pytest.fixture(scope="module")
def lines(data):
    return data.decode("ascii").split("\r\n")


@pytest.fixture(scope="module")
def record(outcome, data):
    (found,) = outcome(data).records
    return found


def number(text):
    return float(text.replace(",", ""))


def section(lines, title):
    """Lines of all its pages."""
    inside, found = False, []
    for line in lines:
        if "DB/Inst:" in line or " for DB:" in line:
            inside = line.startswith(title) and not line[len(title)].isalpha()
        found += [line] if inside else []
    return found


def test_whose_and_when(record):
    identity = record.identity
    assert (identity.name, identity.db_id, identity.instance, identity.version) == (
        "IGT",
        "1066102538",
        "igt",
        "11.2.0.4.0",
    )
    assert (identity.host, identity.platform) == ("my_server-aps-1", "Linux x86 64-bit")
    assert (identity.cpu_count, identity.core_count, identity.socket_count) == (12, 6, 1)
    assert (record.begin.snapshot, record.end.snapshot, record.begin.sessions) == (6693, 6723, 153)
    assert record.elapsed_s == pytest.approx(1439.98 * 60)
    assert (record.end.time_ns - record.begin.time_ns) / 1e9 == 86_399
    assert record.faults == ()
    assert record.absent == ()


def test_statements(record, lines):
    table = record.table("statement")
    places = {name: place for place, name in enumerate(table.text("statement_id"))}
    expected: dict[str, dict[str, set[float]]] = {}
    for title, names in FIGURES.items():
        for line in section(lines, f"SQL ordered by {title}"):
            words = line.split()
            if (
                len(words) == len(names) + 1
                and words[-1].isdigit()
                and all(re.fullmatch(NUMBER, word) for word in words)
            ):
                known = expected.setdefault(words[-1], {})
                for name, word in zip(names, words, strict=False):
                    if name:
                        known.setdefault(name, set()).add(number(word))
    assert len(expected) > 30
    for name, figures in expected.items():
        for figure, values in figures.items():
            found = table.figure(figure)[places[name]]
            if name == "3851979199" and figure == "executions":
                assert values == {159_917.0, 159.917}  # one list has a point in it
                assert found == 159_917
            else:
                assert found in values, (name, figure)
    shared = [line.split() for line in section(lines, "SQL ordered by Sharable Memory")]
    memory = {
        words[-1]: number(words[1]) * 1024
        for words in shared
        if len(words) == 6 and words[-1].isdigit() and words[1][0].isdigit()
    }
    assert {name: table.figure("sharable_bytes")[places[name]] for name in memory} == memory
    assert set(places) == set(expected) | set(memory)


def test_texts_are_joined_without_a_gap(record, lines):
    texts = dict(
        zip(
            record.table("statement_text").text("statement_id"),
            record.table("statement_text").text("text"),
            strict=True,
        )
    )
    assert texts["3851979199"] == "SELECT TABLE_ID, ISN, MAP_NAME FROM REFRESH_LOG  ORDER BY TABLE_ID, MAP_NAME"
    assert texts["1009123035"].startswith(
        "BEGIN          SYS.DBMS_DATAPUMP.GET_STATUS(" + " " * 26 + "handle => :JOBHNDL,"
    )  # over a page
    assert (
        texts["340778183"] == "select audit$,options from procedure$ where obj#=:1"
    )  # begins on another page than its figures
    assert texts["3285818817"].endswith(
        "d_attrs from dependency$ d, obj$ o where d_obj#=:1 and p_obj#=obj#(+) order by order#"
    )
    whole = "".join(line.replace(" ", "") for line in lines)
    for text in texts.values():
        assert text.replace(" ", "")[:60] in whole
    complete = dict(
        zip(
            record.table("statement_text").text("statement_id"),
            record.table("statement_text").figure("complete"),
            strict=True,
        )
    )
    assert complete["801255854"] == 0  # four pieces of 64 letters, and there was more
    assert complete["3425645771"] == 1


def test_waits(record, lines):
    table = record.table("wait_event")
    found = {
        (event, ground): place
        for place, (event, ground) in enumerate(zip(table.text("event"), table.text("ground"), strict=True))
    }
    count = 0
    for title, ground in (("Foreground Wait Events", "foreground"), ("Background Wait Events", "background")):
        for line in section(lines, title):
            match = re.fullmatch(
                r"(\S.*?)\s+([\d,]+)\s+(\d+ )?\s*([\d,]+)\s+(\d+|#+)\s+(\d+\.\d)(?:\s+(\d*\.\d))?\s*", line
            )
            if match is None:
                continue
            names = [event for event, where in found if where == ground and event.startswith(match[1])]
            fitting = [name for name in names if table.figure("waits")[found[name, ground]] == number(match[2])]
            assert len(fitting) == 1, (
                line,
                names,
            )  # two that are cut alike are told apart by the share that idle ones lack
            place = found[fitting[0], ground]
            assert table.figure("time_s")[place] == number(match[4])
            count += 1
    assert count == len(table)
    events = {event for event, _ in found}
    assert {
        "SQL*Net break/reset to client",
        "Streams AQ: waiting for time management or cleanup tasks",
        "enq: KO - fast object checkpoint",
    } <= events
    classes = dict(zip(table.text("event"), table.text("wait_class"), strict=True))
    assert (
        classes["Streams AQ: qmn coordinator idle wait"]
        == "Idle"
        != classes["Streams AQ: qmn coordinator waiting for slave to start"]
    )
    assert classes["SQL*Net message from client"] == classes["smon timer"] == "Idle"


def test_time_model(record, lines):
    table = record.table("time_model")
    printed = [
        number(line.split()[-1 if line.split()[-2][-1].isalpha() else -2])
        for line in section(lines, "Time Model")[5:-1]
        if re.search(r"\d\s*$", line)
    ]
    assert sorted(table.figure("time_s")) == sorted(printed)
    names = dict(zip(table.text("name"), table.figure("time_s"), strict=True))
    assert (names["db_time"], names["db_cpu"], names["connection_management"]) == (617.8, 1186.7, 156.6)
    assert names["hard_parse_sharing"] == 1.9  # a name that was cut


def test_activity_and_load(record, lines):
    table = record.table("activity")
    found = {
        name: value
        for name, scope, value in zip(table.text("name"), table.text("scope"), table.figure("total"), strict=True)
        if not scope
    }
    count = 0
    for line in section(lines, "Instance Activity Stats"):
        match = re.fullmatch(r"(\S.*?)\s+(-?[\d,]+)\s+(-?[\d,]+\.\d+)(?:\s+(-?[\d,]+\.\d+))?", line.rstrip())
        if match is not None:
            assert number(match[2]) in [
                found.get(f"{match[1]}{suffix}") for suffix in ("", *(f" ({n})" for n in range(2, 9)))
            ]
            count += 1
    assert count == len(found)
    load = {name: place for place, name in enumerate(record.table("load").text("name"))}
    assert record.table("load").figure("total")[load["redo_bytes"]] == 987_650_724
    assert record.table("load").figure("per_second")[load["redo_bytes"]] == 11_431.3
    assert record.table("load").figure("total")[load["logical_reads"]] == 26_112_113


def test_files(record, lines):
    table = record.table("io")
    spaces = {
        name: place
        for place, (kind, name) in enumerate(zip(table.text("kind"), table.text("name"), strict=True))
        if kind == "tablespace"
    }
    files = {name: place for place, name in enumerate(table.text("file")) if name}
    name, count = "", 0
    for line in [*section(lines, "Tablespace IO Stats"), *section(lines, "File IO Stats")]:
        words = line.split()
        if words and line[0].isalpha():
            name = words[-1]
        elif len(words) >= 7 and name and re.fullmatch(r"[\d,]+", words[0]):
            place = files.get(name, spaces.get(name))
            assert place is not None
            assert table.figure("reads")[place] == number(words[0])
            assert table.figure("waits")[place] == number(
                words[-2]
                if name in spaces or len(words) == 9
                else words[-1]
                if len(words) == 8
                else words[-2]
                if words[-1] == "0.0"
                else words[-1]
            )
            count += 1
    assert count == len(spaces) + len(files) == 22


def test_the_rest(record, lines):
    parameters = dict(zip(record.table("parameter").text("name"), record.table("parameter").text("begin"), strict=True))
    assert len(parameters) == sum(
        1 for line in section(lines, "init.ora")[5:] if line[:1].isalpha() and not line.startswith("End of")
    )
    assert parameters["spfile"] == "/software/oracle/admin/igt/pfile/spfileigt.ora"
    segments = record.table("segment")
    assert (
        sum(segments.figure("value"))
        == 278_324_368 + 3_725_952 + 1_139_264 + 1_137_440 + 1_136_704 + 406_270 + 120_817 + 12_548 + 10_998 + 2 + 7 + 2
    )
    lists = record.table("statement_list")
    assert dict(zip(lists.text("figure"), lists.figure("rows"), strict=True))["elapsed_s"] == 22
    covered = dict(zip(lists.text("figure"), lists.figure("covered_pct"), strict=True))
    assert (covered["cpu_s"], covered["elapsed_s"], covered["block_reads"]) == (13.5, 30.1, 71.6)
    assert math.isnan(covered["sharable_bytes"])


def test_every_row_names_its_line(record, lines):
    for name in ("wait_event", "time_model"):
        table = record.table(name)
        for place, line in enumerate(table.lines.tolist()):
            figure = f"{table.figure('time_s')[place]:,.1f}"
            assert figure.removesuffix(".0") in lines[line - 1]
    statements = record.table("statement")
    for name, line in zip(statements.text("statement_id"), statements.lines.tolist(), strict=True):
        assert lines[line - 1].endswith(name)
