"""Which captured fact is about which parameter of an executed change."""

from __future__ import annotations

import pytest

from tunebench.usecases.cycle.evidence import same_parameter


@pytest.mark.parametrize(
    ("fact", "parameter"),
    [
        ("maxcontig", "maxcontig"),
        ("/dev/rdsk/c0t0d0s0 maxcontig", "maxcontig"),
        ("md_maxphys", "md:md_maxphys"),
        ("ufs:ufs_ninode", "UFS_NINODE"),
        ("vm.swappiness", "swappiness"),
        ("swappiness", "vm.swappiness"),
    ],
)
def test_one_name_with_and_without_what_qualifies_it(fact, parameter):
    assert same_parameter(fact, parameter)


@pytest.mark.parametrize(
    ("fact", "parameter"),
    [("net.ipv4.conf.rp_filter", "net.ipv6.conf.rp_filter"), ("maxphys", "md_maxphys"), ("maxphys", "maxcontig")],
)
def test_other_names(fact, parameter):
    assert not same_parameter(fact, parameter)
