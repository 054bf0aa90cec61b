"""Hosts that can be reached: profiles, their keys, and a connection test."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial

from tunebench.capture import house_commands
from tunebench.capture.clock import measure_clock
from tunebench.capture.connection_trail import put_down_connection, put_down_refusal
from tunebench.capture.survey import HostSurvey, read_survey, recognise_refusal, surveyed_host
from tunebench.core.errors import UserError
from tunebench.core.patterns import lazy_pattern
from tunebench.core.records import record
from tunebench.domain.capturing.run import ClockCheck
from tunebench.domain.connection import (
    AcceptedKey,
    HostKey,
    HostKeyQuestion,
    HostProfile,
    PromptsQuestion,
    ResolvedHost,
    SecretQuestion,
)
from tunebench.store import profiles
from tunebench.store.audit import trail as audit
from tunebench.store.locking import current_user
from tunebench.store.project import Project
from tunebench.transport.ssh import connector_for
from tunebench.transport.ssh.link import Connector, Link, LinkError, LinkFacts, LinkSettings, Prompter, Unwatched
from tunebench.transport.ssh.resolve import resolve as resolve_profile
from tunebench.usecases import services
from tunebench.usecases.projects import refuse_read_only

_NAME = lazy_pattern(r"[^\s/\\\x00-\x1f]{1,64}")
_ADDRESS = lazy_pattern(r"[^\s@/\\\x00-\x1f]{1,253}")
_DEADLINE_S = 30.0


def list_profiles(project: Project) -> tuple[HostProfile, ...]:
    return tuple(profiles.list_profiles(project))


def find_profile(project: Project, name: str) -> HostProfile:
    """Raises UserError ``host_profile_missing``."""
    for profile in profiles.list_profiles(project):
        if profile.name == name:
            return profile
    raise UserError("host_profile_missing", name=name)


def save_profile(project: Project, profile: HostProfile, *, replaces: str = "") -> HostProfile:
    """Keeps a profile; `replaces` is its former name where it is renamed.

    Raises:
        UserError: a field cannot be what it says.
    """
    refuse_read_only(project)
    _check(profile)
    others = [other for other in profiles.list_profiles(project) if other.name != (replaces or profile.name)]
    if replaces != profile.name and any(other.name == profile.name for other in others):
        raise UserError("host_profile_exists", name=profile.name)
    if replaces and replaces != profile.name:
        profiles.remove_profile(project, replaces)
    profiles.save_profile(project, profile)
    return profile


def remove_profile(project: Project, name: str) -> None:
    refuse_read_only(project)
    find_profile(project, name)
    profiles.remove_profile(project, name)


def _check(profile: HostProfile) -> None:
    if not _NAME.fullmatch(profile.name):
        raise UserError("host_name_refused", name=profile.name)
    if not _ADDRESS.fullmatch(profile.address) or profile.address.startswith("-"):
        raise UserError("host_address_refused", address=profile.address)
    if not 0 <= profile.port <= 65535:
        raise UserError("host_port_refused", port=profile.port)
    if profile.user.startswith("-") or re.search(r"[\s@\x00-\x1f]", profile.user):
        raise UserError("host_user_refused", user=profile.user)


def profile_of(words: str, *, identity: str = "", known_hosts: str = "") -> HostProfile:
    """``[user@]host[:port]`` (IPv6 in brackets) as a profile named after its address.

    Raises:
        UserError: ``host_address_refused``.
    """
    user, _, location = words.rpartition("@")
    match = re.fullmatch(r"\[([0-9A-Fa-f:.%\w]+)\](?::(\d{1,5}))?|([^:\[\]]+)(?::(\d{1,5}))?", location)
    if match is None:
        raise UserError("host_address_refused", address=words)
    address = match.group(1) or match.group(3)
    port = int(match.group(2) or match.group(4) or 0)
    profile = HostProfile(
        name=address, address=address, port=port, user=user, identity=identity, user_known_hosts=known_hosts
    )
    _check(profile)
    return profile


def resolve(project: Project, profile: HostProfile) -> ResolvedHost:
    """What will really be connected to, and where each part of it is from.

    Raises:
        UserError: the way cannot be worked out.
    """
    try:
        return resolve_profile(profile, profiles.list_profiles(project))
    except LinkError as error:
        raise as_user_error(error, profile.name) from error


def as_user_error(error: LinkError, host: str) -> UserError:
    """A connection's failure as a sentence; a host that was not named in it is named by its profile."""
    return UserError(f"ssh.{error.key}", **{"host": host, **error.facts})


# --- host keys


def accepted_keys(project: Project) -> tuple[AcceptedKey, ...]:
    return tuple(profiles.accepted_keys(project))


def forget_key(project: Project, key: HostKey) -> None:
    refuse_read_only(project)
    profiles.forget_key(project, key, current_user())


class KeepingPrompter:
    """Passes questions on, and keeps a host key that a person accepted."""

    def __init__(self, project: Project, prompter: Prompter) -> None:
        self._project = project
        self._prompter = prompter

    def accepts_host_key(self, question: HostKeyQuestion) -> bool:
        accepted = self._prompter.accepts_host_key(question)
        if accepted:
            profiles.accept_key(self._project, question.key, current_user())
        return accepted

    def secret(self, question: SecretQuestion) -> str | None:
        return self._prompter.secret(question)

    def answers(self, question: PromptsQuestion) -> Sequence[str] | None:
        return self._prompter.answers(question)


def connector(project: Project, profile: HostProfile) -> Connector:
    """The backend that the profile names, knowing the keys accepted in this engagement."""
    return connector_for(profile.backend, lambda: profiles.accepted_keys(project))


# --- test


@record
class ConnectionTest:
    """What a connection test found; nothing was changed on the host."""

    profile: HostProfile
    facts: LinkFacts
    survey: HostSurvey
    clock: ClockCheck | None  # None where its answers could not be read
    round_trip_ms: float


def test(
    project: Project, profile: HostProfile, prompter: Prompter, report_step: Callable[[str], None]
) -> ConnectionTest:
    """Connects, looks at the host with the one survey command, measures its clock, and leaves.

    What was learnt of the system (its kind, its zone) is kept in the profile and the host.

    Raises:
        UserError: it could not connect, or the host gives no usable shell.
    """
    resolved = resolve(project, profile)
    report_step("connecting")
    try:
        link = connector(project, profile).connect(
            resolved, KeepingPrompter(project, prompter), Unwatched(), LinkSettings()
        )
    except LinkError as error:
        put_down_refusal(partial(audit.record, project), profile.name, resolved.target, error.key)
        raise as_user_error(error, profile.name) from error
    try:
        report_step("surveying")
        put_down_connection(partial(audit.record, project), profile.name, resolved.target, link.facts)
        survey = _survey(link, profile)
        line = house_commands.clock_line(TEST_NONCE, survey.os)
        clock = measure_clock(lambda text: link.run(text, _DEADLINE_S), line, time.time_ns, host=profile.name)
        started = time.monotonic()
        link.run(line, _DEADLINE_S)
        round_trip_ms = (time.monotonic() - started) * 1000
        facts = link.facts
    except LinkError as error:
        raise as_user_error(error, profile.name) from error
    finally:
        link.close()
    return ConnectionTest(keep_survey(project, profile, survey), facts, survey, clock, round_trip_ms)


def _survey(link: Link, profile: HostProfile) -> HostSurvey:
    tools = sorted({probe.tool for probe in services.current().plugins.probes() if probe.tool})
    finished = link.run(house_commands.survey_line(TEST_NONCE, tools), _DEADLINE_S)
    survey = read_survey(finished.stdout)
    if not survey.os:
        refusal = recognise_refusal(finished)
        raise UserError("host_without_shell", host=profile.name, reason=str(refusal or ""))
    return survey


TEST_NONCE = "00000000"
"""Marks the lines of a connection test, which belongs to no plan."""


def keep_survey(project: Project, profile: HostProfile, survey: HostSurvey) -> HostProfile:
    """The system's kind into a saved profile, host and zone into the engagement; nothing the user said is changed."""
    if project.read_only:
        return profile
    surveyed_host(project, profile.name, survey.os, survey.os_version, survey.zone)
    if survey.os and survey.os != profile.os:
        profile = replace(profile, os=survey.os)
        if any(saved.name == profile.name for saved in profiles.list_profiles(project)):
            profiles.save_profile(project, profile)
    return profile
