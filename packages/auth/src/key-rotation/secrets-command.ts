import {
  addKeyProofs,
  describeKeyOrPepper,
  hasKeyProof,
  listKeyProofs,
  listKeysReferencedByRows,
  lockKeyProofs,
  type KeyOrPepperReference,
} from './stored-encryption-key-proofs.js';
import {
  formatEncryptionKeyAndPepperStatus,
  formatEncryptionKeyAndPepperSummary,
  type EncryptionKeyAndPepperStatus,
  formatEncryptionKeyAndPepperStatusAsJson,
  getEncryptionKeyStatusExitCode,
  summarizeEncryptionKeyAndPepperUsage,
} from './encryption-key-status.js';
import { removeTextsOfLostKey } from './discard-lost-texts.js';
import { readKeyAndPepperUsage } from './encryption-key-usage.js';
import { reencryptStoredSecrets } from './rewrap-stored-secrets.js';
import type { ServiceKeysAndPeppers, SecretsDatabase, StoredSecretColumns } from './stored-secrets.js';

/** Arguments of the admin command `secrets`. */
export interface SecretsCommandArguments {
  /** Subcommand after `secrets`: `status`, `rewrap` or `abandon`; undefined if the subcommand is missing. */
  readonly action: string | undefined;
  /** True if the option `--json` is given: the command then prints the status as JSON. */
  readonly isJson: boolean;
  /** Value of the option `--key`: the id of an encryption key to abandon. */
  readonly key: string | undefined;
  /** Value of the option `--pepper`: the number of a pepper to abandon. */
  readonly pepper: string | undefined;
  /**
   * True if the option `--yes` is given. Without `--yes`, `abandon` only prints which texts would be lost. Without
   * `--yes`, `rewrap` fails if another key or pepper came into use later.
   */
  readonly isConfirmed: boolean;
}

/** Dependencies of {@link runSecretsCommand}. The command counts and rewrites only the columns in `stored`. */
export interface SecretsCommandOptions {
  readonly database: SecretsDatabase;
  readonly keys: ServiceKeysAndPeppers;
  readonly stored: StoredSecretColumns;
  /** Prints a line to the standard output. */
  readonly print: (line: string) => void;
}

/** Description of the admin command `secrets` for the help text of a service's command line. */
export const secretsCommandUsage = `  secrets status [--json]
      Counts encrypted texts by key and digests by pepper. Exit code 0: all under the first key and the current pepper,
      3: others remain, 1: rows contain an id that is not configured.
  secrets rewrap [--yes]
      Encrypts all texts with the first key, computes digests under the current pepper, and retires keys without texts.
      The service may run. The command can be repeated.
  secrets abandon --key <id> | --pepper <number> [--yes]
      Lets the service start without a key or pepper that is lost. Removes texts under this key where the service makes
      new ones. Without --yes it only counts them, with exit code 3.`;

/**
 * Runs the admin command `secrets`.
 *
 * @returns the exit code; 2 for invalid arguments
 * @throws EncryptionKeyMismatchError if the configured keys do not match the keys that the database was used with
 */
export async function runSecretsCommand(
  options: SecretsCommandOptions,
  given: SecretsCommandArguments,
): Promise<number> {
  if (given.action === 'status') return printKeyStatus(options, given.isJson);
  if (given.action === 'rewrap') return runReencryptCommand(options, given.isConfirmed);
  if (given.action === 'abandon' && (given.key === undefined) !== (given.pepper === undefined)) {
    return removeLostKey(
      options,
      given.key === undefined ? { kind: 'pepper', id: given.pepper ?? '' } : { kind: 'key', id: given.key },
      given.isConfirmed,
    );
  }
  options.print(secretsCommandUsage);
  return 2;
}

async function printKeyStatus(
  { database, keys, stored, print }: SecretsCommandOptions,
  isJson: boolean,
): Promise<number> {
  const usage = await readKeyAndPepperUsage(database, keys, stored);
  const status: EncryptionKeyAndPepperStatus = { keys, proofs: await listKeyProofs(database), ...usage };
  print(isJson ? formatEncryptionKeyAndPepperStatusAsJson(status) : formatEncryptionKeyAndPepperStatus(status));
  return getEncryptionKeyStatusExitCode(summarizeEncryptionKeyAndPepperUsage(status));
}

async function runReencryptCommand(
  { database, keys, stored, print }: SecretsCommandOptions,
  isConfirmed: boolean,
): Promise<number> {
  const { usage, retired, unreadable } = await reencryptStoredSecrets(database, keys, { stored, print, isConfirmed });
  for (const one of retired)
    print(`${describeKeyOrPepper(one)} is not in use any more and can be removed from the configuration.`);
  const summary = summarizeEncryptionKeyAndPepperUsage({ keys, proofs: await listKeyProofs(database), ...usage });
  for (const line of formatEncryptionKeyAndPepperSummary(summary)) print(line);
  return unreadable + summary.outdatedTexts + summary.outdatedDigests > 0 ? 1 : 0;
}

async function removeLostKey(
  options: SecretsCommandOptions,
  one: KeyOrPepperReference,
  isConfirmed: boolean,
): Promise<number> {
  const { database, keys, stored, print } = options;
  const refusal = findLostKeyRemovalRefusal(keys, one);
  if (refusal !== null) {
    print(`${describeKeyOrPepper(one)} ${refusal}`);
    return 1;
  }
  const usage = await readKeyAndPepperUsage(database, keys, stored);
  const affected =
    one.kind === 'key'
      ? usage.texts.filter(({ keyId }) => keyId === one.id)
      : usage.digests.filter(({ pepperId }) => String(pepperId) === one.id);
  if (affected.length === 0 && !hasKeyProof(await listKeyProofs(database), one)) {
    print(`${describeKeyOrPepper(one)} is not in use.`);
    return 1;
  }
  if (!isConfirmed) {
    for (const { column, count } of affected) print(`${column}: ${count} ${one.kind === 'key' ? 'texts' : 'digests'}.`);
    print(`Nothing was changed. Repeat the command with --yes if ${describeKeyOrPepper(one)} is lost.`);
    return 3;
  }
  if (one.kind === 'key') await removeTextsOfLostKey(database, stored, one.id);
  await database.inTransaction(async (tx) => {
    const known = await lockKeyProofs(tx);
    // With proofs, a start does not look at the ids in the rows.
    if (known.length === 0) await addKeyProofs(tx, keys, { known, used: await listKeysReferencedByRows(tx, stored) });
    await tx.query('DELETE FROM key_proofs WHERE kind = $1 AND id = $2', [one.kind, one.id]);
  });
  const loss = one.kind === 'key' ? 'texts are lost' : 'digests are invalid';
  for (const { column, count } of affected) print(`${column}: ${count} ${loss}.`);
  print(`${describeKeyOrPepper(one)} is abandoned. The service starts without it.`);
  return 0;
}

function findLostKeyRemovalRefusal(
  { box, pepper }: ServiceKeysAndPeppers,
  { kind, id }: KeyOrPepperReference,
): string | null {
  if (kind === 'key' && box.keyIds.includes(id)) return 'is configured. Run: admin secrets rewrap';
  return kind === 'pepper' && id === String(pepper.currentId) ? 'is the current pepper.' : null;
}
