import { createReadStream, createWriteStream, type WriteStream } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { AdminError } from '../../admin-error.js';
import { ArchivedTableRow } from './archive-row.js';
import { quotePathForMessage } from './archive-path.js';
import { readJsonArrayElements } from './json-elements.js';

const maxArchiveTables = 500;
const archiveRowsPerBatch = 1_000;

/**
 * Tables of an archive's file `realm.json`. Each table is copied into a file with one row per line. Tables of any size
 * can then be read several times and in any order.
 */
export class ArchiveTables {
  readonly #counts = new Map<string, number>();
  readonly #read = new Set<string>();

  private constructor(private readonly folder: string) {}

  /**
   * Copies each table of `realm.json` into a file in a new folder.
   *
   * @throws AdminError if the file is malformed
   */
  static async splitRealmJsonIntoTables(file: string, folder: string): Promise<ArchiveTables> {
    const tables = new ArchiveTables(folder);
    await mkdir(folder);
    await tables.#copyRows(file);
    return tables;
  }

  hasTable(table: string): boolean {
    return this.#counts.has(table);
  }

  /**
   * Reads a table of the archive in batches of at most 1,000 rows. Yields nothing if the archive does not contain the
   * table.
   */
  async *readTableInBatches(table: string): AsyncGenerator<ArchivedTableRow[]> {
    this.#read.add(table);
    if (!this.hasTable(table)) return;
    let batch: ArchivedTableRow[] = [];
    for await (const line of createInterface({ input: createReadStream(this.#fileOf(table)) })) {
      batch.push(ArchivedTableRow.parse(table, line));
      if (batch.length < archiveRowsPerBatch) continue;
      yield batch;
      batch = [];
    }
    if (batch.length > 0) yield batch;
  }

  /** Reads all rows of a table of the archive into memory. */
  async readTable(table: string): Promise<ArchivedTableRow[]> {
    const rows: ArchivedTableRow[] = [];
    for await (const batch of this.readTableInBatches(table)) rows.push(...batch);
    return rows;
  }

  /** Lists the tables of the archive that the import did not read, with the number of rows of each table. */
  listUnreadTables(): [table: string, count: number][] {
    return [...this.#counts].filter(([table]) => !this.#read.has(table));
  }

  async #copyRows(file: string): Promise<void> {
    let open = '';
    let stream: WriteStream | undefined;
    for await (const elements of readJsonArrayElements(file)) {
      for (const { key: table, text } of elements) {
        if (stream === undefined || open !== table) {
          await closeTableWriteStream(stream);
          stream = this.#openTableFile(table);
          open = table;
        }
        this.#counts.set(table, (this.#counts.get(table) ?? 0) + 1);
        if (!stream.write(`${text}\n`)) await once(stream, 'drain');
      }
    }
    await closeTableWriteStream(stream);
  }

  #openTableFile(table: string): WriteStream {
    if (!/^\w{1,100}$/.test(table))
      throw new AdminError(`realm.json has an invalid table ${quotePathForMessage(table)}.`);
    if (this.#counts.size >= maxArchiveTables)
      throw new AdminError(`realm.json has more than ${maxArchiveTables} tables.`);
    return createWriteStream(this.#fileOf(table), { flags: 'a' });
  }

  #fileOf(table: string): string {
    return join(this.folder, `${table}.jsonl`);
  }
}

async function closeTableWriteStream(stream: WriteStream | undefined): Promise<void> {
  if (stream === undefined) return;
  stream.end();
  await once(stream, 'close');
}
