import { fileURLToPath } from 'node:url';
import { applyMigrations } from '@switchboard/database';
import { applyQueueMigrations } from '@switchboard/queue';
import pg from 'pg';

/** Plain SQL in Prisma's layout, beside the apps of the workspace. */
export const migrationsFolder = fileURLToPath(new URL('../../../prisma/inventory/migrations', import.meta.url));

/**
 * Brings a database up to date, whether or not it exists; safe in many processes at once.
 *
 * @throws MigrationError or QueueMigrationError, whose messages say what to do
 */
export async function migrate(url: string, log: (line: string) => void): Promise<void> {
  await applyMigrations({ url, folder: migrationsFolder, log });
  const pool = new pg.Pool({ connectionString: url, max: 1 });
  try {
    await applyQueueMigrations(pool);
  } finally {
    await pool.end();
  }
}
