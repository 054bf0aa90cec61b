"""The tool's bytes come out of a framed stream exactly, however it was cut into pieces."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tunebench.capture.frames import (
    Begin,
    Data,
    End,
    Frame,
    FrameReader,
    Over,
    Preamble,
    cpu_seconds,
    cut_line,
    is_framed,
    read_utc,
    segments,
)

NONCE = "1a2b3c4d"
BEGIN = (
    b"@tunebench 1a2b3c4d begin id=db%2001/linux.vmstat pid=4711 interval=1 utc=2026-11-21T02:48:00.250Z"
    b" local=2026-11-21T11:48:00 zone=KST\n"
)
END = b"\n@tunebench 1a2b3c4d end exit=0 utc=2026-11-21T02:49:00Z\n0m0.010s 0m0.002s\n0m0.120s 1m0.200s\n"
OVER = b"@tunebench 1a2b3c4d over\n"
NOON_NS = 1_795_229_280_000_000_000  # date -d 2026-11-21T02:48:00Z +%s


def read(*pieces: bytes, nonce: str = NONCE, eager: bool = False) -> list[Frame]:
    reader = FrameReader(nonce, eager=eager)
    return [frame for piece in pieces for frame in reader.feed(piece)] + reader.finish()


def data_of(frames: list[Frame]) -> bytes:
    return b"".join(frame.data for frame in frames if isinstance(frame, Data))


def kinds(frames: list[Frame]) -> list[str]:
    names = [type(frame).__name__ for frame in frames]
    return [name for place, name in enumerate(names) if place == 0 or names[place - 1] != name]


def test_a_whole_start_is_taken_apart() -> None:
    frames = read(b"motd\n" + BEGIN + b"r b\n1 0\n" + END + OVER)
    begin, end = (next(frame for frame in frames if isinstance(frame, kind)) for kind in (Begin, End))
    assert kinds(frames) == ["Preamble", "Begin", "Data", "End", "Over"]
    assert data_of(frames) == b"r b\n1 0\n"
    assert isinstance(begin, Begin)
    assert isinstance(end, End)
    assert (begin.command_id, begin.pid, begin.interval_s, begin.zone) == ("db 01/linux.vmstat", 4711, 1.0, "KST")
    assert begin.began_ns == NOON_NS + 250_000_000
    assert (begin.marker_byte, begin.first_byte, begin.first_line) == (5, 5 + len(BEGIN), 3)
    assert (end.exit_status, end.ended_ns, end.torn) == (0, NOON_NS + 60 * 10**9, False)
    assert end.cpu_s == pytest.approx(60.332)
    assert end.end_byte == 5 + len(BEGIN) + 8


def test_what_a_killed_tool_used_is_not_known() -> None:
    """No shell had waited for it, so that ``times`` leaves it out."""
    frames = read(BEGIN + b"r b\n1 0\n" + END.replace(b"exit=0", b"exit=143") + OVER)
    (end,) = (frame for frame in frames if isinstance(frame, End))
    assert (end.exit_status, end.cpu_s) == (143, None)


@given(
    tool=st.binary(max_size=200)
    | st.lists(
        st.sampled_from(
            [
                b"\n",
                b"@",
                b"@tunebench ",
                b"\n@tunebench 1a2b3c4d ",
                b"@tunebench 1a2b3c4d begin",
                b"\n@tunebench deadbeef end exit=1 utc=x\n",
                b"end exit=",
                b"1 2 3\n",
            ]
        ),
        max_size=12,
    ).map(b"".join),
    cuts=st.lists(st.integers(0, 600), max_size=12),
    noise=st.binary(max_size=40),
    eager=st.booleans(),
)
def test_data_are_the_tools_bytes_whatever_the_pieces(tool: bytes, cuts: list[int], noise: bytes, eager: bool) -> None:
    whole = noise + BEGIN + tool + END + OVER + b"bye"
    places = [0, *sorted(min(cut, len(whole)) for cut in cuts), len(whole)]
    frames = read(*(whole[a:b] for a, b in pairwise(places)), eager=eager)
    found, end = data_of(frames), next(frame for frame in frames if isinstance(frame, End))
    assert found == tool or (eager and found == tool + b"\n" and not tool.endswith(b"\n"))
    assert end.end_byte == len(noise) + len(BEGIN) + len(tool)
    assert b"".join(frame.data for frame in frames if isinstance(frame, Preamble)) == noise + b"bye"
    for frame in frames:
        if isinstance(frame, Data) and found == tool:
            assert whole[frame.first_byte : frame.first_byte + len(frame.data)] == frame.data
            assert frame.line == whole[: frame.first_byte].count(b"\n") + 1


@given(cut=st.integers(0, 400))
def test_a_stream_cut_anywhere_gives_only_what_came(cut: int) -> None:
    whole = BEGIN + b"1 2\n3 4\n" + END + OVER
    frames = read(whole[:cut])
    assert b"1 2\n3 4\n\n".startswith(data_of(frames)[:9])
    ends = [frame for frame in frames if isinstance(frame, End)]
    assert len(ends) == (1 if cut >= len(BEGIN) else 0)
    if cut < len(BEGIN) + 8:
        assert all(end.torn and end.exit_status is None and end.ended_ns is None for end in ends)


def test_an_eager_reader_does_not_wait_for_the_next_line() -> None:
    reader = FrameReader(NONCE, eager=True)
    reader.feed(BEGIN)
    assert data_of(reader.feed(b"1 2\n")) == b"1 2\n"
    assert data_of(reader.feed(b"3 4\n\n5")) == b"3 4\n\n5"
    patient = FrameReader(NONCE)
    patient.feed(BEGIN)
    assert data_of(patient.feed(b"1 2\n")) == b"1 2"


def test_noise_before_a_start_is_passed_on_but_for_what_may_be_a_marker() -> None:
    reader = FrameReader(NONCE)
    assert reader.feed(b"motd\n@tunebench 1a2b") == [Preamble(b"motd\n", 0)]
    assert reader.feed(b"xx") == [Preamble(b"@tunebench 1a2bxx", 5)]


@pytest.mark.parametrize("after", [b"", BEGIN + b"5\n"])
def test_an_empty_line_in_the_sum_of_times_ends_nothing(after: bytes) -> None:
    frames = read(BEGIN + b"1\n" + END.replace(b"\n0m", b"\n\n0m", 1) + OVER + after)
    end = next(frame for frame in frames if isinstance(frame, End))
    assert end.cpu_s == pytest.approx(60.332)
    assert any(isinstance(frame, Over) for frame in frames)


def test_markers_of_another_nonce_are_data() -> None:
    other = BEGIN.replace(b"1a2b3c4d", b"deadbeef") + END.replace(b"1a2b3c4d", b"deadbeef")
    assert data_of(read(BEGIN + other + b"x" + END)) == other + b"x"


def test_without_a_nonce_the_first_one_counts() -> None:
    frames = read(BEGIN + b"x\n" + END + OVER, nonce="")
    assert next(frame for frame in frames if isinstance(frame, Begin)).nonce == NONCE
    assert data_of(frames) == b"x\n"


def test_torn_starts_are_closed_by_the_next_one_or_by_a_cut() -> None:
    for between in (b"", cut_line(NONCE), cut_line(NONCE) + b"rc noise\n"):
        frames = read(BEGIN + b"1 2\n3" + between + BEGIN + b"5 6\n" + END + OVER)
        assert data_of(frames) == b"1 2\n35 6\n"
        assert [frame.torn for frame in frames if isinstance(frame, End)] == [True, False]


def test_cut_by_call_keeps_the_noise_of_the_next_login_out() -> None:
    reader = FrameReader(NONCE)
    frames = reader.feed(BEGIN + b"1 2\n") + reader.cut() + reader.feed(b"noise\n" + BEGIN + b"3 4\n" + END + OVER)
    assert data_of(frames) == b"1 2\n3 4\n"
    assert [frame.data for frame in frames if isinstance(frame, Preamble)] == [b"noise\n"]


def test_an_end_without_over_is_still_an_end() -> None:
    frames = read(BEGIN + b"x" + END[:-18] + BEGIN + b"y" + END)
    assert [(frame.exit_status, frame.torn) for frame in frames if isinstance(frame, End)] == [(0, False), (0, False)]
    assert not any(isinstance(frame, Over) for frame in frames)


def test_segments_say_where_the_bytes_lie() -> None:
    first = b"hello\n" + BEGIN + b"a\nb" + END + OVER
    second = BEGIN + b"ccc\n"
    whole = first + second
    one, two = segments([whole[:50], whole[50:]])
    assert whole[one.first_byte : one.end_byte] == b"a\nb"
    assert whole[two.first_byte : two.end_byte] == b"ccc\n"
    assert (one.number, one.exit_status, one.pid, one.first_line) == (0, 0, 4711, 3)
    assert (two.number, two.exit_status, two.ended_ns, two.cpu_s) == (1, None, None, None)
    assert two.first_line == first.count(b"\n") + 2


def test_is_framed_wants_a_whole_begin_marker() -> None:
    assert is_framed(b"noise" + BEGIN)
    assert not is_framed(b"@tunebench at 2026-11-21T02:48:00Z\nx\n")
    assert not is_framed(BEGIN[:-1])


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("2026-11-21T02:48:00Z", NOON_NS),
        ("2026-11-21T02:48:00.123456789Z", NOON_NS + 123_456_789),
        ("2026-11-21T02:48:00.%3NZ", NOON_NS),
        ("2026-11-21T02:48:00.3NZ", NOON_NS),
        ("2026-13-21T02:48:00Z", None),
        ("", None),
    ],
)
def test_times_of_date(text: str, expected: int | None) -> None:
    assert read_utc(text) == expected


def test_processor_time_is_the_sum_of_the_figures_of_times() -> None:
    assert cpu_seconds(b"0m0.01s 0m0.02s\n1m0,5s 0m1s\n") == pytest.approx(61.53)
    assert cpu_seconds(b"user\t0m00.00s\n") == 0.0
    assert cpu_seconds(b"nothing\n") is None
