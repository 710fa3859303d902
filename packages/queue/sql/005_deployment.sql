-- The deployment whose rows this schema contains, named by the prefix of its Redis keys. The first process of the
-- deployment records it. A process with another prefix would dispatch the rows of this deployment, so it is refused.
CREATE TABLE queue.switchboard_deployment (
  is_only_row boolean     PRIMARY KEY DEFAULT true CHECK (is_only_row),
  prefix      text        NOT NULL,
  recorded_at timestamptz NOT NULL DEFAULT now()
);

-- Roles that may insert rows into the outbox may record the deployment.
DO $$
DECLARE
  v_grantee text;
BEGIN
  FOR v_grantee IN
    SELECT DISTINCT CASE WHEN a.grantee = 0 THEN 'PUBLIC' ELSE a.grantee::regrole::text END
    FROM pg_catalog.pg_class c, aclexplode(c.relacl) a
    WHERE c.oid = 'queue.outbox'::regclass AND a.privilege_type = 'INSERT' AND a.grantee <> c.relowner
  LOOP
    EXECUTE format('GRANT SELECT, INSERT ON queue.switchboard_deployment TO %s', v_grantee);
  END LOOP;
END $$;

-- Raises QUE01 unless the schema belongs to the deployment with this prefix. Records the prefix if there is none, unless
-- another schema of the database has recorded it: both schemas would use the same Redis keys. Views and tables with row
-- policies are not read, because they would run functions of their owners.
CREATE FUNCTION queue.require_prefix(p_prefix text) RETURNS void LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  v_prefix text;
  v_schema text;
  v_is_used boolean;
BEGIN
  SELECT d.prefix INTO v_prefix FROM queue.switchboard_deployment d;
  IF NOT FOUND THEN
    PERFORM pg_advisory_xact_lock(72707371);
    FOR v_schema IN
      SELECT quote_ident(n.nspname) FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
      WHERE c.relname = 'switchboard_deployment' AND c.relkind = 'r' AND NOT c.relrowsecurity
        AND c.oid <> 'queue.switchboard_deployment'::regclass
        AND has_schema_privilege(n.oid, 'USAGE') AND has_table_privilege(c.oid, 'SELECT')
    LOOP
      EXECUTE format('SELECT EXISTS (SELECT FROM %s.switchboard_deployment WHERE prefix = $1)', v_schema)
        INTO v_is_used USING p_prefix;
      IF v_is_used THEN
        RAISE EXCEPTION 'Prefix % belongs to schema % of this database', p_prefix, v_schema USING ERRCODE = 'QUE01';
      END IF;
    END LOOP;
    INSERT INTO queue.switchboard_deployment (prefix) VALUES (p_prefix) ON CONFLICT DO NOTHING;
    SELECT d.prefix INTO v_prefix FROM queue.switchboard_deployment d;
  END IF;
  IF v_prefix <> p_prefix THEN
    RAISE EXCEPTION 'Schema % belongs to the deployment with prefix %, not to one with prefix %',
      (SELECT relnamespace::regnamespace FROM pg_catalog.pg_class WHERE oid = 'queue.switchboard_deployment'::regclass),
      v_prefix, p_prefix USING ERRCODE = 'QUE01';
  END IF;
END $$;
