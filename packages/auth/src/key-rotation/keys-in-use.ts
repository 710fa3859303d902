import { timingSafeEqualText } from '../constant-time.js';
import type { Pepper } from '../pepper.js';
import { type SecretBox, SecretBoxError } from '../secret-box.js';
import { countComputableDigests, countDigests, countTexts } from './key-usage.js';
import { findUnreadableKeys } from './readable-keys.js';
import type { KeyRing, SecretsDatabase, SecretsReader, StoredSecrets } from './stored-secrets.js';

/** Kind of secret that a proof is about. */
export type KeyKind = 'key' | 'pepper';

/** Proof that a key or pepper was used with a database. It does not reveal the key. */
export interface KeyProof {
  readonly kind: KeyKind;
  readonly id: string;
  /** Constant text, encrypted with the key or digested with the pepper. */
  readonly proof: string;
}

/** Row of the table `key_proofs`: shows that a key or pepper is in use, and which one has the id. */
export interface KeyInUse extends KeyProof {
  readonly createdAt: Date;
}

/**
 * Error for keys that do not fit the database: a key or pepper that is in use is not configured, or its id belongs to
 * another one. The message contains the id, never the value.
 */
export class StoredKeyError extends Error {
  override readonly name = 'StoredKeyError';

  constructor(
    readonly kind: KeyKind,
    readonly id: string,
    message: string,
  ) {
    super(message);
  }
}

const provenText = 'switchboard:key-proof';

const kindNames: Readonly<Record<KeyKind, string>> = { key: 'Encryption key', pepper: 'Pepper' };

/** Returns the name of a key or pepper for operators, such as `Encryption key "k1"`. */
export function describeKey({ kind, id }: Pick<KeyProof, 'kind' | 'id'>): string {
  return `${kindNames[kind]} "${id}"`;
}

/** Returns all proofs, ordered by kind and id. */
export async function listKeyProofs(database: SecretsReader): Promise<KeyInUse[]> {
  const { rows } = await database.query<KeyInUse>(
    'SELECT kind, id, proof, created_at AS "createdAt" FROM key_proofs ORDER BY kind, id',
  );
  return rows;
}

/**
 * Returns the proofs in a database, for a backup. Returns an empty list for a database of a release without proofs, or
 * one that no process has used yet.
 */
export async function readKeyProofs(database: SecretsReader): Promise<KeyProof[]> {
  const found = await database.query<{ exists: boolean }>(
    "SELECT to_regclass('public.key_proofs') IS NOT NULL AS exists",
  );
  if (found.rows[0]?.exists !== true) return [];
  const { rows } = await database.query<KeyProof>('SELECT kind, id, proof FROM public.key_proofs ORDER BY kind, id');
  return rows;
}

/**
 * Checks that the configured keys fit the proofs in a database. Records nothing, so that a command that only reads may
 * run with a list of keys that is not in use yet.
 *
 * @throws StoredKeyError with the id of a key or pepper that is missing or differs
 */
export async function verifyStoredKeys(database: SecretsReader, keys: KeyRing): Promise<void> {
  verifyKeyProofs(keys, await listKeyProofs(database));
}

/**
 * Checks that the configured keys fit a database, and records that the first key and the current pepper are in use. For
 * a database without proofs, also records the other ids that its rows contain, if the keys decrypt texts of these rows.
 * Call it before the process encrypts or digests anything.
 *
 * @throws StoredKeyError with the id of a key or pepper that is missing or differs; nothing is recorded then
 */
export async function requireStoredKeys(
  database: SecretsDatabase,
  keys: KeyRing,
  stored: StoredSecrets,
): Promise<void> {
  const found = await listKeyProofs(database);
  verifyKeyProofs(keys, found);
  if (currentIds(keys).every((one) => hasProof(found, one))) return;
  await database.inTransaction(async (tx) => {
    // Other processes may record other keys under the same ids.
    const known = await lockKeyProofs(tx);
    verifyKeyProofs(keys, known);
    const used = known.length === 0 ? await listUsedIds(tx, stored) : [];
    requireConfigured(keys, used);
    await requireReadableTexts(tx, keys, { stored, used });
    await addKeyProofs(tx, keys, { known, used });
  });
}

/** Checks that each key decrypts a text under its id: a proof must not be made with another key. */
async function requireReadableTexts(
  tx: SecretsReader,
  { box }: KeyRing,
  { stored, used }: { readonly stored: StoredSecrets; readonly used: readonly UsedId[] },
): Promise<void> {
  const ids = used.filter(({ kind }) => kind === 'key').map((one) => one.id);
  const [id] = await findUnreadableKeys(tx, { box, stored, ids });
  if (id === undefined) return;
  const key: UsedId = { kind: 'key', id };
  throw new StoredKeyError(
    'key',
    id,
    `${describeKey(key)} decrypts none of the texts under its id in this database. Configure the key that encrypted them.`,
  );
}

/** Locks the table of proofs against changes until the transaction ends, and returns all proofs. */
export async function lockKeyProofs(tx: SecretsReader): Promise<KeyInUse[]> {
  await tx.query('LOCK TABLE key_proofs IN SHARE ROW EXCLUSIVE MODE');
  return listKeyProofs(tx);
}

/** Inserts missing proofs of the first key, of the current pepper, and of those further ids that are configured. */
export async function addKeyProofs(
  tx: SecretsReader,
  keys: KeyRing,
  { known, used }: { readonly known: readonly KeyInUse[]; readonly used: readonly UsedId[] },
): Promise<void> {
  const wanted = new Map([...currentIds(keys), ...used].map((one) => [describeKey(one), one]));
  const missing = [...wanted.values()].filter((one) => !hasProof(known, one) && isConfigured(keys, one));
  // Ids that only rows contain came into use before the current ones.
  const isCurrent = (one: UsedId): boolean => hasProof(currentIds(keys), one);
  await tx.query(
    `INSERT INTO key_proofs (kind, id, proof, created_at)
     SELECT kind, id, proof, CASE WHEN is_current THEN now() ELSE now() - interval '1 second' END
       FROM unnest($1::text[], $2::text[], $3::text[], $4::boolean[]) AS missing (kind, id, proof, is_current)`,
    [
      missing.map(({ kind }) => kind),
      missing.map(({ id }) => id),
      missing.map((one) => createProof(keys, one)),
      missing.map(isCurrent),
    ],
  );
}

/** Returns true if the key or pepper has a proof, so that a start without it is refused. */
export function hasProof(proofs: readonly UsedId[], { kind, id }: UsedId): boolean {
  return proofs.some((proof) => proof.kind === kind && proof.id === id);
}

function currentIds({ box, pepper }: KeyRing): UsedId[] {
  return [
    { kind: 'key', id: box.currentKeyId },
    { kind: 'pepper', id: String(pepper.currentId) },
  ];
}

/**
 * Checks that all proofs are of configured keys and peppers.
 *
 * @param given proofs of a database, or of the manifest of a backup
 * @throws StoredKeyError with the id of a key or pepper that is missing or differs
 */
export function verifyKeyProofs(
  keys: KeyRing,
  given: readonly { readonly kind: string; readonly id: string; readonly proof: string }[],
): void {
  const proofs = given.map(({ kind, id, proof }): KeyProof => ({ kind: kind === 'pepper' ? kind : 'key', id, proof }));
  requireConfigured(keys, proofs);
  for (const proof of proofs) {
    if (!isValidProof(keys, proof)) {
      throw new StoredKeyError(
        proof.kind,
        proof.id,
        `${describeKey(proof)} differs from the ${proof.kind} with this id that this database was used with. Configure the former ${proof.kind} again, or give the new ${proof.kind} another id.`,
      );
    }
  }
}

/** A key or pepper that the rows of a database refer to. */
export type UsedId = Pick<KeyProof, 'kind' | 'id'>;

/** Lists the keys and peppers whose ids the rows of a database contain. Reads all rows of the columns. */
export async function listUsedIds(database: SecretsReader, { sealed, digests }: StoredSecrets): Promise<UsedId[]> {
  const ids = new Map<string, UsedId>();
  const add = (kind: KeyKind, id: string | number | null): void => {
    if (id !== null) ids.set(`${kind} ${id}`, { kind, id: String(id) });
  };
  for (const column of sealed) {
    for (const { keyId } of await countTexts(database, column)) add('key', keyId);
    const pepperIdColumn = column.digest?.pepperIdColumn;
    if (pepperIdColumn === undefined) continue;
    for (const { pepperId } of await countComputableDigests(database, column, pepperIdColumn)) add('pepper', pepperId);
  }
  for (const column of digests) {
    for (const { pepperId } of await countDigests(database, column)) add('pepper', pepperId);
  }
  return [...ids.values()];
}

function requireConfigured(keys: KeyRing, used: readonly UsedId[]): void {
  for (const one of used) {
    if (isConfigured(keys, one)) continue;
    throw new StoredKeyError(
      one.kind,
      one.id,
      `${describeKey(one)} is in use in this database, but is not configured. Configure it again. docs/operate/keys.md describes what to do if it is lost.`,
    );
  }
}

function isConfigured({ box, pepper }: KeyRing, { kind, id }: UsedId): boolean {
  return kind === 'key' ? box.keyIds.includes(id) : pepper.ids.includes(Number(id));
}

function createProof({ box, pepper }: KeyRing, one: UsedId): string {
  return one.kind === 'key' ? box.sealWith(one.id, provenText, purposeOf(one)) : digestOf(pepper, one.id);
}

function isValidProof({ box, pepper }: KeyRing, proof: KeyProof): boolean {
  if (proof.kind === 'pepper') return timingSafeEqualText(digestOf(pepper, proof.id), proof.proof);
  return opens(box, proof);
}

function opens(box: SecretBox, proof: KeyProof): boolean {
  try {
    return box.open(proof.proof, purposeOf(proof)) === provenText;
  } catch (error) {
    if (error instanceof SecretBoxError) return false;
    throw error;
  }
}

function digestOf(pepper: Pepper, id: string): string {
  const digests = pepper.digestUnderAllPeppers(`${provenText}:${id}`);
  return digests.find(({ pepperId }) => pepperId === Number(id))?.digest ?? '';
}

function purposeOf({ id }: UsedId): string {
  return `${provenText}:${id}`;
}
