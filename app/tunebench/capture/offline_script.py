"""A plan as one POSIX sh script that a customer runs alone, and what its archive looks like.

The archive ``tunebench-<host>-<UTC>.tar.gz`` (``.tar`` where the server has no gzip) holds one folder of the same
name with

* ``manifest``: tab-separated lines: ``tunebench-archive 1``, ``plan <digest>``, ``nonce``, ``host`` (of the plan,
  percent-encoded), ``hostname`` (of the machine it ran on), ``started`` and ``ended`` (``20261121T024800Z``), ``state``
  (``complete``, ``stopped``), any number of ``warning`` (``other_host``, ``limit_reached``), one ``file`` line per file
  (name, bytes, POSIX cksum, percent-encoded: command id, probe, kind, parser, interval, tool line), one ``stderr`` line
  of the same shape for each ``<name>.err``, and last ``end``. Without it the archive is not whole.
* ``plan.json``: the plan; its digest is the manifest's.
* ``0007.out`` ...: one file per command, framed like a live stream (`capture.frames`), one start after the other.
* ``0009.1.raw`` ...: files that were only copied, without frames; their tool line is ``cat <path on the server>``.
"""

from __future__ import annotations

import json
import math
import re
import shlex
from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict
from urllib.parse import quote, unquote

from tunebench.capture.house_commands import BOOT, OVERHEAD_PROBE
from tunebench.capture.offline_shell import SCRIPT
from tunebench.capture.wrapper import SYSTEM_PATH, TRIAL_WORDS, evaluated, marker_id
from tunebench.core.messages import catalogue
from tunebench.core.patterns import lazy_pattern
from tunebench.core.records import record
from tunebench.domain.capturing.plan import CapturePlan, CommandKind, PlannedCommand

PLAN_FILE = "plan.json"
MANIFEST_FILE = "manifest"
ARCHIVE_PREFIX = "tunebench-"
_BLOCK_BYTES = 512
_SMALLEST_LIMIT_BYTES = 16 << 20
_LIMIT_FACTOR = 4  # a file may grow to this many times what is expected
_UNKNOWN_BYTES_PER_S = 2000.0
_GRACE_S = 5
_CLOCK_STEP_S = 1
"""The script counts whole seconds: so many of them less may have passed."""
_SAFE = "/:._=+ "
_OVER = lazy_pattern(r" s, (\d{4,})$")
_CAPTURED = (".out", ".raw", ".err")
_NOT_IN_SCRIPT = ("house.leftovers", "house.detached", "house.cksum")
_MESSAGES = (
    "title",
    "plan_word",
    "help_folder",
    "help_no_pack",
    "not_writable",
    "no_space",
    "other_host",
    "starting",
    "progress",
    "pack_failed",
    "send",
)


@record
class OfflineFile:
    """A file of the archive. `cksum` is that of POSIX ``cksum``; `copied` files carry no frames."""

    name: str
    size_bytes: int
    cksum: int
    command_id: str
    probe: str
    kind: CommandKind
    parser: str
    interval_s: float | None
    tool_line: str
    stderr: bool = False

    @property
    def copied(self) -> bool:
        return self.kind is CommandKind.PULL


@record
class OfflineManifest:
    """`whole` is False where the last line is missing."""

    plan_digest: str
    nonce: str
    host: str
    hostname: str
    started: str
    ended: str
    state: str
    warnings: tuple[str, ...]
    files: tuple[OfflineFile, ...]
    whole: bool


def read_manifest(text: str) -> OfflineManifest:
    """The manifest of an offline capture; unknown lines are passed over.

    Raises:
        ValueError: no manifest of ours.
    """
    rows = [line.split("\t") for line in text.splitlines()]
    if not rows or rows[0] != ["tunebench-archive", "1"]:
        raise ValueError("not a manifest of an offline capture")
    answers = {row[0]: row[1] for row in rows if len(row) == 2}
    return OfflineManifest(
        plan_digest=answers.get("plan", ""),
        nonce=answers.get("nonce", ""),
        host=unquote(answers.get("host", "")),
        hostname=answers.get("hostname", ""),
        started=answers.get("started", ""),
        ended=answers.get("ended", ""),
        state=answers.get("state", ""),
        warnings=tuple(row[1] for row in rows if row[0] == "warning" and len(row) == 2),
        files=tuple(_file(row) for row in rows if row[0] in ("file", "stderr") and len(row) == 10),
        whole=rows[-1] == ["end"],
    )


def _file(row: Sequence[str]) -> OfflineFile:
    command_id, probe, kind, parser, interval, tool_line = (unquote(word) for word in row[4:])
    return OfflineFile(
        name=row[1],
        size_bytes=int(row[2]),
        cksum=int(row[3]),
        command_id=command_id,
        probe=probe,
        kind=CommandKind(kind),
        parser=parser.removeprefix("-"),
        tool_line=tool_line,
        stderr=row[0] == "stderr",
        interval_s=None if interval == "-" else float(interval),
    )


def render_script(plan: CapturePlan, language: str, host: str = "", leave_out: Collection[str] = ()) -> str:
    """
    Args:
        leave_out: trials of the plan that are not run this time.

    Raises:
        ValueError: the plan has several hosts and none is named.
    """
    if not host and len(plan.hosts) != 1:
        raise ValueError("a script is for one host")
    planned = next(one for one in plan.hosts if one.name == (host or plan.hosts[0].name))
    files = _stems(plan, planned.name)
    commands = [plan.command(command_id) for command_id in files]
    once = [command for command in commands if _runs_once(command)]
    house_or_once = [_call("at_once", command, files, plan) for command in once]
    beside = [
        _call("without_end" if command.probe == OVERHEAD_PROBE else "beside", command, files, plan)
        for command in commands
        if _runs_beside(command)
    ]
    words = {name: catalogue(language).text(f"remote.script.{name}") for name in _MESSAGES}
    values = {
        **{name.upper(): _shell_text(text) for name, text in words.items()},
        "NOTES": _notes(language, plan),
        "NONCE": plan.nonce,
        "DIGEST": plan.digest,
        "HOST": quote(planned.name, safe=""),
        "HOST_FILE": re.sub(r"[^A-Za-z0-9.-]", "_", planned.name),
        "HOST_NAMES": _shell_text(f"{planned.name} {planned.address}"),
        "DURATION": str(math.ceil(plan.duration_s)),
        "HOLD": str(math.ceil(plan.duration_s) + _CLOCK_STEP_S if any(map(_taken_twice, once)) else 0),
        "GRACE": str(_GRACE_S + math.ceil(plan.interval_s)),
        "NEEDED_KB": str(needed_bytes(plan, commands) // 1024),
        "PATH": SYSTEM_PATH,
        "BOOT": BOOT,
        "AT_START": "\n".join(house_or_once),
        "STREAMS": "\n".join(beside),
        "TRIAL_WORDS": TRIAL_WORDS,
        "TRIALS": _one_by_one(
            [
                f"{_call('at_once', one, files, plan)}; echo {files[one.id]} >trials.over"
                for one in commands
                if one.limit_s is not None and one.id not in leave_out
            ]
        ),
        "AT_END": "\n".join(call for call, command in zip(house_or_once, once, strict=True) if _also_at_end(command)),
        "PULLS": "\n".join(_copy(command, files) for command in commands if command.kind is CommandKind.PULL),
        "FILES": "\n".join(f"  {_file_call(command, files)}" for command in commands),
        "PLAN_END": f"END-OF-PLAN-{plan.nonce}",
        "PLAN": json.dumps(asdict(plan), sort_keys=True),
    }
    return re.sub(r"@([A-Z_]+)@", lambda found: values.get(found[1], found[0]), SCRIPT)


def last_over(log: str, plan: CapturePlan, host: str) -> str:
    """Command id of the last trial that a line of the running script's log tells to be over; "" for none."""
    match = _OVER.search(log)
    ids = {stem: command_id for command_id, stem in _stems(plan, host).items()}
    return ids.get(match[1], "") if match else ""


def _stems(plan: CapturePlan, host: str) -> dict[str, str]:
    """Command id -> the beginning of its files' names."""
    commands = [command for command in plan.on(host) if not command.probe.startswith(_NOT_IN_SCRIPT)]
    return {command.id: f"{number:04d}" for number, command in enumerate(commands, 1)}


def partial_manifest(plan: CapturePlan, host: str, state: str, files: Mapping[str, tuple[int, int]]) -> OfflineManifest:
    """The manifest of a script that ended before it wrote one.

    Args:
        state: why it did not.
        files: by name, POSIX checksum and size of what it left.
    """
    commands = {stem: plan.command(command_id) for command_id, stem in _stems(plan, host).items()}
    collected: list[OfflineFile] = []
    for name, (crc, size_bytes) in files.items():
        command = commands.get(name.partition(".")[0])
        if command is not None and name.endswith(_CAPTURED):
            collected.append(
                OfflineFile(
                    name,
                    size_bytes,
                    crc,
                    command.id,
                    command.probe,
                    command.kind,
                    command.parser,
                    command.interval_s,
                    command.tool_line,
                    stderr=name.endswith(".err"),
                )
            )
    return OfflineManifest(plan.digest, plan.nonce, host, "", "", "", state, (), tuple(collected), whole=False)


def _notes(language: str, plan: CapturePlan) -> str:
    text = catalogue(language).text("remote.script.notes", minutes=f"{plan.duration_s / 60:g}")
    return "\n".join(f"# {line}" for line in text.splitlines())


def _shell_text(text: str) -> str:
    """The text, escaped for the inside of double quotes."""
    return re.sub(r'([\\"$`])', r"\\\1", text)


def _runs_once(command: PlannedCommand) -> bool:
    return command.kind is CommandKind.ONCE or (command.kind is CommandKind.HOUSE and command.probe != OVERHEAD_PROBE)


def _runs_beside(command: PlannedCommand) -> bool:
    return command.kind in (CommandKind.STREAM, CommandKind.LOOP) or command.probe == OVERHEAD_PROBE


def _taken_twice(command: PlannedCommand) -> bool:
    """Whether it tells something of the run only by what it says at the approved end."""
    return command.kind is CommandKind.ONCE


def _also_at_end(command: PlannedCommand) -> bool:
    return _taken_twice(command) or command.probe == "house.clock"


def _call(function: str, command: PlannedCommand, files: dict[str, str], plan: CapturePlan) -> str:
    interval = _interval(command)
    if command.kind is CommandKind.LOOP:
        interval = str(max(1, round(command.interval_s or plan.interval_s)))  # the script keeps whole seconds
    blocks = limit_bytes(command, plan) // _BLOCK_BYTES if function != "at_once" else 0
    words = (
        f"{files[command.id]}.out",
        shlex.quote(marker_id(command.id)),
        interval,
        command.kind.value,
        str(command.count or 999999999),
        str(blocks),
        shlex.quote(evaluated(command.verbatim) if command.verbatim else command.tool_line),
        *(() if command.limit_s is None else (str(math.ceil(command.limit_s)),)),
    )
    return f"{function} {' '.join(words)}"


def _interval(command: PlannedCommand) -> str:
    return "-" if command.interval_s is None else f"{command.interval_s:g}"


def _one_by_one(calls: Sequence[str]) -> str:
    """Beside the streams, which end with the last of them."""
    if not calls:
        return ""
    lines = "\n".join(f"  {call}" for call in calls)
    return f'(\n{lines}\n  echo done >trials.done\n) &\nstarted="$started trials"'


def _copy(command: PlannedCommand, files: dict[str, str]) -> str:
    """Patterns of the shell stay patterns; everything else of the path is quoted."""
    pattern = "".join(
        part if part in ("*", "?") else shlex.quote(part) for part in re.split(r"([*?])", command.remote_path) if part
    )
    stem = files[command.id]
    copy = f'n=$((n+1)) && cat "$f" >{stem}.$n.raw && echo "$f" >{stem}.$n.path'
    return f'n=0; for f in {pattern}; do test -r "$f" && {copy}; done'


def _file_call(command: PlannedCommand, files: dict[str, str]) -> str:
    pulled = command.kind is CommandKind.PULL  # its path is told by the server; a blank stands in `_SAFE`
    tool_line = "cat " if pulled else command.tool_line
    facts = (command.id, command.probe, command.kind.value, command.parser or "-", _interval(command), tool_line)
    row = shlex.quote("\t".join(quote(fact, safe=_SAFE) for fact in facts))
    stem = files[command.id]
    if pulled:
        return f'for f in {stem}.*.raw; do file $f {row}"`cat ${{f%.raw}}.path 2>/dev/null`"; done'
    return f"file {stem}.out {row}"


def expected_bytes(command: PlannedCommand, plan: CapturePlan) -> float:
    rate = _UNKNOWN_BYTES_PER_S if command.bytes_per_s is None else command.bytes_per_s
    return rate * plan.duration_s


def limit_bytes(command: PlannedCommand, plan: CapturePlan) -> int:
    """The size at which the file of a command is ended."""
    return max(_SMALLEST_LIMIT_BYTES, math.ceil(_LIMIT_FACTOR * expected_bytes(command, plan)))


def needed_bytes(plan: CapturePlan, commands: Sequence[PlannedCommand]) -> int:
    """Free space that the script asks for: twice what is expected, for the files and their archive."""
    expected = sum(expected_bytes(command, plan) for command in commands if _runs_beside(command))
    return math.ceil(2 * expected) + (8 << 20)
