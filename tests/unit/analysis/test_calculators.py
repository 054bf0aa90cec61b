"""Calculators against the documents' own figures and sums done by hand."""

from __future__ import annotations

import string

import pytest

from tunebench.analysis.calculators.calculator import InputRefusal, read_input, read_number
from tunebench.analysis.calculators.catalogue import CALCULATORS, find
from tunebench.core.errors import UserError
from tunebench.core.messages import LANGUAGES, catalogue


def values(calculator_id: str, **typed: str) -> dict[str, float | None]:
    return dict(find(calculator_id).answer(typed).values)


def notes(calculator_id: str, **typed: str) -> list[str]:
    return [note.key for note in find(calculator_id).answer(typed).notes]


# --- UFS (document 000, 4.3 to 4.6)
@pytest.mark.parametrize(("blocks", "size_bytes"), [("128", 1_048_576), ("6", 49_152), ("16", 131_072)])
def test_maxcontig_in_bytes_and_back(blocks: str, size_bytes: int) -> None:
    assert values("maxcontig_bytes", maxcontig_blocks=blocks) == {"cluster_bytes": size_bytes}
    back = values("blocks_for_bytes", wanted_bytes=str(size_bytes))
    assert back == {"maxcontig_blocks": float(blocks), "cluster_bytes": size_bytes}


def test_bytes_that_are_no_whole_blocks_are_rounded_down_and_said() -> None:
    assert values("blocks_for_bytes", wanted_bytes="1000000")["maxcontig_blocks"] == 122  # 122 x 8192 = 999,424
    assert notes("blocks_for_bytes", wanted_bytes="1000000") == ["not_a_multiple"]


def test_a_cluster_never_exceeds_maxphys() -> None:
    """A SCSI limit of 128K and a maxcontig of 512K transfer 128K."""
    typed = {"maxcontig_blocks": "64", "maxphys_bytes": "128K"}
    assert values("effective_cluster", **typed) == {"requested_bytes": 524_288, "effective_bytes": 131_072}
    assert notes("effective_cluster", **typed) == ["cluster_limited"]
    assert notes("effective_cluster", maxphys_bytes="1048576") == ["cluster_not_limited"]
    limited = values("effective_cluster", maxphys_bytes="16M", vol_maxio_blocks="512")
    assert limited["effective_bytes"] == 512 * 512
    assert values("effective_cluster", maxphys_bytes="16M", vol_maxio_blocks="2048")["effective_bytes"] == 1_048_576


def test_clusters_by_layout() -> None:
    for layout in ("raid0", "raid01"):
        found = values("raid_cluster", stripe_layout=layout, stripe_bytes="64K", members="4")
        assert found == {"cluster_bytes": 262_144, "maxcontig_blocks": 32}
    with pytest.raises(InputRefusal) as refusal:
        values("raid_cluster", stripe_layout="raid1")
    assert refusal.value.key == "calculator_raid1_cluster"


def test_read_ahead_amplifies_a_kilobyte_1024_times() -> None:
    found = values("read_amplification", request_bytes="1024", maxcontig_blocks="128")
    assert found == {"read_bytes": 1_048_576, "wasted_bytes": 1_047_552, "amplification": 1024}
    assert values("read_amplification", request_bytes="2M")["amplification"] == 1


# --- name cache, scanner, swap
def test_the_name_cache_of_the_document() -> None:
    assert values("dnlc", maxusers="1024", max_nprocs="16394") == {"ncsize": 69_992, "ufs_ninode": 69_992}


def test_copying_the_example_would_shrink_the_cache() -> None:
    typed = {"planned_ncsize": "4000", "current_ncsize": "69,992", "nfs_server": "yes"}
    assert notes("dnlc", **typed) == ["cache_shrinks", "below_default", "nfs_wants_more", "dnlc_reboot"]
    assert values("dnlc", **typed)["ufs_ninode"] == 4000
    assert notes("dnlc", current_ncsize="69992") == ["dnlc_reboot"]
    assert notes("dnlc", current_ncsize="69993")[0] == "cache_shrinks"


def test_lotsfree_is_a_sixty_fourth() -> None:
    assert values("lotsfree", memory_mib="16384") == {"lotsfree_mib": 256, "lotsfree_pages": 32_768}
    assert values("lotsfree", memory_mib="16032")["lotsfree_pages"] == 32_064  # what document 003 prints, 250.5 MiB
    assert notes("lotsfree", free_mib="203") == ["scanner_runs"]
    assert notes("lotsfree", free_mib="256") == ["scanner_rests"]


def test_swap_of_the_demonstration_is_outside_the_rule() -> None:
    found = values("swap_size", memory_mib="16384", disk_swap_mib="4096")
    assert found == {"swap_low_mib": 8192, "swap_high_mib": 24_576, "swap_share": 0.25}
    assert notes("swap_size", disk_swap_mib="4096") == ["swap_outside", "swap_contradiction"]
    assert notes("swap_size", disk_swap_mib="8192") == ["swap_contradiction"]
    assert notes("swap_size", memory_mib="131072")[0] == "swap_no_rule"
    assert values("swap_size")["swap_share"] is None  # not typed is not 0


# --- storage
@pytest.mark.parametrize(
    ("layout", "iops", "disks"),
    [("raid0", 1500, 10), ("raid1", 2000, 14), ("raid10", 2000, 14), ("raid5", 3000, 20), ("raid6", 4000, 27)],
)
def test_operations_on_the_disks_of_an_array(layout: str, iops: int, disks: int) -> None:
    """1,000 reads and 500 writes at 150 operations a disk; 2,000 / 150 = 13.3, an even number where it mirrors."""
    found = values("raid_backend", raid_layout=layout, reads_per_s="1000", writes_per_s="500", iops_per_disk="150")
    assert (found["backend_iops"], found["disks"]) == (iops, disks)


def test_the_layout_needs_disks_even_without_load() -> None:
    idle = {"reads_per_s": "0", "writes_per_s": "1", "iops_per_disk": "1000"}
    assert [values("raid_backend", raid_layout=each, **idle)["disks"] for each in ("raid5", "raid6", "raid10")] == [
        3,
        4,
        4,
    ]
    assert "parity_and_writes" in notes("raid_backend", raid_layout="raid5", **idle)


@pytest.mark.parametrize(
    ("interface", "ceiling"),
    [("eide", 16.7), ("scsi1", 5), ("fast_scsi", 10), ("fast_wide_scsi", 20), ("ultra_scsi", 40), ("fcal", 100)],
)
def test_ceilings_as_the_document_prints_them(interface: str, ceiling: float) -> None:
    found = values("interface_ceiling", interface=interface, measured_mb_s=str(ceiling / 4), size_mb="200")
    assert found["ceiling_mb_s"] == ceiling
    assert found["ceiling_used_pct"] == pytest.approx(25)
    assert found["least_s"] == pytest.approx(200 / ceiling)
    assert "above_ceiling" in notes("interface_ceiling", interface=interface, measured_mb_s="100.1")


def test_space_wasted_by_a_cluster() -> None:
    assert values("space_waste", file_bytes="1", cluster_bytes_wanted="4M")["wasted_bytes"] == 4_194_303
    assert values("space_waste", file_bytes="4096", cluster_bytes_wanted="4K")["wasted_bytes"] == 0
    found = values("space_waste", file_bytes="5000", cluster_bytes_wanted="4K", files="3")
    assert (found["clusters"], found["allocated_bytes"], found["wasted_bytes"]) == (6, 24_576, 9576)
    assert values("space_waste", file_bytes="5000", cluster_bytes_wanted="4K")["clusters"] == 2  # one file unless told
    assert values("space_waste", file_bytes="0")["wasted_pct"] is None


# --- load
@pytest.mark.parametrize(
    ("servers", "knee_pct"), [(1, 50.0), (2, 70.71), (4, 83.49), (8, 90.92), (16, 95.10), (32, 97.40), (64, 98.64)]
)
def test_the_knee_of_queueing(servers: int, knee_pct: float) -> None:
    """M/M/1: R = S / (1 - rho) is 2 S at 0.5; M/M/2: 1 / (1 - rho^2) is 2 at sqrt(0.5)."""
    assert values("queueing_knee", servers=str(servers))["knee_pct"] == pytest.approx(knee_pct, abs=0.005)


def test_response_at_the_load_of_now() -> None:
    assert values("queueing_knee", servers="1", utilisation_pct="90")["stretch_now"] == pytest.approx(10)
    assert notes("queueing_knee", servers="1", utilisation_pct="90")[0] == "above_knee"


def test_amdahls_bound() -> None:
    found = values("amdahl", share_pct="40", speed_up="3")
    assert found["whole_speed_up"] == pytest.approx(1 / (0.6 + 0.4 / 3))
    assert found["most_speed_up"] == pytest.approx(1 / 0.6)
    assert values("amdahl", share_pct="100", speed_up="5") == {
        "whole_speed_up": pytest.approx(5),
        "most_speed_up": None,
        "saved_pct": pytest.approx(80),
    }


@pytest.mark.parametrize(
    ("rate", "time_ms", "inside"), [("141", "1246.4", "175.7"), ("38.5", "353.6", "13.6"), ("44", "137.8", "6.0")]
)
def test_the_printed_captures_obey_littles_law(rate: str, time_ms: str, inside: str) -> None:
    typed = {"rate_per_s": rate, "time_ms": time_ms, "in_system": inside}
    assert notes("little", **typed) == ["little_holds"]
    assert values("little", **typed)["expected_in_system"] == pytest.approx(float(rate) * float(time_ms) / 1000)
    assert notes("little", **{**typed, "in_system": str(float(inside) * 1.2)}) == ["little_violated"]


def test_the_utilisation_law() -> None:
    """8.5 CPU-ms a transaction on 8 CPUs: 1,300 a second would need 138 %."""
    found = values("utilisation_law", throughput_per_s="1300", demand_ms="8.5", servers="8")
    assert found["load_pct"] == pytest.approx(138.125)
    assert found["most_per_s"] == pytest.approx(8 / 0.0085)
    assert notes("utilisation_law", throughput_per_s="1300") == ["infeasible"]


@pytest.mark.parametrize(
    ("before", "after", "shown", "rate_pct"),
    [("590.997", "33.17", 17.8, 94.4), ("37,539,159", "841,817", 44.6, 97.8), ("10", "1", 10.0, 90.0)],
)
def test_improvement_is_rounded_half_up_and_never_cut(before: str, after: str, shown: float, rate_pct: float) -> None:
    from tunebench.analysis.comparing.improvement import half_up

    found = values("improvement", before=before, after=after)
    assert found["ratio"] is not None and found["rate_pct"] is not None
    assert (float(half_up(found["ratio"], 1)), float(half_up(found["rate_pct"], 1))) == (shown, rate_pct)


def test_a_regression_is_called_one() -> None:
    found = values("improvement", before="1", after="1.3")
    assert found["ratio"] == pytest.approx(1.3) and found["rate_pct"] == pytest.approx(30)
    assert notes("improvement", before="1", after="1.3")[0] == "became_worse"
    assert notes("improvement", before="1", after="1.3", better="higher")[0] == "ratio_alone"


# --- bad input
@pytest.mark.parametrize(
    ("typed", "key"),
    [
        ("", "calculator_input_missing"),
        ("  ", "calculator_input_missing"),
        ("many", "calculator_not_a_number"),
        ("nan", "calculator_not_a_number"),
        ("inf", "calculator_not_a_number"),
        ("1e999", "calculator_not_a_number"),
        ("12K", "calculator_not_a_number"),
        ("1.5", "calculator_not_whole"),
        ("0", "calculator_out_of_bounds"),
        ("-3", "calculator_out_of_bounds"),
        ("1e300", "calculator_out_of_bounds"),
    ],
)
def test_bad_input_is_refused_in_one_sentence(typed: str, key: str) -> None:
    with pytest.raises(InputRefusal) as refusal:
        values("maxcontig_bytes", maxcontig_blocks=typed)
    assert refusal.value.key == key
    for language in LANGUAGES:
        sentence = catalogue(language).error(refusal.value)
        assert sentence.startswith("maxcontig:") and "{" not in sentence and "⟨" not in sentence


SIZE = (512, 2**33)
BOUNDS: dict[str, dict[str, tuple[float, float]]] = {
    "amdahl": {"share_pct": (0, 100), "speed_up": (0.001, 1e9)},
    "blocks_for_bytes": {"wanted_bytes": SIZE, "block_bytes": (512, 65_536)},
    "dnlc": {
        "maxusers": (1, 1_000_000),
        "max_nprocs": (1, 10_000_000),
        "current_ncsize": (1, 1e9),
        "planned_ncsize": (1, 1e9),
    },
    "effective_cluster": {"maxcontig_blocks": (1, 1_000_000), "maxphys_bytes": SIZE, "vol_maxio_blocks": (1, 2**24)},
    "improvement": {"before": (0, 1e18), "after": (0, 1e18)},
    "interface_ceiling": {"measured_mb_s": (0, 1e9), "size_mb": (0, 1e12)},
    "little": {"rate_per_s": (0, 1e12), "time_ms": (0, 1e12), "in_system": (0, 1e12)},
    "lotsfree": {"memory_mib": (1, 2**30), "page_bytes": (512, 2**30), "free_mib": (0, 2**30)},
    "queueing_knee": {"servers": (1, 1024), "stretch": (1.01, 100), "utilisation_pct": (0, 99.999)},
    "raid_backend": {"reads_per_s": (0, 1e9), "writes_per_s": (0, 1e9), "iops_per_disk": (1, 1e7)},
    "raid_cluster": {"stripe_bytes": (512, 2**30), "members": (1, 1000)},
    "read_amplification": {"request_bytes": (1, 2**33)},
    "space_waste": {"file_bytes": (0, 2**50), "cluster_bytes_wanted": (512, 2**30), "files": (1, 1e12)},
    "swap_size": {"disk_swap_mib": (0, 2**30)},
    "utilisation_law": {"throughput_per_s": (0, 1e12), "demand_ms": (1e-6, 1e9)},
}
"""What the sentence of a refusal promises: from a sector, one server or nothing on, up to more than any machine has."""


def test_every_number_that_may_be_typed_has_its_bounds() -> None:
    named = {name for bounds in BOUNDS.values() for name in bounds}
    assert named == {each.name for calculator in CALCULATORS for each in calculator.inputs if not each.choices}


@pytest.mark.parametrize(
    ("calculator_id", "name"), [(calculator, name) for calculator, bounds in BOUNDS.items() for name in bounds]
)
def test_a_bound_may_be_typed_and_nothing_beyond_it(calculator_id: str, name: str) -> None:
    (wanted,) = (each for each in find(calculator_id).inputs if each.name == name)
    for bound, outwards in zip(BOUNDS[calculator_id][name], (-1, 1), strict=True):
        assert read_input(wanted, repr(bound)) == bound
        beyond = bound + outwards if wanted.whole else bound + outwards * max(abs(bound) * 1e-9, 1e-12)
        with pytest.raises(InputRefusal) as refusal:
            read_input(wanted, repr(beyond))
        assert refusal.value.key == "calculator_out_of_bounds"


def test_zero_before_or_after_is_no_ratio() -> None:
    for typed in ({"before": "0"}, {"after": "0"}):
        with pytest.raises(InputRefusal) as refusal:
            values("improvement", **typed)
        assert refusal.value.key == "calculator_zero"


def test_a_choice_must_be_one() -> None:
    with pytest.raises(InputRefusal) as refusal:
        values("raid_backend", raid_layout="raid7")
    assert refusal.value.key == "calculator_not_a_choice"
    with pytest.raises(UserError):
        find("nothing")


@pytest.mark.parametrize(
    ("words", "value"),
    [
        ("1,048,576", 1_048_576),
        ("128K", 131_072),
        ("16 GiB", 2**34),
        ("1.5m", 1_572_864),
        (" 7 ", 7),
        ("x", None),
        ("", None),
    ],
)
def test_sizes_as_people_write_them(words: str, value: float | None) -> None:
    assert read_number(words, sized=True) == value


@pytest.mark.parametrize("calculator", CALCULATORS, ids=lambda each: each.id)
def test_every_calculator_has_its_words_and_answers_its_defaults(calculator) -> None:
    answer = calculator.answer({})
    assert set(answer.values) == {each.name for each in calculator.outputs}
    keys = [f"calculator.{calculator.id}.title", f"calculator.{calculator.id}.formula"]
    keys += [f"calculator.input.{each.name}" for each in calculator.inputs]
    keys += [f"calculator.choice.{name}" for each in calculator.inputs for name in each.choices]
    keys += [f"calculator.output.{each.name}" for each in calculator.outputs]
    keys += [f"calculator.unit.{each.unit}" for each in (*calculator.inputs, *calculator.outputs) if each.unit]
    for language in LANGUAGES:
        assert [key for key in keys if key not in catalogue(language)] == []
        for note in answer.notes:
            sentence = catalogue(language).text(f"calculator.note.{note.key}", **note.facts)
            assert "⟨" not in sentence and not [n for _, n, _, _ in string.Formatter().parse(sentence) if n]
