"""Two documents of one engagement, in two languages, as one: one cover and contents, then one after the other.

Each half is the document that it would be alone, to the word, with its own numbers: what was signed in one language is
read in the other page by page, and neither has to be cut to stand beside its translation.
"""

from __future__ import annotations

from dataclasses import fields, replace
from typing import TypeVar, cast

from tunebench.core.messages import catalogue
from tunebench.reporting.document import (
    Cell,
    Contents,
    Cover,
    Heading,
    Link,
    OnePage,
    ReportDocument,
    ReportSection,
    Table,
    Together,
    Volume,
)

_Part = TypeVar("_Part")
_ONCE = ("cover", "contents")
"""Parts that the whole has one of."""


def bound(first: ReportDocument, second: ReportDocument) -> ReportDocument:
    """
    Args:
        second: whose anchors get its language before them.
    """
    volume = Volume(second.language, f"{second.language}.")
    sections = [_marked(section, volume.mark) for section in second.sections if section.id not in _ONCE]
    if any(isinstance(block, Cover | Contents) for block in first.blocks):
        name = catalogue(second.language).text("report.volume", title=second.title)
        opening: tuple[Volume | Heading, ...] = (volume, Heading(name, f"{volume.mark}volume", new_page=True))
    else:
        opening = (volume,)
        sections = [_on_new_page(section) if index == 0 else section for index, section in enumerate(sections)]
    between = ReportSection(volume.mark, "", opening)
    return replace(first, sections=(*first.sections, between, *sections))


def _on_new_page(section: ReportSection) -> ReportSection:
    heading = section.blocks[0]
    assert isinstance(heading, Heading)
    return replace(section, blocks=(replace(heading, new_page=True), *section.blocks[1:]))


def _marked(part: _Part, mark: str) -> _Part:
    """A block, or what it is made of, with the mark before every anchor."""
    value: object = part
    if isinstance(value, tuple):
        value = tuple(_marked(inner, mark) for inner in value)
    elif isinstance(value, Heading | Link):
        value = replace(value, anchor=f"{mark}{value.anchor}") if value.anchor else value
    elif isinstance(value, ReportSection | Together | OnePage | Table | Cell):
        value = replace(value, **{own.name: _marked(getattr(value, own.name), mark) for own in fields(value)})
    return cast("_Part", value)
