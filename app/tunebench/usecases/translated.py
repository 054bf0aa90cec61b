"""An engagement's records as the reader of a document has them: what is in the second language, and what is not."""

from __future__ import annotations

from collections.abc import Iterator

from tunebench.core.grouping import by_key
from tunebench.core.messages import catalogue
from tunebench.domain.cycle.records import Contact
from tunebench.domain.cycle.worksheet import person
from tunebench.domain.engagement import Engagement, Section
from tunebench.domain.translations import Reading, Untranslated, text_of, texts_in
from tunebench.store import engagements
from tunebench.store.cycle import records as cycle_records
from tunebench.store.experiments import records as experiment_records
from tunebench.store.project import Project


def reader_of(project: Project, language: str, untranslated: Untranslated = Untranslated.KEEP) -> Reading:
    """What reads the project's records in `language`."""
    leave_out = untranslated is Untranslated.LEAVE_OUT
    engagement = engagements.read_engagement(project)
    book, experiments = cycle_records.read_book(project), experiment_records.read_book(project)
    everything = (engagement, tuple(book), tuple(experiments.experiments.values()), tuple(experiments.trials.values()))
    instead = catalogue(language).text("report.untranslated.instead") if leave_out else None
    names = _names(language, engagement, book.all(Contact))
    reader = Reading(language, engagement.language, names, texts_in(everything, language), person, instead)
    if instead is not None:
        reader.of(everything)
        reader.texts = {**dict.fromkeys(reader.untranslated, instead), **reader.texts}
        reader.untranslated.clear()
    return reader


def narrative_in(project: Project, reader: Reading) -> dict[Section, tuple[str, ...]]:
    """The paragraphs of each section in the reader's language; where there are none, those that were written."""
    own, written = (
        by_key((paragraph.section, paragraph.text) for paragraph in engagements.read_narrative(project, language))
        for language in (reader.language, reader.written_in)
    )
    return {section: tuple(own.get(section, ()) or reader.unread(written.get(section, ()))) for section in Section}


def _names(language: str, engagement: Engagement, contacts: tuple[Contact, ...]) -> dict[str, str]:
    """People as the language writes them. Where it writes two alike, both stay as they were written: whoever asks
    whether two are one person must not be answered by a spelling."""
    pairs = {person(name): spelled for name, spelled in _spelled(language, engagement, contacts)}
    spellings = [person(spelled) for spelled in pairs.values()]
    return {name: spelled for name, spelled in pairs.items() if spellings.count(person(spelled)) == 1}


def _spelled(language: str, engagement: Engagement, contacts: tuple[Contact, ...]) -> Iterator[tuple[str, str]]:
    consultants = engagement.translation("consultants", language)
    if consultants is not None and consultants.original == text_of(engagement, "consultants"):
        yield from zip(engagement.consultants, consultants.text.split("\n"), strict=False)
    for contact in contacts:
        name = contact.translation("name", language)
        if name is not None and name.original == contact.name:
            yield contact.name, name.text
