import { type SecretTextEncryptor, SecretTextDecryptionError } from '@switchboard/auth';
import { maskedSecret } from '../engine/sealed/encrypted-text-sql.js';
import { getParameterEncryptionPurpose, secretDataSourceParameterNames } from '../models/core/source-parameters.js';
import type { ClaimedDataSource } from './data-source-sync-jobs.js';
import { SyncError } from './data-source-sync-error.js';

/**
 * Parameters of a data source by name, with decrypted secrets. Parameters whose value is neither text nor number are
 * omitted.
 */
export type SourceParameters = ReadonlyMap<string, string>;

/**
 * Returns the parameters of a data source with decrypted secrets.
 *
 * @throws SyncError if a secret cannot be decrypted
 */
export function decryptParameters(
  { parameters, secrets }: Pick<ClaimedDataSource, 'parameters' | 'secrets'>,
  box: Pick<SecretTextEncryptor, 'open'>,
): SourceParameters {
  const opened = new Map<string, string>();
  for (const [name, value] of Object.entries(parameters ?? {})) {
    if (['string', 'number'].includes(typeof value)) opened.set(name, String(value));
  }
  for (const name of secretDataSourceParameterNames) {
    const sealed = secrets[name];
    // A process of an older version may have stored a newer value in clear.
    if (sealed === undefined || sealed === '' || (opened.get(name) ?? maskedSecret) !== maskedSecret) continue;
    try {
      opened.set(name, box.open(sealed, getParameterEncryptionPurpose(name)));
    } catch (error) {
      if (!(error instanceof SecretTextDecryptionError)) throw error;
      throw new SyncError(`The parameter ${name} cannot be decrypted with the configured keys.`, { cause: error });
    }
  }
  return opened;
}
