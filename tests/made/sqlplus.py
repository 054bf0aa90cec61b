#!/usr/bin/env python3
"""A `sqlplus` for tests: answers the statements it reads on stdin out of figures in a file of JSON.

    {"rounds": [{"v$sysstat": ["\\"redo size\\",1000,2"], ...}, ...], "variables": {"q": "v$sqlstats"}, ...}

It knows what our probes send and no more: substitution variables, `prompt`, and the FROM clauses of the views. The
file ``figures.json`` stands beside it. Each run takes the next of its `rounds`; `reports` are printed by their names
(``awr_report_html``, ``spreport``), what was executed and asked for is noted in the file. It can fail as well: a logon that is
refused (`logon_error`), a view that may not be read (`errors`), a session that is cut (`cut_at`); `prompts`,
`encoding` and `slow_s` say how it prints.
"""

from __future__ import annotations

import json
import re
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

_REPORT = re.compile(r"dbms_workload_repository\.(awr\w+)\(")
_VIEW = re.compile(r"\bfrom\s+([\w$&]+)", re.IGNORECASE)


def main() -> int:
    home = Path(sys.argv[0]).resolve().with_name("figures.json")
    plan: dict[str, Any] = json.loads(home.read_text(encoding="utf-8"))
    out = _Out(plan.get("encoding", "utf-8"), plan.get("prompts", False), plan.get("slow_s", 0.0))
    if plan.get("logon_error"):
        for line in plan["logon_error"]:
            out.line(line)
        return 1
    number = plan.get("taken", 0)
    plan["taken"] = number + 1
    home.write_text(json.dumps(plan, ensure_ascii=False), encoding="utf-8")
    rounds = plan["rounds"]
    return _Session(plan, rounds[min(number, len(rounds) - 1)], out).run(sys.stdin)


class _Out:
    def __init__(self, encoding: str, prompts: bool, slow_s: float) -> None:
        self._encoding, self._prompts, self._slow_s = encoding, prompts, slow_s

    def line(self, text: str) -> None:
        prompt = "SQL> " if self._prompts else ""
        sys.stdout.buffer.write((prompt + text + "\n").encode(self._encoding))
        sys.stdout.buffer.flush()
        if self._slow_s:
            time.sleep(self._slow_s)


class _Session:
    def __init__(self, plan: dict[str, Any], figures: dict[str, Any], out: _Out) -> None:
        self._plan, self._figures, self._out = plan, figures, out
        self._variables: dict[str, str] = {}

    def run(self, lines: Iterator[str]) -> int:
        statement = ""
        for raw in lines:
            line = self._filled(raw.rstrip("\n"))
            word = line.split(" ")[0].lower()
            if not statement and word == "exit":
                return 0
            if not statement and word == "prompt":
                self._out.line(line[7:])
                if line == "prompt @section " + str(self._plan.get("cut_at")):
                    self._out.line("ORA-03113: end-of-file on communication channel")
                    return 1
            elif not statement and word == "define":
                name, _, value = line[7:].partition("=")
                self._variables[name] = value
            elif not statement and word in ("set", "column", "whenever"):
                continue
            elif not statement and word == "exec":
                self._execute(line)
            elif not statement and word.startswith("@?"):
                self._print_report(word.rpartition("/")[2])
            else:
                statement += line + "\n"
                if line.endswith(";"):
                    self._answer(statement[:-2])
                    statement = ""
        return 0

    def _filled(self, line: str) -> str:
        return re.sub(r"&(\w)\b", lambda found: self._variables.get(found[1], ""), line)

    def _answer(self, statement: str) -> None:
        if "/* tunebench */" not in statement:
            raise SystemExit(f"not ours: {statement}")
        if not statement.startswith("select"):
            return
        report = _REPORT.search(statement)
        if report is not None:
            self._print_report(report[1])
            return
        if statement.startswith("select /* tunebench */ b, e, d "):
            self._variables |= {name: self._plan["variables"][name] for name in "bed"}
            return
        if " new_value" in statement or "end f," in statement:
            self._variables |= self._plan["variables"]
            self._out.line("")
            return
        view = _VIEW.findall(statement)
        name = next((name for name in view if name in self._figures), view[0] if view else "dual")
        error = self._plan.get("errors", {}).get(name)
        if error:
            for line in (statement.splitlines()[-1], "     *", *error):
                self._out.line(line)
            return
        for row in self._figures.get(name, []):
            self._out.line(row)

    def _execute(self, line: str) -> None:
        if "/* tunebench */" not in line:
            raise SystemExit(f"not ours: {line}")
        self._note("executed", line)

    def _print_report(self, name: str) -> None:
        self._note(
            "asked",
            {"report": name, **{key: self._variables.get(key, "") for key in ("begin_snap", "end_snap", "b", "e")}},
        )
        for line in self._plan.get("reports", {})[name]:
            self._out.line(line)

    def _note(self, what: str, value: object) -> None:
        """For the test, in the file of figures."""
        self._plan.setdefault(what, []).append(value)
        Path(sys.argv[0]).resolve().with_name("figures.json").write_text(
            json.dumps(self._plan, ensure_ascii=False), encoding="utf-8"
        )


if __name__ == "__main__":
    raise SystemExit(main())
