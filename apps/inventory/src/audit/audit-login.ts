import { ApplicationError } from '@switchboard/errors';
import { inventoryAudit } from './audit-trail.js';

/** Way in which a user logs in, as in audit lines. */
export type LoginMethod = 'session' | 'token';

/** User of a login, as soon as the user is known. */
export interface LoginOfUser {
  userId: number | null;
}

/**
 * Runs a login and writes its audit line. A login that returns null counts as refused. The line about a refused login
 * contains neither the password nor the user name that was sent.
 *
 * @param run sets `userId` when it has found the user
 * @throws Error of `run`
 */
export async function auditLogin<T>(
  method: LoginMethod,
  run: (login: LoginOfUser) => Promise<T | null>,
): Promise<T | null> {
  const login: LoginOfUser = { userId: null };
  try {
    const result = await run(login);
    if (result === null) writeFailure(login, method, 'INVALID_LOGIN');
    else writeSuccess(login, method);
    return result;
  } catch (error) {
    if (error instanceof ApplicationError) writeFailure(login, method, error.code);
    throw error;
  }
}

function writeSuccess({ userId }: LoginOfUser, method: LoginMethod): void {
  const actor = userId === null ? undefined : { id: userId, kind: 'user' };
  inventoryAudit.write('sign_in', { id: userId, method, ...(actor && { actor }) });
}

function writeFailure({ userId }: LoginOfUser, method: LoginMethod, reason: string): void {
  inventoryAudit.write('sign_in_failed', { id: userId, method, reason, actor: null });
}
