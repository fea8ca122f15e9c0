-- Indexes nobody has used since statistics began (check replicas too, and keep unique ones).
SELECT s.relname AS table, s.indexrelname AS index, pg_size_pretty(pg_relation_size(s.indexrelid)) AS size
FROM pg_stat_user_indexes s JOIN pg_index i USING (indexrelid)
WHERE s.idx_scan = 0 AND NOT i.indisunique
ORDER BY pg_relation_size(s.indexrelid) DESC;

-- Large tables that are read by sequential scans.
SELECT relname, seq_scan, seq_tup_read / greatest(seq_scan, 1) AS rows_per_scan, n_live_tup
FROM pg_stat_user_tables
WHERE n_live_tup > 10000 AND seq_scan > 100
ORDER BY seq_tup_read DESC LIMIT 20;

-- Foreign keys without an index on the referencing side: deletes of the parent scan the child.
SELECT c.conrelid::regclass AS child, c.conname
FROM pg_constraint c
WHERE c.contype = 'f' AND NOT EXISTS (
  SELECT 1 FROM pg_index i
  WHERE i.indrelid = c.conrelid AND (i.indkey::int2[])[0:cardinality(c.conkey) - 1] @> c.conkey
);

-- Half-built indexes left by CREATE INDEX CONCURRENTLY.
SELECT indexrelid::regclass FROM pg_index WHERE NOT indisvalid;
