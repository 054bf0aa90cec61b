"""``data``: samples for other tools."""

from __future__ import annotations

import argparse
import os
import sys
from datetime import datetime
from pathlib import Path
from typing import TextIO
from zoneinfo import ZoneInfo

from app.cli.arguments import Translate, add_common, add_project, moment, positive
from app.cli.console import Console
from app.core.errors import ExitCode, UserError
from app.core.whole_files import require_place
from app.usecases import exports, projects
from app.usecases.exports import ExportedSeries

NS_PER_S = 1_000_000_000


def _ids(text: str) -> list[int]:
    return [int(part) for part in text.split(",")]


def register(parser: argparse.ArgumentParser, text: Translate) -> None:
    add_project(parser, text)
    parser.add_argument("--series", required=True, type=_ids, metavar="ID[,ID...]", help=text("cli.help.series_ids"))
    parser.add_argument("--from", dest="start", type=moment, metavar="ISO", help=text("cli.help.from"))
    parser.add_argument("--to", dest="end", type=moment, metavar="ISO", help=text("cli.help.to"))
    parser.add_argument("--every", type=positive, metavar="S", help=text("cli.help.every"))
    parser.add_argument("--format", choices=("csv", "json", "parquet"), required=True, help=text("cli.help.format"))
    parser.add_argument("--out", type=Path, metavar="FILE", help=text("cli.help.out"))
    add_common(parser, text)


def run(args: argparse.Namespace, _console: Console) -> ExitCode:
    if args.format == "parquet" and args.out is None:
        raise UserError("parquet_needs_out")
    project = projects.open_(args.project, read_only=True)
    try:
        zone = exports.engagement_zone(project)
        exported = exports.read(project, args.series, _ns(args.start, zone), _ns(args.end, zone), args.every)
    finally:
        projects.close(project)
    _write(args.format, args.out, exported, zone)
    return ExitCode.DONE


def _ns(when: datetime | None, zone: ZoneInfo) -> int | None:
    if when is None:
        return None
    aware = when if when.tzinfo else when.replace(tzinfo=zone)
    return int(aware.timestamp()) * NS_PER_S + aware.microsecond * 1000


def _write(form: str, out: Path | None, exported: list[ExportedSeries], zone: ZoneInfo) -> None:
    if out is not None:
        require_place(out)
    if form == "parquet":
        assert out is not None
        exports.write_parquet(exported, out)
        return
    write = exports.write_csv if form == "csv" else exports.write_json
    if out is None:
        write(exported, zone, sys.stdout)
        return
    with _opened(out) as file:
        write(exported, zone, file)


def _opened(out: Path) -> TextIO:
    try:
        return out.open("w", encoding="utf-8", newline="")
    except OSError as error:
        raise UserError("file_unwritable", path=str(out), reason=os.strerror(error.errno or 0)) from error
