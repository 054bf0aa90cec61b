"""Reads a delivered HTML file: its key words, and the chapters that differ from the same document made again."""

from __future__ import annotations

from collections.abc import Iterator
from html.parser import HTMLParser

from tunebench.reporting.delivered import Difference, differing_words

_HEADINGS = ("h1", "h2", "h3", "h4")


def keywords_of(page: bytes) -> str:
    """
    Raises:
        ValueError: it is no text.
    """
    return _Text(page).keywords


def differences(delivered: bytes, rebuilt: bytes) -> Iterator[Difference]:
    """Chapter by chapter in words; a chapter of the same words whose charts or markup differ is named alone."""
    ours, theirs = _Text(delivered), _Text(rebuilt)
    for title in dict.fromkeys((*ours.words, *theirs.words)):
        differing = list(differing_words(title, ours.words.get(title, []), theirs.words.get(title, [])))
        if not differing and ours.marks.get(title) != theirs.marks.get(title):
            differing = [Difference(title, "", "")]
        yield from differing


class _Text(HTMLParser):
    """
    Attributes:
        words: of each chapter, by its heading; what stands before the first has none.
        marks: tags with all that they say, likewise; of the head and of scripts too.
    """

    def __init__(self, page: bytes) -> None:
        super().__init__()
        self.keywords = ""
        self.words: dict[str, list[str]] = {"": []}
        self.marks: dict[str, list[object]] = {"": []}
        self._chapter = ""
        self._heading: list[str] | None = None
        self.feed(page.decode("utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        attributes = dict(attrs)
        if tag == "meta" and attributes.get("name") == "keywords":
            self.keywords = attributes.get("content") or ""
        if tag in _HEADINGS:
            self._heading = []
        self.marks[self._chapter].append((tag, *attrs))

    def handle_endtag(self, tag: str) -> None:
        if tag in _HEADINGS and self._heading is not None:
            self._chapter = self._unused(" ".join(self._heading))
            self._heading = None
            self.words[self._chapter], self.marks[self._chapter] = [], []

    def _unused(self, title: str) -> str:
        """A name for the chapter that none has yet: a heading that stands twice opens two chapters."""
        number = 1
        while (unused := title if number == 1 else f"{title} ({number})") in self.words:
            number += 1
        return unused

    def handle_data(self, data: str) -> None:
        if self._heading is not None:
            self._heading += data.split()
        self.words[self._chapter] += data.split()
