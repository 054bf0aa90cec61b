"""Names of wait events, which reports cut to the width of their column, and their classes, which many do not print."""

from __future__ import annotations

from functools import cache

_CLASSES = {
    "User I/O": (
        "db file sequential read", "db file scattered read", "db file single write", "db file parallel read",
        "direct path read", "direct path write", "direct path read temp", "direct path write temp", "direct path sync",
        "read by other session", "local write wait", "Disk file operations I/O", "utl_file I/O", "dbms_file I/O",
        "Datapump dump file I/O", "Data file init write", "cell single block physical read",
        "cell multiblock physical read", "cell smart table scan", "cell smart index scan",
        "cell list of blocks physical read", "Parameter File I/O", "BFILE read", "Shared IO Pool IO Completion",
    ),
    "System I/O": (
        "control file sequential read", "control file parallel write", "control file single write",
        "log file parallel write", "log file sequential read", "log file single write", "db file parallel write",
        "db file async I/O submit", "Log archive I/O", "RMAN backup & recovery I/O", "ADR block file read",
        "ADR block file write", "ADR file lock", "kfk: async disk IO", "io done", "ksfd: async disk IO",
    ),
    "Commit": ("log file sync", "remote log force - commit"),
    "Concurrency": (
        "buffer busy waits", "cursor: mutex S", "cursor: mutex X", "cursor: pin S", "cursor: pin S wait on X",
        "cursor: pin X", "enq: TX - index contention", "latch: cache buffers chains", "latch: In memory undo latch",
        "latch: row cache objects", "latch: shared pool", "latch: library cache", "library cache load lock",
        "library cache lock", "library cache pin", "library cache: mutex X", "library cache: mutex S",
        "library cache: bucket mutex X", "os thread startup", "row cache lock", "row cache mutex",
        "resmgr:internal state change", "latch: Undo Hint Latch", "pipe put", "logout restrictor",
    ),
    "Application": (
        "enq: TX - row lock contention", "enq: TM - contention", "enq: KO - fast object checkpoint",
        "enq: RO - fast object reuse", "enq: UL - contention", "SQL*Net break/reset to client",
        "SQL*Net break/reset to dblink", "Streams: apply reader waiting for DDL to apply",
        "Wait for Table Lock", "enq: RC - Result Cache: Contention",
    ),
    "Configuration": (
        "log buffer space", "log file switch (archiving needed)", "log file switch (checkpoint incomplete)",
        "log file switch (private strand flush incomplete)", "log file switch completion", "free buffer waits",
        "write complete waits", "undo segment extension", "enq: HW - contention", "enq: ST - contention",
        "enq: SQ - contention", "enq: TX - allocate ITL entry", "latch: redo copy", "latch: redo writing",
        "checkpoint completed", "sort segment request", "flashback buf free by RVWR",
        "statement suspended, wait error to be cleared",
    ),
    "Administrative": (
        "switch logfile command", "JS kgl get object wait", "JS kill job wait", "Backup: MML write backup piece",
        "enq: DB - contention", "index (re)build online cleanup", "enq: ZG - contention",
    ),
    "Network": (
        "SQL*Net message to client", "SQL*Net more data to client", "SQL*Net more data from client",
        "SQL*Net message to dblink", "SQL*Net message from dblink", "SQL*Net more data from dblink",
        "SQL*Net more data to dblink", "ARCH wait on SENDREQ", "LNS wait on SENDREQ", "LGWR wait on LNS",
        "Redo Transport Open", "ARCH wait for netserver start", "TCP Socket (KGAS)",
    ),
    "Scheduler": ("resmgr:cpu quantum", "resmgr:become active", "resmgr:pq queued"),
    "Cluster": (
        "gc cr block 2-way", "gc cr block 3-way", "gc cr block busy", "gc cr block congested", "gc cr block lost",
        "gc cr grant 2-way", "gc cr grant congested", "gc cr multi block request", "gc cr request", "gc cr failure",
        "gc cr disk read", "gc current block 2-way", "gc current block 3-way", "gc current block busy",
        "gc current block congested", "gc current block lost", "gc current grant 2-way", "gc current grant busy",
        "gc current grant congested", "gc current multi block request", "gc current request", "gc current retry",
        "gc current split", "gc buffer busy acquire", "gc buffer busy release", "gc buffer busy", "gc remaster",
        "gc freelist", "gc cr multi block mixed", "gc cr multi block grant", "gc index operation",
    ),
    "Other": (
        "enq: TQ - DDL contention", "enq: TC - contention", "enq: CR - block range reuse ckpt", "enq: CF - contention",
        "enq: JS - queue lock", "enq: PS - contention", "enq: IV -  contention", "enq: WF - contention",
        "kksfbc child completion", "kupp process wait", "asynch descriptor resize",
        "rdbms ipc reply", "reliable message", "latch free", "latch: active service list",
        "latch: call allocation", "latch: redo allocation", "latch: object queue header operation",
        "latch: enqueue hash chains", "latch: cache buffers lru chain", "LGWR wait for redo copy",
        "ARCH wait for archivelog lock", "Data Pump slave startup", "buffer exterminate", "DFS lock handle",
        "process startup", "events in waitclass Other", "PX Deq: reap credit", "PX Deq: Join ACK",
        "PX Deq: Parse Reply", "PX Deq: Signal ACK RSG", "PX Deq: Signal ACK EXT", "PX Deq: Slave Session Stats",
        "PX Deq Credit: free buffer", "latch: gcs resource hash", "latch: ges resource hash list",
        "name-service call wait", "gcs log flush sync", "ges inquiry response", "null event", "CSS initialization",
        "CSS operation: action", "Streams AQ: qmn coordinator waiting for slave to start",
        "oracle thread bootstrap", "LGWR any worker group", "LGWR all worker groups", "target log write size",
        "WCR: capture file IO write", "direct path write sync",
    ),
    "Idle": (
        "SQL*Net message from client", "rdbms ipc message", "smon timer", "pmon timer", "DIAG idle wait",
        "Space Manager: slave idle wait", "Streams AQ: qmn slave idle wait", "Streams AQ: qmn coordinator idle wait",
        "Streams AQ: waiting for time management or cleanup tasks", "Streams AQ: waiting for messages in the queue",
        "Streams AQ: emn coordinator idle wait", "Streams AQ: load balancer idle", "dispatcher timer",
        "shared server idle wait", "VKRM Idle", "VKTM Logical Idle Wait", "jobq slave wait", "class slave wait",
        "wait for unread message on broadcast channel", "KSV master wait", "PL/SQL lock timer", "pipe get",
        "virtual circuit status", "virtual circuit next request", "ASM background timer", "GCR sleep",
        "i/o slave wait", "LNS ASYNC end of log", "PX Idle Wait", "PX Deq: Execution Msg", "PX Deq: Execute Reply",
        "PX Deq: Table Q Normal",
        "PX Deq Credit: need buffer", "PX Deq Credit: send blkd", "gcs remote message", "ges remote message",
        "wakeup time manager", "slave wait", "lock manager wait for remote message", "pman timer", "lreg timer",
        "AQPC idle", "OFS idle", "heartbeat redo informer", "LGWR worker group idle", "LGWR timer",
        "watchdog main loop",
        "single-task message", "JOX Jit Process Sleep", "MRP redo arrival", "recovery idle", "EMON slave idle wait",
        "Data Guard: Timer", "Data Guard: Gap Manager", "REPL Capture/Apply: messages", "PING", "JS external job",
        "fbar timer", "cell worker idle",
        "parallel recovery slave idle wait", "parallel recovery coordinator idle wait",
    ),
}  # fmt: skip

IDLE = "Idle"
CLASS_NAMES = (*_CLASSES, "Queueing")


@cache
def _classes_by_event() -> dict[str, str]:
    return {event: name for name, events in _CLASSES.items() for event in events}


def whole_event(name: str, width: int, is_idle: bool | None = None) -> str:
    """The event that a name filling its column of `width` letters begins, where it begins only one.

    Args:
        is_idle: whether it is idle, where the report tells: only others have a share of the database's time.
    """
    known = _classes_by_event()
    begin = f"{name} " if len(name) == width - 1 else name  # a blank at the cut is lost
    if name in known or len(begin) < width:
        return name
    candidates = [event for event in known if event.startswith(begin)]
    if is_idle is not None:
        candidates = [event for event in candidates if (known[event] == IDLE) == is_idle]
    return candidates[0] if len(candidates) == 1 else name


def class_of(event: str) -> str:
    """Empty where it is not known."""
    return _classes_by_event().get(event, "")


def whole_class(name: str) -> str:
    """``Concurrenc`` is Concurrency; a name that begins none or several stays as it is."""
    candidates = [one for one in CLASS_NAMES if name and one.startswith(name)]
    return candidates[0] if len(candidates) == 1 else name
