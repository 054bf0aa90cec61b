"""The import review as data: every file with what is known and asked of it, written out, edited and read back."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from datetime import date, datetime
from pathlib import Path
from typing import Any, TypeVar
from zoneinfo import ZoneInfo

from tunebench.cli.console import Console
from tunebench.contract import shapes
from tunebench.core.errors import UserError
from tunebench.core.progress import Progress
from tunebench.core.whole_files import write_whole
from tunebench.domain.capturing.times import Correction
from tunebench.domain.engagement import Phase
from tunebench.usecases import projects
from tunebench.usecases.importing import import_review
from tunebench.usecases.importing.import_review import Planned, Reviewed

_MOST_SHOWN = 20
T = TypeVar("T")


def shape(row: Reviewed, zone: ZoneInfo, console: Console) -> shapes.Shape:
    """A file of the plan.

    What people change counts for `read` in these keys: host, run, phase, zone, date, start, interval_s, confirmed.
    """
    values = import_review.values_of(row.times) if row.times else Planned()
    assumed = row.ledger.assumptions
    source = {assumption.subject: assumption.source for assumption in assumed}
    return {
        "capture": row.artefact.id if row.artefact else None,
        "path": row.path,
        "sha256": row.artefact.sha256 if row.artefact else None,
        **shapes.shape(row.ledger, "tool? system=os?"),
        **shapes.shape(row, "host? host_from"),
        "host_proposed": row.proposal.host if row.proposal else None,
        "host_proposed_by": row.proposal.by if row.proposal else None,
        **shapes.shape(row, "run? phase"),
        "zone": values.zone or None,
        "zone_from": row.ledger.zone_source or None,
        "date": values.day.isoformat() if values.day else None,
        "start": values.start.isoformat() if values.start else None,
        "date_from": source.get("start", source.get("date", "stamp")) if row.times else None,
        "interval_s": values.interval_s,
        "interval_from": source.get("interval_s", "stamp") if row.times else None,
        **shapes.shape(row.ledger, "first=first_ns last=last_ns", zone),
        "assumed": [shapes.shape(assumption, "subject value source") for assumption in assumed],
        "questions": list(row.questions),
        "doubt": round(row.doubt, 3),
        "error": console.messages.error(row.refusal) if row.refusal else None,
        "confirmed": False,
    }


def write(project: projects.Project, path: Path, zone: ZoneInfo, console: Console) -> None:
    """Raises UserError as `tunebench.core.whole_files.whole_file`."""
    rows = [shape(row, zone, console) for row in import_review.reviewed(project)]
    write_whole(path, (json.dumps({"files": rows}, ensure_ascii=False, indent=1) + "\n").encode())


def apply(project: projects.Project, path: Path, console: Console, progress: Progress) -> list[int]:
    """Says of the project's captures what the plan says; gives the numbers under which that is taken back.

    Raises:
        UserError: the plan cannot be read, holds something wrong or a file that is not in the project; then nothing
            was done.
    """
    rows = {row.artefact.sha256: row for row in import_review.reviewed(project) if row.artefact}
    corrections: dict[int, Correction] = {}
    for entry in _entries(path):
        digest = entry.get("sha256")
        if digest is None:  # a file that is not in the project stands in the review too
            continue
        row = rows.get(digest)
        if row is None or row.artefact is None:
            raise UserError("plan_file_unknown", plan=str(path), path=str(entry.get("path", digest)))
        correction = import_review.correction_of(row, _planned(entry, path))
        if correction is not None:
            corrections[row.artefact.id] = correction
    numbers = import_review.correct_each(project, corrections, progress)
    console.say("cli.review.applied", count=len(corrections), numbers=", ".join(map(str, numbers)) or "-")
    return numbers


def _entries(path: Path) -> list[dict[str, Any]]:
    try:
        document = json.loads(path.read_text(encoding="utf-8-sig"))
    except OSError as error:
        raise UserError("file_unreadable", path=str(path), reason=error.strerror or str(error)) from None
    except (ValueError, RecursionError) as error:
        raise UserError("plan_wrong", plan=str(path), path="-", field="JSON", value=str(error)) from None
    entries = document.get("files") if isinstance(document, dict) else document
    if not isinstance(entries, list) or not all(isinstance(entry, dict) for entry in entries):
        raise UserError("plan_wrong", plan=str(path), path="-", field="files", value="-")
    return entries


def _planned(entry: dict[str, Any], plan: Path) -> Planned:
    def field(name: str, read: Callable[[Any], T], otherwise: T) -> T:
        value = entry.get(name)
        if value is None or value == "":
            return otherwise
        try:
            return read(value)
        except (TypeError, ValueError):
            path = str(entry.get("path", "-"))
            raise UserError("plan_wrong", plan=str(plan), path=path, field=name, value=str(value)) from None

    return Planned(
        host=field("host", _words, ""),
        run=field("run", _words, ""),
        phase=field("phase", Phase, None),
        zone=field("zone", _words, ""),
        day=field("date", date.fromisoformat, None),
        start=field("start", _start, None),
        interval_s=field("interval_s", _interval, None),
        confirmed=entry.get("confirmed") is True,
    )


def _words(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError
    return value


def _start(value: Any) -> datetime:
    return datetime.fromisoformat(value).replace(tzinfo=None)


def _interval(value: Any) -> float:
    seconds = float(value)
    if not 0 < seconds <= 86_400:
        raise ValueError
    return seconds


# -- for people ----------------------------------------------------------------------------------------


def show(rows: Sequence[Reviewed], zone: ZoneInfo, console: Console) -> None:
    """Prints the files that are asked about, the most doubtful first."""
    asked = [row for row in rows if row.questions]
    if not asked:
        return
    console.say("cli.review.asked", count=len(asked), total=len(rows))
    console.table(
        console.headings("cli.review.column", "file tool host run first questions"),
        [
            [
                row.path,
                row.ledger.tool or "-",
                _host(row, console),
                row.run or "-",
                shapes.time(row.ledger.first_ns, zone) or "-",
                ", ".join(console.text(f"review.question.{question}") for question in row.questions),
            ]
            for row in asked[:_MOST_SHOWN]
        ],
    )
    if len(asked) > _MOST_SHOWN:
        console.say("cli.review.more", count=len(asked) - _MOST_SHOWN)
    console.say("cli.review.how")


def _host(row: Reviewed, console: Console) -> str:
    if row.proposal is None:
        return row.host or "-"
    by = console.text(f"review.proposed_by.{row.proposal.by}")
    return console.text("review.proposed", host=row.host, proposed=row.proposal.host, by=by)
