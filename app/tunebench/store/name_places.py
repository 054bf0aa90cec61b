"""Where a project keeps names of what and whom, and how a value of each place is rewritten."""

# ruff: noqa: S608 - only names of our own schema are put into queries; values are bound

from __future__ import annotations

import json
import re
import sqlite3
from collections.abc import Iterator, Mapping
from typing import Any

from tunebench.analysis.redaction.redactor import Redactor
from tunebench.core.patterns import lazy_pattern
from tunebench.domain.redaction import NameKind
from tunebench.store.shared_texts import TextReader
from tunebench.store.table_packing import unpack_table

COLUMNS: Mapping[tuple[str, str], NameKind] = {
    ("engagement", "customer"): NameKind.CUSTOMER,
    ("engagement", "site"): NameKind.CUSTOMER,
    ("consultant", "name"): NameKind.PERSON,
    ("note", "author"): NameKind.PERSON,
    ("host", "name"): NameKind.HOST,
    ("artefact", "name"): NameKind.FILE,
    ("artefact", "source_path"): NameKind.PATH,
    ("bundle", "name"): NameKind.FILE,
    ("bundle", "source_path"): NameKind.PATH,
    ("bundle_member", "name"): NameKind.FILE,
    ("bundle_member", "host"): NameKind.HOST,
    ("approval", "approved_by"): NameKind.PERSON,
    ("capture_session", "spool"): NameKind.PATH,
    ("capture_session", "user"): NameKind.USER,
    ("capture_session", "machine"): NameKind.HOST,
    ("clock_check", "host"): NameKind.HOST,
    ("device_alias", "name"): NameKind.PATH,
    ("device_alias", "author"): NameKind.PERSON,
    ("resolution", "said_by"): NameKind.PERSON,
    ("resolution", "taken_back_by"): NameKind.PERSON,
    ("statement_link", "author"): NameKind.PERSON,
    ("licence_confirmation", "host"): NameKind.HOST,
    ("licence_confirmation", "database"): NameKind.DATABASE,
    ("licence_confirmation", "confirmed_by"): NameKind.PERSON,
    ("host_profile", "name"): NameKind.HOST,
    ("accepted_key", "address"): NameKind.ADDRESS,
    ("accepted_key", "accepted_by"): NameKind.PERSON,
    ("audit", "user"): NameKind.USER,
}
_KEYS: Mapping[str, NameKind] = {
    "host": NameKind.HOST,
    "hosts": NameKind.HOST,
    "hostname": NameKind.HOST,
    "host_key_name": NameKind.HOST,
    "machine": NameKind.HOST,
    "address": NameKind.ADDRESS,
    "jump": NameKind.HOST,
    "hops": NameKind.HOST,
    "account": NameKind.USER,
    "user": NameKind.USER,
    "database": NameKind.DATABASE,
    "container": NameKind.DATABASE,
    "instance": NameKind.DATABASE,
    "unique_name": NameKind.DATABASE,
    "db_id": NameKind.DATABASE,
    "organisation": NameKind.CUSTOMER,
    "customer": NameKind.CUSTOMER,
    "site": NameKind.CUSTOMER,
    "consultants": NameKind.PERSON,
    "phone": NameKind.PERSONAL,
    "mail": NameKind.MAIL,
    "by": NameKind.PERSON,
    "author": NameKind.PERSON,
    "owner": NameKind.PERSON,
    "executor": NameKind.PERSON,
    "mountpoint": NameKind.PATH,
    "spool": NameKind.PATH,
    "path": NameKind.PATH,
    "folder": NameKind.PATH,
    "file_name": NameKind.FILE,
}
"""Names of fields in JSON, wherever they stand; ``..._by`` is a person."""
_NAMED: Mapping[tuple[str, str], NameKind] = {
    ("cycle_record", "contact"): NameKind.PERSON,
    ("cycle_record", "system"): NameKind.HOST,
    ("database_record", ""): NameKind.DATABASE,
    ("capture_plan", ""): NameKind.HOST,
    ("host_profile", ""): NameKind.HOST,
    **{("audit", action): NameKind.HOST for action in ("host_added", "host_changed", "host_zone_changed")},
    **{("audit", action): NameKind.HOST for action in ("profile_saved", "profile_removed", "device_names_changed")},
    **{("audit", f"artefact_{act}"): NameKind.FILE for act in ("stored", "parsed", "kept", "removed")},
    ("audit", "run_removed"): NameKind.FILE,
    ("audit", "bundle_imported"): NameKind.FILE,
}
"""Whose ``name`` it is in the JSON of a table, by the kind of the record."""
_CHANGED: Mapping[str, NameKind] = {"contact": NameKind.PERSON, "system": NameKind.HOST}
"""Whose name changed, by the beginning of what the trail calls the field: ``contact.5 name``."""
_FIGURE_TEXTS: Mapping[tuple[str, str], NameKind] = {
    ("statement", "container"): NameKind.DATABASE,
    ("statement", "user"): NameKind.USER,
    ("segment", "owner"): NameKind.SCHEMA,
    ("segment", "name"): NameKind.OBJECT,
    ("segment", "subname"): NameKind.OBJECT,
    ("segment", "container"): NameKind.DATABASE,
    ("segment", "tablespace"): NameKind.OBJECT,
    ("io", "file"): NameKind.PATH,
    ("lock_wait", "container"): NameKind.DATABASE,
    ("lock_wait", "object"): NameKind.OBJECT,
}
_NAMING_PARAMETERS = lazy_pattern(
    r"(?:db_name|db_unique_name|db_domain|instance_name|service_names|hostname|cluster_name|database|host_?name)",
    re.IGNORECASE,
)
_NAMING_FACTS = lazy_pattern(r"serial|uuid|wwn|wwid|asset|chassis|machine.id|host.?id", re.IGNORECASE)
_SYSTEMS_DEVICE = lazy_pattern(
    r"(?:/dev/)?(?:[shv]d[a-z]+\d*|xvd[a-z]+\d*|dm-\d+|md/?d?\d+|nvme\d+(?:c\d+)?n\d+(?:p\d+)?|mmcblk\d+(?:p\d+)?"
    r"|hdisk\d+|cd\d+|sr\d+|s?sd\d+|disk\d+|loop\d+|ram\d+|zram\d+|fd\d+|st\d+|c\d+(?:t\d+)?d\d+(?:s\d+)?|ada\d+|da\d+"
    r"|dac\d+(?:-\w+)*|vdc\d+|emcpower\w+|\d+/\d+/.*|[a-z]{0,3}\d+|all|total|_?Total)"
)
"""What systems call devices by themselves."""
SQL_COLUMNS = frozenset(
    {
        ("statement_text", "text"),
        ("plan", "text"),
        ("statement", "text"),
        ("lock_wait", "statement"),
        ("lock_wait", "holder_statement"),
    }
)
_SEARCHED = """
property.name property.value engagement.title engagement.firm engagement.period_start engagement.period_end
engagement.confidentiality narrative.section narrative.text measurement.label_ko measurement.label_en
measurement.unit measurement.statistic measurement.before_bound measurement.after_bound measurement.before_date
measurement.after_date measurement.source note.target_kind note.text report.issued report.file_name report.path
run.label artefact.ledger artefact.given event.text statement.module statement.plan statement.statement_id
series.native series.attributes capture_plan.plan approval.how approval.note capture_session.label
capture_session.note capture_stream.command_id capture_stream.leftovers capture_stream.tool_version
capture_gap.stream capture_gap.cause
capture_gap.detected_at capture_gap.evidence clock_check.taken_at clock_check.boot_id system_fact.section
system_fact.name system_fact.value cycle_record.body cycle_reference.attachment device_alias.device
host_event.text resolution.said resolution.changes resolution.taken_back_at bundle.form bundle_member.reason
bundle_member.facts database_record.source database_record.identity database_record.begin_moment
database_record.end_moment database_record.title database_table.name statement_link.note
licence_confirmation.subject licence_confirmation.evidence licence_confirmation.note experiment.body trial.body
audit.facts engagement.translations measurement.translations
"""
TEXTS = frozenset(_SEARCHED.split())
"""Columns whose texts and JSON are searched for names; what is in them is learnt above, if anything is."""
_WORDS = """
action after_id approvals base_unit before_id code codec colour copy_of definition digest direction edition
engine faults absent implied imported_at interval_s key kind language layouts line locale made_at metric
native_unit os os_version parser parser_id parser_version phase plan_id platform position previous
program_version reach relation saved_at sample severity sha256 started_at ended_at state statement_id table_name
time tool tool_version unit version written_at approved_at confirmed_at said_at zone zone_before
zone_source
"""
UNTOUCHED = frozenset(_WORDS.split())
"""Columns and fields that hold words of the program, times or numbers."""
_TYPED = frozenset({"tool", "unit"})
"""Fields of records that a person may have typed."""
_EMPTIED = frozenset({"signature", "approver_key", "example", "stderr_tail", "blob"})
"""Lines of captures, and what was signed of words that are others now."""


def learn_names(connection: sqlite3.Connection, redactor: Redactor) -> None:
    """Every name that a place of the project is known to hold."""
    for (table, column), kind in COLUMNS.items():
        for (name,) in connection.execute(f'SELECT DISTINCT "{column}" FROM "{table}" ORDER BY 1').fetchall():
            _learn(redactor, kind, str(name))
    for table, sort, text in _json_cells(connection):
        for key, value in _leaves(_loaded(text), "", _NAMED.get((table, sort))):
            named = key if isinstance(key, NameKind) else _kind_of(key)
            if named is not None:
                for name in value.split("\n"):
                    _learn(redactor, named, name)
    for text, engine in connection.execute("SELECT text, engine FROM statement"):
        redactor.learn_statement(text, engine)
    _learn_figures(connection, redactor)
    _learn_devices(connection, redactor)


def _learn_devices(connection: sqlite3.Connection, redactor: Redactor) -> None:
    """Serial numbers, file systems, and what a person or a volume manager called a device."""
    for name, value in connection.execute("SELECT DISTINCT name, value FROM system_fact ORDER BY 1, 2"):
        if _NAMING_FACTS.search(name):
            redactor.learn(NameKind.DEVICE, value)
    for (attributes,) in connection.execute("SELECT DISTINCT attributes FROM series ORDER BY 1"):
        for key, value in json.loads(attributes):
            if key == "mountpoint":
                _learn(redactor, NameKind.PATH, str(value))
            elif key in ("device", "disk") and _SYSTEMS_DEVICE.fullmatch(str(value)) is None:
                redactor.learn(NameKind.DEVICE, str(value))


def _learn(redactor: Redactor, kind: NameKind, name: str) -> None:
    """Paths are known by their form; of one that has it only its last part could stand alone, and that is a word."""
    if not (kind is NameKind.PATH and name.startswith("/") and " " not in name):
        redactor.learn(kind, name)


def _json_cells(connection: sqlite3.Connection) -> Iterator[tuple[str, str, str]]:
    """Table, kind of record and text."""
    queries = (
        ("engagement", "SELECT '', translations FROM engagement"),
        ("cycle_record", "SELECT kind, body FROM cycle_record ORDER BY id"),
        ("database_record", "SELECT '', identity FROM database_record ORDER BY id"),
        ("capture_plan", "SELECT '', plan FROM capture_plan ORDER BY id"),
        ("host_profile", "SELECT '', profile FROM host_profile ORDER BY name"),
        ("artefact", "SELECT '', ledger FROM artefact ORDER BY id"),
        ("artefact", "SELECT '', given FROM artefact ORDER BY id"),
        ("experiment", "SELECT '', body FROM experiment ORDER BY id"),
        ("trial", "SELECT '', body FROM trial ORDER BY id"),
        ("audit", "SELECT action, facts FROM audit WHERE action <> 'report_written' ORDER BY id"),
    )
    for table, query in queries:
        for sort, text in connection.execute(query):
            yield table, sort, text


def _learn_figures(connection: sqlite3.Connection, redactor: Redactor) -> None:
    texts = TextReader(connection)
    rows = connection.execute(
        "SELECT t.name, t.form, t.data, d.engine FROM database_table AS t"
        " JOIN database_record AS d ON d.id = t.record_id ORDER BY t.rowid"
    )
    for name, form, data, engine in rows:
        table = unpack_table(name, form, data, texts.texts)
        for column, values in table.texts.items():
            named = _FIGURE_TEXTS.get((name, column))
            for value in dict.fromkeys(values):
                if (name, column) in SQL_COLUMNS:
                    redactor.learn_statement(value, engine)
                elif named is not None:
                    _learn(redactor, named, value)
        if name in ("parameter", "fact"):
            columns = ("begin", "end") if name == "parameter" else ("value",)
            for called, *values in zip(table.text("name"), *(table.text(heading) for heading in columns), strict=True):
                if _NAMING_PARAMETERS.fullmatch(called):
                    for value in values:
                        redactor.learn(NameKind.DATABASE, value)


def _kind_of(key: str) -> NameKind | None:
    return NameKind.PERSON if key.endswith("_by") and key != "explained_by" else _KEYS.get(key)


def _leaves(value: object, key: str, named: NameKind | None) -> Iterator[tuple[str | NameKind, str]]:
    if isinstance(value, str):
        yield (named if key == "name" and named is not None else key), value
    elif isinstance(value, dict):
        if "decision" in value:  # somebody's consent
            named = NameKind.PERSON
        for inner, part in value.items():
            whose = _CHANGED.get(inner.partition(".")[0], named)
            yield from _leaves(part, _translated_field(value, inner) or _field(inner), whose)
    elif isinstance(value, list):
        for part in value:
            yield from _leaves(part, key, named)


_TRANSLATION = frozenset({"field", "language", "text", "original"})


def _translated_field(value: Mapping[str, Any], inner: str) -> str:
    """What a text of a translation is: the field that it translates; empty for anything else."""
    return str(value["field"]) if inner in ("text", "original") and value.keys() == _TRANSLATION else ""


def _field(key: str) -> str:
    """``name`` of ``contact.5 name`` and of ``name``."""
    return key.rpartition(" ")[2].rpartition(".")[2]


# -- rewriting -----------------------------------------------------------------------------------------


def rewritten_cell(redactor: Redactor, table: str, column: str, value: str, digests: Mapping[str, str]) -> str:
    """One text of the project as the copy has it.

    Args:
        digests: of plans and attachments, before and after.
    """
    if column in _EMPTIED or (table, column) == ("report", "path"):
        return ""
    if (table, column) in SQL_COLUMNS:
        return redactor.statement(value)
    if column in UNTOUCHED and f"{table}.{column}" not in TEXTS:
        return value
    if value[0] in "{[":
        loaded = _loaded(value)
        if loaded is not None:
            return _dumped(_rewritten(redactor, loaded, "", digests), loaded, value)
    return redactor.place(value) if (table, column) in COLUMNS else redactor.text(value)


def _loaded(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return None


def _dumped(value: object, before: object, text: str) -> str:
    """JSON of `value`, with blanks or without as `text` has them."""
    tight = json.dumps(before, ensure_ascii=False, separators=(",", ":")) == text
    return json.dumps(value, ensure_ascii=False, separators=(",", ":") if tight else None)


def _rewritten(redactor: Redactor, value: object, key: str, digests: Mapping[str, str]) -> object:
    if isinstance(value, str):
        return _leaf(redactor, value, key, digests)
    if isinstance(value, dict) and value.keys() == _TRANSLATION:
        return _rewritten_translation(redactor, value, digests)
    if isinstance(value, dict):
        return {
            redactor.text(inner): _rewritten(redactor, part, _field(inner), digests) for inner, part in value.items()
        }
    if isinstance(value, list):
        pair = pair_of(value)
        if pair is not None:
            return [pair[0], _leaf(redactor, pair[1], pair[0], digests)]
        return [_rewritten(redactor, part, key, digests) for part in value]
    return value


def _rewritten_translation(redactor: Redactor, value: Mapping[str, Any], digests: Mapping[str, str]) -> object:
    """Its text and its original as the field itself, each name of several on a line of its own: they are still words
    and their translation."""
    key = str(value["field"])

    def lines(text: object, of: str) -> str:
        return "\n".join(_leaf(redactor, line, of, digests) for line in str(text).split("\n"))

    spoken = lines(value["text"], "text" if key in UNTOUCHED else key)
    return {**value, "text": spoken, "original": lines(value["original"], key)}


def pair_of(value: list[Any]) -> tuple[str, str] | None:
    """Name and value of an attribute, as series keep them: ``["device", "sda"]``."""
    if len(value) == 2 and all(isinstance(part, str) for part in value) and value[0] in _ATTRIBUTES:
        return value[0], value[1]
    return None


_ATTRIBUTES = frozenset(
    ["device", "cpu", "interface", "mountpoint", "process", "state", "direction", "host", "user", "kind", "disk"]
)


def _leaf(redactor: Redactor, value: str, key: str, digests: Mapping[str, str]) -> str:
    if value in digests:
        return digests[value]
    if key in _EMPTIED:
        return ""
    if (key in UNTOUCHED and key not in _TYPED) or not value:
        return value
    if value[0] in "{[" and (loaded := _loaded(value)) is not None:
        return _dumped(_rewritten(redactor, loaded, key, digests), loaded, value)
    return (
        redactor.place(value)
        if key == "name" or _kind_of(key) is not None or key in _ATTRIBUTES
        else redactor.text(value)
    )
