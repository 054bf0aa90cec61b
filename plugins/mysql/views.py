"""Which table a heading is of, and the lists of `SHOW STATUS` and `SHOW VARIABLES`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field

from tunebench.families.views.dump import View
from tunebench.sdk import record

SERVER = "mysql"
"""The first section of each round of our capture: which server, when, what it keeps."""
STATUS = "global_status"
VARIABLES = "global_variables"
LIST = "variable_name"
"""Either of the two, until its rows say which."""
DIGEST = "events_statements_summary_by_digest"
WAITS = "events_waits_summary_global_by_event_name"
TABLES = "table_io_waits_summary_by_table"
FILES = "file_summary_by_instance"
SYS_FILES = "io_global_by_file_by_bytes"
CONSUMERS = "setup_consumers"
INNODB = "innodb_status"
REPLICA = "replica_status"

_HEADINGS: tuple[tuple[str, frozenset[str]], ...] = tuple(
    (name, frozenset(columns.split()))
    for name, columns in (
        (SERVER, "@@version"),
        (SERVER, "version()"),
        (SERVER, "version version_comment"),
        (DIGEST, "digest count_star"),
        (DIGEST, "digest_text count_star"),
        (TABLES, "object_name count_star sum_timer_fetch"),
        (FILES, "file_name event_name sum_number_of_bytes_read"),
        (SYS_FILES, "file count_read total_read total_written"),
        (WAITS, "event_name count_star sum_timer_wait"),
        (CONSUMERS, "name enabled"),
        (INNODB, "type name status"),
        (REPLICA, "slave_io_state"),
        (REPLICA, "replica_io_state"),
        (REPLICA, "slave_io_running slave_sql_running"),
        (REPLICA, "replica_io_running replica_sql_running"),
    )
)
_NOT_GLOBAL = frozenset({"thread_id", "user", "host", "object_instance_begin"})
"""The same summaries exist by user, host and thread; only those of the whole server are read."""
_LISTS = (("variable_name", "value"), ("variable_name", "variable_value"))
FIRST_STATUS = frozenset({"aborted_clients"})
_FIRST_VARIABLES = frozenset(
    {
        "activate_all_roles_on_login",
        "allow_suspicious_udfs",
        "alter_algorithm",
        "analyze_max_length",
        "aria_block_size",
        "auto_generate_certs",
        "auto_increment_increment",
        "admin_address",
        "authentication_policy",
        "auto_increment_offset",
    }
)
FIRST_NAMES = FIRST_STATUS | _FIRST_VARIABLES
"""With which a list begins that has no heading (``mysql --skip-column-names``)."""


def is_list(columns: Sequence[str]) -> bool:
    return tuple(columns) in _LISTS


def is_list_without_heading(columns: Sequence[str]) -> bool:
    return len(columns) == 2 and columns[0] in FIRST_NAMES


def view_of(columns: Sequence[str]) -> str:
    """The table that a heading (lower case) is of; empty for none."""
    if is_list(columns):
        return LIST
    names = frozenset(columns)
    for name, wanted in _HEADINGS:
        if wanted <= names and (name != WAITS or not names & _NOT_GLOBAL):
            return name
    return ""


@record
class NamedValues:
    """A list of names and values.

    Attributes:
        values: by name in lower case.
        names: as printed, by the same key.
        lines: 1-based, by the same key.
    """

    values: Mapping[str, str] = field(default_factory=dict)
    names: Mapping[str, str] = field(default_factory=dict)
    lines: Mapping[str, int] = field(default_factory=dict)

    def get(self, name: str) -> str | None:
        return self.values.get(name)

    def line(self, name: str) -> int:
        return self.lines.get(name, 0)

    def __iter__(self) -> Iterator[tuple[int, str, str]]:
        """(line, name as printed, value)."""
        return ((self.lines[key], name, self.values[key]) for key, name in self.names.items())

    def __bool__(self) -> bool:
        return bool(self.names)


Pair = tuple[int, str, str]


def pairs_of(view: View) -> list[Pair]:
    """The rows of a list; a list without a heading has its first row where the heading would stand."""
    rows = list(zip(view.lines, view.rows, strict=True))
    pairs = [(line, row[0], row[1]) for line, row in rows if len(row) > 1]
    if not is_list(view.columns) and is_list_without_heading(view.columns):
        pairs.insert(0, (rows[0][0] - 1 if rows else 0, view.columns[0].capitalize(), view.columns[1]))
    return pairs


def status_and_variables(pairs: Sequence[Pair]) -> tuple[NamedValues, NamedValues]:
    """Names of status begin with a capital; a list may hold the one and then the other."""
    if not pairs:
        return NamedValues(), NamedValues()
    names = [name for _, name, _ in pairs]
    if names[0].lower() in FIRST_STATUS or "Uptime" in names:
        begins = (index for index, name in enumerate(names) if name in _FIRST_VARIABLES)
        end = next(begins, len(pairs))
        return _named(pairs[:end]), _named(pairs[end:])
    return NamedValues(), _named(pairs)


def _named(pairs: Sequence[Pair]) -> NamedValues:
    return NamedValues(
        {name.lower(): value for _, name, value in pairs},
        {name.lower(): name for _, name, _ in pairs},
        {name.lower(): line for line, name, _ in pairs},
    )
