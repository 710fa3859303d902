import type { ClientBase } from 'pg';
import { mayMaintainTableSql } from './table-maintenance-right.js';
import { cancelStatementUntilEnded, type StatementCancellationState } from './statement-cancellation.js';
import { openUnpooledConnection } from './migrations/connect-for-migrations.js';
import type { Tx } from './transaction-interface.js';

/**
 * Minimum number of dead or inserted rows after which a table is vacuumed. A twentieth of the table's row count is
 * added to this number.
 */
const minChangedRowsToVacuum = 20_000;

/** Maximum number of tables that one call of {@link vacuumChangedTables} vacuums. */
const maxVacuumedTablesPerCall = 20;

/**
 * Maximum size of a table that is vacuumed, in pages of 8 kB. Larger tables are left to autovacuum, because VACUUM of a
 * large table takes a long time and starts again if the process ends.
 */
const maxVacuumedTablePages = 1_000_000;

/** Maximum number of calls of {@link vacuumChangedTables} that skip a table whose rows VACUUM could not remove. */
const maxSkippedVacuumCalls = 64;

const maxDeadRowsSql = `${minChangedRowsToVacuum} + greatest(c.reltuples, 0) / 20`;

// Query for the tables to vacuum. VACUUM cannot remove rows that an open transaction may still see; without the last
// condition, each call would vacuum their table again.
const selectTablesToVacuumSql = `
  SELECT s.relid AS id, format('%I.%I', s.schemaname, s.relname) AS name, s.vacuum_count AS vacuums
  FROM pg_stat_user_tables s JOIN pg_class c ON c.oid = s.relid
  WHERE c.relkind = 'r' AND c.relpersistence <> 't' AND c.relpages < ${maxVacuumedTablePages} AND ${mayMaintainTableSql}
    AND greatest(s.n_dead_tup, s.n_ins_since_vacuum) > ${maxDeadRowsSql} AND s.relid <> ALL ($1::oid[])
    AND coalesce(greatest(s.last_vacuum, s.last_autovacuum), '-infinity') < coalesce(
      (SELECT min(a.xact_start) FROM pg_stat_activity a
        WHERE a.datname = current_database() AND a.backend_type = 'client backend' AND a.pid <> pg_backend_pid()), now())
  ORDER BY s.n_dead_tup DESC LIMIT ${maxVacuumedTablesPerCall}`;

const hasManyDeadRowsSql = `
  SELECT s.vacuum_count > $2 AND s.n_dead_tup > ${maxDeadRowsSql} AS "hasLeftRows"
  FROM pg_stat_user_tables s JOIN pg_class c ON c.oid = s.relid WHERE s.relid = $1`;

interface TableToVacuum {
  readonly id: number;
  readonly name: string;
  readonly vacuums: number;
}

/**
 * Records the tables whose dead rows VACUUM could not remove, because a replication slot, a standby or another session
 * may still need the rows. The next call of {@link vacuumChangedTables} skips these tables. After each further failure,
 * twice as many calls skip the table.
 */
export class TableVacuumBackoff {
  readonly #tables = new Map<number, { readonly rest: number; left: number }>();

  /**
   * Counts a call of {@link vacuumChangedTables}, and determines the tables that this call must skip.
   *
   * @returns object ids of the tables that the call must skip
   */
  tablesToSkip(): number[] {
    const resting = [...this.#tables].filter(([, { left }]) => left > 0);
    for (const [, table] of resting) table.left -= 1;
    return resting.map(([id]) => id);
  }

  /** Records whether a table still has many dead rows after VACUUM. */
  recordVacuumResult(id: number, hasDeadRows: boolean): void {
    const rest = Math.min(maxSkippedVacuumCalls, 2 * (this.#tables.get(id)?.rest ?? 0.5));
    if (hasDeadRows) this.#tables.set(id, { rest, left: rest });
    else this.#tables.delete(id);
  }
}

/** Options of {@link vacuumChangedTables}. VACUUM needs a separate connection, because a transaction cannot contain it. */
export interface VacuumChangedTablesOptions {
  /** Database whose tables are vacuumed. */
  readonly database: Tx;
  /** URL of the same database, for the separate connection on which VACUUM runs without a time limit. */
  readonly url: string;
  /** Record of the tables to skip. All calls in a process share this record. */
  readonly backoff: TableVacuumBackoff;
  /** Application name of the VACUUM connection in `pg_stat_activity`. */
  readonly applicationName: string;
  /** Signal that cancels the running VACUUM. */
  readonly signal: AbortSignal;
}

/**
 * Vacuums tables that have many dead or inserted rows. Without VACUUM, a count that uses an index must also read the
 * table rows. After the rollback of a large transaction, a count of a million rows took 27 s instead of 0.2 s.
 * Autovacuum waits until a fifth of the table has changed, and works slowly. Readers and writers of a table are not
 * blocked. Tables in use by autovacuum or a migration are skipped. VACUUM does not truncate tables, because a
 * truncation would lock the table.
 *
 * @throws pg's error of the first table that failed, after the other tables are vacuumed
 */
export async function vacuumChangedTables(options: VacuumChangedTablesOptions): Promise<void> {
  const { database, url, applicationName, signal, backoff } = options;
  const { rows } = await database.query<TableToVacuum>(selectTablesToVacuumSql, [backoff.tablesToSkip()]);
  if (rows.length === 0 || signal.aborted) return;
  const client = await openUnpooledConnection(url, applicationName);
  const failures: unknown[] = [];
  try {
    for (const table of rows) await vacuumTable(client, table, options).catch((error: unknown) => failures.push(error));
  } finally {
    await client.end();
  }
  if (failures.length > 0 && !signal.aborted) throw failures[0];
}

async function vacuumTable(
  client: ClientBase,
  { id, name, vacuums }: TableToVacuum,
  { database, backoff, signal }: VacuumChangedTablesOptions,
): Promise<void> {
  if (signal.aborted) return;
  let state: StatementCancellationState = 'running';
  const cancel = (): void => void cancelStatementUntilEnded(client, () => state);
  signal.addEventListener('abort', cancel, { once: true });
  try {
    await client.query(`VACUUM (SKIP_LOCKED, TRUNCATE false) ${name}`);
    const { rows } = await database.query<{ hasLeftRows: boolean }>(hasManyDeadRowsSql, [id, vacuums]);
    backoff.recordVacuumResult(id, rows[0]?.hasLeftRows ?? false);
  } finally {
    state = 'over';
    signal.removeEventListener('abort', cancel);
  }
}
