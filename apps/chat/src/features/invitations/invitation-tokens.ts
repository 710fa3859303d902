import { createHash, randomBytes } from 'node:crypto';
import type { ApiKeys } from '../../core/access/api-keys.js';

/** The secret of an invitation's link, as it is stored. */
export interface StoredToken {
  readonly token: string;
  /** Digest by which the link is found. */
  readonly digest: string;
  /** Encrypted token, from which the sender can see the link again. */
  readonly sealed: string;
}

/** A new secret; sealed for the inviter. */
export function newToken(apiKeys: ApiKeys, inviterId: number): StoredToken {
  const token = randomBytes(20).toString('hex');
  return { token, digest: tokenDigest(token), sealed: apiKeys.seal(inviterId, token) };
}

/** Returns the digest by which the database finds a secret. */
export function tokenDigest(token: string): string {
  return createHash('sha256').update(token).digest('hex');
}

/**
 * The link of an invitation.
 *
 * @param origin Scheme, host and port by which the client reached us.
 */
export function invitationLink(origin: string, token: string): string {
  return `${origin}/join/${token}/`;
}
