"""What the wrapped line looks like; how it behaves is tested against a server."""

from __future__ import annotations

import shlex
from typing import Any

import pytest

from tunebench.capture.wrapper import evaluated, quoted, stop_by_hand, wrap
from tunebench.domain.capturing.plan import CommandKind, Rights

OSES = ("linux", "sunos", "aix", "hp-ux", "freebsd", "")


def wrapped(line: str = "vmstat 1 60", **changes: Any) -> str:
    facts: dict[str, Any] = {
        "command_id": "운영 db/linux.vmstat",
        "nonce": "1a2b3c4d",
        "os": "linux",
        "kind": CommandKind.STREAM,
    }
    return wrap(line, **{**facts, **changes})


@pytest.mark.parametrize("os", OSES)
@pytest.mark.parametrize("kind", list(CommandKind))
def test_it_is_one_line_of_ascii_that_csh_leaves_alone(os: str, kind: CommandKind) -> None:
    line = wrapped("find / ! -name 'x'", os=os, kind=kind, interval_s=5, count=3)
    assert line.isascii()
    assert "\n" not in line
    assert "!" not in line.replace("\\!", "")
    assert line.startswith("exec env TUNEBENCH=cap1a2b3c4d nice -n 5 sh -c ")


@pytest.mark.parametrize("os", OSES)
def test_no_word_of_it_is_too_long_for_an_old_csh(os: str) -> None:
    """1024 bytes; a loop is longer by its own lines."""
    assert all(len(word) < 1100 for word in shlex.split(wrapped(os=os)))


def test_its_own_text_holds_no_marker() -> None:
    """The list of processes may be what is captured; it shows this very line."""
    line = wrapped(kind=CommandKind.LOOP, interval_s=1)
    assert "@tunebench 1a2b3c4d" not in line
    assert "begin id=%s" in line


def test_the_mark_stands_where_a_short_list_of_processes_still_shows_it() -> None:
    """Solaris shows 80 characters of the arguments, HP-UX 64."""
    script = shlex.split(wrapped())[8]
    assert script.startswith(": cap1a2b3c4d;")


def test_the_tool_line_comes_out_as_it_went_in() -> None:
    line = "awk '{print \"it'\\''s\", $1!=2}' /etc/passwd; echo \"$HOME\" `id`"
    assert evaluated(wrapped(line)) == line
    assert evaluated(wrapped(line, os="sunos", environment={"LC_ALL": "C", "X": "a b"})) == (
        f"export LC_ALL=C X='a b';{line}"
    )
    assert evaluated(wrapped("iostat", rights=Rights.SUDO)) == "sudo -n iostat"


def test_an_unsafe_tool_line_is_refused() -> None:
    for line in ("vmstat\nrm", "vmstat\t1", "a\x00b"):
        with pytest.raises(ValueError, match="control character"):
            wrapped(line)
    with pytest.raises(ValueError, match="interval"):
        wrapped(kind=CommandKind.LOOP)


def test_no_niceness_is_none() -> None:
    assert "nice" not in wrapped(nice=0)


def test_systems_with_a_bourne_shell_look_for_a_better_one() -> None:
    assert "/usr/xpg4/bin/sh" in wrapped(os="sunos")
    assert "/usr/xpg4/bin/sh;do" not in wrapped(os="linux")


def test_quoting() -> None:
    assert quoted("vmstat") == "vmstat"
    assert quoted("it's!") == "'it'\\''s'\\!''"
    assert shlex.split(quoted("a'b!c d")) == ["a'b!c d"]


def test_stopping_by_hand_does_not_find_itself() -> None:
    line = stop_by_hand("1a2b3c4d", "linux")
    assert "cap1a2b3c4d" not in line.replace("[c]ap1a2b3c4d", "")
    assert "UNIX95= ps" in stop_by_hand("1a2b3c4d", "hp-ux")
