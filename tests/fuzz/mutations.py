"""What happens to captures on their way: cut, pasted, re-encoded, mangled by terminals and editors."""

from __future__ import annotations

import codecs
import random
import re
from collections.abc import Callable

Mutation = Callable[[bytes, random.Random], bytes]


def truncate(data: bytes, chance: random.Random) -> bytes:
    return data[: chance.randrange(len(data) + 1)]


def behead(data: bytes, chance: random.Random) -> bytes:
    return data[chance.randrange(len(data) + 1) :]


def drop_lines(data: bytes, chance: random.Random) -> bytes:
    return b"\n".join(line for line in data.split(b"\n") if chance.random() > 0.1)


def double_lines(data: bytes, chance: random.Random) -> bytes:
    return b"\n".join(line for line in data.split(b"\n") for _ in range(2 if chance.random() < 0.1 else 1))


def swap_lines(data: bytes, chance: random.Random) -> bytes:
    lines = data.split(b"\n")
    for _ in range(1 + len(lines) // 20):
        one, other = chance.randrange(len(lines)), chance.randrange(len(lines))
        lines[one], lines[other] = lines[other], lines[one]
    return b"\n".join(lines)


def repeat(data: bytes, chance: random.Random) -> bytes:
    start, end = sorted((chance.randrange(len(data) + 1), chance.randrange(len(data) + 1)))
    return data[:end] + data[start:end] * chance.randrange(1, 4) + data[end:]


def swap_columns(data: bytes, chance: random.Random) -> bytes:
    """Two words change places in some lines, headings among them."""
    lines = data.split(b"\n")
    for index, line in enumerate(lines):
        words = line.split(b" ")
        if len(words) > 2 and chance.random() < 0.2:
            one, other = chance.randrange(len(words)), chance.randrange(len(words))
            words[one], words[other] = words[other], words[one]
            lines[index] = b" ".join(words)
    return b"\n".join(lines)


def flip_bytes(data: bytes, chance: random.Random) -> bytes:
    mangled = bytearray(data)
    for _ in range(1 + len(mangled) // 200):
        if mangled:
            mangled[chance.randrange(len(mangled))] = chance.randrange(256)
    return bytes(mangled)


def noise(data: bytes, chance: random.Random) -> bytes:
    """Words of the shell, of the kernel and of nobody between the lines."""
    words = (
        b"-bash: line 1: x: command not found",
        b"\0" * 40,
        b"\x1b[0m\x1b[K",
        "연결이 끊어졌습니다".encode("cp949"),
        b"Killed",
        b"9" * 400,
        b"1e309 nan inf -1",
        b"Linux 6.1.0 (other) \t11/21/26 \t_x86_64_\t(2 CPU)",
        b"zzz ***Wed Feb 29 11:01:52 EST 2012",
        b"99:99:99 PM all",
        b"2026-13-45T25:61:61+9999",
        b"x" * 70_000,
    )
    lines = data.split(b"\n")
    for _ in range(chance.randrange(1, 6)):
        lines.insert(chance.randrange(len(lines) + 1), chance.choice(words))
    return b"\n".join(lines)


def other_numbers(data: bytes, chance: random.Random) -> bytes:
    """Some numbers become what no tool should print."""
    odd = (
        b"-1",
        b"18446744073709551615",
        b"1e400",
        b"nan",
        b"-",
        b"",
        b"0x1f",
        b"1,5",
        b"99999999999999999999999",
        b"1_0",
    )

    def other(found: re.Match[bytes]) -> bytes:
        return chance.choice(odd) if chance.random() < 0.02 else found[0]

    return re.sub(rb"\d+(?:\.\d+)?", other, data)


def decimal_commas(data: bytes, chance: random.Random) -> bytes:
    return re.sub(rb"(\d)\.(\d)", rb"\1,\2", data)


def carriage_returns(data: bytes, chance: random.Random) -> bytes:
    return data.replace(b"\n", chance.choice((b"\r\n", b"\r", b"\n\r")))


def utf16(data: bytes, chance: random.Random) -> bytes:
    text = data.decode("utf-8", "replace")
    mark, form = chance.choice(((codecs.BOM_UTF16_LE, "utf-16-le"), (codecs.BOM_UTF16_BE, "utf-16-be")))
    return mark + text.encode(form)


def utf8_mark(data: bytes, chance: random.Random) -> bytes:
    return codecs.BOM_UTF8 + data


def korean(data: bytes, chance: random.Random) -> bytes:
    return data.decode("utf-8", "replace").encode(chance.choice(("cp949", "euc-kr")), "replace")


def tabs(data: bytes, chance: random.Random) -> bytes:
    return re.sub(rb"  +", b"\t", data)


def here_and_there(data: bytes, chance: random.Random) -> bytes:
    """One line in twenty is left out, cut, doubled, wider or followed by another: most stretches stay whole."""
    lines = data.split(b"\n")
    return b"\n".join(one for line in lines for one in _befallen(line, lines, chance))


def _befallen(line: bytes, lines: list[bytes], chance: random.Random) -> tuple[bytes, ...]:
    fate = chance.randrange(120)
    if fate == 0:
        return ()
    if fate == 1:
        return (line[: chance.randrange(len(line) + 1)],)
    if fate == 2:
        return (line.replace(b" ", b"  ", 1),)
    if fate == 3:
        return (re.sub(rb"\d+", rb"\g<0>123", line, count=chance.randrange(1, 4)),)
    if fate == 4:
        return line, chance.choice((b"", b" ", b"garbage", b"\0\1", b"-bash: x: not found", b" 1.00 2.00", line))
    return (chance.choice(lines),) if fate == 5 else (line,)


_CLOCK = re.compile(rb"(?<![\d:])([012]\d):([0-5]\d):([0-5]\d)(?![\d:])")


def went_on(data: bytes, size: int, chance: random.Random) -> bytes:
    """As if the tool had not been stopped: part of the capture again and again, the clocks running on; `size` bytes."""
    lines = data.splitlines(keepends=True)
    start, end = _period(lines, chance)
    before, part, after = (b"".join(some) for some in (lines[:end], lines[start:end], lines[end:]))
    clocks = [_seconds(found) for found in _CLOCK.finditer(part)]
    span_s = (clocks[-1] - clocks[0]) % 86_400 + chance.randrange(1, 3) if clocks else 0
    times = max(size - len(data), 0) // max(len(part), 1)
    more = (_later(part, turn * span_s) for turn in range(1, times + 1))
    return b"".join([before, *more, after])[:size]


def _later(part: bytes, later_s: int) -> bytes:
    """With every clock of it `later_s` later."""
    return _CLOCK.sub(lambda found: _clock(_seconds(found) + later_s), part)


def _period(lines: list[bytes], chance: random.Random) -> tuple[int, int]:
    """Two lines that look alike but for their digits, so that the first may follow what stands before the second."""
    alike: dict[bytes, list[int]] = {}
    for index, line in enumerate(lines):
        alike.setdefault(re.sub(rb"[\d ]+", b"0", line), []).append(index)
    several = [places for places in alike.values() if len(places) > 1]
    if not several:
        return 0, len(lines)
    start, end = sorted(chance.sample(chance.choice(several), 2))
    return start, end


def _seconds(clock: re.Match[bytes]) -> int:
    return int(clock[1]) * 3600 + int(clock[2]) * 60 + int(clock[3])


def _clock(seconds: int) -> bytes:
    return b"%02d:%02d:%02d" % (seconds // 3600 % 24, seconds // 60 % 60, seconds % 60)


MUTATIONS: tuple[Mutation, ...] = (
    truncate,
    behead,
    drop_lines,
    double_lines,
    swap_lines,
    repeat,
    swap_columns,
    flip_bytes,
    noise,
    other_numbers,
    decimal_commas,
    carriage_returns,
    utf16,
    utf8_mark,
    korean,
    tabs,
)


def splice(data: bytes, other: bytes, chance: random.Random) -> bytes:
    """The beginning of one capture and the end of another."""
    return truncate(data, chance) + behead(other, chance)


def mutate(data: bytes, other: bytes, seed: int) -> bytes:
    """One to three things happen to a capture."""
    chance = random.Random(seed)
    if chance.random() < 0.15:
        data = splice(data, other, chance)
    for mutation in chance.choices(MUTATIONS, k=chance.randrange(1, 4)):
        data = mutation(data, chance)
    return data
