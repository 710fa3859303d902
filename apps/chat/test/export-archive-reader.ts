import { gunzipSync } from 'node:zlib';

/** A row of a table in an export archive. */
export type ArchiveRow = Readonly<Record<string, unknown>> & { readonly id: number };

/** Contents of an export archive, parsed by test code that shares no code with the exporter. */
export interface ReadArchive {
  /** Contents of the export archive's files, by path below the archive's top-level folder. */
  readonly files: ReadonlyMap<string, Buffer>;
  /** Rows of the tables in the archive's `realm.json`, by table name. */
  readonly tables: Readonly<Record<string, readonly ArchiveRow[]>>;
  readonly messages: readonly ArchiveRow[];
  readonly userMessages: readonly ArchiveRow[];
  /**
   * Returns the rows of a table in the archive's `realm.json`.
   *
   * @throws Error if the archive does not contain the table
   */
  rows(table: string): readonly ArchiveRow[];
}

/**
 * Reads an export archive into memory.
 *
 * @throws Error if the archive is damaged, or lacks a file that Zulip's importer requires
 */
export function readArchiveFile(archive: Buffer): ReadArchive {
  const files = untar(gunzipSync(archive));
  const json = (path: string): unknown => {
    const content = files.get(path);
    if (content === undefined) throw new Error(`The archive has no ${path}`);
    return JSON.parse(content.toString('utf8'));
  };
  const required = ['migration_status.json', 'attachment.json', 'uploads/records.json', 'avatars/records.json'];
  for (const path of required) json(path);
  const { import_source: source, ...tables } = json('realm.json') as Record<string, ArchiveRow[]>;
  if (String(source) !== 'zulip') throw new Error('The archive does not name its source');
  const parts: Record<string, ArchiveRow[]>[] = [];
  for (let n = 1; files.has(messageFile(n)); n += 1) parts.push(json(messageFile(n)) as Record<string, ArchiveRow[]>);
  return {
    files,
    tables,
    messages: parts.flatMap((part) => part['zerver_message'] ?? []),
    userMessages: parts.flatMap((part) => part['zerver_usermessage'] ?? []),
    rows(table) {
      const rows = tables[table];
      if (rows === undefined) throw new Error(`The archive has no table ${table}`);
      return rows;
    },
  };
}

const messageFile = (n: number): string => `messages-${String(n).padStart(6, '0')}.json`;

/** Returns the files of a tar archive that contains one folder, by path below the folder. */
function untar(tar: Buffer): Map<string, Buffer> {
  const files = new Map<string, Buffer>();
  let longName: string | undefined;
  let at = 0;
  for (;;) {
    const header = tar.subarray(at, at + 512);
    if (header.length < 512) throw new Error('The archive has no end');
    if (header.every((byte) => byte === 0)) break;
    requireChecksum(header);
    const size = Number.parseInt(textOf(header, 124, 12), 8);
    const content = tar.subarray(at + 512, at + 512 + size);
    if (content.length < size) throw new Error('The archive is truncated');
    if (textOf(header, 156, 1) === 'x') {
      longName = /^\d+ path=(.*)\n$/su.exec(content.toString('utf8'))?.[1];
    } else {
      const path = longName ?? textOf(header, 0, 100);
      files.set(path.slice(path.indexOf('/') + 1), content);
      longName = undefined;
    }
    at += 512 + Math.ceil(size / 512) * 512;
  }
  if (!tar.subarray(at).every((byte) => byte === 0)) throw new Error('Something follows the end of the archive');
  return files;
}

const textOf = (block: Buffer, start: number, length: number): string =>
  block.toString('utf8', start, start + length).replace(/\0.*$/s, '');

function requireChecksum(header: Buffer): void {
  const sum = header.reduce((total, byte, index) => total + (index >= 148 && index < 156 ? 32 : byte), 0);
  if (Number.parseInt(textOf(header, 148, 8), 8) !== sum) throw new Error('A header of the archive is damaged');
}
