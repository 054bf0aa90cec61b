"""``data``: samples for other tools."""

from __future__ import annotations

import argparse
import sys
from contextlib import closing
from pathlib import Path
from zoneinfo import ZoneInfo

from tunebench.cli.arguments import COMMON, PROJECT, Translate, add, argument, moment, moment_ns, positive
from tunebench.cli.console import Console
from tunebench.core.errors import UserError
from tunebench.core.whole_files import whole_file
from tunebench.usecases import exports, projects
from tunebench.usecases.exports import ExportedSeries


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


def run(args: argparse.Namespace, _console: Console) -> None:
    if args.format == "parquet" and args.out is None:
        raise UserError("parquet_needs_out")
    with closing(projects.open_(args.project, read_only=True)) as project:
        zone = projects.engagement_zone(project)
        start_ns, end_ns = moment_ns(args.start, zone), moment_ns(args.end, zone)
        exported = exports.read(project, args.series, start_ns, end_ns, args.every)
    _write(args.format, args.out, exported, zone)


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
