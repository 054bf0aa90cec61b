"""Texts of several tools, cut and joined at random, and what is wrong with the way they are cut into sections again."""

from __future__ import annotations

import random
from collections import Counter

from tests.fuzz.samples import Sample, host
from tests.fuzz.verdict import outcome_of
from tunebench.capture.readings import payload_head
from tunebench.capture.sections import Account, Sections
from tunebench.plughost.parser_entry import HEAD_BYTES
from tunebench.sdk.ledger_book import EXAMPLE_LENGTH
from tunebench.sdk.line_stamps import SURE_ENOUGH
from tunebench.sdk.testkit_runs import count_lines, pieces
from tunebench.sdk.text import decode_text

MOST_LINES = 60
BETWEEN = (
    b"",
    b"\n",
    b"\n\n",
    b"### %s\n",
    b"===== %s =====\n",
    b"+ %s\n",
    b"[root@db01 ~]# %s 5\n",
    b"$ %s\n",
    b"zzz ***Mon Jul 20 09:00:%02d KST 2026\n",
    b"Mon Jul 20 09:00:%02d KST 2026\n",
    b"2026-07-20T09:00:%02d+09:00\n",
    b"CUSTOMER ACME, monthly check\n",
    b"real\t0m48.465s\nuser\t0m0.738s\nsys\t0m0.176s\n",
)


def joined(parts: list[Sample], chance: random.Random) -> bytes:
    """Excerpts of whole lines, from the beginning or from anywhere, with something or nothing between them."""
    text = b""
    for part in parts:
        lines = part.data.replace(b"\r\n", b"\n").split(b"\n")
        first = 0 if chance.random() < 0.7 else chance.randrange(len(lines))
        excerpt = lines[first : first + chance.randrange(2, MOST_LINES)]
        between = chance.choice(BETWEEN)
        if b"%s" in between:
            between %= part.entry.tools[0].encode()
        elif b"%02d" in between:
            between %= chance.randrange(60)
        text += between + b"\n".join(excerpt) + b"\n" * (chance.random() < 0.95)
    return text


def fault_of_sections(text: bytes, size: int) -> str:
    """What is wrong, ``""`` for nothing: every line is in one run, in the ledger of one part, under its own number."""
    candidates = host().recognise(payload_head(text[:HEAD_BYTES]), "")
    whole = candidates[0].entry if candidates and candidates[0].confidence >= SURE_ENOUGH else None
    sections = Sections(host(), whole)
    runs = list(sections.runs([text]))
    if b"".join(run.data for run in runs) != text:
        return "bytes are lost or doubled"
    account = sections.account([text])
    if account != sections.account(pieces(text, size)):
        return f"pieces of {size} bytes are cut in another way"
    return _fault_of_account(text, account) or _fault_of_parts(text, sections, account)


def _fault_of_account(text: bytes, account: Account) -> str:
    ledger = account.ledger()
    if not ledger.lines.balanced or ledger.lines.total != count_lines(text):
        return f"the account does not balance: {ledger.lines}"
    lines = text.split(b"\n")
    for each in ledger.skipped:
        if decode_text(lines[each.first_line - 1]).strip()[:EXAMPLE_LENGTH] != each.example:
            return f"line {each.first_line} is not {each.example!r}"
    return ""


def _fault_of_parts(text: bytes, sections: Sections, account: Account) -> str:
    lines = text.split(b"\n")
    owners: Counter[int] = Counter()
    stamps = {run.data.rstrip(b"\n") for run in sections.runs([text]) if run.kind == "stamp"}
    for reader, entry in account.readers.items():
        part = b"".join(sections.text_of(reader, [text]))
        for number, line in enumerate(part.split(b"\n")):
            if line and line != lines[number]:
                return f"{reader}: line {number + 1} is {line!r}"
            owners[number] += bool(line.strip()) and line not in stamps
        counts = outcome_of(entry, part).ledger.lines
        if not counts.balanced or counts.total != count_lines(part):
            return f"{reader}: the account of its part does not balance: {counts}"
    doubled = [number + 1 for number, count in owners.items() if count > 1]
    if doubled:
        return f"lines of several parts: {doubled[:5]}"
    if sum(owners.values()) > account.data:
        return f"{sum(owners.values())} lines are read, {account.data} are given"
    return ""
