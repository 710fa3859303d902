import { join } from 'node:path';
import type { Client } from 'pg';
import { openUnpooledConnection, removeTimeLimitsSql } from '../migrations/connect-for-migrations.js';
import { readAppliedMigrations } from '../migrations/migration-history.js';
import type { BackedUpService, BackedUpEncryptionKeyProof } from './backed-up-service.js';
import { BackupError } from './backup-error.js';
import { writeAndHashFile } from './file-operations.js';
import { JsonLinesFileWriter } from './json-lines-file.js';
import { backupFileNames, type BackupFileSizeAndHash } from './backup-manifest.js';
import {
  createPostgresConnectionEnvironment,
  listPostgresPrograms,
  readPostgresProgramVersion,
  startPostgresProgram,
} from './postgres-programs.js';

const fileKeysPerFetch = 1_000;

/** A dump of a database, with properties of the database snapshot from which it was made. */
export interface DatabaseDump {
  readonly dump: BackupFileSizeAndHash;
  /** Path of a temporary file that lists the keys of the stored files required by rows of the snapshot. */
  readonly keyList: string;
  readonly newestMigration: string;
  readonly createdAt: string;
  /** Versions of the PostgreSQL server and of the program pg_dump with which the dump was made. */
  readonly server: string;
  readonly pgDump: string;
  /** Proofs of the encryption keys and peppers that the dumped database was used with. */
  readonly keys: readonly BackedUpEncryptionKeyProof[];
}

/**
 * Dumps a database with pg_dump into the folder of a backup, and lists the stored files that the rows require. The dump
 * and the list are from one database snapshot.
 *
 * @throws BackupError when pg_dump is absent, older than the server, or fails
 */
export async function dumpDatabase(service: BackedUpService, folder: string): Promise<DatabaseDump> {
  const program = listPostgresPrograms(service.programs).pgDump;
  const { text: pgDump, major } = await readPostgresProgramVersion(program, service.programs.environment);
  const client = await openUnpooledConnection(service.url, 'switchboard backup');
  try {
    const server = await readPostgresServerVersion(client);
    if (major < server.major) {
      throw new BackupError(
        `pg_dump ${pgDump} is older than the server, PostgreSQL ${server.text}. Install the client of PostgreSQL ` +
          `${server.major}, or set PG_DUMP to the path of its pg_dump.`,
      );
    }
    await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
    await client.query(removeTimeLimitsSql);
    const { rows } = await client.query<{ snapshot: string; at: Date }>(
      'SELECT pg_export_snapshot() AS snapshot, now() AS at',
    );
    const [{ snapshot, at } = { snapshot: '', at: new Date() }] = rows;
    const newestMigration = await readNewestMigrationName(client, service.product);
    const keys = await service.keys.read(client);
    const keyList = join(folder, '.keys.jsonl');
    await writeStoredFileKeyList(client, service.files.keysSql, keyList);
    const excluded = (await listSchemasOutsideService(client, service.schemas)).map(
      (name) => `--exclude-schema=${name}`,
    );
    const args = ['--format=custom', `--snapshot=${snapshot}`, '--no-password', ...excluded];
    const running = startPostgresProgram(
      program,
      args,
      createPostgresConnectionEnvironment(service.url, service.programs.environment),
    );
    running.stdin.end();
    const sum = await writeAndHashFile(join(folder, backupFileNames.database), running.stdout);
    await running.ended;
    await client.query('COMMIT');
    const dump = { name: backupFileNames.database, ...sum };
    return { dump, keyList, keys, newestMigration, createdAt: at.toISOString(), server: server.text, pgDump };
  } finally {
    await client.end();
  }
}

/** Reads the version of the PostgreSQL server, such as 18.4, and the number of its major version. */
export async function readPostgresServerVersion(
  client: Client,
): Promise<{ readonly text: string; readonly major: number }> {
  const { rows } = await client.query<{ text: string; major: number }>(
    `SELECT split_part(current_setting('server_version'), ' ', 1) AS text,
       current_setting('server_version_num')::int / 10000 AS major`,
  );
  return rows[0] ?? { text: '', major: 0 };
}

/**
 * Lists the schemas of a database that belong neither to the service nor to PostgreSQL, such as schemas of a monitoring
 * tool. Returns the schema names as patterns for pg_dump. Omits a schema that contains an extension, because the dump
 * needs that schema.
 */
async function listSchemasOutsideService(client: Client, schemas: readonly string[]): Promise<string[]> {
  const { rows } = await client.query<{ pattern: string }>(
    `SELECT '"' || replace(nspname, '"', '""') || '"' AS pattern FROM pg_namespace n
      WHERE nspname <> ALL ($1) AND nspname !~ '^pg_' AND nspname <> 'information_schema'
        AND NOT EXISTS (SELECT FROM pg_extension WHERE extnamespace = n.oid) ORDER BY 1`,
    [schemas],
  );
  return rows.map(({ pattern }) => pattern);
}

async function readNewestMigrationName(client: Client, product: string): Promise<string> {
  const applied = (await readAppliedMigrations(client)).filter(({ state }) => state === 'finished');
  const newest = applied
    .map(({ name }) => name)
    .toSorted()
    .at(-1);
  if (newest === undefined) throw new BackupError(`The database has no tables of ${product}.`);
  return newest;
}

/**
 * Writes a list of the keys of all stored files that database rows require into a new file. Reads the keys from the
 * database in batches.
 */
async function writeStoredFileKeyList(client: Client, keysSql: string, path: string): Promise<void> {
  const list = await JsonLinesFileWriter.createFileAndWriter(path);
  try {
    await client.query(
      `DECLARE required_files NO SCROLL CURSOR FOR SELECT DISTINCT key FROM (${keysSql}) AS files WHERE is_required`,
    );
    for (;;) {
      const { rows } = await client.query<{ key: string }>(`FETCH ${fileKeysPerFetch} FROM required_files`);
      for (const { key } of rows) await list.appendJsonLine(key);
      if (rows.length < fileKeysPerFetch) break;
    }
    await client.query('CLOSE required_files');
    await list.finishFile();
  } finally {
    await list.closeUnfinishedFile();
  }
}
