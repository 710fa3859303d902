import { ApplicationError } from '@switchboard/errors';
import type { ChatActor } from '../../infra/http/chat-actor.js';
import { chatAudit } from '../../infra/audit-trail.js';

/** Way in which a user signs in, as in audit lines. */
export type SignInMethod = 'password' | 'session' | 'repeated_password' | 'jwt' | 'development' | 'invitation';

/** An attempt to sign in. The field `owner` is null until the account is known. */
export interface SignInAttempt {
  owner: Pick<ChatActor, 'id' | 'kind' | 'realm'> | null;
}

/**
 * Runs an attempt to sign in and writes its audit line. The line about a refused attempt contains neither the password
 * nor the email address that was sent.
 *
 * @param run performs the sign-in, and sets `owner` of the attempt as soon as the account is found
 * @throws Error of `run`
 */
export async function auditSignIn<T>(method: SignInMethod, run: (attempt: SignInAttempt) => Promise<T>): Promise<T> {
  const attempt: SignInAttempt = { owner: null };
  try {
    const result = await run(attempt);
    const { owner } = attempt;
    const actor = owner === null ? undefined : { realm: owner.realm, id: owner.id, kind: owner.kind };
    chatAudit.write('sign_in', { id: owner?.id ?? null, method, ...(actor && { actor }) });
    return result;
  } catch (error) {
    if (error instanceof ApplicationError) {
      const id = attempt.owner?.id ?? null;
      chatAudit.write('sign_in_failed', { id, method, reason: error.code, actor: null });
    }
    throw error;
  }
}
