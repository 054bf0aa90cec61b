"""The user's ssh configuration for one host, as lists of values by lower-case option name.

``ssh -G`` is asked where there is an ssh: its semantics are exact, ``Include`` and ``Match`` included. Without one,
paramiko's reader is used, made tolerant: it refuses a whole file for one broken line, does not follow ``Include``,
and would run the commands of ``Match exec``.
"""

from __future__ import annotations

import glob
import logging
import os
import shlex
import shutil
import subprocess
from collections.abc import Iterator, Mapping
from pathlib import Path

from tunebench.core.patterns import lazy_pattern
from tunebench.core.records import record

DEADLINE_S = 5.0
_DEEPEST_INCLUDE = 16  # as in OpenSSH
_NEVER = "Host !*"
_LINE = lazy_pattern(r"^\s*(\w+)(?:\s*=\s*|\s+)(.+?)\s*$")
_BARE_CRITERIA = {"all", "canonical", "final"}
_CRITERIA_WITH_PATTERN = {"host", "originalhost", "user", "localuser"}
_LISTS_OF_FILES = {"userknownhostsfile", "globalknownhostsfile"}
_log = logging.getLogger(__name__)

Options = Mapping[str, tuple[str, ...]]


@record
class HostConfig:
    """What the configuration says of a host; only what differs from ssh's own defaults is in `options`.

    Attributes:
        defaults: what ssh would do without any configuration; empty where no ssh could be asked.
    """

    options: Options
    defaults: Options

    def first(self, option: str) -> str:
        values = self.options.get(option, ())
        return values[0] if values and values[0].lower() != "none" else ""


NOTHING = HostConfig({}, {})


def read_host_config(alias: str, user: str = "", port: int = 0, config: Path | None = None) -> HostConfig:
    """What applies to `alias`; never raises and never asks anybody.

    Args:
        config: instead of ``~/.ssh/config`` (and without the system's).
    """
    binary = shutil.which("ssh")
    if binary:
        words = [*(["-l", user] if user else []), *(["-p", str(port)] if port else [])]
        configured = _ask_ssh([binary, "-G", *(["-F", str(config)] if config else []), *words, "--", alias])
        plain = _ask_ssh([binary, "-G", "-F", os.devnull, *words, "--", alias])
        if configured and plain:
            changed = {option: values for option, values in configured.items() if plain.get(option) != values}
            return HostConfig(changed, plain)
    return HostConfig(read_with_paramiko(alias, config or Path.home() / ".ssh" / "config"), {})


def _ask_ssh(command: list[str]) -> dict[str, tuple[str, ...]]:
    """Empty where ssh refuses the configuration or does not answer (a ``Match exec`` may hang)."""
    try:
        completed = subprocess.run(
            command,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=DEADLINE_S,
            check=False,
            start_new_session=os.name == "posix",
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        _log.info("ssh -G did not answer: %s", type(error).__name__)
        return {}
    if completed.returncode != 0:
        _log.info("ssh -G refused the configuration: %s", completed.stderr.decode("utf-8", "replace").strip())
        return {}
    return _parse(completed.stdout.decode("utf-8", "replace"))


def _parse(text: str) -> dict[str, tuple[str, ...]]:
    options: dict[str, tuple[str, ...]] = {}
    for line in text.splitlines():
        option, _, value = line.partition(" ")
        values = tuple(value.split()) if option in _LISTS_OF_FILES else (value.strip(),)
        options[option] = options.get(option, ()) + values
    return options


def read_with_paramiko(alias: str, config: Path) -> Options:
    """`alias` looked up in the usable lines of `config`."""
    from paramiko import SSHConfig

    entry = SSHConfig.from_text("\n".join(usable_lines(config))).lookup(alias)
    options = {name: tuple(value) if isinstance(value, list) else (str(value),) for name, value in entry.items()}
    for name in _LISTS_OF_FILES & options.keys():
        options[name] = tuple(shlex.split(" ".join(options[name])))
    if options.get("hostname") == (alias,):
        del options["hostname"]
    return options


def usable_lines(config: Path, depth: int = 0) -> Iterator[str]:
    """The lines paramiko can read, includes in their place; a block it cannot judge is made to match nothing."""
    try:
        text = config.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return
    for line in text.splitlines():
        match = _LINE.match(line)
        if not match or line.lstrip().startswith("#"):
            continue
        option, value = match[1].lower(), match[2]
        if option == "include":
            yield from _included(value, config.parent, depth)
        elif option in {"host", "match"}:
            yield line if _understood(option, value, line) else _NEVER
        else:
            yield line


def _included(value: str, folder: Path, depth: int) -> Iterator[str]:
    if depth >= _DEEPEST_INCLUDE:
        return
    for pattern in value.split():
        # Relative names are looked up beside the configuration, as ssh does below ~/.ssh.
        location = folder / Path(pattern.strip('"')).expanduser()
        for path in sorted(glob.glob(str(location))):  # noqa: PTH207 - the pattern may be absolute
            yield from usable_lines(Path(path), depth + 1)


def _understood(option: str, value: str, line: str) -> bool:
    """Paramiko takes a criterion it does not know for one that matches."""
    from paramiko import ConfigParseError, SSHConfig

    try:
        if option == "match" and not _known_criteria(shlex.split(value.lower())):
            return False
        SSHConfig.from_text(line)
    except (ConfigParseError, ValueError):
        return False
    return True


def _known_criteria(words: list[str]) -> bool:
    """`exec` is none of them: nothing is run for a look at the configuration."""
    rest = iter(words)
    for word in rest:
        criterion = word.removeprefix("!")
        if criterion in _CRITERIA_WITH_PATTERN:
            next(rest, None)
        elif criterion not in _BARE_CRITERIA:
            return False
    return True
