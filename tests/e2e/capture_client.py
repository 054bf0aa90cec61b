"""TuneBench's engine as a process of its own, so that a test can stop it or kill it: ``capture_client.py FOLDER``.

`FOLDER` holds ``acme.tune`` and ``begin.json`` (profile, duration_s); a session in ``FOLDER/spool`` is resumed.
"""

from __future__ import annotations

import json
import sys
from dataclasses import replace
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))
sys.path.insert(0, str(ROOT / "app"))

from tests.e2e.capture_rig import SETTINGS, Nobody, connector  # noqa: E402
from tunebench.capture.plan_run import RunOrder  # noqa: E402
from tunebench.capture.session import CaptureSession  # noqa: E402
from tunebench.domain.capturing.plan import Approval, CapturePlan  # noqa: E402
from tunebench.domain.connection import Backend, HostProfile  # noqa: E402
from tunebench.domain.engagement import Phase  # noqa: E402
from tunebench.plughost.host import PluginHost  # noqa: E402
from tunebench.store import plans, runs, sessions  # noqa: E402
from tunebench.store.opening import open_project  # noqa: E402
from tunebench.store.project import Project  # noqa: E402


def ordered(project: Project, session_id: int, plan: CapturePlan, folder: Path, profile: HostProfile) -> RunOrder:
    (approval,) = plans.approvals(project, plan.digest)
    spool = folder / "spool"
    return RunOrder(
        project, session_id, plan, approval, spool, [profile], connector, Nobody(), SETTINGS, label="before"
    )


def begin(project: Project, folder: Path, profile: HostProfile) -> CaptureSession:
    plan = CapturePlan.from_json((folder / "plan.json").read_text())
    plans.save_plan(project, plan)
    run = runs.ensure_run(project, "before", Phase.BEFORE)
    session_id = sessions.begin_session(project, plan.digest, run.id, str(folder / "spool"), "before")
    approval = Approval(plan.digest, "Kim", "2026-11-21T00:00:00+00:00", "signed_sheet")
    plans.approve(project, approval)
    return CaptureSession(ordered(project, session_id, plan, folder, profile), PluginHost([]))


def main(folder: Path) -> None:
    raw = json.loads((folder / "profile.json").read_text())
    profile = replace(HostProfile(**raw), backend=Backend(raw["backend"]), jump=(), weak_algorithms=())
    with open_project(folder / "acme.tune") as project:
        if (folder / "spool" / "session.json").exists():
            (interrupted,) = sessions.list_sessions(project)
            plan = plans.find_plan(project, interrupted.digest)
            order = ordered(project, interrupted.id, plan, folder, profile)
            session = CaptureSession.resume(order, PluginHost([]))
        else:
            session = begin(project, folder, profile)
        session.start()
        print("running", flush=True)
        session.wait(600)
        print(session.snapshot().state, flush=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
