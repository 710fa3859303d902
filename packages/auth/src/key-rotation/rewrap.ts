import {
  describeKey,
  type KeyInUse,
  listKeyProofs,
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
  type StoredSecrets,
} from './stored-secrets.js';

/** Interval of the progress lines of a column, in rows. */
const rowsPerLine = 10_000;

/** Options of {@link rewrapStoredSecrets}. */
export interface RewrapOptions {
  readonly stored: StoredSecrets;
  /** Prints a line about the progress. */
  readonly print: (line: string) => void;
}

/** Result of {@link rewrapStoredSecrets}. */
export interface RewrapResult {
  /** Texts and digests after the run. */
  readonly usage: KeyUsage;
  /** Keys and peppers that no row refers to any more. A start without them succeeds. */
  readonly retired: readonly UsedId[];
}

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
  { stored, print }: RewrapOptions,
): Promise<RewrapResult> {
  requireNewestFirst(keys, await listKeyProofs(database));
  await requireStoredKeys(database, keys, stored);
  for (const column of stored.sealed) await rewrapColumn(database, keys, { column, print });
  const usage = await readKeyUsage(database, keys, stored);
  return { usage, retired: await removeUnusedProofs(database, keys, usage) };
}

/**
 * Checks that no key or pepper came into use after the first key and the current pepper: with a list from before a
 * rotation, texts would be encrypted with the former key again while processes use the new one.
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
    const later = ofKind.find(({ createdAt }) => own !== undefined && createdAt > own.createdAt);
    if (later === undefined) continue;
    throw new StoredKeyError(
      current.kind,
      later.id,
      `${describeKey(later)} came into use after ${describeKey(current)}, which this command would use. Configure the keys and peppers of the running processes.`,
    );
  }
}

async function rewrapColumn(
  database: SecretsDatabase,
  keys: KeyRing,
  { column, print }: { readonly column: SealedColumn; readonly print: (line: string) => void },
): Promise<void> {
  const counts: ColumnCounts = { texts: 0, digests: 0, unreadable: 0 };
  let [read, printed] = [0, 0];
  for await (const rows of readRowsInBatches(database, column)) {
    await rewrapBatch(database, keys, { column, rows, counts });
    read += rows.length;
    if (read < printed + rowsPerLine) continue;
    printed = read;
    print(`${columnName(column)}: ${read} rows read, ${describeCounts(counts)}`);
  }
  if (read > 0) print(`${columnName(column)}: ${describeCounts(counts)}`);
}

async function rewrapBatch(
  database: SecretsDatabase,
  keys: KeyRing,
  { column, rows, counts }: { column: SealedColumn; rows: readonly RowTexts[]; counts: ColumnCounts },
): Promise<void> {
  const plans = rows.map((row) => ({ row, change: planRowChange(column, keys, row) }));
  counts.unreadable += plans.reduce((sum, { change }) => sum + change.unreadable, 0);
  const outdated = plans.filter(({ change }) => isChange(change)).map(({ row }) => row);
  if (outdated.length === 0) return;
  const written = await database.inTransaction(async (tx) => {
    // Other processes may have changed the rows since they were read.
    const locked = await lockRows(tx, column, outdated);
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
  counts.texts += written.texts;
  counts.digests += written.digests;
}

const isChange = ({ value, digest }: RowChange): boolean => value !== null || digest !== null;

function describeCounts({ texts, digests, unreadable }: ColumnCounts): string {
  const unreadableText = unreadable === 0 ? '' : `, ${unreadable} texts cannot be decrypted`;
  return `${texts} rows encrypted again, ${digests} digests computed again${unreadableText}`;
}

/** Removes the proofs of keys and peppers that no row refers to, except those that are used for new texts. */
async function removeUnusedProofs(
  database: SecretsDatabase,
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
