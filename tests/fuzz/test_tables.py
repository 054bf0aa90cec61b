"""A guessed definition reads what it was guessed from, and any damaged bytes do not break it."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from tests.contract.test_table_guess import CASES
from tests.fuzz.mutations import mutate
from tunebench.plughost.table_guess import guess_table
from tunebench.sdk.batch_check import batch_fault
from tunebench.sdk.simple_table import table_parser
from tunebench.sdk.table_reading import read_table_definitions
from tunebench.sdk.testkit_runs import context_for, count_lines, difference, parse
from tunebench.sdk.toml_tables import TableReader

NAMES = sorted(CASES)


@pytest.mark.parametrize("seed", range(60))
def test_damaged_samples_and_captures(seed):
    chance = random.Random(seed)
    name = chance.choice(NAMES)
    sample = mutate(CASES[name][0].encode() * chance.randrange(1, 5), CASES[chance.choice(NAMES)][0].encode(), seed)
    reader = TableReader({"tables": [guess_table(sample, name, "guessed")]})
    found = read_table_definitions(reader, "tables")
    assert {problem.key for problem in reader.problems} <= {"names_needed", "no_numbers"}  # there is no table in it
    for data in (sample, mutate(sample, sample, seed + 1)) if found else ():
        kind = table_parser(found[0])
        whole = parse(kind, context_for(Path(name)), data)
        assert whole.ledger.lines.balanced and whole.ledger.lines.total == count_lines(data)
        assert [batch_fault(batch) for batch in whole.batches if batch_fault(batch)] == []
        assert difference(whole, parse(kind, context_for(Path(name)), data, 777)) == ""
        assert 0.0 <= kind.sniff(data, name) <= 1.0
