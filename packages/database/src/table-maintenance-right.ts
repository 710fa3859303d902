/**
 * SQL condition that is true if the role may run VACUUM and ANALYZE on the table `c` of pg_class: the role has the rights
 * of the owner, or the right MAINTAIN of PostgreSQL 17 and later.
 */
export const mayMaintainTableSql = `(pg_has_role(c.relowner, 'USAGE')
      OR CASE WHEN current_setting('server_version_num')::int >= 170000 THEN has_table_privilege(c.oid, 'MAINTAIN') ELSE false END)`;
