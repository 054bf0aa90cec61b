"""What a plug-in needs to say what it read of a database."""

from app.analysis.databases.prepared_statements import prepared_statements_unseen
from app.analysis.databases.record import DatabaseRecord, FigureTable, TableRows
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
    "prepared_statements_unseen",
]
