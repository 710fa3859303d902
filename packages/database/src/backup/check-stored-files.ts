import type { Client } from 'pg';
import { openUnpooledConnection } from '../migrations/connect-for-migrations.js';
import type { BackedUpService, ServiceFiles } from './backed-up-service.js';
import { findFileSize, resolvePathInFolder, listFilesRecursively } from './file-operations.js';

const checkedFileKeysPerBatch = 1_000;

/** Functions with which the check of stored files lists the files and tests whether a file exists. */
interface StoredFileLister {
  readonly list: () => AsyncIterable<string>;
  readonly exists: (key: string) => Promise<boolean>;
  readonly isPending: (key: string) => Promise<boolean>;
}

/**
 * Prints each database row whose stored file does not exist, and each file to which no row refers. May run while the
 * service runs, because each difference is checked again before it is printed. The file keys are compared in temporary
 * tables, so that memory use does not depend on the number of files.
 *
 * @returns the number of printed differences
 */
export async function checkStoredFiles(
  { url, files }: Pick<BackedUpService, 'url' | 'files'>,
  print: (line: string) => void,
): Promise<number> {
  const client = await openUnpooledConnection(url, 'switchboard check-files');
  try {
    await client.query("SET statement_timeout = 0; SET client_min_messages = 'warning'");
    return await new StoredFileChecker(client, files).checkFilesAndPrintProblems(print);
  } finally {
    await client.end();
  }
}

class StoredFileChecker {
  readonly #listing: StoredFileLister;

  constructor(
    private readonly client: Client,
    private readonly files: ServiceFiles,
  ) {
    this.#listing = createStoredFileLister(files.store);
  }

  async checkFilesAndPrintProblems(print: (line: string) => void): Promise<number> {
    // Files are listed before the rows are read: a file is stored before its row is committed.
    await this.#listFiles();
    await this.#readRows();
    const lost = await this.#report({
      candidates: `SELECT key FROM referenced_files r WHERE is_required
        AND NOT EXISTS (SELECT FROM existing_files f WHERE f.key = r.key)`,
      isDifference: async (key) => !(await this.#listing.exists(key)),
      confirmation: `EXISTS (SELECT FROM (${this.files.keysSql}) AS files WHERE files.is_required AND files.key = c.key)`,
      print: (key) => print(`row without file: ${key}`),
    });
    const unused = await this.#report({
      candidates: `SELECT key FROM existing_files f
        WHERE NOT EXISTS (SELECT FROM referenced_files r WHERE r.key = f.key)`,
      // A mark that a write decides about the file is removed after its row is committed. The rows are read last.
      isDifference: async (key) => !(await this.#listing.isPending(key)) && (await this.#listing.exists(key)),
      confirmation: `NOT EXISTS (SELECT FROM (${this.files.keysSql}) AS files WHERE files.key = c.key)`,
      print: (key) => print(`file without row: ${key}`),
    });
    print(`${lost} rows without file, ${unused} files without row.`);
    return lost + unused;
  }

  async #listFiles(): Promise<void> {
    await this.client.query('CREATE TEMPORARY TABLE existing_files (key text NOT NULL)');
    await this.#insert('existing_files', this.#listing.list());
    await this.client.query('ANALYZE existing_files');
  }

  async #readRows(): Promise<void> {
    await this.client.query(
      `CREATE TEMPORARY TABLE referenced_files AS
         SELECT key, bool_or(is_required) AS is_required FROM (${this.files.keysSql}) AS files GROUP BY key`,
    );
    await this.client.query('ANALYZE referenced_files');
  }

  /**
   * Checks each suspected difference between files and rows again: reads the file first, then the rows. Prints the
   * differences that remain and returns their number.
   */
  async #report(check: {
    readonly candidates: string;
    readonly isDifference: (key: string) => Promise<boolean>;
    readonly confirmation: string;
    readonly print: (key: string) => void;
  }): Promise<number> {
    await this.client.query('CREATE TEMPORARY TABLE checked_files (key text NOT NULL)');
    await this.#insert('checked_files', this.#differences(check.candidates, check.isDifference));
    await this.client.query('ANALYZE checked_files');
    const confirmed = `SELECT key FROM checked_files c WHERE ${check.confirmation} ORDER BY key COLLATE "C"`;
    let count = 0;
    for await (const key of this.#read('confirmed', confirmed)) {
      count += 1;
      check.print(key);
    }
    await this.client.query('DROP TABLE checked_files');
    return count;
  }

  async *#differences(candidates: string, isDifference: (key: string) => Promise<boolean>): AsyncGenerator<string> {
    for await (const key of this.#read('candidates', candidates)) if (await isDifference(key)) yield key;
  }

  async #insert(table: string, keys: AsyncIterable<string>): Promise<void> {
    const insert = (batch: string[]) => this.client.query(`INSERT INTO ${table} SELECT unnest($1::text[])`, [batch]);
    let batch: string[] = [];
    for await (const key of keys) {
      batch.push(key);
      if (batch.length < checkedFileKeysPerBatch) continue;
      await insert(batch);
      batch = [];
    }
    if (batch.length > 0) await insert(batch);
  }

  /**
   * Yields the file keys that an SQL query returns. A cursor WITH HOLD stores the result of the query on the server.
   */
  async *#read(cursor: string, sql: string): AsyncGenerator<string> {
    await this.client.query(`DECLARE ${cursor} NO SCROLL CURSOR WITH HOLD FOR ${sql}`);
    for (;;) {
      const { rows } = await this.client.query<{ key: string }>(`FETCH ${checkedFileKeysPerBatch} FROM ${cursor}`);
      for (const { key } of rows) yield key;
      if (rows.length < checkedFileKeysPerBatch) break;
    }
    await this.client.query(`CLOSE ${cursor}`);
  }
}

function createStoredFileLister(store: ServiceFiles['store']): StoredFileLister {
  const { isPending = async () => false } = store;
  if (store.kind === 'bucket') return { list: store.list, exists: store.exists, isPending };
  const { folder } = store;
  return {
    list: () => listStoredFilesInFolder(folder),
    exists: async (key) => (await findFileSize(resolvePathInFolder(folder, key))) !== null,
    isPending,
  };
}

async function* listStoredFilesInFolder(folder: string): AsyncGenerator<string> {
  for await (const key of listFilesRecursively(folder)) if (!key.startsWith('.')) yield key;
}
