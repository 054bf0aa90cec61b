"""Sentences of others (plug-ins) beside the program's own."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from tunebench.core import messages
from tunebench.core.messages import Catalogue, look_also


@pytest.fixture(autouse=True)
def others(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(messages, "_others", {})
    yield


def test_others_are_asked_once_and_only_when_a_key_of_theirs_is_missed() -> None:
    asked: list[str] = []

    def source(language: str) -> Mapping[str, str]:
        asked.append(language)
        return {"ledger.skipped.odd": "{n} odd lines", "ledger.known": "another"}

    catalogue = Catalogue("en", {"ledger.known": "own", "ui.x": "x"})
    look_also("ledger.", source)
    assert (catalogue.text("ledger.known"), catalogue.text("ui.missing"), asked) == ("own", "⟨ui.missing⟩", [])
    assert catalogue.text("ledger.skipped.odd", n=3) == "3 odd lines"
    assert "ledger.nobody" not in catalogue
    assert (catalogue.text("ledger.known"), asked) == ("own", ["en"])


def test_all_keys_are_those_of_the_others_too() -> None:
    look_also("ledger.", lambda _language: {"ledger.odd": "odd"})
    assert Catalogue("ko", {"a": "b"}).keys() == {"a", "ledger.odd"}


def test_others_may_look_keys_up_themselves_and_be_replaced() -> None:
    catalogue = Catalogue("en", {})
    look_also("ledger.", lambda _language: {} if "ledger.odd" in catalogue else {"ledger.odd": "first"})
    assert catalogue.text("ledger.odd") == "first"
    look_also("ledger.", lambda _language: {"ledger.even": "second"})
    assert (catalogue.text("ledger.odd"), catalogue.text("ledger.even")) == ("first", "second")


def test_a_verb_that_needs_no_plug_in_reads_none(project_root: Path) -> None:
    """Reading every manifest, and numpy with them, took longer than all the rest of a start."""
    script = (
        "import sys\nfrom tunebench.bootstrap import main\n"
        "try:\n    main(['--version'])\nexcept SystemExit:\n    pass\n"
        "print([name for name in ('numpy', 'tunebench.plughost.host', 'tunebench.sdk') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", script], cwd=project_root, capture_output=True, text=True, timeout=60)
    assert done.stdout.splitlines()[-1] == "[]", done.stderr
