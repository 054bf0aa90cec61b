"""No bytes make a parser raise, hang or lose a line; how they are cut, and whether they are read by pages, is all one.

The suite tries a few damaged captures per parser, the same ones each time. ``make fuzz`` goes on with others.
"""

from __future__ import annotations

import os
import random
import time

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.fuzz.mutations import here_and_there, mutate, went_on
from tests.fuzz.samples import Sample, host, samples
from tests.fuzz.verdict import fault_of, fault_of_pages, reads_pages
from tunebench.sdk.testkit_runs import Overtime, Raised

PARSERS = sorted(entry.id for entry in host().parsers())
PAGED = sorted(entry.id for entry in host().parsers() if reads_pages(entry))


@pytest.mark.parametrize("parser", PARSERS)
def test_damaged_captures(parser):
    theirs = samples()[parser]
    if not theirs:
        pytest.skip("no capture of this kind is at hand")
    everything = [sample for each in samples().values() for sample in each]

    @settings(max_examples=12, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck), database=None)
    @given(st.sampled_from(theirs), st.sampled_from(everything), st.integers(0, 10**6), st.sampled_from((0, 777)))
    def damaged(sample, other, seed, piece):
        data = mutate(sample.data[:20_000], other.data[:20_000], seed)
        assert fault_of(sample.entry, data, piece) == "", (sample.name, other.name, seed)

    damaged()


def paged(sample: Sample, other: Sample, seed: int) -> bytes:
    """A damaged capture long enough for a parser to be under way, and hurt so little that much of it stays plain."""
    chance = random.Random(seed)
    data = here_and_there(went_on(sample.data, 40_000, chance), chance)
    return mutate(data, other.data, seed) if chance.random() < 0.4 else data


@pytest.mark.parametrize("parser", PAGED)
def test_damaged_captures_by_pages(parser):
    theirs = samples()[parser]
    if not theirs:
        pytest.skip("no capture of this kind is at hand")
    everything = [sample for each in samples().values() for sample in each]
    for seed in range(6):
        chance = random.Random(seed)
        sample, other, piece = chance.choice(theirs), chance.choice(everything), chance.choice((0, 3000, 20_000))
        assert fault_of_pages(sample.entry, paged(sample, other, seed), piece) == "", (sample.name, other.name, seed)


@pytest.mark.parametrize("parser", PARSERS)
def test_any_bytes(parser):
    entry = host().parser(parser)
    assert entry is not None
    words = st.sampled_from(
        [
            b"Linux",
            b"all",
            b"CPU",
            b"Average:",
            b"16:10:13",
            b"12.5",
            b"-",
            b"\n",
            b" ",
            b"\t",
            b",",
            b";",
            b"{",
            b"}",
            b'"',
            b"<",
            b">",
            b":",
            b"T0001",
            b"ZZZZ",
            b"sda",
            b"%",
            b"\0",
            b"\xff",
            b"\r\n",
        ]
    )

    @settings(max_examples=10, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck), database=None)
    @given(st.lists(words | st.binary(max_size=8), max_size=200).map(b"".join))
    def any_bytes(data):
        assert fault_of(entry, data, 7) == ""
        assert 0.0 <= entry.sniff(data, "capture.txt") <= 1.0

    any_bytes()


@pytest.mark.soak
def test_for_a_long_time():
    """New damage each time, for ``FUZZ_SECONDS`` (600); what fails is named by its seed.

    What reads pages is tried in two ways in turns: pieces against the whole, and pages against lines.

    ``FUZZ_SEED`` begins with a given one, ``FUZZ_PARSERS`` (``linux.sar,aix``) tries those that begin so alone.
    """
    until = time.monotonic() + float(os.environ.get("FUZZ_SECONDS", "600"))
    start = int(os.environ.get("FUZZ_SEED") or time.time_ns() % 10**9)
    everything = [sample for each in samples().values() for sample in each]
    wanted = tuple(os.environ.get("FUZZ_PARSERS", "").split(","))
    kinds = [theirs for parser, theirs in samples().items() if theirs and parser.startswith(wanted)]
    failures, seed = [], start
    while time.monotonic() < until:
        seed += 1
        chance = random.Random(seed)
        sample, other = chance.choice(chance.choice(kinds)), chance.choice(everything)
        by_pages = reads_pages(sample.entry) and chance.random() < 0.5
        try:
            if by_pages:
                fault = fault_of_pages(sample.entry, paged(sample, other, seed), chance.choice((0, 900, 3000, 20_000)))
            else:
                fault = fault_of(sample.entry, mutate(sample.data, other.data, seed), chance.choice((0, 0, 777, 4096)))
        except Overtime as error:
            fault = f"no answer within {error}"
        except Raised as error:
            fault = str(error)
            host().readmit(sample.entry.plugin_id, sample.entry.id)
        if fault:
            failures.append((seed, sample.entry.id, sample.name, other.name, fault))
            print(*failures[-1])
    print(f"{seed - start} damaged captures from seed {start}")
    assert failures == []
