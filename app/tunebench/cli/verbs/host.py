"""``host``: the connections of an engagement. Secrets are asked for, never taken from the command line."""

from __future__ import annotations

import argparse
from contextlib import closing
from dataclasses import replace

from tunebench.cli import host_devices
from tunebench.cli.acts import Acts, add_acts
from tunebench.cli.arguments import Translate, argument, flag, optional, several
from tunebench.cli.console import Console
from tunebench.cli.prompter import TerminalPrompter
from tunebench.contract import capturing as capture_shapes
from tunebench.contract.shapes import Shape, shape
from tunebench.core.errors import UserError
from tunebench.domain.connection import Backend, HostColour, HostProfile
from tunebench.domain.operating_systems import os_word
from tunebench.usecases import projects
from tunebench.usecases.capturing import connections
from tunebench.usecases.capturing.connections import ConnectionTest
from tunebench.usecases.projects import Project

_CONNECTED = (
    "backend server=server_version addresses key_type=host_key_type fingerprint verdict=host_key_verdict"
    " auth=auth_method kex cipher mac weak hops"
)


def register(parser: argparse.ArgumentParser, text: Translate) -> None:
    add_acts(parser, text, "cli.host.help", _ACTS)


def run(args: argparse.Namespace, console: Console) -> None:
    with closing(projects.open_(args.project)) as project:
        _ACTS[args.act][0](args, project, console)


def _add(args: argparse.Namespace, project: Project, console: Console) -> None:
    profile = HostProfile(
        name=args.name,
        address=args.address or args.name,
        port=args.port,
        user=args.user,
        identity=args.identity,
        jump=tuple(args.jump),
        backend=Backend(args.backend),
        weak_algorithms=tuple(args.allow_weak),
        colour=HostColour(args.colour),
        use_config=not args.no_config,
        os=os_word(args.os),
        note=args.note,
        user_known_hosts=args.known_hosts,
    )
    connections.save_profile(project, profile)
    console.say("cli.host.saved", name=profile.name)
    console.result(_profile_shape(profile))


def _list(_args: argparse.Namespace, project: Project, console: Console) -> None:
    profiles = connections.list_profiles(project)
    if not profiles:
        console.say("cli.host.none")
    else:
        console.table(
            console.headings("cli.host.column", "name address user os backend"),
            [[p.name, p.address + (f":{p.port}" if p.port else ""), p.user, p.os, str(p.backend)] for p in profiles],
        )
    console.result([_profile_shape(profile) for profile in profiles])


def _show(args: argparse.Namespace, project: Project, console: Console) -> None:
    profile = connections.find_profile(project, args.name)
    resolved = connections.resolve(project, profile)
    for hop in resolved.hops:
        console.say("cli.host.hop", user=hop.user, address=hop.address, port=hop.port)
    for field, source in resolved.source:
        console.print(f"  {field}: {console.text(f'cli.host.source.{source}')}")
    console.result(
        {
            **_profile_shape(profile),
            "resolved": {
                "hops": [shape(hop, "user address port") for hop in resolved.hops],
                **shape(resolved, "identities certificate? known_hosts proxy_command?"),
                "source": dict(resolved.source),
            },
        }
    )


def _remove(args: argparse.Namespace, project: Project, console: Console) -> None:
    connections.remove_profile(project, args.name)
    console.say("cli.host.removed", name=args.name)
    console.result({"removed": args.name})


def _test(args: argparse.Namespace, project: Project, console: Console) -> None:
    profile = profile_of(args, project, args.name)
    test = connections.test(
        project,
        profile,
        TerminalPrompter(console, args.accept_host_key),
        lambda step: console.notice(f"cli.host.step.{step}", host=profile.name),
    )
    _say_test(test, console)
    console.result(_test_shape(test))


def _keys(_args: argparse.Namespace, project: Project, console: Console) -> None:
    keys = connections.accepted_keys(project)
    if not keys:
        console.say("cli.host.no_keys")
    for accepted in keys:
        key = accepted.key
        console.say(
            "cli.host.key",
            address=key.address,
            port=key.port,
            key_type=key.key_type,
            fingerprint=key.fingerprint,
            by=accepted.accepted_by,
            at=accepted.accepted_at,
        )
    console.result(
        [
            {**shape(item.key, "address port type=key_type fingerprint"), **shape(item, "accepted_by accepted_at")}
            for item in keys
        ]
    )


def _forget(args: argparse.Namespace, project: Project, console: Console) -> None:
    matching = [a.key for a in connections.accepted_keys(project) if a.key.fingerprint == args.fingerprint]
    if not matching:
        raise UserError("host_key_not_accepted", fingerprint=args.fingerprint)
    for key in matching:
        connections.forget_key(project, key)
    console.say("cli.host.forgotten", fingerprint=args.fingerprint)
    console.result({"forgotten": args.fingerprint})


# -- grammar -------------------------------------------------------------------------------------------

_IDENTITY = (
    optional("--identity", "cli.host.help.identity", "FILE"),
    optional("--known-hosts", "cli.host.help.known_hosts", "FILE"),
)
CONNECTION = (*_IDENTITY, several("--accept-host-key", "cli.host.help.accept", "SHA256:..."))
"""What everything takes that connects to a host."""
_NAME = argument("name", "cli.host.help.name", "NAME")
_PROFILE = (
    _NAME,
    optional("--address", "cli.host.help.address", "HOST"),
    argument("--port", "cli.host.help.port", "N", type=int, default=0),
    optional("--user", "cli.host.help.user", "NAME"),
    *_IDENTITY,
    several("--jump", "cli.host.help.jump", "[user@]host[:port]"),
    argument("--backend", "cli.host.help.backend", choices=[b.value for b in Backend], default="paramiko"),
    several("--allow-weak", "cli.host.help.allow_weak", "ALGORITHM"),
    argument("--colour", "cli.host.help.colour", choices=[c.value for c in HostColour if c], default=""),
    optional("--os", "cli.host.help.os", "OS"),
    flag("--no-config", "cli.host.help.no_config"),
    optional("--note", "cli.host.help.note", "TEXT"),
)
_ACTS: Acts = {
    "add": (_add, _PROFILE),
    "list": (_list, ()),
    "keys": (_keys, ()),
    "show": (_show, (_NAME,)),
    "remove": (_remove, (_NAME,)),
    "test": (_test, (argument("name", "cli.host.help.place", "NAME|[user@]host[:port]"), *CONNECTION)),
    "forget-key": (_forget, (argument("fingerprint", "cli.host.help.fingerprint", "SHA256:..."),)),
    "alias": (host_devices.alias, host_devices.ALIAS),
    "overlaps": (host_devices.overlaps, host_devices.OVERLAPS),
}


def profile_of(args: argparse.Namespace, project: Project, words: str) -> HostProfile:
    """A saved profile by its name, else ``[user@]host[:port]``; what the command line says on top wins."""
    saved = {profile.name: profile for profile in connections.list_profiles(project)}
    profile = saved.get(words)
    if profile is None:
        return connections.profile_of(words, identity=args.identity, known_hosts=args.known_hosts)
    return replace(
        profile,
        identity=args.identity or profile.identity,
        user_known_hosts=args.known_hosts or profile.user_known_hosts,
    )


def _profile_shape(profile: HostProfile) -> Shape:
    names = "name address port? user? identity? jump backend weak_algorithms colour? use_config os? note?"
    return shape(profile, f"{names} known_hosts=user_known_hosts?")


def _say_test(test: ConnectionTest, console: Console) -> None:
    facts, survey = test.facts, test.survey
    console.say(
        "cli.host.test.connected",
        host=test.profile.name,
        server=facts.server_version,
        method=facts.auth_method,
        key_type=facts.host_key_type,
        fingerprint=facts.fingerprint,
    )
    console.say("cli.host.test.system", hostname=survey.hostname, os=survey.os, version=survey.os_version)
    if test.clock is not None:
        offset_ms, error_ms = test.clock.offset_ns / 1e6, test.clock.error_ns / 1e6
        zone = test.clock.zone or "-"
        console.say("cli.host.test.clock", offset=f"{offset_ms:+.1f}", error=f"{error_ms:.1f}", zone=zone)
    console.say("cli.host.test.tools", tools=", ".join(sorted(survey.tools)) or "-")
    if facts.weak:
        console.say("cli.host.test.weak", algorithms=", ".join(facts.weak))


def _test_shape(test: ConnectionTest) -> Shape:
    facts, survey, clock = test.facts, test.survey, test.clock
    return {
        "host": test.profile.name,
        "connection": {
            **shape(facts, _CONNECTED),
            "connect_ms": round(facts.connect_ms, 1),
            "round_trip_ms": round(test.round_trip_ms, 1),
            "reconnects_alone": facts.reconnects_alone,
        },
        "system": {**shape(survey, "hostname os os_version kernel cpus=cpu_count zone?"), "tools": dict(survey.tools)},
        "clock": capture_shapes.clock(clock) if clock is not None else None,
    }
