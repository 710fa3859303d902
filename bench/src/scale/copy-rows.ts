import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type pg from 'pg';
import { from as copyFrom } from 'pg-copy-streams';

/** A value in a row that COPY writes. Arrays are written as PostgreSQL arrays. */
export type CopiedColumnValue = string | number | boolean | null | Date | readonly number[] | readonly string[];

const copyChunkLengthInBytes = 128 * 1024;

/**
 * Writes rows with COPY into the given columns of a table.
 *
 * @param options options of COPY: `FREEZE` if the transaction has truncated the table, because the rows then need no
 *   vacuum
 */
export async function copyRowsIntoTable(
  client: pg.Client,
  { table, columns, options = '' }: { table: string; columns: readonly string[]; options?: string },
  rows: Iterable<readonly CopiedColumnValue[]>,
): Promise<void> {
  const names = columns.map((column) => `"${column}"`).join(', ');
  const with_ = options === '' ? '' : ` WITH (${options})`;
  const target = client.query(copyFrom(`COPY "${table}" (${names}) FROM STDIN${with_}`));
  await pipeline(Readable.from(createCopyLines(rows), { objectMode: true, highWaterMark: 2 }), target);
}

function* createCopyLines(rows: Iterable<readonly CopiedColumnValue[]>): Generator<Buffer> {
  let text = '';
  for (const row of rows) {
    text += encodeCopyRow(row);
    if (text.length < copyChunkLengthInBytes) continue;
    yield Buffer.from(text);
    text = '';
  }
  if (text !== '') yield Buffer.from(text);
}

function encodeCopyRow(row: readonly CopiedColumnValue[]): string {
  let text = encodeCopyField(row[0] ?? null);
  for (let at = 1; at < row.length; at += 1) text += `\t${encodeCopyField(row[at] ?? null)}`;
  return `${text}\n`;
}

function encodeCopyField(value: CopiedColumnValue): string {
  if (value === null) return '\\N';
  if (typeof value === 'number') return String(value);
  if (typeof value === 'boolean') return value ? 't' : 'f';
  if (value instanceof Date) return value.toISOString();
  if (typeof value === 'string') return /[\\\t\n\r]/.test(value) ? escapeForCopy(value) : value;
  return escapeForCopy(`{${value.map((each) => (typeof each === 'number' ? each : `"${each}"`)).join(',')}}`);
}

function escapeForCopy(text: string): string {
  return text.replaceAll('\\', '\\\\').replaceAll('\t', '\\t').replaceAll('\n', '\\n').replaceAll('\r', '\\r');
}
