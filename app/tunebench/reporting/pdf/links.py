"""Texts whose keys of evidence lead to the register that explains them."""

from __future__ import annotations

import re
from xml.sax.saxutils import escape

from tunebench.core.records import record
from tunebench.reporting.citing import KEY
from tunebench.reporting.document import Link
from tunebench.reporting.pdf.style import AFTER

_COLOUR = f"#{AFTER.hexval()[2:]}"


@record
class Links:
    """
    Attributes:
        keys: those that a register of the document has a row for.
        mark: before the places of their rows (see `Volume`).
    """

    keys: frozenset[str] = frozenset()
    mark: str = ""

    def any_in(self, text: str) -> bool:
        return any(key in self.keys for key in KEY.findall(text))

    def markup(self, text: str) -> str:
        """The text for a paragraph."""
        return KEY.sub(self._to_register, escape(text)).replace("\n", "<br/>")

    def named(self, key: str) -> str:
        """The key with the place that links to it lead to."""
        return f'<a name="{escape(self.mark + key)}"/>{escape(key)}'

    def _to_register(self, match: re.Match[str]) -> str:
        return linked(Link(match[0], self.mark + match[0])) if match[0] in self.keys else match[0]


def linked(link: Link) -> str:
    return f'<a href="#{escape(link.anchor)}" color="{_COLOUR}">{escape(link.text)}</a>'
