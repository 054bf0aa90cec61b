"""What a host said of itself when `house_commands.survey_line` asked it, and why one that refused did so."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import field
from datetime import datetime
from enum import StrEnum

from tunebench.capture.frames import read_utc
from tunebench.core.patterns import lazy_pattern
from tunebench.core.records import record
from tunebench.domain.engagement import Host
from tunebench.store import hosts
from tunebench.store.project import Project
from tunebench.transport.ssh.link import Finished

_MARK = "@survey "
_OS_WORDS = {"linux": "linux", "sunos": "sunos", "aix": "aix", "hp-ux": "hp-ux", "freebsd": "freebsd"}
_LIMIT_BLOCK_BYTES = 512  # unit of ulimit -f in POSIX shells
_QUARTER_S = 900


@record
class HostSurvey:
    """Facts of a host; empty, None or 0 where the host did not say.

    Attributes:
        os: word of `HostProfile.os`; the name as it stands where it is none of those.
        shell: what ran our script; `login_shell` is the account's.
        tools: name to path.
        zone: IANA name where the host names one, else the abbreviation.
        own_group: our command leads a process group of its own, so that it may signal the group. True where the host
            could not say: every sshd gives each command a session of its own.
        kills_user_processes: systemd-logind ends what outlives a login; None where not known or no systemd.
        max_file_bytes: limit of the size of a file that the account may write; None: no limit known.
        complete: the survey ran to its end.
    """

    hostname: str = ""
    os: str = ""
    os_version: str = ""
    kernel: str = ""
    cpu_count: int | None = None
    shell: str = ""
    path: str = ""
    tools: Mapping[str, str] = field(default_factory=dict)
    zone: str = ""
    utc_offset_s: int | None = None
    boot_id: str = ""
    own_group: bool = False
    has_perl: bool = False
    free_tmp_bytes: int | None = None
    login_shell: str = ""
    kills_user_processes: bool | None = None
    max_file_bytes: int | None = None
    max_open_files: int | None = None
    locale: str = ""
    machine: str = ""
    complete: bool = False


class Refusal(StrEnum):
    """Why an account runs no command of ours."""

    RESTRICTED = "restricted"
    NO_LOGIN = "no_login"
    NO_SHELL = "no_shell"


_REFUSALS = (
    (Refusal.RESTRICTED, lazy_pattern(rb"restricted|not allowed|cannot specify", re.IGNORECASE)),
    (Refusal.NO_LOGIN, lazy_pattern(rb"not available|nologin|administratively|disabled", re.IGNORECASE)),
)


def recognise_refusal(finished: Finished) -> Refusal | None:
    """The cause where the login shell would not have our script; None where it ran."""
    if _MARK.encode() in finished.stdout or b"@tunebench " in finished.stdout:
        return None
    output = finished.stdout + b"\n" + finished.stderr
    return next((refusal for refusal, words in _REFUSALS if words.search(output)), Refusal.NO_SHELL)


def read_answers(stdout: bytes) -> dict[str, str]:
    """The marked ``name=value`` lines; noise between them, and without a newline in front of one, is passed over."""
    answers: dict[str, str] = {}
    for line in stdout.decode("utf-8", "replace").splitlines():
        _, mark, rest = line.partition(_MARK)
        name, equals, value = rest.partition("=")
        if mark and equals and re.fullmatch(r"[\w.+-]+", name):
            answers[name] = value.strip()
    return answers


def read_survey(stdout: bytes) -> HostSurvey:
    """The survey that a host's answers make; what is missing stays empty."""
    answers = read_answers(stdout)
    system = answers.get("os", "").lower()
    return HostSurvey(
        hostname=answers.get("hostname", ""),
        os=_OS_WORDS.get(system, system),
        os_version=answers.get("os_release", "").strip('"') or _version(system, answers),
        kernel=answers.get("release", ""),
        cpu_count=_number(answers.get("cpus", "")),
        shell=answers.get("shell", ""),
        path=answers.get("path", ""),
        tools={name.removeprefix("tool."): path for name, path in answers.items() if name.startswith("tool.")},
        zone=zone_of(answers),
        utc_offset_s=utc_offset_s(answers),
        boot_id=answers.get("boot", ""),
        own_group=answers.get("group") != "other",
        has_perl=bool(answers.get("perl")),
        free_tmp_bytes=free_bytes(answers.get("tmp_kb", "")),
        login_shell=answers.get("login_shell", ""),
        kills_user_processes=_kills(answers),
        max_file_bytes=_limit(answers.get("file_limit", ""), _LIMIT_BLOCK_BYTES),
        max_open_files=_limit(answers.get("open_limit", ""), 1),
        locale=answers.get("lang", ""),
        machine=answers.get("machine", ""),
        complete="end" in answers,
    )


def surveyed_host(project: Project, name: str, os: str, os_version: str, zone: str) -> Host:
    """The host in the project with what its survey said; what the user said before stays."""
    host = hosts.ensure_host(project, name, os, os_version)
    if zone and not host.zone:
        hosts.set_host_zone(project, host.id, zone, "host")
        host = hosts.ensure_host(project, name)
    return host


def _version(system: str, answers: Mapping[str, str]) -> str:
    """AIX tells its version and release apart: ``uname -v`` 7, ``uname -r`` 2."""
    release = answers.get("release", "")
    return f"{answers.get('version', '')}.{release}" if system == "aix" else release


def zone_of(answers: Mapping[str, str]) -> str:
    """The IANA name: TZ first, as the tools themselves look, then the files; else the abbreviation."""
    link = answers.get("localtime", "").rpartition(" -> ")[2]
    places = (
        answers.get("tz", "").lstrip(":"),
        link.rpartition("zoneinfo/")[2] if "zoneinfo/" in link else "",
        answers.get("timezone", ""),
        answers.get("tzfile", "").partition("=")[2].strip("\"' "),
    )
    names = [candidate for candidate in places if re.fullmatch(r"[A-Za-z_]+(?:/[A-Za-z0-9_+-]+)+|UTC", candidate)]
    return names[0] if names else answers.get("zone", "")


def utc_offset_s(answers: Mapping[str, str]) -> int | None:
    """Offset of local time to UTC in seconds, to the quarter of an hour; None where either was not told."""
    utc_ns = moment_ns(answers.get("utc", ""))
    try:
        local = datetime.fromisoformat(answers.get("local", "") + "+00:00")
    except ValueError:
        return None
    return None if utc_ns is None else round((local.timestamp() - utc_ns / 1e9) / _QUARTER_S) * _QUARTER_S


def moment_ns(text: str) -> int | None:
    """UTC ns of an ISO time or of seconds since 1970 (``1795262563.123456``)."""
    if re.fullmatch(r"\d{9,11}(\.\d+)?", text):
        whole, _, fraction = text.partition(".")
        return int(whole) * 1_000_000_000 + int(fraction[:9].ljust(9, "0"))
    return read_utc(text)


def _kills(answers: Mapping[str, str]) -> bool | None:
    text = answers.get("kills", "").lower()
    if not text or answers.get("linger"):
        return False if answers.get("linger") else None
    return bool(re.search(r"\b(true|yes|1|on)\b", text))


def free_bytes(line: str) -> int | None:
    """The fourth figure of ``df -k``: file system, total, used, available."""
    fields = line.split()
    free = _number(fields[3]) if len(fields) >= 5 else None
    return None if free is None else free * 1024


def _number(text: str) -> int | None:
    return int(text) if text.strip().isdigit() else None


def _limit(text: str, unit: int) -> int | None:
    number = _number(text)
    return None if number is None else number * unit
