"""1.11 -> 2.0: columns are packed as whole numbers, which 1.11 cannot read. Those that are there stay as they are."""

from __future__ import annotations

import sqlite3

from tunebench.store.codec import CODEC_NAMES


def upgrade(connection: sqlite3.Connection) -> None:
    """The file names the codecs of what is written from now on; they read what was."""
    connection.executemany("INSERT OR REPLACE INTO property (name, value) VALUES (?, ?)", CODEC_NAMES.items())
