"""Base of readers whose runs are some lines, each with figures that together make one row."""

from __future__ import annotations

from tunebench.sdk import Round, StampedParser

NS_PER_S = 1_000_000_000
KIB = 1024.0


class RunLines(StampedParser):
    """A subclass reads lines in `read_line`, keeps what they say with `note`, and calls `end_run` where a run ends."""

    result_table = ""

    def read_round(self, one: Round) -> None:
        self.now = one
        self.begin_run()
        for number, line in one.lines:
            if b"\0" in line:
                self.skip_line(number, line)
            else:
                self._book(number, line)
        self.end_run()

    def _book(self, number: int, line: bytes) -> None:
        kind = self.read_line(number, line)
        if kind == "data":
            self.book.data()
        elif kind == "header":
            self.book.header()
        else:
            self.skip_line(number, line, "average" if kind == "summary" else "message")

    def begin_run(self) -> None:
        self.figures: dict[str, float] = {}
        self.first_line = 0

    def read_line(self, number: int, line: bytes) -> str:
        """``data``, ``header``, ``summary`` (worked out by the tool, not kept); an empty text for any other."""
        raise NotImplementedError

    def note(self, number: int, name: str, value: float) -> None:
        self.first_line = self.first_line or number
        self.figures[name] = value

    def end_run(self) -> None:
        """Adds the figures of the run as one row."""
        if self.figures:
            names = tuple(sorted(self.figures))
            values = [self.figures[name] for name in names]
            self.table(self.result_table, names).row(self.time_of_result(), self.first_line, "", values)
        self.begin_run()

    def time_of_result(self) -> int:
        return self.now.time_ns
