"""How a report is laid out, whatever engagement it is of: what an engagement remembers and a template file holds."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import asdict
from typing import Any

from tunebench.core.messages import LANGUAGES
from tunebench.core.records import record
from tunebench.domain.translations import Untranslated
from tunebench.reporting.look import PLAIN_LOOK, Look, look_in
from tunebench.reporting.shapes import PRINTED, Shape
from tunebench.reporting.success_case import SECTION_IDS

_KIND = "tunebench-report-template"
_VERSION = 1


@record
class Design:
    """
    Attributes:
        language: empty for the engagement's own.
        without: parts that are left out.
        order: parts that were moved (see `in_order`).
        untranslated: what becomes of texts of records that have no translation.
    """

    shape: Shape = Shape.REPORT
    language: str = ""
    without: tuple[str, ...] = ()
    order: tuple[str, ...] = ()
    untranslated: Untranslated = Untranslated.KEEP
    look: Look = PLAIN_LOOK

    def words(self, *, with_logo: bool = True) -> str:
        """JSON that `design_in` reads back.

        Args:
            with_logo: the picture is in it; else its SHA-256.
        """
        fields = asdict(self) | {"look": self.look.facts(with_logo=with_logo)}
        return json.dumps({"kind": _KIND, "version": _VERSION, **fields}, ensure_ascii=False, indent=2) + "\n"


def _no_logo(digest: str) -> bytes:
    raise ValueError(f"a logo that is elsewhere: {digest}")


def design_in(words: str, logo_of: Callable[[str], bytes] = _no_logo) -> Design:
    """
    Args:
        logo_of: the picture of a SHA-256.

    Raises:
        ValueError: it is no template of this version, or names a shape, language or part that there is not.
        UserError: as `look_in`.
    """
    try:
        fields = json.loads(words)
    except RecursionError as error:
        raise ValueError("nested") from error
    if not isinstance(fields, dict) or fields.pop("kind", None) != _KIND or fields.pop("version", None) != _VERSION:
        raise ValueError("another kind")
    if not fields.keys() <= Design.__dataclass_fields__.keys():
        raise ValueError("another field")
    shape, language = Shape(fields.get("shape", Shape.WHOLE)), fields.get("language", "")
    if shape not in PRINTED or language not in ("", *LANGUAGES):
        raise ValueError("another shape or language")
    untranslated = Untranslated(fields.get("untranslated", Untranslated.KEEP))
    look = look_in(fields.get("look", {}), logo_of)
    return Design(
        shape, language, _parts(fields.get("without", [])), _parts(fields.get("order", [])), untranslated, look
    )


def _parts(named: Any) -> tuple[str, ...]:
    if not isinstance(named, list) or not all(part in SECTION_IDS for part in named):
        raise ValueError("another part")
    return tuple(dict.fromkeys(named))
