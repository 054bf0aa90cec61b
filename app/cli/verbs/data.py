"""``data``: samples for other tools."""

from __future__ import annotations

import argparse
import sys
from datetime import datetime
from pathlib import Path
from zoneinfo import ZoneInfo

from app.cli.arguments import Translate, add_common, add_project, moment, positive
from app.cli.console import Console
from app.core.errors import ExitCode, UserError
from app.core.whole_files import whole_file
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
    write = exports.write_csv if form == "csv" else exports.write_json
    if out is None:
        write(exported, zone, sys.stdout)
        return
    with whole_file(out) as draft:
        if form == "parquet":
            exports.write_parquet(exported, draft)
            return
        with draft.open("w", encoding="utf-8", newline="") as file:
            write(exported, zone, file)
