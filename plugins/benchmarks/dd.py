"""What dd says when it ends, of GNU in any language and of the BSDs and macOS.

    134217728 bytes (134 MB, 128 MiB) copied, 0.0652532 s, 2.1 GB/s          GNU coreutils
    134217728 바이트 (134 MB, 128 MiB) 복사함, 0.0652532 s, 2.1 GB/s           (the same in Korean)
    10485760 bytes transferred in 0.028418 seconds (368981986 bytes/sec)     GNU before 5.0
    1021592274 bytes transferred in 480.752682 secs (2124985 bytes/sec)      BSD, macOS

Figures ``bytes``, ``elapsed_s`` and ``bytes_per_s`` (their quotient: what is printed is rounded). The dd of Solaris,
AIX and HP-UX counts records only; it is timed with time, which has a reader of its own. A decimal comma is understood.
"""

from __future__ import annotations

from tunebench.sdk import ParseContext, body_lines, decode_text, lazy_pattern

from .run_lines import RunLines

_RECORDS = lazy_pattern(r"^\D{0,40}\d+\+\d+(?=\D)")
_COPIED = lazy_pattern(
    r"^(?P<bytes>\d{1,18}) [^\d(]{1,40}(?:\([^)]{1,60}\))?[^\d(]{0,60}?"
    r"(?P<seconds>\d{1,12}(?:[.,]\d{1,12})?(?:e[+-]?\d{1,3})?)\s*(?:s|secs?|seconds?|с|秒|초)\s*(?P<end>[,，、(].{0,60})$"
)


class DdParser(RunLines):
    """See the module."""

    tool = "dd"
    result_table = "dd"

    def __init__(self, context: ParseContext) -> None:
        super().__init__(context)
        self._copied = False

    @staticmethod
    def sniff(head: bytes, file_name: str) -> float:  # noqa: ARG004  the text alone decides
        lines = [decode_text(line) for line in body_lines(head)]
        copied = sum(_is_result(line) for line in lines)
        if not copied:
            return 0.0
        mine = copied + sum(bool(_RECORDS.match(line)) for line in lines)
        return 0.85 if 2 * mine >= len(lines) else 0.5

    def begins_round(self, line: bytes) -> bool:
        """What follows the last line of a copy belongs to the next one."""
        begins, self._copied = self._copied, _is_result(decode_text(line))
        return begins

    def read_line(self, number: int, line: bytes) -> str:
        text = decode_text(line).strip()
        match = _COPIED.match(text)
        if match and _is_result(text):
            size, seconds = float(match["bytes"]), float(match["seconds"].replace(",", "."))
            self.note(number, "bytes", size)
            self.note(number, "elapsed_s", seconds)
            if seconds > 0:
                self.note(number, "bytes_per_s", size / seconds)
            self.end_run()
            return "data"
        return "header" if _RECORDS.match(text) else ""


def _is_result(text: str) -> bool:
    """Ends in a rate. In brackets dd gives bytes; sysbench, when it has prepared its files, mebibytes."""
    match = _COPIED.match(text.strip())
    if match is None:
        return False
    if match["end"].startswith("("):
        return "bytes/s" in match["end"]
    return "/s" in match["end"] or "/с" in match["end"] or "/秒" in match["end"]
