import { createHash, randomBytes } from 'node:crypto';
import type { ApiKeyStore } from '../../core/access/api-keys.js';

/**
 * The token of an invitation link, with the digest and the encrypted form of the token. The database stores the digest
 * and the encrypted form.
 */
export interface InvitationToken {
  readonly token: string;
  /** Digest of the invitation token, by which the database looks up the invitation. */
  readonly digest: string;
  /** Encrypted invitation token. The service decrypts the token to show the link to the inviting user again. */
  readonly sealed: string;
}

/** Creates the token of an invitation link, and encrypts the token for the inviting user. */
export function createInvitationToken(apiKeys: ApiKeyStore, inviterId: number): InvitationToken {
  const token = randomBytes(20).toString('hex');
  return { token, digest: digestInvitationToken(token), sealed: apiKeys.encryptAccountSecret(inviterId, token) };
}

/** Returns the digest of an invitation token. The database looks up invitations by this digest. */
export function digestInvitationToken(token: string): string {
  return createHash('sha256').update(token).digest('hex');
}

/**
 * Returns the URL of an invitation.
 *
 * @param origin Scheme, host and port that the client used to reach the server.
 */
export function createInvitationLink(origin: string, token: string): string {
  return `${origin}/join/${token}/`;
}
