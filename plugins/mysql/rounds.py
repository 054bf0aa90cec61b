"""Tables that belong to one moment, where a file brings them one after the other without a mark of ours."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field

from tunebench.families.views.cells import number
from tunebench.families.views.dump import Dump, View
from tunebench.sdk import record

from .identity import Server, server_row
from .views import LIST, STATUS, VARIABLES, NamedValues, pairs_of, status_and_variables

_NEVER_0 = ("innodb_page_size", "max_used_connections")
"""Status variables that are above 0 on every server; in differences they are 0."""


@record(frozen=False)
class Round:
    """The tables of one moment.

    Attributes:
        time_ns: None where nothing tells.
        sectioned: written by our own capture; nothing that follows belongs to it.
    """

    dump: Dump
    time_ns: int | None
    sectioned: bool
    status: NamedValues = field(default_factory=NamedValues)
    variables: NamedValues = field(default_factory=NamedValues)

    @property
    def names(self) -> frozenset[str]:
        names = {view.name for view in self.dump.views if view.name != LIST}
        names |= {STATUS} if self.status else set()
        return frozenset(names | ({VARIABLES} if self.variables else set()))

    @property
    def server(self) -> Server:
        row, line = server_row(self.dump)
        return Server(row, line, self.status, self.variables)

    def takes(self, later: Round) -> bool:
        """Whether the tables of `later` are of the same moment: none of them is here, and no stamp stands between."""
        return not self.sectioned and not later.sectioned and later.time_ns is None and not self.names & later.names

    def add(self, later: Round) -> None:
        self.dump.views += later.dump.views
        self.dump.whole = self.dump.whole and later.dump.whole
        self.status, self.variables = self.status or later.status, self.variables or later.variables


def round_of(dump: Dump, time_ns: int | None) -> Round:
    row, _ = server_row(dump)
    dump_round = Round(dump, time_ns, "scope" in row or any(view.name in (STATUS, VARIABLES) for view in dump.views))
    for view in dump.views:
        if view.name in (LIST, STATUS, VARIABLES):
            status, variables = _lists_of(view)
            dump_round.status, dump_round.variables = dump_round.status or status, dump_round.variables or variables
    return dump_round


def _lists_of(view: View) -> tuple[NamedValues, NamedValues]:
    return status_and_variables(pairs_of(view))


def is_relative(status: NamedValues) -> bool:
    """Whether a list holds differences (``mysqladmin --relative``): what cannot be 0 is."""
    connected = number(status.get("threads_connected"))
    return any(number(status.get(name)) == 0 for name in _NEVER_0) or connected is not None and connected <= 0


def added_up(before: NamedValues, differences: NamedValues) -> NamedValues:
    """The list as it would read without ``--relative``; words, which it prints as 0, stay as they were."""
    values = {name: _sum(before.get(name), value) for name, value in differences.values.items()}
    return NamedValues(values, differences.names, differences.lines)


def _sum(before: str | None, difference: str) -> str:
    try:
        return str(int(before or "0") + int(difference))
    except ValueError:
        return before or ""


def first_view(dump: Dump, name: str) -> View | None:
    return next((view for view in dump.views if view.name == name and view.rows), None)


def rows_by_name(dump: Dump, name: str, key: str, value: str) -> Mapping[str, str]:
    view = first_view(dump, name)
    return {row[key]: row[value] for row in view.records()} if view is not None else {}
