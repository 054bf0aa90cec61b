"""Import ledgers as JSON and back."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import Any

from app.domain.ledger import Assumption, Ledger, LineCounts, SkippedLines
from app.domain.operating_systems import os_word


def ledger_to_json(ledger: Ledger) -> str:
    return json.dumps(asdict(ledger), ensure_ascii=False)


def ledger_from_json(text: str) -> Ledger:
    """The ledger that was written; what an older program did not write has its default."""
    facts: dict[str, Any] = json.loads(text)
    facts["os"] = os_word(facts.get("os", ""))
    nested: dict[str, Any] = {
        "lines": LineCounts(**facts.pop("lines", {})),
        "skipped": tuple(SkippedLines(**entry) for entry in facts.pop("skipped", ())),
        "assumptions": tuple(Assumption(**entry) for entry in facts.pop("assumptions", ())),
        "warnings": tuple(facts.pop("warnings", ())),
        "needs": tuple(facts.pop("needs", ())),
    }
    return Ledger(**facts, **nested)
