import {
  describeKeyOrPepper,
  type StoredEncryptionKeyUsageProof,
  listKeyProofs,
  lockKeyProofs,
  requireEncryptionKeysMatchDatabase,
  EncryptionKeyMismatchError,
  type KeyOrPepperReference,
} from './stored-encryption-key-proofs.js';
import { type KeyAndPepperUsage, readKeyAndPepperUsage } from './encryption-key-usage.js';
import {
  lockEncryptedRows,
  type EncryptedRowUpdate,
  readEncryptedRowsInBatches,
  updateStoredDigests,
  updateEncryptedColumnValues,
} from './sealed-rows.js';
import { computeEncryptedRowChange, type EncryptedRowChange } from './encrypted-column-values.js';
import {
  getQualifiedColumnName,
  type ServiceKeysAndPeppers,
  type RowTextsByColumn,
  type EncryptedColumn,
  type SecretsDatabase,
  type SecretsQueryExecutor,
  type StoredSecretColumns,
} from './stored-secrets.js';

/** Number of rows of a column after which `admin secrets rewrap` prints a progress line. */
const rewrappedRowsPerProgressLine = 10_000;

export interface ReencryptSecretsOptions {
  readonly stored: StoredSecretColumns;
  /** Prints a line about the progress of the command. */
  readonly print: (line: string) => void;
  /**
   * True if the operator has confirmed the first key and the current pepper, although another key or pepper may have
   * come into use later.
   */
  readonly isConfirmed: boolean;
}

export interface ReencryptSecretsResult {
  /** Numbers of encrypted texts and digests after the run, by key and by pepper. */
  readonly usage: KeyAndPepperUsage;
  /** Keys and peppers to which no row refers any more. The service can start without these keys and peppers. */
  readonly retired: readonly KeyOrPepperReference[];
  /** Number of stored texts that no configured key can decrypt. */
  readonly unreadable: number;
}

/** Maximum number of rows per column that the command names because a text in the row cannot be decrypted. */
const maxListedUnreadableRows = 10;

interface ReencryptedSecretCounts {
  texts: number;
  digests: number;
  unreadable: number;
}

/**
 * Encrypts all stored texts with the first key, and computes the digests of these texts under the current pepper. The
 * service may run meanwhile. Reads each table once in the order of its primary key. Locks each batch of rows, reads the
 * rows again and commits, so that no concurrent change is lost. An interrupted run can be repeated, because rows that
 * already use the first key are not written.
 *
 * @throws EncryptionKeyMismatchError if the configured keys do not match the keys that the database was used with
 */
export async function reencryptStoredSecrets(
  database: SecretsDatabase,
  keys: ServiceKeysAndPeppers,
  { stored, print, isConfirmed }: ReencryptSecretsOptions,
): Promise<ReencryptSecretsResult> {
  if (!isConfirmed) requireNewestKeysAsCurrent(keys, await listKeyProofs(database));
  await requireEncryptionKeysMatchDatabase(database, keys, stored);
  let unreadable = 0;
  for (const column of stored.sealed) unreadable += await reencryptColumnSecrets(database, keys, { column, print });
  // A start that records a key waits for the lock, so that it cannot begin between the count and the removal.
  return database.inTransaction(async (tx) => {
    await lockKeyProofs(tx);
    const usage = await readKeyAndPepperUsage(tx, keys, stored);
    return { usage, retired: await removeUnusedKeyProofs(tx, keys, usage), unreadable };
  });
}

/**
 * Checks that the first key and the current pepper came into use last. With a list from before a rotation, texts would
 * be encrypted with the former key again, although processes use the new key.
 *
 * @throws EncryptionKeyMismatchError
 */
function requireNewestKeysAsCurrent(
  { box, pepper }: ServiceKeysAndPeppers,
  proofs: readonly StoredEncryptionKeyUsageProof[],
): void {
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
        ? `${describeKeyOrPepper(current)}, which this command would use, is not in use, and ${describeKeyOrPepper(later)} is.`
        : `${describeKeyOrPepper(later)} came into use after ${describeKeyOrPepper(current)}, which this command would use.`;
    const advice = 'Configure the keys and peppers of the running processes, or add --yes if no process uses others.';
    throw new EncryptionKeyMismatchError(current.kind, later.id, `${reason} ${advice}`);
  }
}

async function reencryptColumnSecrets(
  database: SecretsDatabase,
  keys: ServiceKeysAndPeppers,
  { column, print }: { readonly column: EncryptedColumn; readonly print: (line: string) => void },
): Promise<number> {
  const counts: ReencryptedSecretCounts = { texts: 0, digests: 0, unreadable: 0 };
  let [read, printed] = [0, 0];
  for await (const rows of readEncryptedRowsInBatches(database, column)) {
    await reencryptRowBatch(database, keys, { column, rows, counts, print });
    read += rows.length;
    if (read < printed + rewrappedRowsPerProgressLine) continue;
    printed = read;
    print(`${getQualifiedColumnName(column)}: ${read} rows read, ${describeReencryptedSecretCounts(counts)}`);
  }
  if (read > 0) print(`${getQualifiedColumnName(column)}: ${describeReencryptedSecretCounts(counts)}`);
  return counts.unreadable;
}

async function reencryptRowBatch(
  database: SecretsDatabase,
  keys: ServiceKeysAndPeppers,
  {
    column,
    rows,
    counts,
    print,
  }: {
    column: EncryptedColumn;
    rows: readonly RowTextsByColumn[];
    counts: ReencryptedSecretCounts;
    print: (line: string) => void;
  },
): Promise<void> {
  const plans = rows.map((row) => ({ row, change: computeEncryptedRowChange(column, keys, row) }));
  for (const { row, change } of plans) {
    if (change.unreadable > 0 && counts.unreadable < maxListedUnreadableRows) print(describeUnreadableRow(column, row));
    counts.unreadable += change.unreadable;
  }
  const outdated = plans.filter(({ change }) => hasNewEncryptedValues(change));
  // A digest has a unique index: its change waits for all transactions that refer to the row, and blocks new ones.
  const single = outdated.filter(({ change }) => change.digest !== null).map(({ row }) => [row]);
  const together = outdated.filter(({ change }) => change.digest === null).map(({ row }) => row);
  for (const rowsOfOne of together.length > 0 ? [together, ...single] : single) {
    const written = await reencryptRows(database, keys, { column, rows: rowsOfOne });
    counts.texts += written.texts;
    counts.digests += written.digests;
  }
}

/**
 * Locks rows, and writes their newly encrypted texts and digests in one transaction. Returns the numbers of written
 * texts and digests.
 */
function reencryptRows(
  database: SecretsDatabase,
  keys: ServiceKeysAndPeppers,
  { column, rows }: { readonly column: EncryptedColumn; readonly rows: readonly RowTextsByColumn[] },
): Promise<Pick<ReencryptedSecretCounts, 'texts' | 'digests'>> {
  return database.inTransaction(async (tx) => {
    // Other processes may have changed the rows since they were read.
    const locked = await lockEncryptedRows(tx, column, rows);
    const values: EncryptedRowUpdate[] = [];
    const changes: EncryptedRowUpdate[] = [];
    for (const row of locked) {
      const { value, digest } = computeEncryptedRowChange(column, keys, row);
      if (value !== null) values.push({ row, text: value });
      if (digest !== null) changes.push({ row, text: digest });
    }
    // Two statements: a row in which secret and digest change together has a new secret, for triggers.
    await updateEncryptedColumnValues(tx, column, values);
    await updateStoredDigests(tx, column, { changes, pepperId: keys.pepper.currentId });
    return { texts: values.length, digests: changes.length };
  });
}

const hasNewEncryptedValues = ({ value, digest }: EncryptedRowChange): boolean => value !== null || digest !== null;

/**
 * Returns a line for the operator about a text that cannot be decrypted. The line names the primary key of the text's
 * row.
 */
function describeUnreadableRow(column: EncryptedColumn, row: RowTextsByColumn): string {
  const key = Object.keys(column.primaryKey).map((name) => `${name} ${row[name] ?? ''}`);
  return `${getQualifiedColumnName(column)}: the text of the row with ${key.join(', ')} cannot be decrypted`;
}

function describeReencryptedSecretCounts({ texts, digests, unreadable }: ReencryptedSecretCounts): string {
  const unreadableText = unreadable === 0 ? '' : `, ${unreadable} texts cannot be decrypted`;
  return `${texts} rows encrypted again, ${digests} digests computed again${unreadableText}`;
}

/**
 * Deletes the stored proofs of unused keys and peppers, to which no row refers. The proofs of the first key and the
 * current pepper remain. Returns the keys and peppers whose proofs were deleted.
 */
async function removeUnusedKeyProofs(
  database: SecretsQueryExecutor,
  { box, pepper }: ServiceKeysAndPeppers,
  usage: KeyAndPepperUsage,
): Promise<readonly KeyOrPepperReference[]> {
  // A digest under an unknown pepper may belong to any of them.
  const isUnknown = usage.digests.some(({ pepperId }) => pepperId === null);
  const used = new Set([
    `key ${box.currentKeyId}`,
    `pepper ${pepper.currentId}`,
    ...usage.texts.map(({ keyId }) => `key ${keyId ?? ''}`),
    ...usage.digests.map(({ pepperId }) => `pepper ${pepperId ?? ''}`),
  ]);
  const unused = (await listKeyProofs(database)).filter(
    ({ kind, id }: StoredEncryptionKeyUsageProof) => !used.has(`${kind} ${id}`) && !(kind === 'pepper' && isUnknown),
  );
  for (const { kind, id } of unused)
    await database.query('DELETE FROM key_proofs WHERE kind = $1 AND id = $2', [kind, id]);
  return unused.map(({ kind, id }) => ({ kind, id }));
}
