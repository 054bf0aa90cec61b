"""Only what was approved goes out, to the letter."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.unit.capture.plan_cases import host, plan
from tunebench.capture.policy import CommandPolicy, CommandRefused
from tunebench.core.messages import catalogue
from tunebench.domain.capturing.plan import Approval, CapturePlan


def _approval(of: CapturePlan) -> Approval:
    return Approval(of.digest, "Kim", "2026-11-21T02:10:00+00:00", "signed_sheet")


def test_every_planned_line_is_permitted_and_names_its_command() -> None:
    approved = plan("linux.vmstat", "linux.free", "linux.sa_files", hosts=(host(), host("db02")))
    policy = CommandPolicy(approved, _approval(approved))
    for command in approved.commands:
        assert policy.permit(command.verbatim, command.host) == command


@pytest.mark.parametrize(
    "spoil",
    [
        lambda line: line + " ",
        lambda line: line.replace("vmstat -n 1 600", "vmstat -n 1 6000"),
        lambda line: line[:-1],
        lambda line: "rm -rf /",
        lambda line: line + "; rm -rf /",
        lambda line: "vmstat -n 1 600",
        lambda line: "",
    ],
)
def test_a_line_that_differs_in_one_character_is_refused_and_reported(spoil: object) -> None:
    approved = plan("linux.vmstat")
    heard: list[tuple[str, str]] = []
    policy = CommandPolicy(approved, _approval(approved), lambda where, line: heard.append((where, line)))
    command = approved.command("db01/linux.vmstat")
    line = spoil(command.verbatim)  # type: ignore[operator]
    assert line != command.verbatim
    with pytest.raises(CommandRefused) as caught:
        policy.permit(line, "db01")
    assert caught.value.key == "command_not_approved"
    assert heard == [("db01", line)]
    for language in ("ko", "en"):
        assert "⟨" not in catalogue(language).error(caught.value)


def test_a_line_of_one_host_is_not_permitted_on_another() -> None:
    approved = plan("linux.vmstat", hosts=(host(), host("db02")))
    policy = CommandPolicy(approved, _approval(approved))
    line = approved.command("db01/linux.vmstat").verbatim
    assert policy.permit(line).host == "db01"
    with pytest.raises(CommandRefused):
        policy.permit(line, "db02")
    with pytest.raises(CommandRefused):
        policy.permit(line, "nobody")


def test_an_approval_of_another_plan_permits_nothing() -> None:
    approved = plan("linux.vmstat")
    changed = replace(approved, interval_s=2.0)
    heard: list[tuple[str, str]] = []
    policy = CommandPolicy(changed, _approval(approved), lambda where, line: heard.append((where, line)))
    for command in changed.commands:
        with pytest.raises(CommandRefused) as caught:
            policy.permit(command.verbatim, command.host)
        assert caught.value.key == "plan_digest_differs"
    assert len(heard) == len(changed.commands)
