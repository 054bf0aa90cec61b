"""Which plug-ins of an engagement's folder the user has agreed to run, by the hash of their files."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path

from tunebench.core.errors import UserError
from tunebench.core.paths import user_config_folder
from tunebench.core.plain_files import read_plain

FILE_NAME = "trusted-plugins.json"


class TrustList:
    """The user's word, kept in the user's configuration folder; a changed file needs a new word."""

    def __init__(self, path: Path | None = None) -> None:
        self.path = path or user_config_folder() / FILE_NAME

    def trusts(self, sha256: str) -> bool:
        return bool(sha256) and sha256 in self._read()

    def trust(self, sha256: str, plugin_id: str, folder: Path) -> None:
        """
        Raises:
            UserError: ``plugin_trust_unwritable``.
        """
        now = datetime.now(UTC).isoformat(timespec="seconds")
        entries = self._read()
        entries[sha256] = {"plugin": plugin_id, "folder": str(folder), "trusted_at": now}
        self._write(entries)

    def withdraw(self, sha256: str) -> None:
        entries = self._read()
        if entries.pop(sha256, None) is not None:
            self._write(entries)

    def _read(self) -> dict[str, dict[str, str]]:
        """An absent or damaged file trusts nobody."""
        try:
            content = json.loads(read_plain(self.path))
        except (OSError, ValueError, RecursionError):
            return {}
        if not isinstance(content, dict):
            return {}
        return {key: value for key, value in content.items() if isinstance(value, dict)}

    def _write(self, entries: dict[str, dict[str, str]]) -> None:
        draft = self.path.with_suffix(".new")
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            draft.write_text(json.dumps(entries, indent=1, ensure_ascii=False), encoding="utf-8")
            draft.replace(self.path)
        except OSError as error:
            raise UserError("plugin_trust_unwritable", path=str(self.path), reason=str(error)) from error
