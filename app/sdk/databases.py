"""What a plug-in needs to say what it read of a database; pinned like the rest of the SDK."""

from app.analysis.databases.prepared_statements import prepared_statements_unseen
from app.analysis.databases.profile import ROUNDS
from app.analysis.databases.record import DatabaseRecord, FigureTable, TableRows
from app.analysis.databases.text import folded, literal_free
from app.domain.databases.records import (
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
