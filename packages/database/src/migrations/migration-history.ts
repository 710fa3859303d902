import { randomUUID } from 'node:crypto';
import type { Client } from 'pg';
import type { Migration } from './read-migrations.js';

/** A row of Prisma's migration table, for a migration that was not rolled back. */
export interface AppliedMigration {
  readonly name: string;
  readonly checksum: string;
  /**
   * State of the migration. `interrupted` means started but neither finished nor failed: its process died, or is still
   * applying it.
   */
  readonly state: 'finished' | 'failed' | 'interrupted';
}

/**
 * SQL that creates Prisma's own migration table, column by column, so that `prisma migrate deploy` and this package can
 * read each other's rows.
 */
const createMigrationTableSql = `
  CREATE TABLE IF NOT EXISTS public._prisma_migrations (
    id                  VARCHAR(36) PRIMARY KEY NOT NULL,
    checksum            VARCHAR(64) NOT NULL,
    finished_at         TIMESTAMPTZ,
    migration_name      VARCHAR(255) NOT NULL,
    logs                TEXT,
    rolled_back_at      TIMESTAMPTZ,
    started_at          TIMESTAMPTZ NOT NULL DEFAULT now(),
    applied_steps_count INTEGER NOT NULL DEFAULT 0
  )`;

/** Creates Prisma's migration table if it does not exist. */
export async function createMigrationTable(client: Client): Promise<void> {
  await client.query(createMigrationTableSql);
}

/**
 * Lists the migrations that were applied to a database, oldest first. Returns an empty list if the migration table does
 * not exist.
 */
export async function readAppliedMigrations(client: Client): Promise<AppliedMigration[]> {
  const { rows: found } = await client.query<{ exists: boolean }>(
    "SELECT to_regclass('public._prisma_migrations') IS NOT NULL AS exists",
  );
  if (!found[0]?.exists) return [];
  const { rows } = await client.query<AppliedMigration>(
    `SELECT migration_name AS name, checksum,
            CASE WHEN finished_at IS NOT NULL THEN 'finished' WHEN logs IS NOT NULL THEN 'failed' ELSE 'interrupted' END
              AS state
       FROM public._prisma_migrations
      WHERE rolled_back_at IS NULL
      ORDER BY started_at, migration_name`,
  );
  return rows;
}

/** Run of a migration that was recorded before the migration runs. */
export interface MigrationRunStart {
  /** Id of the run's row in the migration table. */
  readonly id: string;
  /** True if an earlier run was interrupted. */
  readonly isRepeated: boolean;
}

/**
 * Records the start of a migration in the migration table, and marks interrupted runs of it as rolled back, in one
 * statement: if the process dies, the table always has an interrupted run. The caller must have the migration lock, so
 * that no other process is applying the migration.
 */
export async function recordMigrationStart(client: Client, { name, checksum }: Migration): Promise<MigrationRunStart> {
  const id = randomUUID();
  const { rows } = await client.query<{ isRepeated: boolean }>(
    `WITH interrupted AS (
       UPDATE public._prisma_migrations SET rolled_back_at = now()
        WHERE migration_name = $3 AND finished_at IS NULL AND rolled_back_at IS NULL RETURNING id
     ), started AS (
       INSERT INTO public._prisma_migrations (id, checksum, migration_name) VALUES ($1, $2, $3)
     )
     SELECT EXISTS (SELECT FROM interrupted) AS "isRepeated"`,
    [id, checksum, name],
  );
  return { id, isRepeated: rows[0]?.isRepeated === true };
}

/**
 * Returns the SQL statement that records the completion of a migration. It has no parameters, so that it can be sent in
 * one query with the migration.
 */
export function createMigrationCompletionSql(id: string): string {
  return `UPDATE public._prisma_migrations SET finished_at = now(), applied_steps_count = 1 WHERE id = '${id}'`;
}

/** Stores the error of a migration in its row of the migration table, as Prisma does. */
export async function recordMigrationFailure(client: Client, id: string, logs: string): Promise<void> {
  await client.query('UPDATE public._prisma_migrations SET logs = $2 WHERE id = $1', [id, logs]);
}
