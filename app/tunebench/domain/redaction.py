"""What is taken out of outputs before they leave a customer's site."""

from __future__ import annotations

from dataclasses import field
from enum import StrEnum

from tunebench.core.records import record


class NameKind(StrEnum):
    """What a name is of; the value is how its stand-ins begin (``HOST-001``)."""

    HOST = "host"
    ADDRESS = "addr"
    USER = "user"
    PERSON = "person"
    CUSTOMER = "customer"
    DATABASE = "db"
    SCHEMA = "schema"
    OBJECT = "object"
    PATH = "path"
    FILE = "file"
    DEVICE = "device"
    MAIL = "mail"
    PERSONAL = "personal"
    KEY = "key"
    VALUE = "value"
    STATEMENT = "sql"


class SqlTexts(StrEnum):
    """What becomes of statements: kept, kept without their literals and comments, or replaced as a whole."""

    KEEP = "keep"
    LITERALS = "literals"
    WHOLE = "whole"


@record
class RedactionProfile:
    """
    Attributes:
        name: what reports and manifests call it.
        kinds: whose names are replaced.
        names: further ones, replaced whatever they are of.
        keep: names that stay although they are of a replaced kind.
    """

    name: str
    kinds: frozenset[NameKind]
    sql: SqlTexts = SqlTexts.KEEP
    names: tuple[str, ...] = ()
    keep: frozenset[str] = field(default=frozenset())
