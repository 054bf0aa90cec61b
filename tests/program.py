"""The program as tests start it within their process: the same composition, with files of days that no test left to chance.

A capture without stamps takes its file's date: the day of the checkout, or the moment at which a test wrote it. Here what no
test has dated is of a day far from those that captures print, and each name of another day, so that a test which relies on its
files' dates sets them (`os.utime`), or fails today as on any other day.
"""

from __future__ import annotations

import os
import time
import zlib
from collections.abc import Sequence
from pathlib import Path

from tunebench import bootstrap
from tunebench.core.paths import user_config_folder
from tunebench.store import trusted

UNDATED_S = 1_932_000_000  # 2031-03-22
_FIXTURES = Path(__file__).parent / "fixtures"
_STARTED_S = time.time()


def undated(path: Path, modified_ns: int) -> int:
    """The clock of files: a day of its own for a fixture, and for what was written since the tests began."""
    written_by_a_test = _STARTED_S - 2 <= modified_ns / 1e9 <= time.time() + 2
    if written_by_a_test or path.resolve().is_relative_to(_FIXTURES):
        return (UNDATED_S + zlib.crc32(os.fsencode(path.name)) % 1000 * 86_400) * 10**9
    return modified_ns


def compose() -> None:
    bootstrap.compose(undated)


def main(words: Sequence[str]) -> int:
    return bootstrap.main(words, undated)


def forget_approvers() -> None:
    """Copies of a project are one engagement, of which this machine remembers how it is approved and with whose keys."""
    (user_config_folder() / trusted.FILE).unlink(missing_ok=True)
