import { fileURLToPath } from 'node:url';
import { applyMigrations, createDatabase } from '@switchboard/database';
import { applyQueueMigrations } from '@switchboard/queue';

/** Where the migrations of this service lie, seen from the sources and from the build alike. */
const migrationsFolder = fileURLToPath(new URL('../../../prisma/chat/migrations', import.meta.url));

/**
 * Brings a database to the state that this version needs, the tables of the queue layer included. Any number of
 * processes may do so at once: they take turns, and the later ones find nothing to do.
 *
 * @throws MigrationError or QueueMigrationError, whose messages say what to do.
 */
export async function migrate(url: string, log: (line: string) => void): Promise<void> {
  await applyMigrations({ url, folder: migrationsFolder, log });
  const quiet = { warn: () => {}, error: () => {} };
  const database = createDatabase({
    url,
    max: 1,
    applicationName: 'switchboard-chat-migrate',
    logger: quiet,
    slowQueryMs: 60_000,
  });
  try {
    await applyQueueMigrations(database.pool);
  } finally {
    await database.close();
  }
}
