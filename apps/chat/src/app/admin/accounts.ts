import { randomBytes } from 'node:crypto';
import { hashPassword } from '@switchboard/auth';
import { ApplicationError, convertErrorToDatabaseFault } from '@switchboard/errors';
import { userRoleNumbers } from '../../infra/http/chat-actor.js';
import { checkPasswordAgainstServerLimits, emitNewAccountEvents } from '../../features/users/index.js';
import { addUser } from '../../core/users/index.js';
import type { ChatTransaction } from '../../infra/open-prisma.js';
import { parseRateLimitRules } from '../../infra/rate-limits/index.js';
import type { ChatRuntime } from '../runtime.js';
import { createChatEventEmitter } from '../create-service-slices.js';
import { normalizeTextForComparison } from '../../infra/normalized-text-key.js';
import { AdminError } from './admin-error.js';
import { lockRealmMembership } from '../../core/database-locks.js';

/** Names of the account rights that only the operator of the server grants (docs/contract/chat.md 6.1). */
export const operatorGrantedAccountRights = ['can_create_users', 'can_change_user_emails', 'can_forge_sender'] as const;

export type OperatorGrantedAccountRight = (typeof operatorGrantedAccountRights)[number];

/** Columns of `users` that store the rights in {@link operatorGrantedAccountRights}, by name of the right. */
const userColumnByOperatorRight = {
  can_create_users: 'canCreateUsers',
  can_change_user_emails: 'canChangeUserEmails',
  can_forge_sender: 'canForgeSender',
} as const satisfies Record<OperatorGrantedAccountRight, string>;

/**
 * Returns the id of the realm with the given name. Without a name, returns the id of the only realm.
 *
 * @throws AdminError
 */
export async function getRealmId(tx: ChatTransaction, stringId: string | undefined): Promise<number> {
  const realms = await tx.prisma.realm.findMany({ select: { id: true, stringId: true }, orderBy: { id: 'asc' } });
  const [first, second] = realms;
  if (first === undefined) throw new AdminError('There is no organization yet: create one with create-realm.');
  if (stringId === undefined && second !== undefined) {
    throw new AdminError(
      `There are several organizations. Add --realm with one of: ${realms.map((realm) => realm.stringId).join(', ')}`,
    );
  }
  const found = stringId === undefined ? first : realms.find((realm) => realm.stringId === stringId);
  if (found === undefined) throw new AdminError(`There is no organization with the id ${stringId}.`);
  return found.id;
}

/**
 * Creates an owner of a realm and emits it to connected clients. Returns the user id, and the password, which is stored
 * only as a hash.
 *
 * @throws AdminError when the address is taken
 */
export async function createRealmOwnerAccount(
  runtime: ChatRuntime,
  owner: {
    readonly realm: string | undefined;
    readonly email: string;
    readonly fullName: string;
    readonly password: string | undefined;
  },
): Promise<{ readonly id: number; readonly password: string }> {
  const password = chooseOrGeneratePassword(owner.password);
  const passwordHash = await hashPassword(password);
  const events = createChatEventEmitter(runtime);
  try {
    const createdId = await runtime.database.inTransaction(async (tx) => {
      const realmId = await getRealmId(tx, owner.realm);
      await lockRealmMembership(tx, realmId, 'exclusive');
      const { email, fullName } = owner;
      const id = await addUser(tx, runtime.apiKeys, {
        realmId,
        email,
        fullName,
        role: userRoleNumbers.owner,
        passwordHash,
      });
      await emitNewAccountEvents(events, tx, realmId, id);
      return id;
    });
    return { id: createdId, password };
  } catch (error) {
    if (convertErrorToDatabaseFault(error)?.kind !== 'unique') throw error;
    throw new AdminError(`An account with the address ${owner.email} already exists.`);
  }
}

/**
 * Sets the password of an account, and ends its sessions. Returns the user id and the password.
 *
 * @throws AdminError
 */
export async function resetPassword(
  runtime: ChatRuntime,
  account: { readonly realm: string | undefined; readonly email: string; readonly password: string | undefined },
): Promise<{ readonly id: number; readonly password: string }> {
  const password = chooseOrGeneratePassword(account.password);
  const passwordHash = await hashPassword(password);
  const id = await runtime.database.inTransaction(async (tx) => {
    const userId = await getAccountUserId(tx, account);
    await tx.prisma.user.updateMany({ where: { id: userId }, data: { passwordHash } });
    await tx.prisma.session.deleteMany({ where: { userId } });
    return userId;
  });
  await runtime.credentials.evictByTag(`user:${id}`);
  return { id, password };
}

/**
 * Grants a right of {@link operatorGrantedAccountRights} to an account, or revokes it. Returns the user id.
 *
 * @throws AdminError
 */
export async function setOperatorGrantedAccountRight(
  runtime: ChatRuntime,
  change: {
    readonly realm: string | undefined;
    readonly email: string;
    readonly grant: OperatorGrantedAccountRight;
    readonly value: boolean;
  },
): Promise<number> {
  const id = await runtime.database.inTransaction(async (tx) => {
    const userId = await getAccountUserId(tx, change);
    await tx.prisma.user.updateMany({
      where: { id: userId },
      data: { [userColumnByOperatorRight[change.grant]]: change.value },
    });
    return userId;
  });
  await runtime.credentials.evictByTag(`user:${id}`);
  return id;
}

/**
 * Sets the rate limits of an account, or restores the default ones. Returns the user id.
 *
 * @throws AdminError
 */
export async function setAccountRateLimits(
  runtime: ChatRuntime,
  change: { readonly realm: string | undefined; readonly email: string; readonly rules: string },
): Promise<number> {
  const { rules } = change;
  if (rules !== 'default' && rules !== 'off' && parseRateLimitRules(rules) === null) {
    throw new AdminError('--rules must be <seconds>:<count>,<seconds>:<count>,... or off or default.');
  }
  const id = await runtime.database.inTransaction(async (tx) => {
    const userId = await getAccountUserId(tx, change);
    const rateLimits = rules === 'default' ? '' : rules;
    await tx.prisma.user.updateMany({ where: { id: userId }, data: { rateLimits } });
    return userId;
  });
  await runtime.credentials.evictByTag(`user:${id}`);
  return id;
}

/**
 * Returns the password that the operator chose, or a random password.
 *
 * @throws AdminError when the chosen password is too weak or too long
 */
function chooseOrGeneratePassword(chosen: string | undefined): string {
  if (chosen === undefined) return randomBytes(12).toString('base64url');
  try {
    return checkPasswordAgainstServerLimits(chosen);
  } catch (error) {
    throw error instanceof ApplicationError ? new AdminError(error.message) : error;
  }
}

async function getAccountUserId(
  tx: ChatTransaction,
  account: { readonly realm: string | undefined; readonly email: string },
): Promise<number> {
  const realmId = await getRealmId(tx, account.realm);
  const user = await tx.prisma.user.findFirst({
    where: { realmId, deliveryEmailKey: normalizeTextForComparison(account.email) },
    select: { id: true },
  });
  if (user === null) throw new AdminError(`There is no account with the address ${account.email}.`);
  return user.id;
}
