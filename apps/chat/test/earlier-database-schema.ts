import { cp, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { applyMigrations } from '@switchboard/database';
import { openTestDatabase } from '@switchboard/testing';
import pg from 'pg';

/** A test database in which only the first migrations have been applied. */
export interface EarlierSchema {
  /** Database connection with triggers and foreign keys disabled, so that rows may refer to missing rows. */
  readonly client: pg.Client;
  /** Applies the remaining migrations to the test database. */
  migrate(): Promise<void>;
}

/**
 * Runs `work` with a new database in which the migrations have run up to a given one.
 *
 * @param last name of the last applied migration, without its time
 */
export async function withEarlierSchema(last: string, work: (schema: EarlierSchema) => Promise<void>): Promise<void> {
  const all = fileURLToPath(new URL('../../../prisma/chat/migrations', import.meta.url));
  const folder = await mkdtemp(join(tmpdir(), 'chat-migrations-'));
  const database = await openTestDatabase({ name: 'chat_unmigrated', hash: 'empty', prepare: async () => {} });
  const client = new pg.Client({ connectionString: database.url });
  const apply = async (from: string): Promise<void> => {
    await applyMigrations({ url: database.url, folder: from, log: () => {} });
  };
  try {
    const names = (await readdir(all)).toSorted();
    const end = names.findIndex((name) => name.slice(name.indexOf('_') + 1) === last) + 1;
    if (end === 0) throw new Error(`There is no migration ${last}`);
    for (const name of [...names.slice(0, end), 'migration_lock.toml']) {
      await cp(join(all, name), join(folder, name), { recursive: true });
    }
    await apply(folder);
    await client.connect();
    await client.query('SET session_replication_role = replica');
    await work({ client, migrate: () => apply(all) });
  } finally {
    await client.end();
    await database.release();
    await rm(folder, { recursive: true, force: true });
  }
}
