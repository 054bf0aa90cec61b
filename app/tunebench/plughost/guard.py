"""Stands between the house and a plug-in's parser: no exception and no broken contract passes."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Never, TypeVar

from tunebench.analysis.databases.record import DatabaseRecord
from tunebench.core.errors import PluginError, UserError
from tunebench.core.extras import absence_named
from tunebench.domain.capturing.run import SystemFact
from tunebench.domain.engagement import CaptureEvent
from tunebench.domain.ledger import Ledger
from tunebench.sdk.batch_check import batch_fault, series_fault
from tunebench.sdk.batches import SampleBatch
from tunebench.sdk.parsing import Parser
from tunebench.sdk.recent import Recent

T = TypeVar("T")
Report = Callable[[BaseException | str], None]
"""Called once with the cause before a `PluginError` is raised."""


@contextmanager
def guarded(plugin_id: str, contribution: str, report: Report) -> Iterator[None]:
    """Turns whatever a plug-in raises into `PluginError`; a plug-in may not end the program either."""
    try:
        with absence_named():
            yield
    except PluginError:
        raise
    except (Exception, SystemExit) as error:
        if isinstance(error, UserError) and error.key == "extra_missing":  # the installation lacks it, not the plug-in
            raise
        report(error)
        raise PluginError(plugin_id, contribution, error) from error


class GuardedParser:
    """A `Parser` whose every answer was checked."""

    def __init__(self, parser: Parser, plugin_id: str, parser_id: str, report: Report) -> None:
        self._parser = parser
        self.plugin_id = plugin_id
        self.parser_id = parser_id
        self._report = report
        self._series_fault = Recent(series_fault)

    def feed(self, data: bytes) -> list[SampleBatch]:
        with guarded(self.plugin_id, self.parser_id, self._report):
            batches = list(self._parser.feed(data))
        return self._checked(batches)

    def finish(self) -> Iterator[SampleBatch]:
        """One by one: a parser may keep much back until the end."""
        with guarded(self.plugin_id, self.parser_id, self._report):
            remaining = iter(self._parser.finish())
        while True:
            with guarded(self.plugin_id, self.parser_id, self._report):
                batch = next(remaining, None)
            if batch is None:
                return
            yield from self._checked([batch])

    def ledger(self) -> Ledger:
        with guarded(self.plugin_id, self.parser_id, self._report):
            ledger = self._parser.ledger()
        if not isinstance(ledger, Ledger):
            self._broken(f"ledger() gave {type(ledger).__name__}")
        return ledger

    def events(self) -> tuple[CaptureEvent, ...]:
        with guarded(self.plugin_id, self.parser_id, self._report):
            events = tuple(self._parser.events())
        self._all_of(CaptureEvent, events, "events()")
        return events

    def facts(self) -> tuple[SystemFact, ...]:
        return self._given("facts", SystemFact)

    def take_records(self) -> tuple[DatabaseRecord, ...]:
        return self._given("take_records", DatabaseRecord)

    def _given(self, method: str, kind: type[T]) -> tuple[T, ...]:
        """The answer of an optional method of the parser; empty where the parser has none."""
        with guarded(self.plugin_id, self.parser_id, self._report):
            give = getattr(self._parser, method, None)
            values: tuple[T, ...] = () if give is None else tuple(give())
        self._all_of(kind, values, f"{method}()")
        return values

    def _checked(self, batches: list[SampleBatch]) -> list[SampleBatch]:
        for batch in batches:
            if fault := batch_fault(batch, self._series_fault):
                self._broken(fault)
        return batches

    def _all_of(self, kind: type, values: Sequence[object], what: str) -> None:
        for value in values:
            if not isinstance(value, kind):
                self._broken(f"{what} gave {type(value).__name__}")

    def _broken(self, fault: str) -> Never:
        self._report(fault)
        raise PluginError(self.plugin_id, self.parser_id, fault)
