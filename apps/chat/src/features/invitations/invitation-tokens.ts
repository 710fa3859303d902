import { createHash, randomBytes } from 'node:crypto';
import type { ApiKeyStore } from '../../core/access/api-keys.js';

/** The token of an invitation link, with its digest and its encrypted form, which are stored. */
export interface InvitationToken {
  readonly token: string;
  /** Digest by which the database finds the invitation. */
  readonly digest: string;
  /** Encrypted token, with which the link can be shown to the inviter again. */
  readonly sealed: string;
}

/** Creates the token of an invitation link, encrypted for the inviter. */
export function createInvitationToken(apiKeys: ApiKeyStore, inviterId: number): InvitationToken {
  const token = randomBytes(20).toString('hex');
  return { token, digest: digestInvitationToken(token), sealed: apiKeys.encryptKey(inviterId, token) };
}

/** Returns the digest of an invitation token, by which the database finds the invitation. */
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
