"""How DuckDB is begun."""

from __future__ import annotations

ALONE: dict[str, str | bool | int | float | list[str]] = {
    "autoinstall_known_extensions": False,
    "autoload_known_extensions": False,
}
"""Nothing is loaded from anywhere: what is read and written needs no extension."""
