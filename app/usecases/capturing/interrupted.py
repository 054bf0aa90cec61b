"""Whether a project has captures that were cut off; light, because it is asked whenever a project is opened."""

from __future__ import annotations

from app.domain.capturing.run import SessionState
from app.store import sessions
from app.store.project import Project


def any_interrupted(project: Project) -> bool:
    """Whether some session was never finished; `collecting.unfinished` tells which of them can be taken up."""
    return any(session.state is SessionState.INTERRUPTED for session in sessions.list_sessions(project))
