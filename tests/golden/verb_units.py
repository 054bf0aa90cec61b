"""What the verbs of the command line print of a project: for people in both languages, and as JSON."""

from __future__ import annotations

import hashlib
import json
import re
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

from tests.golden.program import document, done, portable, run
from tests.golden.units import Units, digest, of_json, under

LANGUAGES = ("ko", "en")
_FORECASTS = 3
_SIZE = "<size>"
"""Of the project file, which is a page longer where the paths of the captures are."""
_BLOB_BYTES = 64
"""A longer one is told by its digest."""


def documents(project: Path) -> Units:
    """All that is asked of the project, as JSON."""
    units: Units = {}
    for name, words in _asked(project):
        answer = document(*words)
        if name == "info":
            answer["size_bytes"] = _SIZE
        units |= under(f"{name}.json", of_json(answer))
    return units


def texts(project: Path) -> Units:
    """The same for people: the text and, where there are any, the remarks beside it."""
    units: Units = {}
    for name, words in _asked(project):
        for language in LANGUAGES:
            answer = run(*words, "--lang", language)
            out = re.sub(r"[\d.,]+ MB", f"{_SIZE} MB", answer.out) if name == "info" else answer.out
            units[f"{name}.{language}"] = [f"exit code {answer.code}", *out.splitlines()]
            if answer.err:
                units[f"{name}.{language}.beside"] = answer.err.splitlines()
    return units


def _asked(project: Path) -> Iterator[tuple[str, Sequence[object]]]:
    """Name -> words of a verb."""
    for verb in ("info", "series", "databases", "check"):
        yield verb, (verb, project)
    yield "window_list", ("window", project, "list")
    yield "databases_sessions", ("databases", project, "--sessions")
    for name, label in _spans(project).items():
        yield f"diagnose_{name}", ("diagnose", project, "--run", label)
        yield f"statements_{name}", ("statements", project, "--run", label)
    spans = _spans(project)
    if {"before", "after"} <= spans.keys():
        sides = ("--before", spans["before"], "--after", spans["after"])
        yield "compare", ("compare", project, *sides)
        yield "compare_rows", ("compare", project, "--rows", *sides)
    for id_, native in _forecast(project):
        yield f"forecast_{native}", ("forecast", project, "--series", id_, "--limit", 80, "--growth", "10,20")
    yield from _records(project)


def _spans(project: Path) -> dict[str, str]:
    """The labels of what is looked at, by phase: windows where a person named some, else the first run of each."""
    runs = document("info", project)["runs"]
    spans = {run_["phase"]: run_["label"] for run_ in reversed(runs)}
    spans |= {window["role"]: window["name"] for window in document("window", project, "list")}
    return spans


def _forecast(project: Path) -> list[tuple[int, str]]:
    """(id, name) of some series of usage: those that a limit is asked of."""
    series = [row for row in document("series", project) if row["unit"] == "%"]
    return [(row["id"], row["native"].strip("%").replace(" ", "_")) for row in series[:_FORECASTS]]


def _records(project: Path) -> Iterator[tuple[str, Sequence[object]]]:
    yield "cycle", ("cycle", project, "show")
    if document("cycle", project, "show").get("iteration"):
        for record in ("iteration", "engagement", "summary", *(f"step:{number}" for number in range(7))):
            yield f"cycle_{record.replace(':', '_')}", ("cycle", project, "show", record)
    yield "experiment_list", ("experiment", project, "list")
    for head in document("experiment", project, "list"):
        for act in ("show", "analyse"):
            yield f"experiment_{act}_{head['id']}", ("experiment", project, act, head["id"])


def stored(project: Path) -> Units:
    """The project file, a unit for each table; rows in the order of their ids."""
    with closing(sqlite3.connect(f"file:{project}?mode=ro", uri=True)) as connection:
        tables = connection.execute("SELECT name, sql FROM sqlite_master WHERE type = 'table' ORDER BY name").fetchall()
        units = {"stored.schema": [portable(" ".join(sql.split())) for _, sql in tables]}
        for table, _ in tables:
            rows = connection.execute(f'SELECT * FROM "{table}" ORDER BY 1, 2').fetchall()
            if rows:
                units[f"stored.{table}"] = [_row(row) for row in rows]
    return units


def _row(row: Sequence[object]) -> str:
    return portable(" | ".join(_value(value) for value in row))


def _value(value: object) -> str:
    if isinstance(value, bytes):
        return value.hex() if len(value) <= _BLOB_BYTES else f"{len(value)} bytes {hashlib.sha256(value).hexdigest()}"
    return repr(value)


def imported(project: Path, captures: Path) -> Units:
    """The import of a folder: a unit for each folder in it with reader and ledger of its files, for each tool the values."""
    answer = document("import", project, captures, "--tz", "Asia/Seoul")
    units = under("import", of_json({key: value for key, value in answer.items() if key != "files"}))
    for file in answer["files"]:
        path = Path(file["path"]).relative_to(captures)
        lines = [f"{path.as_posix()} {key}: {json.dumps(value, ensure_ascii=False)}" for key, value in file.items()]
        units.setdefault(f"import.{path.parts[0]}", []).extend(lines)
    return units | _values(project)


def _values(project: Path) -> Units:
    """The series of each tool, with a digest of their samples."""
    series: list[dict[str, Any]] = document("series", project)
    target = Path("values.json")
    done("data", project, "--series", ",".join(str(row["id"]) for row in series), "--format", "json", "--out", target)
    samples = {row["id"]: row for row in json.loads(target.read_text(encoding="utf-8"))["series"]}
    units: Units = {}
    for row in series:
        values = digest([json.dumps(samples[row["id"]])])
        units.setdefault(f"values.{row['tool']}", []).append(f"{json.dumps(row, ensure_ascii=False)} samples {values}")
    return units
