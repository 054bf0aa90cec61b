"""One line of the output of time, in every shell's words; see `plugins/house_formats/timed_command` for the forms."""

from __future__ import annotations

from tunebench.core.patterns import lazy_pattern
from tunebench.sdk import decode_text

_NUMBER = r"\d{1,9}(?:[.,]\d{1,9})?"
_SPAN = rf"(?:\d{{1,6}}:)?\d{{1,6}}:{_NUMBER}|(?:\d{{1,6}}h)?\d{{1,6}}m\s?{_NUMBER}s|{_NUMBER}s?"
_WORD_FIRST = lazy_pattern(rf"^\s*(?P<word>real|user|sys)\s+(?P<span>{_SPAN})$")
_WORD_LAST = lazy_pattern(rf"^\s*(?P<real>{_SPAN})\s+real\s+(?P<user>{_SPAN})\s+user\s+(?P<sys>{_SPAN})\s+sys(?:tem)?$")
_SIGN = r"[:=]?\s*"
_IN_A_LINE = lazy_pattern(
    rf"^\s*real{_SIGN}(?P<real>{_SPAN})[,;]?\s+user{_SIGN}(?P<user>{_SPAN})[,;]?\s+sys(?:tem)?{_SIGN}(?P<sys>{_SPAN})$"
)
_WORDS_THEN_SPANS = lazy_pattern(  # as text is copied out of a document's table
    rf"^\s*real\s+user\s+sys\s+(?P<real>{_SPAN})\s+(?P<user>{_SPAN})\s+(?P<sys>{_SPAN})$"
)
_CSH = lazy_pattern(rf"^(?P<user>{_NUMBER})u (?P<sys>{_NUMBER})s (?P<real>{_SPAN}) {_NUMBER}%(?:\s.*)?$")
_ZSH = lazy_pattern(
    rf"^.*?(?:^|\s)(?P<user>{_NUMBER})s user (?P<sys>{_NUMBER})s system {_NUMBER}% cpu (?P<real>{_SPAN}) total$"
)
_GNU = lazy_pattern(
    rf"^(?P<user>{_NUMBER})user (?P<sys>{_NUMBER})system (?P<real>{_SPAN})elapsed (?:{_NUMBER}|\?)%CPU"
    r"(?: \(\d+avgtext\+\d+avgdata (?P<max_resident_kb>\d{1,15})maxresident\)k)?$"
)
_FORMS = (_IN_A_LINE, _WORD_LAST, _WORDS_THEN_SPANS, _CSH, _ZSH, _GNU)
_GNU_SECOND = lazy_pattern(
    r"^(?P<block_inputs>\d{1,15})inputs\+(?P<block_outputs>\d{1,15})outputs "
    r"\((?P<major_faults>\d{1,15})major\+(?P<minor_faults>\d{1,15})minor\)pagefaults (?P<swaps>\d{1,15})swaps$"
)
_OF_LABEL = {
    "Elapsed (wall clock) time (h:mm:ss or m:ss)": "real_s",
    "User time (seconds)": "user_s",
    "System time (seconds)": "sys_s",
    "Exit status": "exit_status",
    "Maximum resident set size (kbytes)": "max_resident_kb",
    "Major (requiring I/O) page faults": "major_faults",
    "Minor (reclaiming a frame) page faults": "minor_faults",
    "Voluntary context switches": "voluntary_switches",
    "Involuntary context switches": "involuntary_switches",
    "File system inputs": "block_inputs",
    "File system outputs": "block_outputs",
    "Swaps": "swaps",
}
_EXIT = lazy_pattern(
    r"^(?:@exit|Command exited with non-zero status|Command terminated by signal) (?P<status>\d{1,9})$"
)
_SIGNALLED = "Command terminated"
_REMARK = lazy_pattern(
    r"^(?:\s+Command being timed: |\s+Percent of CPU this job got: |\s+Average |\s+Socket messages "
    r"|\s+Signals delivered: |\s+Page size \(bytes\): |@command )"
)
_LONGEST = 400
_PARTS = lazy_pattern(rf"^(?:(?:(?P<h>\d+)[:h])?(?P<m>\d+)[:m]\s?)?(?P<s>{_NUMBER})s?$")


def read_time_line(line: bytes) -> dict[str, float]:
    """The figures of a line, by their series' names; empty where it has none."""
    if len(line) > _LONGEST:
        return {}
    text = decode_text(line).rstrip()
    word = _WORD_FIRST.match(text)
    if word is not None:
        return {f"{word['word']}_s": seconds_of(word["span"])}
    times = next((match for form in _FORMS if (match := form.match(text))), None)
    if times is not None:
        part = times.groupdict()
        figures = {f"{name}_s": seconds_of(part[name]) for name in ("real", "user", "sys")}
        resident = part.get("max_resident_kb")
        return figures | ({"max_resident_kb": float(resident)} if resident else {})
    second = _GNU_SECOND.match(text)
    if second is not None:
        return {name: float(value) for name, value in second.groupdict().items()}
    return _read_exit(text) or _read_verbose(text)


def is_remark(line: bytes) -> bool:
    """A line of time that holds no figure of a series."""
    return len(line) <= _LONGEST and _REMARK.match(decode_text(line)) is not None


def _read_exit(text: str) -> dict[str, float]:
    match = _EXIT.match(text)
    if match is None:
        return {}
    return {"exit_status": float(match["status"]) + (128.0 if text.startswith(_SIGNALLED) else 0.0)}


def _read_verbose(text: str) -> dict[str, float]:
    label, _, value = text.strip().rpartition(": ")
    name = _OF_LABEL.get(label)
    if name is None or _PARTS.match(value) is None:
        return {}
    return {name: seconds_of(value)}


def seconds_of(span: str) -> float:
    """``0.80``, ``0m0.803s``, ``1:26.2``, ``1:02:03.4``, ``0m0,186s`` in seconds."""
    match = _PARTS.match(span)
    if match is None:
        return float("nan")
    minutes = int(match["h"] or 0) * 60 + int(match["m"] or 0)
    return minutes * 60 + float(match["s"].replace(",", "."))
