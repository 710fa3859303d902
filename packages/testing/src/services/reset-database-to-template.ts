import type pg from 'pg';

/**
 * SQL that records the state of a template database: table rows, sequences and the schema. Clones of the template can
 * then be reset to this state. The SQL runs last when a template is prepared.
 */
export const recordTemplateDatabaseStateSql = `
CREATE SCHEMA as_prepared;

CREATE TABLE as_prepared.tables AS
  SELECT c.oid, c.oid::regclass::text AS name, false AS has_rows, (
      SELECT string_agg(quote_ident(attname), ', ' ORDER BY attnum) FROM pg_attribute
      WHERE attrelid = c.oid AND attnum > 0 AND NOT attisdropped AND attgenerated = '') AS columns
  FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
  WHERE c.relkind = 'r' AND n.nspname !~ '^pg_' AND n.nspname NOT IN ('information_schema', 'as_prepared');

CREATE FUNCTION as_prepared.shape() RETURNS text LANGUAGE sql AS $$
  SELECT md5(concat(
    (SELECT string_agg(concat_ws(' ', oid, relname, relnatts, relkind), ',' ORDER BY oid) FROM pg_class
      WHERE oid >= 16384 AND relnamespace <> 'as_prepared'::regnamespace),
    (SELECT string_agg(concat_ws(' ', attrelid, attname, atttypid, attnotnull, atthasdef), ',' ORDER BY attrelid, attnum)
      FROM pg_attribute JOIN as_prepared.tables ON oid = attrelid WHERE attnum > 0),
    (SELECT string_agg(concat_ws(' ', oid, convalidated), ',' ORDER BY oid) FROM pg_constraint),
    (SELECT string_agg(concat_ws(' ', oid, tgenabled), ',' ORDER BY oid) FROM pg_trigger),
    (SELECT string_agg(concat_ws(' ', indexrelid, indisvalid), ',' ORDER BY indexrelid) FROM pg_index
      WHERE indexrelid >= 16384),
    (SELECT string_agg(concat_ws(' ', oid, proname, md5(prosrc)), ',' ORDER BY oid) FROM pg_proc WHERE oid >= 16384),
    (SELECT string_agg(setconfig::text, ',') FROM pg_db_role_setting WHERE setdatabase =
      (SELECT oid FROM pg_database WHERE datname = current_database()))
  ))
$$;

DO $$
DECLARE
  present as_prepared.tables;
  found boolean;
BEGIN
  FOR present IN SELECT * FROM as_prepared.tables LOOP
    EXECUTE format('SELECT EXISTS (SELECT FROM %s)', present.name) INTO found;
    CONTINUE WHEN NOT found;
    EXECUTE format('CREATE TABLE as_prepared.%I AS TABLE %s', 'rows of ' || present.name, present.name);
    UPDATE as_prepared.tables SET has_rows = true WHERE oid = present.oid;
  END LOOP;
END $$;

CREATE TABLE as_prepared.sequences AS
  SELECT seqrelid AS oid, seqstart AS start_value, pg_sequence_last_value(seqrelid) AS last_value FROM pg_sequence;

-- Triggers and foreign keys are not asked: what comes back is what they have agreed to before. A table without a page has
-- no rows: most have none, and a statement for each of them takes most of the time.
CREATE FUNCTION as_prepared.empty() RETURNS SETOF text LANGUAGE plpgsql SET session_replication_role = replica AS $$
DECLARE
  present as_prepared.tables;
  removed bigint;
BEGIN
  FOR present IN SELECT * FROM as_prepared.tables WHERE pg_relation_size(oid) > 0 LOOP
    EXECUTE format('DELETE FROM %s', present.name);
    GET DIAGNOSTICS removed = ROW_COUNT;
    IF removed > 0 THEN RETURN NEXT present.name; END IF;
  END LOOP;
END $$;

CREATE FUNCTION as_prepared.fill() RETURNS void LANGUAGE plpgsql SET session_replication_role = replica AS $$
DECLARE
  present as_prepared.tables;
BEGIN
  FOR present IN SELECT * FROM as_prepared.tables WHERE has_rows LOOP
    EXECUTE format('INSERT INTO %1$s (%2$s) OVERRIDING SYSTEM VALUE SELECT %2$s FROM as_prepared.%3$I',
      present.name, present.columns, 'rows of ' || present.name);
  END LOOP;
  PERFORM setval(oid, coalesce(last_value, start_value), last_value IS NOT NULL)
    FROM as_prepared.sequences WHERE pg_sequence_last_value(oid) IS DISTINCT FROM last_value;
END $$;

CREATE TABLE as_prepared.shape AS SELECT as_prepared.shape() AS text;
`;

/**
 * Resets a test database to the state of its template.
 * @returns false if a reset is impossible, because the schema has changed or the database server does not allow the
 *   reset
 */
export async function resetDatabaseToTemplate(database: pg.Client): Promise<boolean> {
  try {
    const { rows } = await database.query<{ same: boolean }>(
      'SELECT as_prepared.shape() = text AS same FROM as_prepared.shape',
    );
    if (rows[0]?.same !== true) return false;
    const emptied = await database.query<{ empty: string }>('SELECT as_prepared.empty()');
    const tables = emptied.rows.map(({ empty }) => empty);
    // VACUUM makes new rows appear in insertion order again and removes the recorded table sizes, as in a new clone.
    if (tables.length > 0) await database.query(`VACUUM ${tables.join(', ')}`);
    await database.query('SELECT as_prepared.fill()');
    return true;
  } catch {
    // A role that may not disable triggers gets new clones only.
    return false;
  }
}
