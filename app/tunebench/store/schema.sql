-- Schema of a TuneBench project file, version 2.1. A later version changes this file and adds a step to
-- migrations/, so that a fresh file and a migrated one are equal.
-- Times are UTC nanoseconds (_ns) or ISO texts; missing is NULL.

CREATE TABLE property (
    name TEXT PRIMARY KEY,
    value TEXT NOT NULL
) WITHOUT ROWID;

CREATE TABLE engagement (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    title TEXT NOT NULL,
    customer TEXT NOT NULL,
    site TEXT NOT NULL,
    firm TEXT NOT NULL,
    period_start TEXT NOT NULL,
    period_end TEXT NOT NULL,
    zone TEXT NOT NULL,
    language TEXT NOT NULL,
    confidentiality TEXT NOT NULL
, translations TEXT NOT NULL DEFAULT '[]');

CREATE TABLE consultant (
    position INTEGER PRIMARY KEY,
    name TEXT NOT NULL
);

CREATE TABLE narrative (
    section TEXT NOT NULL,
    language TEXT NOT NULL,
    position INTEGER NOT NULL,
    text TEXT NOT NULL,
    PRIMARY KEY (section, language, position)
) WITHOUT ROWID;

CREATE TABLE measurement (
    position INTEGER PRIMARY KEY,
    key TEXT NOT NULL,
    label_ko TEXT NOT NULL,
    label_en TEXT NOT NULL,
    unit TEXT NOT NULL,
    statistic TEXT NOT NULL,
    direction TEXT NOT NULL,
    before REAL,
    after REAL,
    before_bound TEXT NOT NULL,
    after_bound TEXT NOT NULL,
    before_date TEXT NOT NULL,
    after_date TEXT NOT NULL,
    samples INTEGER,
    decimals INTEGER NOT NULL,
    source TEXT NOT NULL
, translations TEXT NOT NULL DEFAULT '[]');

CREATE TABLE note (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    target_kind TEXT NOT NULL,
    target_id INTEGER,
    time_ns INTEGER,
    text TEXT NOT NULL,
    author TEXT NOT NULL,
    written_at TEXT NOT NULL
);

-- Every report file that was written out of this project. path is absolute: where the file was put.
CREATE TABLE report (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    written_at TEXT NOT NULL,
    kind TEXT NOT NULL,
    language TEXT NOT NULL,
    issued TEXT NOT NULL,
    file_name TEXT NOT NULL,
    path TEXT NOT NULL,
    sha256 TEXT NOT NULL,
    size_bytes INTEGER NOT NULL,
    edition TEXT NOT NULL,
    program_version TEXT NOT NULL
);

CREATE TABLE host (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    os TEXT NOT NULL,
    os_version TEXT NOT NULL,
    zone TEXT NOT NULL,
    zone_source TEXT NOT NULL
);

CREATE TABLE run (
    id INTEGER PRIMARY KEY,
    label TEXT NOT NULL UNIQUE,
    phase TEXT NOT NULL
);

-- A capture, kept verbatim. state: receiving (bytes incomplete), pending (bytes complete, not parsed),
-- imported, unrecognised, failed. ledger and given are JSON.
CREATE TABLE artefact (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    run_id INTEGER NOT NULL REFERENCES run (id),
    host_id INTEGER REFERENCES host (id),
    name TEXT NOT NULL,
    source_path TEXT NOT NULL,
    sha256 TEXT NOT NULL DEFAULT '',
    size_bytes INTEGER NOT NULL DEFAULT 0,
    stored_bytes INTEGER NOT NULL DEFAULT 0,
    modified_ns INTEGER NOT NULL,
    imported_at TEXT NOT NULL,
    parser_id TEXT NOT NULL DEFAULT '',
    parser_version TEXT NOT NULL DEFAULT '',
    state TEXT NOT NULL,
    first_ns INTEGER,
    last_ns INTEGER,
    ledger TEXT NOT NULL DEFAULT '{}',
    given TEXT NOT NULL DEFAULT '{}'
);
CREATE INDEX artefact_by_run ON artefact (run_id);
CREATE INDEX artefact_by_host ON artefact (host_id);
CREATE UNIQUE INDEX artefact_by_sha256 ON artefact (sha256) WHERE sha256 <> '';

-- line_ends counts the line ends before this piece, so that a line is found without unpacking the rest.
CREATE TABLE artefact_chunk (
    artefact_id INTEGER NOT NULL REFERENCES artefact (id) ON DELETE CASCADE,
    position INTEGER NOT NULL,
    line_ends INTEGER NOT NULL,
    size_bytes INTEGER NOT NULL,
    data BLOB NOT NULL,
    PRIMARY KEY (artefact_id, position)
);

CREATE TABLE event (
    id INTEGER PRIMARY KEY,
    artefact_id INTEGER NOT NULL REFERENCES artefact (id) ON DELETE CASCADE,
    kind TEXT NOT NULL,
    start_ns INTEGER NOT NULL,
    end_ns INTEGER,
    text TEXT NOT NULL
);
CREATE INDEX event_by_artefact ON event (artefact_id);

-- Statements entered by hand; what captures say is in database_record.
CREATE TABLE statement (
    id INTEGER PRIMARY KEY,
    run_id INTEGER NOT NULL REFERENCES run (id),
    engine TEXT NOT NULL,
    statement_id TEXT NOT NULL,
    text TEXT NOT NULL,
    module TEXT NOT NULL,
    plan TEXT NOT NULL,
    executions INTEGER,
    elapsed_s REAL,
    cpu_s REAL,
    block_gets INTEGER,
    block_reads INTEGER,
    "rows" INTEGER
);
CREATE INDEX statement_by_run ON statement (run_id);

-- The time stamps that the series of one table share. complete becomes 1 when all its samples are written.
-- ascending is 0 where the capture's clock went backwards: its rows are sorted when they are read.
CREATE TABLE clock (
    id INTEGER PRIMARY KEY,
    artefact_id INTEGER NOT NULL REFERENCES artefact (id) ON DELETE CASCADE,
    table_name TEXT NOT NULL,
    tool TEXT NOT NULL,
    complete INTEGER NOT NULL DEFAULT 0,
    ascending INTEGER NOT NULL DEFAULT 1,
    rows_stored INTEGER NOT NULL DEFAULT 0,
    since_boot_rows INTEGER NOT NULL DEFAULT 0,
    chunks INTEGER NOT NULL DEFAULT 0,
    first_ns INTEGER,
    last_ns INTEGER,
    interval_s REAL,
    UNIQUE (artefact_id, table_name)
);

-- Rows start_row .. start_row + row_count - 1 of a clock. since_boot: packed bits, NULL where no row is flagged.
CREATE TABLE clock_chunk (
    clock_id INTEGER NOT NULL REFERENCES clock (id) ON DELETE CASCADE,
    position INTEGER NOT NULL,
    start_row INTEGER NOT NULL,
    row_count INTEGER NOT NULL,
    first_ns INTEGER NOT NULL,
    last_ns INTEGER NOT NULL,
    since_boot BLOB,
    times BLOB NOT NULL,
    line_numbers BLOB NOT NULL,
    PRIMARY KEY (clock_id, position)
);
CREATE INDEX clock_chunk_by_row ON clock_chunk (clock_id, start_row, position);
CREATE INDEX clock_chunk_by_time ON clock_chunk (clock_id, first_ns, position);

CREATE TABLE series (
    id INTEGER PRIMARY KEY,
    clock_id INTEGER NOT NULL REFERENCES clock (id) ON DELETE CASCADE,
    native TEXT NOT NULL,
    attributes TEXT NOT NULL,
    metric TEXT NOT NULL,
    unit TEXT NOT NULL,
    kind TEXT NOT NULL,
    direction TEXT NOT NULL,
    to_base REAL NOT NULL,
    base_unit TEXT NOT NULL,
    implied TEXT NOT NULL,
    definition TEXT NOT NULL,
    sample_count INTEGER NOT NULL DEFAULT 0,
    missing_count INTEGER NOT NULL DEFAULT 0,
    first_ns INTEGER,
    last_ns INTEGER,
    UNIQUE (clock_id, native, attributes)
);

-- Values of one series in one chunk of its clock; no row where all are missing. valid, minimum, maximum and
-- total leave missing and since-boot samples out. missing: packed bits, NULL where none is missing; data holds
-- the present values only, because a NaN among them doubles what they take.
CREATE TABLE sample_chunk (
    series_id INTEGER NOT NULL REFERENCES series (id) ON DELETE CASCADE,
    position INTEGER NOT NULL,
    valid INTEGER NOT NULL,
    minimum REAL,
    maximum REAL,
    total REAL,
    missing BLOB,
    data BLOB NOT NULL,
    PRIMARY KEY (series_id, position)
);

-- Pyramid: a bin of level k covers 4^k successive rows of the clock; a tile holds 4096 successive bins, no row
-- where all of them are empty. valid: present values per bin, NULL where no bin lacks one.
-- Levels start at 2 (16 rows): up to there the raw chunks of a window are unpacked as fast.
CREATE TABLE clock_tile (
    clock_id INTEGER NOT NULL REFERENCES clock (id) ON DELETE CASCADE,
    level INTEGER NOT NULL,
    position INTEGER NOT NULL,
    starts BLOB NOT NULL,
    ends BLOB NOT NULL,
    PRIMARY KEY (clock_id, level, position)
);

CREATE TABLE series_tile (
    series_id INTEGER NOT NULL REFERENCES series (id) ON DELETE CASCADE,
    level INTEGER NOT NULL,
    position INTEGER NOT NULL,
    minimum BLOB NOT NULL,
    maximum BLOB NOT NULL,
    mean BLOB NOT NULL,
    valid BLOB,
    PRIMARY KEY (series_id, level, position)
);

-- How a host is reached. profile: JSON of the profile, never a secret.
CREATE TABLE host_profile (
    name TEXT PRIMARY KEY,
    profile TEXT NOT NULL
) WITHOUT ROWID;

-- Host keys that a person accepted; a key replaced or forgotten stays, with when and by whom it ended.
CREATE TABLE accepted_key (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    address TEXT NOT NULL,
    port INTEGER NOT NULL,
    key_type TEXT NOT NULL,
    blob TEXT NOT NULL,
    fingerprint TEXT NOT NULL,
    accepted_by TEXT NOT NULL,
    accepted_at TEXT NOT NULL,
    ended_by TEXT,
    ended_at TEXT
);
CREATE UNIQUE INDEX accepted_key_in_force ON accepted_key (address, port, key_type) WHERE ended_at IS NULL;

-- A plan as its canonical JSON text; digest is the SHA-256 of that text.
CREATE TABLE capture_plan (
    id INTEGER PRIMARY KEY,
    digest TEXT NOT NULL UNIQUE,
    plan TEXT NOT NULL,
    saved_at TEXT NOT NULL
);

CREATE TABLE approval (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    digest TEXT NOT NULL REFERENCES capture_plan (digest),
    approved_by TEXT NOT NULL,
    approved_at TEXT NOT NULL,
    how TEXT NOT NULL,
    note TEXT NOT NULL
, signature TEXT NOT NULL DEFAULT '');
CREATE INDEX approval_by_digest ON approval (digest);

-- One running of a plan. spool: the folder of its raw bytes. state: running, interrupted, finished, failed.
CREATE TABLE capture_session (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    digest TEXT NOT NULL REFERENCES capture_plan (digest),
    run_id INTEGER NOT NULL REFERENCES run (id),
    spool TEXT NOT NULL,
    label TEXT NOT NULL,
    state TEXT NOT NULL,
    started_at TEXT NOT NULL,
    ended_at TEXT,
    note TEXT NOT NULL,
    user TEXT NOT NULL,
    machine TEXT NOT NULL
);
CREATE INDEX capture_session_by_digest ON capture_session (digest);
CREATE INDEX capture_session_by_run ON capture_session (run_id);

-- What became of one command of a session. leftovers on the server: none, found, unknown.
CREATE TABLE capture_stream (
    id INTEGER PRIMARY KEY,
    session_id INTEGER NOT NULL REFERENCES capture_session (id) ON DELETE CASCADE,
    command_id TEXT NOT NULL,
    host_id INTEGER REFERENCES host (id),
    artefact_id INTEGER REFERENCES artefact (id) ON DELETE SET NULL,
    state TEXT NOT NULL,
    tool_version TEXT NOT NULL,
    bytes INTEGER NOT NULL,
    lines INTEGER NOT NULL,
    exit INTEGER,
    stderr_tail TEXT NOT NULL,
    cpu_s REAL,
    leftovers TEXT NOT NULL,
    UNIQUE (session_id, command_id)
);
CREATE INDEX capture_stream_by_host ON capture_stream (host_id);
CREATE INDEX capture_stream_by_artefact ON capture_stream (artefact_id);

-- The tool's own bytes first_byte .. end_byte - 1 of one start inside its artefact; times are the server's.
CREATE TABLE capture_segment (
    artefact_id INTEGER NOT NULL REFERENCES artefact (id) ON DELETE CASCADE,
    number INTEGER NOT NULL,
    first_byte INTEGER NOT NULL,
    end_byte INTEGER NOT NULL,
    first_line INTEGER NOT NULL,
    began_ns INTEGER,
    ended_ns INTEGER,
    exit_status INTEGER,
    cpu_s REAL,
    pid INTEGER,
    PRIMARY KEY (artefact_id, number)
) WITHOUT ROWID;

CREATE TABLE capture_gap (
    id INTEGER PRIMARY KEY,
    session_id INTEGER NOT NULL REFERENCES capture_session (id) ON DELETE CASCADE,
    artefact_id INTEGER REFERENCES artefact (id) ON DELETE SET NULL,
    stream TEXT NOT NULL,
    start_ns INTEGER NOT NULL,
    end_ns INTEGER,
    cause TEXT NOT NULL,
    detected_at TEXT NOT NULL,
    evidence TEXT NOT NULL
);
CREATE INDEX capture_gap_by_session ON capture_gap (session_id);
CREATE INDEX capture_gap_by_artefact ON capture_gap (artefact_id);

CREATE TABLE clock_check (
    id INTEGER PRIMARY KEY,
    session_id INTEGER NOT NULL REFERENCES capture_session (id) ON DELETE CASCADE,
    host TEXT NOT NULL,
    taken_at TEXT NOT NULL,
    offset_ns INTEGER NOT NULL,
    error_ns INTEGER NOT NULL,
    zone TEXT NOT NULL,
    utc_offset_s INTEGER,
    boot_id TEXT NOT NULL
);
CREATE INDEX clock_check_by_session ON clock_check (session_id);

-- The configuration of a host as an inventory found it at one moment.
CREATE TABLE system_fact (
    artefact_id INTEGER NOT NULL REFERENCES artefact (id) ON DELETE CASCADE,
    moment_ns INTEGER NOT NULL,
    position INTEGER NOT NULL,
    host_id INTEGER NOT NULL REFERENCES host (id),
    section TEXT NOT NULL,
    name TEXT NOT NULL,
    value TEXT NOT NULL,
    PRIMARY KEY (artefact_id, moment_ns, position)
) WITHOUT ROWID;
CREATE INDEX system_fact_by_host ON system_fact (host_id);

-- The tuning cycle: what a consultant records (issues, iterations, metrics, worksheets, evidence ...). kind names the
-- type of record, body is JSON of its fields but the id. Ids are never given again: an undone removal brings the same
-- record back. iteration_id repeats what the body says.
CREATE TABLE cycle_record (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    kind TEXT NOT NULL,
    iteration_id INTEGER REFERENCES cycle_record (id) DEFERRABLE INITIALLY DEFERRED,
    body TEXT NOT NULL
);
CREATE INDEX cycle_record_by_iteration ON cycle_record (iteration_id);

-- Files laid beside a step, each once. data is compressed.
CREATE TABLE attachment (
    sha256 TEXT PRIMARY KEY,
    size_bytes INTEGER NOT NULL,
    data BLOB NOT NULL
) WITHOUT ROWID;

-- What a record names, repeated from its body so that nothing of it can be removed: one column of each row is set.
CREATE TABLE cycle_reference (
    id INTEGER PRIMARY KEY,
    record_id INTEGER NOT NULL REFERENCES cycle_record (id) ON DELETE CASCADE,
    named_id INTEGER REFERENCES cycle_record (id) DEFERRABLE INITIALLY DEFERRED,
    run_id INTEGER REFERENCES run (id),
    artefact_id INTEGER REFERENCES artefact (id),
    attachment TEXT REFERENCES attachment (sha256)
);
CREATE INDEX cycle_reference_by_record ON cycle_reference (record_id);
CREATE INDEX cycle_reference_by_named ON cycle_reference (named_id);
CREATE INDEX cycle_reference_by_run ON cycle_reference (run_id);
CREATE INDEX cycle_reference_by_artefact ON cycle_reference (artefact_id);
CREATE INDEX cycle_reference_by_attachment ON cycle_reference (attachment);

-- What a host's devices are, and when: dm-3 is /oradata. A NULL end is open.
CREATE TABLE device_alias (
    id INTEGER PRIMARY KEY,
    host_id INTEGER NOT NULL REFERENCES host (id) ON DELETE CASCADE,
    device TEXT NOT NULL,
    name TEXT NOT NULL,
    start_ns INTEGER,
    end_ns INTEGER,
    author TEXT NOT NULL,
    written_at TEXT NOT NULL
);
CREATE INDEX device_alias_by_host ON device_alias (host_id);

-- Captures of one host that cover the same stretch; artefact_id is the one imported later, and start_ns .. end_ns are in
-- its times. relation: same (its time + shift_ns is the other's time of the same measurement), differs. Derived.
CREATE TABLE capture_overlap (
    artefact_id INTEGER NOT NULL REFERENCES artefact (id) ON DELETE CASCADE,
    other_id INTEGER NOT NULL REFERENCES artefact (id) ON DELETE CASCADE,
    relation TEXT NOT NULL,
    shift_ns INTEGER NOT NULL,
    start_ns INTEGER NOT NULL,
    end_ns INTEGER NOT NULL,
    columns INTEGER NOT NULL,
    PRIMARY KEY (artefact_id, other_id)
) WITHOUT ROWID;
CREATE INDEX capture_overlap_by_other ON capture_overlap (other_id);

-- Captures that a person chose to count where others hold the same measurements; the highest position goes first.
CREATE TABLE capture_choice (
    artefact_id INTEGER PRIMARY KEY REFERENCES artefact (id) ON DELETE CASCADE,
    position INTEGER NOT NULL UNIQUE
);

-- What was found by comparing a capture with its neighbours (configuration changes, overlaps). Derived.
CREATE TABLE host_event (
    id INTEGER PRIMARY KEY,
    artefact_id INTEGER NOT NULL REFERENCES artefact (id) ON DELETE CASCADE,
    kind TEXT NOT NULL,
    start_ns INTEGER NOT NULL,
    end_ns INTEGER,
    text TEXT NOT NULL
);
CREATE INDEX host_event_by_artefact ON host_event (artefact_id);

-- What a person said about the times of a host's captures. said: JSON, subject to value. changes: JSON, for each capture
-- read anew what held before and after. Kept when it is taken back.
CREATE TABLE resolution (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    host_id INTEGER NOT NULL REFERENCES host (id) ON DELETE CASCADE,
    said_at TEXT NOT NULL,
    said_by TEXT NOT NULL,
    said TEXT NOT NULL,
    changes TEXT NOT NULL,
    zone_before TEXT NOT NULL,
    taken_back_at TEXT,
    taken_back_by TEXT
);
CREATE INDEX resolution_by_host ON resolution (host_id);

-- An archive or folder that came in as one; sha256 is '' for a folder. form: folder, zip, tar.gz ... layouts: JSON list.
CREATE TABLE bundle (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    name TEXT NOT NULL,
    source_path TEXT NOT NULL,
    form TEXT NOT NULL,
    size_bytes INTEGER NOT NULL,
    sha256 TEXT NOT NULL,
    modified_ns INTEGER NOT NULL,
    imported_at TEXT NOT NULL,
    layouts TEXT NOT NULL
);

-- What became of every member, also of those that were not kept. reason is the key of a sentence, facts (JSON) fill it.
CREATE TABLE bundle_member (
    bundle_id INTEGER NOT NULL REFERENCES bundle (id) ON DELETE CASCADE,
    position INTEGER NOT NULL,
    name TEXT NOT NULL,
    state TEXT NOT NULL,
    kind TEXT NOT NULL,
    size_bytes INTEGER NOT NULL,
    artefact_id INTEGER REFERENCES artefact (id) ON DELETE SET NULL,
    host TEXT NOT NULL,
    reason TEXT NOT NULL,
    facts TEXT NOT NULL,
    PRIMARY KEY (bundle_id, position)
) WITHOUT ROWID;
CREATE INDEX bundle_member_by_artefact ON bundle_member (artefact_id);

-- What captures say of databases: one row for a report's period, or for the counters at one moment (reach). identity,
-- begin_moment, end_moment: JSON of what is told (NULL begin: counters). faults, absent: JSON lists. position: in the capture.
CREATE TABLE database_record (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    artefact_id INTEGER NOT NULL REFERENCES artefact (id) ON DELETE CASCADE,
    position INTEGER NOT NULL,
    source TEXT NOT NULL,
    reach TEXT NOT NULL,
    engine TEXT NOT NULL,
    identity TEXT NOT NULL,
    begin_moment TEXT,
    end_moment TEXT NOT NULL,
    elapsed_s REAL,
    db_time_s REAL,
    faults TEXT NOT NULL,
    absent TEXT NOT NULL,
    title TEXT NOT NULL,
    first_line INTEGER NOT NULL,
    UNIQUE (artefact_id, position)
);

-- A record's tables in columns. form: how data is packed.
CREATE TABLE database_table (
    record_id INTEGER NOT NULL REFERENCES database_record (id) ON DELETE CASCADE,
    name TEXT NOT NULL,
    row_count INTEGER NOT NULL,
    form INTEGER NOT NULL,
    data BLOB NOT NULL,
    PRIMARY KEY (record_id, name)
);

-- The texts in those tables, each once: number = block id * 2^24 + place in the block; 0 is the empty text. A block is the
-- compressed JSON list of its texts; a place whose text was removed is empty.
CREATE TABLE shared_text_block (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    text_count INTEGER NOT NULL,
    size_bytes INTEGER NOT NULL,
    data BLOB NOT NULL
);

CREATE TABLE shared_text (
    digest BLOB PRIMARY KEY,
    number INTEGER NOT NULL
) WITHOUT ROWID;
CREATE INDEX shared_text_by_number ON shared_text (number);

-- Statements that a person says do the same work before and after; made_at is ISO (UTC).
CREATE TABLE statement_link (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    engine TEXT NOT NULL,
    before_id TEXT NOT NULL,
    after_id TEXT NOT NULL,
    author TEXT NOT NULL,
    made_at TEXT NOT NULL,
    note TEXT NOT NULL,
    UNIQUE (engine, before_id, after_id)
);

-- What a person confirmed of a customer's licences before something was captured. host, database: '' means any.
CREATE TABLE licence_confirmation (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    subject TEXT NOT NULL,
    host TEXT NOT NULL,
    database TEXT NOT NULL,
    confirmed_by TEXT NOT NULL,
    evidence TEXT NOT NULL,
    confirmed_at TEXT NOT NULL,
    note TEXT NOT NULL
);
CREATE TRIGGER licence_confirmation_is_not_changed BEFORE UPDATE ON licence_confirmation
BEGIN
    SELECT RAISE(ABORT, 'confirmations are append-only');
END;
CREATE TRIGGER licence_confirmation_is_not_removed BEFORE DELETE ON licence_confirmation
BEGIN
    SELECT RAISE(ABORT, 'confirmations are append-only');
END;

-- Experiments and their trials, whose ids are never given again. body is JSON of the fields but the id; a trial's other
-- columns repeat what its body says, so that nothing it rests on can be removed.
CREATE TABLE experiment (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    body TEXT NOT NULL
);

CREATE TABLE trial (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    experiment_id INTEGER NOT NULL REFERENCES experiment (id) DEFERRABLE INITIALLY DEFERRED,
    artefact_id INTEGER REFERENCES artefact (id),
    load_run_id INTEGER REFERENCES run (id),
    body TEXT NOT NULL
);
CREATE INDEX trial_by_experiment ON trial (experiment_id);
CREATE INDEX trial_by_artefact ON trial (artefact_id);
CREATE INDEX trial_by_load_run ON trial (load_run_id);

-- Append-only and chained: digest is over the row and the digest of the row before, which previous repeats.
-- The property audit_head holds id and digest of the last row.
CREATE TABLE audit (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    time TEXT NOT NULL,
    user TEXT NOT NULL,
    action TEXT NOT NULL,
    facts TEXT NOT NULL,
    previous TEXT NOT NULL DEFAULT '',
    digest TEXT NOT NULL DEFAULT ''
);
CREATE TRIGGER audit_is_not_changed BEFORE UPDATE ON audit
BEGIN
    SELECT RAISE(ABORT, 'the audit trail is append-only');
END;
CREATE TRIGGER audit_is_not_removed BEFORE DELETE ON audit
BEGIN
    SELECT RAISE(ABORT, 'the audit trail is append-only');
END;
CREATE TRIGGER audit_is_not_replaced BEFORE INSERT ON audit WHEN EXISTS (SELECT 1 FROM audit WHERE id = NEW.id)
BEGIN
    SELECT RAISE(ABORT, 'the audit trail is append-only');
END;

-- What another copy's trail says after the entry that both have: taken in by a merge, each row as it was chained there.
-- head: digest of the branch's last row, by which the entry "merged" names it.
CREATE TABLE audit_branch (
    head TEXT NOT NULL,
    id INTEGER NOT NULL,
    time TEXT NOT NULL,
    user TEXT NOT NULL,
    action TEXT NOT NULL,
    facts TEXT NOT NULL,
    previous TEXT NOT NULL,
    digest TEXT NOT NULL,
    PRIMARY KEY (head, id)
) WITHOUT ROWID;
CREATE TRIGGER audit_branch_is_not_changed BEFORE UPDATE ON audit_branch
BEGIN
    SELECT RAISE(ABORT, 'the audit trail is append-only');
END;
CREATE TRIGGER audit_branch_is_not_removed BEFORE DELETE ON audit_branch
BEGIN
    SELECT RAISE(ABORT, 'the audit trail is append-only');
END;
CREATE TRIGGER audit_branch_is_not_replaced BEFORE INSERT ON audit_branch
WHEN EXISTS (SELECT 1 FROM audit_branch WHERE head = NEW.head AND id = NEW.id)
BEGIN
    SELECT RAISE(ABORT, 'the audit trail is append-only');
END;
