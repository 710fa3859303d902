import { areTextsEqualInConstantTime } from '../constant-time.js';
import type { PepperedSecretDigester } from '../pepper.js';
import { type SecretTextEncryptor, SecretTextDecryptionError } from '../secret-box.js';
import { countComputableDigests, countDigestsByPepper, countEncryptedTexts } from './encryption-key-usage.js';
import { findUnusableEncryptionKeyIds } from './find-unusable-encryption-keys.js';
import type {
  ServiceKeysAndPeppers,
  SecretsDatabase,
  SecretsQueryExecutor,
  StoredSecretColumns,
} from './stored-secrets.js';

/** Kind of secret for which the database stores a proof of use: an encryption key or a pepper. */
export type SecretKeyKind = 'key' | 'pepper';

/** Proof that a key or pepper was used with a database. The proof does not reveal the key or pepper. */
export interface EncryptionKeyUsageProof {
  readonly kind: SecretKeyKind;
  readonly id: string;
  /** Constant text, encrypted with the key or digested with the pepper that the proof is for. */
  readonly proof: string;
}

/**
 * Row of the table `key_proofs`. The row shows that a key or pepper is in use. It also allows a check that the
 * configured key with this id is the right one.
 */
export interface StoredEncryptionKeyUsageProof extends EncryptionKeyUsageProof {
  readonly createdAt: Date;
}

/**
 * Error for configured keys that do not match the keys that the database was used with. Either a key or pepper in use
 * is not configured, or another key or pepper is configured under its id. The message contains the id, never the value.
 */
export class EncryptionKeyMismatchError extends Error {
  override readonly name = 'EncryptionKeyMismatchError';

  constructor(
    readonly kind: SecretKeyKind,
    readonly id: string,
    message: string,
  ) {
    super(message);
  }
}

const keyProofPlaintext = 'switchboard:key-proof';

const displayNameBySecretKeyKind: Readonly<Record<SecretKeyKind, string>> = { key: 'Encryption key', pepper: 'Pepper' };

/** Returns the name of a key or pepper for operators, such as `Encryption key "k1"`. */
export function describeKeyOrPepper({ kind, id }: Pick<EncryptionKeyUsageProof, 'kind' | 'id'>): string {
  return `${displayNameBySecretKeyKind[kind]} "${id}"`;
}

/** Returns all proofs of keys and peppers in the database, ordered by kind and id. */
export async function listKeyProofs(database: SecretsQueryExecutor): Promise<StoredEncryptionKeyUsageProof[]> {
  const { rows } = await database.query<StoredEncryptionKeyUsageProof>(
    'SELECT kind, id, proof, created_at AS "createdAt" FROM key_proofs ORDER BY kind, id',
  );
  return rows;
}

/**
 * Returns the proofs of keys and peppers in a database, for a backup. Returns an empty list if the database is from a
 * release without proofs, or if no process has used the database yet.
 */
export async function readEncryptionKeyProofs(database: SecretsQueryExecutor): Promise<EncryptionKeyUsageProof[]> {
  const found = await database.query<{ exists: boolean }>(
    "SELECT to_regclass('public.key_proofs') IS NOT NULL AS exists",
  );
  if (found.rows[0]?.exists !== true) return [];
  const { rows } = await database.query<EncryptionKeyUsageProof>(
    'SELECT kind, id, proof FROM public.key_proofs ORDER BY kind, id',
  );
  return rows;
}

/**
 * Checks that the configured keys and peppers match the proofs in a database. Writes nothing to the database, so that a
 * command that only reads can run with new keys that are not in use yet.
 *
 * @throws EncryptionKeyMismatchError with the id of a key or pepper that is missing or differs
 */
export async function verifyEncryptionKeysMatchDatabase(
  database: SecretsQueryExecutor,
  keys: ServiceKeysAndPeppers,
): Promise<void> {
  verifyEncryptionKeysMatchProofs(keys, await listKeyProofs(database));
}

/**
 * Checks that the configured keys match the proofs in a database, and stores proofs that the first key and the current
 * pepper are in use. For a database without proofs, also stores proofs of the other keys and peppers whose ids its rows
 * contain. Each of these keys must decrypt a text under its id. A process must call this function before it encrypts or
 * digests a secret.
 *
 * @throws EncryptionKeyMismatchError with the id of a key or pepper that is missing or differs; the database is then unchanged
 */
export async function requireEncryptionKeysMatchDatabase(
  database: SecretsDatabase,
  keys: ServiceKeysAndPeppers,
  stored: StoredSecretColumns,
): Promise<void> {
  const found = await listKeyProofs(database);
  verifyEncryptionKeysMatchProofs(keys, found);
  if (listCurrentKeyReferences(keys).every((one) => hasKeyProof(found, one))) return;
  await database.inTransaction(async (tx) => {
    // Other processes may record other keys under the same ids.
    const known = await lockKeyProofs(tx);
    verifyEncryptionKeysMatchProofs(keys, known);
    const used = known.length === 0 ? await listKeysReferencedByRows(tx, stored) : [];
    requireReferencedKeysConfigured(keys, used);
    await requireDecryptableTexts(tx, keys, { stored, used });
    await addKeyProofs(tx, keys, { known, used });
  });
}

/**
 * Checks that each key decrypts at least one text that is stored under its id. Without this check, a proof could be
 * made with a wrong key. @throws EncryptionKeyMismatchError for the first key that decrypts none
 */
async function requireDecryptableTexts(
  tx: SecretsQueryExecutor,
  { box }: ServiceKeysAndPeppers,
  { stored, used }: { readonly stored: StoredSecretColumns; readonly used: readonly KeyOrPepperReference[] },
): Promise<void> {
  const ids = used.filter(({ kind }) => kind === 'key').map((one) => one.id);
  const [id] = await findUnusableEncryptionKeyIds(tx, { box, stored, ids });
  if (id === undefined) return;
  const key: KeyOrPepperReference = { kind: 'key', id };
  throw new EncryptionKeyMismatchError(
    'key',
    id,
    `${describeKeyOrPepper(key)} decrypts none of the texts under its id in this database. Configure the key that encrypted them.`,
  );
}

/** Locks the table of key and pepper proofs against changes until the transaction ends, and returns all proofs. */
export async function lockKeyProofs(tx: SecretsQueryExecutor): Promise<StoredEncryptionKeyUsageProof[]> {
  await tx.query('LOCK TABLE key_proofs IN SHARE ROW EXCLUSIVE MODE');
  return listKeyProofs(tx);
}

/**
 * Inserts missing proofs of the first key and the current pepper. Also inserts missing proofs of other keys and peppers
 * in use, if these are configured.
 */
export async function addKeyProofs(
  tx: SecretsQueryExecutor,
  keys: ServiceKeysAndPeppers,
  {
    known,
    used,
  }: { readonly known: readonly StoredEncryptionKeyUsageProof[]; readonly used: readonly KeyOrPepperReference[] },
): Promise<void> {
  const wanted = new Map([...listCurrentKeyReferences(keys), ...used].map((one) => [describeKeyOrPepper(one), one]));
  const missing = [...wanted.values()].filter((one) => !hasKeyProof(known, one) && isKeyConfigured(keys, one));
  // Ids that only rows contain came into use before the current ones.
  const isCurrent = (one: KeyOrPepperReference): boolean => hasKeyProof(listCurrentKeyReferences(keys), one);
  await tx.query(
    `INSERT INTO key_proofs (kind, id, proof, created_at)
     SELECT kind, id, proof, CASE WHEN is_current THEN now() ELSE now() - interval '1 second' END
       FROM unnest($1::text[], $2::text[], $3::text[], $4::boolean[]) AS missing (kind, id, proof, is_current)`,
    [
      missing.map(({ kind }) => kind),
      missing.map(({ id }) => id),
      missing.map((one) => createKeyProof(keys, one)),
      missing.map(isCurrent),
    ],
  );
}

/**
 * Returns true if a proof of the key or pepper is in the list. A service refuses to start without a key or pepper for
 * which the database stores a proof.
 */
export function hasKeyProof(proofs: readonly KeyOrPepperReference[], { kind, id }: KeyOrPepperReference): boolean {
  return proofs.some((proof) => proof.kind === kind && proof.id === id);
}

function listCurrentKeyReferences({ box, pepper }: ServiceKeysAndPeppers): KeyOrPepperReference[] {
  return [
    { kind: 'key', id: box.currentKeyId },
    { kind: 'pepper', id: String(pepper.currentId) },
  ];
}

/**
 * Checks that all proofs are of configured keys and peppers.
 *
 * @param given proofs of a database, or of the manifest of a backup
 * @throws EncryptionKeyMismatchError with the id of a key or pepper that is missing or differs
 */
export function verifyEncryptionKeysMatchProofs(
  keys: ServiceKeysAndPeppers,
  given: readonly { readonly kind: string; readonly id: string; readonly proof: string }[],
): void {
  const proofs = given.map(({ kind, id, proof }): EncryptionKeyUsageProof => ({
    kind: kind === 'pepper' ? kind : 'key',
    id,
    proof,
  }));
  requireReferencedKeysConfigured(keys, proofs);
  for (const proof of proofs) {
    if (!isValidKeyProof(keys, proof)) {
      throw new EncryptionKeyMismatchError(
        proof.kind,
        proof.id,
        `${describeKeyOrPepper(proof)} differs from the ${proof.kind} with this id that this database was used with. Configure the former ${proof.kind} again, or give the new ${proof.kind} another id.`,
      );
    }
  }
}

/** A key or pepper to which the rows of a database refer. */
export type KeyOrPepperReference = Pick<EncryptionKeyUsageProof, 'kind' | 'id'>;

/**
 * Lists the keys and peppers whose ids the rows of a database contain. Reads all rows with encrypted texts or digests.
 */
export async function listKeysReferencedByRows(
  database: SecretsQueryExecutor,
  { sealed, digests }: StoredSecretColumns,
): Promise<KeyOrPepperReference[]> {
  const ids = new Map<string, KeyOrPepperReference>();
  const add = (kind: SecretKeyKind, id: string | number | null): void => {
    if (id !== null) ids.set(`${kind} ${id}`, { kind, id: String(id) });
  };
  for (const column of sealed) {
    for (const { keyId } of await countEncryptedTexts(database, column)) add('key', keyId);
    const pepperIdColumn = column.digest?.pepperIdColumn;
    if (pepperIdColumn === undefined) continue;
    for (const { pepperId } of await countComputableDigests(database, column, pepperIdColumn)) add('pepper', pepperId);
  }
  for (const column of digests) {
    for (const { pepperId } of await countDigestsByPepper(database, column)) add('pepper', pepperId);
  }
  return [...ids.values()];
}

function requireReferencedKeysConfigured(keys: ServiceKeysAndPeppers, used: readonly KeyOrPepperReference[]): void {
  for (const one of used) {
    if (isKeyConfigured(keys, one)) continue;
    throw new EncryptionKeyMismatchError(
      one.kind,
      one.id,
      `${describeKeyOrPepper(one)} is in use in this database, but is not configured. Configure it again. docs/operate/keys.md describes what to do if it is lost.`,
    );
  }
}

function isKeyConfigured({ box, pepper }: ServiceKeysAndPeppers, { kind, id }: KeyOrPepperReference): boolean {
  return kind === 'key' ? box.keyIds.includes(id) : pepper.ids.includes(Number(id));
}

function createKeyProof({ box, pepper }: ServiceKeysAndPeppers, one: KeyOrPepperReference): string {
  return one.kind === 'key'
    ? box.sealWith(one.id, keyProofPlaintext, getKeyProofPurpose(one))
    : digestKeyProofWithPepper(pepper, one.id);
}

function isValidKeyProof({ box, pepper }: ServiceKeysAndPeppers, proof: EncryptionKeyUsageProof): boolean {
  if (proof.kind === 'pepper')
    return areTextsEqualInConstantTime(digestKeyProofWithPepper(pepper, proof.id), proof.proof);
  return canDecryptKeyProof(box, proof);
}

function canDecryptKeyProof(box: SecretTextEncryptor, proof: EncryptionKeyUsageProof): boolean {
  try {
    return box.open(proof.proof, getKeyProofPurpose(proof)) === keyProofPlaintext;
  } catch (error) {
    if (error instanceof SecretTextDecryptionError) return false;
    throw error;
  }
}

function digestKeyProofWithPepper(pepper: PepperedSecretDigester, id: string): string {
  const digests = pepper.digestUnderAllPeppers(`${keyProofPlaintext}:${id}`);
  return digests.find(({ pepperId }) => pepperId === Number(id))?.digest ?? '';
}

function getKeyProofPurpose({ id }: KeyOrPepperReference): string {
  return `${keyProofPlaintext}:${id}`;
}
