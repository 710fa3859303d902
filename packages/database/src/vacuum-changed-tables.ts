import type { ClientBase } from 'pg';
import { cancelUntilOver, type WorkState } from './cancellation.js';
import { openClient } from './migrations/connect.js';
import type { Tx } from './tx.js';

/** Number of dead or inserted rows, besides a twentieth of all, from which a table is vacuumed. */
const changedRows = 20_000;

/** Maximum number of tables that one call vacuums. */
const mostTables = 20;

/** Larger tables, in pages of 8 kB, are left to autovacuum: a process that ends would have to begin again. */
const mostPages = 1_000_000;

// Rows that an open transaction may still see stay. Without the last condition each call would vacuum their table again.
const changedTablesSql = `
  SELECT format('%I.%I', s.schemaname, s.relname) AS name
  FROM pg_stat_user_tables s JOIN pg_class c ON c.oid = s.relid
  WHERE c.relkind = 'r' AND c.relpersistence <> 't' AND c.relpages < ${mostPages} AND pg_has_role(c.relowner, 'USAGE')
    AND greatest(s.n_dead_tup, s.n_ins_since_vacuum) > ${changedRows} + greatest(c.reltuples, 0) / 20
    AND coalesce(greatest(s.last_vacuum, s.last_autovacuum), '-infinity') < coalesce(
      (SELECT min(a.xact_start) FROM pg_stat_activity a
        WHERE a.datname = current_database() AND a.backend_type = 'client backend' AND a.pid <> pg_backend_pid()), now())
  ORDER BY s.n_dead_tup DESC LIMIT ${mostTables}`;

/** Options of {@link vacuumChangedTables}. */
export interface VacuumOptions {
  /** The database in which tables are looked up. */
  readonly database: Tx;
  /** URL of the same database: VACUUM has a connection of its own without time limit. */
  readonly url: string;
  /** Shown in `pg_stat_activity`. */
  readonly applicationName: string;
  /** Cancels the statement under way. */
  readonly signal: AbortSignal;
}

/**
 * Vacuums the tables that have many dead or inserted rows. Until then counts over an index read the rows themselves as
 * well: after a large transaction was rolled back, a count of a million took 27 s instead of 0.2 s. Autovacuum waits for a
 * fifth of the table and reads slowly.
 *
 * Readers and writers of a table do not wait. A table that autovacuum or a migration works on is left out, and no table is
 * truncated, which would lock it.
 *
 * @throws pg's errors, of the first table that failed when the others are vacuumed
 */
export async function vacuumChangedTables({ database, url, applicationName, signal }: VacuumOptions): Promise<void> {
  const { rows } = await database.query<{ name: string }>(changedTablesSql);
  if (rows.length === 0 || signal.aborted) return;
  const client = await openClient(url, applicationName);
  const failures: unknown[] = [];
  try {
    for (const { name } of rows) await vacuum(client, name, signal).catch((error: unknown) => failures.push(error));
  } finally {
    await client.end();
  }
  if (failures.length > 0 && !signal.aborted) throw failures[0];
}

async function vacuum(client: ClientBase, table: string, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return;
  let state: WorkState = 'running';
  const cancel = (): void => void cancelUntilOver(client, () => state);
  signal.addEventListener('abort', cancel, { once: true });
  try {
    await client.query(`VACUUM (SKIP_LOCKED, TRUNCATE false) ${table}`);
  } finally {
    state = 'over';
    signal.removeEventListener('abort', cancel);
  }
}
