"""What an archive is asked, over the tables of `layout`."""

from __future__ import annotations

CONTENT = "SELECT content FROM engagements WHERE engagement = ?"
BEGINNING = "SELECT engagement, title FROM engagements WHERE starts_with(engagement, ?)"
TITLES = "SELECT engagement, title FROM engagements"

ENGAGEMENTS = """
SELECT e.engagement, title, customer, consent, profile, added_ns,
    (SELECT string_agg(DISTINCT os, ', ' ORDER BY os) FROM hosts h WHERE h.engagement = e.engagement AND os <> '')
        AS systems,
    (SELECT max(iteration) FROM actions a WHERE a.engagement = e.engagement) AS iterations
FROM engagements e ORDER BY title, engagement
"""

FIND = """
WITH said AS (
    SELECT engagement, 'finding' AS kind, concat_ws(' ', title, host, attributes) AS what, severity AS state,
        concat_ws(' · ', rule, nullif(figures, ''), nullif(later, '')) AS detail FROM findings
    UNION ALL SELECT engagement, 'cause', title, state, text FROM causes
    UNION ALL SELECT engagement, 'action', title, state,
        concat_ws(' · ', nullif(changes, ''), nullif(causes, ''), nullif(hypothesis, '')) FROM actions
), systems AS (
    SELECT engagement, concat_ws(' ', os, os_version) AS name FROM hosts UNION SELECT engagement, database FROM periods
)
SELECT engagement, e.title, kind, what, state, detail FROM said JOIN engagements e USING (engagement)
WHERE len(list_filter($words, lambda word: NOT contains(lower(concat_ws(' ', e.title, what, state, detail)), word))) = 0
    AND ($system = '' OR engagement IN (SELECT engagement FROM systems WHERE contains(lower(name), $system)))
    AND ($change = '' OR engagement IN (SELECT engagement FROM actions WHERE contains(lower(changes), $change)))
ORDER BY e.title, engagement, kind, what
"""

COMPARE = """
SELECT e.title, v.host, v.tool, v.native, v.attributes, v.unit, v.before_mean, v.after_mean, v.ratio, v.low, v.high,
    v.verdict, v.load_ratio
FROM verdicts v JOIN engagements e USING (engagement)
WHERE (v.metric GLOB $metric OR v.native GLOB $metric) AND v.host GLOB $host
ORDER BY e.title, v.host, v.tool, v.native, v.attributes
"""

TREND = """
SELECT d.day, e.title, d.run, d.tool, d.native, d.attributes, d.unit, d.samples, d.mean, d.p95, d.maximum
FROM days d JOIN engagements e USING (engagement)
WHERE (d.metric GLOB $metric OR d.native GLOB $metric) AND d.host GLOB $host
ORDER BY d.native, d.attributes, d.day, e.title
"""

TRAITS = """
SELECT engagement, 'rule', rule FROM findings
    WHERE severity IN ('warning', 'critical') AND phase <> 'after' AND explained_by = ''
UNION SELECT engagement, 'os', os FROM hosts WHERE os <> ''
UNION SELECT engagement, 'domain', domain FROM causes
UNION SELECT engagement, 'change', trim(unnest(string_split(changes, ','))) FROM actions WHERE changes <> ''
UNION SELECT engagement, 'effect', effect FROM actions WHERE effect <> ''
"""
"""What engagements may have in common."""

DONE = """
SELECT engagement, a.iteration, a.number, a.title, a.state, e.metric, e.state, e.ratio
FROM actions a LEFT JOIN effects e USING (engagement, iteration, number)
WHERE a.state IN ('executed', 'rolled_back') ORDER BY engagement, a.iteration, a.number, e.metric
"""
"""Countermeasures that were carried out, each figure that was to tell of it in a row."""

EFFECTS = """
SELECT coalesce(nullif(a.effect, ''), nullif(a.changes, ''), a.title), e.metric, e.price,
    engagement, e.ratio, e.low, e.high, e.state, a.state
FROM actions a LEFT JOIN effects e USING (engagement, iteration, number)
WHERE a.state IN ('executed', 'rolled_back') AND contains(lower(concat_ws(' ', a.effect, a.changes, a.title)), ?)
"""
