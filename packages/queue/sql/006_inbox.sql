-- Keys of deliveries whose effects are committed. The transaction with the effects inserts the key, so that a second
-- transaction with the same key waits at the primary key until the first one has ended.
CREATE TABLE queue.inbox (
  key         text        PRIMARY KEY,
  recorded_at timestamptz NOT NULL DEFAULT clock_timestamp()
) WITH (autovacuum_vacuum_scale_factor = 0.02);

CREATE INDEX inbox_by_time ON queue.inbox (recorded_at);

-- Roles that may insert rows into the outbox may use the inbox.
DO $$
DECLARE
  v_grantee text;
BEGIN
  FOR v_grantee IN
    SELECT DISTINCT CASE WHEN a.grantee = 0 THEN 'PUBLIC' ELSE a.grantee::regrole::text END
    FROM pg_catalog.pg_class c, aclexplode(c.relacl) a
    WHERE c.oid = 'queue.outbox'::regclass AND a.privilege_type = 'INSERT' AND a.grantee <> c.relowner
  LOOP
    EXECUTE format('GRANT SELECT, INSERT, DELETE ON queue.inbox TO %s', v_grantee);
  END LOOP;
END $$;
