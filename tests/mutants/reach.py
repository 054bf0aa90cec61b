"""A pytest plug-in: which functions of `app` each test calls, one line of JSON per test that passed, into `$MUTANTS_REACH`.

What a fixture of a module or session calls counts for every test that uses it, not only for the one that came first.
"""

from __future__ import annotations

import json
import os
import sys
import threading
import zlib
from collections.abc import Generator
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

import pytest

Codes = dict[int, CodeType]
"""By identity: to hash a code object is to hash all its constants."""

_APP = str(Path.cwd() / "app/tunebench") + os.sep


class Reach:
    """Follows the calls of one process; what runs in processes that a test starts is not seen."""

    def __init__(self, out: Path) -> None:
        self.out = out
        self.calls: Codes = {}
        self.of_fixture: dict[int, Codes] = {}

    def _called(self, frame: FrameType, event: str, arg: object) -> None:
        self.calls.setdefault(id(frame.f_code), frame.f_code)

    @pytest.hookimpl(wrapper=True)
    def pytest_fixture_setup(self, fixturedef: pytest.FixtureDef[Any]) -> Generator[None, object, object]:
        if fixturedef.scope == "function":
            return (yield)
        outer, self.calls = self.calls, {}
        try:
            return (yield)
        finally:
            self.of_fixture.setdefault(id(fixturedef), {}).update(self.calls)
            self.calls = outer

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self) -> Generator[None, object, object]:
        self.calls = {}
        threading.settrace(self._called)
        sys.settrace(self._called)
        try:
            return (yield)
        finally:
            sys.settrace(None)
            threading.settrace(None)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(
        self, item: pytest.Item, call: pytest.CallInfo[None]
    ) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        report = yield
        if call.when == "call" and report.passed:
            line = {
                "test": item.nodeid,
                "checksum": zlib.crc32(item.path.read_bytes()),
                "seconds": round(call.duration, 3),
                "calls": self._functions(item),
            }
            with self.out.open("a", encoding="utf-8") as out:
                out.write(json.dumps(line) + "\n")
        return report

    def _functions(self, item: pytest.Item) -> dict[str, list[str]]:
        codes = dict(self.calls)
        for definitions in item._fixtureinfo.name2fixturedefs.values():  # type: ignore[attr-defined]
            for definition in definitions:
                codes.update(self.of_fixture.get(id(definition), {}))
        found: dict[str, set[str]] = {}
        for code in codes.values():
            if code.co_filename.startswith(_APP):
                found.setdefault("app/tunebench/" + code.co_filename[len(_APP) :], set()).add(code.co_qualname)
        return {path: sorted(names) for path, names in sorted(found.items())}


def pytest_configure(config: pytest.Config) -> None:
    if "MUTANTS_REACH" in os.environ:
        config.pluginmanager.register(Reach(Path(os.environ["MUTANTS_REACH"])))
