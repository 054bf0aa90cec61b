"""``data``: samples for other tools."""

from __future__ import annotations

import argparse
import sys
from datetime import datetime
from pathlib import Path
from zoneinfo import ZoneInfo

from app.cli.arguments import COMMON, PROJECT, Translate, add, argument, moment, positive
from app.cli.console import Console
from app.core.errors import ExitCode, UserError
from app.core.whole_files import whole_file
from app.usecases import exports, projects
from app.usecases.exports import ExportedSeries

NS_PER_S = 1_000_000_000


def _ids(text: str) -> list[int]:
    return [int(part) for part in text.split(",")]


def register(parser: argparse.ArgumentParser, text: Translate) -> None:
    add(
        parser,
        text,
        PROJECT,
        argument("--series", "cli.help.series_ids", "ID[,ID...]", required=True, type=_ids),
        argument("--from", "cli.help.from", "ISO", dest="start", type=moment),
        argument("--to", "cli.help.to", "ISO", dest="end", type=moment),
        argument("--every", "cli.help.every", "S", type=positive),
        argument("--format", "cli.help.format", choices=("csv", "json", "parquet"), required=True),
        argument("--out", "cli.help.out", "FILE", type=Path),
        *COMMON,
    )


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
