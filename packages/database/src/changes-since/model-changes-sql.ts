/**
 * SQL that creates the table of recorded changes, for a migration of the app.
 * `changes.watch_table(table, model, ignored columns)` is an SQL function that creates or replaces the trigger of one
 * table. A migration that adds a column to a table with ignored columns must call the function again. A migration that
 * changes the content of responses without writing to a recorded table must itself insert rows of recorded changes.
 */
export const createModelChangesSql = `CREATE SCHEMA changes;

CREATE TABLE changes.model_changes (
  model smallint NOT NULL,
  xid xid8 NOT NULL,
  PRIMARY KEY (model, xid)
) WITH (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 1000);

CREATE TABLE changes.sweep_limit (
  id smallint PRIMARY KEY DEFAULT 1 CHECK (id = 1),
  xid xid8 NOT NULL
);
INSERT INTO changes.sweep_limit (xid) VALUES ('0');

CREATE FUNCTION changes.record_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO changes.model_changes (model, xid) VALUES (TG_ARGV[0]::smallint, pg_current_xact_id()) ON CONFLICT DO NOTHING;
  RETURN NULL;
END $$;

CREATE FUNCTION changes.watch_table(watched regclass, model integer, ignored text[] DEFAULT '{}') RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
  columns text := '';
BEGIN
  IF ignored <> '{}' THEN
    SELECT ' OF ' || string_agg(quote_ident(attname), ', ' ORDER BY attnum) INTO columns
    FROM pg_attribute WHERE attrelid = watched AND attnum > 0 AND NOT attisdropped AND attname <> ALL (ignored);
  END IF;
  EXECUTE format('DROP TRIGGER IF EXISTS model_change ON %s', watched);
  EXECUTE format('CREATE TRIGGER model_change AFTER INSERT OR DELETE OR TRUNCATE OR UPDATE%s ON %s
    FOR EACH STATEMENT EXECUTE FUNCTION changes.record_change(%L)', columns, watched, model);
  EXECUTE format('ALTER TABLE %s ENABLE ALWAYS TRIGGER model_change', watched);
END $$;
`;
