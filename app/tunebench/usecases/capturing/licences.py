"""Confirmations without which a plan is not approved: some views may be read by licensed customers only.

The database itself proves nothing: CONTROL_MANAGEMENT_PACK_ACCESS is on unless somebody turned it off. A person has to
say what the customer is licensed for, and on what evidence.
"""

from __future__ import annotations

from collections.abc import Iterable

from tunebench.core.errors import UserError
from tunebench.core.records import record
from tunebench.domain.capturing.plan import CapturePlan
from tunebench.domain.databases.choices import LicenceConfirmation
from tunebench.store.project import Project
from tunebench.usecases.databases.choices import confirm_licence, list_confirmations


@record
class LicenceNeed:
    """What a host of a plan must be licensed for. `confirmation` is the last one given, None where there is none."""

    host: str
    licence: str
    confirmation: LicenceConfirmation | None = None


def needs(project: Project, plan: CapturePlan) -> tuple[LicenceNeed, ...]:
    """Every host and licence that the plan's commands call for."""
    if not plan.licences:
        return ()
    given = list_confirmations(project)
    return tuple(LicenceNeed(host, licence, _last(given, licence, host)) for host, licence in plan.licences)


def _last(given: Iterable[LicenceConfirmation], licence: str, host: str) -> LicenceConfirmation | None:
    fitting = [confirmation for confirmation in given if confirmation.covers(licence, host)]
    return fitting[-1] if fitting else None


def given_for(project: Project, plan: CapturePlan) -> tuple[LicenceConfirmation, ...]:
    """Every confirmation that covers something of the plan, oldest first."""
    given = list_confirmations(project) if plan.licences else []
    return tuple(
        confirmation
        for confirmation in given
        if any(confirmation.covers(licence, host) for host, licence in plan.licences)
    )


def missing(project: Project, plan: CapturePlan) -> tuple[LicenceNeed, ...]:
    """The licences that the plan needs and nobody confirmed."""
    return tuple(need for need in needs(project, plan) if need.confirmation is None)


def confirm(project: Project, plan: CapturePlan, by: str, evidence: str) -> None:
    """Records a person's word for every host and licence of the plan that lacks one.

    Raises:
        UserError: licence_without_name.
    """
    for need in missing(project, plan):
        given = LicenceConfirmation(0, need.licence, need.host, "", by.strip(), evidence.strip())
        confirm_licence(project, given)


def require(project: Project, plan: CapturePlan) -> None:
    """Raises UserError licence_unconfirmed where a command of the plan needs a licence that nobody confirmed."""
    lacking = missing(project, plan)
    if lacking:
        hosts = ", ".join(dict.fromkeys(need.host for need in lacking))
        licences = ", ".join(dict.fromkeys(need.licence for need in lacking))
        raise UserError("licence_unconfirmed", licence=licences, hosts=hosts)
