"""What will be connected to, from profile, ssh configuration and defaults; with and without an ssh to ask."""

from __future__ import annotations

import getpass
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from tunebench.domain.connection import HostProfile, ResolvedHost
from tunebench.transport.ssh import ssh_config
from tunebench.transport.ssh.link import LinkError
from tunebench.transport.ssh.resolve import resolve

Resolve = Callable[..., ResolvedHost]


@pytest.fixture(params=["ssh -G", "without ssh"])
def from_config(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Resolve:
    """Resolves with a configuration text, in both ways."""
    if request.param == "without ssh":
        monkeypatch.setattr(shutil, "which", lambda _name: None)
    elif shutil.which("ssh") is None:
        pytest.skip("no OpenSSH client (ssh) on this machine")
    monkeypatch.setenv("HOME", str(tmp_path))

    def run(config: str, profile: HostProfile, *profiles: HostProfile) -> ResolvedHost:
        path = tmp_path / "config"
        path.write_text(config)
        return resolve(profile, profiles, path)

    return run


def existing(path: Path) -> str:
    path.parent.mkdir(exist_ok=True)
    path.touch()
    return str(path)


def test_configuration_fills_in_what_the_profile_leaves_open(from_config: Resolve, tmp_path: Path) -> None:
    key = existing(tmp_path / "key")
    found = from_config(
        f"Host db\n HostName 10.0.0.9\n User oracle\n Port 2200\n IdentityFile {key}\n HostKeyAlias prod-db\n"
        f" UserKnownHostsFile {tmp_path}/a {tmp_path}/b\n",
        HostProfile("DB", "db", user_known_hosts="/own"),
    )
    target = found.target
    assert (target.address, target.port, target.user, target.host_key_name) == ("10.0.0.9", 2200, "oracle", "prod-db")
    assert found.identities == (key,)
    assert found.known_hosts[:3] == ("/own", f"{tmp_path}/a", f"{tmp_path}/b")
    sources = dict(found.source)
    assert {sources[name] for name in ("address", "port", "user", "identity", "host_key_name")} == {"ssh_config"}
    assert sources["known_hosts"] == "profile"
    assert sources["jump"] == "default"


def test_profile_wins(from_config: Resolve, tmp_path: Path) -> None:
    key = existing(tmp_path / "mine")
    found = from_config(
        f"Host db\n User oracle\n Port 2200\n IdentityFile {existing(tmp_path / 'theirs')}\n ProxyJump gate\n",
        HostProfile("DB", "db", port=2022, user="kim", identity=key, jump=("bastion",)),
    )
    assert (found.target.port, found.target.user) == (2022, "kim")
    assert found.identities == (key,)
    assert [hop.address for hop in found.hops] == ["bastion", "db"]
    assert {dict(found.source)[name] for name in ("port", "user", "identity", "jump")} == {"profile"}


def test_defaults(from_config: Resolve, tmp_path: Path) -> None:
    found = from_config("", HostProfile("DB", "db.example.com"))
    assert (found.target.address, found.target.port) == ("db.example.com", 22)
    assert found.target.user == getpass.getuser()
    assert found.target.host_key_name == "db.example.com"
    assert found.identities == ()
    assert dict(found.source)["port"] == "default"
    default = existing(tmp_path / ".ssh" / "id_ed25519")
    assert from_config("", HostProfile("DB", "db.example.com")).identities == (default,)
    named = existing(tmp_path / "named")
    assert from_config(f"Host *\n IdentityFile {named}\n", HostProfile("DB", "db")).identities == (named,)


def test_configuration_is_not_asked_where_the_profile_says_so(from_config: Resolve) -> None:
    found = from_config("Host db\n Port 2200\n", HostProfile("DB", "db", use_config=False))
    assert found.target.port == 22


def test_several_identities_only_those_that_exist(from_config: Resolve, tmp_path: Path) -> None:
    first, second = existing(tmp_path / "k1"), existing(tmp_path / "k2")
    config = f"Host db\n IdentityFile {first}\n IdentityFile {tmp_path}/none\n IdentityFile {second}\n"
    assert from_config(config, HostProfile("DB", "db")).identities == (first, second)


def test_missing_key_of_the_profile_is_kept_so_that_it_is_told(from_config: Resolve, tmp_path: Path) -> None:
    path = str(tmp_path / "none")
    assert from_config("", HostProfile("DB", "db", identity=path)).identities == (path,)


def test_certificate_named_or_beside_the_key(from_config: Resolve, tmp_path: Path) -> None:
    key = existing(tmp_path / "k1")
    beside = existing(tmp_path / "k1-cert.pub")
    assert from_config("", HostProfile("DB", "db", identity=key)).certificate == beside
    named = existing(tmp_path / "other-cert.pub")
    found = from_config(f"Host db\n CertificateFile {named}\n", HostProfile("DB", "db", identity=key))
    assert found.certificate == named


def test_jump_hosts_in_order_each_resolved(from_config: Resolve, tmp_path: Path) -> None:
    key = existing(tmp_path / "gate_key")
    config = (
        f"Host db\n ProxyJump gate,op@inner:2022\nHost gate\n HostName 192.0.2.1\n User kim\n Port 2100\n"
        f" IdentityFile {key}\nHost inner\n HostName 10.1.1.1\n"
    )
    found = from_config(config, HostProfile("DB", "db", user="oracle"))
    assert [(hop.user, hop.address, hop.port) for hop in found.hops] == [
        ("kim", "192.0.2.1", 2100),
        ("op", "10.1.1.1", 2022),
        ("oracle", "db", 22),
    ]
    assert found.hops[0].identities == (key,)
    assert found.hops[1].identities == ()


def test_first_jump_host_may_have_its_own(from_config: Resolve) -> None:
    config = "Host db\n ProxyJump b,c\nHost b\n ProxyJump a\nHost c\n ProxyJump ignored\n"
    found = from_config(config, HostProfile("DB", "db"))
    assert [hop.address for hop in found.hops] == ["a", "b", "c", "db"]


def test_jump_host_that_is_a_profile(from_config: Resolve) -> None:
    gate = HostProfile("Gate 1", "192.0.2.1", port=2100, user="kim", weak_algorithms=("ssh-rsa",))
    found = from_config("", HostProfile("DB", "db", jump=("Gate 1",)), gate)
    assert (found.hops[0].address, found.hops[0].port, found.hops[0].user) == ("192.0.2.1", 2100, "kim")
    assert found.hops[0].weak_algorithms == ("ssh-rsa",)
    assert found.target.weak_algorithms == ()


@pytest.mark.parametrize(
    ("spec", "expected"),
    [
        ("gate", ("", "gate", 22)),
        ("kim@gate", ("kim", "gate", 22)),
        ("kim@gate:2022", ("kim", "gate", 2022)),
        ("ssh://kim@gate:2022", ("kim", "gate", 2022)),
        ("[fe80::1]:2022", ("", "fe80::1", 2022)),
        ("fe80::1", ("", "fe80::1", 22)),
        ("kim@[::1]", ("kim", "::1", 22)),
    ],
)
def test_forms_of_jump_hosts(from_config: Resolve, spec: str, expected: tuple[str, str, int]) -> None:
    hop = from_config("", HostProfile("DB", "db", jump=(spec,))).hops[0]
    assert (hop.user if expected[0] else "", hop.address, hop.port) == expected


def test_loops_are_refused(from_config: Resolve) -> None:
    with pytest.raises(LinkError, match="unresolved") as caught:
        from_config("Host a\n ProxyJump b\nHost b\n ProxyJump a\n", HostProfile("a", "a"))
    assert caught.value.final
    assert caught.value.facts["detail"] == "a > b > a"


def test_no_jump_host(from_config: Resolve) -> None:
    assert len(from_config("Host *\n ProxyJump none\n", HostProfile("DB", "db")).hops) == 1


def test_proxy_command_is_reported(from_config: Resolve) -> None:
    found = from_config("Host db\n ProxyCommand nc -X connect %h %p\n", HostProfile("DB", "db"))
    assert found.proxy_command.startswith("nc -X connect")
    assert dict(found.source)["proxy_command"] == "ssh_config"
    assert from_config("Host db\n ProxyCommand nc x\n", HostProfile("DB", "db", jump=("g",))).proxy_command == ""


@pytest.mark.parametrize("address", ["", "-oProxyCommand=evil", "a b", "a\nb", "a;b", "$(a)"])
def test_addresses_that_cannot_be(from_config: Resolve, address: str) -> None:
    with pytest.raises(LinkError, match="unresolved"):
        from_config("", HostProfile("DB", address))


def test_include_is_followed(from_config: Resolve, tmp_path: Path) -> None:
    (tmp_path / "more").write_text("Host db\n Port 2345\n")
    found = from_config(f"Include {tmp_path}/mo*\n", HostProfile("DB", "db"))
    assert found.target.port == 2345


# -- what only the reading without ssh has to stand


@pytest.fixture
def without_ssh(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shutil, "which", lambda _name: None)


@pytest.mark.usefixtures("without_ssh")
def test_commands_of_match_are_not_run(tmp_path: Path) -> None:
    config = tmp_path / "config"
    config.write_text(f'Match exec "touch {tmp_path}/ran"\n Port 9999\nHost db\n Port 2345\n')
    assert resolve(HostProfile("DB", "db"), config=config).target.port == 2345
    assert not (tmp_path / "ran").exists()


@pytest.mark.usefixtures("without_ssh")
def test_broken_lines_cost_only_themselves(tmp_path: Path) -> None:
    config = tmp_path / "config"
    config.write_bytes(
        b'Nonsense\nHost "unbalanced\n Port 1\nMatch nonsense x\n Port 2\n\xff\xfe\nHost db\n Port 2345\n'
    )
    assert resolve(HostProfile("DB", "db"), config=config).target.port == 2345


def test_ssh_that_refuses_the_configuration_falls_back(tmp_path: Path) -> None:
    config = tmp_path / "config"
    config.write_text("Nonsense yes\nHost db\n Port 2345\n")
    assert resolve(HostProfile("DB", "db"), config=config).target.port == 2345


@pytest.mark.skipif(shutil.which("ssh") is None, reason="no OpenSSH client (ssh) on this machine")
def test_configuration_that_hangs_is_given_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ssh_config, "DEADLINE_S", 0.3)
    config = tmp_path / "config"
    config.write_text('Match exec "sleep 3"\n Port 9999\nHost db\n Port 2345\n')
    assert resolve(HostProfile("DB", "db"), config=config).target.port == 2345
