from __future__ import annotations

import numpy as np

from tunebench.capture.devices import DevicePresence
from tunebench.sdk import SampleBatch, SeriesKey

NAN = float("nan")


def batch(times: list[int], /, table: str = "device", since_boot: bool = False, **columns: list[float]) -> SampleBatch:
    keys = tuple(SeriesKey(table, "r/s", (("device", name),)) for name in columns)
    return SampleBatch(
        table,
        np.array(times, dtype=np.int64),
        keys,
        np.array(list(columns.values()), dtype=float).reshape(len(columns), len(times)).T,
        np.full(len(times), since_boot),
        np.arange(1, len(times) + 1),
    )


def seen(*batches: SampleBatch) -> list[tuple[str, str, int]]:
    presence = DevicePresence()
    for one in batches:
        presence.note(one)
    return [(event.kind.value, event.text, event.start_ns) for event in presence.events()]


def test_a_disk_that_comes_and_one_that_goes() -> None:
    found = seen(
        batch([1, 2, 3], sda=[1.0, 1.0, 1.0], sdb=[5.0, 5.0, NAN]), batch([4, 5], sda=[1.0, 1.0], sdc=[NAN, 2.0])
    )
    assert found == [("device_removed", "sdb", 2), ("device_added", "sdc", 5)]


def test_the_last_and_the_first_rows_in_which_a_device_was_there() -> None:
    assert seen(batch([1, 2], sda=[1.0, 1.0]), batch([3, 4], sda=[1.0, 1.0], sdb=[1.0, NAN])) == [
        ("device_added", "sdb", 3),
        ("device_removed", "sdb", 3),
    ]
    assert seen(batch([1, 2, 3, 4], sda=[1.0] * 4, sdb=[5.0, NAN, NAN, NAN])) == [("device_removed", "sdb", 1)]


def test_an_idle_disk_left_out_in_between_is_no_event() -> None:
    assert seen(batch([1, 2, 3], sda=[1.0, NAN, 1.0])) == []


def test_a_single_block_tells_nothing() -> None:
    assert seen(batch([1], sda=[1.0], sdb=[NAN])) == []
    two = batch([1, 2], table="interface", eth0=[NAN, 1.0])
    assert seen(batch([1], sda=[1.0]), two) == [("device_added", "eth0", 2)]


def test_what_counts_since_boot_or_names_no_device_tells_nothing() -> None:
    later = batch([2, 3], sda=[1.0, 1.0])
    assert seen(batch([1], since_boot=True, sdb=[1.0]), later) == []
    assert seen(batch([1]), later) == []
