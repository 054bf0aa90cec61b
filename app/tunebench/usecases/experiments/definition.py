"""Experiments as people write them: a file (TOML), or a few words on the command line."""

from __future__ import annotations

import tomllib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tunebench.core.errors import UserError
from tunebench.domain.engagement import Direction
from tunebench.domain.experiments.records import (
    CacheState,
    Cell,
    Experiment,
    Factor,
    Inserted,
    Level,
    Response,
    RunOrder,
    Statistic,
)
from tunebench.domain.experiments.rules import check_levels
from tunebench.domain.schema import InPlan, RecordField, schema
from tunebench.domain.typed_numbers import typed_number

Table = dict[str, Any]
_MOST_BYTES = 1_000_000


# -- files ---------------------------------------------------------------------------------------------


def read_definition(path: Path, language: str) -> Experiment:
    """An experiment in the form of the shipped examples; results in it are left alone.

    Raises:
        UserError: experiment_file_unreadable with what is wrong.
    """
    try:
        if path.stat().st_size > _MOST_BYTES:
            raise UserError("experiment_file_unreadable", path=str(path), detail=f"> {_MOST_BYTES}")
        return experiment_of(tomllib.loads(path.read_text(encoding="utf-8-sig")), "", language)
    except KeyError as error:
        raise UserError("experiment_file_unreadable", path=str(path), detail=f"{error.args[0]} = ?") from error
    except (OSError, ValueError, TypeError, AttributeError) as error:  # what a wrong type in the file leads to
        raise UserError("experiment_file_unreadable", path=str(path), detail=str(error)) from error


def said(value: Any, language: str) -> str:
    """A text, or one in each language."""
    return str(value[language] if isinstance(value, dict) else value)


def experiment_of(table: Table, name: str = "", language: str = "en") -> Experiment:
    plain = {
        field.name: _plain(field, table[field.name], language)
        for field in schema(Experiment).values()
        if field.name in table and field.mark(InPlan) is not None and field.name != "inserts"
    }
    return Experiment(
        0,
        said(table["title"], language),
        tuple(_factor(factor) for factor in table["factors"]),
        tuple(_response(response, language) for response in table["responses"]),
        order=RunOrder(table.get("order", RunOrder.LISTED)),
        caches=(CacheState(table.get("cache", CacheState.UNKNOWN)),),
        cells=tuple(tuple(cell) for cell in table.get("cells", ())),
        baseline=tuple(table.get("baseline", ())),
        inserts=tuple(Inserted(insert["into"], insert["text"].strip("\n")) for insert in table.get("inserts", ())),
        example=name,
        **{"repetitions": 1, **plain},
    )


def _plain(field: RecordField, value: Any, language: str) -> Any:
    """The value of a field that is typed by itself; a text may be several lines, and in each language."""
    if field.hint in (int, float):
        return field.hint(value)
    if field.hint is str and not isinstance(value, list):
        return said(value, language)
    lines = tuple(said(line, language) for line in value)
    return "\n".join(lines) if field.hint is str else lines


def _factor(table: Table) -> Factor:
    levels = tuple(
        Level(str(level["name"]), level.get("value"), level.get("insert", ""))
        if isinstance(level, dict)
        else Level(f"{level:.12g}", float(level))  # as commands take it: 1000000, not 1e+06
        for level in table["levels"]
    )
    return Factor(table["name"], levels, table.get("unit", ""))


def _response(table: Table, language: str) -> Response:
    statistic = Statistic(table["statistic"]) if "statistic" in table else None
    title = said(table.get("title", ""), language)
    return Response(
        table["name"], table["unit"], Direction(table["direction"]), title, table.get("figure", ""), statistic
    )


# -- words ---------------------------------------------------------------------------------------------


def factor_of(words: str) -> Factor:
    """``fs=ext3,xfs``; ``pool[GB]=12,8,4`` with a unit; ``mount=default|noatime,logbufs=8`` where levels hold commas.

    A level that is a number stands for that number.

    Raises:
        UserError: experiment_words.
    """
    heading, equals, levels = words.partition("=")
    name, unit = _with_unit(heading)
    if not equals or not name:
        raise UserError("experiment_words", words=words, known="FACTOR[UNIT]=LEVEL,LEVEL")
    names = [level.strip() for level in levels.split("|" if "|" in levels else ",")]
    return Factor(name, tuple(Level(level, typed_number(level)) for level in names), unit)


def _with_unit(heading: str) -> tuple[str, str]:
    name, bracket, rest = heading.partition("[")
    return name.strip(), rest.rstrip().removesuffix("]").strip() if bracket else ""


def response_of(words: str) -> Response:
    """``real_s``, ``tps[1/s]:higher``; lower is better unless stated.

    ``w[MB/s]:higher=fio write bw_bytes_per_s`` takes that figure of the output, ``cpu[%]:lower=vmstat us@mean`` the
    mean of a probe's samples.

    Raises:
        UserError: experiment_words.
    """
    words, _, taken_from = words.partition("=")
    figure, statistic = figure_of(taken_from)
    heading, colon, direction = words.rpartition(":")
    if not colon:
        heading, direction = words, Direction.LOWER
    name, unit = _with_unit(heading)
    if direction not in tuple(Direction) or not name:
        raise UserError("experiment_words", words=words, known="RESPONSE[UNIT]:lower|higher|neutral")
    unit = unit or ("s" if name in ("real_s", "user_s", "sys_s") else "")
    return Response(name, unit, Direction(direction), "", figure, statistic)


def figure_of(words: str) -> tuple[str, Statistic | None]:
    """``tps``; ``vmstat us@mean`` for the samples of a probe.

    Raises:
        UserError: experiment_words.
    """
    figure, at, statistic = words.rpartition("@") if "@" in words else (words, "", "")
    if at and statistic not in tuple(Statistic):
        raise UserError("experiment_words", words=words, known="FIGURE@" + "|".join(Statistic))
    return figure.strip(), Statistic(statistic) if at else None


def inserted_of(words: str) -> Inserted:
    """``/etc/my.cnf=TEXT``, ``|mysql -uroot=SET GLOBAL ...``: `into` ends at the first equals sign behind a path or at
    the first ``=`` with a blank before it behind a command; ``\\n`` is a new line.

    Raises:
        UserError: experiment_insert.
    """
    into, sign, text = words.partition(" =" if words.startswith("|") else "=")
    if not sign or not text.strip():
        raise UserError("experiment_insert", words=words)
    return Inserted(into.strip(), text.strip().replace("\\n", "\n"))


def cell_of(experiment: Experiment, words: Sequence[str]) -> Cell:
    """``FACTOR=LEVEL`` for each factor of several levels, in any order.

    Raises:
        UserError: experiment_words, experiment_cell_unknown.
    """
    said_levels: dict[str, str] = {}
    for word in words:
        name, equals, level = word.partition("=")
        if not equals or experiment.factor(name.strip()) is None or name.strip() in said_levels:
            example = " ".join(f"{factor.name}=..." for factor in experiment.factors)
            raise UserError("experiment_words", words=word, known=example)
        said_levels[name.strip()] = level.strip()
    cell = tuple(
        said_levels.get(factor.name, factor.levels[0].name if len(factor.levels) == 1 else "?")
        for factor in experiment.factors
    )
    check_levels(experiment, cell)
    return cell
