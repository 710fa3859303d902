/** Selects version and limits. A limit of -1 is no limit. Superusers may use the reserved connections. */
export const serverSql = `
  SELECT current_database() AS database, current_setting('server_version') AS version,
    current_setting('server_version_num')::int / 10000 AS "majorVersion",
    least(
      current_setting('max_connections')::int - CASE WHEN r.rolsuper THEN 0 ELSE
        current_setting('superuser_reserved_connections')::int
          + coalesce(current_setting('reserved_connections', true)::int, 0) END,
      CASE WHEN d.datconnlimit >= 0 AND NOT r.rolsuper THEN d.datconnlimit END,
      CASE WHEN r.rolconnlimit >= 0 AND NOT r.rolsuper THEN r.rolconnlimit END) AS "connectionLimit"
  FROM pg_roles r, pg_database d WHERE r.rolname = current_user AND d.datname = current_database()`;

/** Tables and sequences in the schemas of $1. Objects of extensions belong to no service. */
const relationSql = `
  SELECT c.oid, c.relkind, c.relname, c.relowner, n.oid AS schema_id, n.nspname
  FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
  WHERE c.relkind IN ('r', 'p', 'S') AND n.nspname = ANY ($1::text[])
    AND NOT EXISTS (SELECT FROM pg_depend d WHERE d.classid = 'pg_class'::regclass AND d.objid = c.oid AND d.deptype = 'e')`;

/** Selects GRANT statements. Tables of migrations are written only by the role that migrates. */
export const missingGrantsSql = `
  WITH relation AS (${relationSql}),
  needed AS (
    SELECT DISTINCT 1 AS position, format('USAGE ON SCHEMA %I', nspname) AS right FROM relation
    WHERE NOT has_schema_privilege(schema_id, 'USAGE')
    UNION ALL
    SELECT DISTINCT 2, format('SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA %I', nspname) FROM relation
    WHERE relkind IN ('r', 'p') AND NOT CASE WHEN relname LIKE '%migrations' THEN has_table_privilege(oid, 'SELECT') ELSE
      has_table_privilege(oid, 'SELECT') AND has_table_privilege(oid, 'INSERT') AND has_table_privilege(oid, 'UPDATE')
        AND has_table_privilege(oid, 'DELETE') END
    UNION ALL
    SELECT DISTINCT 3, format('USAGE ON ALL SEQUENCES IN SCHEMA %I', nspname) FROM relation
    WHERE CASE WHEN relkind = 'S' THEN NOT has_sequence_privilege(oid, 'USAGE') END
    UNION ALL
    SELECT 4, format('TEMPORARY ON DATABASE %I', current_database())
    WHERE NOT has_database_privilege(current_database(), 'TEMPORARY'))
  SELECT format('GRANT %s TO %I', needed.right, current_user) AS statement FROM needed ORDER BY position, 1`;

/** Selects the tables that only their owner can change, if the role has not the rights of the owner. */
export const unownedTablesSql = `
  SELECT format('%I.%I', nspname, relname) AS name FROM (${relationSql}) AS relation
  WHERE relkind IN ('r', 'p') AND NOT pg_has_role(relowner, 'USAGE') ORDER BY 1`;

export const missingExtensionsSql = `
  SELECT name, EXISTS (SELECT FROM pg_available_extensions a WHERE a.name = needed.name) AS "isAvailable"
  FROM unnest($1::text[]) AS needed (name)
  WHERE NOT EXISTS (SELECT FROM pg_extension e WHERE e.extname = needed.name) ORDER BY name`;

/** The collation with the id 100 is that of the database. Its version is stored with the database. */
export const changedCollationsSql = `
  WITH changed AS (
    SELECT c.oid, format('%I.%I', n.nspname, c.collname) AS name, c.collversion AS stored,
      pg_collation_actual_version(c.oid) AS actual, format('ALTER COLLATION %I.%I REFRESH VERSION', n.nspname, c.collname) AS statement
    FROM pg_collation c JOIN pg_namespace n ON n.oid = c.collnamespace WHERE c.collversion IS NOT NULL
    UNION ALL
    SELECT 100, 'default', datcollversion, pg_database_collation_actual_version(oid), format('ALTER DATABASE %I REFRESH COLLATION VERSION', datname)
    FROM pg_database WHERE datname = current_database())
  SELECT c.name, c.stored AS "storedVersion", c.actual AS "actualVersion",
    array_agg(DISTINCT format('%I.%I', n.nspname, k.relname)) AS indexes,
    c.statement AS "refreshStatement"
  FROM changed c JOIN pg_index i ON c.oid = ANY (i.indcollation::oid[])
  JOIN pg_class k ON k.oid = i.indexrelid JOIN pg_namespace n ON n.oid = k.relnamespace
  WHERE c.stored <> c.actual AND n.nspname NOT LIKE 'pg\\_%'
  GROUP BY c.name, c.stored, c.actual, c.statement ORDER BY 1`;
