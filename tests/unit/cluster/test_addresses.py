"""Where work is done, as people write it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tunebench.cluster.addresses import address_of, processes_of
from tunebench.core.errors import UserError


def refusal(url: str, tls: Path | None = None) -> str:
    with pytest.raises(UserError) as refused:
        address_of(url, tls)
    return refused.value.key


@pytest.mark.parametrize(("on", "expected"), [("local", 6), ("local:1", 1), ("local:32", 32), ("tcp://h:1", None)])
def test_processes_of_this_machine(on: str, expected: int | None) -> None:
    assert processes_of(on, 6) == expected


@pytest.mark.parametrize("on", ["local:0", "local:-1", "local:", "local:two", "local:٣", "local:100000"])
def test_a_number_of_processes_that_is_none(on: str) -> None:
    with pytest.raises(UserError, match="on_unknown"):
        processes_of(on, 6)


@pytest.mark.parametrize(
    "url",
    [
        "",
        "here",
        "http://127.0.0.1:1",
        "tcp://127.0.0.1",
        "tcp://:8786",
        "tcp://[::1",
        "tcp://h:1/p",
        "tcp://127.0.0.1:99999",
    ],
)
def test_what_is_no_address(url: str) -> None:
    assert refusal(url) == "on_unknown"


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "[::1]", "127.9.9.9"])
def test_on_this_machine_nothing_is_encrypted(host: str) -> None:
    assert address_of(f"tcp://{host}:8786", None).tls is None


@pytest.mark.parametrize("host", ["10.0.0.1", "db01", "0.0.0.0", "localhost.example.com"])
def test_beyond_it_everything_is(host: str) -> None:
    assert refusal(f"tcp://{host}:8786") == "cluster_wants_tls"


def test_certificates_lie_in_one_folder(tmp_path: Path) -> None:
    assert refusal("tls://db01:8786") == "cluster_tls_files"
    for name in ("ca.pem", "cert.pem"):
        (tmp_path / name).touch()
    with pytest.raises(UserError) as refused:
        address_of("tls://db01:8786", tmp_path)
    assert refused.value.facts == {"folder": str(tmp_path), "missing": "key.pem"}
    (tmp_path / "key.pem").touch()
    address = address_of("tls://db01:8786", tmp_path)
    assert (address.ca, address.key) == (str(tmp_path / "ca.pem"), str(tmp_path / "key.pem"))
