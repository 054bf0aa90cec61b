"""Parser of Solaris iostat -E and -En: what each disk is, and its error counts; in a loop their course.

    c0t0d0           Soft Errors: 0 Hard Errors: 0 Transport Errors: 0
    Vendor: SEAGATE  Product: ST314655FSUN146G Revision: 0691 Serial No: 0821V4AKLM
    Size: 146.81GB <146810535936 bytes>
    Media Error: 0 Device Not Ready: 0 No Device: 0 Recoverable: 0
    Illegal Request: 0 Predictive Failure Analysis: 0

See `families.solaris.hardware` for the block. The counts since boot are in the table ``errors`` under the words
iostat prints; words and sizes are facts.
"""

from __future__ import annotations

from collections.abc import Sequence

from tunebench.families.readings import facts_of
from tunebench.families.runs import text_of_head
from tunebench.families.solaris.hardware import COUNTED, DiskErrors, begins_disk_errors, is_disk_errors
from tunebench.sdk import ParseContext, Round, StampedParser, SystemFact, body_lines, decode_text

_MOST_DEVICES = 4000
_NAN = float("nan")


class IostatErrorsParser(StampedParser):
    """See the module."""

    tool, os = "iostat", "sunos"

    def __init__(self, context: ParseContext) -> None:
        super().__init__(context)
        self.book.variant = "-E"
        self._first_device = ""
        self._devices: dict[str, DiskErrors] = {}

    @staticmethod
    def sniff(head: bytes, file_name: str) -> float:  # noqa: ARG004  the text alone decides
        lines = [decode_text(line) for line in body_lines(text_of_head(head))]
        start = next((index for index, line in enumerate(lines) if begins_disk_errors(line)), None)
        if start is None or not any(is_disk_errors(line) for line in lines[start + 1 : start + 4]):
            return 0.0
        return 0.95 if start <= 2 else 0.4

    def begins_round(self, line: bytes) -> bool:
        device = begins_disk_errors(decode_text(line))
        self._first_device = self._first_device or device
        return device != "" and device == self._first_device

    def facts(self) -> Sequence[SystemFact]:
        return facts_of(("disk", one) for block in self._devices.values() for one in block.readings())

    def read_round(self, one: Round) -> None:
        blocks: list[tuple[int, DiskErrors]] = []
        for number, line in one.lines:
            text = decode_text(line)
            device = begins_disk_errors(text)
            if device:
                blocks.append((number, DiskErrors(device, {}, {})))
            if blocks and (device or is_disk_errors(text)) and blocks[-1][1].take(text):
                self.book.data()
            else:
                self.skip_line(number, line)
        names = tuple(name for name in COUNTED if any(name in block.counts for _, block in blocks))
        for number, block in blocks:
            self._put(one, number, block, names)

    def _put(self, one: Round, number: int, block: DiskErrors, names: tuple[str, ...]) -> None:
        if block.device in self._devices or len(self._devices) < _MOST_DEVICES:
            self._devices[block.device] = block
        if block.counts:
            values = [block.counts.get(name, _NAN) for name in names]
            self.table("errors", names, "device").row(one.time_ns, number, block.device, values)
