import type { Tx } from '@switchboard/database';
import { chatErrors } from '../../errors.js';
import { lockScopedApiKey, lockSession } from '../database-locks.js';
import type { CredentialOwner } from './credential-owner.js';

/**
 * Checks that the credentials of a request were not revoked since the request was authenticated. Locks the session or
 * scoped API key against revocation until the transaction ends. Used for requests that create further credentials.
 *
 * @throws ApplicationError UNAUTHORIZED or INVALID_API_KEY
 */
export async function requireUnrevokedRequestCredentials(
  tx: Tx,
  { id, apiKey, session }: CredentialOwner,
): Promise<void> {
  if (session !== undefined && !(await lockSession(tx, session.digest))) throw chatErrors.create('UNAUTHORIZED');
  if (apiKey === undefined) return;
  const { digests, scoped } = apiKey;
  const isValid =
    scoped === undefined ? await isApiKeyOfAccount(tx, id, digests) : await lockScopedApiKey(tx, scoped.id);
  if (!isValid) throw chatErrors.create('INVALID_API_KEY');
}

async function isApiKeyOfAccount(tx: Tx, userId: number, digests: readonly string[]): Promise<boolean> {
  const values = [userId, digests];
  const { rowCount } = await tx.query('SELECT 1 FROM users WHERE id = $1 AND api_key_digest = ANY($2)', values);
  return rowCount > 0;
}
