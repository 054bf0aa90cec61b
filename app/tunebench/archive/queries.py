"""What an archive is asked, over the tables of `layout`."""

from __future__ import annotations

TITLES = "SELECT engagement, title FROM engagements"

ENGAGEMENTS = """
SELECT e.engagement, title, customer, consent, profile, added_ns,
    (SELECT string_agg(DISTINCT name, ', ' ORDER BY name)
        FROM (SELECT engagement, os AS name FROM hosts UNION SELECT engagement, product FROM systems) s
        WHERE s.engagement = e.engagement AND name <> '') AS systems,
    (SELECT max(iteration) FROM actions a WHERE a.engagement = e.engagement) AS iterations
FROM engagements e ORDER BY title, engagement
"""

FIND = """
SELECT engagement, e.title, kind, what, w.state, w.detail FROM words w JOIN engagements e USING (engagement)
WHERE {words} AND ($system = '' OR contains(lower(w.systems), $system))
    AND ($change = '' OR contains(lower(w.changes), $change))
    AND ($state = '' OR concat(w.kind, '.', w.state) = $state)
ORDER BY e.title, engagement, kind, what
"""
WORD = "(contains(w.text, ${name}) OR contains(lower(e.title), ${name}))"

FACETS = """
WITH facets AS (
    SELECT 'system' AS facet, engagement, os AS value FROM hosts
    UNION ALL SELECT 'system', engagement, product FROM systems
    UNION ALL SELECT 'change', engagement, trim(unnest(string_split(changes, ','))) FROM actions
    UNION ALL SELECT 'state', engagement, concat(kind, '.', state) FROM words
)
SELECT facet, value, count(DISTINCT engagement) AS engagements FROM facets WHERE value <> ''
GROUP BY ALL ORDER BY facet, engagements DESC, value
"""
"""What `find` may be narrowed by, and in how many engagements that is."""

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
SELECT coalesce(nullif(a.effect, ''), nullif(a.changes, ''), a.title),
    engagement, a.changes, e.metric, e.price, e.ratio, e.low, e.high, e.state, a.state
FROM actions a LEFT JOIN effects e USING (engagement, iteration, number)
WHERE a.state IN ('executed', 'rolled_back') AND contains(lower(concat_ws(' ', a.effect, a.changes, a.title)), ?)
"""
