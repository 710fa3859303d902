/**
 * Returns an SQL condition that is true if the role may run VACUUM and ANALYZE on the table with the given object id.
 * Before PostgreSQL 17, which has the right MAINTAIN, the condition is true, because no right can be granted.
 */
const canMaintainTableSql = (id: string): string =>
  `CASE WHEN current_setting('server_version_num')::int >= 170000 THEN has_table_privilege(${id}, 'MAINTAIN') ELSE true END`;

/** Selects version and limits. A limit of -1 is no limit. Superusers may use the reserved connections. */
export const serverSql = `
  SELECT current_database() AS database, (SELECT system_identifier::text FROM pg_control_system()) AS "clusterId",
    current_setting('server_version') AS version,
    current_setting('server_version_num')::int / 10000 AS "majorVersion",
    least(
      current_setting('max_connections')::int - CASE WHEN r.rolsuper THEN 0 ELSE
        current_setting('superuser_reserved_connections')::int
          + coalesce(current_setting('reserved_connections', true)::int, 0) END,
      CASE WHEN d.datconnlimit >= 0 AND NOT r.rolsuper THEN d.datconnlimit END,
      CASE WHEN r.rolconnlimit >= 0 AND NOT r.rolsuper THEN r.rolconnlimit END) AS "connectionLimit"
  FROM pg_roles r, pg_database d WHERE r.rolname = current_user AND d.datname = current_database()`;

/** Tables, views and sequences in the schemas of $1. Objects of extensions belong to no service. */
const relationSql = `
  SELECT c.oid, c.relkind, c.relname, c.relowner, n.oid AS schema_id, n.nspname
  FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
  WHERE c.relkind IN ('r', 'p', 'v', 'm', 'S') AND n.nspname = ANY ($1::text[])
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
    UNION
    SELECT DISTINCT 2, format('SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA %I', nspname) FROM relation
    WHERE relkind IN ('v', 'm') AND NOT has_table_privilege(oid, 'SELECT')
    UNION
    SELECT DISTINCT 3, format('USAGE, SELECT, UPDATE ON ALL SEQUENCES IN SCHEMA %I', nspname) FROM relation
    WHERE CASE WHEN relkind = 'S' THEN NOT (has_sequence_privilege(oid, 'USAGE') AND has_sequence_privilege(oid, 'UPDATE')) END
    UNION ALL
    SELECT DISTINCT 4, format('MAINTAIN ON ALL TABLES IN SCHEMA %I', nspname) FROM relation
    WHERE relkind IN ('r', 'p') AND relname NOT LIKE '%migrations' AND NOT ${canMaintainTableSql('oid')}
    UNION ALL
    SELECT 5, format('TEMPORARY ON DATABASE %I', current_database())
    WHERE NOT has_database_privilege(current_database(), 'TEMPORARY'))
  SELECT format('GRANT %s TO %I', needed.right, current_user) AS statement FROM needed ORDER BY position, 1`;

/**
 * Selects the tables, views, sequences and functions that only their owner can change, if the role has not the rights
 * of the owner.
 */
export const unownedObjectsSql = `
  SELECT format('%I.%I', nspname, relname) AS name FROM (${relationSql}) AS relation
  WHERE NOT pg_has_role(relowner, 'USAGE')
  UNION ALL
  SELECT format('%I.%I()', n.nspname, p.proname) FROM pg_proc p JOIN pg_namespace n ON n.oid = p.pronamespace
  WHERE n.nspname = ANY ($1::text[]) AND NOT pg_has_role(p.proowner, 'USAGE')
    AND NOT EXISTS (SELECT FROM pg_depend d WHERE d.classid = 'pg_proc'::regclass AND d.objid = p.oid AND d.deptype = 'e')
  ORDER BY 1`;

/** Selects GRANT statements for the role that migrates. Schemas that do not exist yet are created by migrations. */
export const missingMigrationGrantsSql = `
  SELECT format('GRANT CREATE ON DATABASE %I TO %I', current_database(), current_user) AS statement
  WHERE NOT has_database_privilege(current_database(), 'CREATE')
    AND EXISTS (SELECT FROM unnest($1::text[]) AS needed (name) WHERE to_regnamespace(quote_ident(needed.name)) IS NULL)
  UNION ALL
  SELECT format('GRANT CREATE ON SCHEMA %I TO %I', nspname, current_user) FROM pg_namespace
  WHERE nspname = ANY ($1::text[]) AND NOT has_schema_privilege(oid, 'CREATE')`;

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
