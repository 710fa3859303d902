import { mayMaintainTableSql } from './table-maintenance-right.js';
import type { Tx } from './transaction-interface.js';

/**
 * Minimum number of changed rows after which a table is analyzed. A hundredth of the table's row count is added to this
 * number.
 */
const minChangedRowsToAnalyze = 20_000;

/** Maximum number of tables for which one call of {@link analyzeChangedTables} runs ANALYZE. */
const maxAnalyzedTablesPerCall = 20;

const selectTablesToAnalyzeSql = `
  SELECT format('%I.%I', s.schemaname, s.relname) AS name
  FROM pg_stat_user_tables s JOIN pg_class c ON c.oid = s.relid
  WHERE c.relkind = 'r' AND c.relpersistence <> 't' AND ${mayMaintainTableSql}
    AND s.n_mod_since_analyze > ${minChangedRowsToAnalyze} + greatest(c.reltuples, 0) / 100
  ORDER BY s.n_mod_since_analyze DESC LIMIT ${maxAnalyzedTablesPerCall}`;

/**
 * Runs ANALYZE for tables of which many rows have changed since their last analysis. After a large move, deletion or
 * import of rows, PostgreSQL would otherwise plan statements by old statistics until autovacuum reaches the table.
 *
 * Tables in use by autovacuum or a migration are skipped, because autovacuum cancels its work on a table for which
 * another session waits. Each table is analyzed by a separate statement, which reads a sample of at most 30,000 pages.
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
