import type { Tx } from './transaction-interface.js';

/** Number of changed rows after which a table is analyzed, in addition to a hundredth of the table. */
const minChangedRowsToAnalyze = 20_000;

/** Maximum number of tables for which one call runs ANALYZE. */
const maxAnalyzedTablesPerCall = 20;

const selectTablesToAnalyzeSql = `
  SELECT format('%I.%I', s.schemaname, s.relname) AS name
  FROM pg_stat_user_tables s JOIN pg_class c ON c.oid = s.relid
  WHERE c.relkind = 'r' AND c.relpersistence <> 't' AND pg_has_role(c.relowner, 'USAGE')
    AND s.n_mod_since_analyze > ${minChangedRowsToAnalyze} + greatest(c.reltuples, 0) / 100
  ORDER BY s.n_mod_since_analyze DESC LIMIT ${maxAnalyzedTablesPerCall}`;

/**
 * Analyzes the tables with many rows changed since their last analysis. After a move, a deletion or an import,
 * PostgreSQL would otherwise plan statements by old statistics until autovacuum reaches the table.
 *
 * Tables that autovacuum or a migration is working on are skipped, because autovacuum cancels its work on a table that
 * another session waits for. Each table is a separate statement, which reads a sample of at most 30,000 pages.
 *
 * @param database must not be a transaction, because a transaction would lock the tables until its end
 * @throws pg's DatabaseError of the first table that failed, after the other tables are analyzed: a failing table with
 *   the most changes always comes first and must not block the others
 */
export async function analyzeChangedTables(database: Tx, signal?: AbortSignal): Promise<void> {
  const { rows } = await database.query<{ name: string }>(selectTablesToAnalyzeSql);
  const failures: unknown[] = [];
  for (const { name } of rows) {
    if (signal?.aborted === true) break;
    await database.query(`ANALYZE (SKIP_LOCKED) ${name}`).catch((error: unknown) => failures.push(error));
  }
  if (failures.length > 0) throw failures[0];
}
