import {
  describeKey,
  type KeyInUse,
  listKeyProofs,
  lockKeyProofs,
  requireStoredKeys,
  StoredKeyError,
  type UsedId,
} from './keys-in-use.js';
import { type KeyUsage, readKeyUsage } from './key-usage.js';
import { lockRows, type NewValue, readRowsInBatches, updateDigests, updateValues } from './sealed-rows.js';
import { planRowChange, type RowChange } from './sealed-values.js';
import {
  columnName,
  type KeyRing,
  type RowTexts,
  type SealedColumn,
  type SecretsDatabase,
  type SecretsReader,
  type StoredSecrets,
} from './stored-secrets.js';

/** Interval of the progress lines of a column, in rows. */
const rowsPerLine = 10_000;

/** Options of {@link rewrapStoredSecrets}. */
export interface RewrapOptions {
  readonly stored: StoredSecrets;
  /** Prints a line about the progress. */
  readonly print: (line: string) => void;
  /** True if a key or pepper may have come into use after those that new texts and digests get. */
  readonly isConfirmed: boolean;
}

/** Result of {@link rewrapStoredSecrets}. */
export interface RewrapResult {
  /** Texts and digests after the run. */
  readonly usage: KeyUsage;
  /** Keys and peppers that no row refers to any more. A start without them succeeds. */
  readonly retired: readonly UsedId[];
  /** Number of texts that no configured key decrypts. */
  readonly unreadable: number;
}

/** Number of rows of a column with texts that cannot be decrypted that are named. */
const namedRows = 10;

interface ColumnCounts {
  texts: number;
  digests: number;
  unreadable: number;
}

/**
 * Encrypts all texts with the first key, and computes their digests under the current pepper, while the service runs.
 * Reads each table once in the order of its primary key. A batch of rows is locked, read again and committed, so that no
 * concurrent change is lost. An interrupted run can be repeated: rows under the first key are not written.
 *
 * @throws StoredKeyError if the keys do not fit the database
 */
export async function rewrapStoredSecrets(
  database: SecretsDatabase,
  keys: KeyRing,
  { stored, print, isConfirmed }: RewrapOptions,
): Promise<RewrapResult> {
  if (!isConfirmed) requireNewestFirst(keys, await listKeyProofs(database));
  await requireStoredKeys(database, keys, stored);
  let unreadable = 0;
  for (const column of stored.sealed) unreadable += await rewrapColumn(database, keys, { column, print });
  // A start that records a key waits for the lock, so that it cannot begin between the count and the removal.
  return database.inTransaction(async (tx) => {
    await lockKeyProofs(tx);
    const usage = await readKeyUsage(tx, keys, stored);
    return { usage, retired: await removeUnusedProofs(tx, keys, usage), unreadable };
  });
}

/**
 * Checks that the first key and the current pepper are those that came into use last: with a list from before a rotation,
 * texts would be encrypted with the former key again while processes use the new one.
 *
 * @throws StoredKeyError
 */
function requireNewestFirst({ box, pepper }: KeyRing, proofs: readonly KeyInUse[]): void {
  for (const current of [
    { kind: 'key', id: box.currentKeyId },
    { kind: 'pepper', id: String(pepper.currentId) },
  ] as const) {
    const ofKind = proofs.filter(({ kind }) => kind === current.kind);
    const own = ofKind.find(({ id }) => id === current.id);
    const later = ofKind.find(({ createdAt }) => own === undefined || createdAt > own.createdAt);
    if (later === undefined) continue;
    const reason =
      own === undefined
        ? `${describeKey(current)}, which this command would use, is not in use, and ${describeKey(later)} is.`
        : `${describeKey(later)} came into use after ${describeKey(current)}, which this command would use.`;
    const advice = 'Configure the keys and peppers of the running processes, or add --yes if no process uses others.';
    throw new StoredKeyError(current.kind, later.id, `${reason} ${advice}`);
  }
}

async function rewrapColumn(
  database: SecretsDatabase,
  keys: KeyRing,
  { column, print }: { readonly column: SealedColumn; readonly print: (line: string) => void },
): Promise<number> {
  const counts: ColumnCounts = { texts: 0, digests: 0, unreadable: 0 };
  let [read, printed] = [0, 0];
  for await (const rows of readRowsInBatches(database, column)) {
    await rewrapBatch(database, keys, { column, rows, counts, print });
    read += rows.length;
    if (read < printed + rowsPerLine) continue;
    printed = read;
    print(`${columnName(column)}: ${read} rows read, ${describeCounts(counts)}`);
  }
  if (read > 0) print(`${columnName(column)}: ${describeCounts(counts)}`);
  return counts.unreadable;
}

async function rewrapBatch(
  database: SecretsDatabase,
  keys: KeyRing,
  {
    column,
    rows,
    counts,
    print,
  }: { column: SealedColumn; rows: readonly RowTexts[]; counts: ColumnCounts; print: (line: string) => void },
): Promise<void> {
  const plans = rows.map((row) => ({ row, change: planRowChange(column, keys, row) }));
  for (const { row, change } of plans) {
    if (change.unreadable > 0 && counts.unreadable < namedRows) print(describeUnreadableRow(column, row));
    counts.unreadable += change.unreadable;
  }
  const outdated = plans.filter(({ change }) => isChange(change));
  // A digest has a unique index: its change waits for all transactions that refer to the row, and blocks new ones.
  const single = outdated.filter(({ change }) => change.digest !== null).map(({ row }) => [row]);
  const together = outdated.filter(({ change }) => change.digest === null).map(({ row }) => row);
  for (const rowsOfOne of together.length > 0 ? [together, ...single] : single) {
    const written = await rewrapRows(database, keys, { column, rows: rowsOfOne });
    counts.texts += written.texts;
    counts.digests += written.digests;
  }
}

/** Writes the new values of rows in one transaction. */
function rewrapRows(
  database: SecretsDatabase,
  keys: KeyRing,
  { column, rows }: { readonly column: SealedColumn; readonly rows: readonly RowTexts[] },
): Promise<Pick<ColumnCounts, 'texts' | 'digests'>> {
  return database.inTransaction(async (tx) => {
    // Other processes may have changed the rows since they were read.
    const locked = await lockRows(tx, column, rows);
    const values: NewValue[] = [];
    const changes: NewValue[] = [];
    for (const row of locked) {
      const { value, digest } = planRowChange(column, keys, row);
      if (value !== null) values.push({ row, text: value });
      if (digest !== null) changes.push({ row, text: digest });
    }
    // Two statements: a row in which secret and digest change together has a new secret, for triggers.
    await updateValues(tx, column, values);
    await updateDigests(tx, column, { changes, pepperId: keys.pepper.currentId });
    return { texts: values.length, digests: changes.length };
  });
}

const isChange = ({ value, digest }: RowChange): boolean => value !== null || digest !== null;

/** Returns a line that names the row of a text that cannot be decrypted by its primary key. */
function describeUnreadableRow(column: SealedColumn, row: RowTexts): string {
  const key = Object.keys(column.primaryKey).map((name) => `${name} ${row[name] ?? ''}`);
  return `${columnName(column)}: the text of the row with ${key.join(', ')} cannot be decrypted`;
}

function describeCounts({ texts, digests, unreadable }: ColumnCounts): string {
  const unreadableText = unreadable === 0 ? '' : `, ${unreadable} texts cannot be decrypted`;
  return `${texts} rows encrypted again, ${digests} digests computed again${unreadableText}`;
}

/** Removes the proofs of keys and peppers that no row refers to, except those that are used for new texts. */
async function removeUnusedProofs(
  database: SecretsReader,
  { box, pepper }: KeyRing,
  usage: KeyUsage,
): Promise<readonly UsedId[]> {
  // A digest under an unknown pepper may belong to any of them.
  const isUnknown = usage.digests.some(({ pepperId }) => pepperId === null);
  const used = new Set([
    `key ${box.currentKeyId}`,
    `pepper ${pepper.currentId}`,
    ...usage.texts.map(({ keyId }) => `key ${keyId ?? ''}`),
    ...usage.digests.map(({ pepperId }) => `pepper ${pepperId ?? ''}`),
  ]);
  const unused = (await listKeyProofs(database)).filter(
    ({ kind, id }: KeyInUse) => !used.has(`${kind} ${id}`) && !(kind === 'pepper' && isUnknown),
  );
  for (const { kind, id } of unused)
    await database.query('DELETE FROM key_proofs WHERE kind = $1 AND id = $2', [kind, id]);
  return unused.map(({ kind, id }) => ({ kind, id }));
}
