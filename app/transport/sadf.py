"""Binary files of Linux sar (``sa21``, ``sa20260121``), read through this machine's own `sadf`.

What the files are:

    96 d5 75 21 0c 06 01 00 ...     0xd596, format word 0x2175, then the sysstat that wrote it: 12.6.1
    d5 96 21 75 0b 05 05 00 ...     the same, written by a big-endian machine
    ... 69 21 at byte 36            sysstat 5 to 7 (RHEL 4 and 5), which had no mark at the beginning

The layout changes from version to version, and only sysstat knows them all, so no byte of the measurements is
read here: `sadf -j` prints them. Of its forms JSON is the one taken: its samples are written in one pass over the file
(-d and -p read the file again for each of 40 activities), it says in each stamp whether it is UTC, it has the
host, the kernel, the restarts and the remarks, and it is a fifth smaller than XML.

sysstat 11.7.2 and later convert the two formats before their own (``sadf -c``), so that files since 9.1.6 can be
read; older ones only by the sysstat of the server itself. What `sadf` says goes to its standard error, also
where it ends with 0: ``End of system activity file unexpected`` is a file that was cut off.
"""

from __future__ import annotations

import os
import re
import select
import shutil
import struct
import subprocess
import tempfile
from collections.abc import Generator, Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import IO

from app.core.errors import UserError

PIECE_BYTES = 1 << 20
STALL_S = 60.0
"""`sadf` that prints nothing for so long has failed."""
_ANSWER_S = 10.0
_JSON = ("-j", "-C")
_MOST_REASON = 300
_PRIVATE = "tunebench-sa-"
_PRIVATE_COPY = re.compile(rf"\S*/{_PRIVATE}\w+/\w+")
"""What `sadf` calls a file that it was given a copy of."""
_MOST_ERROR_BYTES = 8 << 10
_MARK = 0xD596
_HEADER_BYTES = 8
_FORMATS = {
    0x1170: ("9.0.4", "9.0.4"),
    0x2170: ("8.1.3", "9.1.5"),
    0x2171: ("9.1.6", "10.2.1"),
    0x2173: ("10.3.1", "11.6.6"),
    0x2175: ("11.7.1", "99"),
}
"""Format word -> first and last sysstat that writes it; 0x1170 is a form of its own in RHEL 6."""
_OLD_FORMATS = range(0x2162, 0x2170)
_OLD_PLACES = (36, 40)
_OLD_VERSIONS = ("4.1.6", "8.1.2")
_CONVERTIBLE = frozenset({0x2171, 0x2173})
_CONVERTS_SINCE = (11, 7, 2)
_JSON_SINCE = (10, 1, 0)
_VERSION = re.compile(r"sysstat version (\d+(?:\.\d+)+)")
_CUT_OFF = "End of system activity file unexpected"

Version = tuple[int, ...]


class Reading(StrEnum):
    """How a `sadf` reads a file."""

    DIRECT = "direct"
    CONVERTED = "converted"
    NONE = "none"


@dataclass(frozen=True, slots=True)
class SaFormat:
    """What the first bytes of a binary sar file say.

    Attributes:
        word: the format word, such as 0x2175.
        big_endian: byte order of the machine that wrote it.
        version: the sysstat that wrote it, such as ``12.6.1``; ``4.1.6-8.1.2`` where only the range is known.
    """

    word: int
    big_endian: bool
    version: str

    @property
    def can_print_json(self) -> bool:
        """Whether the server's own `sadf` has -j."""
        return self.word not in _OLD_FORMATS and _version_of(self.version) >= _JSON_SINCE


@dataclass(frozen=True, slots=True)
class SadfProgram:
    """A `sadf` of this machine."""

    path: Path
    version: str


def sa_format(head: bytes) -> SaFormat | None:
    """What binary sar file begins with `head` (some 300 bytes will do); None where it is none."""
    if len(head) < _HEADER_BYTES:
        return None
    for big_endian, order in ((False, "<"), (True, ">")):
        mark, word = struct.unpack_from(f"{order}HH", head)
        if mark == _MARK:
            return SaFormat(word, big_endian, _version_in(head))
        for place in _OLD_PLACES:
            if _is_old(head, place, order):
                (word,) = struct.unpack_from(f"{order}H", head, place)
                return SaFormat(word, big_endian, "-".join(_OLD_VERSIONS))
    return None


def _version_in(head: bytes) -> str:
    version, patch, sub, extra = head[4:8]
    text = f"{version}.{patch}.{sub}"
    return f"{text}.{extra}" if extra else text


def _is_old(head: bytes, place: int, order: str) -> bool:
    """The old header: counts of small numbers, the format word, then the system's name."""
    if len(head) < place + 8:
        return False
    (word,) = struct.unpack_from(f"{order}H", head, place)
    return word in _OLD_FORMATS and b"Linux\0" in head[place + 4 : place + 16]


def machine_sadf() -> SadfProgram | None:
    """The `sadf` found in PATH; None where there is none that prints JSON."""
    found = shutil.which("sadf")
    if found is None:
        return None
    path = Path(found).resolve()
    try:
        answer = subprocess.run(
            [str(path), "-V"],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=_ANSWER_S,
            env=_environment(),
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    version = _VERSION.search((answer.stdout + answer.stderr).decode("utf-8", "replace"))
    if version is None or _version_of(version[1]) < _JSON_SINCE:
        return None
    return SadfProgram(path, version[1])


def can_read(file: SaFormat, program: SadfProgram | None) -> Reading:
    """How `program` reads a file of this format."""
    if program is None:
        return Reading.NONE
    own = _version_of(program.version)
    first, last = (_version_of(version) for version in _FORMATS.get(file.word, ("99", "0")))
    if first <= own <= last:
        return Reading.DIRECT
    if file.word in _CONVERTIBLE and own >= _CONVERTS_SINCE:
        return Reading.CONVERTED
    return Reading.NONE


def command_for_server(file: SaFormat, name: str) -> str:
    """The command whose output the customer should send instead; it is run where `sadf` fits the file."""
    output = Path(name).name or "sa"
    if file.can_print_json:
        return f"LC_ALL=C sadf -j {output} -- -A > {output}.json"
    return f"LC_ALL=C sar -A -f {output} > {output}.txt"


def refusal(file: SaFormat, name: str, program: SadfProgram | None) -> UserError:
    """The sentence for a file that this machine cannot read: who wrote it and what to ask the customer for."""
    facts = {"path": name, "version": file.version, "command": command_for_server(file, name)}
    if program is None:
        return UserError("sa_without_sadf", **facts)
    return UserError("sa_other_version", program=program.version, **facts)


def nothing_printed(file: SaFormat, name: str, program: SadfProgram | None) -> UserError:
    """The sentence for a file of which this machine's `sadf` printed no measurement."""
    own = program.version if program else "-"
    return UserError(
        "sa_without_data", path=name, version=file.version, program=own, command=command_for_server(file, name)
    )


class Conversion:
    """The JSON text of one binary file, in pieces; one pass.

    Iterating raises `UserError` (``sa_without_sadf``, ``sa_other_version``, ``sa_unreadable``, ``sa_stalled``).
    Leaving the iteration early, or `close`, ends `sadf` and removes what was copied.

    Attributes (valid after the last piece):
        messages: what `sadf` had to say, each line once (it repeats itself for every pass).
        exit_status: its exit status; 0 also where the file was cut off.
    """

    def __init__(
        self, source: Path | Iterable[bytes], file: SaFormat, program: SadfProgram | None, name: str, stall_s: float
    ) -> None:
        self.messages = ""
        self.exit_status = 0
        self._source = source
        self._file = file
        self._program = program
        self._name = name
        self._stall_s = stall_s
        self._pieces = self._converted()

    @property
    def truncated(self) -> bool:
        """Whether the file ends in the middle of a record, or `sadf` crashed in it; all before it was printed."""
        return _CUT_OFF in self.messages or self._crashed

    def __iter__(self) -> Iterator[bytes]:
        return self._pieces

    def close(self) -> None:
        self._pieces.close()

    @property
    def _crashed(self) -> bool:
        """A file of another sysstat is what a `sadf` crashes on; there is nothing wrong with the file."""
        return self.exit_status < 0

    def _converted(self) -> Generator[bytes]:
        reading = can_read(self._file, self._program)
        if self._program is None or reading is Reading.NONE:
            raise refusal(self._file, self._name, self._program)
        with tempfile.TemporaryDirectory(prefix=_PRIVATE) as folder:
            path = self._source if isinstance(self._source, Path) else _copied(self._source, Path(folder, "sa"))
            if reading is Reading.CONVERTED:
                path = self._brought_up(path, Path(folder, "converted"))
            printed = 0
            for piece in self._run([*_JSON, str(path.resolve()), "--", "-A"]):
                printed += len(piece)
                yield piece
            if not printed and self._crashed:
                raise refusal(self._file, self._name, self._program)
            if not printed:
                raise self._failure("sa_unreadable")

    def _brought_up(self, path: Path, target: Path) -> Path:
        """The file in the format of this machine's sysstat."""
        with target.open("wb") as file:
            for piece in self._run(["-c", str(path.resolve())]):
                file.write(piece)
        if self._crashed:
            raise refusal(self._file, self._name, self._program)
        if not target.stat().st_size:
            raise self._failure("sa_unreadable")
        return target

    def _run(self, arguments: list[str]) -> Generator[bytes]:
        """What `sadf` prints with these arguments."""
        assert self._program is not None
        with tempfile.TemporaryFile() as errors:
            process = subprocess.Popen(
                [str(self._program.path), *arguments],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=errors,
                env=_environment(),
            )
            try:
                assert process.stdout is not None
                yield from self._read(process.stdout)
                process.wait(self._stall_s)
            except subprocess.TimeoutExpired as error:
                raise self._failure("sa_stalled") from error
            finally:
                self.exit_status = _ended(process)
                self.messages = "\n".join(dict.fromkeys([*self.messages.splitlines(), *_lines_of(errors)]))

    def _read(self, output: IO[bytes]) -> Generator[bytes]:
        number = output.fileno()
        waiting = select.poll()
        waiting.register(number, select.POLLIN | select.POLLHUP)
        while True:
            if not waiting.poll(self._stall_s * 1000):
                raise self._failure("sa_stalled")
            piece = os.read(number, PIECE_BYTES)
            if not piece:
                return
            yield piece

    def _failure(self, key: str) -> UserError:
        name = Path(self._name).name
        said = _PRIVATE_COPY.sub(lambda _: name, " ".join(self.messages.split()))[:_MOST_REASON] or "-"
        command = command_for_server(self._file, self._name)
        return UserError(key, path=self._name, version=self._file.version, reason=said, command=command)


def convert(
    source: Path | Iterable[bytes],
    file: SaFormat,
    program: SadfProgram | None,
    name: str = "",
    stall_s: float = STALL_S,
) -> Conversion:
    """Prints a binary file as ``sadf -j`` does: every activity, all processors and devices, stamps in UTC.

    Args:
        source: the file, or its bytes where it is part of an archive (copied to a private folder meanwhile).
        file: what `sa_format` made of its head.
        program: what `machine_sadf` found.
        name: what the user knows the file as; the sentences name it.
    """
    return Conversion(source, file, program, name or (source.name if isinstance(source, Path) else "sa"), stall_s)


def _copied(pieces: Iterable[bytes], target: Path) -> Path:
    with target.open("wb") as file:
        for piece in pieces:
            file.write(piece)
    return target


def _ended(process: subprocess.Popen[bytes]) -> int:
    """Its exit status; it is killed where it still runs."""
    if process.stdout is not None:
        process.stdout.close()
    if process.poll() is None:
        process.kill()
    return process.wait()


def _lines_of(errors: IO[bytes]) -> list[str]:
    errors.seek(0)
    lines = errors.read(_MOST_ERROR_BYTES).decode("utf-8", "replace").splitlines()
    return [line.strip() for line in lines if line.strip()]


def _environment() -> dict[str, str]:
    """Neither the user's language nor his sysstat settings may change what is printed."""
    return {"PATH": os.environ.get("PATH", os.defpath), "LC_ALL": "C", "TZ": "UTC"}


def _version_of(text: str) -> Version:
    """``12.6.1`` as numbers; of a range its end."""
    return tuple(int(part) for part in re.findall(r"\d+", text.rpartition("-")[2]))
