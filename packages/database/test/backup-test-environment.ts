import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import pg from 'pg';
import { applyMigrations, type BackedUpService, BackupError, createBackup, restoreBackup } from '../src/index.js';
import { MigrationsFolder } from './migrations-folder.js';
import { createScratchDatabase, dropScratchDatabase, scratchUrl } from './temporary-database.js';
import { StandInPrograms } from './fake-postgres-programs.js';

/** A row of the test table `notes`. */
export type Note = readonly [id: number, text: string, file: string | null];

/**
 * Test environment for backups: a database with the table `notes`, a folder with the files of its rows, and stand-ins
 * for the PostgreSQL client programs.
 */
export class BackupRig {
  readonly programs = new StandInPrograms();
  /** Temporary folder for all files that a backup test writes. */
  readonly folder = mkdtempSync(join(tmpdir(), 'backup-'));
  readonly backup = join(this.folder, 'backups/first');
  /** Output lines that the backup commands have printed. */
  readonly lines: string[] = [];
  readonly #urls: string[] = [];

  private constructor(private readonly migrations: MigrationsFolder) {}

  static async create(): Promise<BackupRig> {
    const migrations = await MigrationsFolder.create();
    await migrations.write('20260101000000_notes', 'CREATE TABLE notes (id int PRIMARY KEY, text text, file text);');
    return new BackupRig(migrations);
  }

  readonly print = (line: string): void => void this.lines.push(line);

  /**
   * Returns the definition of a test service with a new folder for stored files. The proof of a key is a text with the
   * key's id.
   */
  service(url: string, changes: Partial<BackedUpService> = {}): BackedUpService {
    const keys = ['k1'];
    return {
      product: 'notes',
      release: '1.2.0',
      url,
      schemas: ['public', 'extra'],
      minimumServerVersion: 15,
      files: {
        keysSql: 'SELECT file AS key, true AS is_required FROM notes WHERE file IS NOT NULL',
        store: { kind: 'folder', folder: mkdtempSync(join(this.folder, 'files-')) },
      },
      keys: {
        read: async () => keys.map((id) => ({ kind: 'key', id, proof: `proof of ${id}` })),
        verify: (proofs) => {
          for (const { id } of proofs) if (!keys.includes(id)) throw new BackupError(`Key ${id} is absent.`);
        },
      },
      programs: this.programs.programs,
      schema: { runMigrateCommand: async () => 0, requireMigrations: async () => {} },
      listMigrations: async () => ['20260101000000_notes', '20260102000000_more_notes'],
      ...changes,
    };
  }

  /**
   * Returns the definition of a test service whose database contains the given notes, and whose folder contains the
   * files of these notes.
   */
  async filledService(notes: readonly Note[], changes: Partial<BackedUpService> = {}): Promise<BackedUpService> {
    const url = await this.emptyDatabase();
    await applyMigrations({ url, folder: this.migrations.path, log: () => {} });
    const service = this.service(url, changes);
    for (const [id, text, file] of notes) {
      await query(url, 'INSERT INTO notes VALUES ($1, $2, $3)', [id, text, file]);
      if (file !== null) writeStoredFile(service, file, `${text} in a file`);
    }
    return service;
  }

  async emptyDatabase(): Promise<string> {
    const url = await createScratchDatabase();
    this.#urls.push(url);
    return url;
  }

  /** Returns the URL of a database that does not exist. */
  absentDatabase(): string {
    const url = scratchUrl();
    this.#urls.push(url);
    return url;
  }

  /** Backs up a service into the backup folder of the test. */
  async back(service: BackedUpService): Promise<void> {
    await createBackup(service, { folder: this.backup, print: this.print });
  }

  /** Restores the backup of the test into a service. */
  restore(service: BackedUpService, replaces = false): Promise<boolean> {
    return restoreBackup(service, { folder: this.backup, replaces, migrates: false, print: this.print });
  }

  /** Returns the manifest of the backup, or null if the backup has no manifest. */
  manifest(): Record<string, unknown> | null {
    const path = join(this.backup, 'manifest.json');
    return existsSync(path) ? (JSON.parse(readFileSync(path, 'utf8')) as Record<string, unknown>) : null;
  }

  /** Overwrites the given properties in the manifest of the backup. */
  changeManifest(changes: Record<string, unknown>): void {
    writeFileSync(join(this.backup, 'manifest.json'), JSON.stringify({ ...this.manifest(), ...changes }));
  }

  async close(): Promise<void> {
    for (const url of this.#urls) await dropScratchDatabase(url);
    rmSync(this.folder, { recursive: true });
    this.programs.remove();
    await this.migrations.delete();
  }
}

/** Runs an SQL statement on a separate connection. Returns the rows. */
export async function query<Row extends pg.QueryResultRow>(
  url: string,
  sql: string,
  values: unknown[] = [],
): Promise<Row[]> {
  const client = new pg.Client(url);
  await client.connect();
  try {
    return (await client.query<Row>(sql, values)).rows;
  } finally {
    await client.end();
  }
}

/** Returns the ids and texts of the notes in a database, or null if the database has no table of notes. */
export async function readNotes(url: string): Promise<string | null> {
  const [row] = await query<{ exists: boolean }>(url, "SELECT to_regclass('public.notes') IS NOT NULL AS exists");
  if (row?.exists !== true) return null;
  const rows = await query<{ id: number; text: string }>(url, 'SELECT id, text FROM notes ORDER BY id');
  return rows.map(({ id, text }) => `${id} ${text}`).join(', ');
}

export function folderOf({ files: { store } }: BackedUpService): string {
  if (store.kind === 'bucket') throw new Error('The files are in a bucket');
  return store.folder;
}

/** Writes a file with the given key into a service's folder of stored files. */
export function writeStoredFile(service: BackedUpService, key: string, content: string): void {
  const path = join(folderOf(service), key);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, content);
}

/** Returns the content of the stored files of a service by the keys of the files. */
export function readStoredFiles(service: BackedUpService): Record<string, string> {
  const folder = folderOf(service);
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return Object.fromEntries(
    files
      .map(({ parentPath, name }) => join(parentPath, name))
      .map((path) => [path.slice(folder.length + 1), readFileSync(path, 'utf8')]),
  );
}
