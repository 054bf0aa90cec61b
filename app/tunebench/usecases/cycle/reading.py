"""The records of an engagement's tuning cycle as one book, and how its iterations stand."""

from __future__ import annotations

from dataclasses import replace

from tunebench.diagnosis.cycle import board
from tunebench.diagnosis.cycle.board import Standing
from tunebench.domain.cycle.book import CycleBook
from tunebench.domain.cycle.records import Iteration
from tunebench.store import engagements
from tunebench.store.cycle import records as cycle_records
from tunebench.store.project import Project
from tunebench.usecases.cycle.comparable import asked, remembered
from tunebench.usecases.cycle.recorded import with_recorded
from tunebench.usecases.translated import reader_of


def read(project: Project) -> CycleBook:
    """The records, with what is known of the comparability of their windows: a verdict on a figure of a run is
    undecided before `asked` has asked for it.

    Raises:
        UserError: cycle_record_damaged.
    """
    book = replace(cycle_records.read_book(project), engagement=engagements.read_engagement(project))
    return remembered(project, with_recorded(project, book))


def in_language(project: Project, standing: Standing, language: str) -> Standing:
    """It with what people wrote as `language` has it: to be read, not to be edited."""
    reader = reader_of(project, language)
    own = reader.of(standing)
    gates, disclosures = (
        tuple(replace(gate, facts=reader.facts(gate.facts)) for gate in entries)
        for entries in (own.gates, own.disclosures)
    )
    return replace(
        own,
        gates=gates,
        disclosures=disclosures,
        next_action=replace(own.next_action, facts=reader.facts(own.next_action.facts)),
        amendments=tuple(replace(amendment, name=reader.words(amendment.name)) for amendment in own.amendments),
    )


def standing(project: Project, iteration: Iteration | None = None) -> Standing:
    """The board of an iteration, of the current one where none is named."""
    return board.standing(asked(project, read(project)), iteration)
