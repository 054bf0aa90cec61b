"""Base of parsers of lines that tell a scanner what they have recognised, and read all other lines one at a time."""

from __future__ import annotations

from tunebench.families.lines import EndingParser
from tunebench.sdk.scanning.scanner import Scan, Scanner, ScanTable

_FEWEST_TO_SCAN = 6  # lines; of fewer, in a live tail, the scan costs more than it saves


class ScannedLines:
    """What the scanner knows, where there is one, is given to `take_scan`, and `read_line` gets the other lines."""

    scanner: Scanner | None = None
    aside: tuple[bytes, ...] = ()
    """Lines that begin so are no scanner's: to ask for each would cost more than it saves."""
    _scanned = (b"", 0, 0, 1)  # a text, where in it the scan's begins and ends, and the number of its first line

    def read_line(self, number: int, line: bytes) -> None:
        """Reads one line and books it."""
        raise NotImplementedError

    def open_table(self) -> ScanTable | None:
        """Whose rows may come next; None where the next row is to be read by itself."""
        raise NotImplementedError

    def read_alike(self, number: int, text: bytes, at: int) -> int:
        """Reads and books lines from `at` on that are like one that was read by itself; gives where they end."""
        return at

    def take_scan(self, scan: Scan) -> None:
        """Takes and books what a scan gave."""
        raise NotImplementedError

    @property
    def may_scan(self) -> bool:
        """False where the next line is to be read by itself, whatever it is."""
        return True

    @property
    def scanned_text(self) -> bytes:
        """The lines of the scan that is being taken."""
        text, begin, end, _ = self._scanned
        return text[begin:end]

    @property
    def last_scanned_line(self) -> bytes:
        """The last line of the scan in which something stands."""
        text, begin, end, _ = self._scanned
        while end > begin:
            start = text.rfind(b"\n", begin, end - 1) + 1 or begin
            line = text[start : end - 1]
            if line.strip():
                return line
            end = start
        return b""

    @property
    def first_scanned(self) -> int:
        """The number of the first of them."""
        return self._scanned[-1]

    def scanned_line(self, number: int) -> bytes:
        """One line of the scan, by its number."""
        place = number - self.first_scanned
        return self.scanned_text.split(b"\n", place + 1)[place]

    def read_text(self, first_line: int, text: bytes) -> None:
        """Reads whole lines."""
        at, number = 0, first_line
        while at < len(text):
            aside = text.startswith(self.aside, at)
            if self.scanner is not None and not aside and self.may_scan:
                self.scanner.open_table = self.open_table()
                scan = self.scanner.scan(text, at, number)
                if scan.lines:
                    self._scanned = (text, at, scan.end, number)
                    self.take_scan(scan)
                at, number = scan.end, number + scan.lines
                if not scan.other:
                    continue
            end = self.read_alike(number, text, at)
            if end == at:
                end = text.index(b"\n", at) + 1
                self.read_line(number, text[at : end - 1])
            number += text.count(b"\n", at, end)
            at = end


class ScanningParser(EndingParser, ScannedLines):
    """The same for lines that a `LineParser` is given."""

    def read_all(self, first_line: int, lines: list[bytes]) -> None:
        if self.scanner is not None and len(lines) >= _FEWEST_TO_SCAN and not self.is_ending:
            self.read_text(first_line, b"".join([line + b"\n" for line in lines]))
            return
        for number, line in enumerate(lines, first_line):
            self.read_line(number, line)
