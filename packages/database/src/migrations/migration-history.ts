import { randomUUID } from 'node:crypto';
import type { Client } from 'pg';
import type { DatabaseMigration } from './read-migrations.js';

/** A row of Prisma's migration table, for a migration that was not rolled back. */
export interface AppliedMigration {
  readonly name: string;
  readonly checksum: string;
  /**
   * State of the migration. `interrupted` means that the migration has started but neither finished nor failed. The
   * process that applied the migration has died, or is still applying it.
   */
  readonly state: 'finished' | 'failed' | 'interrupted';
}

/**
 * SQL that creates Prisma's own migration table with the same columns as Prisma. `prisma migrate deploy` and this
 * package can therefore use the same rows.
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

/** Recorded start of one run of a migration. The start is recorded before the migration runs. */
export interface MigrationStartRecord {
  /** Id of the row in the migration table that records this run of a migration. */
  readonly id: string;
  /** True if an earlier run of the migration was interrupted. */
  readonly isRepeated: boolean;
}

/**
 * Records the start of a migration in the migration table, and marks earlier interrupted runs of this migration as
 * rolled back. One statement does both, so that the table contains an interrupted run whenever the process dies. The
 * caller must have the migration lock, so that no other process is applying the migration.
 */
export async function recordMigrationStart(
  client: Client,
  { name, checksum }: DatabaseMigration,
): Promise<MigrationStartRecord> {
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
 * Returns the SQL statement that records the completion of a migration. The statement has no parameters, so that it can
 * be sent in one query with the migration.
 */
export function createMigrationCompletionSql(id: string): string {
  return `UPDATE public._prisma_migrations SET finished_at = now(), applied_steps_count = 1 WHERE id = '${id}'`;
}

/** Stores the error of a migration in its row of the migration table, in the same form as Prisma. */
export async function recordMigrationFailure(client: Client, id: string, logs: string): Promise<void> {
  await client.query('UPDATE public._prisma_migrations SET logs = $2 WHERE id = $1', [id, logs]);
}
