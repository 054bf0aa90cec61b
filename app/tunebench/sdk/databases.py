"""What a plug-in needs to say what it read of a database; pinned like the rest of the SDK."""

from tunebench.analysis.databases.prepared_statements import prepared_statements_unseen
from tunebench.analysis.databases.profile import ROUNDS
from tunebench.analysis.databases.record import DatabaseRecord, FigureTable, TableRows
from tunebench.analysis.databases.text import folded, literal_free
from tunebench.domain.databases.records import (
    LOAD_NAMES,
    STATEMENT_FIGURES,
    TABLES,
    TIME_NAMES,
    DatabaseIdentity,
    Engine,
    Fault,
    Moment,
    Reach,
)

__all__ = [
    "LOAD_NAMES",
    "ROUNDS",
    "STATEMENT_FIGURES",
    "TABLES",
    "TIME_NAMES",
    "DatabaseIdentity",
    "DatabaseRecord",
    "Engine",
    "Fault",
    "FigureTable",
    "Moment",
    "Reach",
    "TableRows",
    "folded",
    "literal_free",
    "prepared_statements_unseen",
]
