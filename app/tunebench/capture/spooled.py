"""What a capture session left in its folder: enough to go on with it, or to store it, without anything in memory.

session.json          plan, approval, times, the folder of each host
session/journal-*     events of the session: begun, resumed, mark, stopping, extended, finished
host-001/journal-*    the bytes of every stream and of its stderr, and the host's events:
    connected, lost            what was negotiated; why the connection ended
    survey, clock              a `HostSurvey`, a `ClockCheck` as objects
    version                    what a tool said when it was asked for its version
    command_started, command_ended (of a stream)
    gap_opened, gap_closed, gap_withdrawn (of a stream): a `CaptureGap`; one that is open may be told again
    restarted (of a stream)    what came before is void: a fetched file begins anew
    leftovers                  how many of our processes were found on the server, None where it could not be asked
    stream, host               the last word: state, figures, errors
    torn                       bytes of the journal that cannot be read (made by the reader)
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Iterator, Mapping
from dataclasses import asdict, field, fields, replace
from pathlib import Path
from typing import Any

from tunebench.capture.context import now_iso
from tunebench.capture.journal import JournalKind, JournalRecord, read_journal, read_streams
from tunebench.core import records
from tunebench.core.errors import UserError
from tunebench.core.plain_files import read_plain
from tunebench.core.sealing import Sealed, Sealer, covering, salt_of
from tunebench.core.whole_files import make_private_folder
from tunebench.domain.capturing.plan import Approval, CapturePlan, PlannedCommand
from tunebench.domain.capturing.run import CaptureGap, CaptureMark, ClockCheck, GapCause, StreamState

SESSION_FILE = "session.json"
SESSION_FOLDER = "session"
_STDERR_TAIL_BYTES = 2000
_Bytes = bytes  # the name of a field below


@records.record
class SessionFile:
    """The beginning of a session. Times are UTC nanoseconds of this machine; `folders` by host name."""

    session_id: int
    label: str
    plan: CapturePlan
    approval: Approval
    started_ns: int
    planned_end_ns: int
    folders: Mapping[str, str]

    def write(self, folder: Path) -> None:
        """Whole or not at all; the folder is made where it is not there.

        Raises:
            UserError: capture_write_failed.
        """
        text = json.dumps(
            {
                "version": 1,
                "session_id": self.session_id,
                "label": self.label,
                "plan": self.plan.to_json(),
                "approval": asdict(self.approval),
                "started_ns": self.started_ns,
                "planned_end_ns": self.planned_end_ns,
                "folders": dict(self.folders),
            },
            ensure_ascii=False,
            indent=1,
        )
        new = folder / f"{SESSION_FILE}.new"
        try:
            make_private_folder(folder)
            key = covering(folder)
            sealer = Sealer(key) if key is not None else None
            with new.open("wb") as stream:
                stream.write(sealer.head + sealer.seal(text.encode()) if sealer else text.encode())
                stream.flush()
                os.fsync(stream.fileno())
            new.replace(folder / SESSION_FILE)
        except OSError as error:
            detail = error.strerror or str(error)
            raise UserError("capture_write_failed", folder=str(folder), detail=detail) from error

    @classmethod
    def read(cls, folder: Path) -> SessionFile:
        """Raises UserError capture_spool_unreadable where there is none, or it is damaged."""
        try:
            raw = json.loads(_session_text(folder / SESSION_FILE))
            return cls(
                int(raw["session_id"]),
                str(raw["label"]),
                CapturePlan.from_json(raw["plan"]),
                Approval(**raw["approval"]),
                int(raw["started_ns"]),
                int(raw["planned_end_ns"]),
                dict(raw["folders"]),
            )
        except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError, Sealed) as error:
            raise UserError("capture_spool_unreadable", folder=str(folder), detail=str(error)) from error


def _session_text(path: Path) -> str:
    """Raises Sealed where it is that of an encrypted project whose key is not here."""
    data = read_plain(path)
    if salt_of(data) is None:
        return data.decode("utf-8")
    return Sealer(head=data[: Sealer.HEAD_BYTES]).open(data[Sealer.HEAD_BYTES :]).decode("utf-8")


def host_folders(plan: CapturePlan) -> dict[str, str]:
    """Host -> the folder of its journal."""
    return {host.name: f"host-{number:03d}" for number, host in enumerate(plan.hosts, 1)}


@records.record(frozen=False)
class SpooledStream:
    """What is known of one command.

    Attributes:
        bytes, lines: received; markers included.
        last_ns: arrival of the last bytes, this machine's clock, UTC ns.
        void_bytes: so many of the first bytes do not count (a fetched file that began anew).
        stopped: somebody ended it before the planned end.
        closed: the session had its last word on it: `state` and the rest are final.
        whole: its last start ended by itself, and all that it said came.
        error: key below ``error.``, `error_facts` for its sentence.
    """

    command: PlannedCommand
    folder: str
    bytes: int = 0
    lines: int = 0
    starts: int = 0
    last_ns: int | None = None
    void_bytes: int = 0
    stopped: bool = False
    closed: bool = False
    whole: bool = False
    state: StreamState = StreamState.PLANNED
    exit_status: int | None = None
    cpu_s: float | None = None
    ran_s: float = 0.0
    stderr_tail: _Bytes = b""
    error: str = ""
    error_facts: dict[str, Any] = field(default_factory=dict)


@records.record(frozen=False)
class SpooledSession:
    """A session as its folder tells it.

    Attributes:
        finished: it came to its end; nothing is to be resumed.
        gaps: the closed ones; of a session that did not come to its end also what is missing since.
        leftovers: by host, how many of our processes were found at the last look; None: could not be asked.
        surveys: by host, the last survey as an object.
        versions: by host and tool, the first line of what it said.
        lost_bytes: of the journals that cannot be read.
    """

    folder: Path
    file: SessionFile
    finished: bool = False
    streams: dict[str, SpooledStream] = field(default_factory=dict)
    gaps: list[CaptureGap] = field(default_factory=list)
    open_gaps: dict[str, CaptureGap] = field(default_factory=dict)
    clocks: list[ClockCheck] = field(default_factory=list)
    marks: list[CaptureMark] = field(default_factory=list)
    leftovers: dict[str, int | None] = field(default_factory=dict)
    surveys: dict[str, dict[str, Any]] = field(default_factory=dict)
    versions: dict[tuple[str, str], str] = field(default_factory=dict)
    lost_bytes: int = 0

    @property
    def last_ns(self) -> int | None:
        """Arrival of the last bytes."""
        return max((stream.last_ns for stream in self.streams.values() if stream.last_ns is not None), default=None)

    @property
    def window_is_open(self) -> bool:
        """Whether the planned end is still to come."""
        return time.time_ns() < self.file.planned_end_ns

    def latest_offset_ns(self, host: str) -> int:
        """The server's clock minus this machine's, at most, by the last check; 0 where there was none."""
        return next((check.offset_ns + check.error_ns for check in reversed(self.clocks) if check.host == host), 0)

    def missing_since_crash(self) -> list[CaptureGap]:
        """What is missing at the end of a session that was cut off: one gap per stream that still ran."""
        gaps = []
        for stream_id, stream in self.streams.items():
            if stream.closed or stream.stopped or stream.command.interval_s is None or stream.last_ns is None:
                continue
            if stream_id not in self.open_gaps:
                start_ns = stream.last_ns + self.latest_offset_ns(stream.command.host)
                gaps.append(CaptureGap(stream_id, start_ns, None, GapCause.CLIENT_CRASH, now_iso()))
        return gaps

    def all_gaps(self) -> list[CaptureGap]:
        """Closed, open, and those that the end of a cut-off session left."""
        crashed = [] if self.finished else self.missing_since_crash()
        return [*self.gaps, *self.open_gaps.values(), *crashed]

    def pieces(self, stream_id: str) -> Iterator[bytes]:
        """The bytes of one stream, in the order in which they came."""
        stream = self.streams[stream_id]
        return (piece for _, piece in read_streams(self.folder / stream.folder, {stream_id: stream.void_bytes}))


def read_session(folder: Path, plan: CapturePlan | None = None) -> SpooledSession:
    """Everything but the bytes.

    Args:
        plan: as the project has it, whatever the folder says; None: the one in the folder.

    Raises:
        UserError: capture_spool_unreadable.
    """
    file = SessionFile.read(folder)
    session = SpooledSession(folder, replace(file, plan=plan, folders=host_folders(plan)) if plan else file)
    for command in session.file.plan.commands:
        session.streams[command.id] = SpooledStream(command, session.file.folders.get(command.host, ""))
    for record in read_journal(folder / SESSION_FOLDER):
        _take_session_event(session, record.event)
    for host, name in session.file.folders.items():
        for record in read_journal(folder / name):
            _take(session, host, record)
    return session


def unfinished(folder: Path) -> SpooledSession | None:
    """A session that was cut off: it can be resumed until its planned end, or closed by storing what is there.

    Raises:
        UserError: capture_spool_unreadable.
    """
    session = read_session(folder)
    return None if session.finished else session


def _take_session_event(session: SpooledSession, event: Mapping[str, Any]) -> None:
    match event.get("event"):
        case "mark":
            session.marks.append(CaptureMark(int(event["time_ns"]), str(event["text"]), str(event["author"])))
        case "stopping":
            for stream in session.streams.values():
                if event["of_stream"] == stream.command.id or event["of_host"] == stream.command.host:
                    stream.stopped = True
        case "extended":
            session.file = replace(session.file, planned_end_ns=int(event["planned_end_ns"]))
        case "finished":
            session.finished = True
        case "torn":
            session.lost_bytes += int(event["lost_bytes"])


def _take(session: SpooledSession, host: str, record: JournalRecord) -> None:
    stream = session.streams.get(record.stream)
    if record.kind is JournalKind.EVENT:
        event = record.event
        if stream is None:
            _take_host_event(session, host, event)
        else:
            _take_stream_event(session, stream, event)
    elif stream is not None and record.kind is JournalKind.DATA:
        stream.bytes += len(record.payload)
        stream.lines += record.payload.count(b"\n")
        stream.last_ns = record.wall_ns
    elif stream is not None:
        stream.stderr_tail = (stream.stderr_tail + record.payload)[-_STDERR_TAIL_BYTES:]


def _take_host_event(session: SpooledSession, host: str, event: Mapping[str, Any]) -> None:
    match event.get("event"):
        case "clock":
            session.clocks.append(ClockCheck(**{part.name: event[part.name] for part in fields(ClockCheck)}))
        case "survey":
            session.surveys[host] = {key: value for key, value in event.items() if key != "event"}
        case "version":
            session.versions[host, str(event["tool"])] = first_line(str(event["text"]))
        case "leftovers":
            session.leftovers[host] = event["count"]
        case "torn":
            session.lost_bytes += int(event["lost_bytes"])


def first_line(text: str) -> str:
    """The first line of a tool's answer: name and version stand there, licences and authors below."""
    return next((line.strip() for line in text.splitlines() if line.strip()), "")


def _take_stream_event(session: SpooledSession, stream: SpooledStream, event: Mapping[str, Any]) -> None:
    stream_id = stream.command.id
    match event.get("event"):
        case "command_started":
            stream.starts, stream.closed, stream.whole = int(event["start"]), False, False
        case "command_ended":
            stream.whole = event["loss"] is None and event["exit_status"] == 0
        case "restarted":
            stream.void_bytes = stream.bytes
        case "stream":
            stream.closed = True
            stream.state = StreamState(event["state"])
            stream.exit_status, stream.cpu_s, stream.ran_s = event["exit_status"], event["cpu_s"], event["ran_s"]
            stream.error, stream.error_facts = event["error"], dict(event["error_facts"])
        case "gap_withdrawn":
            session.open_gaps.pop(stream_id, None)
        case "gap_opened":
            session.open_gaps[stream_id] = _gap(stream_id, event)
        case "gap_closed":
            gap = _gap(stream_id, event)
            if gap.cause is not GapCause.CLOCK_STEP:  # which comes whole, beside one that may be open
                session.open_gaps.pop(stream_id, None)
            session.gaps.append(gap)


def _gap(stream_id: str, event: Mapping[str, Any]) -> CaptureGap:
    return CaptureGap(
        stream_id,
        int(event["start_ns"]),
        event["end_ns"],
        GapCause(event["cause"]),
        str(event["detected_at"]),
        str(event["evidence"]),
    )
