"""From a host's profile to what will really be connected to.

The profile wins over the user's ssh configuration, the configuration over the defaults; where each value is from is
recorded, so that it can be shown before anything is connected.
"""

from __future__ import annotations

import getpass
import os
import re
from collections.abc import Sequence
from dataclasses import field, replace
from pathlib import Path

from tunebench.core.patterns import lazy_pattern
from tunebench.core.records import record
from tunebench.domain.connection import DEFAULT_PORT, Hop, HostProfile, ResolvedHost
from tunebench.transport.ssh.identities import certificate_beside
from tunebench.transport.ssh.link import LinkError
from tunebench.transport.ssh.ssh_config import NOTHING, HostConfig, read_host_config

DEFAULT_IDENTITIES = ("id_rsa", "id_ecdsa", "id_ecdsa_sk", "id_ed25519", "id_ed25519_sk")
DEFAULT_KNOWN_HOSTS = ("~/.ssh/known_hosts", "~/.ssh/known_hosts2", "/etc/ssh/ssh_known_hosts")
_SPEC = lazy_pattern(
    r"^(?:ssh://)?(?:(?P<user>[^@]+)@)?(?:\[(?P<six>[^\]]+)\]|(?P<host>[^:]+|[^:]*:[^:]*:.*?))"
    r"(?::(?P<port>\d+))?/?$"
)

PROFILE, CONFIG, DEFAULT = "profile", "ssh_config", "default"


@record(frozen=False)
class _Chosen:
    """A host's values with their sources, while they are being chosen."""

    source: dict[str, str] = field(default_factory=dict)

    def pick(self, name: str, profile: object, config: object, default: object) -> str:
        for origin, value in ((PROFILE, profile), (CONFIG, config)):
            if value:
                self.source[name] = origin
                return str(value)
        self.source[name] = DEFAULT
        return str(default)


@record
class _Way:
    """Where jump hosts are looked up, and the aliases on the way here (to refuse a loop)."""

    profiles: Sequence[HostProfile]
    config: Path | None
    use_config: bool = True
    visited: tuple[str, ...] = ()

    def after(self, alias: str) -> _Way:
        if alias in self.visited:
            raise _unresolved(self.visited[0], " > ".join((*self.visited, alias)))
        return replace(self, visited=(*self.visited, alias))


def resolve(profile: HostProfile, profiles: Sequence[HostProfile] = (), config: Path | None = None) -> ResolvedHost:
    """Fills in `profile`; jump hosts may be names of `profiles`.

    Args:
        config: instead of the user's (and the system's) ssh configuration.

    Raises:
        LinkError: ``unresolved``: no address, one that cannot be, or jump hosts that lead in a circle.
    """
    return _resolve(profile, _Way(profiles, config, profile.use_config).after(profile.name or profile.address))


def _resolve(profile: HostProfile, way: _Way) -> ResolvedHost:
    _check_address(profile.name, profile.address)
    asked = profile.address, profile.user, profile.port, way.config
    config = read_host_config(*asked) if profile.use_config else NOTHING
    chosen = _Chosen()
    target = _target(profile, config, chosen)
    identities = _identities(profile, config, chosen)
    command = "" if profile.jump else config.first("proxycommand")
    jump = _jump(profile, config, chosen, bool(command))
    certificate = _certificate(config, identities, chosen)
    known_hosts = _known_hosts(profile, config, chosen, target)
    if command:
        chosen.source["proxy_command"] = CONFIG
    hops, of_hops = _hops(jump, way)
    return ResolvedHost(
        profile,
        (*hops, replace(target, identities=identities)),
        identities,
        certificate,
        tuple(dict.fromkeys((*known_hosts, *of_hops))),
        tuple(sorted(chosen.source.items())),
        command,
    )


def _target(profile: HostProfile, config: HostConfig, chosen: _Chosen) -> Hop:
    address = chosen.pick("address", "", config.first("hostname"), profile.address)
    if address == profile.address:
        chosen.source["address"] = PROFILE
    port = int(chosen.pick("port", profile.port, config.first("port"), DEFAULT_PORT))
    user = chosen.pick("user", profile.user, config.first("user"), _own_name())
    key_name = chosen.pick("host_key_name", "", config.first("hostkeyalias"), address)
    return Hop(address, port, user, key_name, (), profile.weak_algorithms)


def _identities(profile: HostProfile, config: HostConfig, chosen: _Chosen) -> tuple[str, ...]:
    """A key the profile names is kept even where its file is missing: that must be told, not passed over."""
    if profile.identity:
        chosen.source["identity"] = PROFILE
        return (_expanded(profile.identity),)
    named = config.options.get("identityfile", ())
    if named:
        chosen.source["identity"] = CONFIG
        defaults = set(config.defaults.get("identityfile", ()))
        # With `IdentitiesOnly no` ssh lists its defaults too; only what somebody named is used.
        return _existing([path for path in named if path not in defaults] or list(named))
    chosen.source["identity"] = DEFAULT
    return _existing([f"~/.ssh/{name}" for name in DEFAULT_IDENTITIES])


def _certificate(config: HostConfig, identities: Sequence[str], chosen: _Chosen) -> str:
    named = _existing(config.options.get("certificatefile", ()))
    beside = certificate_beside(identities[0]) if identities else ""
    return chosen.pick("certificate", "", named[0] if named else "", beside)


def _known_hosts(profile: HostProfile, config: HostConfig, chosen: _Chosen, target: Hop) -> tuple[str, ...]:
    own = [profile.user_known_hosts] if profile.user_known_hosts else []
    user = config.options.get("userknownhostsfile", DEFAULT_KNOWN_HOSTS[:2])
    system = config.options.get("globalknownhostsfile", DEFAULT_KNOWN_HOSTS[2:])
    configured = {"userknownhostsfile", "globalknownhostsfile"} & config.options.keys()
    chosen.pick("known_hosts", own, configured, "")
    files = [_tokens(path, target) for path in (*own, *user, *system) if path.lower() != "none"]
    return tuple(dict.fromkeys(_expanded(path) for path in files))


def _tokens(path: str, target: Hop) -> str:
    """The tokens of ssh_config(5) that name a file per host."""
    values = {
        "%d": str(Path.home()),
        "%h": target.address,
        "%k": target.host_key_name,
        "%r": target.user,
        "%p": str(target.port),
        "%u": _own_name(),
        "%%": "%",
    }
    return re.sub("%.", lambda match: values.get(match[0], match[0]), path)


def _jump(profile: HostProfile, config: HostConfig, chosen: _Chosen, has_command: bool) -> tuple[str, ...]:
    configured = "" if has_command else config.first("proxyjump")
    jump = chosen.pick("jump", ",".join(profile.jump), configured, "")
    return tuple(spec.strip() for spec in jump.split(",") if spec.strip())


def _hops(jump: Sequence[str], way: _Way) -> tuple[tuple[Hop, ...], tuple[str, ...]]:
    """The hops before the host, and the known_hosts files their profiles and configuration name.

    As ``ssh -J``: only the first jump host's own jump hosts count, the others are reached through the one before.
    """
    hops: list[Hop] = []
    known_hosts: list[str] = []
    for number, spec in enumerate(jump):
        resolved = _resolve_spec(spec, way)
        hops += resolved.hops if number == 0 else (resolved.target,)
        known_hosts += resolved.known_hosts
    return tuple(hops), tuple(known_hosts)


def _resolve_spec(spec: str, way: _Way) -> ResolvedHost:
    named = next((profile for profile in way.profiles if profile.name == spec), None)
    profile = named or _profile_of(spec, way)
    resolved = _resolve(profile, way.after(spec))
    own = () if dict(resolved.source)["identity"] == DEFAULT else resolved.identities
    return replace(resolved, hops=(*resolved.hops[:-1], replace(resolved.target, identities=own)))


def _profile_of(spec: str, way: _Way) -> HostProfile:
    match = _SPEC.match(spec)
    if not match:
        raise _unresolved(way.visited[0], spec)
    address = match["six"] or match["host"]
    return HostProfile(
        name=spec, address=address, port=int(match["port"] or 0), user=match["user"] or "", use_config=way.use_config
    )


def _check_address(name: str, address: str) -> None:
    """A leading dash would be an option of ssh, a blank or control character nothing at all."""
    if not address or address.startswith("-") or re.search(r"[\s\x00-\x1f\x7f'\"`$;&|<>\\]", address):
        raise _unresolved(name or address, repr(address))


def _existing(paths: Sequence[str]) -> tuple[str, ...]:
    expanded = (_expanded(path) for path in paths if path.lower() != "none")
    return tuple(dict.fromkeys(path for path in expanded if Path(path).is_file()))


def _expanded(path: str) -> str:
    return str(Path(path).expanduser()) if path.startswith("~") else path


def _own_name() -> str:
    try:
        return getpass.getuser()
    except (KeyError, OSError):  # a user id without a name
        return os.environ.get("USERNAME", "")


def _unresolved(host: str, detail: str) -> LinkError:
    return LinkError("unresolved", final=True, host=host, detail=detail)
