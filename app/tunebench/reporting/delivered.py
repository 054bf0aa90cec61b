"""A delivered document: what it says of how it was made, and where it differs from the same one made again."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from urllib.parse import parse_qs, urlencode

from tunebench.core.records import record
from tunebench.domain.translations import Untranslated
from tunebench.reporting.shapes import Shape

_MARK = "tunebench:"


@record
class Recipe:
    """What a document was made with, beside the project; stands among its key words.

    Attributes:
        without: parts that were left out.
        order: parts that were moved (see `in_order`).
        before, after: windows as they are called; empty for the project's own choice.
        trail: last entry of the audit trail that it could know; None where it tells of none.
        redacted: name of the profile by which names were replaced; empty where they were not.
        untranslated: what became of texts of records that have no translation.
        look: what the house had chosen (see `Look.words`).
    """

    language: str
    issued: str
    shape: Shape = Shape.WHOLE
    without: tuple[str, ...] = ()
    before: str = ""
    after: str = ""
    trail: int | None = None
    redacted: str = ""
    order: tuple[str, ...] = ()
    untranslated: Untranslated = Untranslated.KEEP
    look: str = ""

    @property
    def words(self) -> str:
        facts = {
            "language": self.language,
            "issued": self.issued,
            "shape": self.shape.value,
            "without": " ".join(self.without),
            "before": self.before,
            "after": self.after,
            "trail": "" if self.trail is None else str(self.trail),
            "redacted": self.redacted,
            "order": " ".join(self.order),
            "untranslated": "" if self.untranslated is Untranslated.KEEP else self.untranslated.value,
            "look": self.look,
        }
        return _MARK + urlencode({name: value for name, value in facts.items() if value})


def recipe_in(keywords: str) -> Recipe | None:
    """The recipe in a document's key words; None where they hold none that can be read."""
    mark = next((word for word in keywords.split() if word.startswith(_MARK)), None)
    if mark is None:
        return None
    facts = {name: values[0] for name, values in parse_qs(mark.removeprefix(_MARK)).items()}
    try:
        return Recipe(
            facts["language"],
            facts.get("issued", ""),
            Shape(facts.get("shape", Shape.WHOLE)),
            tuple(facts.get("without", "").split()),
            facts.get("before", ""),
            facts.get("after", ""),
            int(facts["trail"]) if "trail" in facts else None,
            facts.get("redacted", ""),
            tuple(facts.get("order", "").split()),
            Untranslated(facts.get("untranslated", Untranslated.KEEP)),
            facts.get("look", ""),
        )
    except (KeyError, ValueError):
        return None


@record
class Difference:
    """
    Attributes:
        place: page (``3``) or sheet and cell (``Summary!D5``).
        delivered, made: what stands there, and what the project gives; both empty where only the drawing differs.
    """

    place: str
    delivered: str
    made: str

    @property
    def key(self) -> str:
        """Key of the difference's sentence."""
        return "verify.differs" if self.delivered or self.made else "verify.drawn"


def differing_words(place: str, delivered: Sequence[str], rebuilt: Sequence[str]) -> Iterator[Difference]:
    """Words that were changed, added or left out, those beside each other as one."""
    for kind, a, b, c, d in SequenceMatcher(None, delivered, rebuilt, autojunk=False).get_opcodes():
        if kind != "equal":
            yield Difference(place, " ".join(delivered[a:b]), " ".join(rebuilt[c:d]))
